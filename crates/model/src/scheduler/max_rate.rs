//! Maximum rate: M = R. The most bits in every slot, and nothing for users far away.

use super::{Contest, Metric};

/// The metric of "maximum rate".
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxRate;

impl Metric for MaxRate {
    fn evaluate(&self, _contest: &Contest<'_>, _subchannel: usize, rates: &[f64], out: &mut [f64]) {
        out.copy_from_slice(rates);
    }

    fn weigh(&self, _contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        weights.fill(1.0);
        true
    }
}
