//! Reno (RFC 5681): slow start, congestion avoidance, fast retransmit and fast recovery.
//!
//! Left out: appropriate byte counting (RFC 3465), limited transmit (RFC 3042), restart after idle (RFC 5681
//! §4.1) and congestion window validation (RFC 7661): cwnd grows with every ACK even when the receiver's
//! window or the application is the limit, which is harmless as a loss halves the flight, not cwnd.

use super::{AckEvent, CongestionControl, InitialWindow, LossEvent, RecoveryStep, fractional};

/// The windows of RFC 5681, in fractional bytes.
#[derive(Clone, Debug)]
pub struct Reno {
    mss: f64,
    window: f64,
    slow_start_threshold: f64,
    /// Segments known to have left the network when a loss is inferred, in bytes.
    departed_at_loss: f64,
}

impl Reno {
    /// Starts from `initial`.
    pub fn new(initial: InitialWindow) -> Self {
        Self {
            mss: initial.mss,
            window: initial.window,
            slow_start_threshold: initial.slow_start_threshold,
            departed_at_loss: f64::from(initial.duplicate_threshold) * initial.mss,
        }
    }

    /// RFC 5681 §3.1 eq. (2): cwnd += min(N, SMSS).
    fn grow_in_slow_start(&mut self, acked: f64) {
        self.window += acked.min(self.mss);
    }

    /// RFC 5681 §3.1 eq. (3): cwnd += SMSS * SMSS / cwnd, on every ACK of new data.
    fn grow_in_congestion_avoidance(&mut self) {
        self.window += self.mss * self.mss / self.window;
    }

    /// RFC 5681 §3.1 eq. (4): ssthresh = max(FlightSize / 2, 2 * SMSS).
    fn halve(&mut self, loss: &LossEvent) {
        self.slow_start_threshold = (fractional(loss.flight) / 2.0).max(2.0 * self.mss);
    }

    /// The size of a segment, bytes.
    pub(super) const fn mss(&self) -> f64 {
        self.mss
    }

    /// Sets cwnd during or at the end of recovery; never less than a segment.
    pub(super) fn set_window(&mut self, window: f64) {
        self.window = window.max(self.mss);
    }
}

impl CongestionControl for Reno {
    fn window(&self) -> f64 {
        self.window
    }

    fn slow_start_threshold(&self) -> f64 {
        self.slow_start_threshold
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        // RFC 5681 §3.1 leaves cwnd = ssthresh open; here it is congestion avoidance.
        if self.window < self.slow_start_threshold {
            self.grow_in_slow_start(fractional(ack.acked));
        } else {
            self.grow_in_congestion_avoidance();
        }
    }

    /// RFC 5681 §3.2 steps 2 and 3: halve, and count the segments that caused the duplicate ACKs as gone.
    fn on_fast_retransmit(&mut self, loss: &LossEvent) {
        self.halve(loss);
        self.window = self.slow_start_threshold + self.departed_at_loss;
    }

    /// RFC 5681 §3.2 step 4: inflate by the segment that left the network.
    fn on_duplicate_ack(&mut self) {
        self.window += self.mss;
    }

    /// RFC 5681 §3.2 step 6: deflate to ssthresh and leave.
    fn on_recovery_ack(&mut self, _ack: &AckEvent) -> RecoveryStep {
        self.window = self.slow_start_threshold;
        RecoveryStep::Leave
    }

    /// RFC 5681 §3.1: cwnd = one segment; ssthresh is held when the timer had resent this segment before.
    fn on_timeout(&mut self, loss: &LossEvent) {
        if !loss.is_repeated {
            self.halve(loss);
        }
        self.window = self.mss;
    }
}
