//! A hop whose queue decides at its head: active queue management in front of a rate, and the wire behind it.
//!
//! Which packet is sent next is decided when the one before it has left, as RFC 8289 has it, so the beginning of each is an
//! event here; a drop-tail queue needs none (`airlink_model::path::Bottleneck`). A packet that is being sent counts against the
//! limits, or does not; what was dropped counts until it is reported.
//!
//! It leaves out: an arrival that comes before a departure of the same nanosecond.

use std::collections::VecDeque;

use airlink_model::path::{BottleneckConfig, Impairments, LinkConfig, Lost, Sent, Wire};
use airlink_model::queue::{InService, Occupancy, Queue};
use airlink_model::types::{Bytes, DropReason, Dropped, FlowId, Packet, PacketFields, Rate, Time, UserId};

use crate::in_flight_marks::{Key, key_of};
use crate::payload::Payload;

/// A queue with management, its sender and the wire.
#[derive(Clone)]
pub(crate) struct ManagedHop {
    queue: Queue<Payload>,
    rate: Rate,
    in_service_counts: bool,
    in_service: Option<Sent>,
    wire: Wire<Packet<Payload>>,
    wire_bytes: Bytes,
    /// Whose last bits have left; to be asked for.
    sent: VecDeque<Sent>,
    /// The packets of `sent` and the one in service, in the order in which they began.
    begun: VecDeque<Key>,
    /// Dropped at the head; to be asked for.
    dropped: VecDeque<Lost<Packet<Payload>>>,
    /// Will be duplicated by the wire, and when that was known; to be asked for.
    duplicated: VecDeque<(Time, Packet<Payload>)>,
}

impl ManagedHop {
    pub(crate) fn new(queue: Queue<Payload>, config: &BottleneckConfig, impairments: Option<Impairments>) -> Self {
        let link = LinkConfig { rate: config.rate, delay: config.delay };
        Self {
            queue,
            rate: config.rate,
            in_service_counts: config.in_service_counts,
            in_service: None,
            wire: Wire::new(link, impairments).with_freezes(config.freezes.clone()),
            wire_bytes: Bytes::ZERO,
            sent: VecDeque::new(),
            begun: VecDeque::new(),
            dropped: VecDeque::new(),
            duplicated: VecDeque::new(),
        }
    }

    /// When something happens by itself: a packet begins, arrives or is lost, or something waits to be asked for.
    pub(crate) fn poll_timeout(&self) -> Time {
        let dropped = self.dropped.front().map(|dropped| dropped.at);
        let duplicated = self.duplicated.front().map(|(at, _)| *at);
        if let Some(at) = dropped.into_iter().chain(duplicated).min() {
            return at;
        }
        let begins = match &self.in_service {
            Some(_) if self.queue.occupancy().packets == 0 => Time::NEVER,
            Some(sent) => sent.at,
            None => self.begins_at(),
        };
        begins.min(self.wire.poll_timeout().unwrap_or(Time::NEVER))
    }

    /// When the packet at the head can begin, with none in service; never without one.
    fn begins_at(&self) -> Time {
        self.queue.oldest_queued_at().map_or(Time::NEVER, |came| self.wire.ready_at(came))
    }

    /// Ends and begins what does by `now`.
    fn advance(&mut self, now: Time) {
        loop {
            if let Some(sent) = self.in_service.take_if(|sent| sent.at <= now) {
                self.sent.push_back(sent);
                if self.queue.occupancy().packets == 0 {
                    let none = self.queue.pop(sent.at, &mut Vec::new());
                    assert!(none.is_none(), "nothing waits");
                    self.queue.on_idle(sent.at);
                }
            }
            let begins_at = self.begins_at();
            if self.in_service.is_some() || begins_at > now {
                return;
            }
            self.begin(begins_at);
        }
    }

    fn begin(&mut self, at: Time) {
        let mut dropped = Vec::new();
        let packet = self.queue.pop(at, &mut dropped).expect("the last packet is never dropped");
        self.dropped.extend(dropped.into_iter().map(|item| Lost { at, item, reason: DropReason::Aqm }));
        let PacketFields { flow, user, bytes, queued_at, .. } = *packet;
        self.begun.push_back(key_of(&packet));
        self.wire_bytes += bytes;
        if self.wire.push(at, bytes, packet.clone()) {
            self.wire_bytes += bytes;
            self.duplicated.push_back((at, packet));
        }
        let (at, begun_at) = (self.wire.free_at(), self.wire.begun_at());
        self.in_service = Some(Sent { at, begun_at, queued_at, flow, user, bytes });
    }

    /// What the sender holds, as far as it counts.
    fn in_service(&self) -> InService {
        let counted = self.in_service.filter(|_| self.in_service_counts);
        let held = counted.map_or(Occupancy::default(), |sent| Occupancy { packets: 1, bytes: sent.bytes });
        InService { held, ..InService::default() }
    }

    pub(crate) fn chooses_drops(&self) -> bool {
        self.queue.chooses_drops()
    }

    pub(crate) fn has_room(&mut self, now: Time, bytes: Bytes) -> bool {
        self.advance(now);
        self.queue.has_room(bytes, self.in_service())
    }

    /// Takes a packet in, or gives it back.
    pub(crate) fn push(&mut self, now: Time, packet: Packet<Payload>) -> Result<(), Dropped<Payload>> {
        self.advance(now);
        let in_service = self.in_service();
        self.queue.push(now, packet, in_service)?;
        self.advance(now);
        Ok(())
    }

    /// The packets in the queue, on the wire, or dropped and not asked for; those among them that the wire loses.
    pub(crate) fn packets(&self) -> impl Iterator<Item = &Packet<Payload>> {
        let dropped = self.dropped.iter().map(|lost| &lost.item);
        self.queue.waiting().chain(dropped).chain(self.wire.travelling()).chain(self.wire.losing())
    }

    /// Takes out the marks (CE) that the queue has set since the last call: whose packets they are.
    pub(crate) fn take_marked(&mut self) -> Vec<(UserId, FlowId)> {
        self.queue.take_marked()
    }

    #[inline]
    pub(crate) fn has_marked(&self) -> bool {
        self.queue.has_marked()
    }

    /// Until when the packet taken in last waits or is sent, if none is dropped before it.
    pub(crate) fn held_until(&self) -> Time {
        self.wire.held_until() + self.rate.time_to_send(self.queue.occupancy().bytes)
    }

    /// Packets and bytes that wait, are being sent, or were dropped and not asked for.
    pub(crate) fn waiting(&self) -> (u64, Bytes) {
        let Occupancy { mut packets, mut bytes } = self.queue.occupancy();
        for size in self.in_service.iter().chain(&self.sent).map(|sent| sent.bytes) {
            packets += 1;
            bytes += size;
        }
        for dropped in &self.dropped {
            packets += 1;
            bytes += dropped.item.bytes;
        }
        (packets, bytes)
    }

    /// Packets and bytes in the queue, dropped and not asked for, or on the wire, copies included.
    pub(crate) fn held(&self) -> (u64, Bytes) {
        let Occupancy { mut packets, mut bytes } = self.queue.occupancy();
        for dropped in &self.dropped {
            packets += 1;
            bytes += dropped.item.bytes;
        }
        (packets + self.wire.len() as u64, bytes + self.wire_bytes)
    }

    /// The next packet that left the queue by `now`.
    pub(crate) fn pop_sent(&mut self, now: Time) -> Option<(Sent, Key)> {
        self.advance(now);
        let sent = self.sent.pop_front()?;
        Some((sent, self.begun.pop_front().expect("what has left has begun")))
    }

    /// The next packet that was dropped at the head or lost on the wire by `now`.
    pub(crate) fn poll_lost(&mut self, now: Time) -> Option<Lost<Packet<Payload>>> {
        self.advance(now);
        if let Some(dropped) = self.dropped.pop_front() {
            return Some(dropped);
        }
        let lost = self.wire.poll_lost(now)?;
        self.wire_bytes -= lost.item.bytes;
        Some(lost)
    }

    /// The next packet that the wire will duplicate.
    pub(crate) fn poll_duplicated(&mut self) -> Option<Packet<Payload>> {
        self.duplicated.pop_front().map(|(_, packet)| packet)
    }

    pub(crate) fn poll_packet(&mut self, now: Time) -> Option<Packet<Payload>> {
        self.advance(now);
        let packet = self.wire.poll_packet(now)?;
        self.wire_bytes -= packet.bytes;
        Some(packet)
    }
}
