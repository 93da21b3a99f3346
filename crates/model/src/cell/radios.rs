//! The air of all users: one carrier computed a block of slots at a time, or subchannels computed slot by slot.

use super::radio::{RadioBlock, RadioConfig};
use super::row::{RadioRow, SubchannelRadio};
use crate::link::OuterLoop;
use crate::probe::Probe;
use crate::types::{Blocks, Slot, SubchannelGrant};

/// Channel and link of each user, by user number.
#[derive(Clone, Debug)]
pub enum Radios {
    /// One carrier, which one user has in a slot.
    Carrier(Vec<RadioConfig>),
    /// A carrier of `count` subchannels, which are given out one by one.
    Subchannels {
        /// How many there are, at least 1.
        count: usize,
        /// Each user's own.
        radios: Vec<SubchannelRadio>,
    },
}

impl Radios {
    /// Those of one user, who is the only one then.
    pub fn of_user(&self, user: usize) -> Self {
        match self {
            Self::Carrier(radios) => Self::Carrier(vec![radios[user].clone()]),
            Self::Subchannels { count, radios } => {
                Self::Subchannels { count: *count, radios: vec![radios[user].clone()] }
            }
        }
    }

    pub(super) fn users(&self) -> usize {
        match self {
            Self::Carrier(radios) => radios.len(),
            Self::Subchannels { radios, .. } => radios.len(),
        }
    }

    pub(super) fn mean_snr_db(&self) -> Vec<f64> {
        match self {
            Self::Carrier(radios) => radios.iter().map(|radio| radio.mean_snr_db).collect(),
            Self::Subchannels { radios, .. } => radios.iter().map(|radio| radio.mean_snr_db).collect(),
        }
    }
}

/// What the users' air is in the current slot.
#[derive(Clone, Debug)]
pub(super) enum RadioState {
    Block(RadioBlock),
    Row(RadioRow),
}

impl RadioState {
    pub(super) fn new(radios: Radios) -> Self {
        match radios {
            Radios::Carrier(radios) => Self::Block(RadioBlock::new(radios)),
            Radios::Subchannels { count, radios } => Self::Row(RadioRow::new(count, radios)),
        }
    }

    pub(super) fn subchannels(&self) -> usize {
        match self {
            Self::Block(_) => 1,
            Self::Row(row) => row.subchannels(),
        }
    }

    pub(super) fn has_code_blocks(&self) -> bool {
        matches!(self, Self::Row(row) if row.block_errors(0).is_some())
    }

    /// What is added to the reports of `user`, if anything is.
    pub(super) fn outer_loop(&self, user: usize) -> Option<&OuterLoop> {
        match self {
            Self::Block(block) => block.outer_loop(user),
            Self::Row(row) => row.outer_loop(user),
        }
    }

    /// Mutable access to the user's outer loop.
    pub(super) fn outer_loop_mut(&mut self, user: usize) -> Option<&mut OuterLoop> {
        match self {
            Self::Block(block) => block.outer_loop_mut(user),
            Self::Row(row) => row.outer_loop_mut(user),
        }
    }

    /// Tells the outer loop of `user` what was sent in `slot`; returns what it had added to the reports, dB.
    pub(super) fn on_sent(&mut self, slot: Slot, user: usize, blocks: Blocks) -> f64 {
        self.outer_loop_mut(user).map_or(0.0, |outer_loop| {
            let offset_db = outer_loop.offset_db();
            outer_loop.on_sent(slot, blocks);
            offset_db
        })
    }

    /// Makes `slot` readable; slots come in order.
    pub(super) fn advance_to(&mut self, slot: Slot, probe: &mut impl Probe) {
        match self {
            Self::Block(block) => block.advance_to(slot, probe),
            Self::Row(row) => row.advance_to(slot, probe),
        }
    }

    /// The rate in b/s that each user's report permits in `slot`, on each subchannel.
    pub(super) fn reported_bps(&self, slot: Slot) -> &[f32] {
        match self {
            Self::Block(block) => block.reported_bps(slot),
            Self::Row(row) => row.reported_bps(),
        }
    }

    /// The SINR in dB that each user has reported by `slot`, on each subchannel.
    pub(super) fn reported_db(&self, slot: Slot) -> &[f32] {
        match self {
            Self::Block(block) => block.reported_db(slot),
            Self::Row(row) => row.reported_db(),
        }
    }

    /// The whole carrier as one subchannel that grants `bits`, at the rate that `reported_db` permits.
    pub(super) fn subchannel_grant(&self, slot: Slot, user: usize, reported_db: f32, bits: f64) -> SubchannelGrant {
        match self {
            Self::Block(block) => block.subchannel_grant(slot, user, reported_db, bits),
            Self::Row(row) => row.subchannel_grant(user, reported_db, bits),
        }
    }

    /// Whether the frame of `user` in `slot`, sent over one carrier at `rate_bps`, is lost.
    pub(super) fn is_lost_at(&self, slot: Slot, user: usize, rate_bps: f32) -> bool {
        match self {
            Self::Block(block) => block.is_lost(slot, user, rate_bps),
            Self::Row(row) => row.is_lost_at(slot, user, rate_bps),
        }
    }

    /// The highest rate that a slot of `user` could have.
    pub(super) fn peak_bps(&self, user: usize) -> f64 {
        match self {
            Self::Block(block) => block.peak_bps(user),
            Self::Row(row) => row.peak_bps(user),
        }
    }
}
