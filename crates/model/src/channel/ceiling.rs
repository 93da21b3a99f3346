//! A ceiling on the SINR, from what grows with the signal itself (imperfect filters, self-interference):
//! 1 / SINR = 1 / SNR + 1 / ceiling, as power ratios.
//!
//! Left out: a ceiling that depends on the modulation or on the speed.

use crate::types::{BLOCK_SLOTS, Decibel};

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

    /// Replaces each SNR of a block, in dB, by its SINR.
    pub(super) fn apply_to_block(self, signal_db: &mut [f32; BLOCK_SLOTS]) {
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
