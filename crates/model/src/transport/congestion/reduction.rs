//! What a loss makes smaller, and how: the law of ssthresh is `factor` times FlightSize (RFC 5681 §3.1 eq. (4)), the
//! window in force (ns-2) or cwnd (Linux), and at least two segments.

use super::{LossEvent, Windows, fractional};
use crate::transport::{Growth, ReductionOf, Tcp};

/// The law's switches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduction {
    of: ReductionOf,
    mss: f64,
    by_whole_segments: bool,
    /// Also of a window that ns-2 otherwise leaves with a fraction.
    window_by_whole_segments: bool,
}

impl Reduction {
    pub(super) fn new(config: &Tcp) -> Self {
        let by_whole_segments =
            config.rules.growth == Growth::WholeSegments || config.rules.reduction_of == ReductionOf::Window;
        Self {
            of: config.rules.reduction_of,
            mss: fractional(config.mss),
            by_whole_segments: by_whole_segments || config.rules.reduction_in_whole_segments,
            window_by_whole_segments: config.rules.reduction_in_whole_segments,
        }
    }

    /// What is made smaller. A window that was not validated (RFC 7661 §4.4.1) counts for no more than was used of it.
    pub(super) fn base(&self, windows: &Windows, loss: &LossEvent) -> f64 {
        match self.of {
            ReductionOf::Flight => fractional(loss.flight),
            _ if !loss.is_validated => fractional(loss.flight),
            ReductionOf::Window => windows.window.min(fractional(loss.receiver_window)),
            ReductionOf::CongestionWindow => windows.window,
        }
    }

    /// ssthresh = max(factor * base, 2 SMSS), or less where this loss may not raise it (RFC 5681 §3.1: "no more than"), and
    /// cwnd becomes ssthresh. In ns-2 ssthresh is a whole number of segments and, since January 2006, cwnd is not.
    pub(super) fn cut(&self, windows: &mut Windows, loss: &LossEvent, factor: f64) {
        let smaller = self.base(windows, loss) * factor;
        let most = if loss.may_raise { f64::INFINITY } else { windows.slow_start_threshold };
        windows.slow_start_threshold = self.rounded(smaller).max(2.0 * self.mss).min(most);
        windows.window = match self.of {
            ReductionOf::Window if self.window_by_whole_segments => self.rounded(smaller).max(self.mss),
            ReductionOf::Window => smaller.max(self.mss),
            _ => windows.slow_start_threshold,
        };
    }

    /// RFC 5681 §3.1: a timeout of what a timeout had resent holds ssthresh. ns-2 cuts it every time.
    pub(super) fn holds(&self, loss: &LossEvent) -> bool {
        loss.is_repeated && self.of != ReductionOf::Window
    }

    /// Whole segments, where windows are.
    pub(super) fn rounded(&self, bytes: f64) -> f64 {
        if self.by_whole_segments { libm::floor(bytes / self.mss) * self.mss } else { bytes }
    }
}
