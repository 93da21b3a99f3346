//! The window during a fast recovery that knows no "pipe": duplicate ACKs inflate it, ACKs of new data deflate it.
//!
//! The algorithm has set ssthresh; this moves cwnd around it. Whoever has no rules of its own for this takes NewReno's.

use crate::types::Bytes;

use super::{Algorithm, CongestionControl, fractional, new_reno, reno};
use crate::transport::SenderConfig;

/// How recovery goes on after an ACK of new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryStep {
    /// It is over, and the next duplicate ACKs may start another (RFC 5681 §3.2).
    Leave,
    /// It is over, and another starts only beyond what had been sent when this one began (RFC 6582 §3.2 step 2).
    Complete,
    /// It goes on: the next hole is retransmitted at once (RFC 6582 §3.2 step 3).
    Retransmit,
}

/// Fast recovery by inflation of the window.
#[derive(Clone, Copy, Debug)]
pub struct FastRecovery {
    ends_with_any_ack: bool,
    mss: f64,
    /// Segments known to have left the network when a loss is inferred, in bytes.
    departed_at_loss: f64,
}

impl FastRecovery {
    /// The rules of Reno for Reno, of NewReno for all others.
    pub fn new(config: &SenderConfig) -> Self {
        let mss = fractional(config.mss);
        Self {
            ends_with_any_ack: config.congestion_control == Algorithm::Reno,
            mss,
            departed_at_loss: f64::from(config.duplicate_ack_threshold) * mss,
        }
    }

    /// Right after [`CongestionControl::on_loss`]. RFC 5681 §3.2 step 3: cwnd = ssthresh + 3 SMSS, the segments that
    /// caused the duplicate ACKs.
    pub fn begin(&self, control: &mut impl CongestionControl) {
        control.set_window(control.slow_start_threshold() + self.departed_at_loss);
    }

    /// One more duplicate ACK: a segment has left the network.
    pub fn on_duplicate_ack(&self, control: &mut impl CongestionControl) {
        reno::inflate(control, self.mss);
    }

    /// A timeout ends it: the inflation goes before the law of a timeout looks at the window.
    pub fn abandon(&self, control: &mut impl CongestionControl) {
        reno::deflate(control);
    }

    /// An ACK of `acked` bytes left `flight`; `is_full`: it covers everything sent before recovery began.
    pub fn on_ack(
        &self,
        control: &mut impl CongestionControl,
        acked: Bytes,
        flight: Bytes,
        is_full: bool,
    ) -> RecoveryStep {
        if self.ends_with_any_ack {
            reno::deflate(control);
            RecoveryStep::Leave
        } else if is_full {
            new_reno::complete(control, fractional(flight), self.mss);
            RecoveryStep::Complete
        } else {
            new_reno::deflate_partially(control, fractional(acked), self.mss);
            RecoveryStep::Retransmit
        }
    }
}
