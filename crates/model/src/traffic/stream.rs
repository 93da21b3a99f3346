//! Messages of one size, one after the other at a constant rate.

use crate::types::{Bytes, Duration, Rate};

/// Nanoseconds that a bit takes at a millionth of a bit a second.
const NANOS_PER_MICROBIT: u128 = 1_000_000_000_000_000;

/// Messages of one size at a constant rate. Message n comes at floor(n x 8 L / R), an exact ratio: a stream never drifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// L.
    message: Bytes,
    /// R, in millionths of a bit a second.
    microbits_per_s: u64,
}

impl Stream {
    /// Messages of `message` bytes at `rate`, which is taken to the millionth of a bit a second.
    pub fn new(message: Bytes, rate: Rate) -> Self {
        // Apart, so that whole rates stay exact.
        let (whole, fraction) = (rate.bps().floor(), rate.bps().fract());
        let microbits_per_s = (whole as u64).saturating_mul(1_000_000) + (fraction * 1e6 + 0.5) as u64;
        assert!(microbits_per_s > 0 && !message.is_zero(), "a stream has a rate and messages");
        Self { message, microbits_per_s }
    }

    /// The size of a message.
    pub const fn message(self) -> Bytes {
        self.message
    }

    /// From the first message, number 0, to this one.
    pub fn time_of(self, number: u64) -> Duration {
        let microbits = u128::from(number).saturating_mul(u128::from(self.message.bits()) * NANOS_PER_MICROBIT);
        let nanoseconds = microbits / u128::from(self.microbits_per_s);
        u64::try_from(nanoseconds).map_or(Duration::FOREVER, Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(message: u64, rate_bps: f64) -> Stream {
        Stream::new(Bytes::new(message), Rate::from_bps(rate_bps))
    }

    #[test]
    fn a_stream_of_a_third_of_a_second_never_drifts() {
        let stream = stream(125, 3000.0);
        assert_eq!(stream.time_of(0), Duration::ZERO);
        assert_eq!(stream.time_of(1), Duration::from_nanos(333_333_333));
        assert_eq!(stream.time_of(3_000_000_000), Duration::from_nanos(1_000_000_000_000_000_000));
    }

    #[test]
    fn rates_are_taken_to_the_millionth_of_a_bit() {
        assert_eq!(stream(1, 0.000_001).time_of(1), Duration::from_nanos(8_000_000_000_000_000));
        assert_eq!(stream(1250, 1e12).time_of(7), Duration::from_nanos(70));
        assert_eq!(stream(1, 800.25).time_of(3201), Duration::from_nanos(32_000_000_000));
    }

    #[test]
    fn a_message_beyond_all_time_never_comes() {
        assert_eq!(stream(u64::MAX, 1.0).time_of(u64::MAX), Duration::FOREVER);
    }
}
