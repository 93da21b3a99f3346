//! Mean SNR at a distance: the power law SNR(d) = SNR(d0) - 10 n log10(d / d0), in dB
//! (free space n = 2, cities 3 to 4).
//!
//! Left out: break points, antenna patterns and heights, a distance that changes with time.

use crate::types::Decibel;
use crate::types::declare::Section;

/// Mean SNR(d) = reference_snr_db - 10 exponent log10(d / reference_distance_m).
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct PathLoss {
    /// Path-loss exponent.
    #[field(above = 0, at_most = 20, default = 3.76, source = "TR 36.942, section 4.5.2: 37.6 dB a decade")]
    pub exponent: f64,
    /// Distance at which the mean SNR is known.
    #[field(unit = "m", above = 0, at_most = 1e6, default = 1_000.0, source = "TR 36.942, section 4.5.2: 1 km")]
    pub reference_distance_m: f64,
    /// Mean SNR at that distance.
    #[field(
        name = "reference_snr_db",
        unit = "dB",
        at_least = -200,
        at_most = 200,
        default = Decibel::new(27.0),
        source = "TR 36.814, TR 36.942: 46 dBm and 14 dB of gains, 128.1 dB of loss at 1 km, noise of 10 MHz"
    )]
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
