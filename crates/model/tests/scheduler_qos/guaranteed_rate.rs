//! Guaranteed rates: the bound of the token buckets in every slot, PF for the rest, and guarantees that only good slots can keep.

use airlink_model::scheduler::*;
use airlink_model::types::declare::PerUser;
use airlink_model::types::{Purpose, RandomStream};

use super::queues::Queues;
use crate::scheduler_fixture::average;

fn guaranteed(rates_bps: &[f64], bucket_s: f64) -> SchedulerKind {
    SchedulerKind::GuaranteedRate(GuaranteedRateConfig {
        average: average(1000.0, 0.1),
        guaranteed_rate_bps: PerUser::Each(rates_bps.to_vec()),
        bucket_ms: 1e3 * bucket_s,
    })
}

/// Bits sent to users who always have data, after `slots` slots; `check` sees them after each.
fn sent(
    kind: SchedulerKind,
    users: usize,
    slots: u64,
    mut rates: impl FnMut() -> Vec<f32>,
    mut check: impl FnMut(u64, &[f64]),
) -> Vec<f64> {
    let mut queues = Queues::new(kind, &vec![f64::INFINITY; users]);
    (0..users).for_each(|user| queues.arrive(user, 1e12));
    for slot in 1..=slots {
        queues.run_slot(&rates());
        check(slot, &queues.sent_bits);
    }
    queues.sent_bits
}

fn harmonic(count: usize) -> f64 {
    (1..=count).map(|k| 1.0 / k as f64).sum()
}

#[test]
fn every_feasible_guarantee_is_kept_in_every_slot_up_to_the_bound() {
    let mut draws = RandomStream::new(38, Purpose::Traffic, 0);
    let mut worst: f64 = 0.0;
    for case in 0..40 {
        let (count, rate) = (1 + case % 6, 8.0);
        let parts: Vec<f64> = (0..count).map(|_| draws.uniform_in(0.05, 1.0)).collect();
        // Every second case leaves nothing to the two users without a guarantee.
        let load = if case % 2 == 0 { 1.0 } else { 0.8 };
        let scale = load * rate / parts.iter().sum::<f64>();
        let mut rates_bps: Vec<f64> = parts.iter().map(|part| part * scale).collect();
        rates_bps.extend([0.0, 0.0]);
        let bound = rate * (harmonic(count) - 1.0);
        sent(
            guaranteed(&rates_bps, 1e4),
            count + 2,
            2000,
            || vec![rate as f32; count + 2],
            |slot, sent| {
                for user in 0..count {
                    let behind = rates_bps[user] * slot as f64 - sent[user];
                    assert!(
                        behind <= bound + 1e-6,
                        "case {case}, slot {slot}, user {user}: {behind} of {bound} behind"
                    );
                    worst = worst.max(behind / rate);
                }
            },
        );
    }
    // The bound is of the right size: with six users it is 1.45 slots.
    assert!(worst > 0.5, "{worst}");
}

#[test]
fn pf_shares_what_guarantees_leave_and_keeps_whom_it_serves_better_anyway() {
    // PF would give each of six users a sixth. Users 0 and 1 get their 30 % and 25 %, user 2's 5 % are less than what is its own by PF.
    let rates_bps = [0.30, 0.25, 0.05, 0.0, 0.0, 0.0];
    let slots = 100_000;
    let found = sent(guaranteed(&rates_bps, 100.0), 6, slots, || vec![1.0; 6], |_, _| {});
    let rest = (1.0 - 0.30 - 0.25) / 4.0;
    for (user, expected) in [0.30, 0.25, rest, rest, rest, rest].into_iter().enumerate() {
        let share = found[user] / slots as f64;
        // A start of 1000 slots in which averages settle is 1 %.
        assert!((share - expected).abs() < 0.01, "user {user}: {share} for {expected}");
    }
}

#[test]
fn guarantees_hold_that_only_slots_with_good_channels_can_carry() {
    // Two Rayleigh users of mean rate 1: each gets 0.5 in turn, and 0.75 if the better one is served. 0.7 needs good slots. The bits
    // owed are served by R T, which keeps every feasible load stable; a bucket of 500 s is never full then.
    let mut draws = RandomStream::new(39, Purpose::Fading, 0);
    let slots = 50_000;
    let rates = || (0..2).map(|_| draws.exponential(1.0) as f32).collect();
    let found = sent(guaranteed(&[0.7, 0.7], 500.0), 2, slots, rates, |_, _| {});
    for bits in found {
        assert!(bits >= 0.7 * slots as f64 - 0.7 * 500.0, "{bits}");
        assert!(bits <= 0.78 * slots as f64, "{bits}: the better of two has a mean of 1.5");
    }
}

#[test]
fn a_bucket_bounds_the_burst_of_a_user_who_comes_back() {
    // User 0 is guaranteed 0.5 bits a slot and silent for 1000 slots: the bucket of 20 s holds 10 bits, so it then wins at most
    // 10 slots in a row and one for every two from there on.
    let mut queues = Queues::new(guaranteed(&[0.5, 0.0], 20.0), &[f64::INFINITY; 2]);
    queues.arrive(1, 1e9);
    (0..1000).for_each(|_| drop(queues.run_slot(&[1.0; 2])));
    queues.arrive(0, 1e9);
    let before = queues.sent_bits[0];
    (0..20).for_each(|_| drop(queues.run_slot(&[1.0; 2])));
    let burst = queues.sent_bits[0] - before;
    assert!((18.0..=20.0).contains(&burst), "{burst}: 10 saved and 10 that come meanwhile");
}
