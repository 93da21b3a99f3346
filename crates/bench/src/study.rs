//! The runs of study `tcp-pf` without recording: five schedulers over 50 drops of K3, one thread.

use airlink_sim::{Problem, Scenario};
use serde_json::Value;

use crate::cpu_time::cpu_s_of;

/// Drops of the study: seeds 1 to 50.
const DROPS: u64 = 50;

/// Prints the CPU time of all runs, and of each scheduler's.
pub fn print() -> Result<(), Vec<Problem>> {
    let mut total_s = 0.0;
    let mut parts = Vec::new();
    for (label, scenario) in scenarios()? {
        let (cpu_s, ()) = cpu_s_of(|| {
            for seed in 1..=DROPS {
                std::hint::black_box(airlink_sim::run(&scenario, &[], seed, &[]));
            }
        });
        total_s += cpu_s;
        parts.push(format!("{label} {cpu_s:.2}"));
    }
    println!("Study tcp-pf, 5 schedulers x {DROPS} drops, no recording: {total_s:.2} s CPU");
    println!("  {}\n", parts.join(", "));
    Ok(())
}

/// Workload B as the study has it, with each of its schedulers.
fn scenarios() -> Result<Vec<(String, Scenario)>, Vec<Problem>> {
    let schedulers: serde_json::Map<String, Value> =
        serde_json::from_str(include_str!("../workloads/schedulers.json")).expect("a table of schedulers");
    let mut drop: Value = serde_json::from_str(include_str!("../workloads/b.json")).expect("a scenario");
    let mut scenarios = Vec::new();
    for (label, scheduler) in schedulers {
        drop["scheduler"] = scheduler;
        scenarios.push((label, Scenario::from_json(&drop.to_string())?));
    }
    Ok(scenarios)
}
