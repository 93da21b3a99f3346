//! A wired bottleneck: one drop-tail queue shared by all flows, a rate, and a wire behind it.
//!
//! Packets leave the queue in the order in which they came, each when its last bit is sent: at d = max(t, d_previous) +
//! 8B/rate for one of B bytes that came at t. The wire then takes its constant delay, and may be impaired. With a constant
//! rate d is known when a packet comes, so leaving the queue is no event: who left is looked up when somebody comes.
//! A packet that comes at the very moment at which another leaves finds the queue without it, or with it if arrivals come
//! first. Trains that ACKs have clocked meet an empty queue in exactly this way, so the choice shows.
//!
//! In a freeze nothing is sent (`freezes.rs`): what waits goes on waiting, what comes is queued or refused as ever.
//!
//! The limit counts packets, bytes or both, with or without the packet that is being sent. A DropTail queue of ns-2 with
//! `limit_` L takes L with it: L - 1 may wait (`queue/drop-tail.cc`, `DropTail::enque`).
//!
//! A packet that finds more than a threshold is marked (CE, RFC 3168 §5) if its sender takes part in ECN.
//!
//! It leaves out: active queue management, several queues, a rate that changes.

use std::collections::VecDeque;

use super::{Freeze, Impairments, LinkConfig, Lost, Wire};
use crate::types::declare::Section;
use crate::types::{Bytes, DropReason, Dropped, Duration, Ecn, FlowId, Packet, Rate, Time, UserId};

/// A queue, first in, first out, its rate and the wire behind it.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(class = "HopQueue")]
pub struct BottleneckConfig {
    /// Rate at which the queue is sent.
    #[field(
        name = "rate_bps",
        unit = "b/s",
        above = 0,
        at_most = 1e15,
        default = Rate::from_bps(1e7),
        source = "airlink default: 10 Mb/s"
    )]
    pub rate: Rate,
    /// Delay of the wire behind it.
    #[field(
        name = "delay_ms",
        unit = "ms",
        at_least = 0,
        at_most = 1e6,
        default = Duration::from_millis(20),
        source = "airlink default"
    )]
    pub delay: Duration,
    /// A packet that finds this many in the queue is dropped.
    #[field(
        unit = "packets",
        at_least = 1,
        at_most = 1e9,
        infinite,
        default = u64::MAX,
        source = "airlink default: none"
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
    /// A packet that finds more than this many in the queue is marked (CE), if its sender takes part in ECN; what is
    /// counted is what the limits count.
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
    /// Whether the packet in service counts against the limits; in ns-2's DropTail it does.
    #[field(default = true, source = "airlink default: it counts, as in [queue]")]
    pub in_service_counts: bool,
    /// Whether a packet that arrives at the nanosecond at which another leaves finds that packet still in the queue, as
    /// in ns-2 when the link before the queue is longer than a transmission. ACK clocking makes this frequent.
    #[field(default = false, source = "airlink default")]
    pub arrivals_first: bool,
    /// Intervals in which nothing is sent; they must not overlap. Arrivals are queued or dropped as usual.
    #[field(default, source = "airlink default: none")]
    pub freezes: Vec<Freeze>,
}

/// A packet whose last bit has left the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When.
    pub at: Time,
    /// When its first bit did.
    pub begun_at: Time,
    /// When it had come.
    pub queued_at: Time,
    /// Its flow.
    pub flow: FlowId,
    /// Whom it goes to.
    pub user: UserId,
    /// Its size.
    pub bytes: Bytes,
}

/// The queue and the wire behind it.
#[derive(Clone, Debug)]
pub struct Bottleneck<P> {
    limit_packets: u64,
    limit_bytes: Bytes,
    in_service_counts: bool,
    arrivals_first: bool,
    /// Only with a threshold of marks.
    marking: Option<Box<Marking>>,
    /// Those that wait or are being sent, with when they will have been.
    queue: VecDeque<Sent>,
    /// From when on the oldest of them has left; never without one.
    leaves_at: Time,
    queue_bytes: Bytes,
    wire: Wire<Packet<P>>,
}

/// A threshold of marks, and what it has marked.
#[derive(Clone, Debug)]
struct Marking {
    above_packets: u64,
    above_bytes: Bytes,
    /// Whose packets were marked and are not yet reported.
    marked: Vec<(UserId, FlowId)>,
}

impl Marking {
    /// None without a threshold.
    fn new(config: &BottleneckConfig) -> Option<Box<Self>> {
        let (above_packets, above_bytes) = (config.mark_above_packets, config.mark_above_bytes);
        let marks = above_packets < u64::MAX || above_bytes < Bytes::UNLIMITED;
        marks.then(|| Box::new(Self { above_packets, above_bytes, marked: Vec::new() }))
    }
}

impl<P: Clone> Bottleneck<P> {
    /// An empty bottleneck.
    pub fn new(config: &BottleneckConfig, impairments: Option<Impairments>) -> Self {
        let link = LinkConfig { rate: config.rate, delay: config.delay };
        let wire = Wire::new(link, impairments).with_freezes(config.freezes.clone());
        Self {
            limit_packets: config.limit_packets,
            limit_bytes: config.limit_bytes,
            in_service_counts: config.in_service_counts,
            arrivals_first: config.arrivals_first,
            marking: Marking::new(config),
            queue: VecDeque::new(),
            leaves_at: Time::NEVER,
            queue_bytes: Bytes::ZERO,
            wire,
        }
    }

    /// Takes in a packet at `now`, and returns whether its wire will duplicate it; or gives it back. [`Self::pop_sent`] must
    /// have returned all packets that left by `now`.
    #[inline]
    pub fn push(&mut self, now: Time, packet: Packet<P>) -> Result<bool, Dropped<P>> {
        if self.has_room(now, packet.bytes) {
            Ok(self.take_in(now, packet))
        } else {
            Err(Dropped { packet, reason: DropReason::QueueFull })
        }
    }

    /// Takes in a packet for which [`Self::has_room`], as [`Self::push`] does.
    #[inline(always)]
    pub fn take_in(&mut self, now: Time, mut packet: Packet<P>) -> bool {
        assert!(!self.has_sent(now), "what has left is popped first");
        if packet.marks.ecn.is_capable() {
            self.mark_above_threshold(now, &mut packet);
        }
        packet.queued_at = now;
        let (flow, user, bytes) = (packet.flow, packet.user, packet.bytes);
        let duplicated = self.wire.push(now, bytes, packet);
        let (at, begun_at) = (self.wire.free_at(), self.wire.begun_at());
        if self.queue.is_empty() {
            self.leaves_at = self.has_left_from(at);
        }
        self.queue.push_back(Sent { at, begun_at, queued_at: now, flow, user, bytes });
        self.queue_bytes += bytes;
        duplicated
    }

    #[cold]
    fn mark_above_threshold(&mut self, now: Time, packet: &mut Packet<P>) {
        let (packets, held) = self.counted(now);
        let Some(marking) = &mut self.marking else { return };
        let is_above = packets > marking.above_packets || held > marking.above_bytes;
        if is_above && packet.marks.ecn != Ecn::Ce {
            packet.marks.ecn = Ecn::Ce;
            marking.marked.push((packet.user, packet.flow));
        }
    }

    /// Whose packets were marked since the last call, one entry for each packet.
    pub fn take_marked(&mut self) -> Vec<(UserId, FlowId)> {
        self.marking.as_mut().map_or_else(Vec::new, |marking| std::mem::take(&mut marking.marked))
    }

    /// Whether packets were marked since the last [`Self::take_marked`].
    #[inline]
    pub fn has_marked(&self) -> bool {
        self.marking.as_ref().is_some_and(|marking| !marking.marked.is_empty())
    }

    /// The rate at which the queue is sent.
    pub const fn rate(&self) -> Rate {
        self.wire.rate()
    }

    /// Whether packets come out in the order in which they came, as they came, and none is lost behind the queue.
    #[inline]
    pub const fn is_plain(&self) -> bool {
        self.marking.is_none() && !self.wire.is_impaired()
    }

    /// Whether its wire may lose or duplicate a packet.
    #[inline]
    pub const fn is_impaired(&self) -> bool {
        self.wire.is_impaired()
    }

    /// The packets in the queue and on the wire, those among them that the wire loses.
    pub fn packets(&self) -> impl Iterator<Item = &Packet<P>> {
        self.wire.travelling().chain(self.wire.losing())
    }

    /// Until when the packet taken in last waits, is sent, held or late.
    pub fn held_until(&self) -> Time {
        self.wire.held_until()
    }

    /// Whether a packet of `bytes` would be taken in at `now`.
    #[inline]
    pub fn has_room(&self, now: Time, bytes: Bytes) -> bool {
        let (packets, held) = if self.in_service_counts {
            self.waiting()
        } else if self.queue.is_empty() && !self.wire.is_frozen(now) {
            return true;
        } else {
            self.counted(now)
        };
        packets < self.limit_packets && held + bytes <= self.limit_bytes
    }

    /// What the limits count.
    #[inline(never)]
    fn counted(&self, now: Time) -> (u64, Bytes) {
        let (packets, held) = self.waiting();
        match self.queue.front() {
            Some(oldest) if !self.in_service_counts && oldest.begun_at <= now => (packets - 1, held - oldest.bytes),
            // What a freeze keeps from being sent waits like the rest.
            _ => (packets, held),
        }
    }

    /// From when on a packet has left whose last bit is sent at `at`.
    fn has_left_from(&self, at: Time) -> Time {
        at + Duration::from_nanos(u64::from(self.arrivals_first))
    }

    /// Whether [`Self::pop_sent`] has a packet.
    #[inline]
    pub fn has_sent(&self, now: Time) -> bool {
        self.leaves_at <= now
    }

    /// The next packet whose last bit was sent by `now`, in the order of sending; if arrivals come first, before `now`.
    #[inline(always)]
    pub fn pop_sent(&mut self, now: Time) -> Option<Sent> {
        if !self.has_sent(now) {
            return None;
        }
        let sent = self.queue.pop_front()?;
        self.leaves_at = self.queue.front().map_or(Time::NEVER, |next| self.has_left_from(next.at));
        self.queue_bytes -= sent.bytes;
        Some(sent)
    }

    /// Packets and bytes that wait or are being sent.
    #[inline]
    pub fn waiting(&self) -> (u64, Bytes) {
        (self.queue.len() as u64, self.queue_bytes)
    }

    /// When the next packet arrives at the other end, or is lost on the wire.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.wire.poll_timeout()
    }

    /// The next packet that has arrived at the other end by `now`.
    #[inline(always)]
    pub fn poll_packet(&mut self, now: Time) -> Option<Packet<P>> {
        self.wire.poll_packet(now)
    }

    /// The next packet that was lost on the wire by `now`.
    #[inline]
    pub fn poll_lost(&mut self, now: Time) -> Option<Lost<Packet<P>>> {
        self.wire.poll_lost(now)
    }

    /// Packets and bytes that have neither arrived nor been lost: in the queue or on the wire, copies included.
    pub fn held(&self) -> (u64, Bytes) {
        let bytes = self.packets().fold(Bytes::ZERO, |sum, packet| sum + packet.bytes);
        (self.wire.len() as u64, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Direction, Marks, PacketFields};

    /// 8 kb/s: a byte takes a millisecond.
    fn bottleneck(arrivals_first: bool) -> Bottleneck<()> {
        let (rate, delay) = (Rate::from_bps(8000.0), Duration::ZERO);
        let config = BottleneckConfig { rate, delay, limit_packets: 2, arrivals_first, ..BottleneckConfig::default() };
        Bottleneck::new(&config, None)
    }

    fn packet(id: u64, now: Time) -> Packet<()> {
        let (flow, user, bytes) = (FlowId::new(0), UserId::new(0), Bytes::new(10));
        Box::new(PacketFields {
            id,
            flow,
            user,
            bytes,
            sent_at: now,
            queued_at: now,
            direction: Direction::Down,
            hop: 0,
            marks: Marks::default(),
            payload: (),
        })
    }

    #[test]
    fn an_arrival_at_a_departure_finds_room_unless_arrivals_go_first() {
        for arrivals_first in [false, true] {
            let mut bottleneck = bottleneck(arrivals_first);
            let (start, end) = (Time::ZERO, Time::ZERO + Duration::from_millis(10));
            assert!(
                bottleneck.push(start, packet(0, start)).is_ok() && bottleneck.push(start, packet(1, start)).is_ok()
            );
            while bottleneck.pop_sent(end).is_some() {}
            assert_eq!(bottleneck.push(end, packet(2, end)).is_err(), arrivals_first);
        }
    }
}
