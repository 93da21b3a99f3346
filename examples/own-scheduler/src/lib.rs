//! A scheduler, a congestion control and a queue of one's own, as a crate beside airlink's.
//!
//! [`WeightedFair`], [`PlainReno`] and [`PlainCodel`] go into the engine by `Components`, as [`own`] puts them there. The
//! scheduler is also a C function, [`weighted_fair::weighted_fair`], which Python takes from the built library:
//! `airlink.run(scenario, scheduler=airlink.own.compiled.library_function(path, "weighted_fair"))`. It leaves out: traffic
//! sources (`crates/sim/tests/engine/own_traffic.rs` has some).

pub mod codel;
pub mod reno;
pub mod weighted_fair;

use airlink_sim::{Components, RecordKind, Replica, Scenario, Simulation};

pub use codel::PlainCodel;
pub use reno::PlainReno;
pub use weighted_fair::WeightedFair;

/// What this crate has, by the words of the program.
pub const PARTS: [&str; 3] = ["weighted_fair", "reno", "codel"];

/// `components` with one more of [`PARTS`]; none if there is no such part. Reno is that of all flows.
pub fn own(components: Components, part: &str, scenario: &Scenario) -> Option<Components> {
    Some(match part {
        "weighted_fair" => components.metric(|| Box::new(WeightedFair)),
        "reno" => (0..scenario.flows.len()).fold(components, |components, group| {
            components.congestion_control(group, |tcp, _| Box::new(PlainReno::new(tcp)))
        }),
        "codel" => components.queues(|_| Box::new(PlainCodel::default())),
        _ => return None,
    })
}

/// Runs a scenario without traces with these parts.
pub fn run(scenario: &Scenario, components: &Components, seed: u64, record: &[RecordKind]) -> Replica {
    let mut simulation = Simulation::with_components(scenario, &[], seed, record, components);
    while !simulation.is_finished() {
        simulation.step();
    }
    simulation.into_replica(seed)
}
