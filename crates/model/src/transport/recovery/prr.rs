//! Proportional rate reduction (RFC 9937): during a recovery the window follows what arrives, so that it comes down to
//! ssthresh over one round trip instead of at once.
//!
//! Linux's form counts whole segments, and its share is of cwnd before the loss instead of the flight, as in RFC 6937, which
//! RFC 9937 obsoletes.

use crate::transport::sent::Sum;
use crate::transport::words::RateReduction;

/// The variables of RFC 9937 §6.1.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Reduction {
    kind: RateReduction,
    mss: u64,
    /// prr_delivered, bytes.
    delivered: u64,
    /// prr_out, bytes.
    out: u64,
    /// RecoverFS, bytes; for Linux's form cwnd before the loss.
    flight_at_loss: u64,
}

/// What an ACK during recovery showed.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Progress {
    /// DeliveredData.
    pub(in crate::transport) delivered: Sum,
    /// "inflight" after the ACK, bytes.
    pub(in crate::transport) pipe: u64,
    /// ssthresh, bytes.
    pub(in crate::transport) slow_start_threshold: f64,
    /// SafeACK: SND.UNA advanced, and no further loss showed.
    pub(in crate::transport) is_safe: bool,
}

impl Reduction {
    pub(in crate::transport) const fn new(kind: RateReduction, mss: u32) -> Self {
        Self { kind, mss: mss as u64, delivered: 0, out: 0, flight_at_loss: 1 }
    }

    /// RFC 9937 §6.1, at the start of a recovery from `window`, with `flight` bytes not known to have arrived before.
    pub(in crate::transport) fn begin(&mut self, window: f64, flight: u64) {
        (self.delivered, self.out) = (0, 0);
        let flight_at_loss = if self.kind == RateReduction::Linux { window as u64 } else { flight };
        self.flight_at_loss = flight_at_loss.max(1);
    }

    /// RFC 9937 §6.2: cwnd after an ACK in recovery.
    pub(in crate::transport) fn window(&mut self, progress: &Progress) -> f64 {
        let threshold = progress.slow_start_threshold;
        let delivered = if self.kind == RateReduction::Linux {
            progress.delivered.segments * self.mss
        } else {
            progress.delivered.bytes
        };
        self.delivered += delivered;
        let room = threshold - progress.pipe as f64;
        let mut may_send =
            if room < 0.0 { self.proportional(threshold) } else { self.catching_up(delivered, room, progress.is_safe) };
        // §6.2: force a fast retransmit upon entering recovery. The RFC does if nothing may be sent; less than a segment is
        // nothing to this sender, and RFC 6675 §5 step 4.3 wants the segment sent whatever the window.
        if self.out == 0 {
            may_send = may_send.max(self.mss as f64);
        }
        progress.pipe as f64 + may_send.max(0.0)
    }

    /// RFC 9937 §6.3: everything sent during recovery.
    pub(in crate::transport) const fn on_sent(&mut self, length: u32) {
        self.out += length as u64;
    }

    /// sndcnt = CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out.
    fn proportional(&self, threshold: f64) -> f64 {
        let unit = if self.kind == RateReduction::Linux { self.mss as f64 } else { 1.0 };
        let share = self.delivered as f64 * threshold / self.flight_at_loss as f64;
        libm::ceil(share / unit) * unit - self.out as f64
    }

    /// sndcnt = MAX(prr_delivered - prr_out, DeliveredData), one SMSS more if the ACK is safe, at most ssthresh - inflight.
    fn catching_up(&self, delivered: u64, room: f64, is_safe: bool) -> f64 {
        let conserving = self.delivered.saturating_sub(self.out).max(delivered);
        let extra = if is_safe { self.mss } else { 0 };
        room.min((conserving + extra) as f64)
    }
}
