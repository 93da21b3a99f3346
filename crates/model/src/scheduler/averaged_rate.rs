//! The averaged rate A of eq. (2): A\[n\] = w R\[n\] + (1 - w) A\[n-1\], with w = 1 / time constant and R the bits of
//! slot n over its length, 0 for users not served.
//!
//! What this leaves out: lazy decay. Every user's average is touched every slot, in one vectorisable loop.

use super::{SlotOutcome, SlotView};

/// The least average, b/s: it keeps a user that is never served out of subnormal numbers and division by zero.
const LEAST_BPS: f64 = 1e-100;

/// Which bits of a won slot count in an average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AverageCounts {
    /// Bits put on air.
    Sent,
    /// Nominal bits of the slots won, the letter of eq. (2).
    Granted,
}

/// How an averaged rate is formed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AverageConfig {
    /// 1/w, in slots, at least 1.
    pub time_constant_slots: f64,
    /// Which bits count.
    pub counts: AverageCounts,
    /// A before the first slot, b/s, positive.
    pub initial_bps: f64,
}

/// One averaged rate per user, b/s, always positive.
#[derive(Clone, Debug)]
pub struct AveragedRate {
    weight: f64,
    counts: AverageCounts,
    bps: Vec<f64>,
}

impl AveragedRate {
    /// The averages of `users` users before the first slot.
    pub fn new(config: AverageConfig, users: usize) -> Self {
        assert!(config.time_constant_slots >= 1.0, "a time constant is at least one slot");
        assert!(config.initial_bps >= 0.0, "an average rate is not negative");
        let initial = config.initial_bps.max(LEAST_BPS);
        Self { weight: 1.0 / config.time_constant_slots, counts: config.counts, bps: vec![initial; users] }
    }

    /// A of each user, b/s.
    pub fn bps(&self) -> &[f64] {
        &self.bps
    }

    /// The bits of a served user that count.
    pub fn counted_bits(&self, served: &super::Served) -> f64 {
        match self.counts {
            AverageCounts::Sent => served.sent_bits,
            AverageCounts::Granted => served.granted_bits,
        }
    }

    /// Eq. (2), from the slot's outcome.
    pub fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.decay();
        for served in outcome.served {
            self.bps[served.user.index()] += self.weight * (self.counted_bits(served) / outcome.slot_s);
        }
    }

    /// Eq. (2) with the bytes by which a cumulative count of each user grew in the last slot.
    pub(super) fn on_growth(&mut self, view: &SlotView<'_>, now_bytes: &[u64], before_bytes: &mut [u64]) {
        self.decay();
        for ((average, &now), before) in self.bps.iter_mut().zip(now_bytes).zip(before_bytes) {
            let grown_bytes = now - *before;
            *before = now;
            // Growth per slot is far below 2^53 bytes, so the conversion is exact.
            *average += self.weight * (8.0 * grown_bytes as f64 / view.slot_s);
        }
    }

    fn decay(&mut self) {
        let keep = 1.0 - self.weight;
        for average in &mut self.bps {
            let decayed = keep * *average;
            *average = if decayed > LEAST_BPS { decayed } else { LEAST_BPS };
        }
    }
}
