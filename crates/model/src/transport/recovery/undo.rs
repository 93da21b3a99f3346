//! Undo, as Linux does it (`tcp_undo_cwnd_reduction`): a recovery that proves spurious gives the windows back.
//!
//! cwnd becomes what it was unless it is larger by now. ssthresh becomes what it was or three quarters of the former
//! cwnd, whichever is more, again unless it is larger by now: a connection that was in slow start does not go back to a
//! threshold that had long been passed.
//!
//! Left out: the undo of a reduction that ECN caused, which Linux refuses (there is no ECN here).

use crate::transport::congestion::Windows;
use crate::types::Bytes;

/// The windows before a recovery, as Linux would restore them.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Undo {
    before: Windows,
}

impl Undo {
    /// Right before the windows are reduced: `tcp_current_ssthresh`, in whole segments.
    pub(in crate::transport) fn new(windows: Windows, mss: Bytes) -> Self {
        let mss = mss.count() as f64;
        let segments = (windows.window / mss).max(0.0) as u64;
        let three_quarters = (segments / 2 + segments / 4) as f64 * mss;
        let slow_start_threshold = windows.slow_start_threshold.max(three_quarters);
        Self { before: Windows { slow_start_threshold, ..windows } }
    }

    /// What the windows become, from what they are.
    pub(in crate::transport) fn windows(self, now: Windows) -> Windows {
        Windows {
            window: self.before.window.max(now.window),
            slow_start_threshold: self.before.slow_start_threshold.max(now.slow_start_threshold),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(window: f64, slow_start_threshold: f64) -> Windows {
        Windows { window, slow_start_threshold }
    }

    #[test]
    fn the_windows_come_back() {
        let undo = Undo::new(windows(10_000.0, 8000.0), Bytes::new(1000));
        assert_eq!(undo.windows(windows(1000.0, 5000.0)), windows(10_000.0, 8000.0));
    }

    #[test]
    fn a_threshold_below_three_quarters_of_the_window_is_raised_to_it() {
        // 11 segments: 11 / 2 + 11 / 4 = 5 + 2.
        let undo = Undo::new(windows(11_000.0, 6000.0), Bytes::new(1000));
        assert_eq!(undo.windows(windows(1000.0, 5500.0)), windows(11_000.0, 7000.0));
    }

    #[test]
    fn what_has_grown_since_is_kept() {
        let undo = Undo::new(windows(10_000.0, 8000.0), Bytes::new(1000));
        assert_eq!(undo.windows(windows(12_000.0, 9000.0)), windows(12_000.0, 9000.0));
        let never_reduced = Undo::new(windows(10_000.0, f64::INFINITY), Bytes::new(1000));
        assert_eq!(never_reduced.windows(windows(1000.0, 5000.0)).slow_start_threshold, f64::INFINITY);
    }
}
