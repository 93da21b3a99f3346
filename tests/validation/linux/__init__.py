"""The Linux kernel's TCP as an oracle: an emulated bottleneck between two of its sockets, and scripts played to one."""
