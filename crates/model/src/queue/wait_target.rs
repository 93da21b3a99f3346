//! Bytes without a price that follow a target: packets are to wait so long on average ([Andrew08] section 5.9 leaves it open).
//!
//! When a packet of s bytes leaves after a wait of W,
//!   a <- a + speed s (target - W), within [`least`, `most`],
//! so at a rate mu of departures a' = speed (target - W) mu: integral control. While neither bound is touched, the mean wait of
//! the bytes that left is target - (what a gained) / (speed x bytes): at the target in the long run, whatever the channel does.
//!
//! A packet whose wait is too short raises a only while something had a price within `hold`: where nothing has one, it is not a
//! that holds the flows back, and a would grow without end. Nothing leaves, nothing moves.
//!
//! It leaves out: a speed that follows the flows' round trips, which bound it (docs/models/clamp.md).

use super::measured_price::MeasuredPriceConfig;
use crate::types::declare::Section;
use crate::types::{Bytes, Duration, Time};

/// A price whose a follows a wait.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct ClampDelayPriceConfig {
    /// What it measures of its queue.
    #[field(group)]
    pub measured: MeasuredPriceConfig,
    /// The target mean wait, from a packet's arrival in the queue to its departure.
    #[field(
        name = "target_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(20),
        source = "airlink default; [Andrew08]: low to moderate, 50 or less"
    )]
    pub target: Duration,
    /// How fast a follows; b / speed_hz is the time constant, and its stability is on the page of CLAMP.
    #[field(
        unit = "1/s",
        above = 0,
        at_most = 1000,
        default = 0.05,
        source = "airlink default: stable for any round trip at targets from 5 ms on, with b = 1"
    )]
    pub speed_hz: f64,
    /// a at first.
    #[field(
        unit = "bytes",
        at_least = -1e12,
        at_most = 1e12,
        default = 5500.0,
        source = "airlink default: that of the paper"
    )]
    pub initial_free_a_bytes: f64,
    /// The least a; below 0 an empty queue has a price.
    #[field(
        unit = "bytes",
        at_least = -1e12,
        at_most = 1e12,
        default = -10_000.0,
        source = "airlink default: what 20 flows add"
    )]
    pub least_free_a_bytes: f64,
    /// The most.
    #[field(
        unit = "bytes",
        at_least = -1e12,
        at_most = 1e12,
        default = 6e6,
        source = "airlink default: the buffer of [Andrew08], section 4.3"
    )]
    pub most_free_a_bytes: f64,
    /// a rises only for so long after the last price above 0; later, something else keeps the queue short.
    #[field(
        name = "hold_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(20_000),
        source = "airlink default: the time constant of a"
    )]
    pub hold: Duration,
}

#[derive(Clone, Debug)]
pub(super) struct WaitTarget {
    config: ClampDelayPriceConfig,
    bytes: f64,
    priced_at: Time,
}

impl WaitTarget {
    pub(super) const fn new(config: ClampDelayPriceConfig) -> Self {
        Self { config, bytes: config.initial_free_a_bytes, priced_at: Time::ZERO }
    }

    /// a.
    pub(super) const fn bytes(&self) -> f64 {
        self.bytes
    }

    /// A packet of `bytes` leaves that came at `queued_at`; `is_priced` if it had a price as a was.
    pub(super) fn on_departure(&mut self, now: Time, queued_at: Time, bytes: Bytes, is_priced: bool) {
        if is_priced {
            self.priced_at = now;
        }
        let config = &self.config;
        let missing_s = config.target.as_secs() - now.since(queued_at).as_secs();
        if missing_s > 0.0 && now.since(self.priced_at) > config.hold {
            return;
        }
        let change = config.speed_hz * bytes.count() as f64 * missing_s;
        self.bytes = (self.bytes + change).max(config.least_free_a_bytes).min(config.most_free_a_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target() -> WaitTarget {
        WaitTarget::new(ClampDelayPriceConfig {
            target: Duration::from_millis(20),
            speed_hz: 0.5,
            initial_free_a_bytes: 100.0,
            least_free_a_bytes: -40.0,
            most_free_a_bytes: 130.0,
            hold: Duration::from_millis(1000),
            ..ClampDelayPriceConfig::default()
        })
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// a after packets of 1000 bytes: when each left, its wait in ms, whether it had a price.
    fn play(packets: &[(u64, u64, bool)]) -> Vec<f64> {
        let mut target = target();
        let mut bytes = Vec::new();
        for &(left, waited, is_priced) in packets {
            target.on_departure(at(left), at(left - waited), Bytes::new(1000), is_priced);
            bytes.push((target.bytes() * 1e6).round() / 1e6);
        }
        bytes
    }

    #[test]
    fn a_moves_by_speed_times_bytes_times_what_is_missing_within_its_bounds() {
        // 0.5 x 1000 x (20, 0, -40, -200, 20) ms.
        let bytes = play(&[(100, 0, true), (110, 20, true), (120, 60, true), (220, 220, true), (300, 0, true)]);
        assert_eq!(bytes, [110.0, 110.0, 90.0, -10.0, 0.0]);
        let bytes = play(&[(500, 400, true), (500, 0, true), (500, 0, true)]);
        assert_eq!(bytes, [-40.0, -30.0, -20.0], "the least");
        assert_eq!(play(&[(100, 0, true); 5])[4], 130.0, "the most");
    }

    #[test]
    fn a_does_not_rise_where_nothing_has_had_a_price_for_long() {
        let bytes = play(&[(900, 0, false), (1000, 0, false), (1001, 0, false), (1002, 40, false), (1003, 10, true)]);
        assert_eq!(bytes, [110.0, 120.0, 120.0, 110.0, 115.0], "it may fall at any time");
        assert_eq!(play(&[(900, 20, true), (1900, 0, false), (1901, 0, false)]), [100.0, 110.0, 110.0]);
    }
}
