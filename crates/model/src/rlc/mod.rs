//! Segmentation, retransmission and in-order delivery of one user's packets on air.
//!
//! A grant of B bits carries floor(B/8) bytes, less the block's header, cut into segments of
//! `segment` payload bytes plus `segment_header` bytes. A segment belongs to one packet; a packet's last segment
//! may be partly empty; a slot carries parts of several packets. Retransmissions go before new data and may be cut
//! anew, as in RLC acknowledged mode (3GPP TS 36.322 §5.2). Without retransmission the sender does not learn of a loss,
//! so it sends the rest of a damaged packet too and the packet is dropped at its last segment.
//!
//! A slot is one block, lost or not as a whole ([`Entity::fill`]), or a sequence of code blocks, each lost or not by itself,
//! which HARQ retransmits unchanged ([`Entity::fill_code_blocks`]).
//!
//! It leaves out: lost or misread feedback, status reports that cost air time, sequence numbers' width and window.

mod entity;
mod grant;
mod harq;

pub use entity::{Entity, Outcome};
pub use harq::{CodedUnit, HarqConfig};

use crate::types::declare::{Section, Words};
use crate::types::{Blocks, Bytes, Slot};

/// How blocks are cut and retransmitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RlcConfig {
    /// How packets are cut.
    pub segmentation: Segmentation,
    /// Retransmission of lost parts, which may be cut anew.
    pub arq: ArqConfig,
    /// Code blocks and their HARQ, if a slot has many.
    pub harq: HarqConfig,
}

/// How packets are cut to fit into slots: whole segments, several packets or parts of them in one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Section)]
#[section(class = "Rlc")]
pub struct Segmentation {
    /// Payload of an air-link segment; 1 = to the byte. The last segment of a packet is padded.
    #[field(
        name = "segment_bytes",
        unit = "bytes",
        at_least = 1,
        at_most = 65535,
        default = Bytes::new(1),
        source = "airlink default; [EvdoTcp], given: 8"
    )]
    pub segment: Bytes,
    /// Header sent with every segment.
    #[field(
        name = "segment_header_bytes",
        unit = "bytes",
        at_least = 0,
        at_most = 65535,
        default = Bytes::ZERO,
        source = "airlink default; [Kakuda]: 2"
    )]
    pub segment_header: Bytes,
    /// Header sent once per slot used.
    #[field(
        name = "block_header_bytes",
        unit = "bytes",
        at_least = 0,
        at_most = 65535,
        default = Bytes::ZERO,
        source = "airlink default: none"
    )]
    pub block_header: Bytes,
    /// true: what a grant holds below one whole segment is kept for the user's next grant; false: it is lost.
    #[field(
        default = false,
        source = "airlink default: lost ([EvdoTcp]: 204.8 kb/s = 5.33 segments of 8 bytes a slot, taken as 5)"
    )]
    pub carry_fraction: bool,
    /// Complete packets are held back until all packets before them have arrived or were given up.
    #[field(default = true, source = "airlink default")]
    pub in_order: bool,
}

/// Link-layer retransmission of lost frames (ARQ).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Section)]
pub struct ArqConfig {
    /// Most retransmissions of a lost part: 0 leaves errors to TCP, "inf" retransmits until the part arrives. If the
    /// last one is lost, every packet with data in the part is dropped.
    #[field(at_least = 0, at_most = 1000, infinite, default = 0, source = "airlink default: 0")]
    pub max_retransmissions: u32,
    /// Slots that pass before a lost part may be sent again (0: in the next slot).
    #[field(unit = "slots", at_least = 0, at_most = 100_000, default = 0, source = "airlink default")]
    pub feedback_delay_slots: u64,
    /// What is retransmitted as one: "part", each part of a packet, with a count of its own; "slot", all that a user
    /// had in a slot: its losses in a row are counted, and after the last the packets that the slot would have
    /// completed are dropped (needs feedback_delay_slots = 0, no code blocks).
    #[field(default = ArqUnit::Part, source = "airlink default; [Andrew08]: slot")]
    pub unit: ArqUnit,
    /// When: "rescheduled", when the user is next scheduled, at the rate selected then; "at_once", in the next slot,
    /// before any scheduler is asked, the same bytes at the same rate (needs unit = "slot", one subchannel, no
    /// rlc.carry_fraction).
    #[field(default = ArqRepeats::Rescheduled, source = "airlink default; [Andrew08], profile C1: at_once")]
    pub repeats: ArqRepeats,
}

/// What ARQ repeats as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum ArqUnit {
    /// Each part of a packet by itself.
    Part,
    /// All that a slot carried.
    Slot,
}

/// When ARQ repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum ArqRepeats {
    /// When the user is served again, as much of it as then fits.
    Rescheduled,
    /// In the slot after it, as it was; whole slots only.
    AtOnce,
}

impl RlcConfig {
    /// Whether ARQ retransmits a whole slot as one.
    pub fn retransmits_slots(&self) -> bool {
        self.arq.unit == ArqUnit::Slot
    }

    /// Whether a lost slot is retransmitted unchanged in the next slot.
    pub fn retransmits_at_once(&self) -> bool {
        self.retransmits_slots() && self.arq.repeats == ArqRepeats::AtOnce
    }

    /// Segments that carry `bytes` of a packet.
    #[inline]
    fn segments_of(&self, bytes: u64) -> u64 {
        let segment = self.segmentation.segment.count();
        // To the byte nothing is to be divided.
        if segment == 1 { bytes } else { bytes.div_ceil(segment) }
    }

    /// Bytes on air of one segment.
    fn segment_on_air(&self) -> u64 {
        self.segmentation.segment.count() + self.segmentation.segment_header.count()
    }
}

/// A packet's transmissions over the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketHistory {
    /// The largest number of transmissions of any part; 0 if none was sent.
    pub attempts: u32,
    /// The last slot that carried a part of it.
    pub last_slot: Slot,
}

impl PacketHistory {
    /// `slot` carried a part of it for the `attempts`th time.
    #[inline]
    fn add(&mut self, slot: Slot, attempts: u32) {
        self.last_slot = slot;
        self.attempts = self.attempts.max(attempts);
    }
}

/// How a grant was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Bytes put on air, headers and a last segment's empty part included.
    pub sent: Bytes,
    /// Payload bytes of packets among them.
    pub payload: Bytes,
    /// True if at least one more segment would have fitted.
    pub padded: bool,
    /// The code blocks, if a slot has many; none if a slot is one block.
    pub blocks: Blocks,
}
