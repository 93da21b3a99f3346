//! The one place where signal, noise and interference become a SINR.
//!
//! SINR = S / (N + I) with all three relative to thermal noise, so N = 1. A cell of its own has I = 0 and its SINR
//! is the signal itself, bit by bit. A receiver's ceiling is the channel's affair: it is no power from elsewhere.

use crate::link::TrueSnr;
use crate::types::{BLOCK_SLOTS, PowerRatio};

/// The SINR in dB of signals in dB over thermal noise, under an interference of so many times the noise.
pub(super) fn form(signal_db: &[f32; BLOCK_SLOTS], interference: PowerRatio, truth: &mut TrueSnr) {
    truth.db.copy_from_slice(signal_db);
    lower_by(interference, &mut truth.db);
}

/// The same in place: signals in dB over thermal noise become SINRs in dB.
pub(super) fn lower_by(interference: PowerRatio, signal_db: &mut [f32]) {
    if interference.value() == 0.0 {
        return;
    }
    let disturbance_db = (10.0 * libm::log10(1.0 + interference.value())) as f32;
    for db in signal_db {
        *db -= disturbance_db;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interference_as_strong_as_the_noise_costs_3_db_and_none_costs_nothing() {
        let signal_db = [7.0_f32; BLOCK_SLOTS];
        let mut truth = TrueSnr { db: [0.0; BLOCK_SLOTS] };
        form(&signal_db, PowerRatio::new(0.0), &mut truth);
        assert_eq!(truth.db, signal_db);
        form(&signal_db, PowerRatio::new(1.0), &mut truth);
        assert!((truth.db[0] - (7.0 - 3.0103)).abs() < 1e-4);
    }
}
