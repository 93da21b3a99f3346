//! The received signal power of one user over time, in dB relative to thermal noise.
//!
//! signal(t) = mean + shadowing(t) + 10 log10 |h(t)|^2, where the mean is a constant ([`placement`],
//! [`path_loss`]) or a replayed measurement ([`trace`]), the shadowing is Gauss-Markov ([`shadowing`]) and h is
//! flat Rayleigh fading of unit mean power ([`fading`]). Values are those at the slot's start.
//!
//! Left out: frequency selectivity, several antennas, interference (formed by the cell), a mean that moves with
//! the user.

pub mod ceiling;
mod decibel;
pub mod fading;
pub mod path_loss;
mod phasor;
pub mod placement;
pub mod shadowing;
pub mod trace;

pub use ceiling::Ceiling;
pub use fading::{FadingConfig, SumOfSinusoids};
pub use path_loss::PathLoss;
pub use placement::{Order, Place, Placement, Propagation, Spacing, place};
pub use shadowing::{Shadowing, ShadowingConfig};
pub use trace::{AtEnd, Between, RateTrace, Replay, ReplayConfig, Trace, TraceError};

use crate::types::{BLOCK_SLOTS, Decibel, Slot};

/// The signal of one user relative to noise, in blocks of [`BLOCK_SLOTS`] slots.
///
/// ```
/// use airlink_model::channel::UserChannel;
/// use airlink_model::types::{BLOCK_SLOTS, Decibel, Slot};
///
/// let mut signal_db = [0.0; BLOCK_SLOTS];
/// UserChannel::constant(Decibel::new(7.0)).fill(Slot::ZERO, &mut signal_db);
/// assert_eq!(signal_db, [7.0; BLOCK_SLOTS]);
/// ```
#[derive(Clone, Debug)]
pub struct UserChannel {
    level: Level,
    shadowing: Option<Shadowing>,
    fading: Option<SumOfSinusoids>,
    ceiling: Ceiling,
}

/// What shadowing and fading vary around.
#[derive(Clone, Debug)]
enum Level {
    Constant(Decibel),
    Replayed(Replay),
}

impl UserChannel {
    /// A channel that stays at `mean`.
    pub fn constant(mean: Decibel) -> Self {
        Self::around(Level::Constant(mean))
    }

    /// A channel that follows a trace of SNR in dB.
    pub fn replayed(snr_db: Replay) -> Self {
        Self::around(Level::Replayed(snr_db))
    }

    fn around(level: Level) -> Self {
        Self { level, shadowing: None, fading: None, ceiling: Ceiling::NONE }
    }

    /// The same with `shadowing` added.
    pub fn with_shadowing(self, shadowing: Shadowing) -> Self {
        Self { shadowing: Some(shadowing), ..self }
    }

    /// The same with `fading` added.
    pub fn with_fading(self, fading: SumOfSinusoids) -> Self {
        Self { fading: Some(fading), ..self }
    }

    /// The same with `ceiling` put on the instantaneous value.
    pub fn with_instantaneous_ceiling(self, ceiling: Ceiling) -> Self {
        Self { ceiling, ..self }
    }

    /// The level around which shadowing and fading vary; of a trace, the time average of its power ratio over
    /// one period.
    pub fn mean(&self) -> Decibel {
        match &self.level {
            Level::Constant(mean) => *mean,
            Level::Replayed(replay) => replay.mean_of_db(),
        }
    }

    /// Writes the signal in dB of the slots from `first`, a multiple of [`BLOCK_SLOTS`] that never goes back.
    /// Blocks may be left out; the result is the same as if they had been computed.
    pub fn fill(&mut self, first: Slot, signal_db: &mut [f32; BLOCK_SLOTS]) {
        match &self.level {
            // Single precision is the currency of a block: 10 significant digits would be false ones.
            Level::Constant(mean) => signal_db.fill(mean.db() as f32),
            Level::Replayed(replay) => replay.fill(first, signal_db),
        }
        if let Some(shadowing) = &mut self.shadowing {
            shadowing.add_to(first, signal_db);
        }
        if let Some(fading) = &self.fading {
            fading.add_db_to(first, signal_db);
        }
        self.ceiling.apply_to_block(signal_db);
    }
}
