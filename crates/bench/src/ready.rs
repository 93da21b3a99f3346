//! How much faster than real time the ready scenario `nr-like` runs: blocks of NR, taps of TDL-C, coded blocks as large as a
//! grant, CUBIC.

use airlink_sim::{Problem, Scenario};

use crate::cpu_time::{cpu_s_of, least, median};
use crate::workload::{cell_count, delivered_bps, radio, run_engine};

const REPETITIONS: usize = 3;

/// Prints its size and its speed.
pub fn print() -> Result<(), Vec<Problem>> {
    let scenario = Scenario::from_json(include_str!("../../../tests/fixtures/nr-like.json"))?;
    let replica = run_engine(&scenario);
    let samples: Vec<f64> = (0..REPETITIONS).map(|_| cpu_s_of(|| run_engine(&scenario)).0).collect();
    let (users, subchannels) = (scenario.users, radio(&scenario).carrier.subchannels);
    let (slots, typical_s) = (cell_count(&replica, "slots") as f64, median(&samples));
    println!("Ready scenario nr-like: {users} users x {subchannels} blocks, {:.0} Mb/s", delivered_bps(&replica) / 1e6);
    println!(
        "  {} s in {:.1} ms CPU (least {:.1}): {:.1} simulated s per CPU-second,",
        scenario.duration_s,
        typical_s * 1e3,
        least(&samples) * 1e3,
        scenario.duration_s / typical_s,
    );
    println!(
        "  {:.1} us a slot, {:.2} ns per user, block and slot\n",
        typical_s / slots * 1e6,
        typical_s / slots * 1e9 / (users * subchannels) as f64,
    );
    Ok(())
}
