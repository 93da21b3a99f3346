//! NewReno (RFC 6582): Reno whose recovery repairs one hole per round trip until all are repaired.
//!
//! Left out: the heuristics of RFC 6582 §4.1 and §4.2 that tell a lost retransmission from an unnecessary one.

use super::{AckEvent, CongestionControl, IdleEvent, LossEvent, Reno, Windows};
use crate::transport::SenderConfig;

/// Reno's windows; what differs is how recovery ends.
#[derive(Clone, Debug)]
pub struct NewReno(Reno);

impl NewReno {
    /// At the initial window.
    pub fn new(config: &SenderConfig) -> Self {
        Self(Reno::new(config))
    }
}

impl CongestionControl for NewReno {
    fn window(&self) -> f64 {
        self.0.window()
    }

    fn slow_start_threshold(&self) -> f64 {
        self.0.slow_start_threshold()
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckEvent) {
        self.0.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.0.on_loss(loss);
    }

    fn on_timeout(&mut self, loss: &LossEvent) {
        self.0.on_timeout(loss);
    }

    fn on_idle(&mut self, idle: &IdleEvent) {
        self.0.on_idle(idle);
    }

    fn set_window(&mut self, window: f64) {
        self.0.set_window(window);
    }

    fn restore(&mut self, windows: Windows) {
        self.0.restore(windows);
    }
}

/// RFC 6582 §3.2 step 3, full acknowledgment, option 1: cwnd = min(ssthresh, max(FlightSize, SMSS) + SMSS),
/// which never sends a burst.
pub(super) fn complete(control: &mut impl CongestionControl, flight: f64, mss: f64) {
    control.set_window(control.slow_start_threshold().min(flight.max(mss) + mss));
}

/// RFC 6582 §3.2 step 3, partial acknowledgment: deflate by what was acknowledged, add back one SMSS if it
/// was at least that much.
pub(super) fn deflate_partially(control: &mut impl CongestionControl, acked: f64, mss: f64) {
    let added_back = if acked >= mss { mss } else { 0.0 };
    control.set_window(control.window() - acked + added_back);
}
