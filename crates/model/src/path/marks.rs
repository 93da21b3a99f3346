//! Lists that time or counting runs along: each look costs a comparison, whatever the list's length.

use crate::types::Time;

/// Numbers of packets, of which each is met once, in rising order.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    numbers: Vec<u64>,
    next: usize,
}

impl Numbers {
    pub(super) fn new(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        Self { numbers, next: 0 }
    }

    /// Whether `number` is in the list; asked for 0, 1, 2, ...
    pub(super) fn has(&mut self, number: u64) -> bool {
        let found = self.numbers.get(self.next) == Some(&number);
        self.next += usize::from(found);
        found
    }
}

/// Moments, each of which is for the first packet that comes then or later.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    times: Vec<Time>,
    next: usize,
}

impl Moments {
    pub(super) fn new(mut times: Vec<Time>) -> Self {
        times.sort_unstable();
        Self { times, next: 0 }
    }

    /// Whether a moment has come since the packet before; asked with times that never fall.
    pub(super) fn has_come(&mut self, now: Time) -> bool {
        let before = self.next;
        while self.times.get(self.next).is_some_and(|&time| time <= now) {
            self.next += 1;
        }
        self.next > before
    }
}

/// An interval of time [from, until).
pub(super) trait Interval {
    fn from(&self) -> Time;
    fn until(&self) -> Time;
}

/// Intervals that don't overlap.
#[derive(Clone, Debug)]
pub(super) struct Intervals<S> {
    intervals: Vec<S>,
    next: usize,
}

impl<S: Interval + Copy> Intervals<S> {
    pub(super) fn new(mut intervals: Vec<S>) -> Self {
        intervals.sort_by_key(S::from);
        Self { intervals, next: 0 }
    }

    /// The interval that holds `now`; asked with times that never fall.
    pub(super) fn at(&mut self, now: Time) -> Option<S> {
        while self.intervals.get(self.next).is_some_and(|interval| interval.until() <= now) {
            self.next += 1;
        }
        self.intervals.get(self.next).copied().filter(|interval| interval.from() <= now)
    }
}
