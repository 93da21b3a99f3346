//! EXP/PF: PF where nobody has a deadline or all waits are alike, and the exponential rule where one user waits longer.

use airlink_model::scheduler::*;
use airlink_model::types::{Purpose, RandomStream, Time};

use crate::scheduler_fixture::{Knowledge, LADDER_BPS, average, scheduler};

fn exp_pf(average: AverageConfig) -> SchedulerKind {
    SchedulerKind::ExpPf(ExpPfConfig { average, ..ExpPfConfig::default() })
}

/// Asserts that EXP/PF decides as PF does over 1000 slots of users whom `set` prepares.
fn decides_as_pf(set: impl Fn(&mut Knowledge, f64)) {
    for subchannels in [1, 5] {
        let memory = average(100.0, 16_000.0);
        let mut pf = scheduler(SchedulerKind::ProportionalFair(memory), Ties::Random, 8, subchannels);
        let mut exp_pf = scheduler(exp_pf(memory), Ties::Random, 8, subchannels);
        let (mut known, mut draws) = (Knowledge::new(8, subchannels), RandomStream::new(33, Purpose::Fading, 0));
        for _ in 0..1000 {
            known.rate_bps.iter_mut().for_each(|rate| *rate = LADDER_BPS[(draws.uniform() * 7.0) as usize]);
            set(&mut known, draws.uniform());
            assert_eq!(known.clone().run_slot(&mut *pf), known.run_slot(&mut *exp_pf));
        }
    }
}

#[test]
fn exp_pf_is_pf_slot_for_slot_where_nobody_has_a_deadline() {
    decides_as_pf(|known, draw| {
        let since_ns = (draw * known.now().as_nanos() as f64) as u64;
        known.head_of_line_since[3] = Time::from_nanos(since_ns);
    });
}

#[test]
fn exp_pf_is_pf_slot_for_slot_where_all_weighted_waits_are_equal() {
    decides_as_pf(|known, draw| {
        let since_ns = (draw * known.now().as_nanos() as f64) as u64;
        known.head_of_line_since.fill(Time::from_nanos(since_ns));
        // A power of two, so that the mean of eight equal numbers is that number.
        known.delay_budget_s.fill(0.125);
    });
}

#[test]
fn exp_pf_gives_a_slot_to_a_user_whose_wait_makes_up_for_its_rate() {
    // a = -ln(0.05) / 0.1 s = 29.957 / s. Waits of 0 and 0.2 s: a W = 0, 5.9915, chi = 2.9957, and user 1's exponent is
    // 5.9915 / (1 + sqrt(2.9957)) = 2.1938. So it wins from a rate of e^-2.1938 = 0.11149 of user 0's on.
    for (ratio, winner) in [(0.112, 1), (0.111, 0)] {
        let mut known = Knowledge::new(2, 1);
        known.slot = 40;
        known.head_of_line_since = vec![known.now(), Time::ZERO];
        known.delay_budget_s = vec![0.1; 2];
        known.rate_bps = vec![1e6, (1e6 * ratio) as f32];
        assert_eq!(known.winner(&mut *scheduler(exp_pf(average(100.0, 16e3)), Ties::LowestIndex, 2, 1)), winner);
    }
}

#[test]
fn the_longest_waits_that_a_scenario_allows_leave_a_winner() {
    let mut known = Knowledge::new(3, 1);
    known.slot = 1_000_000_000;
    known.delay_budget_s = vec![1e-9, 1e6, f64::INFINITY];
    known.head_of_line_since = vec![Time::ZERO; 3];
    assert_eq!(known.winner(&mut *scheduler(exp_pf(average(100.0, 16e3)), Ties::LowestIndex, 3, 1)), 0);
}
