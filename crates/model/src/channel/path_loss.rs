//! Mean SNR at a distance: the power law SNR(d) = SNR(d0) - 10 n log10(d / d0), in dB.
//!
//! Left out: break points, antenna patterns and heights, a distance that changes with time.

use crate::types::Decibel;

/// The power law through one known point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathLoss {
    /// The exponent n, above 0 (free space 2, cities 3 to 4).
    pub exponent: f64,
    /// The distance d0 of the known point, in metres, above 0.
    pub reference_distance_m: f64,
    /// The mean SNR at d0.
    pub reference_snr: Decibel,
}

impl PathLoss {
    /// The mean SNR at `distance_m`, above 0.
    pub fn mean_snr(&self, distance_m: f64) -> Decibel {
        assert!(distance_m > 0.0, "a user is some distance away");
        let decades = libm::log10(distance_m / self.reference_distance_m);
        Decibel::new(self.reference_snr.db() - 10.0 * self.exponent * decades)
    }
}
