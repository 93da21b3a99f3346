//! Proportional fair: M\[n\] = R\[n\] / A\[n-1\], [Klein04] eq. (1), with A of eq. (2) in [`AveragedRate`].

use super::{AverageConfig, AveragedRate, Metric, SlotOutcome, SlotView};

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
}

impl Metric for ProportionalFair {
    fn evaluate(&self, _view: &SlotView<'_>, _subchannel: usize, rates: &[f64], out: &mut [f64]) {
        for ((value, &rate), &average) in out.iter_mut().zip(rates).zip(self.average.bps()) {
            *value = rate / average;
        }
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.average.on_slot_end(outcome);
    }
}
