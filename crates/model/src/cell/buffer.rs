//! One user's queue and RLC side by side: what waits, what is being sent, when packets leave.

use crate::probe::{Departure, Probe};
use crate::queue::{InService, Marker, Occupancy, Queue, QueueConfig, QueueManagementOf};
use crate::rlc::{Entity, Filled, Outcome, PacketHistory, RlcConfig};
use crate::types::{BlockFates, Bytes, DropReason, Dropped, Packet, Slot, SubchannelGrant, Time, UserId};

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
    queued_on_air: QueuedOnAir,
    /// What departing packets tell of the queue.
    marker: Option<Box<Marker>>,
    rlc: Entity<P>,
    last_departure: Time,
    /// What is on air are code blocks.
    has_blocks: bool,
    /// Packets that the queue dropped while it was pulled from, until they are reported.
    dropped: Vec<Packet<P>>,
}

impl<P> UserBuffer<P> {
    /// An empty buffer; `counts_on_air`: it counts the bytes on air that waiting packets need.
    pub(super) fn new(queue: Queue<P>, marker: Option<Marker>, rlc: RlcConfig, counts_on_air: bool) -> Self {
        let rlc = Entity::new(rlc);
        Self {
            queue,
            queued_on_air: QueuedOnAir::new(counts_on_air.then_some(*rlc.config())),
            marker: marker.map(Box::new),
            rlc,
            last_departure: Time::ZERO,
            has_blocks: false,
            dropped: Vec::new(),
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, now: Time, packet: Packet<P>, probe: &mut impl Probe) -> Result<(), Dropped<P>> {
        let in_service = self.in_service();
        let unsent = if self.marker.is_some() { self.fresh_bytes() } else { Bytes::ZERO };
        match self.queue.push(now, packet, in_service) {
            Ok((entered, queued)) => {
                let held = in_service.held;
                self.queued_on_air.add(entered.bytes);
                if let Some(marker) = &mut self.marker {
                    if queued.packets + held.packets == 1 {
                        marker.on_busy(now);
                    }
                    marker.on_arrival(now, entered.flow, unsent + entered.bytes);
                }
                let user = entered.user;
                probe.on_queued(now, entered, queued.packets + held.packets, queued.bytes + held.bytes);
                if self.queue.has_marked() {
                    self.report_marked(now, user, probe);
                }
                Ok(())
            }
            Err(dropped) => {
                probe.on_refused(now, &dropped.packet, dropped.reason);
                Err(dropped)
            }
        }
    }

    /// Reports the packets that the queue has marked since the last report.
    #[cold]
    #[inline(never)]
    pub(super) fn report_marked(&mut self, now: Time, user: UserId, probe: &mut impl Probe) {
        for (_, flow) in self.queue.take_marked() {
            probe.on_marked(now, user, flow);
        }
    }

    /// The packets that wait or are in service.
    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet<P>> {
        self.queue.waiting().chain(self.rlc.packets())
    }

    pub(super) fn chooses_drops(&self) -> bool {
        self.queue.chooses_drops()
    }

    pub(super) fn has_room(&self, bytes: Bytes) -> bool {
        self.queue.has_room(bytes, self.in_service())
    }

    fn in_service(&self) -> InService {
        let unsent = Occupancy { packets: self.rlc.fresh_packets(), bytes: self.rlc.fresh_bytes() };
        InService { held: self.held(), unsent }
    }

    fn held(&self) -> Occupancy {
        let (packets, bytes) = self.rlc.held();
        Occupancy { packets, bytes }
    }

    pub(super) fn waiting(&self) -> Waiting {
        let (queued, held) = (self.queue.occupancy(), self.held());
        Waiting { packets: queued.packets + held.packets, bytes: queued.bytes + held.bytes }
    }

    /// All that has not left, queued or in service.
    pub(super) fn held_in_all(&self) -> Occupancy {
        let Waiting { packets, bytes } = self.waiting();
        Occupancy { packets, bytes }
    }

    /// Packets with bytes that were never sent, and these bytes.
    pub(super) fn unsent_in_all(&self) -> Occupancy {
        let packets = self.queue.occupancy().packets + self.rlc.fresh_packets();
        Occupancy { packets, bytes: self.fresh_bytes() }
    }

    /// True if a packet was begun and has a rest that was never sent.
    pub(super) fn has_rest(&self) -> bool {
        self.rlc.fresh_packets() > 0
    }

    /// True if `slot` could carry more of the packet that was begun, or a retransmission.
    pub(super) fn goes_on(&self, slot: Slot) -> bool {
        self.rlc.is_ready(slot)
    }

    /// Bytes that were never sent.
    pub(super) fn fresh_bytes(&self) -> Bytes {
        self.queue.occupancy().bytes + self.rlc.fresh_bytes()
    }

    /// Bytes to be sent or retransmitted, without those on air.
    pub(super) fn bytes_to_send(&self) -> u64 {
        (self.queue.occupancy().bytes + self.rlc.bytes_to_send()).count()
    }

    /// Bytes that were lost and are to be retransmitted.
    pub(super) fn bytes_to_retransmit(&self) -> u64 {
        self.rlc.bytes_to_retransmit().count()
    }

    /// Bytes on air, headers included, that the waiting packets could use in `slot`, if they are counted.
    pub(super) fn bytes_on_air_to_send(&mut self, slot: Slot) -> u64 {
        self.rlc.bytes_on_air_to_send(slot, self.queued_on_air.bytes()).count()
    }

    /// Leaves a block that is retransmitted at once to a slot from `next` on that the user is granted.
    pub(super) fn reschedule_block(&mut self, next: Slot) {
        self.rlc.reschedule_block(next);
    }

    /// True if the block on air repairs a loss, or is `lost` itself and will be retransmitted.
    pub(super) fn is_repair(&self, lost: bool) -> bool {
        self.rlc.is_repair(lost)
    }

    /// True if the block on air is retransmitted unchanged in the next slot.
    pub(super) fn holds_block(&self) -> bool {
        self.rlc.holds_block()
    }

    /// True if ARQ repeats slots and the block on air has no attempt left.
    pub(super) fn is_last_attempt(&self) -> bool {
        self.rlc.is_last_attempt()
    }

    pub(super) fn is_ready(&self, slot: Slot) -> bool {
        self.rlc.is_ready(slot) || (self.queue.occupancy().packets > 0 && self.rlc.may_begin(slot))
    }

    /// When the oldest packet here was queued; never if there is none.
    pub(super) fn head_since(&self) -> Time {
        let begun = self.rlc.oldest().map(|packet| packet.queued_at);
        begun.or_else(|| self.queue.oldest_queued_at()).unwrap_or(Time::NEVER)
    }

    /// Fills the block of `slot`, which starts at `now`, with new packets while `may_pull` allows it. Packets that the queue
    /// drops meanwhile wait for [`Self::report_dropped`].
    #[inline(always)]
    pub(super) fn fill(&mut self, now: Time, slot: Slot, bits: f64, mut may_pull: impl FnMut() -> bool) -> Filled {
        let Self { queue, queued_on_air, dropped, rlc, .. } = self;
        rlc.fill(slot, bits, || if may_pull() { pull(now, queue, queued_on_air, dropped) } else { None })
    }

    /// Fills `slot` with code blocks over the subchannels of `grants`; `fates` has that of each.
    pub(super) fn fill_code_blocks(
        &mut self,
        now: Time,
        slot: Slot,
        grants: &[SubchannelGrant],
        fates: impl BlockFates,
    ) -> Filled {
        self.has_blocks = true;
        let Self { queue, queued_on_air, dropped, rlc, .. } = self;
        rlc.fill_code_blocks(slot, grants, || pull(now, queue, queued_on_air, dropped), fates)
    }

    /// Whether the queue has marked or dropped packets that are not reported.
    #[inline]
    pub(super) fn has_to_report(&self) -> bool {
        self.queue.has_marked() || !self.dropped.is_empty()
    }

    /// Reports the packets that the queue dropped while `slot` was filled, and hands them out.
    #[cold]
    #[inline(never)]
    pub(super) fn report_dropped(
        &mut self,
        now: Time,
        slot: Slot,
        outcomes: &mut Vec<Dropped<P>>,
        probe: &mut impl Probe,
    ) {
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

    /// Ends a slot: packets that are complete or given up leave.
    #[inline(always)]
    pub(super) fn finish_slot(
        &mut self,
        now: Time,
        ended: Ended<'_>,
        outcomes: &mut Vec<Outcome<P>>,
        probe: &mut impl Probe,
    ) {
        let marks = self.marker.is_some() || ended.marker.is_some();
        if !marks && !self.has_blocks && self.rlc.arrives_in_order(ended.lost) {
            self.finish_in_order(now, ended.slot, outcomes, probe);
        } else {
            self.finish_any(now, ended, outcomes, probe);
        }
    }

    /// The same of a block that arrives while nothing else is missing: packets leave one after the other.
    #[inline(always)]
    fn finish_in_order(&mut self, now: Time, slot: Slot, outcomes: &mut Vec<Outcome<P>>, probe: &mut impl Probe) {
        let complete = self.rlc.arrive(slot);
        if complete == 0 {
            return;
        }
        let left = self.waiting();
        let mut last_departure = std::mem::replace(&mut self.last_departure, now);
        for _ in 0..complete {
            let Some((packet, history)) = self.rlc.pop_complete(slot) else { break };
            let PacketHistory { attempts, last_slot } = history;
            let (queued_at, dropped) = (packet.queued_at, None);
            let head_at = queued_at.max(last_departure);
            last_departure = now;
            let departure = Departure { at: now, queued_at, head_at, dropped, attempts, last_slot };
            probe.on_departure(&packet, &departure, left.packets, left.bytes);
            outcomes.push(Outcome::Delivered(packet));
        }
        if left.packets == 0 {
            self.queue.on_idle(now);
        }
    }

    /// The same of any block.
    #[inline(never)]
    fn finish_any(&mut self, now: Time, ended: Ended<'_>, outcomes: &mut Vec<Outcome<P>>, probe: &mut impl Probe) {
        let first = outcomes.len();
        let histories = ended.histories;
        histories.clear();
        let report = |outcome, how| {
            outcomes.push(outcome);
            histories.push(how);
        };
        if self.has_blocks {
            self.rlc.finish_blocks(ended.slot, report);
        } else {
            self.rlc.finish_slot(ended.slot, ended.lost, report);
        }
        if outcomes.len() == first {
            return;
        }
        if let Some(marker) = ended.marker.or(self.marker.as_deref_mut()) {
            for outcome in &mut outcomes[first..] {
                if let Outcome::Delivered(packet) = outcome {
                    let addition = marker.mark_departing(now, packet);
                    if probe.wants_marks_added() {
                        probe.on_mark_added(&marker.record(now, (packet.user, packet.flow), addition));
                    }
                }
            }
        }
        let left = self.waiting();
        let mut last_departure = std::mem::replace(&mut self.last_departure, now);
        for (outcome, &PacketHistory { attempts, last_slot }) in outcomes[first..].iter().zip(&*histories) {
            let (packet, dropped) = match outcome {
                Outcome::Delivered(packet) => (packet, None),
                Outcome::Dropped(dropped) => (&dropped.packet, Some(dropped.reason)),
            };
            let queued_at = packet.queued_at;
            let head_at = queued_at.max(last_departure);
            last_departure = now;
            let departure = Departure { at: now, queued_at, head_at, dropped, attempts, last_slot };
            probe.on_departure(packet, &departure, left.packets, left.bytes);
        }
        if left.packets == 0 {
            self.queue.on_idle(now);
        }
    }
}

/// What the queue's packets need on air, each cut by itself. Schedulers of many subchannels ask for it in every slot; nobody else
/// does, and then nothing is counted.
#[derive(Clone, Debug)]
struct QueuedOnAir {
    cut: Option<Box<RlcConfig>>,
    bytes: Bytes,
}

impl QueuedOnAir {
    /// Of an empty queue, cut as `rlc` says; without one nothing is counted.
    fn new(rlc: Option<RlcConfig>) -> Self {
        Self { cut: rlc.map(Box::new), bytes: Bytes::ZERO }
    }

    fn bytes(&self) -> Bytes {
        self.bytes
    }

    fn add(&mut self, packet: Bytes) {
        if let Some(cut) = &self.cut {
            self.bytes += cut.bytes_on_air(packet);
        }
    }

    fn take(&mut self, packet: Bytes) {
        if let Some(cut) = &self.cut {
            self.bytes -= cut.bytes_on_air(packet);
        }
    }
}

/// The next packet to send; what the queue drops instead is added to `dropped`.
#[inline(always)]
fn pull<P>(
    now: Time,
    queue: &mut Queue<P>,
    on_air: &mut QueuedOnAir,
    dropped: &mut Vec<Packet<P>>,
) -> Option<Packet<P>> {
    if on_air.cut.is_none() {
        return queue.pop(now, dropped);
    }
    let kept = dropped.len();
    let packet = queue.pop(now, dropped);
    for left in dropped[kept..].iter().chain(&packet) {
        on_air.take(left.bytes);
    }
    packet
}

/// Makes the buffers of a cell's users.
#[derive(Clone)]
pub(super) struct BufferMaker {
    pub(super) queue: QueueConfig,
    pub(super) queue_management: Option<QueueManagementOf>,
    pub(super) rlc: RlcConfig,
    pub(super) seed: u64,
    /// They count the bytes on air that waiting packets need.
    pub(super) counts_on_air: bool,
}

impl BufferMaker {
    /// An empty buffer of `user`.
    pub(super) fn buffer<P>(&self, user: UserId) -> UserBuffer<P> {
        let queue = match &self.queue_management {
            Some(of) => Queue::managed(&self.queue, Some(of(user))),
            None => Queue::new(&self.queue, self.seed, user),
        };
        UserBuffer::new(queue, self.queue.marker(), self.rlc, self.counts_on_air)
    }

    /// True if anything that is lost is ever retransmitted.
    pub(super) fn retransmits(&self) -> bool {
        let RlcConfig { arq, harq, .. } = *Entity::<()>::new(self.rlc).config();
        arq.max_retransmissions > 0 || harq.max_retransmissions > 0
    }

    /// True if retransmissions wait for feedback, so that a backlog may not be sendable yet.
    pub(super) fn retransmits_late(&self) -> bool {
        let RlcConfig { arq, harq, .. } = *Entity::<()>::new(self.rlc).config();
        let arq_waits = arq.max_retransmissions > 0 && arq.feedback_delay_slots > 0;
        let harq_waits = harq.max_retransmissions > 0 && harq.round_trip_slots > 1;
        arq_waits || harq_waits || harq.processes != u32::MAX
    }
}

/// The slot that ended and whether its block was lost.
#[derive(Debug)]
pub(super) struct Ended<'a> {
    pub(super) slot: Slot,
    pub(super) lost: bool,
    /// What departing packets tell of the queue, if all users share one.
    pub(super) marker: Option<&'a mut Marker>,
    /// Memory for the histories of the packets that leave.
    pub(super) histories: &'a mut Vec<PacketHistory>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Unobserved;
    use crate::queue::{CodelConfig, QueueKind};
    use crate::rlc::{ArqConfig, CodedUnit, HarqConfig, Segmentation};
    use crate::types::{CounterStream, Direction, Duration, FlowId, Marks, PacketFields, Purpose, SoftInformation};

    fn packet(bytes: u64) -> Packet<()> {
        let (flow, user, bytes) = (FlowId::default(), UserId::default(), Bytes::new(bytes));
        Box::new(PacketFields {
            id: 0,
            flow,
            user,
            bytes,
            sent_at: Time::ZERO,
            queued_at: Time::ZERO,
            direction: Direction::Down,
            hop: 0,
            marks: Marks::default(),
            payload: (),
        })
    }

    fn rlc(segment: u64, header: u64, unit: CodedUnit) -> RlcConfig {
        let segmentation = Segmentation {
            segment: Bytes::new(segment),
            segment_header: Bytes::new(header),
            block_header: Bytes::new(5),
            ..Segmentation::default()
        };
        RlcConfig { segmentation, arq: ArqConfig::default(), harq: HarqConfig { unit, ..HarqConfig::NONE } }
    }

    /// Bytes on air of `packets`, each cut byte by byte.
    fn counted(config: &RlcConfig, packets: &[u64]) -> u64 {
        let (mut on_air, mut free) = (0, 0);
        for &bytes in packets {
            for _ in 0..bytes {
                if free == 0 {
                    free = config.segmentation.segment.count();
                    on_air += free + config.segmentation.segment_header.count();
                    on_air +=
                        if config.harq.unit == CodedUnit::Pdu { config.segmentation.block_header.count() } else { 0 };
                }
                free -= 1;
            }
            free = 0;
        }
        on_air
            + if config.harq.unit == CodedUnit::Block && on_air > 0 {
                config.segmentation.block_header.count()
            } else {
                0
            }
    }

    fn grant(bytes: u64) -> [SubchannelGrant; 1] {
        [SubchannelGrant { bits: bytes as f32 * 8.0, true_db: 0.0, mcs: 0 }]
    }

    fn arrives(_: &[SubchannelGrant], earlier: SoftInformation, _: u32) -> (SoftInformation, bool) {
        (earlier, false)
    }

    /// Packets of 1 to 1500 bytes come, grants of up to 4000 are filled, CoDel drops: after each step what is counted is what a
    /// count byte by byte gives, a grant of as much takes all, and one byte less does not.
    fn plays(config: RlcConfig, kind: QueueKind) -> (u64, u64) {
        let codel = CodelConfig {
            target: Duration::from_millis(3),
            interval: Duration::from_millis(10),
            ..CodelConfig::default()
        };
        let queue = QueueConfig { kind, limit_packets: 40, codel, ..QueueConfig::default() };
        let mut buffer = UserBuffer::new(Queue::new(&queue, 7, UserId::default()), None, config, true);
        let draws = CounterStream::new(7, Purpose::Queue, 0);
        let (mut waiting, mut outcomes, mut most) = (Vec::new(), Vec::new(), 0);
        for step in 0..600 {
            let draw = |what: u64| (draws.uniform(Slot::new(3 * step + what)) * 1e6) as u64;
            let (now, slot) = (Time::ZERO + Duration::from_millis(step), Slot::new(step));
            for size in (0..draw(0) % 4).map(|which| 1 + draw(1) * (which + 1) % 1500) {
                if buffer.push(now, packet(size), &mut Unobserved).is_ok() {
                    waiting.push(size);
                }
            }
            let begun = [buffer.rlc.fresh_bytes().count()];
            waiting.drain(..waiting.len() - buffer.queue.occupancy().packets as usize);
            let (needs, all) = (buffer.bytes_on_air_to_send(slot), [&begun[..], &waiting].concat());
            assert_eq!(needs, counted(&config, &all), "{all:?}");
            most = most.max(all.len());
            let takes_all = |bytes: u64| {
                let mut trial = buffer.clone();
                trial.fill_code_blocks(now, slot, &grant(bytes), arrives);
                trial.fresh_bytes().is_zero()
            };
            if kind == QueueKind::DropTail && needs > 0 {
                assert!(takes_all(needs) && !takes_all(needs - 1), "{needs} bytes");
            }
            buffer.fill_code_blocks(now, slot, &grant(draw(2) % 4000), arrives);
            buffer.report_dropped(now, slot, &mut Vec::new(), &mut Unobserved);
            let ended = Ended { slot, lost: false, marker: None, histories: &mut Vec::new() };
            buffer.finish_slot(now, ended, &mut outcomes, &mut Unobserved);
        }
        (most as u64, outcomes.len() as u64)
    }

    #[test]
    fn bytes_on_air_of_any_packets_match_a_count_byte_by_byte() {
        for kind in [QueueKind::DropTail, QueueKind::Codel] {
            for unit in [CodedUnit::Pdu, CodedUnit::Block] {
                for (segment, header) in [(1, 0), (40, 2), (700, 3)] {
                    let (most, left) = plays(rlc(segment, header, unit), kind);
                    assert!(most > 5 && left > 100, "{most} waited, {left} left");
                }
            }
        }
    }
}
