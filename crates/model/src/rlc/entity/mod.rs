//! The two ends of one user's RLC: packets in transfer, parts to retransmit, complete packets.

mod code_blocks;
mod lost_slots;

use std::collections::VecDeque;

use super::{Filled, PacketHistory, RlcConfig};
use crate::types::{Blocks, Bytes, DropReason, Dropped, Packet, Slot};
use code_blocks::CodeBlocks;

/// A packet's outcome at the end of a slot.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<P> {
    /// Every byte has arrived.
    Delivered(Packet<P>),
    /// It was given up.
    Dropped(Dropped<P>),
}

/// A packet whose first segment was sent and whose outcome is open.
#[derive(Clone, Debug)]
struct Transfer<P> {
    /// Taken out once its outcome is reported.
    packet: Option<Packet<P>>,
    missing: u64,
    damaged: Option<DropReason>,
    history: PacketHistory,
}

/// A piece of a packet, on air or waiting for its retransmission.
#[derive(Clone, Copy, Debug)]
struct Part {
    serial: u64,
    bytes: u64,
    retransmissions: u32,
    ready: Slot,
}

/// One user's RLC.
#[derive(Clone, Debug)]
pub struct Entity<P> {
    config: RlcConfig,
    transfers: VecDeque<Transfer<P>>,
    /// Those among them that are damaged.
    damaged: usize,
    first_serial: u64,
    /// Never-sent bytes of the packet that was begun last: of those before it all was sent.
    unsent: u64,
    to_retransmit: VecDeque<Part>,
    /// Bytes that wait for a retransmission, in parts and in code blocks.
    bytes_to_retransmit: u64,
    /// What is on air; unless ARQ repeats slots, only what it repeats.
    on_air: Vec<Part>,
    /// New data on air that is not listed there: of so many packets, the last of those in transfer.
    fresh_pieces: usize,
    /// Its bytes.
    fresh_on_air: u64,
    carried_bits: f64,
    held_packets: u64,
    held_bytes: u64,
    /// Slots lost in a row; counted only if ARQ repeats slots.
    lost_in_a_row: u32,
    /// Used only with several subchannels or HARQ, so kept apart.
    blocks: Box<CodeBlocks>,
}

impl<P> Entity<P> {
    /// An entity with nothing to send.
    pub fn new(config: RlcConfig) -> Self {
        Self {
            config: RlcConfig { harq: config.harq.in_force(), ..config },
            transfers: VecDeque::new(),
            damaged: 0,
            first_serial: 0,
            unsent: 0,
            to_retransmit: VecDeque::new(),
            bytes_to_retransmit: 0,
            on_air: Vec::new(),
            fresh_pieces: 0,
            fresh_on_air: 0,
            carried_bits: 0.0,
            held_packets: 0,
            held_bytes: 0,
            lost_in_a_row: 0,
            blocks: Box::default(),
        }
    }

    /// How blocks are cut and retransmitted; without HARQ its fields of retransmissions are neutral.
    pub fn config(&self) -> &RlcConfig {
        &self.config
    }

    /// Bytes held that are to be sent or retransmitted.
    #[inline]
    pub fn bytes_to_send(&self) -> Bytes {
        Bytes::new(self.unsent + self.bytes_to_retransmit)
    }

    /// Bytes that were lost and wait for a retransmission.
    pub fn bytes_to_retransmit(&self) -> Bytes {
        Bytes::new(self.bytes_to_retransmit)
    }

    /// Never-sent bytes of the packet that was begun.
    #[inline]
    pub fn fresh_bytes(&self) -> Bytes {
        Bytes::new(self.unsent)
    }

    /// Packets with never-sent bytes: 1 if the packet that was begun has any, else 0.
    #[inline]
    pub fn fresh_packets(&self) -> u64 {
        u64::from(self.unsent > 0)
    }

    /// True if `slot` could carry something that this entity holds: a begun packet or a retransmission that is due.
    pub fn is_ready(&self, slot: Slot) -> bool {
        let parts_due = || self.to_retransmit.front().is_some_and(|part| part.ready <= slot);
        ((self.fresh_packets() > 0 || parts_due()) && self.may_begin(slot))
            || self.blocks.is_due(slot)
            || self.holds_block()
    }

    /// True if a HARQ process is free, so that `slot` could carry new packets.
    pub fn may_begin(&self, slot: Slot) -> bool {
        self.blocks.may_begin(slot, &self.config.harq)
    }

    /// Packets that were begun and are neither complete nor given up, and their whole bytes.
    pub fn held(&self) -> (u64, Bytes) {
        (self.held_packets, Bytes::new(self.held_bytes))
    }

    /// The oldest packet whose outcome is open.
    pub fn oldest(&self) -> Option<&Packet<P>> {
        // The outcome of the first is open: what is reported leaves.
        self.transfers.front().and_then(|transfer| transfer.packet.as_ref())
    }

    /// The packets whose outcome is open, oldest first.
    pub fn packets(&self) -> impl Iterator<Item = &Packet<P>> {
        self.transfers.iter().filter_map(|transfer| transfer.packet.as_ref())
    }

    /// Fills the block of `slot` from a grant of `bits`; `pull` hands out new packets.
    #[inline(always)]
    pub fn fill(&mut self, slot: Slot, bits: f64, mut pull: impl FnMut() -> Option<Packet<P>>) -> Filled {
        debug_assert!(self.on_air.is_empty() && self.fresh_pieces == 0, "the slot before has ended");
        let on_air = self.config.segment_on_air();
        let header = self.config.segmentation.block_header.count();
        let carries = self.config.segmentation.carry_fraction;
        let budget = if carries { bits + self.carried_bits } else { bits };
        // A product of a rate and a slot length may fall short of a whole number by its rounding. Fewer than 2^63 bytes:
        // signed numbers are converted faster.
        let bytes = ((budget * (1.0 + 1e-12)) / 8.0) as i64 as u64;
        let room = bytes.saturating_sub(header);
        let segments = if on_air == 1 { room } else { room / on_air };
        let (payload, unused) = self.fill_segments(slot, segments, &mut pull);
        let used = segments - unused;
        let sent = if used == 0 { 0 } else { used * on_air + header };
        if carries {
            // Less than the least block is left over; the clamp takes only what rounding adds.
            let least_block = (on_air + header) * 8;
            let left = (budget - (sent * 8) as f64).clamp(0.0, least_block as f64);
            self.carried_bits = if unused > 0 { 0.0 } else { left };
        }
        Filled { sent: Bytes::new(sent), payload: Bytes::new(payload), padded: unused > 0, blocks: Blocks::default() }
    }

    /// Fills segments with retransmissions, then begun and new packets; returns the bytes in them and the segments left empty.
    #[inline(always)]
    fn fill_segments(
        &mut self,
        slot: Slot,
        mut segments: u64,
        pull: &mut impl FnMut() -> Option<Packet<P>>,
    ) -> (u64, u64) {
        let repeated = if self.bytes_to_retransmit > 0 { self.repeat_parts(slot, &mut segments) } else { 0 };
        let mut payload = repeated;
        while let Some(bytes) = self.next_piece(segments, pull) {
            self.fresh_pieces += 1;
            payload += bytes;
            segments -= self.config.segments_of(bytes);
        }
        self.fresh_on_air = payload - repeated;
        if self.config.retransmits_slots() {
            self.list_fresh(slot);
        }
        (payload, segments)
    }

    /// Fills segments with retransmissions; returns the bytes in them.
    #[inline(never)]
    fn repeat_parts(&mut self, slot: Slot, segments: &mut u64) -> u64 {
        let mut payload = 0;
        while let Some(piece) = self.next_repeated_piece(slot, *segments) {
            self.on_air.push(piece);
            payload += piece.bytes;
            *segments -= self.config.segments_of(piece.bytes);
        }
        payload
    }

    /// The next part that ARQ retransmits in `slot`, at most the bytes of `segments`.
    fn next_repeated_piece(&mut self, slot: Slot, segments: u64) -> Option<Part> {
        let part = self.to_retransmit.front_mut().filter(|part| segments > 0 && part.ready <= slot)?;
        let bytes = part.bytes.min(segments * self.config.segmentation.segment.count());
        let piece = Part { bytes, ..*part };
        part.bytes -= bytes;
        if part.bytes == 0 {
            self.to_retransmit.pop_front();
        }
        self.bytes_to_retransmit -= bytes;
        Some(piece)
    }

    /// How many bytes of new data are next, at most those of `segments`; they are of the packet that was begun last.
    #[inline(always)]
    fn next_piece(&mut self, segments: u64, pull: &mut impl FnMut() -> Option<Packet<P>>) -> Option<u64> {
        if segments == 0 {
            return None;
        }
        if self.unsent == 0 {
            self.begin(pull()?);
        }
        let bytes = self.unsent.min(segments * self.config.segmentation.segment.count());
        self.unsent -= bytes;
        Some(bytes)
    }

    /// The serial of the packet that was begun last.
    #[inline]
    fn last_serial(&self) -> u64 {
        (self.first_serial + self.transfers.len() as u64).wrapping_sub(1)
    }

    #[inline]
    fn begin(&mut self, packet: Packet<P>) {
        let bytes = packet.bytes.count();
        self.unsent = bytes;
        self.held_packets += 1;
        self.held_bytes += bytes;
        let history = PacketHistory::default();
        self.transfers.push_back(Transfer { packet: Some(packet), missing: bytes, damaged: None, history });
    }

    /// True if most of the block on air is a retransmission, or if it is `lost` and some of it will be retransmitted. With code
    /// blocks: if most bytes on air are one or the other.
    pub fn is_repair(&self, lost: bool) -> bool {
        if self.config.retransmits_slots() {
            return self.is_repair_of_a_slot(lost);
        }
        let repeated: u64 = self.on_air.iter().map(|part| part.bytes).sum();
        let limit = self.config.arq.max_retransmissions;
        let may_retransmit =
            (self.fresh_pieces > 0 && limit > 0) || self.on_air.iter().any(|part| part.retransmissions < limit);
        repeated > self.fresh_on_air || (lost && may_retransmit) || self.blocks.is_repair()
    }

    /// True if what is on air is all that is missing of what was sent, and is not `lost`: [`Self::arrive`] ends its slot.
    #[inline]
    pub fn arrives_in_order(&self, lost: bool) -> bool {
        !lost && self.bytes_to_retransmit == 0 && self.damaged == 0 && self.on_air.is_empty()
    }

    /// Ends `slot`, of which all [`arrives_in_order`](Self::arrives_in_order): returns how many packets are complete, for
    /// [`Self::pop_complete`].
    #[inline]
    pub fn arrive(&mut self, slot: Slot) -> usize {
        debug_assert_eq!(
            self.fresh_on_air + self.unsent,
            self.transfers.iter().map(|transfer| transfer.missing).sum(),
            "all else has arrived"
        );
        if self.fresh_pieces == 0 {
            return 0;
        }
        debug_assert_eq!(self.fresh_pieces, self.transfers.len(), "what is complete has left");
        (self.fresh_pieces, self.fresh_on_air, self.held_packets, self.held_bytes) = (0, 0, 0, 0);
        if self.unsent > 0
            && let Some(Transfer { packet: Some(packet), missing, history, .. }) = self.transfers.back_mut()
        {
            *missing = self.unsent;
            history.add(slot, 1);
            (self.held_packets, self.held_bytes) = (1, packet.bytes.count());
        }
        self.transfers.len() - self.held_packets as usize // at most 1
    }

    /// Takes out the oldest packet that [`arrive`](Self::arrive) has found complete in `slot`, with its history.
    #[inline]
    pub fn pop_complete(&mut self, slot: Slot) -> Option<(Packet<P>, PacketHistory)> {
        let Transfer { packet, mut history, .. } = self.transfers.pop_front()?;
        self.first_serial += 1;
        history.add(slot, 1);
        Some((packet?, history))
    }

    /// Ends `slot`: the block on air arrived or was `lost`; calls `report` with the outcome and history of each packet.
    #[inline(never)]
    pub fn finish_slot(&mut self, slot: Slot, lost: bool, mut report: impl FnMut(Outcome<P>, PacketHistory)) {
        if self.config.retransmits_slots() {
            return self.finish_whole_slot(slot, lost, report);
        }
        self.list_fresh(slot);
        for part in &self.on_air {
            let transfer = &mut self.transfers[place(part.serial, self.first_serial)];
            transfer.history.add(slot, part.retransmissions + 1);
            transfer.missing -= if lost { 0 } else { part.bytes };
        }
        if lost {
            self.lose_parts(slot);
        }
        self.on_air.clear();
        self.report_outcomes(&mut report);
    }

    /// Lists the new data on air behind what is repeated; from the last packet back, as what is counted are the last bytes.
    #[inline(never)]
    fn list_fresh(&mut self, slot: Slot) {
        let (mut left, repeated) = (std::mem::take(&mut self.fresh_on_air), self.on_air.len());
        let (mut serial, mut unsent) = (self.last_serial(), self.unsent);
        for _ in 0..std::mem::take(&mut self.fresh_pieces) {
            let whole = self.transfer(serial).packet.as_ref().map_or(0, |packet| packet.bytes.count());
            let bytes = left.min(whole - unsent);
            self.on_air.push(Part { serial, bytes, retransmissions: 0, ready: slot });
            (left, serial, unsent) = (left - bytes, serial.wrapping_sub(1), 0);
        }
        self.on_air[repeated..].reverse();
    }

    #[inline(never)]
    fn lose_parts(&mut self, slot: Slot) {
        for index in 0..self.on_air.len() {
            self.lose(slot, self.on_air[index]);
        }
    }

    fn transfer(&mut self, serial: u64) -> &mut Transfer<P> {
        &mut self.transfers[place(serial, self.first_serial)]
    }

    fn lose(&mut self, slot: Slot, part: Part) {
        let limit = self.config.arq.max_retransmissions;
        if limit == 0 {
            self.damage(part.serial, DropReason::AirError);
        } else if limit != u32::MAX && part.retransmissions >= limit {
            self.give_up(part.serial);
        } else if self.transfer(part.serial).damaged.is_none() {
            let ready = Slot::new(slot.number() + 1 + self.config.arq.feedback_delay_slots);
            self.bytes_to_retransmit += part.bytes;
            self.to_retransmit.push_back(Part { retransmissions: part.retransmissions + 1, ready, ..part });
        }
    }

    /// Part of a packet is lost for good; true if nothing of it was before.
    fn damage(&mut self, serial: u64, reason: DropReason) -> bool {
        let was_open = self.transfer(serial).damaged.replace(reason).is_none();
        self.damaged += usize::from(was_open);
        was_open
    }

    /// Gives a packet up: nothing more of it is sent.
    fn give_up(&mut self, serial: u64) {
        let was_open = self.damage(serial, DropReason::RetryLimit);
        let whole = self.transfer(serial).packet.as_ref().map_or(0, |packet| packet.bytes.count());
        if serial == self.last_serial() {
            self.unsent = 0;
        }
        let mut withdrawn = if was_open { self.blocks.withdraw(serial, whole) } else { 0 };
        self.to_retransmit.retain(|part| {
            let keep = part.serial != serial;
            withdrawn += if keep { 0 } else { part.bytes };
            keep
        });
        self.bytes_to_retransmit -= withdrawn;
    }

    #[inline(always)]
    fn report_outcomes(&mut self, report: &mut impl FnMut(Outcome<P>, PacketHistory)) {
        if self.damaged > 0 || !self.config.segmentation.in_order {
            return self.report_any(report);
        }
        while self.transfers.front().is_some_and(|front| front.missing == 0) {
            let Some(Transfer { packet: Some(packet), history, .. }) = self.transfers.pop_front() else { break };
            self.first_serial += 1;
            self.held_packets -= 1;
            self.held_bytes -= packet.bytes.count();
            report(Outcome::Delivered(packet), history);
        }
    }

    /// The same where packets are lost or overtake others.
    #[inline(never)]
    fn report_any(&mut self, report: &mut impl FnMut(Outcome<P>, PacketHistory)) {
        let mut all_reported = true;
        let (last, unsent) = (self.transfers.len().wrapping_sub(1), self.unsent);
        for (place, transfer) in self.transfers.iter_mut().enumerate() {
            let given_up = transfer.damaged.is_some() && (place < last || unsent == 0);
            let complete = transfer.missing == 0;
            let may_report = given_up || (complete && (all_reported || !self.config.segmentation.in_order));
            if may_report && let Some(packet) = transfer.packet.take() {
                self.held_packets -= 1;
                self.held_bytes -= packet.bytes.count();
                let outcome = match transfer.damaged {
                    Some(reason) => Outcome::Dropped(Dropped { packet, reason }),
                    None => Outcome::Delivered(packet),
                };
                report(outcome, transfer.history);
            }
            all_reported &= transfer.packet.is_none();
        }
        while self.transfers.front().is_some_and(|front| front.packet.is_none()) {
            let front = self.transfers.pop_front();
            self.damaged -= usize::from(front.is_some_and(|front| front.damaged.is_some()));
            self.first_serial += 1;
        }
    }
}

/// The place of the transfer with this serial, behind the one with the `first`.
#[inline]
fn place(serial: u64, first: u64) -> usize {
    usize::try_from(serial - first).expect("a transfer's place fits in memory")
}
