//! What waits at the base station for one user, what is refused, and what is dropped.
//!
//! A queue with a limit in packets, in bytes, in both or in neither. The limit counts every packet
//! that has not left the base station: those waiting here and those that the RLC has begun to send, until
//! their last segment is through ([EvdoTcp]: "a packet leaves the queue only when its last segment has been sent"). Or it
//! counts what was never sent alone, and what is on air or waits to be repeated lies in a memory of its own, without a
//! limit (the transmission and the retransmission buffer of [TgppRlc08]).
//! Several flows of one user share its queue in order of arrival.
//!
//! | file | what may keep the queue short beside its limits |
//! | --- | --- |
//! | `codel.rs` | CoDel (RFC 8289): drops at the head what has waited too long, or marks it |
//! | `pie.rs` | PIE (RFC 8033): refuses at random, more often the longer the wait, or marks |
//! | `adaptive.rs` | a limit that follows the rate at which the queue drains |
//!
//! Each is a [`QueueManagement`], and so is one from outside this crate, which a [`Queue`] takes as it is.
//!
//! It sees what waits here alone: a packet's time in the queue ends when the RLC takes it.
//!
//! A mark is the code CE in a packet whose sender takes part (RFC 3168 section 5); others are dropped where these would be
//! marked. Whatever the kind, a threshold may mark what finds more than so much in the queue (RFC 8257 section 3.1).
//!
//! `marker.rs` adds to packets' marks as they leave the queue, and keeps nothing short by itself. What it adds is the price of
//! waiting (CLAMP, `price.rs`). What costs nothing may depend on how many flows there are (`recent_flows.rs`) or on how long
//! packets wait (`wait_target.rs`).
//!
//! It leaves out: a queue for each flow. A queue that all users share is put together of theirs by the cell.

mod adaptive;
mod codel;
mod management;
mod marker;
mod measured_price;
mod pie;
mod price;
mod recent_flows;
mod service_rate;
mod wait_target;

pub use adaptive::AdaptiveConfig;
pub use codel::CodelConfig;
pub use management::{Header, QueueManagement, QueueManagementOf, Verdict};
pub use marker::Marker;
pub use measured_price::MeasuredPriceConfig;
pub use pie::PieConfig;
pub use price::{ClampPriceConfig, PriceConfig};
pub use wait_target::ClampDelayPriceConfig;

use std::collections::VecDeque;

use crate::types::declare::{Section, Words};
use crate::types::{Bytes, DropReason, Dropped, Ecn, FlowId, Packet, Time, UserId};
use adaptive::Adaptive;
use codel::Codel;
use pie::Pie;

/// The queue of each user, or of all, at the base station, shared by its flows: first in, first out.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct QueueConfig {
    /// What keeps the queue short within its limits. "drop_tail": nothing; "codel": drops at the head once packets have
    /// waited too long; "pie": arrivals are refused at random, the more the longer packets wait; "adaptive": a limit in
    /// bytes that follows the rate at which the queue drains.
    #[field(default = QueueKind::DropTail, source = "airlink default")]
    pub kind: QueueKind,
    /// Who shares a queue: "user", one for each user; "cell", one for all, with one limit and one price, served in
    /// strict order: a slot ends at another user's packet (needs drop_tail, one carrier without code blocks, and
    /// scheduler "fifo" without serve_empty_queues and skip_unservable).
    #[field(default = QueueScope::User, source = "airlink default; the control of [Andrew08]: cell")]
    pub scope: QueueScope,
    /// A packet that finds this many in the queue is dropped.
    #[field(
        unit = "packets",
        at_least = 1,
        at_most = 1e9,
        infinite,
        default = u64::MAX,
        source = "airlink default: none; [EvdoTcp]: 10"
    )]
    pub limit_packets: u64,
    /// A packet is dropped when the bytes of the queue would exceed this with it; at least the largest packet.
    #[field(
        unit = "bytes",
        at_least = 1,
        at_most = 1e15,
        infinite,
        default = Bytes::UNLIMITED,
        source = "airlink default: none"
    )]
    pub limit_bytes: Bytes,
    /// What the limits count: "held" = every packet that has not left, those on air or waiting to be repeated among
    /// them; "unsent" = packets with bytes that were never sent, and these bytes: sent data waits for its
    /// retransmission in an unlimited memory.
    #[field(
        default = LimitCounts::Held,
        source = "airlink default: held; [Kakuda], profile W1: unsent"
    )]
    pub limit_counts: LimitCounts,
    /// Whether CoDel and PIE mark packets of senders that take part in ECN (CE, RFC 3168) instead of dropping them. It
    /// takes flows with `tcp.ecn`; all other packets are dropped as without it.
    #[field(default = false, source = "airlink default: none is marked")]
    pub ecn: bool,
    /// A packet that finds more than this many in the queue is marked (CE), whatever the kind; only if its sender takes
    /// part in ECN. What is counted is what `limit_counts` says.
    #[field(
        unit = "packets",
        at_least = 0,
        at_most = 1e9,
        infinite,
        default = u64::MAX,
        source = "airlink default: none; RFC 8257 section 3.1 calls it K"
    )]
    pub mark_above_packets: u64,
    /// A packet that finds more than these bytes in the queue is marked (CE), as with `mark_above_packets`.
    #[field(
        unit = "bytes",
        at_least = 0,
        at_most = 1e15,
        infinite,
        default = Bytes::UNLIMITED,
        source = "airlink default: none"
    )]
    pub mark_above_bytes: Bytes,
    /// Parameters of CoDel.
    #[field(default, source = "airlink default: those of RFC 8289")]
    pub codel: CodelConfig,
    /// Parameters of PIE.
    #[field(default, source = "airlink default: those of RFC 8033")]
    pub pie: PieConfig,
    /// Parameters of the limit that follows the rate.
    #[field(default, source = "airlink default")]
    pub adaptive: AdaptiveConfig,
    /// The queue's price, which departing packets carry to receivers.
    #[field(default = PriceConfig::None, source = "airlink default: nothing")]
    pub price: PriceConfig,
}

impl QueueConfig {
    /// What a queue adds to the marks of packets that leave it, if anything.
    pub fn marker(&self) -> Option<Marker> {
        Marker::new(&self.price)
    }

    /// This queue without limits and without marks of its own.
    #[must_use]
    pub fn unlimited_and_unmarked(self) -> Self {
        Self {
            limit_packets: u64::MAX,
            limit_bytes: Bytes::UNLIMITED,
            mark_above_packets: u64::MAX,
            mark_above_bytes: Bytes::UNLIMITED,
            price: PriceConfig::None,
            ..self
        }
    }

    /// Whether its limits leave room for a packet of `bytes` beside all that has not left and what was never sent.
    pub fn leaves_room(&self, held: Occupancy, unsent: Occupancy, bytes: Bytes) -> bool {
        let counted = self.counted(held, unsent);
        counted.packets < self.limit_packets && counted.bytes + bytes <= self.limit_bytes
    }

    /// Whether it marks a packet that finds so much.
    pub fn is_above_mark(&self, held: Occupancy, unsent: Occupancy) -> bool {
        let counted = self.counted(held, unsent);
        counted.packets > self.mark_above_packets || counted.bytes > self.mark_above_bytes
    }

    const fn counted(&self, held: Occupancy, unsent: Occupancy) -> Occupancy {
        match self.limit_counts {
            LimitCounts::Held => held,
            LimitCounts::Unsent => unsent,
        }
    }
}

/// What keeps a queue short within its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum QueueKind {
    /// Nothing: what has no room is refused.
    DropTail,
    /// Drops at its head.
    Codel,
    /// Refusals at random.
    Pie,
    /// A limit that sizes itself.
    Adaptive,
}

/// Whose a queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum QueueScope {
    /// Each user has one.
    User,
    /// All users share one (one carrier without code blocks, drop-tail).
    Cell,
}

/// What limits count of the packets that the RLC has begun to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum LimitCounts {
    /// All that have not left, with their whole bytes.
    Held,
    /// Those with bytes that were never sent, with these bytes.
    Unsent,
}

/// A number of packets and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Packets.
    pub packets: u64,
    /// Their whole size.
    pub bytes: Bytes,
}

/// What the RLC has of a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InService {
    /// Packets that were begun and have not left, with their whole bytes.
    pub held: Occupancy,
    /// Those of them with bytes that were never sent, with these bytes.
    pub unsent: Occupancy,
}

/// A first-in first-out queue that refuses what exceeds its limits, and may mark or drop more.
#[derive(Clone, Debug)]
pub struct Queue<P> {
    limit_packets: u64,
    limit_bytes: Bytes,
    limit_counts: LimitCounts,
    fifo: Fifo<P>,
    /// None: nothing but the limits keeps a packet out, and none is marked.
    choice: Option<Box<Choice>>,
}

/// What a queue does with packets beside its limits.
#[derive(Clone, Debug)]
struct Choice {
    /// A packet that finds more than this is marked.
    mark_above: Occupancy,
    /// Whose packets were marked and are not yet reported.
    marked: Vec<(UserId, FlowId)>,
    /// None: drop-tail.
    management: Option<Box<dyn QueueManagement>>,
}

impl<P> Queue<P> {
    /// An empty queue; what PIE refuses is drawn from the run's `seed`.
    pub fn new(config: &QueueConfig, seed: u64, user: UserId) -> Self {
        Self::managed(config, built_in(config, seed, user))
    }

    /// An empty queue with the limits of `config`, kept short by `management`, whatever its kind.
    pub fn managed(config: &QueueConfig, management: Option<Box<dyn QueueManagement>>) -> Self {
        let QueueConfig { limit_packets, limit_bytes, limit_counts, .. } = *config;
        let mark_above = Occupancy { packets: config.mark_above_packets, bytes: config.mark_above_bytes };
        let marks = mark_above != Occupancy { packets: u64::MAX, bytes: Bytes::UNLIMITED };
        let choice = Choice { mark_above, marked: Vec::new(), management };
        let choice = (marks || choice.management.is_some()).then(|| Box::new(choice));
        Self { limit_packets, limit_bytes, limit_counts, fifo: Fifo::new(), choice }
    }

    /// Takes a packet in at `now` and shows it with what waits now, or gives it back with the reason. `in_service`
    /// counts what the RLC holds.
    #[inline(always)]
    pub fn push(
        &mut self,
        now: Time,
        mut packet: Packet<P>,
        in_service: InService,
    ) -> Result<(&Packet<P>, Occupancy), Dropped<P>> {
        let has_room = self.has_room(packet.bytes, in_service);
        if !has_room || self.choice.is_some() {
            packet = self.admit(now, packet, has_room, in_service)?;
        }
        let before = self.fifo.occupancy();
        let waiting = Occupancy { packets: before.packets + 1, bytes: before.bytes + packet.bytes };
        Ok((self.fifo.push(now, packet), waiting))
    }

    /// Lets a packet pass, marked or not, or gives it back with the reason.
    #[inline(never)]
    fn admit(
        &mut self,
        now: Time,
        mut packet: Packet<P>,
        has_room: bool,
        in_service: InService,
    ) -> Result<Packet<P>, Dropped<P>> {
        let (before, counted) = (self.fifo.occupancy(), self.counted(in_service));
        let mut choice = self.choice.as_deref_mut();
        if let Some(Choice { management: Some(management), marked, .. }) = &mut choice {
            if !has_room {
                management.on_refused();
            } else {
                match management.on_arrival(now, &Header::arriving(now, &packet), before, in_service.held) {
                    Verdict::Pass => {}
                    Verdict::Mark if packet.marks.ecn.is_capable() => mark(&mut packet, marked),
                    Verdict::Mark | Verdict::Drop => return Err(Dropped { packet, reason: DropReason::Aqm }),
                }
            }
        }
        if !has_room {
            return Err(Dropped { packet, reason: DropReason::QueueFull });
        }
        if let Some(Choice { mark_above, marked, .. }) = choice
            && packet.marks.ecn.is_capable()
            && (counted.packets > mark_above.packets || counted.bytes > mark_above.bytes)
        {
            mark(&mut packet, marked);
        }
        Ok(packet)
    }

    /// Whether the limits leave room for a packet of `bytes`.
    #[inline]
    pub fn has_room(&self, bytes: Bytes, in_service: InService) -> bool {
        let counted = self.counted(in_service);
        let limit_bytes = self.management().map_or(self.limit_bytes, |own| self.limit_bytes.min(own.limit()));
        counted.packets < self.limit_packets && counted.bytes + bytes <= limit_bytes
    }

    #[inline]
    fn management(&self) -> Option<&dyn QueueManagement> {
        self.choice.as_ref()?.management.as_deref()
    }

    /// What the limits count.
    #[inline]
    fn counted(&self, in_service: InService) -> Occupancy {
        let waiting = self.fifo.occupancy();
        let in_service = match self.limit_counts {
            LimitCounts::Held => in_service.held,
            LimitCounts::Unsent => in_service.unsent,
        };
        Occupancy { packets: waiting.packets + in_service.packets, bytes: waiting.bytes + in_service.bytes }
    }

    /// Whose packets were marked since the last call, one entry for each packet.
    pub fn take_marked(&mut self) -> Vec<(UserId, FlowId)> {
        self.choice.as_mut().map_or_else(Vec::new, |choice| std::mem::take(&mut choice.marked))
    }

    /// Whether packets were marked since the last [`Self::take_marked`].
    #[inline]
    pub fn has_marked(&self) -> bool {
        self.choice.as_ref().is_some_and(|choice| !choice.marked.is_empty())
    }

    /// The packets that wait, oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &Packet<P>> {
        self.fifo.iter()
    }

    /// The next packet for the RLC to send at `now`; those that are dropped instead are added to `dropped`. There is one
    /// whenever something waited: the last packet is never dropped.
    #[inline(always)]
    pub fn pop(&mut self, now: Time, dropped: &mut Vec<Packet<P>>) -> Option<Packet<P>> {
        if self.choice.is_none() { self.fifo.pop() } else { self.pop_managed(now, dropped) }
    }

    #[inline(never)]
    fn pop_managed(&mut self, now: Time, dropped: &mut Vec<Packet<P>>) -> Option<Packet<P>> {
        let Some(Choice { management: Some(management), marked, .. }) = self.choice.as_deref_mut() else {
            return self.fifo.pop();
        };
        while let Some(mut packet) = self.fifo.pop() {
            let behind = self.fifo.occupancy();
            match management.on_head(now, &Header::of(&packet), behind) {
                Verdict::Mark if packet.marks.ecn.is_capable() => {
                    mark(&mut packet, marked);
                    return Some(packet);
                }
                Verdict::Mark | Verdict::Drop if behind.packets > 0 => dropped.push(packet),
                Verdict::Pass | Verdict::Mark | Verdict::Drop => return Some(packet),
            }
        }
        management.on_empty();
        None
    }

    /// Nothing waits any more, and the RLC holds nothing.
    pub fn on_idle(&mut self, now: Time) {
        if let Some(Choice { management: Some(management), .. }) = self.choice.as_deref_mut() {
            management.on_idle(now);
        }
    }

    /// Whether it may drop packets for which there is room.
    pub fn chooses_drops(&self) -> bool {
        self.management().is_some_and(|management| management.chooses_drops())
    }

    /// When the oldest waiting packet came.
    pub fn oldest_queued_at(&self) -> Option<Time> {
        self.fifo.oldest().map(|packet| packet.queued_at)
    }

    /// What waits, without what the RLC holds.
    pub fn occupancy(&self) -> Occupancy {
        self.fifo.occupancy()
    }
}

/// Waiting packets, oldest first.
#[derive(Clone, Debug)]
struct Fifo<P> {
    waiting: VecDeque<Packet<P>>,
    bytes: Bytes,
}

impl<P> Fifo<P> {
    fn new() -> Self {
        Self { waiting: VecDeque::new(), bytes: Bytes::ZERO }
    }

    /// Adds a packet at `now` and returns a reference to it.
    fn push(&mut self, now: Time, mut packet: Packet<P>) -> &Packet<P> {
        packet.queued_at = now;
        self.bytes += packet.bytes;
        self.waiting.push_back(packet);
        &self.waiting[self.waiting.len() - 1]
    }

    fn pop(&mut self) -> Option<Packet<P>> {
        let packet = self.waiting.pop_front()?;
        self.bytes -= packet.bytes;
        Some(packet)
    }

    fn oldest(&self) -> Option<&Packet<P>> {
        self.waiting.front()
    }

    fn iter(&self) -> impl Iterator<Item = &Packet<P>> {
        self.waiting.iter()
    }

    fn occupancy(&self) -> Occupancy {
        Occupancy { packets: self.waiting.len() as u64, bytes: self.bytes }
    }
}

/// Writes CE on a packet that can be marked; one that has the mark already is not counted again.
#[cold]
fn mark<P>(packet: &mut Packet<P>, marked: &mut Vec<(UserId, FlowId)>) {
    if packet.marks.ecn != Ecn::Ce {
        packet.marks.ecn = Ecn::Ce;
        marked.push((packet.user, packet.flow));
    }
}

/// The management that `config` names, by its kind; drop-tail has none.
fn built_in(config: &QueueConfig, seed: u64, user: UserId) -> Option<Box<dyn QueueManagement>> {
    match config.kind {
        QueueKind::DropTail => None,
        QueueKind::Codel => Some(Box::new(Codel::new(config.codel, config.ecn))),
        QueueKind::Pie => Some(Box::new(Pie::new(config.pie, config.ecn, seed, user))),
        QueueKind::Adaptive => Some(Box::new(Adaptive::new(config.adaptive))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Direction, FlowId, Marks, PacketFields};

    fn packet(id: u64, bytes: u64) -> Packet<()> {
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

    fn of(packets: u64, bytes: u64) -> Occupancy {
        Occupancy { packets, bytes: Bytes::new(bytes) }
    }

    fn drop_tail(limit_packets: u64, limit_bytes: Bytes) -> Queue<()> {
        limited(limit_packets, limit_bytes, LimitCounts::Held)
    }

    fn limited(limit_packets: u64, limit_bytes: Bytes, limit_counts: LimitCounts) -> Queue<()> {
        let config = QueueConfig { limit_packets, limit_bytes, limit_counts, ..QueueConfig::default() };
        Queue::new(&config, 1, UserId::default())
    }

    #[test]
    fn a_packet_limit_counts_what_the_rlc_holds() {
        let mut queue = drop_tail(2, Bytes::UNLIMITED);
        let held = InService { held: of(1, 100), ..InService::default() };
        assert!(queue.push(Time::ZERO, packet(0, 100), held).is_ok());
        let refused = queue.push(Time::ZERO, packet(1, 100), held).expect_err("the limit is two packets");
        assert_eq!((refused.packet.id, refused.reason), (1, DropReason::QueueFull));
        assert!(queue.push(Time::ZERO, packet(2, 100), InService::default()).is_ok());
    }

    #[test]
    fn a_limit_of_what_is_unsent_counts_the_rest_of_the_packet_that_was_begun() {
        // Of three packets in service one has 30 bytes that were never sent: two more packets, or 270 more bytes, fit.
        let in_service = InService { held: of(3, 300), unsent: of(1, 30) };
        for (limit_packets, limit_bytes, fits) in
            [(2, u64::MAX, 1), (3, u64::MAX, 2), (u64::MAX, 230, 2), (u64::MAX, 229, 1)]
        {
            let mut queue = limited(limit_packets, Bytes::new(limit_bytes), LimitCounts::Unsent);
            let taken = (0..5).filter(|&id| queue.push(Time::ZERO, packet(id, 100), in_service).is_ok());
            assert_eq!(taken.count(), fits, "{limit_packets} packets, {limit_bytes} bytes");
        }
    }

    #[test]
    fn a_byte_limit_takes_a_packet_that_just_fits() {
        let mut queue = drop_tail(u64::MAX, Bytes::new(250));
        assert!(queue.push(Time::ZERO, packet(0, 150), InService::default()).is_ok());
        assert!(queue.push(Time::ZERO, packet(1, 101), InService::default()).is_err());
        assert!(queue.push(Time::ZERO, packet(2, 100), InService::default()).is_ok());
        assert_eq!(queue.pop(Time::ZERO, &mut Vec::new()).map(|p| p.id), Some(0));
        assert_eq!(queue.occupancy(), Occupancy { packets: 1, bytes: Bytes::new(100) });
    }
}
