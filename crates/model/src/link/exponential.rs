//! Powers of two in single precision on basic arithmetic only, so that loops vectorise and the bits are the same everywhere.

use std::f32::consts::{LN_2, LOG2_10, LOG2_E};

/// 2^-`octaves` for `octaves` >= 0; 0 from 126 on.
#[inline(always)]
pub(super) fn power_of_half(octaves: f32) -> f32 {
    const MOST: f32 = 126.0;
    // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits.
    const SHIFT: f32 = 12_582_912.0;
    let within = if octaves < MOST { octaves } else { MOST };
    let shifted = within + SHIFT;
    let x = (shifted - SHIFT - within) * LN_2;
    // The Taylor series to x^7, |x| <= ln(2) / 2, leaves 6e-9.
    let tail = 1.0 / 24.0 + x * (1.0 / 120.0 + x * (1.0 / 720.0 + x * (1.0 / 5_040.0)));
    let fraction = 1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * tail)));
    let whole = f32::from_bits((127_u32 << 23).wrapping_sub(shifted.to_bits() << 23));
    let power = fraction * whole;
    if octaves < MOST { power } else { 0.0 }
}

/// 10^(`db` / 10), from -379 to 379 dB.
#[inline]
pub(super) fn ratio_of(db: f32) -> f32 {
    let octaves = db * (LOG2_10 / 10.0);
    if octaves < 0.0 { power_of_half(-octaves) } else { 1.0 / power_of_half(octaves) }
}

/// 1 / (1 + exp(`x`)).
#[inline]
pub(super) fn logistic(x: f32) -> f32 {
    let z = power_of_half(x.abs() * LOG2_E);
    if x < 0.0 { 1.0 / (1.0 + z) } else { z / (1.0 + z) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_and_the_logistic_function_are_those_of_libm() {
        for step in -30_000..30_000_i32 {
            let x = step as f32 * 0.01;
            let exact = libm::pow(10.0, f64::from(x) / 10.0);
            // The product of 100 octaves has lost 7 of its bits.
            assert!((f64::from(ratio_of(x)) / exact - 1.0).abs() < 1e-5, "{x} dB: {}", ratio_of(x));
            let exact = 1.0 / (1.0 + libm::exp(f64::from(x)));
            let error = (f64::from(logistic(x)) - exact).abs();
            assert!(error < 1e-5 * exact + 2e-38, "{x}: {}", logistic(x));
        }
        assert_eq!(logistic(0.0), 0.5);
        assert_eq!((ratio_of(0.0), ratio_of(f32::NEG_INFINITY)), (1.0, 0.0));
    }
}
