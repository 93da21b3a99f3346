//! Workloads A and B beside their floor kernels, timed in one run, a wired dumbbell, and the
//! engine's cost against its size and against what it records.
//!
//! It leaves out start-up of a process and of Python, and reading of files.

mod comparison;
mod cpu_time;
mod dumbbell;
mod floor;
mod linearity;
mod ns2;
mod recording;
mod study;
mod workload;

use airlink_sim::Problem;

/// Runs all parts, or the one that is named on the command line.
fn main() -> Result<(), Vec<Problem>> {
    type Part = fn() -> Result<(), Vec<Problem>>;
    let parts: [(&str, Part); 5] = [
        ("floor", comparison::print),
        ("study", study::print),
        ("dumbbell", dumbbell::print),
        ("linearity", linearity::print),
        ("recording", recording::print),
    ];
    let wanted = std::env::args().nth(1);
    let mut chosen = parts.iter().filter(|(name, _)| wanted.as_deref().is_none_or(|wanted| wanted == *name));
    chosen.try_for_each(|(_, print)| print())
}
