//! Workloads A, B and C beside their floor kernels, timed in one run, a wired dumbbell, the engine's cost against its size
//! and against what it records, what idle users cost, and what is kept in memory.
//!
//! AIRLINK_SIMD (portable, avx2) chooses how wide the engine's loops run; floor kernels are as they were built.
//!
//! It leaves out start-up of a process and of Python, and reading of files.

mod beside;
mod carrier;
mod comparison;
mod cpu_time;
mod dumbbell;
mod environments;
mod floor;
mod heap;
mod idle_users;
mod linearity;
mod memory;
mod ns2;
mod ready;
mod recording;
mod schedulers;
mod sizes;
mod study;
mod subchannels;
mod workload;

use airlink_sim::{Problem, choose_vector_path};

/// Runs all parts, or the one that is named on the command line.
fn main() -> Result<(), Vec<Problem>> {
    choose_vector_path(&std::env::var("AIRLINK_SIMD").unwrap_or_default())
        .map_err(|message| vec![Problem { path: "AIRLINK_SIMD".to_owned(), message }])?;
    type Part = fn() -> Result<(), Vec<Problem>>;
    let parts: [(&str, Part); 13] = [
        ("floor", comparison::print),
        ("carrier", carrier::print),
        ("sizes", sizes::print),
        ("memory", memory::print),
        ("ready", ready::print),
        ("study", study::print),
        ("schedulers", schedulers::print),
        ("dumbbell", dumbbell::print),
        ("linearity", linearity::print),
        ("recording", recording::print),
        ("subchannels", subchannels::print),
        ("idle-users", idle_users::print),
        ("environments", environments::print),
    ];
    let wanted = std::env::args().nth(1);
    if wanted.as_deref() == Some(memory::RUN_OF_C) {
        return memory::run_of_c();
    }
    let mut chosen = parts.iter().filter(|(name, _)| wanted.as_deref().is_none_or(|wanted| wanted == *name));
    chosen.try_for_each(|(_, print)| print())
}
