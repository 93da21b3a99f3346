//! Moments and spans in whole ticks of a clock, mostly without a division: from one ACK to the next they hardly change.

use crate::types::{Duration, Time};

/// Whole ticks since the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TickCount {
    /// In nanoseconds.
    tick: u64,
    /// Of the moment asked for last: its ticks, and when the last of them was.
    past: u64,
    boundary: u64,
}

impl TickCount {
    pub(super) const fn new(tick: Duration) -> Self {
        Self { tick: tick.as_nanos(), past: 0, boundary: 0 }
    }

    /// Those that are over at `now`.
    #[inline]
    pub(super) const fn at(&mut self, now: Time) -> u64 {
        if now.as_nanos().wrapping_sub(self.boundary) >= self.tick {
            self.past = now.as_nanos() / self.tick;
            self.boundary = self.past * self.tick;
        }
        self.past
    }
}

/// Spans in whole ticks, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WholeSpan {
    /// In nanoseconds.
    tick: u64,
    /// Of the span asked for last.
    ticks: u64,
    /// So many ticks in nanoseconds: spans above this less a tick are rounded to it.
    whole: u64,
}

impl WholeSpan {
    pub(super) const fn new(tick: Duration) -> Self {
        Self { tick: tick.as_nanos(), ticks: 0, whole: 0 }
    }

    /// In nanoseconds.
    pub(super) const fn tick(&self) -> u64 {
        self.tick
    }

    /// How many ticks `span` takes.
    #[inline]
    pub(super) const fn ticks(&mut self, span: Duration) -> u64 {
        if self.whole.wrapping_sub(span.as_nanos()) < self.tick {
            return self.ticks;
        }
        let ticks = span.as_nanos().div_ceil(self.tick);
        // A span near the end of time is not remembered.
        if let Some(whole) = ticks.checked_mul(self.tick) {
            (self.ticks, self.whole) = (ticks, whole);
        }
        ticks
    }

    /// So many ticks.
    #[inline]
    pub(super) const fn rounded_up(&mut self, span: Duration) -> Duration {
        Duration::from_nanos(self.ticks(span).saturating_mul(self.tick))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_those_of_a_division_whatever_was_asked_before() {
        let tick = Duration::from_nanos(7);
        let (mut count, mut span) = (TickCount::new(tick), WholeSpan::new(tick));
        let near_the_end = (0..20).map(|k| u64::MAX - k);
        for nanoseconds in (0..100).chain([13, 14, 15, 7, 0, 6, 1000, 994]).chain(near_the_end).chain([0, 1, 50]) {
            assert_eq!(count.at(Time::from_nanos(nanoseconds)), nanoseconds / 7);
            assert_eq!(span.ticks(Duration::from_nanos(nanoseconds)), nanoseconds.div_ceil(7));
        }
    }
}
