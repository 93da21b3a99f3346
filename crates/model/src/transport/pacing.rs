//! A paced sender: after each segment the next one waits as long as this one takes at the pacing rate, gain * cwnd / SRTT.
//!
//! The gain of slow start holds below half of ssthresh, as in Linux (`tcp_update_pacing_rate`); the first ten segments of
//! a connection and what is sent before there is a round-trip time go unpaced, and lateness is made up for by at most
//! half a gap (`tcp_update_skb_after_send`). A congestion control may give the rate itself; then all segments are paced, at
//! that rate. Left out: bursts of several segments (TSO).

use crate::types::declare::Section;
use crate::types::{Duration, Time};

use super::windows::Windows;

/// Linux: segments of a connection that are not paced.
const UNPACED_SEGMENTS: u64 = 10;

/// How segments are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub enum Pacing {
    /// Segments leave as soon as the window allows.
    #[section(class = "PacingOff", about = "Not paced")]
    Off,
    /// Segments leave at gain x cwnd / SRTT.
    #[section(class = "PacingByWindow", about = "Paced at a multiple of cwnd / SRTT")]
    Window(WindowPacing),
}

/// The gains of cwnd / SRTT.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "PacingByWindow")]
pub struct WindowPacing {
    /// Gain in slow start.
    #[field(above = 0, at_most = 100, default = 2.0, source = "Linux: tcp_pacing_ss_ratio, 200 %")]
    pub slow_start_gain: f64,
    /// Gain in congestion avoidance.
    #[field(above = 0, at_most = 100, default = 1.2, source = "Linux: tcp_pacing_ca_ratio, 120 %")]
    pub avoidance_gain: f64,
}

/// When the next segment may leave.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    pacing: Pacing,
    /// The congestion control may give a rate.
    has_rate: bool,
    /// The time from which on the next segment may leave.
    next: Time,
    /// When something that waits only for its time may leave; never if nothing does.
    wake: Time,
}

impl Pacer {
    pub(super) const fn new(pacing: Pacing, has_rate: bool) -> Self {
        Self { pacing, has_rate, next: Time::ZERO, wake: Time::NEVER }
    }

    /// True if segments are spaced.
    #[inline]
    pub(super) const fn is_on(&self) -> bool {
        self.has_rate || !matches!(self.pacing, Pacing::Off)
    }

    /// May a segment that everything else allows leave now? If not, [`Pacer::wake`] says when.
    pub(super) fn allows(&mut self, now: Time) -> bool {
        let is_allowed = self.next <= now;
        self.wake = if is_allowed { Time::NEVER } else { self.next };
        is_allowed
    }

    /// When to ask again, if a segment waits for its time.
    pub(super) const fn wake(&self) -> Time {
        self.wake
    }

    /// That time has come.
    pub(super) fn on_wake(&mut self, now: Time) {
        if self.wake <= now {
            self.wake = Time::NEVER;
        }
    }

    /// A segment of `bytes` leaves, paced at `rate` bytes per second or not at all.
    pub(super) fn on_sent(&mut self, now: Time, bytes: u32, rate: Option<f64>) {
        let Some(rate) = rate else {
            self.next = self.next.max(now);
            return;
        };
        // The cast saturates: a rate so low stops the sender until an ACK, or the timer.
        let gap = (f64::from(bytes) / rate * 1e9) as u64;
        let late = now.as_nanos().saturating_sub(self.next.as_nanos());
        self.next = self.next.max(now) + Duration::from_nanos(gap - late.min(gap / 2));
    }

    /// gain * cwnd / SRTT, bytes per second, for a segment that leaves after `sent_before` others; none if it goes unpaced.
    pub(super) fn rate(&self, sent_before: u64, windows: Windows, srtt: Option<Duration>) -> Option<f64> {
        let Pacing::Window(WindowPacing { slow_start_gain, avoidance_gain, .. }) = self.pacing else { return None };
        if sent_before < UNPACED_SEGMENTS {
            return None;
        }
        let is_early = windows.window < windows.slow_start_threshold / 2.0;
        let gain = if is_early { slow_start_gain } else { avoidance_gain };
        srtt.filter(|srtt| *srtt > Duration::ZERO).map(|srtt| gain * windows.window / srtt.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(microseconds: u64) -> Time {
        Time::ZERO + Duration::from_nanos(1000 * microseconds)
    }

    fn pacer() -> Pacer {
        Pacer::new(Pacing::Window(WindowPacing { slow_start_gain: 2.0, avoidance_gain: 1.25 }), false)
    }

    fn send(pacer: &mut Pacer, now: Time, sent_before: u64, windows: Windows, srtt: Option<Duration>) {
        let rate = pacer.rate(sent_before, windows, srtt);
        pacer.on_sent(now, 1000, rate);
    }

    const SRTT: Option<Duration> = Some(Duration::from_millis(100));
    // 10 segments of 1000 bytes in 100 ms: 10 ms each at gain 1, so 5 ms and 8 ms.
    const EARLY: Windows = Windows { window: 10_000.0, slow_start_threshold: f64::INFINITY };
    const LATER: Windows = Windows { window: 10_000.0, slow_start_threshold: 20_000.0 };

    #[test]
    fn a_gap_is_the_segment_at_the_gain_of_its_phase() {
        for (windows, gap) in [(EARLY, 5000), (LATER, 8000)] {
            let mut pacer = pacer();
            send(&mut pacer, after(100), 10, windows, SRTT);
            // It is 100 us late: that much of the gap is made up for.
            assert!(!pacer.allows(after(gap - 1)) && pacer.wake() == after(gap));
            assert!(pacer.allows(after(gap)) && pacer.wake() == Time::NEVER);
        }
    }

    #[test]
    fn lateness_is_made_up_for_by_half_a_gap_at_most() {
        let mut pacer = pacer();
        send(&mut pacer, after(90_000), 10, EARLY, SRTT);
        assert!(!pacer.allows(after(92_499)) && pacer.allows(after(92_500)));
    }

    #[test]
    fn ten_segments_and_whatever_precedes_a_round_trip_time_are_not_paced() {
        let mut pacer = pacer();
        send(&mut pacer, after(0), 9, EARLY, SRTT);
        assert!(pacer.allows(after(0)));
        send(&mut pacer, after(0), 10, EARLY, None);
        assert!(pacer.allows(after(0)));
        send(&mut pacer, after(0), 10, EARLY, SRTT);
        assert!(!pacer.allows(after(0)));
    }
}
