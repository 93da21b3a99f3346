//! The same scenario and seed give the same bytes: twice, in steps, from clones, on any number of threads.

use airlink_model::types::Time;
use airlink_sim::{RecordKind, Simulation, run};
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::case::Case;
use super::random_case::{any_case, any_scheduler, scheduler};

/// Runs in steps, each on a clone of the one before, with pauses at odd moments.
pub(crate) fn stepped(case: &Case, seed: u64) -> String {
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
