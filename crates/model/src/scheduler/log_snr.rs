//! Logarithm of the reported SNR over the averaged rate, apart from the rate: M\[n\] = log x\[n\] / A\[n-1\], with A of eq. (2) of
//! [Klein04] in [`AveragedRate`]. It is equation (5) of [EvdoTcp] as printed, with x the SNR as a power ratio.
//!
//! Below 0 dB that logarithm is negative. Then a larger average makes a larger metric: a user below 0 dB loses to every user above
//! 0 dB, and among users below 0 dB the one that was served most wins again. With x = 1 + SNR, the logarithm to which [EvdoTcp]'s
//! section VI takes the rate of an ideal system to be proportional, no metric is negative, and where R = W log2(1 + SNR) it is R/A.
//!
//! What this leaves out: any use of the rate beyond "can be served".

use super::averaged_rate::LEAST_BPS;
use super::{AverageConfig, AveragedRate, Contest, Metric, SlotOutcome, SlotView};
use crate::types::Slot;
use crate::types::declare::{Section, Words};

/// What the logarithm is taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum LogArgument {
    /// The reported SNR as a power ratio.
    Snr,
    /// One more than that, so that no logarithm is negative.
    OnePlusSnr,
}

/// Metric log(reported SNR) / A ([EvdoTcp], eq. (5) as printed).
///
/// The rate only says who can be served. Below 0 dB the metric is negative.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(about = "Largest log(reported SNR) / A", facts("serves the largest log SNR / A", "divides_by_service"))]
pub struct LogSnrConfig {
    /// How A is formed.
    #[field(group)]
    pub average: AverageConfig,
    /// "snr": log SNR, as printed: users below 0 dB lose to those above, and of them the one served most wins.
    /// "one_plus_snr": log(1 + SNR), never negative.
    #[field(default = LogArgument::Snr, source = "[EvdoTcp], eq. (5) as printed; its section VI: one_plus_snr")]
    pub argument: LogArgument,
}

/// The metric "log SNR / A".
#[derive(Clone, Debug)]
pub struct LogSnr {
    argument: LogArgument,
    average: AveragedRate,
}

impl LogSnr {
    /// The metric of `users` users before the first slot.
    pub fn new(config: LogSnrConfig, users: usize) -> Self {
        Self { argument: config.argument, average: AveragedRate::new(config.average, users) }
    }

    /// The logarithm to the base 10^0.1, of which the order does not depend.
    #[inline]
    fn log_of(&self, reported_db: f32) -> f64 {
        let db = f64::from(reported_db);
        match self.argument {
            LogArgument::Snr => db,
            LogArgument::OnePlusSnr => 10.0 * libm::log10(1.0 + libm::pow(10.0, db / 10.0)),
        }
    }
}

impl Metric for LogSnr {
    fn observe(&mut self, contest: &Contest<'_>) {
        self.average.observe(contest);
    }

    /// An average of 0, that of a user without service in a growing window, counts as the least: first above 0 dB, last below.
    fn evaluate(&self, contest: &Contest<'_>, subchannel: usize, rates: &[f64], out: &mut [f64]) {
        let (reported_db, subchannels) = (contest.view.reported_db, contest.view.subchannels);
        let users = out.iter_mut().zip(rates).zip(self.average.bps()).enumerate();
        for (place, ((value, &rate), &average)) in users {
            // A logarithm is the whole cost of this metric, so only candidates pay.
            if rate > 0.0 {
                let db = reported_db[contest.user(place) * subchannels + subchannel];
                *value = self.log_of(db) / average.max(LEAST_BPS);
            }
        }
    }

    fn on_grant(&mut self, view: &SlotView<'_>, place: usize, bits: f64) {
        self.average.on_grant(view, place, bits);
    }

    fn on_user_added(&mut self, user: usize, _slot: Slot) {
        self.average.on_user_added(user);
    }

    fn fill_averages(&self, bps: &mut [f64]) -> bool {
        self.average.fill(bps);
        true
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.average.on_slot_end(outcome);
    }
}
