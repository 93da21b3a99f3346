//! The entity over a carrier of many subchannels: code blocks, each lost or not by itself, and their HARQ.
//!
//! A user's grant of a slot is a sequence of subchannels. It is cut into code blocks in this order: HARQ retransmissions, ARQ
//! retransmissions, the rest of the packet that was begun, new packets. ARQ takes over what HARQ
//! gives up, and may cut it anew; without ARQ it is dropped. A retransmitted transport block that exceeds the grant goes on in
//! the user's next grants; it is decoded when all of it is there.
//!
//! It leaves out: retransmission of part of a block, and new blocks over several users or slots.

use super::{Entity, Part};
use crate::rlc::grant::Grant;
use crate::rlc::harq::{CodeBlock, CodedUnit, Content, Processes, Retransmissions};
use crate::rlc::{Filled, HarqConfig, Outcome, RlcConfig};
use crate::types::{BlockFates, Blocks, Bytes, Packet, Slot, SoftInformation, SubchannelGrant};

/// A user's code blocks: those on air, and those that wait for a retransmission.
#[derive(Clone, Debug, Default)]
pub(super) struct CodeBlocks {
    retransmissions: Retransmissions,
    processes: Processes,
    /// Content that arrives at the end of the slot, and its number of transmissions.
    arriving: Vec<(Content, u32)>,
    /// Blocks that the slot loses.
    lost: Vec<CodeBlock>,
    /// Bytes on air that are retransmitted, or are lost and will be.
    repair_bytes: u64,
    sent_bytes: u64,
    /// Memory for the subchannels of one block.
    spanned: Vec<SubchannelGrant>,
}

impl CodeBlocks {
    pub(super) fn is_due(&self, slot: Slot) -> bool {
        self.retransmissions.is_due(slot)
    }

    pub(super) fn may_begin(&self, slot: Slot, config: &HarqConfig) -> bool {
        self.processes.may_begin(slot, config)
    }

    /// True if more than half of what is on air repairs losses.
    pub(super) fn is_repair(&self) -> bool {
        2 * self.repair_bytes > self.sent_bytes
    }

    /// Gives up packet `serial` of `whole` bytes; returns its bytes that waited for a retransmission.
    pub(super) fn withdraw(&mut self, serial: u64, whole: u64) -> u64 {
        let Self { retransmissions, processes, .. } = self;
        retransmissions.withdraw(serial, whole, |block| processes.on_closed(block.process))
    }
}

/// A block whose first transmission is lost.
struct NewBlock {
    content: Content,
    payload: u64,
    on_air: u64,
    retransmissions: u32,
    soft: SoftInformation,
}

/// A slot being filled.
struct Filling<'a, F> {
    slot: Slot,
    config: RlcConfig,
    grant: Grant<'a>,
    fates: F,
    blocks: Blocks,
    payload: u64,
    sent: u64,
}

impl<F: BlockFates> Filling<'_, F> {
    /// Segments that still fit.
    fn segments(&self) -> u64 {
        let block_header = self.config.segmentation.block_header;
        match self.config.harq.unit {
            CodedUnit::Pdu => self.grant.bytes / self.config.block_on_air(1),
            CodedUnit::Block => self.grant.bytes.saturating_sub(block_header.count()) / self.config.segment_on_air(),
        }
    }

    /// Sends the block that was cut from the grant.
    #[inline]
    fn transmit(&mut self, earlier: SoftInformation) -> (SoftInformation, bool) {
        let (soft, lost) = self.fates.transmit(&self.grant.spanned, earlier, self.blocks.sent);
        self.blocks.sent += 1;
        self.blocks.lost += u32::from(lost);
        (soft, lost)
    }

    /// Sends blocks of `on_air` bytes for the first time, at most `most`, up to the first that may be lost; returns how many.
    fn send_sure(&mut self, on_air: u64, most: u64) -> u64 {
        let Self { fates, grant, blocks: Blocks { sent, .. }, .. } = self;
        // Fewer than 2^16 blocks.
        let arrives = |number| fates.arrives_with_margin(*sent + number as u32);
        let sure = grant.pass(on_air, most, arrives, |subchannel| fates.has_margin(subchannel));
        *sent += sure as u32;
        self.sent += sure * on_air;
        sure
    }

    /// Sends a block of `on_air` bytes for the first time; returns its soft information if it is lost.
    #[inline]
    fn send_new(&mut self, on_air: u64) -> Option<SoftInformation> {
        self.sent += on_air;
        self.grant.cut(on_air);
        let (soft, lost) = self.transmit(SoftInformation::NONE);
        lost.then_some(soft)
    }
}

impl<P> Entity<P> {
    /// Fills `slot` over the subchannels of `grants`; `pull` hands out new packets.
    ///
    /// `fates` are asked of each code block: given the subchannels that it spans with its bits of each, the soft information of
    /// earlier transmissions, and its number in the slot.
    /// [`finish_blocks`](Self::finish_blocks) ends the slot.
    pub fn fill_code_blocks(
        &mut self,
        slot: Slot,
        grants: &[SubchannelGrant],
        mut pull: impl FnMut() -> Option<Packet<P>>,
        fates: impl BlockFates,
    ) -> Filled {
        debug_assert!(self.blocks.arriving.is_empty() && self.blocks.lost.is_empty(), "the slot before has ended");
        let carried = if self.config.segmentation.carry_fraction { self.carried_bits } else { 0.0 };
        let mut filling = Filling {
            slot,
            config: self.config,
            grant: Grant::new(grants, carried, std::mem::take(&mut self.blocks.spanned)),
            fates,
            blocks: Blocks::default(),
            payload: 0,
            sent: 0,
        };
        (self.blocks.repair_bytes, self.blocks.sent_bytes) = (0, 0);
        self.retransmit_blocks(&mut filling);
        let unused = if self.blocks.may_begin(slot, &self.config.harq) {
            self.send_anew(&mut filling, &mut pull)
        } else {
            filling.segments()
        };
        // Less than the least block is left over; the clamp takes only what rounding adds.
        let least_block = (self.config.block_on_air(1) * 8) as f64;
        let left = (filling.grant.bits - (filling.sent * 8) as f64).clamp(0.0, least_block);
        if !grants.is_empty() {
            self.carried_bits = if unused > 0 { 0.0 } else { left };
        }
        self.blocks.sent_bytes = filling.sent;
        self.blocks.spanned = filling.grant.spanned;
        let (sent, payload) = (Bytes::new(filling.sent), Bytes::new(filling.payload));
        Filled { sent, payload, padded: unused > 0, blocks: filling.blocks }
    }

    /// Retransmits the lost blocks that are due, unchanged.
    fn retransmit_blocks<F: BlockFates>(&mut self, filling: &mut Filling<F>) {
        let blocks = &mut *self.blocks;
        blocks.retransmissions.due_on_air(filling.slot);
        while let Some((needed, begun)) = blocks.retransmissions.first_due() {
            let bytes = needed.min(filling.grant.bytes);
            if bytes < needed && (self.config.harq.unit == CodedUnit::Pdu || bytes == 0) {
                break;
            }
            filling.grant.spanned.clear();
            filling.grant.spanned.extend_from_slice(begun);
            filling.grant.cut_more(bytes);
            filling.sent += bytes;
            blocks.repair_bytes += bytes;
            if bytes < needed {
                blocks.retransmissions.begin_first(bytes, &filling.grant.spanned);
                break;
            }
            let Some(block) = blocks.retransmissions.pop_due() else { break };
            self.bytes_to_retransmit -= block.payload;
            filling.payload += block.payload;
            let (soft, lost) = filling.transmit(block.soft);
            filling.blocks.retransmitted += 1;
            blocks.processes.on_retransmitted(block.process, filling.slot, lost);
            let block = CodeBlock { transmissions: block.transmissions + 1, soft, ..block };
            if lost {
                filling.blocks.given_up += u32::from(!self.config.may_retransmit(&block));
                blocks.lost.push(block);
            } else {
                blocks.arriving.push((block.content, self.config.attempts(block.retransmissions, block.transmissions)));
            }
        }
    }

    /// Sends the parts that ARQ retransmits, then begun and new packets; returns the segments left empty.
    fn send_anew<F: BlockFates>(
        &mut self,
        filling: &mut Filling<F>,
        pull: &mut impl FnMut() -> Option<Packet<P>>,
    ) -> u64 {
        let sent_before = filling.sent;
        let mut segments = filling.segments();
        while let Some(piece) = self.next_repeated_piece(filling.slot, segments) {
            self.send_piece(filling, piece);
            segments = filling.segments();
        }
        match self.config.harq.unit {
            CodedUnit::Pdu => self.send_pdus(filling, pull, &mut segments),
            CodedUnit::Block => self.send_block(filling, pull, &mut segments),
        }
        if filling.sent > sent_before {
            self.blocks.processes.begin(filling.slot, filling.blocks.first_lost, &self.config.harq);
        }
        segments
    }

    /// Sends a piece of one packet: a block for each segment, or one for all.
    fn send_piece<F: BlockFates>(&mut self, filling: &mut Filling<F>, piece: Part) {
        let Part { serial, bytes, retransmissions, .. } = piece;
        let most = match self.config.harq.unit {
            CodedUnit::Pdu => self.config.segmentation.segment.count(),
            CodedUnit::Block => bytes,
        };
        // A PDU takes as much air when it is partly empty.
        let on_air = self.config.block_on_air(most);
        filling.payload += bytes;
        let (mut left, mut arriving, sent_before) = (bytes, 0, filling.sent);
        while left > 0 {
            // Nearly all are sure to arrive.
            let sure = filling.send_sure(on_air, left.div_ceil(most)) * most;
            arriving += sure.min(left);
            left = left.saturating_sub(sure);
            if left == 0 {
                break;
            }
            let payload = left.min(most);
            left -= payload;
            match filling.send_new(on_air) {
                None => arriving += payload,
                Some(soft) => {
                    let content = Content::piece(serial, payload);
                    self.put_lost(filling, NewBlock { content, payload, on_air, retransmissions, soft });
                }
            }
        }
        if retransmissions > 0 {
            self.blocks.repair_bytes += filling.sent - sent_before;
        }
        if arriving > 0 {
            let attempts = self.config.attempts(retransmissions, 1);
            self.blocks.arriving.push((Content::piece(serial, arriving), attempts));
        }
    }

    fn put_lost<F>(&mut self, filling: &mut Filling<F>, block: NewBlock) {
        let NewBlock { content, payload, on_air, retransmissions, soft } = block;
        let process = filling.slot;
        let block = CodeBlock { content, payload, on_air, transmissions: 1, retransmissions, soft, process };
        let goes_again = self.config.may_retransmit(&block);
        filling.blocks.first_lost += 1;
        filling.blocks.given_up += u32::from(!goes_again);
        if block.retransmissions == 0 && (goes_again || self.config.arq.max_retransmissions > 0) {
            self.blocks.repair_bytes += block.on_air;
        }
        self.blocks.lost.push(block);
    }

    /// Sends begun and new packets, a block for each segment.
    fn send_pdus<F: BlockFates>(
        &mut self,
        filling: &mut Filling<F>,
        pull: &mut impl FnMut() -> Option<Packet<P>>,
        segments: &mut u64,
    ) {
        while let Some(bytes) = self.next_piece(*segments, pull) {
            *segments -= self.config.segments_of(bytes);
            let serial = self.last_serial();
            self.send_piece(filling, Part { serial, bytes, retransmissions: 0, ready: filling.slot });
        }
    }

    /// Sends begun and new packets as one block.
    fn send_block<F: BlockFates>(
        &mut self,
        filling: &mut Filling<F>,
        pull: &mut impl FnMut() -> Option<Packet<P>>,
        segments: &mut u64,
    ) {
        let (mut content, mut payload, mut used): (Option<Content>, _, _) = (None, 0, 0);
        while let Some(bytes) = self.next_piece(*segments, pull) {
            let taken = self.config.segments_of(bytes);
            *segments -= taken;
            used += taken;
            payload += bytes;
            match &mut content {
                Some(content) => content.extend(bytes),
                None => content = Some(Content::piece(self.last_serial(), bytes)),
            }
        }
        let Some(content) = content else { return };
        let on_air = used * self.config.segment_on_air() + self.config.segmentation.block_header.count();
        filling.payload += payload;
        match filling.send_new(on_air) {
            None => self.blocks.arriving.push((content, 1)),
            Some(soft) => {
                self.put_lost(filling, NewBlock { content, payload, on_air, retransmissions: 0, soft });
            }
        }
    }

    /// Ends `slot`, which [`fill_code_blocks`](Self::fill_code_blocks) filled; calls `report` with the outcome and history of
    /// each packet.
    pub fn finish_blocks(&mut self, slot: Slot, mut report: impl FnMut(Outcome<P>, super::PacketHistory)) {
        let mut arriving = std::mem::take(&mut self.blocks.arriving);
        for (content, attempts) in arriving.drain(..) {
            self.record_attempt(slot, content, attempts, |transfer, bytes| transfer.missing -= bytes);
        }
        self.blocks.arriving = arriving;
        let mut lost = std::mem::take(&mut self.blocks.lost);
        for block in lost.drain(..) {
            self.lose_block(slot, block);
        }
        self.blocks.lost = lost;
        self.report_outcomes(&mut report);
    }

    /// Records that `slot` carried `content`; calls `each` with every open transfer and its bytes.
    fn record_attempt(
        &mut self,
        slot: Slot,
        content: Content,
        attempts: u32,
        mut each: impl FnMut(&mut super::Transfer<P>, u64),
    ) {
        for serial in content.serial..content.serial + content.packets {
            if serial < self.first_serial {
                continue;
            }
            let transfer = self.transfer(serial);
            let Some(whole) = transfer.packet.as_ref().map(|packet| packet.bytes.count()) else { continue };
            transfer.history.add(slot, attempts);
            each(transfer, content.bytes_of(serial, whole));
        }
    }

    /// Queues a lost block for HARQ, or leaves its packets to ARQ, or gives them up.
    fn lose_block(&mut self, slot: Slot, block: CodeBlock) {
        let attempts = self.config.attempts(block.retransmissions, block.transmissions);
        let mut payload = 0;
        self.record_attempt(slot, block.content, attempts, |transfer, bytes| {
            payload += if transfer.damaged.is_none() { bytes } else { 0 };
        });
        let HarqConfig { max_retransmissions, round_trip_slots, .. } = self.config.harq;
        if self.config.may_retransmit(&block) && payload > 0 {
            self.bytes_to_retransmit += payload;
            let ready = Slot::new(slot.number() + round_trip_slots);
            self.blocks.retransmissions.push(ready, CodeBlock { payload, ..block });
            return;
        }
        self.blocks.processes.on_closed(block.process);
        for serial in block.content.serial.max(self.first_serial)..block.content.serial + block.content.packets {
            let transfer = self.transfer(serial);
            let Some(whole) = transfer.packet.as_ref().map(|packet| packet.bytes.count()) else { continue };
            let bytes = block.content.bytes_of(serial, whole);
            if max_retransmissions > 0 && self.config.arq.max_retransmissions == 0 {
                self.give_up(serial);
            } else {
                self.lose(slot, Part { serial, bytes, retransmissions: block.retransmissions, ready: slot });
            }
        }
    }

    /// Bytes on air, headers included, that `slot` could use: for all that is held here and for packets in the queue, which
    /// take `queued` of them, each by [`RlcConfig::bytes_on_air`]. Slots never go back.
    pub fn bytes_on_air_to_send(&mut self, slot: Slot, queued: Bytes) -> Bytes {
        let due_again = self.blocks.retransmissions.due_on_air(slot);
        if !self.blocks.may_begin(slot, &self.config.harq) {
            return Bytes::new(due_again);
        }
        let due = self.to_retransmit.iter().take_while(|part| part.ready <= slot);
        let parts: u64 = due.map(|part| self.config.block_on_air(part.bytes)).sum();
        let new = (queued + self.config.bytes_on_air(self.fresh_bytes())).count();
        let header = match self.config.harq.unit {
            CodedUnit::Block if new > 0 => self.config.segmentation.block_header.count(),
            _ => 0,
        };
        Bytes::new(due_again + parts + new + header)
    }
}

impl RlcConfig {
    /// Bytes on air of packets of `bytes`, without the block's header if a slot is one block.
    pub fn bytes_on_air(&self, bytes: Bytes) -> Bytes {
        let segments = bytes.count().div_ceil(self.segmentation.segment.count());
        Bytes::new(match self.harq.unit {
            CodedUnit::Pdu => segments * self.block_on_air(1),
            CodedUnit::Block => segments * self.segment_on_air(),
        })
    }

    /// Bytes on air of `payload` bytes of one packet, in blocks with nothing else.
    fn block_on_air(&self, payload: u64) -> u64 {
        let segments = payload.div_ceil(self.segmentation.segment.count());
        let headers = if self.harq.unit == CodedUnit::Pdu { segments } else { 1 };
        segments * self.segment_on_air() + headers * self.segmentation.block_header.count()
    }

    fn may_retransmit(&self, block: &CodeBlock) -> bool {
        self.harq.may_retransmit(block.transmissions)
    }

    /// Transmissions of bytes that ARQ retransmitted `retransmissions` times and HARQ then sent `transmissions` times.
    fn attempts(&self, retransmissions: u32, transmissions: u32) -> u32 {
        retransmissions.saturating_mul(self.harq.max_retransmissions.saturating_add(1)).saturating_add(transmissions)
    }
}
