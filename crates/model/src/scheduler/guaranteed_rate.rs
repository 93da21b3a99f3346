//! Guaranteed rates: users who are behind the rate they are guaranteed come first, and PF gives out the rest.
//!
//! A bucket of each user counts the bits that it is behind ([Andrews05], [Shakkottai01]: tokens), every slot:
//! T\[n\] = min(B, T\[n-1\] + g slot) before the decision, and max(-B, T\[n\] - x) after it, with x the user's bits of the slot
//! and B = g x `bucket_ms`. Users with T > 0 compete by R T, all others by R / A, after those. So who gets its guarantee from PF
//! alone is never ahead of the others.
//!
//! Bound. Let n users with guarantees be always backlogged on channels of the same constant rate r, with sum g_i <= r and B of at
//! least r slot (1 + 1/2 + ... + 1/n). After each slot T_i <= r slot (1/2 + ... + 1/n), so by any time t each has got at least g_i t
//! less that. Proof: let a_k be the mean of the k largest T after a slot, in units of r slot. a_n <= 0, as a slot adds at most 1
//! and takes 1 while any T is above 0. If the served user is among the k largest after the slot, their sum has not risen; else
//! these k and the served one had a mean of at most a_(k+1) + 1/(k+1), and the served one had the largest T of them. So
//! a_k <= 1/(k+1) + ... + 1/n.
//!
//! Given: token counters beside PF's metric. Chosen: strict priority, where [Andrews05] has exp(a T) R / A, so that the bound holds
//! in every slot; and the depth of the bucket. What this leaves out: guarantees that do not fit (users with full buckets
//! share all slots by R B), maximum rates, and tokens that move between the subchannels of a slot.

use super::{AverageConfig, Contest, Metric, ProportionalFair, SlotOutcome, SlotView};
use crate::types::Slot;
use crate::types::declare::{PerUser, Section};

/// Who is not behind has at most this metric or weight.
const MOST_OF_PF: f64 = power_of_two(360);

/// What a bit of being behind counts: R T is above [`MOST_OF_PF`] for rates from 1 b/s.
const PER_BIT: f64 = power_of_two(640);

/// The least number of bits that counts as being behind.
const LEAST_BITS: f64 = 1.0 / power_of_two(20);

/// Metric R T for users behind their guaranteed rate, T the bits that they are behind, and after those R/A.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(
    about = "Guaranteed rates by token bucket; PF gives out the rest",
    facts("serves who is behind its guaranteed rate, then the largest R/A", "divides_by_service", "guarantees")
)]
pub struct GuaranteedRateConfig {
    /// How A is formed, and which bits count against a guarantee.
    #[field(group)]
    pub average: AverageConfig,
    /// g: the rate that a user with data gets in any case; 0: none. One for all, or a list of one per user.
    #[field(unit = "b/s", at_least = 0, at_most = 1e12, items = 1, default = PerUser::All(0.0), source = "airlink default: none")]
    pub guaranteed_rate_bps: PerUser,
    /// B over g: how far a user may be behind or ahead, as time at the guaranteed rate.
    #[field(
        unit = "ms",
        at_least = 1,
        at_most = 1e9,
        default = 2000.0,
        source = "TS 23.501 table 5.7.4-1: averaging window of guaranteed rates"
    )]
    pub bucket_ms: f64,
}

/// The metric of guaranteed rates.
#[derive(Clone, Debug)]
pub struct GuaranteedRate {
    pf: ProportionalFair,
    guaranteed_bps: PerUser,
    bucket_s: f64,
    buckets: Vec<Bucket>,
}

/// How far a user is behind its guaranteed rate.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    /// As after the slot before `next`; below 0: ahead.
    bits: f64,
    next: u64,
    guaranteed_bps: f64,
}

impl GuaranteedRate {
    /// The metric of `users` users before the first slot.
    pub fn new(config: &GuaranteedRateConfig, users: usize) -> Self {
        Self {
            pf: ProportionalFair::new(config.average, users),
            guaranteed_bps: config.guaranteed_rate_bps.clone(),
            bucket_s: config.bucket_ms / 1e3,
            buckets: vec![Bucket::default(); users],
        }
    }

    /// T of the user in row `user` at the decision of `slot`, bits.
    #[inline]
    fn behind_bits(&self, user: usize, slot: u64, slot_s: f64) -> f64 {
        let bucket = &self.buckets[user];
        // Far below 2^53 slots, so the conversion is exact.
        let passed = (slot + 1 - bucket.next) as f64;
        (bucket.bits + passed * slot_s * bucket.guaranteed_bps).min(self.bucket_s * bucket.guaranteed_bps)
    }

    /// Replaces PF's metric or weight of each user by `first`, given its bits, if it is behind.
    #[inline]
    fn put_first(&self, contest: &Contest<'_>, values: &mut [f64], first: impl Fn(usize, f64) -> f64) {
        let view = contest.view;
        let slot = view.slot.number();
        for (place, value) in values.iter_mut().enumerate() {
            let bits = self.behind_bits(contest.user(place), slot, view.slot_s);
            *value = if bits > 0.0 { first(place, bits.max(LEAST_BITS) * PER_BIT) } else { value.min(MOST_OF_PF) };
        }
    }
}

impl Metric for GuaranteedRate {
    fn observe(&mut self, contest: &Contest<'_>) {
        self.pf.observe(contest);
        // Who is where is known here alone, and only candidates are served.
        for &user in contest.view.candidates {
            let row = user as usize;
            self.buckets[row].guaranteed_bps = match &self.guaranteed_bps {
                PerUser::All(bps) => *bps,
                PerUser::Each(each) => each[contest.view.ids[row].index()],
            };
        }
    }

    fn evaluate(&self, contest: &Contest<'_>, subchannel: usize, rates: &[f64], out: &mut [f64]) {
        self.pf.evaluate(contest, subchannel, rates, out);
        self.put_first(contest, out, |place, weight| rates[place] * weight);
    }

    fn weigh(&self, contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        if !self.pf.weigh(contest, weights) {
            return false;
        }
        self.put_first(contest, weights, |_, weight| weight);
        true
    }

    fn on_grant(&mut self, view: &SlotView<'_>, place: usize, bits: f64) {
        self.pf.on_grant(view, place, bits);
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        let slot = outcome.slot.number();
        for served in outcome.served {
            let user = served.user.index();
            let left = self.behind_bits(user, slot, outcome.slot_s) - self.pf.average().counted_bits(served);
            let bucket = &mut self.buckets[user];
            (bucket.bits, bucket.next) = (left.max(-self.bucket_s * bucket.guaranteed_bps), slot + 1);
        }
        self.pf.on_slot_end(outcome);
    }

    fn on_user_added(&mut self, user: usize, slot: Slot) {
        self.pf.on_user_added(user, slot);
        self.buckets.resize(self.buckets.len().max(user + 1), Bucket::default());
        self.buckets[user] = Bucket { next: slot.number(), ..Bucket::default() };
    }

    fn fill_averages(&self, bps: &mut [f64]) -> bool {
        self.pf.fill_averages(bps)
    }
}

const fn power_of_two(exponent: u64) -> f64 {
    f64::from_bits((1023 + exponent) << 52)
}
