//! The window during a fast recovery that knows no "pipe": duplicate ACKs inflate it, ACKs of new data deflate it.
//!
//! The algorithm has set ssthresh; this moves cwnd around it. Whoever has no rules of its own for this takes NewReno's.

use crate::types::Bytes;

use super::{CongestionControl, Repair, fractional, new_reno, reno};
use crate::transport::{RecoveryEnd, ReductionOf, Tcp};

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
    end: RecoveryEnd,
    /// A partial ACK takes what it acknowledges; else all inflation.
    deflates_by_acked: bool,
    mss: f64,
    /// Segments known to have left the network when a loss is inferred, in bytes.
    departed_at_loss: f64,
    /// What of the window is inflation, in bytes.
    inflation: f64,
    /// What the halving leaves, where it may be less than a segment (ns-2); else none.
    halving: Option<Halving>,
    /// What half of the window fell short of a segment.
    deficit: f64,
}

/// How ns-2 halves.
#[derive(Clone, Copy, Debug)]
enum Halving {
    Exact,
    ToWholeSegments,
}

impl FastRecovery {
    /// The rules of Reno for Reno, of NewReno for all others.
    pub fn new(config: &Tcp) -> Self {
        let mss = fractional(config.mss);
        Self {
            ends_with_any_ack: config.congestion_control.repair() == Repair::UntilAnyAck,
            end: config.rules.recovery_end,
            deflates_by_acked: config.rules.partial_window_deflation,
            mss,
            departed_at_loss: f64::from(config.duplicate_ack_threshold) * mss,
            inflation: 0.0,
            halving: (config.rules.reduction_of == ReductionOf::Window
                && config.rules.recovery_end == RecoveryEnd::Deflated)
                .then_some(if config.rules.reduction_in_whole_segments {
                    Halving::ToWholeSegments
                } else {
                    Halving::Exact
                }),
            deficit: 0.0,
        }
    }

    /// Right after [`CongestionControl::on_loss`]. RFC 5681 §3.2 step 3: cwnd = ssthresh + 3 SMSS, the segments that
    /// caused the duplicate ACKs. `base` is what the loss has halved.
    pub fn begin(&mut self, control: &mut impl CongestionControl, base: f64) {
        self.inflation = self.departed_at_loss;
        self.deficit = self.halving.map_or(0.0, |halving| self.deficit(halving, base));
        control.set_window(control.window() + self.departed_at_loss - self.deficit);
    }

    fn deficit(&self, halving: Halving, base: f64) -> f64 {
        let left = match halving {
            Halving::Exact => base / 2.0,
            Halving::ToWholeSegments => libm::floor(base / 2.0 / self.mss) * self.mss,
        };
        (self.mss - left).max(0.0)
    }

    /// The ACK that ended the recovery has made the window grow, if it does. In ns-2 it grows from less than a segment.
    pub fn settle(&mut self, control: &mut impl CongestionControl) {
        let deficit = std::mem::take(&mut self.deficit);
        if deficit > 0.0 {
            control.set_window(control.window() - deficit);
        }
    }

    /// One more duplicate ACK: a segment has left the network.
    pub fn on_duplicate_ack(&mut self, control: &mut impl CongestionControl) {
        self.inflation += self.mss;
        reno::inflate(control, self.mss);
    }

    /// A timeout ends it: the inflation goes before the law of a timeout looks at the window.
    pub fn abandon(&self, control: &mut impl CongestionControl) {
        self.deflate(control);
    }

    /// An ACK of `acked` bytes left `flight`; `is_full`: it covers everything sent before recovery began.
    pub fn on_ack(
        &mut self,
        control: &mut impl CongestionControl,
        acked: Bytes,
        flight: Bytes,
        is_full: bool,
    ) -> RecoveryStep {
        if self.ends_with_any_ack {
            self.deflate(control);
            RecoveryStep::Leave
        } else if is_full {
            self.complete(control, fractional(flight));
            RecoveryStep::Complete
        } else {
            self.deflate_partially(control, fractional(acked));
            RecoveryStep::Retransmit
        }
    }

    fn complete(&self, control: &mut impl CongestionControl, flight: f64) {
        match self.end {
            RecoveryEnd::Flight => new_reno::complete(control, flight, self.mss),
            RecoveryEnd::Threshold | RecoveryEnd::Deflated => self.deflate(control),
        }
    }

    /// RFC 6582 §3.2 step 3. In ns-2 (`NewRenoTcpAgent::partialnewack`) the window left never falls below two segments,
    /// one of them inflation; what the inflation cannot give is lost to the window for good.
    fn deflate_partially(&mut self, control: &mut impl CongestionControl, acked: f64) {
        // ns-2: what is left without inflation is now at least a segment.
        control.set_window(control.window() + std::mem::take(&mut self.deficit));
        if !self.deflates_by_acked {
            self.deflate(control);
            self.inflation = 0.0;
            return;
        }
        new_reno::deflate_partially(control, acked, self.mss);
        if self.inflation > acked {
            self.inflation -= acked - self.mss;
        } else {
            self.inflation = self.mss;
            if self.end == RecoveryEnd::Deflated {
                control.set_window(control.window().max(2.0 * self.mss));
            }
        }
    }

    fn deflate(&self, control: &mut impl CongestionControl) {
        match self.end {
            RecoveryEnd::Deflated => control.set_window(control.window() - self.inflation),
            RecoveryEnd::Flight | RecoveryEnd::Threshold => reno::deflate(control),
        }
    }
}
