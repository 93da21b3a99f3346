//! A ceiling on the SINR, from what grows with the signal itself (imperfect filters, self-interference):
//! 1 / SINR = 1 / SNR + 1 / ceiling, as power ratios.
//!
//! Left out: a ceiling that depends on the modulation or on the speed.

use super::decibel::decibels;
use crate::types::Decibel;
use crate::types::declare::{Section, Words};

/// 1/SINR = 1/SNR + 1/ceiling, as power ratios: self-interference and transmitter noise.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct CeilingConfig {
    /// Largest SINR that a receiver can see; "inf" for none.
    #[field(
        name = "sinr_db",
        unit = "dB",
        at_least = -200,
        at_most = 200,
        infinite,
        default = Decibel::new(f64::INFINITY),
        source = "airlink default: none; profile K3 of [Klein04]: 10 log10 20"
    )]
    pub sinr: Decibel,
    /// "mean": to the mean SNR (from place or list; not to a trace), before shadowing and fading; "instantaneous": to
    /// the SNR of each slot, after both.
    #[field(default = CeilingTarget::Mean, source = "airlink default: a mean over the fading, as reports of SINR are")]
    pub applies_to: CeilingTarget,
}

/// Where a ceiling acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum CeilingTarget {
    /// On the mean SNR.
    Mean,
    /// On the SNR of each slot.
    Instantaneous,
}

impl CeilingConfig {
    /// The ceiling on a user's mean SNR.
    pub fn on_mean(&self) -> Ceiling {
        self.on(CeilingTarget::Mean)
    }

    /// The ceiling on a user's SNR of each slot.
    pub fn on_slots(&self) -> Ceiling {
        self.on(CeilingTarget::Instantaneous)
    }

    fn on(&self, target: CeilingTarget) -> Ceiling {
        if self.applies_to == target { Ceiling::new(self.sinr) } else { Ceiling::NONE }
    }
}

/// The SINR that no signal exceeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling(Decibel);

impl Ceiling {
    /// No ceiling: signals pass unchanged, bit by bit.
    pub const NONE: Self = Self(Decibel::new(f64::INFINITY));

    /// A ceiling of `sinr`; infinity is [`Ceiling::NONE`].
    pub const fn new(sinr: Decibel) -> Self {
        Self(sinr)
    }

    /// The SINR of a signal of `snr`.
    pub fn apply(self, snr: Decibel) -> Decibel {
        if self == Self::NONE {
            return snr;
        }
        // Dividing by the larger of the two keeps the power below 1, so nothing overflows.
        let distance = (self.0.db() - snr.db()).abs();
        let loss = 10.0 * libm::log10(1.0 + libm::pow(10.0, -distance / 10.0));
        Decibel::new(self.0.db().min(snr.db()) - loss)
    }

    /// Replaces each SNR, in dB, by its SINR.
    pub(super) fn apply_to_all(self, signal_db: &mut [f32]) {
        const DB_PER_OCTAVE: f32 = 3.010_3;
        if self == Self::NONE {
            return;
        }
        let ceiling_db = self.0.db() as f32; // blocks are single precision
        for signal in signal_db {
            let ratio = libm::exp2f((ceiling_db - *signal).abs() * (-1.0 / DB_PER_OCTAVE));
            *signal = ceiling_db.min(*signal) - DB_PER_OCTAVE * libm::log2f(1.0 + ratio);
        }
    }
}

/// A level under a ceiling, for gains on top of it: what a row of subchannels shares in a slot.
///
/// With the level L, the ceiling C and a gain g as power ratios, SINR = 1 / (1 / (L g) + 1 / C) = R g / (a + b g), where
/// R is the lower of L and C: below the ceiling a = 1 and b = L / C, above it a = C / L and b = 1. So only one
/// logarithm is taken of each gain, and nothing overflows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct UnderCeiling {
    level_db: f32,
    reference_db: f32,
    constant: f32,
    slope: f32,
}

impl UnderCeiling {
    pub(super) fn new(level_db: f32, ceiling: Ceiling) -> Self {
        if ceiling == Ceiling::NONE {
            return Self { level_db, reference_db: level_db, constant: 1.0, slope: 0.0 };
        }
        let ceiling_db = ceiling.0.db() as f32; // rows are single precision
        let ratio = libm::pow(10.0, -f64::from((ceiling_db - level_db).abs()) / 10.0) as f32;
        if level_db <= ceiling_db {
            Self { level_db, reference_db: level_db, constant: 1.0, slope: ratio }
        } else {
            // A level so high that nothing but the ceiling is left still divides by more than 0.
            Self { level_db, reference_db: ceiling_db, constant: ratio.max(f32::MIN_POSITIVE), slope: 1.0 }
        }
    }

    /// The same for another level; free of charge for the same one.
    #[inline]
    pub(super) fn moved_to(self, level_db: f32, ceiling: Ceiling) -> Self {
        if self.level_db.to_bits() == level_db.to_bits() { self } else { Self::new(level_db, ceiling) }
    }

    /// True when the ceiling changes no bit.
    pub(super) fn is_free(self) -> bool {
        self.slope == 0.0
    }

    /// The signal in dB with a gain of `gain`, where [`Self::is_free`].
    #[inline(always)]
    pub(super) fn without_ceiling(self, gain: f32) -> f32 {
        self.reference_db + decibels(gain)
    }

    /// The signal in dB with a gain of `gain`.
    #[inline(always)]
    pub(super) fn with_ceiling(self, gain: f32) -> f32 {
        self.reference_db + decibels(gain / (self.constant + self.slope * gain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_on_a_level_end_under_the_ceiling_as_the_formula_says() {
        for ceiling_db in [-20.0, 0.0, 13.0, 21.0, 200.0] {
            for level_db in [-200.0, -30.5, -9.0, 0.0, 12.9, 13.0, 13.1, 21.0, 47.0, 200.0_f32] {
                let ceiling = Ceiling::new(Decibel::new(ceiling_db));
                let under = UnderCeiling::new(level_db, ceiling);
                for step in 0..2_000 {
                    let gain = libm::powf(10.0, (f64::from(step) * 0.005 - 7.0) as f32);
                    let snr = Decibel::new(f64::from(level_db) + 10.0 * libm::log10(f64::from(gain)));
                    let exact = ceiling.apply(snr).db();
                    let error = (f64::from(under.with_ceiling(gain)) - exact).abs();
                    // The ratio's roundings (some 1e-6 dB), and 1.2e-7 of what is converted and added.
                    let bound = 2e-6 + 1.2e-7 * (exact.abs() + 2.0 * f64::from(under.reference_db).abs());
                    assert!(error < bound, "{gain} on {level_db} under {ceiling_db}: {error}");
                }
            }
        }
    }

    #[test]
    fn no_ceiling_and_one_far_above_are_free() {
        assert!(UnderCeiling::new(3.0, Ceiling::NONE).is_free());
        assert!(UnderCeiling::new(f32::NEG_INFINITY, Ceiling::new(Decibel::new(13.0))).is_free());
        assert!(!UnderCeiling::new(3.0, Ceiling::new(Decibel::new(60.0))).is_free());
        let silent = UnderCeiling::new(f32::NEG_INFINITY, Ceiling::new(Decibel::new(13.0)));
        assert_eq!(silent.with_ceiling(2.0), f32::NEG_INFINITY);
        for gain in [0.0, 1e-12, 0.7, 1.0, 33.0] {
            let free = UnderCeiling::new(3.0, Ceiling::NONE);
            assert_eq!(free.with_ceiling(gain), free.without_ceiling(gain));
        }
    }
}
