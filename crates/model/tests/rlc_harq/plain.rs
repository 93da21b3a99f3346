//! The same rules once more, as plainly as possible: every byte knows what became of it, nothing is counted ahead.

use airlink_model::rlc::{CodedUnit, PacketHistory, RlcConfig};
use airlink_model::types::{Blocks, Bytes, DropReason, Slot};

use super::bench::Left;

/// Where a byte is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Unsent,
    /// In block number so.
    Block(usize),
    /// In ARQ's part number so.
    Part(usize),
    Arrived,
}

#[derive(Clone, Debug)]
struct Packet {
    places: Vec<Place>,
    dead: Option<DropReason>,
    reported: bool,
    history: PacketHistory,
}

#[derive(Clone, Debug, PartialEq)]
enum Fate {
    Waits,
    Over,
}

/// A code block, kept for ever.
#[derive(Clone, Debug)]
struct Block {
    /// Packet and byte.
    bytes: Vec<(usize, usize)>,
    on_air: u64,
    first: u64,
    last: u64,
    transmissions: u32,
    rounds: u32,
    attempts: u32,
    fate: Fate,
    /// The place in the order in which blocks were lost.
    order: usize,
    begun: u64,
}

/// What ARQ repeats: bytes of one packet.
#[derive(Clone, Debug)]
struct Part {
    bytes: Vec<(usize, usize)>,
    rounds: u32,
    attempts: u32,
    ready: u64,
}

pub struct Plain {
    config: RlcConfig,
    sizes: Vec<u64>,
    packets: Vec<Packet>,
    blocks: Vec<Block>,
    parts: Vec<Part>,
    orders: usize,
    carried_bits: f64,
    pub left: Vec<Left>,
    /// Sent again or lost for the last time in the current slot.
    counts: Blocks,
    room: u64,
    on_air: Vec<(usize, bool)>,
}

/// What a slot came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums {
    pub sent: u64,
    pub padded: bool,
    pub blocks: Blocks,
}

impl Plain {
    pub fn new(config: RlcConfig, sizes: &[u64]) -> Self {
        Self {
            config,
            sizes: sizes.to_vec(),
            packets: Vec::new(),
            blocks: Vec::new(),
            parts: Vec::new(),
            orders: 0,
            carried_bits: 0.0,
            left: Vec::new(),
            counts: Blocks::default(),
            room: 0,
            on_air: Vec::new(),
        }
    }

    pub fn slot(&mut self, slot: u64, bits: f64, fate: &mut impl FnMut(f32, u32) -> bool) -> Sums {
        let bits = if self.config.segmentation.carry_fraction && bits > 0.0 { bits + self.carried_bits } else { bits };
        self.counts = Blocks::default();
        self.room = (bits * (1.0 + 1e-7) / 8.0) as u64;
        let room = self.room;
        self.repeat_blocks(slot, fate);
        let mut padded = false;
        if self.may_begin(slot) {
            self.repeat_parts(slot, fate);
            padded = self.send_new(slot, fate);
        } else {
            padded |= self.segments() > 0;
        }
        let sent = room - self.room;
        if bits > 0.0 {
            self.carried_bits = if padded { 0.0 } else { (bits - (sent * 8) as f64).max(0.0) };
        }
        self.end(slot);
        Sums { sent, padded, blocks: self.counts }
    }

    fn size(&self, segments: u64) -> u64 {
        let block = self.config.segmentation.block_header.count();
        let headers = if self.config.harq.unit == CodedUnit::Pdu { segments * block } else { block };
        segments * (self.config.segmentation.segment + self.config.segmentation.segment_header).count() + headers
    }

    /// The most segments that fit; found by trying.
    fn segments(&self) -> u64 {
        (1..).take_while(|&segments| self.size(segments) <= self.room).count() as u64
    }

    /// Sends block `place`, of which `begun` bytes are there.
    fn shoot(&mut self, place: usize, slot: u64, fate: &mut impl FnMut(f32, u32) -> bool) {
        let block = &mut self.blocks[place];
        let lost = fate(block.transmissions as f32, self.counts.sent);
        self.room -= block.on_air - block.begun;
        block.begun = 0;
        block.transmissions += 1;
        block.attempts += 1;
        block.last = slot;
        let again = block.transmissions > 1;
        let limit = self.config.harq.max_retransmissions;
        let over = limit != u32::MAX && block.transmissions > limit;
        self.counts.sent += 1;
        self.counts.retransmitted += u32::from(again);
        self.counts.lost += u32::from(lost);
        self.counts.first_lost += u32::from(lost && !again);
        self.counts.given_up += u32::from(lost && over);
        self.on_air.push((place, lost));
    }

    fn repeat_blocks(&mut self, slot: u64, fate: &mut impl FnMut(f32, u32) -> bool) {
        loop {
            let due = |block: &&usize| {
                let block: &Block = &self.blocks[**block];
                block.fate == Fate::Waits && block.last + self.config.harq.round_trip_slots <= slot
            };
            let on_air = |place: &usize| self.on_air.iter().any(|(other, _)| other == place);
            let places: Vec<usize> = (0..self.blocks.len()).filter(|place| !on_air(place)).collect();
            let Some(&place) = places.iter().filter(due).min_by_key(|&&place| self.blocks[place].order) else { return };
            let needed = self.blocks[place].on_air - self.blocks[place].begun;
            if needed <= self.room {
                self.shoot(place, slot, fate);
            } else {
                if self.config.harq.unit == CodedUnit::Block {
                    self.blocks[place].begun += self.room;
                    self.room = 0;
                }
                return;
            }
        }
    }

    /// A process is busy while a block of it waits, or its last transmission is less than a round trip ago.
    pub fn may_begin(&self, slot: u64) -> bool {
        let limit = self.config.harq.processes;
        let mut busy: Vec<u64> = self
            .blocks
            .iter()
            .filter(|block| block.fate == Fate::Waits || block.last + self.config.harq.round_trip_slots > slot)
            .map(|block| block.first)
            .collect();
        busy.sort_unstable();
        busy.dedup();
        limit == u32::MAX || busy.len() < limit as usize
    }

    fn new_block(&mut self, slot: u64, bytes: Vec<(usize, usize)>, on_air: u64, rounds: u32, attempts: u32) -> usize {
        let place = self.blocks.len();
        for &(packet, byte) in &bytes {
            self.packets[packet].places[byte] = Place::Block(place);
        }
        let fate = Fate::Over;
        self.blocks.push(Block {
            bytes,
            on_air,
            first: slot,
            last: slot,
            transmissions: 0,
            rounds,
            attempts,
            fate,
            order: 0,
            begun: 0,
        });
        place
    }

    fn repeat_parts(&mut self, slot: u64, fate: &mut impl FnMut(f32, u32) -> bool) {
        while self.segments() > 0 && self.parts.first().is_some_and(|part| part.ready <= slot) {
            let most = match self.config.harq.unit {
                CodedUnit::Pdu => 1,
                CodedUnit::Block => self.segments(),
            };
            let part = &mut self.parts[0];
            let count = part.bytes.len().min((most * self.config.segmentation.segment.count()) as usize);
            let bytes: Vec<(usize, usize)> = part.bytes.drain(..count).collect();
            let (rounds, attempts) = (part.rounds, part.attempts);
            if part.bytes.is_empty() {
                self.parts.remove(0);
            }
            let on_air = self.size((count as u64).div_ceil(self.config.segmentation.segment.count()));
            let place = self.new_block(slot, bytes, on_air, rounds, attempts);
            self.shoot(place, slot, fate);
        }
    }

    /// Fills what is left segment by segment; returns whether one more would have fitted.
    fn send_new(&mut self, slot: u64, fate: &mut impl FnMut(f32, u32) -> bool) -> bool {
        let (mut content, mut segments) = (Vec::new(), 0);
        while self.size(segments + 1) <= self.room
            && let Some(bytes) = self.next_segment()
        {
            if self.config.harq.unit == CodedUnit::Pdu {
                let on_air = self.size(1);
                let place = self.new_block(slot, bytes, on_air, 0, 0);
                self.shoot(place, slot, fate);
            } else {
                for &(packet, byte) in &bytes {
                    self.packets[packet].places[byte] = Place::Arrived;
                }
                content.extend(bytes);
                segments += 1;
            }
        }
        let padded = self.size(segments + 1) <= self.room;
        if segments > 0 {
            let on_air = self.size(segments);
            let place = self.new_block(slot, content, on_air, 0, 0);
            self.shoot(place, slot, fate);
        }
        padded
    }

    /// The next unsent bytes of the first packet that has some.
    fn next_segment(&mut self) -> Option<Vec<(usize, usize)>> {
        let unsent = |packet: &Packet| packet.places.contains(&Place::Unsent);
        if !self.packets.iter().any(unsent) {
            let size = *self.sizes.get(self.packets.len())?;
            let places = vec![Place::Unsent; size as usize];
            self.packets.push(Packet { places, dead: None, reported: false, history: PacketHistory::default() });
        }
        let number = self.packets.iter().position(unsent)?;
        let bytes = (0..).zip(&self.packets[number].places).filter(|(_, place)| **place == Place::Unsent);
        Some(bytes.take(self.config.segmentation.segment.count() as usize).map(|(byte, _)| (number, byte)).collect())
    }

    fn end(&mut self, slot: u64) {
        let on_air = std::mem::take(&mut self.on_air);
        for &(place, lost) in &on_air {
            let block = self.blocks[place].clone();
            for &(packet, byte) in &block.bytes {
                let packet = &mut self.packets[packet];
                if packet.reported {
                    continue;
                }
                packet.history.last_slot = Slot::new(slot);
                packet.history.attempts = packet.history.attempts.max(block.attempts);
                if !lost {
                    packet.places[byte] = Place::Arrived;
                }
            }
            self.blocks[place].fate = Fate::Over;
        }
        for (place, _) in on_air.into_iter().filter(|(_, lost)| *lost) {
            self.lose(place, slot);
        }
        self.tell();
    }

    fn lose(&mut self, place: usize, slot: u64) {
        let block = self.blocks[place].clone();
        let alive = |packets: &[Packet]| block.bytes.iter().any(|&(packet, _)| packets[packet].dead.is_none());
        let limit = self.config.harq.max_retransmissions;
        if limit == u32::MAX || block.transmissions <= limit {
            self.orders += 1;
            self.blocks[place].order = self.orders;
            self.blocks[place].fate = if alive(&self.packets) { Fate::Waits } else { Fate::Over };
            return;
        }
        let mut packets: Vec<usize> = block.bytes.iter().map(|&(packet, _)| packet).collect();
        packets.dedup();
        packets.retain(|&packet| !self.packets[packet].reported);
        for packet in packets {
            let arq = self.config.arq.max_retransmissions;
            if arq == 0 && limit == 0 {
                self.packets[packet].dead = Some(DropReason::AirError);
            } else if arq == 0 || (arq != u32::MAX && block.rounds >= arq) {
                self.give_up(packet);
            } else if self.packets[packet].dead.is_none() {
                let bytes: Vec<_> = block.bytes.iter().filter(|(other, _)| *other == packet).copied().collect();
                for &(_, byte) in &bytes {
                    self.packets[packet].places[byte] = Place::Part(self.parts.len());
                }
                let ready = slot + 1 + self.config.arq.feedback_delay_slots;
                self.parts.push(Part { bytes, rounds: block.rounds + 1, attempts: block.attempts, ready });
            }
        }
    }

    fn give_up(&mut self, packet: usize) {
        let whole = &mut self.packets[packet];
        whole.dead = Some(DropReason::RetryLimit);
        whole.places.retain(|place| *place != Place::Unsent);
        self.parts.retain(|part| part.bytes[0].0 != packet);
        for block in &mut self.blocks {
            if block.bytes.iter().all(|&(packet, _)| self.packets[packet].dead.is_some()) {
                block.fate = Fate::Over;
            }
        }
    }

    fn tell(&mut self) {
        let mut all_reported = true;
        for (id, packet) in (0..).zip(&mut self.packets) {
            let over = packet.dead.is_some() && !packet.places.contains(&Place::Unsent);
            let whole = packet.dead.is_none() && packet.places.iter().all(|place| *place == Place::Arrived);
            if !packet.reported && (over || (whole && (all_reported || !self.config.segmentation.in_order))) {
                packet.reported = true;
                self.left.push((id, packet.dead, packet.history));
            }
            all_reported &= packet.reported;
        }
    }

    pub fn held(&self) -> (u64, Bytes) {
        let held: Vec<u64> =
            (self.packets.iter().zip(&self.sizes)).filter(|(p, _)| !p.reported).map(|(_, &size)| size).collect();
        (held.len() as u64, Bytes::new(held.iter().sum()))
    }

    /// Bytes of open packets that are unsent, or wait in a block or part.
    pub fn bytes_to_send(&self) -> u64 {
        let waits = |place: &&Place| match place {
            Place::Unsent | Place::Part(_) => true,
            Place::Block(block) => self.blocks[*block].fate == Fate::Waits,
            Place::Arrived => false,
        };
        let open = |packet: &&Packet| !packet.reported && packet.dead != Some(DropReason::RetryLimit);
        self.packets.iter().filter(open).map(|packet| packet.places.iter().filter(waits).count() as u64).sum()
    }

    pub fn fresh_bytes(&self) -> u64 {
        self.packets
            .iter()
            .map(|packet| packet.places.iter().filter(|place| **place == Place::Unsent).count() as u64)
            .sum()
    }

    fn due_blocks(&self, slot: u64) -> impl Iterator<Item = &Block> {
        let round_trip = self.config.harq.round_trip_slots;
        self.blocks.iter().filter(move |block| block.fate == Fate::Waits && block.last + round_trip <= slot)
    }

    pub fn is_ready(&self, slot: u64) -> bool {
        let parts = self.parts.iter().any(|part| part.ready <= slot);
        self.due_blocks(slot).next().is_some() || ((self.fresh_bytes() > 0 || parts) && self.may_begin(slot))
    }

    /// Bytes on air that `slot` could use, with all packets that wait.
    pub fn bytes_on_air_to_send(&self, slot: u64) -> u64 {
        let again: u64 = self.due_blocks(slot).map(|block| block.on_air - block.begun).sum();
        if !self.may_begin(slot) {
            return again;
        }
        let segments = |bytes: u64| bytes.div_ceil(self.config.segmentation.segment.count());
        let due = self.parts.iter().filter(|part| part.ready <= slot);
        let parts: u64 = due.map(|part| self.size(segments(part.bytes.len() as u64))).sum();
        let waiting: u64 = self.sizes[self.packets.len()..].iter().map(|&size| segments(size)).sum();
        let new = waiting + segments(self.fresh_bytes());
        again + parts + if new > 0 { self.size(new) } else { 0 }
    }
}
