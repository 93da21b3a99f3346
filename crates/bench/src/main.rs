//! Workloads A and B beside their floor kernels, timed in one run, and the engine's cost against its size.
//!
//! It leaves out recording of series, start-up of a process and of Python, and reading of files.

mod comparison;
mod cpu_time;
mod floor;
mod linearity;
mod study;
mod workload;

use airlink_sim::Problem;

fn main() -> Result<(), Vec<Problem>> {
    comparison::print()?;
    study::print()?;
    linearity::print()
}
