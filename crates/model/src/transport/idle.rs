//! The window after an idle period: the restart window of RFC 5681 §4.1, or the decay of RFC 2861 (obsoleted by RFC 7661), which
//! Linux still uses.
//!
//! A sender is idle while nothing is outstanding. Congestion control is always informed: CUBIC's clock stops
//! meanwhile. Left out: a timer that acts during the idle period (ns-2); here the window changes when sending resumes.

use crate::types::{Bytes, Duration, Time};

use super::congestion::IdleEvent;
use super::windows::Windows;
use super::{Growth, RestartAfterIdle, Tcp};

/// The time of the last transmission, and the restart rule.
#[derive(Clone, Debug)]
pub(super) struct Idle {
    rule: RestartAfterIdle,
    /// One segment if windows are whole numbers of segments; 0 if they are fractional.
    quantum: f64,
    initial_window: f64,
    last_sent: Time,
}

impl Idle {
    pub(super) fn new(config: &Tcp) -> Self {
        let quantum = if config.rules.growth == Growth::WholeSegments { config.mss } else { Bytes::ZERO };
        Self {
            rule: config.restart_after_idle,
            quantum: quantum.count() as f64,
            initial_window: config.initial_window_bytes(),
            last_sent: Time::ZERO,
        }
    }

    /// A segment with data left, old or new.
    pub(super) const fn on_sent(&mut self, now: Time) {
        self.last_sent = now;
    }

    /// Data is about to be sent while nothing is outstanding.
    pub(super) fn on_resume(&self, now: Time, rto: Duration, windows: Windows) -> IdleEvent {
        let idle = now.since(self.last_sent);
        let windows = match self.rule {
            RestartAfterIdle::InitialWindow if idle > rto => self.restart(windows),
            RestartAfterIdle::Decay if idle > rto => self.decay(windows, idle, rto),
            _ => windows,
        };
        IdleEvent { now, idle, windows }
    }

    /// RFC 5681 §4.1: cwnd = min(IW, cwnd).
    fn restart(&self, windows: Windows) -> Windows {
        Windows { window: windows.window.min(self.initial_window), ..windows }
    }

    /// Linux, `tcp_cwnd_restart`: cwnd halves for every complete RTO that has passed, but not below min(IW, cwnd).
    fn decay(&self, windows: Windows, idle: Duration, rto: Duration) -> Windows {
        let least = self.initial_window.min(windows.window);
        let mut window = windows.window;
        let mut rest = idle.as_nanos().saturating_sub(rto.as_nanos());
        while rest > 0 && window > least {
            window = whole(window / 2.0, self.quantum);
            rest = rest.saturating_sub(rto.as_nanos());
        }
        Windows { window: window.max(least), slow_start_threshold: remembered_threshold(windows, self.quantum) }
    }
}

/// ssthresh = max(ssthresh, 3/4 cwnd): remembers the window reached when cwnd shrinks for lack of use (RFC 7661
/// §4.4.3; Linux, `tcp_current_ssthresh`).
pub(super) fn remembered_threshold(windows: Windows, quantum: f64) -> f64 {
    let three_quarters = whole(windows.window / 2.0, quantum) + whole(windows.window / 4.0, quantum);
    windows.slow_start_threshold.max(three_quarters)
}

/// Rounded down to a multiple of `quantum`, if there is one.
fn whole(bytes: f64, quantum: f64) -> f64 {
    if quantum > 0.0 { libm::floor(bytes / quantum) * quantum } else { bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{InitialWindow, Rules};

    const MSS: f64 = 1000.0;

    fn resumed(rule: RestartAfterIdle, idle_ms: u64, segments: f64) -> (f64, f64) {
        let config = Tcp {
            mss: Bytes::new(1000),
            initial_window: InitialWindow::Segments,
            initial_window_segments: 10,
            restart_after_idle: rule,
            rules: Rules { growth: Growth::WholeSegments, ..Rules::default() },
            ..Tcp::default()
        };
        let windows = Windows { window: segments * MSS, slow_start_threshold: 5.0 * MSS };
        let idle = Idle::new(&config);
        let event = idle.on_resume(Time::ZERO + Duration::from_millis(idle_ms), Duration::from_millis(200), windows);
        (event.windows.window / MSS, event.windows.slow_start_threshold / MSS)
    }

    #[test]
    fn one_rto_of_idle_time_changes_nothing_and_a_longer_one_restarts() {
        assert_eq!(resumed(RestartAfterIdle::InitialWindow, 200, 40.0), (40.0, 5.0));
        assert_eq!(resumed(RestartAfterIdle::InitialWindow, 201, 40.0), (10.0, 5.0));
        assert_eq!(resumed(RestartAfterIdle::InitialWindow, 201, 4.0), (4.0, 5.0));
        assert_eq!(resumed(RestartAfterIdle::Off, 9999, 40.0), (40.0, 5.0));
    }

    #[test]
    fn decay_halves_for_each_rto_and_remembers_three_quarters_in_ssthresh() {
        // 43 segments: 21 after more than one RTO, 10 after more than two; ssthresh 21 + 10.
        assert_eq!(resumed(RestartAfterIdle::Decay, 200, 43.0), (43.0, 5.0));
        assert_eq!(resumed(RestartAfterIdle::Decay, 201, 43.0), (21.0, 31.0));
        assert_eq!(resumed(RestartAfterIdle::Decay, 401, 43.0), (10.0, 31.0));
        assert_eq!(resumed(RestartAfterIdle::Decay, 60_000, 43.0), (10.0, 31.0));
        assert_eq!(resumed(RestartAfterIdle::Decay, 60_000, 6.0), (6.0, 5.0));
    }
}
