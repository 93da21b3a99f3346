//! An entity with the packets that wait for it, and what became of those that left.

use std::collections::VecDeque;

use airlink_model::rlc::{
    ArqConfig, ArqRepeats, ArqUnit, CodedUnit, Entity, Filled, HarqConfig, Outcome, PacketHistory, RlcConfig,
    Segmentation,
};
use airlink_model::types::{
    Bytes, Combining, Direction, DropReason, FlowId, Marks, Packet, PacketFields, Slot, SoftInformation,
    SubchannelGrant, Time, UserId,
};

/// PDUs of 40 + 2 bytes that may go again in the next slot, ten times: the RLC of [Kakuda].
pub fn pdus() -> RlcConfig {
    RlcConfig {
        segmentation: Segmentation {
            segment: Bytes::new(40),
            segment_header: Bytes::new(2),
            block_header: Bytes::ZERO,
            carry_fraction: false,
            in_order: true,
            ..Segmentation::default()
        },
        arq: ArqConfig {
            max_retransmissions: 0,
            feedback_delay_slots: 0,
            unit: ArqUnit::Part,
            repeats: ArqRepeats::Rescheduled,
            ..ArqConfig::default()
        },
        harq: HarqConfig {
            combining: Combining::Chase,
            unit: CodedUnit::Pdu,
            max_retransmissions: 10,
            round_trip_slots: 1,
            processes: u32::MAX,
            ..HarqConfig::default()
        },
    }
}

/// All of a slot in one block, cut at any byte; eight processes and a round trip of eight slots, as LTE FDD has them.
pub fn blocks() -> RlcConfig {
    RlcConfig {
        segmentation: Segmentation { segment: Bytes::new(1), segment_header: Bytes::ZERO, ..pdus().segmentation },
        harq: HarqConfig {
            combining: Combining::Chase,
            unit: CodedUnit::Block,
            max_retransmissions: 3,
            round_trip_slots: 8,
            processes: 8,
            ..HarqConfig::default()
        },
        ..pdus()
    }
}

/// The PDUs of [`pdus`], cut otherwise.
pub fn cut(segmentation: Segmentation) -> RlcConfig {
    RlcConfig { segmentation, ..pdus() }
}

pub fn packet(id: u64, bytes: u64) -> Packet<()> {
    let (flow, user) = (FlowId::default(), UserId::default());
    let (sent_at, queued_at, bytes) = (Time::ZERO, Time::ZERO, Bytes::new(bytes));
    Box::new(PacketFields {
        id,
        flow,
        user,
        bytes,
        sent_at,
        queued_at,
        direction: Direction::Down,
        hop: 0,
        marks: Marks::default(),
        payload: (),
    })
}

/// A block that was put on air.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    pub slot: u64,
    pub ordinal: u32,
    pub earlier: f32,
    pub grants: Vec<SubchannelGrant>,
}

impl Shot {
    pub fn bits(&self) -> f64 {
        self.grants.iter().map(|grant| f64::from(grant.bits)).sum()
    }
}

/// A packet that left: its number, why it was dropped if it was, how it went.
pub type Left = (u64, Option<DropReason>, PacketHistory);

pub struct Bench {
    pub entity: Entity<()>,
    pub waiting: VecDeque<Packet<()>>,
    pub slot: u64,
    pub shots: Vec<Shot>,
    pub left: Vec<Left>,
}

impl Bench {
    pub fn new(config: RlcConfig, sizes: &[u64]) -> Self {
        let waiting = (0..).zip(sizes).map(|(id, &bytes)| packet(id, bytes)).collect();
        Self { entity: Entity::new(config), waiting, slot: 0, shots: Vec::new(), left: Vec::new() }
    }

    /// One slot; each transmission adds 1 to the soft information. `fate` decides from the number of earlier ones and the
    /// ordinal whether a block is lost.
    pub fn slot(&mut self, grants: &[SubchannelGrant], mut fate: impl FnMut(f32, u32) -> bool) -> Filled {
        let slot = Slot::new(self.slot);
        let Self { entity, waiting, shots, left, .. } = self;
        let filled = entity.fill_code_blocks(
            slot,
            grants,
            || waiting.pop_front(),
            |grants: &[SubchannelGrant], SoftInformation(earlier): SoftInformation, ordinal: u32| {
                shots.push(Shot { slot: slot.number(), ordinal, earlier, grants: grants.to_vec() });
                (SoftInformation(earlier + 1.0), fate(earlier, ordinal))
            },
        );
        entity.finish_blocks(slot, |outcome, how| left.push(left_of(outcome, how)));
        self.slot += 1;
        filled
    }

    /// One slot of one grant of `bytes`, in which all blocks share a fate.
    pub fn bytes(&mut self, bytes: u64, lost: bool) -> Filled {
        self.slot(&[grant(bytes as f32 * 8.0)], |_, _| lost)
    }

    pub fn delivered(&self) -> Vec<u64> {
        self.left.iter().filter(|(_, dropped, _)| dropped.is_none()).map(|(id, ..)| *id).collect()
    }

    pub fn dropped(&self) -> Vec<(u64, DropReason)> {
        self.left.iter().filter_map(|(id, dropped, _)| Some((*id, (*dropped)?))).collect()
    }
}

pub fn left_of(outcome: Outcome<()>, how: PacketHistory) -> Left {
    match outcome {
        Outcome::Delivered(packet) => (packet.id, None, how),
        Outcome::Dropped(dropped) => (dropped.packet.id, Some(dropped.reason), how),
    }
}

pub fn grant(bits: f32) -> SubchannelGrant {
    SubchannelGrant { bits, true_db: 10.0, mcs: 0 }
}
