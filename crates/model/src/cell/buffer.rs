//! One user's queue and RLC side by side: what waits, what is being sent, when packets leave.

use crate::probe::{Departure, Probe};
use crate::queue::{Occupancy, Queue, QueueConfig};
use crate::rlc::{Carried, Entity, Filled, HarqConfig, Outcome, RlcConfig};
use crate::types::{Bytes, Collected, DropReason, Dropped, Packet, Slot, Stretch, Time, UserId};

/// What a user's buffer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Packets that have not left: queued, or begun and not complete.
    pub packets: u64,
    /// Their whole bytes.
    pub bytes: Bytes,
}

/// Queue and RLC of one user.
#[derive(Clone, Debug)]
pub(super) struct UserBuffer<P> {
    queue: Queue<P>,
    rlc: Entity<P>,
    repeats_late: bool,
    last_departure: Time,
    /// How the packets went that leave in this slot.
    carried: Vec<Carried>,
    /// What is on air are code blocks.
    has_blocks: bool,
    /// What the queue dropped as it was pulled from, until that is told.
    dropped: Vec<Packet<P>>,
}

impl<P> UserBuffer<P> {
    pub(super) fn new(user: UserId, queue: QueueConfig, rlc: RlcConfig) -> Self {
        let HarqConfig { max_retransmissions, round_trip_slots, processes, .. } = rlc.harq;
        let arq_waits = rlc.max_retransmissions > 0 && rlc.feedback_delay_slots > 0;
        let harq_waits = max_retransmissions > 0 && round_trip_slots > 1;
        let repeats_late = arq_waits || harq_waits || processes != u32::MAX;
        Self {
            queue: Queue::new(queue, user),
            rlc: Entity::new(rlc),
            repeats_late,
            last_departure: Time::ZERO,
            carried: Vec::new(),
            has_blocks: false,
            dropped: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, now: Time, packet: Packet<P>, probe: &mut impl Probe) -> Result<(), Dropped<P>> {
        let held = self.in_service();
        match self.queue.push(now, packet, held) {
            Ok((entered, queued)) => {
                probe.on_queued(now, entered, queued.packets + held.packets, queued.bytes + held.bytes);
                Ok(())
            }
            Err(dropped) => {
                probe.on_refused(now, &dropped.packet, dropped.reason);
                Err(dropped)
            }
        }
    }

    pub(super) fn chooses_drops(&self) -> bool {
        self.queue.chooses_drops()
    }

    pub(super) fn has_room(&self, bytes: Bytes) -> bool {
        self.queue.has_room(bytes, self.in_service())
    }

    fn in_service(&self) -> Occupancy {
        let (packets, bytes) = self.rlc.held();
        Occupancy { packets, bytes }
    }

    pub(super) fn waiting(&self) -> Waiting {
        let (queued, held) = (self.queue.occupancy(), self.in_service());
        Waiting { packets: queued.packets + held.packets, bytes: queued.bytes + held.bytes }
    }

    /// Bytes that were never sent.
    pub(super) fn fresh_bytes(&self) -> Bytes {
        self.queue.occupancy().bytes + self.rlc.fresh_bytes()
    }

    /// Bytes to be sent or repeated; what is on air is not counted.
    pub(super) fn bytes_to_send(&self) -> u64 {
        (self.queue.occupancy().bytes + self.rlc.bytes_to_send()).count()
    }

    /// Bytes on air, headers included, that what waits here could use in `slot`. The queue's packets count as packets of
    /// their mean size: exact where all have one size.
    pub(super) fn bytes_on_air_to_send(&mut self, slot: Slot) -> u64 {
        let Occupancy { packets, bytes } = self.queue.occupancy();
        let mean = Bytes::new(bytes.count().div_ceil(packets.max(1)));
        let queued = packets * self.rlc.config().bytes_on_air(mean).count();
        self.rlc.bytes_on_air_to_send(slot, Bytes::new(queued)).count()
    }

    /// True if something waits for feedback, so that a backlog may be there and not yet sendable.
    pub(super) fn repeats_late(&self) -> bool {
        self.repeats_late
    }

    /// True if the block on air is there to repair what was or is lost.
    pub(super) fn is_repair(&self, lost: bool) -> bool {
        self.rlc.is_repair(lost)
    }

    pub(super) fn is_ready(&self, slot: Slot) -> bool {
        self.rlc.is_ready(slot) || (self.queue.occupancy().packets > 0 && self.rlc.may_begin(slot))
    }

    /// When the oldest packet here was queued; never if there is none.
    pub(super) fn head_since(&self) -> Time {
        let begun = self.rlc.oldest().map(|packet| packet.queued_at);
        begun.or_else(|| self.queue.oldest_queued_at()).unwrap_or(Time::NEVER)
    }

    /// Fills the block of `slot`, which starts at `now`. What the queue drops meanwhile waits for [`Self::tell_dropped`].
    pub(super) fn fill(&mut self, now: Time, slot: Slot, bits: f64) -> Filled {
        let (queue, dropped) = (&mut self.queue, &mut self.dropped);
        self.rlc.fill(slot, bits, || queue.pop(now, dropped))
    }

    /// The same over the stretches of a grant, in code blocks whose fate `transmit` tells.
    pub(super) fn fill_stretches(
        &mut self,
        now: Time,
        slot: Slot,
        stretches: &[Stretch],
        transmit: impl FnMut(&[Stretch], Collected, u32) -> (Collected, bool),
    ) -> Filled {
        self.has_blocks = true;
        let (queue, dropped) = (&mut self.queue, &mut self.dropped);
        self.rlc.fill_stretches(slot, stretches, || queue.pop(now, dropped), transmit)
    }

    /// Tells of packets that the queue dropped as `slot` was filled, and hands them out.
    pub(super) fn tell_dropped(
        &mut self,
        now: Time,
        slot: Slot,
        outcomes: &mut Vec<Dropped<P>>,
        probe: &mut impl Probe,
    ) {
        if self.dropped.is_empty() {
            return;
        }
        let left = self.waiting();
        let (mut packets, mut bytes) = (left.packets, left.bytes);
        for packet in &self.dropped {
            packets += 1;
            bytes += packet.bytes;
        }
        for packet in self.dropped.drain(..) {
            packets -= 1;
            bytes -= packet.bytes;
            let (queued_at, head_at) = (packet.queued_at, packet.queued_at.max(self.last_departure));
            self.last_departure = now;
            let dropped = Some(DropReason::Aqm);
            let departure = Departure { at: now, queued_at, head_at, dropped, attempts: 0, last_slot: slot };
            probe.on_departure(&packet, &departure, packets, bytes);
            outcomes.push(Dropped { packet, reason: DropReason::Aqm });
        }
    }

    pub(super) fn finish_slot(
        &mut self,
        now: Time,
        ended: Ended,
        outcomes: &mut Vec<Outcome<P>>,
        probe: &mut impl Probe,
    ) {
        let first = outcomes.len();
        let mut carried = std::mem::take(&mut self.carried);
        let tell = |outcome, how| {
            outcomes.push(outcome);
            carried.push(how);
        };
        if self.has_blocks {
            self.rlc.finish_blocks(ended.slot, tell);
        } else {
            self.rlc.finish_slot(ended.slot, ended.lost, tell);
        }
        for (outcome, Carried { attempts, last_slot }) in outcomes[first..].iter().zip(carried.drain(..)) {
            let (packet, dropped) = match outcome {
                Outcome::Delivered(packet) => (packet, None),
                Outcome::Dropped(dropped) => (&dropped.packet, Some(dropped.reason)),
            };
            let head_at = packet.queued_at.max(self.last_departure);
            self.last_departure = now;
            let queued_at = packet.queued_at;
            let departure = Departure { at: now, queued_at, head_at, dropped, attempts, last_slot };
            let left = self.waiting();
            probe.on_departure(packet, &departure, left.packets, left.bytes);
        }
        if outcomes.len() > first && self.waiting().packets == 0 {
            self.queue.on_idle(now);
        }
        self.carried = carried;
    }
}

/// The slot that ended and whether its block was lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) slot: Slot,
    pub(super) lost: bool,
}
