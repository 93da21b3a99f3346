//! Mutual information of a symbol: mean C and variance V of the information density of a channel use in white Gaussian noise.
//!
//! Quadrature amplitude modulation of m bits, all points equally likely, is two amplitude modulations of M = 2^(m/2) levels, D
//! noise deviations apart, D^2 = 12 SNR / (M^2 - 1). On one of them, sent from level l with noise z standard normal,
//!   i = log2 M - log2 S,  S = sum over the levels j of exp(k D z - k^2 D^2 / 2),  k = j - l,
//! and C = 2 E(i), V = 2 Var(i) over level and noise. The expectation over z is the trapezoidal rule, whose error falls
//! exponentially with its step for such smooth integrands. Inputs of Gaussian amplitude have C = log2(1 + SNR) and, on the
//! power shell, V = SNR (SNR + 2) / (SNR + 1)^2 log2(e)^2 ([Polyanskiy10] theorem 54, twice per complex symbol).
//!
//! C and 1 / V^(1/2) are tabulated every 1/8 dB once in a process, with linear interpolation: C within 1.2e-4 bit (tested).
//!
//! Left out: bit labels, the loss of bit-by-bit decisions (BICM), shaping.

use std::f64::consts::LOG2_E;
use std::sync::OnceLock;

/// The input of a channel use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Gaussian amplitudes: the upper bound of any modulation.
    Gaussian,
    /// Quadrature amplitude modulation of 4, 16, 64 or 256 points, by bits per symbol.
    Modulation(u8),
}

impl Input {
    /// Mean C in bit and variance V in bit^2 of the information density of a channel use at a linear `snr` above 0.
    pub fn moments(self, snr: f64) -> (f64, f64) {
        let (shortfall, variance) = self.shortfall(snr);
        (self.limit_bits() + shortfall, variance)
    }

    /// The limit of C at high SNR; 0 if there is none.
    const fn limit_bits(self) -> f64 {
        match self {
            Self::Gaussian => 0.0,
            Self::Modulation(bits) => bits as f64,
        }
    }

    /// C minus its limit, accurate also where C is near the limit, and V.
    fn shortfall(self, snr: f64) -> (f64, f64) {
        match self {
            Self::Gaussian => {
                let variance = snr * (snr + 2.0) / ((snr + 1.0) * (snr + 1.0)) * LOG2_E * LOG2_E;
                (libm::log1p(snr) * LOG2_E, variance)
            }
            Self::Modulation(bits) => {
                let (mean, variance) = amplitude_shortfall(1 << (bits / 2), snr);
                (-2.0 * mean, 2.0 * variance)
            }
        }
    }

    /// The table of this input.
    pub(super) fn table(self) -> &'static Information {
        static TABLES: [OnceLock<Information>; 5] = [const { OnceLock::new() }; 5];
        let place = match self {
            Self::Gaussian => 0,
            Self::Modulation(bits) => {
                assert!(matches!(bits, 2 | 4 | 6 | 8), "modulations have 2, 4, 6 or 8 bits");
                usize::from(bits / 2)
            }
        };
        TABLES[place].get_or_init(|| Information::new(self))
    }
}

/// Mean and variance of log2 S for `levels` amplitudes at the SNR of the two-dimensional symbol.
fn amplitude_shortfall(levels: usize, snr: f64) -> (f64, f64) {
    const STEP: f64 = 0.2;
    const REACH: u16 = 45;
    let squared = 12.0 * snr / ((levels * levels - 1) as f64);
    let distance = libm::sqrt(squared);
    let (mut mean, mut square) = (0.0, 0.0);
    // By symmetry, noise of the other sign at the mirrored level gives the same sum.
    for node in 0..=REACH {
        let z = f64::from(node) * STEP;
        let weight = if node == 0 { 1.0 } else { 2.0 } * libm::exp(-0.5 * z * z);
        let up = sums(levels, libm::exp(distance * z - 0.5 * squared), libm::exp(-squared));
        let down = sums(levels, libm::exp(-distance * z - 0.5 * squared), libm::exp(-squared));
        for level in 0..levels {
            let bits = libm::log1p(up[levels - 1 - level] + down[level]) * LOG2_E;
            mean += weight * bits;
            square += weight * bits * bits;
        }
    }
    let normal = STEP / libm::sqrt(2.0 * std::f64::consts::PI) / levels as f64;
    (mean * normal, square * normal - mean * normal * (mean * normal))
}

/// Sums of the first 0, 1, 2, ... terms t_k = t_(k-1) r_k, where r_1 = `ratio` and r_(k+1) = `fall` r_k.
fn sums(levels: usize, ratio: f64, fall: f64) -> [f64; 16] {
    let mut sums = [0.0; 16];
    let (mut term, mut ratio) = (1.0, ratio);
    for count in 1..levels {
        term *= ratio;
        ratio *= fall;
        sums[count] = sums[count - 1] + term;
    }
    sums
}

const FIRST_DB: f64 = -30.0;
const PER_DB: f64 = 8.0;
/// Points of a table, from -30 to 42 dB.
const POINTS: usize = 577;

/// C and 1 / V^(1/2) by SNR in dB; below -30 dB C and V are proportional to the SNR, above 42 dB they are constant.
#[derive(Debug)]
pub(super) struct Information {
    limit_bits: f64,
    shortfall: Curve,
    inverse_sd: Vec<f64>,
}

impl Information {
    fn new(input: Input) -> Self {
        let moments: Vec<(f64, f64)> = (0..POINTS).map(|point| input.shortfall(ratio(db_at(point)))).collect();
        // V is 0 at the highest SNRs: a tiny value keeps 1 / V^(1/2) finite.
        let inverse_sd = |variance: f64| 1.0 / libm::sqrt(variance.max(1e-12));
        Self {
            limit_bits: input.limit_bits(),
            shortfall: Curve {
                nothing: -input.limit_bits(),
                values: moments.iter().map(|(shortfall, _)| without_dust(*shortfall)).collect(),
            },
            inverse_sd: moments.iter().map(|(_, variance)| inverse_sd(*variance)).collect(),
        }
    }

    /// C in bit and 1 / V^(1/2).
    #[inline]
    pub(super) fn at(&self, snr_db: f64) -> (f64, f64) {
        if snr_db < FIRST_DB {
            let weaker = ratio(snr_db - FIRST_DB);
            return (self.shortfall.first_rise() * weaker, self.inverse_sd[0] / libm::sqrt(weaker));
        }
        let place = Place::of(snr_db);
        (self.limit_bits + place.on(&self.shortfall.values), place.on(&self.inverse_sd))
    }

    /// C minus a constant: the function over which MIESM averages.
    pub(super) const fn shortfall(&self) -> &Curve {
        &self.shortfall
    }

    /// The SNR in dB whose C is `bits`; `None` for more than the table has.
    pub(super) fn db_of(&self, bits: f64) -> Option<f64> {
        if bits < self.shortfall.first_rise() {
            return Some(self.shortfall.db_of_rise(bits));
        }
        let shortfall = bits - self.limit_bits;
        (shortfall < self.shortfall.values[POINTS - 1]).then(|| self.shortfall.inverse(shortfall))
    }
}

/// A quantity that rises with the SNR, every 1/8 dB from -30 to 42 dB, with linear interpolation. Below -30 dB its rise
/// above `nothing` is proportional to the SNR.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    /// Its limit without a signal.
    nothing: f64,
    values: Vec<f64>,
}

/// A place on a curve: the value below it and the fraction of a step.
#[derive(Clone, Copy)]
pub(super) struct Place {
    before: usize,
    share: f64,
}

impl Place {
    /// The table's first value.
    pub(super) const FIRST: Self = Self { before: 0, share: 0.0 };
    /// Its last one.
    pub(super) const LAST: Self = Self { before: POINTS - 2, share: 1.0 };

    #[inline]
    pub(super) fn min(self, other: Self) -> Self {
        if other.before < self.before { other } else { self }
    }

    #[inline]
    pub(super) fn max(self, other: Self) -> Self {
        if other.before > self.before { other } else { self }
    }

    #[inline]
    pub(super) fn of(snr_db: f64) -> Self {
        let steps = ((snr_db - FIRST_DB) * PER_DB).clamp(0.0, (POINTS - 1) as f64);
        // Rounds down; it is within the table.
        let before = (steps as usize).min(POINTS - 2);
        Self { before, share: steps - before as f64 }
    }

    #[inline]
    fn on(self, values: &[f64]) -> f64 {
        let (low, high) = (values[self.before], values[self.before + 1]);
        low + (high - low) * self.share
    }
}

impl Curve {
    /// The curve of `value`, which rises from `nothing` to 0.
    pub(super) fn shortfall(nothing: f64, value: impl Fn(f64) -> f64) -> Self {
        Self { nothing, values: (0..POINTS).map(|point| without_dust(value(db_at(point)))).collect() }
    }

    /// Its value at `snr_db`, which is at `place`.
    #[inline]
    pub(super) fn at(&self, snr_db: f64, place: Place) -> f64 {
        if snr_db < FIRST_DB { self.nothing + self.rise(snr_db) } else { place.on(&self.values) }
    }

    /// The rise above `nothing` at `snr_db`, accurate also where it is small.
    pub(super) fn rise(&self, snr_db: f64) -> f64 {
        if snr_db < FIRST_DB {
            self.first_rise() * ratio(snr_db - FIRST_DB)
        } else {
            Place::of(snr_db).on(&self.values) - self.nothing
        }
    }

    /// The rise above `nothing` at -30 dB.
    pub(super) fn first_rise(&self) -> f64 {
        self.values[0] - self.nothing
    }

    /// The SNR in dB, at most -30, of this rise.
    pub(super) fn db_of_rise(&self, rise: f64) -> f64 {
        FIRST_DB + 10.0 * libm::log10(rise / self.first_rise())
    }

    /// Whether the curve reaches `value` below -30 dB.
    #[inline]
    pub(super) fn is_weak(&self, value: f64) -> bool {
        value < self.values[0]
    }

    /// The SNR in dB at which the curve reaches `value`.
    pub(super) fn inverse(&self, value: f64) -> f64 {
        self.inverse_between(value, Place::FIRST, Place::LAST)
    }

    /// As `inverse`, for a value that the curve reaches between `lowest` and `highest`.
    #[inline]
    pub(super) fn inverse_between(&self, value: f64, lowest: Place, highest: Place) -> f64 {
        let inside = &self.values[lowest.before + 1..=highest.before];
        let before = lowest.before + inside.partition_point(|known| *known < value);
        let (low, high) = (self.values[before], self.values[before + 1]);
        let share = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 };
        db_at(before) + share / PER_DB
    }
}

/// 0 for a shortfall below the precision of a double.
fn without_dust(shortfall: f64) -> f64 {
    if shortfall.abs() < 1e-200 { 0.0 } else { shortfall }
}

fn db_at(point: usize) -> f64 {
    FIRST_DB + point as f64 / PER_DB
}

/// 10^(`db` / 10).
pub(super) fn ratio(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUTS: [Input; 5] =
        [Input::Gaussian, Input::Modulation(2), Input::Modulation(4), Input::Modulation(6), Input::Modulation(8)];

    #[test]
    fn a_finer_integration_gives_the_same_moments() {
        // 400 nodes over the noise, sums of exponentials one by one.
        for (bits, snr_db) in [(2, -10.0), (2, 8.0), (4, 3.0), (4, 16.0), (6, 14.0), (6, 24.0), (8, 21.0), (8, 30.0)] {
            let (levels, snr) = (1_i32 << (bits / 2), ratio(snr_db));
            let distance = libm::sqrt(12.0 * snr / f64::from(levels * levels - 1));
            let (mut mean, mut square) = (0.0, 0.0);
            for node in -200..=200 {
                let z = f64::from(node) * 0.045;
                let weight = libm::exp(-0.5 * z * z) * 0.045 / libm::sqrt(2.0 * std::f64::consts::PI);
                for sent in 0..levels {
                    let term = |other: i32| {
                        let k = f64::from(other - sent) * distance;
                        libm::exp(k * z - 0.5 * k * k)
                    };
                    let density = f64::from(bits) / 2.0 - libm::log2((0..levels).map(term).sum::<f64>());
                    mean += weight * density / f64::from(levels);
                    square += weight * density * density / f64::from(levels);
                }
            }
            let (c, v) = Input::Modulation(bits as u8).moments(snr);
            assert!((c - 2.0 * mean).abs() < 1e-8, "{bits} bits at {snr_db} dB: {c} for {}", 2.0 * mean);
            let variance = 2.0 * (square - mean * mean);
            assert!((v - variance).abs() < 1e-7, "{bits} bits at {snr_db} dB: {v} for {variance}");
        }
    }

    #[test]
    fn weak_signals_carry_the_same_in_every_modulation_and_strong_ones_all_bits() {
        for input in INPUTS {
            let (c, v) = input.moments(1e-5);
            assert!((c / (1e-5 * LOG2_E) - 1.0).abs() < 1e-4, "{input:?}: {c}");
            assert!((v / (2e-5 * LOG2_E * LOG2_E) - 1.0).abs() < 1e-3, "{input:?}: {v}");
        }
        for bits in [2_u8, 4, 6, 8] {
            let (c, v) = Input::Modulation(bits).moments(ratio(36.0));
            assert!((c - f64::from(bits)).abs() < 1e-8 && v < 1e-6, "{bits}: {c} {v}");
        }
    }

    #[test]
    fn below_the_table_information_and_its_variance_are_proportional_to_the_snr() {
        for input in INPUTS {
            let table = input.table();
            for tenths in -1_500..-299_i32 {
                let snr_db = f64::from(tenths) * 0.1;
                let (read, inverse_sd) = table.at(snr_db);
                let bits = ratio(snr_db) * LOG2_E;
                assert!((read / bits - 1.0).abs() < 6e-4, "{input:?} at {snr_db} dB: {read} for {bits}");
                let sd = libm::sqrt(2.0 * bits * LOG2_E);
                assert!((inverse_sd * sd - 1.0).abs() < 2e-3, "{input:?} at {snr_db} dB");
                let back = table.db_of(read).expect("the table reaches this value");
                assert!((back - snr_db).abs() < 1e-9, "{input:?}: {back} for {snr_db} dB");
            }
        }
    }

    #[test]
    fn the_table_is_accurate_to_1_2e_4_bit_and_its_inverse_is_consistent() {
        for input in INPUTS {
            let table = input.table();
            for step in -2_900..4_000_i32 {
                let snr_db = f64::from(step) * 0.01 + 0.003;
                let (c, v) = input.moments(ratio(snr_db));
                let (read, inverse_sd) = table.at(snr_db);
                assert!((read - c).abs() < 1.2e-4, "{input:?} at {snr_db} dB: {read} for {c}");
                if v > 1e-3 {
                    assert!((inverse_sd * libm::sqrt(v) - 1.0).abs() < 5e-3, "{input:?} at {snr_db} dB");
                }
                let shortfall = table.shortfall().at(snr_db, Place::of(snr_db));
                if shortfall != 0.0 {
                    let back = table.shortfall().inverse(shortfall);
                    assert!((back - snr_db).abs() < 1e-9, "{input:?}: {back} for {snr_db} dB");
                }
            }
        }
    }
}
