//! Workloads and floor kernels, timed in one run.

fn main() {}
