//! The received signal power of one user over time, in dB relative to thermal noise.
//!
//! signal(t) = mean + shadowing(t) + 10 log10 |h(t)|^2, where the mean is a constant ([`placement`], [`path_loss`],
//! [`link_budget`]) or a replayed measurement ([`trace`]), the shadowing is Gauss-Markov ([`shadowing`]) and h is Rayleigh
//! fading of unit mean power: flat ([`fading`], [`jakes`]), or of a power-delay profile and with a value of its own in every
//! subchannel ([`tapped_delay_line`]). Flat fading may be that of several antennas whose weights turn ([`beamforming`]). Values
//! are those at the slot's start.
//!
//! Left out: several antennas of a user, interference (formed by the cell), a mean that moves with
//! the user.

pub mod beamforming;
pub mod ceiling;
pub mod config;
mod decibel;
pub mod delay_profile;
pub mod fading;
pub mod fading_kind;
pub mod jakes;
pub mod link_budget;
pub mod motion;
pub mod path_loss;
mod phasor;
pub mod place;
pub mod placement;
pub mod placement_seed;
pub mod shadowing;
pub mod tapped_delay_line;
pub mod trace;
pub mod trace_placement;

pub use beamforming::{Beam, Beamformed, Beamforming};
pub use ceiling::{Ceiling, CeilingConfig, CeilingTarget};
pub use config::ChannelConfig;
pub use delay_profile::{DelayProfile, Tap};
pub use fading::{Amplitudes, FadingConfig, SumOfSinusoids};
pub use fading_kind::{FadingKind, ProfileName};
pub use link_budget::LinkBudget;
pub use motion::{Doppler, Motion};
pub use path_loss::PathLoss;
pub use place::{Place, place};
pub use placement::{Order, Placement, Spacing};
pub use placement_seed::PlacementSeed;
pub use shadowing::{Shadowing, ShadowingConfig};
pub use tapped_delay_line::{Steering, Subchannels, TappedDelayLine};
pub use trace::{AtEnd, Between, RateTrace, Replay, ReplayConfig, Trace, TraceError};
pub use trace_placement::{Quantity, Separator, TimeUnit, TraceFormat, TracePlacement, ValueScale};

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use crate::types::{BLOCK_SLOTS, Decibel, Slot};
use ceiling::UnderCeiling;

/// The signal of one user relative to noise: of one carrier in blocks of [`BLOCK_SLOTS`] slots, or of every subchannel
/// slot by slot.
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
    fading: Fading,
    ceiling: Ceiling,
    held: Option<Box<Held>>,
}

/// What shadowing and fading vary around.
#[derive(Clone, Debug)]
enum Level {
    Constant(Decibel),
    Replayed(Replay),
    /// With a value of its own in every subchannel.
    ReplayedRows(Replay),
}

/// What varies fast.
#[derive(Clone, Debug)]
pub enum Fading {
    /// Nothing.
    None,
    /// The whole carrier fades alike.
    Flat(SumOfSinusoids),
    /// It does, and several antennas send.
    Beamformed(Beamformed),
    /// Each subchannel fades on its own.
    Selective(TappedDelayLine),
    /// That of the user of this number, which nobody has asked for yet.
    Undrawn(Arc<dyn DrawFading>, usize),
}

/// Draws the fading of each user. Its draws have names, so it may be drawn whenever it is first wanted.
pub trait DrawFading: Debug + Send + Sync {
    /// The fading of user number `user`.
    fn draw(&self, user: usize) -> Fading;
}

/// What all subchannels have in common in the slots of one block; only those who ask for subchannels have it.
#[derive(Clone, Debug)]
struct Held {
    block: u64,
    /// Everything, unless fading is selective; then level and shadowing. On a trace of subchannels the shadowing.
    signal_db: [f32; BLOCK_SLOTS],
    /// The fading that comes on top of a trace of subchannels.
    fading_db: [f32; BLOCK_SLOTS],
    under: UnderCeiling,
    /// The row of a trace of subchannels in the slot before.
    row: usize,
}

impl UserChannel {
    /// A channel that stays at `mean`.
    pub fn constant(mean: Decibel) -> Self {
        Self::around(Level::Constant(mean))
    }

    /// A channel that follows a trace of SNR in dB. One that has a value for each of several subchannels knows no other
    /// selective fading.
    pub fn replayed(snr_db: Replay) -> Self {
        Self::around(if snr_db.width() == 1 { Level::Replayed(snr_db) } else { Level::ReplayedRows(snr_db) })
    }

    fn around(level: Level) -> Self {
        Self { level, shadowing: None, fading: Fading::None, ceiling: Ceiling::NONE, held: None }
    }

    /// The same with `shadowing` added.
    pub fn with_shadowing(self, shadowing: Shadowing) -> Self {
        Self { shadowing: Some(shadowing), ..self }
    }

    /// The same with `fading`, equal in all subchannels.
    pub fn with_fading(self, fading: SumOfSinusoids) -> Self {
        self.fading_as(Fading::Flat(fading))
    }

    /// The same with the fading of several antennas, equal in all subchannels.
    pub fn with_beamforming(self, fading: Beamformed) -> Self {
        self.fading_as(Fading::Beamformed(fading))
    }

    /// The same with `fading` of its own in every subchannel.
    pub fn with_tapped_delay_line(self, fading: TappedDelayLine) -> Self {
        self.fading_as(Fading::Selective(fading))
    }

    /// The same with the fading of `user` that `users` draw when the signal is first asked for: a user whose signal never is
    /// takes no memory for it.
    pub fn with_fading_of(self, users: &Arc<dyn DrawFading>, user: usize) -> Self {
        self.fading_as(Fading::Undrawn(Arc::clone(users), user))
    }

    fn fading_as(self, fading: Fading) -> Self {
        Self { fading, ..self }
    }

    /// The same with `ceiling` put on the instantaneous value.
    pub fn with_instantaneous_ceiling(self, ceiling: Ceiling) -> Self {
        Self { ceiling, ..self }
    }

    /// The mean of its shadowing over these slots, none of which has passed, in dB; none without shadowing.
    pub fn mean_shadowing_db(&self, slots: Range<u64>) -> Option<f64> {
        self.shadowing.as_ref().map(|shadowing| shadowing.mean_db(slots))
    }

    /// The level around which shadowing and fading vary; of a trace, the average of its power ratio over one period, and
    /// over its subchannels.
    pub fn mean(&self) -> Decibel {
        match &self.level {
            Level::Constant(mean) => *mean,
            Level::Replayed(replay) | Level::ReplayedRows(replay) => replay.mean_of_db(),
        }
    }

    /// Writes the signal in dB of the slots from `first`, a multiple of [`BLOCK_SLOTS`] that never goes back.
    /// Blocks may be left out; the result is the same as if they had been computed. A tapped delay line or a trace must
    /// be one of one subchannel.
    pub fn fill(&mut self, first: Slot, signal_db: &mut [f32; BLOCK_SLOTS]) {
        self.fill_common(first, signal_db);
        if let Fading::Selective(line) = &mut self.fading {
            let mut under = UnderCeiling::new(signal_db[0], self.ceiling);
            for (slot, signal) in (first.number()..).zip(signal_db) {
                under = under.moved_to(*signal, self.ceiling);
                line.fill_db(Slot::new(slot), under, std::slice::from_mut(signal));
            }
        }
    }

    /// Writes the signal in dB of every subchannel in `slot`, which never goes back; slots may be left out. A tapped
    /// delay line, or a trace of subchannels, must be one of as many; without one all subchannels have the same signal,
    /// which is what [`Self::fill`] gives.
    pub fn fill_subchannels(&mut self, slot: Slot, signal_db: &mut [f32]) {
        let (block, at) = (slot.number() / BLOCK_SLOTS as u64, slot.number() as usize % BLOCK_SLOTS);
        if self.held.as_ref().is_none_or(|held| held.block != block) {
            self.hold(block);
        }
        let held = self.held.as_mut().expect("the block is held now");
        let common_db = held.signal_db[at];
        if let Level::ReplayedRows(replay) = &self.level {
            replay.fill_row(slot, &mut held.row, signal_db);
            // In the order of a block, so that equal columns have the bits of one.
            if self.shadowing.is_some() {
                signal_db.iter_mut().for_each(|signal| *signal += common_db);
            }
            if !matches!(self.fading, Fading::None) {
                signal_db.iter_mut().for_each(|signal| *signal += held.fading_db[at]);
            }
            self.ceiling.apply_to_all(signal_db);
            return;
        }
        match &mut self.fading {
            Fading::None | Fading::Flat(_) | Fading::Beamformed(_) | Fading::Undrawn(..) => signal_db.fill(common_db),
            Fading::Selective(line) => {
                held.under = held.under.moved_to(common_db, self.ceiling);
                line.fill_db(slot, held.under, signal_db);
            }
        }
    }

    fn hold(&mut self, block: u64) {
        let first = Slot::new(block * BLOCK_SLOTS as u64);
        let (mut signal_db, mut fading_db) = ([0.0; BLOCK_SLOTS], [0.0; BLOCK_SLOTS]);
        if let Level::ReplayedRows(_) = self.level {
            if let Some(shadowing) = &mut self.shadowing {
                shadowing.add_to(first, &mut signal_db);
            }
            self.draw_fading();
            self.add_flat_fading(first, &mut fading_db);
        } else {
            self.fill_common(first, &mut signal_db);
        }
        let under = UnderCeiling::new(signal_db[0], self.ceiling);
        let row = self.held.as_ref().map_or(0, |held| held.row);
        let new = Held { block, signal_db, fading_db, under, row };
        match &mut self.held {
            Some(held) => **held = new,
            None => self.held = Some(Box::new(new)),
        }
    }

    /// What all subchannels have in common: everything, unless fading is selective; then level and shadowing.
    fn fill_common(&mut self, first: Slot, signal_db: &mut [f32; BLOCK_SLOTS]) {
        match &self.level {
            // Single precision is the currency of a block: 10 significant digits would be false ones.
            Level::Constant(mean) => signal_db.fill(mean.db() as f32),
            Level::Replayed(replay) | Level::ReplayedRows(replay) => replay.fill(first, signal_db),
        }
        if let Some(shadowing) = &mut self.shadowing {
            shadowing.add_to(first, signal_db);
        }
        self.draw_fading();
        if let Fading::Selective(_) = self.fading {
            return;
        }
        self.add_flat_fading(first, signal_db);
        self.ceiling.apply_to_all(signal_db);
    }

    fn draw_fading(&mut self) {
        if let Fading::Undrawn(users, user) = &self.fading {
            self.fading = users.draw(*user);
        }
    }

    fn add_flat_fading(&self, first: Slot, signal_db: &mut [f32; BLOCK_SLOTS]) {
        match &self.fading {
            Fading::Selective(_) => panic!("a trace of subchannels knows no other selective fading"),
            Fading::Flat(fading) => fading.add_db_to(first, signal_db),
            Fading::Beamformed(fading) => fading.add_db_to(first, signal_db),
            Fading::None | Fading::Undrawn(..) => {}
        }
    }
}
