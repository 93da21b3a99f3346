//! Proportional fair: M\[n\] = R\[n\] / A\[n-1\], [Klein04] eq. (1), with A of eq. (2) in [`AveragedRate`]. With a growing
//! window it is MC-PF, eqs (2) and (3) of [Kakuda]: a user with A = 0 has an infinite metric on every subchannel.

use super::{AverageConfig, AveragedRate, Contest, Metric, SlotOutcome, SlotView};
use crate::types::Slot;

/// The metric of proportional fair scheduling.
#[derive(Clone, Debug)]
pub struct ProportionalFair {
    average: AveragedRate,
}

impl ProportionalFair {
    /// The metric of `users` users before the first slot.
    pub fn new(average: AverageConfig, users: usize) -> Self {
        Self { average: AveragedRate::new(average, users) }
    }

    /// A of each user.
    pub(super) fn average(&self) -> &AveragedRate {
        &self.average
    }
}

/// What a metric leaves to the PF that it keeps in this field: the averages.
macro_rules! averages_of {
    ($pf:ident) => {
        fn on_grant(&mut self, view: &$crate::scheduler::SlotView<'_>, place: usize, bits: f64) {
            self.$pf.on_grant(view, place, bits);
        }

        fn on_slot_end(&mut self, outcome: &$crate::scheduler::SlotOutcome<'_>) {
            self.$pf.on_slot_end(outcome);
        }

        fn on_user_added(&mut self, user: usize, slot: $crate::types::Slot) {
            self.$pf.on_user_added(user, slot);
        }

        fn fill_averages(&self, bps: &mut [f64]) -> bool {
            self.$pf.fill_averages(bps)
        }
    };
}
pub(super) use averages_of;

impl Metric for ProportionalFair {
    fn observe(&mut self, contest: &Contest<'_>) {
        self.average.observe(contest);
    }

    fn evaluate(&self, _contest: &Contest<'_>, _subchannel: usize, rates: &[f64], out: &mut [f64]) {
        for ((value, &rate), &average) in out.iter_mut().zip(rates).zip(self.average.bps()) {
            *value = rate / average;
        }
    }

    fn weigh(&self, _contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        if self.average.moves_within_slot() {
            return false;
        }
        for (weight, &average) in weights.iter_mut().zip(self.average.bps()) {
            *weight = 1.0 / average;
        }
        true
    }

    fn on_grant(&mut self, view: &SlotView<'_>, place: usize, bits: f64) {
        self.average.on_grant(view, place, bits);
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.average.on_slot_end(outcome);
    }

    fn on_user_added(&mut self, user: usize, _slot: Slot) {
        self.average.on_user_added(user);
    }

    fn fill_averages(&self, bps: &mut [f64]) -> bool {
        self.average.fill(bps);
        true
    }
}
