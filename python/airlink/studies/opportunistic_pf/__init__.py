"""Paper 000: opportunistic (proportional fair) scheduling on a 1xEV-DO downlink, and what its jitter does to TCP."""
