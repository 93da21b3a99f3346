//! 64 runs of workload A whose slots are decided from outside, each step a slot of all of them, on one thread and on two: CPU time and time
//! of a decision, beside a slot of the engine alone. Proportional fair decides, from the columns that a step shows.
//!
//! It leaves out Python, which `docs/performance.md` adds.

use std::sync::Arc;
use std::time::Instant;

use airlink_sim::batch::Prepared;
use airlink_sim::environment::{Decision, EnvironmentConfig, Environments, Invalid, Out, Shown, SlotAction, Written};
use airlink_sim::{Duration, Problem};

use crate::cpu_time::{cpu_s_of, least};
use crate::workload::{Workload, run_engine};

const COUNT: usize = 64;
const STEPS: usize = 1000;
const REPEATS: usize = 10;

/// Prints a line for the engine alone and for each number of threads.
pub fn print() -> Result<(), Vec<Problem>> {
    let scenario = Workload::a()?.scenario;
    let slots = scenario.duration_s * 600.0;
    let alone: Vec<f64> = (0..5).map(|_| cpu_s_of(|| run_engine(&scenario)).0 / slots).collect();
    println!(
        "{COUNT} environments of workload A, decided by proportional fair; the least of {REPEATS} times {STEPS} steps"
    );
    println!("  engine alone: {:.2} us of CPU a slot", 1e6 * least(&alone));
    let users = scenario.users;
    let prepared = Arc::new(Prepared { scenario, traces: Vec::new() });
    for threads in [1, 2] {
        let mut all = Environments::new(&prepared, &config(), COUNT, threads).expect("threads");
        let mut left = Left::of(&all);
        all.reset(&(1..=COUNT as u64).collect::<Vec<_>>(), COUNT as u64, left.written()).expect("it starts");
        let (mut cpu_s, mut wall_s, mut actions) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..REPEATS {
            let start = Instant::now();
            let (cpu, ()) = cpu_s_of(|| {
                for _ in 0..STEPS {
                    actions.clear();
                    for row in left.observations.chunks_exact(2 * users) {
                        let (rates, averages) = row.split_at(users);
                        actions.extend(rates.iter().zip(averages).map(|(rate, average)| f64::from(rate / average)));
                    }
                    all.step(&actions, left.written()).expect("it goes on");
                }
            });
            let decisions = (COUNT * STEPS) as f64;
            cpu_s.push(cpu / decisions);
            wall_s.push(start.elapsed().as_secs_f64() / decisions);
        }
        let (cpu_s, wall_s) = (least(&cpu_s), least(&wall_s));
        println!(
            "  {threads} threads: {:.2} us of CPU a decision, {:.0} decisions a second",
            1e6 * cpu_s,
            1.0 / wall_s
        );
    }
    println!();
    Ok(())
}

/// The rate and the average of each user are shown, in their units.
fn config() -> EnvironmentConfig {
    EnvironmentConfig {
        decision: Decision::Slots,
        observation: [0, 3].map(|part| Shown { part, low: 0.0, high: 1e15 }).to_vec(),
        scaled: false,
        slot_action: SlotAction::Priorities,
        invalid: Invalid::Idle,
        action: Vec::new(),
        reward: vec![(1, 1.0)],
        step: Duration::from_secs(1.0),
        group: 0,
        results: None,
    }
}

/// What a step leaves.
struct Left {
    observations: Vec<f32>,
    masks: Vec<i8>,
    rewards: Vec<f64>,
    parts: Vec<f64>,
    truncated: Vec<bool>,
}

impl Left {
    fn of(all: &Environments) -> Self {
        let (count, sizes) = (all.count(), all.sizes());
        Self {
            observations: vec![0.0; count * sizes.observation],
            masks: vec![0; count * sizes.mask],
            rewards: vec![0.0; count],
            parts: vec![0.0; count * sizes.reward],
            truncated: vec![false; count],
        }
    }

    fn written(&mut self) -> Written<'_> {
        Written {
            observations: Out::Single(&mut self.observations),
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            parts: &mut self.parts,
            truncated: &mut self.truncated,
        }
    }
}
