//! The lambda family of paper 000, section VI: M = log R\[n\] - lambda log T\[n-1\], T being the averaged rate of
//! eq. (2) of [Klein04].
//!
//! lambda 0 is maximum rate, 1 proportional fair, large values approach equal rates.

use super::{AverageConfig, AveragedRate, Metric, SlotOutcome, SlotView};

/// The parameters of the lambda family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LambdaConfig {
    /// lambda, dimensionless, at least 0.
    pub exponent: f64,
    /// How T is formed.
    pub average: AverageConfig,
}

/// The metric of the lambda family.
#[derive(Clone, Debug)]
pub struct Lambda {
    exponent: f64,
    average: AveragedRate,
}

impl Lambda {
    /// The metric of `users` users before the first slot.
    pub fn new(config: LambdaConfig, users: usize) -> Self {
        assert!(config.exponent >= 0.0, "lambda is not negative");
        Self { exponent: config.exponent, average: AveragedRate::new(config.average, users) }
    }
}

impl Metric for Lambda {
    fn evaluate(&self, _view: &SlotView<'_>, _subchannel: usize, rates: &[f64], out: &mut [f64]) {
        for ((value, &rate), &average) in out.iter_mut().zip(rates).zip(self.average.bps()) {
            // Two logarithms are the whole cost of this metric, so only candidates pay.
            if rate > 0.0 {
                *value = libm::log(rate) - self.exponent * libm::log(average);
            }
        }
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.average.on_slot_end(outcome);
    }
}
