//! Reno (RFC 5681) as a congestion control of one's own.
//!
//! It leaves out what is the sender's: which segments are lost, and the window during a recovery.

use airlink_model::transport::Tcp;
use airlink_model::transport::congestion::{AckEvent, CongestionControl, IdleEvent, LossEvent, Windows};

/// cwnd and ssthresh, in bytes.
#[derive(Clone, Debug)]
pub struct PlainReno {
    mss: f64,
    window: f64,
    threshold: f64,
}

impl PlainReno {
    /// At the windows with which the flow's TCP begins.
    pub fn new(tcp: &Tcp) -> Self {
        let mss = tcp.mss.count() as f64;
        Self { mss, window: tcp.initial_window_bytes(), threshold: mss * tcp.initial_ssthresh_segments }
    }

    /// Section 3.1 eq. (4): half of what is in flight, two segments at least.
    fn cut(&mut self, loss: &LossEvent) {
        let half = (0.5 * loss.flight.count() as f64).max(2.0 * self.mss);
        self.threshold = if loss.may_raise { half } else { half.min(self.threshold) };
        self.window = self.threshold;
    }
}

impl CongestionControl for PlainReno {
    fn window(&self) -> f64 {
        self.window
    }

    fn slow_start_threshold(&self) -> f64 {
        self.threshold
    }

    /// Section 3.1: eq. (2) in slow start, eq. (3) in congestion avoidance.
    fn on_ack(&mut self, ack: &AckEvent) {
        if ack.is_window_limited {
            self.window += if self.window < self.threshold {
                self.mss.min(ack.acked.count() as f64)
            } else {
                self.mss * self.mss / self.window
            };
        }
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.cut(loss);
    }

    /// Section 3.1: one segment; ssthresh is held when the timer had expired for this segment before.
    fn on_timeout(&mut self, loss: &LossEvent) {
        if !loss.is_repeated {
            self.cut(loss);
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
        (self.window, self.threshold) = (windows.window.max(self.mss), windows.slow_start_threshold);
    }
}
