//! NewReno (RFC 6582): Reno whose recovery repairs one hole per round trip until all are repaired.
//!
//! Left out: the heuristics of RFC 6582 §4.1 and §4.2 that tell a lost retransmission from an unnecessary one.

use super::{AckEvent, CongestionControl, InitialWindow, LossEvent, RecoveryStep, Reno, fractional};

/// Reno's windows with RFC 6582's reaction to ACKs during recovery.
#[derive(Clone, Debug)]
pub struct NewReno(Reno);

impl NewReno {
    /// Starts from `initial`.
    pub fn new(initial: InitialWindow) -> Self {
        Self(Reno::new(initial))
    }

    /// RFC 6582 §3.2 step 3, full acknowledgment, option 1: cwnd = min(ssthresh, max(FlightSize, SMSS) + SMSS),
    /// which never sends a burst.
    fn complete(&mut self, flight: f64) {
        let mss = self.0.mss();
        self.0.set_window(self.0.slow_start_threshold().min(flight.max(mss) + mss));
    }

    /// RFC 6582 §3.2 step 3, partial acknowledgment: deflate by what was acknowledged, add back one SMSS if it
    /// was at least that much.
    fn deflate_partially(&mut self, acked: f64) {
        let mss = self.0.mss();
        let added_back = if acked >= mss { mss } else { 0.0 };
        self.0.set_window(self.0.window() - acked + added_back);
    }
}

impl CongestionControl for NewReno {
    fn window(&self) -> f64 {
        self.0.window()
    }

    fn slow_start_threshold(&self) -> f64 {
        self.0.slow_start_threshold()
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        self.0.on_ack(ack);
    }

    fn on_fast_retransmit(&mut self, loss: &LossEvent) {
        self.0.on_fast_retransmit(loss);
    }

    fn on_duplicate_ack(&mut self) {
        self.0.on_duplicate_ack();
    }

    fn on_recovery_ack(&mut self, ack: &AckEvent) -> RecoveryStep {
        if ack.is_full {
            self.complete(fractional(ack.flight));
            RecoveryStep::Complete
        } else {
            self.deflate_partially(fractional(ack.acked));
            RecoveryStep::Retransmit
        }
    }

    fn on_timeout(&mut self, loss: &LossEvent) {
        self.0.on_timeout(loss);
    }
}
