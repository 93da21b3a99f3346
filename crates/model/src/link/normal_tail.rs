//! The upper tail of the normal distribution, from a table.
//!
//! Q(x) = erfc(x / 2^(1/2)) / 2, every 1/64 from -8.5 to 8.5 with straight lines between, then 1 and 0. The line is above a convex
//! tail: by up to 7.4e-6, and by (x / 64)^2 / 8 of the value, 0.2 % at x = 8 (tested).

use std::sync::OnceLock;

const PER_UNIT: f64 = 64.0;
const REACH: f64 = 8.5;
/// The table's size, from -8.5 to 8.5.
const POINTS: usize = 1089;

/// Q(`x`).
#[inline]
pub(super) fn normal_tail(x: f64) -> f64 {
    static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
    if x >= REACH {
        return 0.0;
    }
    if x <= -REACH {
        return 1.0;
    }
    let table = TABLE.get_or_init(|| (0..POINTS).map(|point| tail(point as f64 / PER_UNIT - REACH)).collect());
    let steps = (x + REACH) * PER_UNIT;
    // Rounds down; it is within the table.
    let before = (steps as usize).min(POINTS - 2);
    table[before] + (table[before + 1] - table[before]) * (steps - before as f64)
}

fn tail(x: f64) -> f64 {
    0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_that_of_the_normal_distribution_and_never_rises() {
        let mut last = 1.0;
        for step in -9_000..9_000_i32 {
            let x = f64::from(step) * 1e-3;
            let (read, exact) = (normal_tail(x), tail(x));
            assert!(read <= last, "{x}");
            assert!((read - exact).abs() < 7.5e-6, "{x}: {read} for {exact}");
            if (2.0..8.5).contains(&x) {
                assert!((0.0..2.5e-3).contains(&(read / exact - 1.0 + 1e-12)), "{x}: {read} for {exact}");
            }
            last = read;
        }
        assert_eq!(normal_tail(0.0), 0.5);
        assert_eq!((normal_tail(f64::NEG_INFINITY), normal_tail(f64::INFINITY)), (1.0, 0.0));
    }
}
