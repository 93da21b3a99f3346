//! Environments: proportional fair decided step by step is the built-in one, and neither threads nor clones change a number.

use std::sync::Arc;

use airlink_model::types::Duration;
use airlink_sim::batch::Prepared;
use airlink_sim::environment::{
    Decision, EnvironmentConfig, Environments, Invalid, Out, Refusal, Shown, SlotAction, Written,
};
use serde_json::json;

use super::case::Case;

const USERS: usize = 21;

fn fair() -> Case {
    let scheduler = json!({ "kind": "proportional_fair", "time_constant_slots": 100 });
    Case::k3().set("/duration_s", 2.0).set("/link/errors/probability", 0.1).scheduled(scheduler)
}

fn prepared(case: &Case) -> Arc<Prepared> {
    Arc::new(Prepared { scenario: case.scenario(), traces: case.traces().to_vec() })
}

fn config(decision: Decision, observation: &[usize]) -> EnvironmentConfig {
    EnvironmentConfig {
        decision,
        observation: observation.iter().map(|&part| Shown { part, low: 0.0, high: 1e15 }).collect(),
        scaled: false,
        slot_action: SlotAction::Priorities,
        invalid: Invalid::Idle,
        action: vec![0],
        reward: vec![(0, 1.0)],
        step: Duration::from_millis(100),
        group: 0,
        results: Some(Vec::new()),
    }
}

/// What a step leaves.
struct Left {
    observations: Vec<f64>,
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
            observations: Out::Double(&mut self.observations),
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            parts: &mut self.parts,
            truncated: &mut self.truncated,
        }
    }
}

#[test]
fn proportional_fair_step_by_step_is_the_built_in_one_in_each_environment() {
    // The rate and the average of each user.
    let config = config(Decision::Slots, &[0, 3]);
    // Several of them have in common what decides.
    let count: u64 = 17;
    let mut all = Environments::new(&prepared(&fair()), &config, count as usize, 2).expect("threads");
    let mut left = Left::of(&all);
    all.reset(&(4..4 + count).collect::<Vec<_>>(), count, left.written()).expect("it starts");
    let mut digests = vec![None; count as usize];
    while digests.contains(&None) {
        let of_row =
            |row: &[f64]| row[..USERS].iter().zip(&row[USERS..]).map(|(rate, average)| rate / average).collect();
        let actions: Vec<f64> =
            left.observations.chunks(2 * USERS).flat_map(|row| -> Vec<f64> { of_row(row) }).collect();
        all.step(&actions, left.written()).expect("it goes on");
        for (digest, result) in digests.iter_mut().zip(all.take_results()) {
            *digest = digest.take().or_else(|| result.map(|replica| replica.digest()));
        }
    }
    for (seed, digest) in (4..).zip(digests) {
        let built_in = airlink_sim::run(&fair().scenario(), fair().traces(), seed, &[]);
        assert_eq!(digest, Some(built_in.digest()), "seed {seed}");
    }
}

#[test]
fn an_episode_is_followed_by_that_of_the_next_seed_on_any_number_of_threads() {
    let case = fair().set("/duration_s", 0.5);
    for decision in [Decision::Senders, Decision::Queues] {
        let mut seen = Vec::new();
        for threads in [1, 2, 7] {
            let mut all =
                Environments::new(&prepared(&case), &config(decision, &[0, 1, 2]), 7, threads).expect("threads");
            let mut left = Left::of(&all);
            all.reset(&(1..=7).collect::<Vec<_>>(), 7, left.written()).expect("it starts");
            let mut steps = Vec::new();
            for step in 0..12 {
                let actions = vec![3000.0 * f64::from(1 + step); 7 * all.sizes().action];
                all.step(&actions, left.written()).expect("it goes on");
                // Five steps of 0.1 s are an episode, and the sixth starts the next.
                assert_eq!(left.truncated, vec![step % 6 == 4; 7]);
                let seeds: Vec<u64> = (1..=7)
                    .map(|seed| {
                        seed + if step < 5 {
                            0
                        } else if step < 11 {
                            7
                        } else {
                            14
                        }
                    })
                    .collect();
                assert_eq!(all.seeds(), seeds, "step {step}");
                steps.push((left.observations.clone(), left.rewards.clone()));
            }
            seen.push(steps);
        }
        assert!(seen[0] == seen[1] && seen[0] == seen[2], "{decision:?}");
    }
}

#[test]
fn a_number_that_is_not_allowed_is_refused_by_its_place_and_changes_nothing() {
    let config = config(Decision::Slots, &[0, 3]);
    let mut both = [2, 1].map(|threads| Environments::new(&prepared(&fair()), &config, 5, threads).expect("threads"));
    let mut left = both.each_ref().map(Left::of);
    for (all, left) in both.iter_mut().zip(&mut left) {
        all.reset(&[1, 2, 3, 4, 5], 5, left.written()).expect("it starts");
    }
    let actions = vec![1.0; 5 * USERS];
    // Users who may win, the first in the last environment but one, and one who is behind it.
    let may_win =
        |row: usize| left[0].masks[row * USERS..].iter().position(|&mask| mask > 0).expect("somebody may win");
    let (first, second) = (3 * USERS + may_win(3), 4 * USERS + may_win(4));
    let mut wrong = actions.clone();
    (wrong[first], wrong[second]) = (f64::NAN, f64::NAN);
    assert_eq!(both[0].step(&wrong, left[0].written()), Err(Refusal::Action(first)));
    for (all, left) in both.iter_mut().zip(&mut left) {
        all.step(&actions, left.written()).expect("it goes on");
    }
    assert_eq!(left[0].observations, left[1].observations);
}
