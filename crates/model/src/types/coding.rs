//! Coded blocks on air, in types that the RLC, which cuts blocks, and the link, which loses them, share.

use super::Bytes;
use super::declare::Words;

/// A user's grant on one subchannel in a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubchannelGrant {
    /// Granted bits, above 0.
    pub bits: f32,
    /// The true SINR of the subchannel, dB.
    pub true_db: f32,
    /// The row of the table of rates that it is sent at, from 0; 0 where rates come from no table.
    pub mcs: u16,
}

/// A receiver's soft information from all transmissions of a block, in the unit of the model of errors, its only reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct SoftInformation(pub f32);

impl SoftInformation {
    /// Before the first transmission.
    pub const NONE: Self = Self(0.0);
}

/// The fates of a user's code blocks in a slot. A function of the subchannels, the earlier soft information and the ordinal is one.
pub trait BlockFates {
    /// Sends block number `ordinal` over `grants`: the soft information afterwards, and whether the block is lost.
    fn transmit(
        &mut self,
        grants: &[SubchannelGrant],
        earlier: SoftInformation,
        ordinal: u32,
    ) -> (SoftInformation, bool);

    /// Whether new block `ordinal` surely arrives if each subchannel that it spans has a margin. Most do, and what they span need
    /// not be known then.
    #[inline]
    fn arrives_with_margin(&self, _ordinal: u32) -> bool {
        false
    }

    /// Whether `grant` has a margin.
    #[inline]
    fn has_margin(&self, _grant: &SubchannelGrant) -> bool {
        false
    }
}

impl<F: FnMut(&[SubchannelGrant], SoftInformation, u32) -> (SoftInformation, bool)> BlockFates for F {
    fn transmit(
        &mut self,
        grants: &[SubchannelGrant],
        earlier: SoftInformation,
        ordinal: u32,
    ) -> (SoftInformation, bool) {
        self(grants, earlier, ordinal)
    }
}

/// How a receiver combines the transmissions of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Combining {
    /// No combining: each transmission is decoded by itself, and no block is retransmitted unchanged.
    None,
    /// It adds the signals: ratios of SINR to threshold add up.
    Chase,
    /// Each transmission has new coded bits: mutual information adds up, in units of what the block holds. Coded blocks only.
    IncrementalRedundancy,
}

/// How many code blocks a user had in a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Sent, retransmissions included.
    pub sent: u32,
    /// Retransmitted unchanged.
    pub retransmitted: u32,
    /// Lost.
    pub lost: u32,
    /// Of those lost, sent for the first time.
    pub first_lost: u32,
    /// Lost in their last attempt: left to ARQ by HARQ, or dropped.
    pub given_up: u32,
}

impl Blocks {
    /// One block with all that a user had on air; no block if `sent` is zero.
    pub const fn one(sent: Bytes, lost: bool) -> Self {
        let (sent, lost) = (!sent.is_zero() as u32, (lost && !sent.is_zero()) as u32);
        Self { sent, retransmitted: 0, lost, first_lost: lost, given_up: 0 }
    }

    /// These blocks; those lost are `given_up` or not.
    pub const fn given_up_if(self, given_up: bool) -> Self {
        Self { given_up: if given_up { self.lost } else { 0 }, ..self }
    }

    /// Sent for the first time.
    pub const fn first(&self) -> u32 {
        self.sent - self.retransmitted
    }
}
