//! The one timer of a sender and what it stands for (RFC 8985 §8): its uses exclude one another, so arming one of them
//! replaces whatever was armed.
//!
//! It is exact, or it ticks as Linux's does (`kernel/time/timer.c`): a span is rounded up to whole ticks and counted
//! from the tick boundary before, and the timer rings one tick later, so never early; spans from 63 ticks on ring at
//! multiples of 8 ticks only, from 504 at multiples of 64, and so on. Boundaries are multiples of the tick since the
//! start of the run.

use crate::types::{Duration, Time};

/// What the timer stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alarm {
    /// The retransmission timeout (RFC 6298).
    Retransmission,
    /// A tail loss probe is due (RFC 8985 §7).
    Probe,
    /// A segment's time to arrive out of order is over (RFC 8985 §6).
    Reordering,
    /// A closed window is to be probed (RFC 9293 §3.8.6.1).
    Persist,
}

/// When it rings, and for what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    /// Never, when it is off.
    at: Time,
    alarm: Alarm,
    tick: u64,
}

impl Timer {
    /// It is off. A `tick` of zero: exact.
    pub(super) const fn new(tick: Duration) -> Self {
        Self { at: Time::NEVER, alarm: Alarm::Retransmission, tick: tick.as_nanos() }
    }

    /// When it rings; never, when it is off.
    pub(super) const fn at(&self) -> Time {
        self.at
    }

    /// True when it is armed for `alarm`.
    pub(super) fn is_armed_for(&self, alarm: Alarm) -> bool {
        self.at != Time::NEVER && self.alarm == alarm
    }

    /// What it last was armed for.
    pub(super) const fn alarm(&self) -> Alarm {
        self.alarm
    }

    /// Rings after `span`.
    #[inline]
    pub(super) fn arm(&mut self, alarm: Alarm, now: Time, span: Duration) {
        self.alarm = alarm;
        self.at = if self.tick == 0 { now + span } else { self.on_the_wheel(now, span) };
    }

    /// Off.
    pub(super) const fn stop(&mut self) {
        self.at = Time::NEVER;
    }

    #[inline(never)]
    fn on_the_wheel(&self, now: Time, span: Duration) -> Time {
        let ticks = span.as_nanos().div_ceil(self.tick);
        let expiry = (now.as_nanos() / self.tick).saturating_add(ticks);
        let mut granularity = 1;
        while ticks >= 63 * granularity && granularity < 1 << 21 {
            granularity *= 8;
        }
        let ring = (expiry / granularity + 1).saturating_mul(granularity);
        Time::from_nanos(ring.saturating_mul(self.tick))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rings(tick: u64, now: u64, span: u64) -> u64 {
        let mut timer = Timer::new(Duration::from_millis(tick));
        timer.arm(Alarm::Retransmission, Time::ZERO + Duration::from_millis(now), Duration::from_millis(span));
        timer.at().as_nanos() / 1_000_000
    }

    #[test]
    fn without_a_tick_it_is_exact() {
        assert_eq!(rings(0, 17, 203), 220);
    }

    #[test]
    fn a_short_span_rings_at_the_tick_after_it_is_over() {
        // 203 ms are 51 ticks; 17 ms is in tick 4; 4 + 51 + 1.
        assert_eq!(rings(4, 17, 203), 224);
        // A span of whole ticks from a boundary: one tick late, for the boundary may just have passed.
        assert_eq!(rings(4, 16, 200), 220);
    }

    #[test]
    fn longer_spans_ring_at_coarser_ticks() {
        // 62 ticks are the last exact ones; 63 from tick 4 are due at 67, rounded up to 72 ticks.
        assert_eq!(rings(4, 16, 248), 268);
        assert_eq!(rings(4, 16, 252), 288);
        // 300 ticks from 0: 300 / 8 = 37, so 38 x 8 = 304 ticks. 504 ticks: 504 / 64 = 7, so 8 x 64 = 512.
        assert_eq!(rings(4, 0, 1200), 1216);
        assert_eq!(rings(4, 0, 2016), 2048);
    }

    #[test]
    fn arming_replaces_and_stopping_ends() {
        let mut timer = Timer::new(Duration::ZERO);
        assert!(!timer.is_armed_for(Alarm::Retransmission));
        timer.arm(Alarm::Retransmission, Time::ZERO, Duration::from_millis(5));
        timer.arm(Alarm::Probe, Time::ZERO, Duration::from_millis(9));
        assert!(timer.is_armed_for(Alarm::Probe) && !timer.is_armed_for(Alarm::Retransmission));
        timer.stop();
        assert!(!timer.is_armed_for(Alarm::Probe));
    }
}
