//! The rate of a link that works at a fixed loss from the channel's capacity [Shannon48]:
//! R = min(W log2(1 + SNR / gap), R_max).
//!
//! Basic arithmetic only, so that the loop over a block vectorises and the bits are the same everywhere. With y the
//! SNR over the gap in octaves, log2(1 + 2^y) = max(y, 0) + log2(1 + 2^-|y|), whose last term is a series for every y:
//! weak signals keep their relative precision. Error below 1e-6 of the rate (tested against libm).
//!
//! Left out: a gap that depends on the rate, finite block lengths.

use std::f32::consts::{LN_2, LOG2_10, LOG2_E};

use super::exponential::power_of_half;
use crate::types::declare::Section;
use crate::types::{Decibel, Rate};

/// The capacity of a carrier.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "RateFromCapacity")]
pub struct CapacityConfig {
    /// Bandwidth of the whole carrier. `[carrier]` does not set it: with other subchannels, change it, too.
    #[field(unit = "Hz", above = 0, at_most = 1e12, source = "[Klein04]: 1.25 MHz")]
    pub bandwidth_hz: f64,
    /// SNR lost against capacity.
    #[field(
        name = "gap_db",
        unit = "dB",
        at_least = -50,
        at_most = 50,
        default = Decibel::new(0.0),
        source = "airlink default: none"
    )]
    pub gap: Decibel,
    /// Highest rate of the modem.
    #[field(
        name = "max_rate_bps",
        unit = "b/s",
        above = 0,
        at_most = 1e12,
        infinite,
        default = Rate::UNLIMITED,
        source = "airlink default: none"
    )]
    pub max_rate: Rate,
}

/// R = min(W log2(1 + SNR / gap), R_max).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapacityRule {
    bandwidth_hz: f32,
    gap_db: f32,
    max_rate_bps: f32,
}

impl CapacityRule {
    /// The rule for `bandwidth_hz` above 0, a loss against capacity of `gap` and at most `max_rate`.
    pub fn new(bandwidth_hz: f64, gap: Decibel, max_rate: Rate) -> Self {
        assert!(bandwidth_hz > 0.0, "a bandwidth is above 0");
        // Blocks are single precision.
        Self { bandwidth_hz: bandwidth_hz as f32, gap_db: gap.db() as f32, max_rate_bps: max_rate.bps() as f32 }
    }

    #[inline(always)]
    pub(super) fn rate_bps(self, snr_db: f32) -> f32 {
        let rate_bps = self.bandwidth_hz * bits_per_hertz(snr_db - self.gap_db);
        if rate_bps < self.max_rate_bps { rate_bps } else { self.max_rate_bps }
    }

    pub(super) fn required_db(self, rate_bps: f32) -> f32 {
        if rate_bps > self.max_rate_bps {
            return f32::INFINITY;
        }
        self.gap_db + decibels_of_bits(rate_bps / self.bandwidth_hz)
    }
}

/// The capacity log2(1 + SNR) at `snr_db`, bit/s/Hz.
#[inline(always)]
pub(super) fn bits_per_hertz(snr_db: f32) -> f32 {
    bits_at(snr_db * (LOG2_10 / 10.0))
}

/// The SNR in dB whose capacity is `bits` per second and hertz.
pub(super) fn decibels_of_bits(bits: f32) -> f32 {
    10.0 * libm::log10f(libm::expm1f(bits * LN_2))
}

/// log2(1 + 2^`octaves`).
#[inline(always)]
fn bits_at(octaves: f32) -> f32 {
    let above = if octaves > 0.0 { octaves } else { 0.0 };
    let z = power_of_half(octaves.abs());
    // ln(1 + z) = 2 artanh(s), s <= 1/3: the series to s^13 leaves 2e-8 of the value.
    let s = z / (2.0 + z);
    let y = s * s;
    let tail = y * (1.0 / 9.0 + y * (1.0 / 11.0 + y * (1.0 / 13.0)));
    let series = 1.0 + y * (1.0 / 3.0 + y * (1.0 / 5.0 + y * (1.0 / 7.0 + tail)));
    above + 2.0 * LOG2_E * (s * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capacity_matches_libm_from_the_faintest_to_the_strongest_signal() {
        for step in -120_000..=120_000_i32 {
            let octaves = step as f32 / 1000.0;
            let exact = libm::log1p(libm::exp2(f64::from(octaves))) * std::f64::consts::LOG2_E;
            let error = (f64::from(bits_at(octaves)) / exact - 1.0).abs();
            assert!(error < 4e-7, "{octaves}: {error}");
        }
    }

    #[test]
    fn nothing_known_and_no_signal_give_no_rate_and_one_octave_up_one_bit_more() {
        assert_eq!(bits_at(f32::NEG_INFINITY), 0.0);
        assert_eq!(bits_at(0.0), 1.0);
        assert_eq!(bits_at(f32::INFINITY), f32::INFINITY);
    }
}
