//! The one place where signal, noise and interference become a SINR.
//!
//! SINR = S / (N + I) with all three relative to thermal noise, so N = 1. Without interference the SINR is the signal
//! itself, bit by bit. A receiver's ceiling is the channel's affair: it is no power from elsewhere.

use crate::types::PowerRatio;

/// The SINR in dB of a signal in dB over thermal noise, under an interference of so many times that noise.
pub(super) fn sinr_db(signal_db: f32, interference: PowerRatio) -> f32 {
    if interference.value() == 0.0 {
        return signal_db;
    }
    // Single precision is what a channel is known in.
    signal_db - (10.0 * libm::log10(1.0 + interference.value())) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interference_as_strong_as_the_noise_costs_3_db_and_none_costs_nothing() {
        assert_eq!(sinr_db(7.0, PowerRatio::new(0.0)), 7.0);
        assert!((sinr_db(7.0, PowerRatio::new(1.0)) - (7.0 - 3.0103)).abs() < 1e-4);
    }
}
