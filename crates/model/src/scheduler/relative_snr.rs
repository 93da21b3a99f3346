//! Relative SNR: M = reported SNR / its mean, compared in decibels. The literal metric of [EvdoTcp]'s figure 1.
//!
//! What this leaves out: an estimate of the mean. The base station is taken to know it.

use super::{Metric, SlotView};

/// The metric "SNR over mean SNR".
#[derive(Clone, Copy, Debug, Default)]
pub struct RelativeSnr;

impl Metric for RelativeSnr {
    fn evaluate(&self, view: &SlotView<'_>, subchannel: usize, _rates: &[f64], out: &mut [f64]) {
        let reported = view.reported_db[subchannel..].iter().step_by(view.subchannels);
        for ((value, &reported), &mean) in out.iter_mut().zip(reported).zip(view.mean_snr_db) {
            *value = f64::from(reported) - mean;
        }
    }
}
