//! The same scenario and seed give the same bytes: twice, in steps, from clones, on any number of threads.

use std::time::{Duration, Instant};

use airlink_model::types::Time;
use airlink_sim::batch::{Job, Prepared, Progress, run_jobs};
use airlink_sim::{RecordKind, Simulation, run};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::json;

use super::case::Case;
use super::random_case::{any_case, any_scheduler, scheduler};

/// Runs in steps, each on a clone of the one before, with pauses at odd moments.
fn stepped(case: &Case, seed: u64) -> String {
    let mut simulation = Simulation::new(&case.scenario(), case.traces(), seed, &RecordKind::ALL);
    for pause_ms in [3, 111, 112, 700] {
        simulation.advance_until(Time::from_nanos(pause_ms * 1_000_000));
        let abandoned = simulation.clone();
        simulation = simulation.clone();
        drop(abandoned);
    }
    while !simulation.is_finished() {
        simulation.step();
        simulation.clone().step();
    }
    simulation.step();
    simulation.into_replica(seed).digest()
}

proptest! {
    #![proptest_config(Config { cases: 24, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_scenario_gives_the_same_digest_again_and_in_steps(case in any_case(), seed in any::<u64>()) {
        let digest = case.run_with(seed).0.digest();
        prop_assert_eq!(&case.run_with(seed).0.digest(), &digest);
        prop_assert_eq!(stepped(&case, seed), digest);
    }

    #[test]
    fn what_is_recorded_changes_no_summary(case in any_case(), seed in any::<u64>()) {
        let bare = run(&case.scenario(), case.traces(), seed, &[]);
        prop_assert!(bare.series.is_empty());
        let full = case.run_with(seed).0;
        for (name, table) in &bare.tables {
            // Limits add columns, and slowdown is known only where downloads are recorded. By their text, since what does
            // not exist is not equal to itself.
            for (column, bare) in table.columns().iter().filter(|(column, _)| !column.starts_with("download_slowdown")) {
                prop_assert_eq!(format!("{:?}", Some(bare)), format!("{:?}", full.tables[name].get(column)), "{}", column);
            }
        }
    }

    #[test]
    fn another_scheduler_meets_the_very_same_channel(case in any_case(), other in any_scheduler(), seed in 0..100_u64) {
        // A queue of all users knows one order alone.
        let case = case.set("/queue/scope", "user");
        // An outer loop moves reports by what was lost of what was sent; the truth is the same for all.
        let has_loop = case.scenario().radio().is_some_and(|radio| radio.link.has_outer_loop());
        let channel = |case: &Case| {
            let snr = &case.run_with(seed).0.series["snr"];
            if has_loop { format!("{:?}", snr.reals("true_db").expect("it is recorded")) } else { format!("{snr:?}") }
        };
        prop_assert_eq!(channel(&case.clone().scheduled(other)), channel(&case));
    }
}

/// [Klein04]'s cell for 3 s.
fn short_k3() -> Case {
    Case::k3().set("/duration_s", 3)
}

fn prepared(case: &Case) -> Prepared {
    Prepared { scenario: case.scenario(), traces: case.traces().to_vec() }
}

#[test]
fn one_and_two_threads_give_the_same_bytes_in_the_order_of_the_jobs() {
    let scenarios = [prepared(&short_k3()), prepared(&Case::fixed_link())];
    let jobs: Vec<Job> = (1..=6).map(|seed| Job { scenario: usize::from(seed % 3 == 0), seed }).collect();
    let digests = |threads: usize| -> Vec<String> {
        let progress = Progress::default();
        let replicas =
            run_jobs(&scenarios, &jobs, &[RecordKind::Packets], threads, None, &progress).expect("threads start");
        assert_eq!(progress.finished(), jobs.len());
        replicas.into_iter().map(|replica| replica.expect("nobody cancelled").digest()).collect()
    };
    let one = digests(1);
    assert_eq!(one, digests(2));
    assert_eq!(one[2], one[5], "the fixed link draws nothing but its seed differs");
    assert_ne!(one[0], one[1]);
}

#[test]
fn the_channel_draws_and_losses_of_k3_do_not_depend_on_the_scheduler() {
    let snr = |kind: &str| {
        let columns = short_k3().set("/duration_s", 1).scheduled(scheduler(kind, true, "lowest_index")).run();
        (
            format!("{:?}", columns.0.series["snr"]),
            columns.reals("flows", "start_s"),
            columns.reals("users", "distance_m"),
        )
    };
    let expected = snr("tcp_pf");
    for kind in ["round_robin", "max_rate", "proportional_fair", "ideal_tcp_pf"] {
        assert!(snr(kind) == expected, "{kind}");
    }
}

#[test]
fn a_cancelled_batch_keeps_what_is_finished_and_has_none_for_the_rest() {
    // On one thread jobs go in order: the first is short, the second would take hours.
    let endless = Case::k3().set("/duration_s", 1e6).set("/flows/0/traffic", json!({ "kind": "greedy" }));
    let scenarios = [prepared(&Case::fixed_link()), prepared(&endless)];
    let jobs = [0, 1, 0].map(|scenario| Job { scenario, seed: 1 });
    let progress = Progress::default();
    let replicas = std::thread::scope(|scope| {
        let batch = scope.spawn(|| run_jobs(&scenarios, &jobs, &[], 1, None, &progress).expect("threads start"));
        // Should the first job fail, the second is cancelled all the same.
        let patience = Instant::now() + Duration::from_secs(30);
        while progress.finished() == 0 && Instant::now() < patience {
            std::thread::yield_now();
        }
        progress.cancel();
        batch.join().expect("a cancelled batch ends well")
    });
    let finished: Vec<bool> = replicas.iter().map(Option::is_some).collect();
    assert_eq!(finished, [true, false, false]);
    assert_eq!(progress.finished(), 1);
}
