//! Weighted PF: shares in proportion to weights, and PF where weights are equal.

use airlink_model::scheduler::*;
use airlink_model::types::{Purpose, RandomStream};

use crate::scheduler_fixture::{Knowledge, LADDER_BPS, average, scheduler};

#[test]
fn weighted_pf_shares_slots_in_proportion_to_weights_whatever_the_rates() {
    // The metrics w R / A of all who are served are equal in the long run and A = share x R, so share is in proportion to w.
    // One slot moves A by R / memory, so a share by 1 / memory.
    let weights = [1.0, 2.0, 3.0, 6.0];
    let mut knowledge = Knowledge::new(4, 1);
    knowledge.rate_bps = vec![2560e3, 320e3, 640e3, 480e3];
    knowledge.weight = weights.to_vec();
    let mut scheduler = scheduler(SchedulerKind::WeightedPf(average(1000.0, 100e3)), Ties::LowestIndex, 4, 1);
    let (mut wins, slots) = ([0.0; 4], 100_000);
    for slot in 0..2 * slots {
        let winner = knowledge.winner(&mut *scheduler);
        wins[winner] += f64::from(u8::from(slot >= slots));
    }
    for (user, weight) in weights.iter().enumerate() {
        let share = wins[user] / f64::from(slots);
        assert!((share - weight / 12.0).abs() < 1e-3, "user {user}: {share} for {}", weight / 12.0);
    }
}

#[test]
fn weighted_pf_with_equal_weights_is_pf_slot_for_slot() {
    for (subchannels, ties) in [(1, Ties::Random), (1, Ties::LowestIndex), (7, Ties::Random)] {
        let memory = average(100.0, 16_000.0);
        let mut pf = scheduler(SchedulerKind::ProportionalFair(memory), ties, 8, subchannels);
        let mut weighted = scheduler(SchedulerKind::WeightedPf(memory), ties, 8, subchannels);
        let (mut known, mut draws) = (Knowledge::new(8, subchannels), RandomStream::new(31, Purpose::Fading, 0));
        for _ in 0..1000 {
            known.rate_bps.iter_mut().for_each(|rate| *rate = LADDER_BPS[(draws.uniform() * 7.0) as usize]);
            known.eligible.iter_mut().for_each(|eligible| *eligible = draws.uniform() < 0.7);
            assert_eq!(known.clone().run_slot(&mut *pf), known.run_slot(&mut *weighted));
        }
    }
}
