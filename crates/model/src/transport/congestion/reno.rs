//! Reno (RFC 5681): slow start, congestion avoidance, fast retransmit and fast recovery.
//!
//! Left out: what other files do, such as window validation. Without it cwnd grows with every ACK even when the
//! receiver's window or the application is the limit.

use super::{AckEvent, CongestionControl, IdleEvent, LossEvent, Windows, fractional};
use crate::transport::SenderConfig;

/// The windows of RFC 5681, in fractional bytes.
#[derive(Clone, Debug)]
pub struct Reno {
    mss: f64,
    window: f64,
    slow_start_threshold: f64,
}

impl Reno {
    /// At the initial window.
    pub fn new(config: &SenderConfig) -> Self {
        let mss = fractional(config.mss);
        Self {
            mss,
            window: config.initial_window.bytes(config.mss),
            slow_start_threshold: mss * config.initial_ssthresh_segments,
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

    /// RFC 5681 §3.2 step 2, and where §3.2 step 6 ends.
    fn on_loss(&mut self, loss: &LossEvent) {
        self.halve(loss);
        self.window = self.slow_start_threshold;
    }

    /// RFC 5681 §3.1: cwnd = one segment; ssthresh is held when the timer had resent this segment before.
    fn on_timeout(&mut self, loss: &LossEvent) {
        if !loss.is_repeated {
            self.halve(loss);
        }
        self.window = self.mss;
    }

    fn on_idle(&mut self, idle: &IdleEvent) {
        self.restore(idle.windows);
    }

    fn set_window(&mut self, window: f64) {
        self.window = window.max(self.mss);
    }

    fn restore(&mut self, windows: Windows) {
        self.set_window(windows.window);
        self.slow_start_threshold = windows.slow_start_threshold;
    }
}

/// RFC 5681 §3.2 step 4: inflate by the segment that left the network.
pub(super) fn inflate(control: &mut impl CongestionControl, mss: f64) {
    control.set_window(control.window() + mss);
}

/// RFC 5681 §3.2 step 6: deflate to ssthresh.
pub(super) fn deflate(control: &mut impl CongestionControl) {
    control.set_window(control.slow_start_threshold());
}
