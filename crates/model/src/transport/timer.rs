//! The one timer of a sender and what it stands for (RFC 8985 §8): its uses exclude one another, so arming one of them
//! replaces whatever was armed.
//!
//! It is exact, or it waits for a tick of the coarse clock that round trips are measured by, or it ticks as Linux's does (`kernel/time/timer.c`): a span is rounded up to whole ticks and counted
//! from the tick boundary before, and the timer rings one tick later, so never early; spans from 63 ticks on ring at
//! multiples of 8 ticks only, from 504 at multiples of 64, and so on. Boundaries are multiples of the tick since the
//! start of the run.
//!
//! With the coarse clock it rings at the first tick after its span is over, as a system does that looks at its timers
//! when the clock ticks: up to one tick late, never early. That is for timeouts (retransmission, closed window); probes
//! and reordering, which are of later systems, stay exact.

use crate::types::{Duration, Time};

use super::rtt::RtoConfig;
use super::ticks::{TickCount, WholeSpan};

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
    ticks: Ticks,
}

/// Which clock it rings by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ticks {
    /// None: when the span is over.
    Exact,
    /// Linux's wheel.
    Wheel(Wheel),
    /// The clock of the round trips; its tick in nanoseconds, and its lead over the run's.
    Coarse(u64, Duration),
}

/// Linux's wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wheel {
    past: TickCount,
    span: WholeSpan,
}

impl Timer {
    /// It is off.
    pub(super) fn new(config: &RtoConfig) -> Self {
        let (wheel, coarse) = (config.timer_tick, config.tick.as_nanos());
        let ticks = match (wheel, coarse) {
            (Duration::ZERO, 1..) if config.next_tick => Ticks::Coarse(coarse, config.tick_offset),
            (Duration::ZERO, _) => Ticks::Exact,
            _ => Ticks::Wheel(Wheel { past: TickCount::new(wheel), span: WholeSpan::new(wheel) }),
        };
        Self { at: Time::NEVER, alarm: Alarm::Retransmission, ticks }
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
        self.at = match &mut self.ticks {
            Ticks::Exact => now + span,
            Ticks::Wheel(wheel) => wheel.ring(now, span),
            Ticks::Coarse(..) => self.on_a_tick(now, span),
        };
    }

    /// Off.
    pub(super) const fn stop(&mut self) {
        self.at = Time::NEVER;
    }

    #[inline(never)]
    fn on_a_tick(&self, now: Time, span: Duration) -> Time {
        match self.ticks {
            Ticks::Coarse(tick, offset) if matches!(self.alarm, Alarm::Retransmission | Alarm::Persist) => {
                next_tick(tick, offset, now + span)
            }
            _ => now + span,
        }
    }
}

impl Wheel {
    /// When it rings that is armed at `now`.
    #[inline]
    fn ring(&mut self, now: Time, span: Duration) -> Time {
        let ticks = self.span.ticks(span);
        let expiry = self.past.at(now).saturating_add(ticks);
        let ring = if ticks < 63 { expiry.saturating_add(1) } else { Self::coarser(ticks, expiry) };
        Time::from_nanos(ring.saturating_mul(self.span.tick()))
    }

    /// The tick at which a span of many ticks rings that is over at the tick `expiry`.
    #[inline(never)]
    const fn coarser(ticks: u64, expiry: u64) -> u64 {
        let mut bits = 0;
        while ticks >= 63 << bits && bits < 21 {
            bits += 3;
        }
        ((expiry >> bits) + 1).saturating_mul(1 << bits)
    }
}

/// The first tick after a moment; one at that very moment may just have passed.
fn next_tick(tick: u64, offset: Duration, over: Time) -> Time {
    let shown = over.as_nanos().saturating_add(offset.as_nanos());
    let ring = (shown / tick + 1).saturating_mul(tick);
    Time::from_nanos(ring.saturating_sub(offset.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rings(tick: u64, now: u64, span: u64) -> u64 {
        let mut timer = Timer::new(&RtoConfig { timer_tick: Duration::from_millis(tick), ..RtoConfig::default() });
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

    fn rings_coarsely(alarm: Alarm, offset: u64, now: u64, span: u64) -> u64 {
        let (tick, tick_offset) = (Duration::from_millis(200), Duration::from_millis(offset));
        let mut timer = Timer::new(&RtoConfig { tick, tick_offset, next_tick: true, ..RtoConfig::default() });
        timer.arm(alarm, Time::ZERO + Duration::from_millis(now), Duration::from_millis(span));
        timer.at().as_nanos() / 1_000_000
    }

    #[test]
    fn a_coarse_clock_rings_at_the_first_tick_after_the_span() {
        assert_eq!(rings_coarsely(Alarm::Retransmission, 0, 17, 250), 400);
        assert_eq!(rings_coarsely(Alarm::Retransmission, 0, 140, 250), 400);
        assert_eq!(rings_coarsely(Alarm::Retransmission, 0, 160, 250), 600);
        // Over at a tick: that one may just have passed.
        assert_eq!(rings_coarsely(Alarm::Retransmission, 0, 150, 250), 600);
        // 60 ms ahead, the clock ticks at 140, 340, 540.
        assert_eq!(rings_coarsely(Alarm::Retransmission, 60, 140, 250), 540);
        assert_eq!(rings_coarsely(Alarm::Persist, 0, 17, 250), 400);
    }

    #[test]
    fn a_coarse_clock_leaves_probes_and_reordering_exact() {
        assert_eq!(rings_coarsely(Alarm::Probe, 0, 17, 250), 267);
        assert_eq!(rings_coarsely(Alarm::Reordering, 0, 17, 250), 267);
    }

    #[test]
    fn arming_replaces_and_stopping_ends() {
        let mut timer = Timer::new(&RtoConfig::default());
        assert!(!timer.is_armed_for(Alarm::Retransmission));
        timer.arm(Alarm::Retransmission, Time::ZERO, Duration::from_millis(5));
        timer.arm(Alarm::Probe, Time::ZERO, Duration::from_millis(9));
        assert!(timer.is_armed_for(Alarm::Probe) && !timer.is_armed_for(Alarm::Retransmission));
        timer.stop();
        assert!(!timer.is_armed_for(Alarm::Probe));
    }
}
