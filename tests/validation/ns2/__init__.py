"""ns-2 as an oracle: the same flows over the same bottleneck, packet by packet."""
