//! Time in integer nanoseconds, and slots counted in integers.
//!
//! A slot's boundary is an exact ratio of integers, so a system of 600 slots a second (5/3 ms) never drifts.
//! What this leaves out: calendar time, time zones, negative durations.

use std::ops::{Add, AddAssign, Mul};

/// A point in time, in nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// The time between two points, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than every event: never.
    pub const NEVER: Self = Self(u64::MAX);

    /// The time `nanoseconds` after the start.
    pub const fn from_nanos(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The span from `earlier` to this moment; zero when `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// Longer than any run.
    pub const FOREVER: Self = Self(u64::MAX);

    /// A span of `nanoseconds`.
    pub const fn from_nanos(nanoseconds: u64) -> Self {
        Self(nanoseconds)
    }

    /// A span of `milliseconds`.
    pub const fn from_millis(milliseconds: u64) -> Self {
        Self(milliseconds * 1_000_000)
    }

    /// A span of `seconds`, rounded to the nearest nanosecond; infinity gives [`Duration::FOREVER`].
    pub fn from_secs(seconds: f64) -> Self {
        let nanoseconds = seconds * 1e9 + 0.5;
        if nanoseconds >= u64::MAX as f64 {
            return Self::FOREVER;
        }
        Self(nanoseconds as u64)
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The longer of two spans.
    pub fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// The shorter of two spans.
    pub fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
}

/// Saturates at [`Time::NEVER`], so a time plus [`Duration::FOREVER`] is never.
impl Add<Duration> for Time {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

/// The number of a slot, from 0 at the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u64);

impl Slot {
    /// The first slot of the run.
    pub const ZERO: Self = Self(0);

    /// Slot number `number`.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The slot's number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The slot after this one.
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Slots from `earlier` to this one; zero when `earlier` is later.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Converts slots to times by an exact ratio: slot n starts at floor(n * numerator / denominator) ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotClock {
    numerator_ns: u64,
    denominator: u64,
}

impl SlotClock {
    /// A slot of `numerator_ns / denominator` nanoseconds; both at least 1.
    pub fn new(numerator_ns: u64, denominator: u64) -> Self {
        assert!(numerator_ns > 0 && denominator > 0, "a slot has a positive length");
        Self { numerator_ns, denominator }
    }

    /// The moment at which `slot` starts.
    pub fn start_of(self, slot: Slot) -> Time {
        // A 128-bit division costs more than the rest of a slot; only runs longer than a month need it.
        if let Some(product) = slot.0.checked_mul(self.numerator_ns) {
            return Time::from_nanos(product / self.denominator);
        }
        let product = u128::from(slot.0) * u128::from(self.numerator_ns);
        Time::from_nanos((product / u128::from(self.denominator)) as u64)
    }

    /// Where the slots from the second on start.
    pub const fn starts(self) -> SlotStarts {
        SlotStarts { clock: self, whole_ns: self.numerator_ns / self.denominator, at_ns: 0, part: 0 }
    }

    /// The first slot that starts at or after `time`.
    pub fn first_at_or_after(self, time: Time) -> Slot {
        let scaled = u128::from(time.as_nanos()) * u128::from(self.denominator);
        Slot(scaled.div_ceil(u128::from(self.numerator_ns)) as u64)
    }

    /// The slot's length in seconds, for averages and Doppler (never for adding up time).
    pub fn slot_secs(self) -> f64 {
        self.numerator_ns as f64 / (self.denominator as f64 * 1e9)
    }

    /// Whole bits that `rate_bps` carries in a slot, exactly, and the remainder as a fraction of a bit.
    pub fn bits_in_slot(self, rate_bps: f64) -> f64 {
        rate_bps * self.numerator_ns as f64 / (self.denominator as f64 * 1e9)
    }
}

/// One slot's start after the other, each as [`SlotClock::start_of`] has it, but without a division.
#[derive(Clone, Copy, Debug)]
pub struct SlotStarts {
    clock: SlotClock,
    /// A slot's length, rounded down.
    whole_ns: u64,
    at_ns: u64,
    /// What the latest start lies after that, in `denominator`ths of a nanosecond.
    part: u64,
}

impl SlotStarts {
    /// When the next slot starts.
    #[inline]
    pub const fn next_start(&mut self) -> Time {
        let SlotClock { numerator_ns, denominator } = self.clock;
        self.at_ns += self.whole_ns;
        self.part += numerator_ns - self.whole_ns * denominator;
        if self.part >= denominator {
            self.part -= denominator;
            self.at_ns += 1;
        }
        Time::from_nanos(self.at_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_hundred_slots_are_exactly_a_second() {
        let clock = SlotClock::new(5_000_000, 3);
        assert_eq!(clock.start_of(Slot::new(600)), Time::from_nanos(1_000_000_000));
        assert_eq!(clock.start_of(Slot::new(1)), Time::from_nanos(1_666_666));
        assert_eq!(clock.bits_in_slot(2_457_600.0), 4096.0);
    }

    #[test]
    fn at_a_slot_boundary_the_first_slot_is_the_one_that_starts_there() {
        let clock = SlotClock::new(5_000_000, 1);
        assert_eq!(clock.first_at_or_after(Time::from_nanos(10_000_000)), Slot::new(2));
        assert_eq!(clock.first_at_or_after(Time::from_nanos(10_000_001)), Slot::new(3));
    }

    #[test]
    fn starts_come_as_they_are_found_one_by_one() {
        for (numerator_ns, denominator) in [(1_000_000, 1), (1_000_000_000, 600), (7, 3), (2, 5)] {
            let clock = SlotClock::new(numerator_ns, denominator);
            let mut starts = clock.starts();
            for slot in 1..5000 {
                assert_eq!(starts.next_start(), clock.start_of(Slot::new(slot)));
            }
        }
    }

    #[test]
    fn slots_beyond_64_bits_of_product_are_still_exact() {
        let clock = SlotClock::new(5_000_000, 3);
        assert_eq!(clock.start_of(Slot::new(6_000_000_000_000)), Time::from_nanos(10_000_000_000_000_000_000));
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(Time::from_nanos(5) + Duration::FOREVER, Time::NEVER);
        assert_eq!(Duration::from_secs(f64::INFINITY), Duration::FOREVER);
    }
}
