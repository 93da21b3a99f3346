//! Reno (RFC 5681): slow start, congestion avoidance, and the halving of the window.
//!
//! Congestion avoidance grows by ACKs, by bytes (RFC 3465) or by whole segments (Linux, `tcp_cong_avoid_ai`).

use super::reduction::Reduction;
use super::slow_start::SlowStart;
use super::{AckEvent, CongestionControl, IdleEvent, LossEvent, Needs, Windows, fractional};
use crate::transport::{Growth, Tcp};

/// RFC 5681 §3.1 eq. (4).
const HALF: f64 = 0.5;

/// The windows of RFC 5681.
#[derive(Clone, Debug)]
pub struct Reno {
    mss: f64,
    growth: Growth,
    windows: Windows,
    slow_start: SlowStart,
    reduction: Reduction,
    /// RFC 3465 §2.1: bytes_acked.
    bytes_acked: f64,
    /// Linux: `snd_cwnd_cnt`.
    segments: SegmentCounter,
}

impl Reno {
    /// At the initial window.
    pub fn new(config: &Tcp) -> Self {
        Self {
            mss: fractional(config.mss),
            growth: config.rules.growth,
            windows: Windows::initial(config),
            slow_start: SlowStart::new(config),
            reduction: Reduction::new(config),
            bytes_acked: 0.0,
            segments: SegmentCounter::default(),
        }
    }

    #[inline(always)]
    fn grow_in_congestion_avoidance(&mut self, ack: &AckEvent) {
        match self.growth {
            Growth::PerAck => self.grow_per_ack(),
            Growth::ByteCounting => self.grow_by_bytes(fractional(ack.acked)),
            Growth::WholeSegments => self.grow_by_segments(ack.acked_segments),
        }
    }

    /// RFC 5681 §3.1 eq. (3): cwnd += SMSS * SMSS / cwnd, on every ACK of new data.
    fn grow_per_ack(&mut self) {
        self.windows.window += self.mss * self.mss / self.windows.window;
    }

    /// RFC 3465 §2.1: a segment for every window of bytes acknowledged.
    fn grow_by_bytes(&mut self, acked: f64) {
        self.bytes_acked += acked;
        if self.bytes_acked >= self.windows.window {
            self.bytes_acked -= self.windows.window;
            self.windows.window += self.mss;
        }
    }

    /// Linux, `tcp_reno_cong_avoid`: a segment for every window of segments acknowledged.
    fn grow_by_segments(&mut self, acked: u32) {
        let window = segments(self.windows.window, self.mss);
        self.windows.window += f64::from(self.segments.count(window, acked)) * self.mss;
    }

    /// Both windows, for an algorithm whose law of reduction is not Reno's.
    pub(super) fn set_windows(&mut self, windows: Windows) {
        self.windows = windows.at_least(self.mss);
    }

    fn forget_counts(&mut self) {
        self.bytes_acked = 0.0;
        self.segments = SegmentCounter::default();
    }
}

impl CongestionControl for Reno {
    fn needs(&self) -> Needs {
        Needs { round_trips: self.slow_start.has_delay_exit(), ..Needs::default() }
    }

    fn window(&self) -> f64 {
        self.windows.window
    }

    fn slow_start_threshold(&self) -> f64 {
        self.windows.slow_start_threshold
    }

    #[inline(always)]
    fn on_ack(&mut self, ack: &AckEvent) {
        self.slow_start.on_ack_before_growth(&mut self.windows, ack);
        if !ack.is_window_limited {
            return;
        }
        // RFC 5681 §3.1 leaves cwnd = ssthresh open; here it is congestion avoidance.
        if !self.windows.in_slow_start() {
            self.grow_in_congestion_avoidance(ack);
            return;
        }
        let left = self.slow_start.grow(&mut self.windows, ack);
        if left > 0 {
            self.grow_by_segments(left);
        }
    }

    /// RFC 5681 §3.2 step 2, and where §3.2 step 6 ends.
    fn on_loss(&mut self, loss: &LossEvent) {
        self.reduction.cut(&mut self.windows, loss, HALF);
        self.slow_start.on_loss();
        self.forget_counts();
    }

    /// RFC 5681 §3.1: cwnd = one segment; ssthresh is held when the timer had resent this segment before.
    fn on_timeout(&mut self, loss: &LossEvent) {
        if !self.reduction.holds(loss) {
            self.reduction.cut(&mut self.windows, loss, HALF);
        }
        self.windows.window = self.mss;
        self.slow_start.on_timeout(loss);
        self.forget_counts();
    }

    fn on_idle(&mut self, idle: &IdleEvent) {
        self.windows = idle.windows.at_least(self.mss);
    }

    fn set_window(&mut self, window: f64) {
        self.windows.window = window.max(self.mss);
    }

    fn restore(&mut self, windows: Windows) {
        self.windows = windows.at_least(self.mss);
    }
}

/// Linux, `tcp_cong_avoid_ai`: a segment for every so many acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SegmentCounter(u32);

impl SegmentCounter {
    /// Counts `acked` segments and answers by how many to grow, one for `every`. Credit left from a larger `every` is
    /// worth one segment, not more.
    pub(super) const fn count(&mut self, every: u32, acked: u32) -> u32 {
        let mut growth = 0;
        if self.0 >= every {
            self.0 = 0;
            growth = 1;
        }
        self.0 += acked;
        if self.0 >= every {
            growth += self.0 / every;
            self.0 %= every;
        }
        growth
    }
}

/// A window as a whole number of segments, rounded down and at least one.
pub(super) fn segments(window: f64, mss: f64) -> u32 {
    // The cast saturates.
    ((window / mss) as u32).max(1)
}

/// RFC 5681 §3.2 step 4: inflate by the segment that left the network.
pub(super) fn inflate(control: &mut impl CongestionControl, mss: f64) {
    control.set_window(control.window() + mss);
}

/// RFC 5681 §3.2 step 6: deflate to ssthresh.
pub(super) fn deflate(control: &mut impl CongestionControl) {
    control.set_window(control.slow_start_threshold());
}
