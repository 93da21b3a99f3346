//! A cell of many users of whom few are active: the cost of a slot against that of the same cell with the active users alone,
//! and the heap of a user that never does anything.
//!
//! Active users have a greedy flow; they are spread evenly over all numbers. The others have a flow that starts after the run's
//! end, or none. It leaves out users who come and go.

use airlink_model::channel::{FadingKind, Placement};
use airlink_model::types::declare::PerUser;
use airlink_sim::scenario::{FlowUsers, Flows};
use airlink_sim::{Problem, Scenario, Simulation};

use crate::cpu_time::{cpu_s_of, least};
use crate::heap::Heap;
use crate::workload::{SEED, Workload, radio, radio_mut};

const REPETITIONS: usize = 5;

/// Users of the cell, and how many of them are active: one in a hundred, and a hundred.
const SIZES: [(usize, usize); 5] = [(100, 1), (1000, 10), (1000, 100), (10_000, 100), (10_000, 1000)];

/// By then every active flow has started.
const SETTLED_SLOTS: usize = 500;

/// Slots that are timed.
const TIMED_SLOTS: usize = 1000;

/// What users who are not active have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Idle {
    /// A flow that starts after the run's end.
    LateFlow,
    /// No flow.
    NoFlow,
}

/// Prints a table for each kind of radio.
pub fn print() -> Result<(), Vec<Problem>> {
    for (name, base) in bases()? {
        println!("Cells of whose users few are active, {name}: least of {REPETITIONS}");
        print!("  {:>16}{:>14}{:>16}{:>8}", "active of users", "us a slot", "active alone", "ratio");
        println!("{:>40}", "heap of an idle user, bytes (no flow)");
        for (users, active) in SIZES {
            let (among_all, alone) = (cell(&base, users, active, Idle::LateFlow), alone(&base, active));
            let (mut all_s, mut alone_s) = (Vec::new(), Vec::new());
            for _ in 0..REPETITIONS {
                all_s.push(slot_s(&among_all));
                alone_s.push(slot_s(&alone));
            }
            let (all_us, alone_us) = (1e6 * least(&all_s), 1e6 * least(&alone_s));
            let bytes = [Idle::LateFlow, Idle::NoFlow].map(|idle| idle_bytes(&base, (users, active), idle));
            let (label, heap) = (format!("{active} of {users}"), format!("{:.0} ({:.0})", bytes[0], bytes[1]));
            println!("  {label:>16}{all_us:14.2}{alone_us:16.2}{:8.2}{heap:>40}", all_us / alone_us);
        }
        println!();
    }
    Ok(())
}

/// Workload A, whose reports are three slots old: on one carrier, on subchannels that fade alike, and on such that do not.
fn bases() -> Result<[(&'static str, Scenario); 3], Vec<Problem>> {
    let of = |subchannels, fading: Option<FadingKind>| {
        let mut scenario = Workload::a()?.scenario;
        let radio = radio_mut(&mut scenario);
        radio.channel.placement = Placement::at_mean_snr(PerUser::All(10.0));
        radio.carrier.subchannels = subchannels;
        radio.link.report.delay_slots = 3;
        radio.channel.fading = fading.unwrap_or(radio.channel.fading.clone());
        Ok::<_, Vec<Problem>>(Scenario { duration_s: 1000.0, ..scenario })
    };
    let tu6 = radio(&Workload::c()?.scenario).channel.fading.clone();
    Ok([("one carrier", of(1, None)?), ("50 subchannels", of(50, None)?), ("50 subchannels, TU-6", of(50, Some(tu6))?)])
}

/// `active` of `users` users are active.
fn cell(base: &Scenario, users: usize, active: usize, idle: Idle) -> Scenario {
    let mut scenario = Scenario { users, ..base.clone() };
    let (own, others) = (0..users).partition(|user| user.is_multiple_of(users / active));
    let late = Flows { users: FlowUsers::Listed(others), start_s: 999.0, ..scenario.flows[0].clone() };
    scenario.flows[0].users = FlowUsers::Listed(own);
    if idle == Idle::LateFlow && users > active {
        scenario.flows.push(late);
    }
    scenario
}

/// The active users have the cell to themselves.
fn alone(base: &Scenario, active: usize) -> Scenario {
    cell(base, active, active, Idle::NoFlow)
}

fn started(scenario: &Scenario) -> Simulation {
    let mut simulation = Simulation::new(scenario, &[], SEED, &[]);
    step(&mut simulation, SETTLED_SLOTS);
    simulation
}

fn step(simulation: &mut Simulation, slots: usize) {
    (0..slots).for_each(|_| simulation.step());
    assert!(!simulation.is_finished(), "the run is longer");
}

/// CPU time of a slot, s.
fn slot_s(scenario: &Scenario) -> f64 {
    let mut simulation = started(scenario);
    cpu_s_of(|| step(&mut simulation, TIMED_SLOTS)).0 / TIMED_SLOTS as f64
}

/// The heap that a run holds, bytes.
fn heap_bytes(scenario: &Scenario) -> isize {
    let before = Heap::now();
    let simulation = started(scenario);
    let held = Heap::now().bytes_since(before);
    drop(simulation);
    held
}

/// The heap of a user who is not active, bytes.
fn idle_bytes(base: &Scenario, (users, active): (usize, usize), idle: Idle) -> f64 {
    let more = heap_bytes(&cell(base, users, active, idle)) - heap_bytes(&alone(base, active));
    more as f64 / (users - active) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most heap of a user whose flow never starts, bytes.
    const MOST_BYTES: f64 = 4096.0;

    #[test]
    fn a_user_whose_flow_never_starts_holds_at_most_4_kb() {
        for (name, base) in bases().unwrap() {
            let (late, none) = (idle_bytes(&base, (300, 3), Idle::LateFlow), idle_bytes(&base, (300, 3), Idle::NoFlow));
            assert!(late <= MOST_BYTES, "{late} bytes, {name}");
            assert!(0.0 < none && none < late, "{none} bytes without the flow, {late} with it, {name}");
        }
    }
}
