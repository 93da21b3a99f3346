//! The lambda family of [EvdoTcp], section VI: M = log R\[n\] - lambda log T\[n-1\], T being the averaged rate of
//! eq. (2) of [Klein04].
//!
//! lambda 0 is maximum rate, 1 proportional fair, large values approach equal rates.

use super::{AverageConfig, AveragedRate, Contest, Metric, SlotOutcome, SlotView};
use crate::types::Slot;
use crate::types::declare::Section;

/// Weights may be e^500 apart and any rate times them is neither 0 nor infinite in double precision.
const MOST_NEPERS: f64 = 500.0;

/// Metric log R - exponent x log A ([EvdoTcp], eq. (7)); 0: max rate, 1: proportional fair, large: equal rates.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(
    about = "Largest log R - exponent log A",
    facts("serves the largest log R - exponent x log A", "divides_by_service")
)]
pub struct LambdaConfig {
    /// How T is formed.
    #[field(group)]
    pub average: AverageConfig,
    /// lambda of eq. (7).
    #[field(at_least = 0, at_most = 1000, default = 1.0, source = "1 = PF [Jalali00]; [EvdoTcp]: 0 to 10")]
    pub exponent: f64,
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

impl Lambda {
    /// -lambda log T; infinite for T = 0, unless T plays no part.
    #[inline]
    fn of_average(&self, average: f64) -> f64 {
        if self.exponent == 0.0 { 0.0 } else { -(self.exponent * libm::log(average)) }
    }
}

impl Metric for Lambda {
    fn observe(&mut self, contest: &Contest<'_>) {
        self.average.observe(contest);
    }

    fn evaluate(&self, _contest: &Contest<'_>, _subchannel: usize, rates: &[f64], out: &mut [f64]) {
        for ((value, &rate), &average) in out.iter_mut().zip(rates).zip(self.average.bps()) {
            // Two logarithms are the whole cost of this metric, so only candidates pay.
            if rate > 0.0 {
                *value = libm::log(rate) + self.of_average(average);
            }
        }
    }

    /// T^-lambda, relative to the largest of those who may win.
    fn weigh(&self, contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        if self.average.moves_within_slot() {
            return false;
        }
        for (weight, &average) in weights.iter_mut().zip(self.average.bps()) {
            *weight = self.of_average(average);
        }
        weights_of_logarithms(contest, weights)
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

/// Turns logarithms into weights, relative to the largest of those who may win, unless that could underflow: the order of log R plus
/// the logarithm, to within rounding.
pub(super) fn weights_of_logarithms(contest: &Contest<'_>, weights: &mut [f64]) -> bool {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for (place, &weight) in weights.iter().enumerate() {
        if weight < f64::INFINITY && contest.view.eligible[contest.user(place)] {
            (least, most) = (least.min(weight), most.max(weight));
        }
    }
    if most - least > MOST_NEPERS {
        return false;
    }
    for weight in weights {
        *weight = libm::exp(*weight - if most.is_finite() { most } else { 0.0 });
    }
    true
}
