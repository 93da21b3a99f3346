//! HARQ: the unit of coding, the blocks that wait for a retransmission, and how much may be in flight.
//!
//! A lost code block keeps its content and the receiver's soft information. It may be sent again one round trip after the slot
//! that lost it, before any new data, in the order of losses (3GPP TS 36.321 §5.3.2). A process is the new data that a user
//! sends in one slot; it is busy until all of that is acknowledged or given up.
//!
//! It leaves out: feedback that is lost or misread, and the gain of a retransmission, which the link computes.

use std::collections::VecDeque;

use crate::types::declare::{Section, Words};
use crate::types::{Combining, Slot, SoftInformation, SubchannelGrant};

/// What is coded, lost and repeated as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum CodedUnit {
    /// Each segment with its headers.
    Pdu,
    /// All that a user sends anew in a slot: a transport block.
    Block,
}

/// Hybrid ARQ: lost code blocks are retransmitted unchanged, before new data.
///
/// A block that HARQ gives up goes to ARQ, if that retransmits, or is dropped (`retry_limit`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Section)]
pub struct HarqConfig {
    /// What a receiver does with earlier transmissions of a block: "none": there are no others; "chase": it adds their
    /// SINRs, each relative to what its rate needs; "incremental_redundancy": each transmission has new coded bits, and
    /// it adds their information (needs link.errors.curve.kind = "coded").
    #[field(name = "kind", default = Combining::None, source = "airlink default; [Kakuda]: packet combining")]
    pub combining: Combining,
    /// What is coded, lost and retransmitted as one: "pdu", each segment with its headers, over the subchannels that it
    /// needs; "block", all that a user sends anew in a slot.
    #[field(default = CodedUnit::Block, source = "airlink default: a transport block; [Kakuda]: RLC PDUs")]
    pub unit: CodedUnit,
    /// Number of HARQ processes of a user, each for the new data of one slot. A process is busy for a round trip, and
    /// until all its data arrived or was given up.
    #[field(
        at_least = 1,
        at_most = 1000,
        infinite,
        default = 8,
        source = "LTE FDD: 8 (TS 36.213 section 7); [Kakuda] names none: inf"
    )]
    pub processes: u32,
    /// Slots from a transmission to its earliest retransmission; 1 is the next slot.
    #[field(
        unit = "slots",
        at_least = 1,
        at_most = 100_000,
        default = 8,
        source = "LTE FDD: 8; [Kakuda], profile W1: 1"
    )]
    pub round_trip_slots: u64,
    /// Most retransmissions of a lost block.
    #[field(
        at_least = 0,
        at_most = 1000,
        infinite,
        default = 3,
        source = "airlink default: 3, four transmissions in all; [Kakuda]: 10"
    )]
    pub max_retransmissions: u32,
}

impl HarqConfig {
    /// One code block a slot, never sent again as it is.
    pub const NONE: Self = Self {
        combining: Combining::None,
        unit: CodedUnit::Block,
        processes: u32::MAX,
        round_trip_slots: 1,
        max_retransmissions: 0,
    };

    /// The config that is in force: without combining no block is retransmitted and no process waits.
    pub(super) fn in_force(self) -> Self {
        match self.combining {
            Combining::None => Self { unit: self.unit, ..Self::NONE },
            Combining::Chase | Combining::IncrementalRedundancy => self,
        }
    }

    /// Whether a block that was lost after `transmissions` may be retransmitted.
    pub(super) fn may_retransmit(&self, transmissions: u32) -> bool {
        self.max_retransmissions == u32::MAX || transmissions <= self.max_retransmissions
    }
}

/// Consecutive bytes of a user's packets: the end of one, whole ones, the beginning of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Content {
    /// The serial of the first packet.
    pub(super) serial: u64,
    /// Bytes of the first packet.
    pub(super) first_bytes: u64,
    /// Bytes of the last packet, where there are two or more.
    pub(super) last_bytes: u64,
    /// How many packets it has bytes of.
    pub(super) packets: u64,
}

impl Content {
    /// A piece of one packet.
    pub(super) fn piece(serial: u64, bytes: u64) -> Self {
        Self { serial, first_bytes: bytes, last_bytes: 0, packets: 1 }
    }

    /// Adds the first `bytes` of the packet that follows.
    pub(super) fn extend(&mut self, bytes: u64) {
        self.packets += 1;
        self.last_bytes = bytes;
    }

    /// Bytes of packet `serial`, which has `whole` of them, that are in here.
    pub(super) fn bytes_of(&self, serial: u64, whole: u64) -> u64 {
        match serial.checked_sub(self.serial) {
            Some(0) => self.first_bytes,
            Some(after) if after + 1 == self.packets => self.last_bytes,
            Some(after) if after < self.packets => whole,
            _ => 0,
        }
    }
}

/// A code block that was lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeBlock {
    pub(super) content: Content,
    /// Bytes of packets that are not given up.
    pub(super) payload: u64,
    /// Its bytes on air, headers included.
    pub(super) on_air: u64,
    /// How often it was sent.
    pub(super) transmissions: u32,
    /// How often ARQ has sent its content before.
    pub(super) retransmissions: u32,
    /// The receiver's soft information from its transmissions.
    pub(super) soft: SoftInformation,
    /// The slot of its first transmission, which names its process.
    pub(super) process: Slot,
}

/// Lost blocks that wait for their retransmission, in the order in which they are due.
#[derive(Clone, Debug, Default)]
pub(super) struct Retransmissions {
    waiting: VecDeque<(Slot, CodeBlock)>,
    /// How many of them are due, and their bytes on air.
    due: usize,
    due_on_air: u64,
    /// Bytes of the first one's retransmission that are already on air, and the subchannels that carried them.
    begun_bytes: u64,
    begun: Vec<SubchannelGrant>,
}

impl Retransmissions {
    /// Whether some block is due in `slot`.
    pub(super) fn is_due(&self, slot: Slot) -> bool {
        self.waiting.front().is_some_and(|(ready, _)| *ready <= slot)
    }

    /// Bytes on air of all blocks that are due in `slot`; slots never go back.
    pub(super) fn due_on_air(&mut self, slot: Slot) -> u64 {
        while let Some((ready, block)) = self.waiting.get(self.due)
            && *ready <= slot
        {
            self.due += 1;
            self.due_on_air += block.on_air;
        }
        self.due_on_air - self.begun_bytes
    }

    /// Bytes on air that the first of those due still needs, and the subchannels that carried the rest of it.
    pub(super) fn first_due(&self) -> Option<(u64, &[SubchannelGrant])> {
        let (_, block) = self.waiting.front().filter(|_| self.due > 0)?;
        Some((block.on_air - self.begun_bytes, &self.begun))
    }

    /// Puts `bytes` more of the first one's retransmission on air; it now spans `grants`.
    pub(super) fn begin_first(&mut self, bytes: u64, grants: &[SubchannelGrant]) {
        self.begun_bytes += bytes;
        self.begun.clear();
        self.begun.extend_from_slice(grants);
    }

    /// Takes out the first of those due.
    pub(super) fn pop_due(&mut self) -> Option<CodeBlock> {
        let (_, block) = self.waiting.front().filter(|_| self.due > 0).copied()?;
        self.waiting.pop_front();
        self.due -= 1;
        self.due_on_air -= block.on_air;
        self.forget_begun();
        Some(block)
    }

    /// Adds a lost block that is due from `ready` on, not before any other block.
    pub(super) fn push(&mut self, ready: Slot, block: CodeBlock) {
        self.waiting.push_back((ready, block));
    }

    /// Gives up packet `serial` of `whole` bytes: `on_withdrawn` gets each block with no other packet, which is not sent again.
    /// Returns the packet's bytes that waited here.
    pub(super) fn withdraw(&mut self, serial: u64, whole: u64, mut on_withdrawn: impl FnMut(&CodeBlock)) -> u64 {
        let (mut bytes, mut place, mut due, mut due_on_air, mut first_kept) = (0, 0, 0, 0, true);
        let were_due = self.due;
        self.waiting.retain_mut(|(_, block)| {
            let share = block.content.bytes_of(serial, whole);
            bytes += share;
            block.payload -= share;
            let kept = block.payload > 0;
            if kept && place < were_due {
                due += 1;
                due_on_air += block.on_air;
            }
            if !kept {
                on_withdrawn(block);
                first_kept &= place > 0;
            }
            place += 1;
            kept
        });
        (self.due, self.due_on_air) = (due, due_on_air);
        if !first_kept {
            self.forget_begun();
        }
        bytes
    }

    fn forget_begun(&mut self) {
        self.begun_bytes = 0;
        self.begun.clear();
    }
}

/// The new data of one slot, until it is acknowledged.
#[derive(Clone, Copy, Debug)]
struct Process {
    first: Slot,
    last: Slot,
    /// Its blocks that are lost so far and not given up.
    open: u32,
}

/// A user's processes that wait for feedback, in the order of their first slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Processes(Vec<Process>);

impl Processes {
    /// Whether new data may be sent in `slot`.
    pub(super) fn may_begin(&self, slot: Slot, config: &HarqConfig) -> bool {
        config.processes == u32::MAX || self.busy(slot, config) < config.processes as usize
    }

    fn busy(&self, slot: Slot, config: &HarqConfig) -> usize {
        self.0.iter().filter(|process| process.is_busy(slot, config)).count()
    }

    /// Notes that new data was sent in `slot` and `lost` of its blocks were lost.
    pub(super) fn begin(&mut self, slot: Slot, lost: u32, config: &HarqConfig) {
        if config.processes != u32::MAX {
            self.0.retain(|process| process.is_busy(slot, config));
            self.0.push(Process { first: slot, last: slot, open: lost });
        }
    }

    /// Notes that a block of process `first` was sent again in `slot`.
    pub(super) fn on_retransmitted(&mut self, first: Slot, slot: Slot, lost: bool) {
        if let Some(process) = self.find(first) {
            process.last = slot;
            process.open -= u32::from(!lost);
        }
    }

    /// Notes that a lost block of process `first` will not be sent again.
    pub(super) fn on_closed(&mut self, first: Slot) {
        if let Some(process) = self.find(first) {
            process.open -= 1;
        }
    }

    /// The process that began in slot `first`; none if processes are not limited.
    fn find(&mut self, first: Slot) -> Option<&mut Process> {
        let place = self.0.binary_search_by_key(&first, |process| process.first).ok()?;
        self.0.get_mut(place)
    }
}

impl Process {
    fn is_busy(&self, slot: Slot, config: &HarqConfig) -> bool {
        self.open > 0 || self.last.number() + config.round_trip_slots > slot.number()
    }
}
