//! What Vegas measures ([Brakmo95]): BaseRTT, the least round trip of the connection, and the round trips of the round that is
//! going on, a window of data from when its first byte is sent to when more than it is acknowledged.

use super::config::{VegasConfig, VegasRoundTrip};
use crate::types::Duration;

/// The round trips of a connection, and of its present round.
#[derive(Clone, Debug, Default)]
pub(super) struct VegasRound {
    base_rtt: Option<Duration>,
    /// The round ends with the first ACK beyond this; none before the first ACK.
    end: Option<u64>,
    samples: u32,
    least: Option<Duration>,
    /// Of all samples of the round, in nanoseconds.
    sum: f64,
}

/// What a round has shown: both times in nanoseconds, whole ones but for a mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    pub(super) rtt: f64,
    pub(super) base_rtt: f64,
}

impl VegasRound {
    /// A segment's round trip: one of no time at all tells nothing.
    pub(super) fn on_sample(&mut self, rtt: Duration) {
        if rtt == Duration::ZERO {
            return;
        }
        let least_of = |least: Option<Duration>| Some(least.map_or(rtt, |least| least.min(rtt)));
        self.base_rtt = least_of(self.base_rtt);
        self.least = least_of(self.least);
        self.sum += nanoseconds(rtt);
        self.samples += 1;
    }

    /// True when an ACK up to `number` is the first beyond the round. The first ACK of all only begins one.
    pub(super) fn is_over(&self, number: u64) -> bool {
        self.end.is_some_and(|end| number > end)
    }

    pub(super) const fn has_begun(&self) -> bool {
        self.end.is_some()
    }

    /// The next round is what has been sent by now and not been acknowledged.
    pub(super) fn begin(&mut self, sent_end: u64) {
        *self = Self { base_rtt: self.base_rtt, end: Some(sent_end), ..Self::default() };
    }

    /// Nothing measured so far is of use.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// This round is of no use.
    pub(super) fn abandon(&mut self) {
        *self = Self { base_rtt: self.base_rtt, ..Self::default() };
    }

    /// What the round has shown, if it had enough samples.
    pub(super) fn comparison(&self, config: &VegasConfig) -> Option<Comparison> {
        if self.samples < config.least_samples.max(1) {
            return None;
        }
        let rtt = match config.round_trip {
            VegasRoundTrip::Least => nanoseconds(self.least?),
            VegasRoundTrip::Mean => self.sum / f64::from(self.samples),
        };
        Some(Comparison { rtt, base_rtt: nanoseconds(self.base_rtt?) })
    }
}

/// Exact: no round trip comes near 2^53 ns.
fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}
