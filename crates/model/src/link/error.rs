//! Which frames are lost on air.
//!
//! A frame is lost with a constant probability, and, under the threshold rule, always when the rate chosen for it
//! is higher than what the rate rule would give for the true SINR. The draw is a function of (seed, user, slot), so
//! who else is served never shifts it.
//!
//! Left out: block error curves, errors that depend on the frame's length, combining of repeated frames.

use super::RateRule;
use crate::types::{CounterStream, Purpose, Slot};

/// The frame errors of one user.
#[derive(Clone, Debug)]
pub struct FrameErrors {
    probability: f64,
    threshold_rule: Option<RateRule>,
    draws: CounterStream,
}

impl FrameErrors {
    /// Errors of user number `user` in the run of `seed`: of `probability` in [0, 1], and with a `threshold_rule`
    /// also where that rule gives less than the chosen rate.
    pub fn new(probability: f64, threshold_rule: Option<RateRule>, seed: u64, user: u64) -> Self {
        assert!((0.0..=1.0).contains(&probability), "a probability is between 0 and 1");
        Self { probability, threshold_rule, draws: CounterStream::new(seed, Purpose::FrameError, user) }
    }

    /// Whether a frame sent at `rate_bps` in `slot` is lost when the user's SINR is `true_db`.
    pub fn is_lost(&self, slot: Slot, true_db: f32, rate_bps: f32) -> bool {
        self.is_too_fast(true_db, rate_bps) || self.is_drawn(slot)
    }

    /// Whether the draw of `slot` loses what the user is sent in it.
    pub fn is_drawn(&self, slot: Slot) -> bool {
        self.draws.uniform(slot) < self.probability
    }

    /// Whether `rate_bps` is more than the threshold rule, if there is one, gives at `true_db`.
    pub fn is_too_fast(&self, true_db: f32, rate_bps: f32) -> bool {
        // Asking the rule itself, not its inverse, keeps an exact report free of errors by rounding.
        self.threshold_rule.as_ref().is_some_and(|rule| rule.rate_bps(true_db) < rate_bps)
    }
}
