//! Segmentation, repetition and in-order delivery of one user's packets on air.
//!
//! A grant of B bits carries floor(B/8) bytes, less the block's header, cut into segments of
//! `segment` payload bytes plus `segment_header` bytes. A segment belongs to one packet; a packet's last segment
//! may be partly empty; a slot carries parts of several packets. What must be repeated goes before new data and may be cut
//! anew, as in RLC acknowledged mode (3GPP TS 36.322 §5.2). Without repetition nobody tells the sender of a loss,
//! so it sends the rest of a damaged packet too and the packet is dropped at its last segment.
//!
//! A slot is one block with one fate ([`Entity::fill`]), or a sequence of code blocks, each with its own, which HARQ repeats as
//! they are ([`Entity::fill_stretches`]).
//!
//! It leaves out: lost or misread feedback, status reports that cost air time, sequence numbers' width and window.

mod entity;
mod grant;
mod harq;

pub use entity::{Entity, Outcome};
pub use harq::{CodedUnit, HarqConfig};

use crate::types::{Blocks, Bytes, Slot};

/// How blocks are cut and repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RlcConfig {
    /// Payload bytes of a segment, at least 1; 1 is byte-granular.
    pub segment: Bytes,
    /// Header bytes on air with each segment.
    pub segment_header: Bytes,
    /// Header bytes on air with each block (the content of one slot).
    pub block_header: Bytes,
    /// Keep the bits of a grant that make no whole segment for the user's next grant.
    pub carry_fraction: bool,
    /// Hold a complete packet back until all before it are complete or given up.
    pub in_order: bool,
    /// How often a part, or a slot, may be repeated; `u32::MAX` never gives up. 0 leaves errors of parts to the transport.
    pub max_retransmissions: u32,
    /// Whole slots between the end of a failed slot and the first slot that may repeat it; 0 where slots are repeated.
    pub feedback_delay_slots: u64,
    /// What is repeated as one, and when.
    pub repeats: Repeats,
    /// Code blocks and their HARQ, where a slot has many.
    pub harq: HarqConfig,
}

/// What ARQ repeats as one, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Each part of a packet by itself, when the user is served again.
    Parts,
    /// All that a slot carried, when the user is served again, as much of it as then fits.
    Slots,
    /// All that a slot carried in the slot after it, as it was.
    SlotsAtOnce,
}

impl RlcConfig {
    /// Bytes on air of one segment.
    fn segment_on_air(&self) -> u64 {
        self.segment.count() + self.segment_header.count()
    }
}

/// How a packet went over the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// How often the part of it that was sent most often was sent; 0 if none was.
    pub attempts: u32,
    /// The last slot that carried a part of it.
    pub last_slot: Slot,
}

/// What one grant was used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Bytes put on air, headers and a last segment's empty part included.
    pub sent: Bytes,
    /// Payload bytes of packets among them.
    pub payload: Bytes,
    /// True if at least one more segment would have fitted.
    pub padded: bool,
    /// The code blocks, where it has many; none where all of it is one.
    pub blocks: Blocks,
}
