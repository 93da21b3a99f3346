//! Bytes, rates and power ratios, so that a decibel is never added to a ratio.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);
    /// More than any run carries: "unlimited".
    pub const UNLIMITED: Self = Self(u64::MAX);

    /// `count` bytes.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// The count.
    pub const fn count(self) -> u64 {
        self.0
    }

    /// The same amount in bits.
    pub const fn bits(self) -> u64 {
        self.0.saturating_mul(8)
    }

    /// What remains after `other` is taken away, at least zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The smaller amount.
    pub fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// The larger amount.
    pub fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// True for zero bytes.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        assert!(self.0 >= other.0, "more bytes taken away than there were");
        Self(self.0 - other.0)
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// A rate in bits per second; infinity means "no limit".
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate(f64);

impl Rate {
    /// A link that takes no time to send.
    pub const UNLIMITED: Self = Self(f64::INFINITY);

    /// `bps` bits per second, not negative.
    pub fn from_bps(bps: f64) -> Self {
        assert!(bps >= 0.0, "a rate is not negative");
        Self(bps)
    }

    /// Bits per second.
    pub const fn bps(self) -> f64 {
        self.0
    }

    /// The time to send `bytes`, rounded to the nearest nanosecond.
    pub fn time_to_send(self, bytes: Bytes) -> super::Duration {
        super::Duration::from_secs(bytes.bits() as f64 / self.0)
    }
}

/// A power ratio on the logarithmic scale: 10 log10(ratio).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Decibel(f64);

/// A power ratio on the linear scale.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct PowerRatio(f64);

impl Decibel {
    /// `db` decibels.
    pub const fn new(db: f64) -> Self {
        Self(db)
    }

    /// The value in decibels.
    pub const fn db(self) -> f64 {
        self.0
    }

    /// The linear ratio 10^(dB/10).
    pub fn to_ratio(self) -> PowerRatio {
        PowerRatio(libm::pow(10.0, self.0 / 10.0))
    }
}

impl PowerRatio {
    /// A linear ratio, not negative.
    pub fn new(ratio: f64) -> Self {
        assert!(ratio >= 0.0, "a power ratio is not negative");
        Self(ratio)
    }

    /// The linear value.
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The value in decibels; zero gives minus infinity.
    pub fn to_db(self) -> Decibel {
        Decibel(10.0 * libm::log10(self.0))
    }
}
