//! Relative SNR: M = reported SNR / its mean, compared in decibels. The literal metric of [EvdoTcp]'s figure 1.
//!
//! What this leaves out: an estimate of the mean. The base station is taken to know it.

use super::{Contest, Metric};

/// The metric "SNR over mean SNR".
#[derive(Clone, Copy, Debug, Default)]
pub struct RelativeSnr;

impl Metric for RelativeSnr {
    fn evaluate(&self, contest: &Contest<'_>, subchannel: usize, _rates: &[f64], out: &mut [f64]) {
        let view = contest.view;
        contest.fill(out, |_, user| {
            f64::from(view.reported_db[user * view.subchannels + subchannel]) - view.mean_snr_db[user]
        });
    }
}
