//! A hop: a queue of any kind, its rate and its wire, and what the queue adds to packets' marks, if anything.
//!
//! A drop-tail queue knows when a packet leaves as soon as it comes, so that leaving is no event
//! (`airlink_model::path::Bottleneck`); a queue with management decides at its head (`managed_hop.rs`).
//!
//! What is added is as of the packet's departure from the queue; it is added when the packet comes out of the wire.

use std::collections::{BTreeSet, VecDeque};

use airlink_model::path::{Bottleneck, Lost, Sent};
use airlink_model::queue::Marker;
use airlink_model::types::{Bytes, DropReason, Dropped, FlowId, MarkRecord, Packet, Time, UserId};

use crate::in_flight_marks::{InFlightMarks, Key, key_of};
use crate::managed_hop::ManagedHop;
use crate::payload::Payload;

/// A queue and its wire, and the marks of its packets, if it marks them.
#[derive(Clone)]
pub(crate) struct Hop {
    queue: HopQueue,
    marking: Option<Marking>,
    /// The queue is drop-tail, and neither loses, marks, duplicates nor reorders what it took in.
    is_plain: bool,
}

/// The queue, its sender and the wire.
#[derive(Clone)]
pub(crate) enum HopQueue {
    DropTail(Bottleneck<Payload>),
    Managed(Box<ManagedHop>),
}

impl Hop {
    pub(crate) fn new(queue: HopQueue, marker: Option<Marker>) -> Self {
        let is_plain = marker.is_none() && matches!(&queue, HopQueue::DropTail(queue) if queue.is_plain());
        Self { queue, marking: marker.map(Marking::new), is_plain }
    }

    /// The queue, if all that comes in comes out as it came and in its order: it asks for no more than to be looked at.
    #[inline(always)]
    pub(crate) fn plain(&mut self) -> Option<&mut Bottleneck<Payload>> {
        match &mut self.queue {
            HopQueue::DropTail(queue) if self.is_plain => Some(queue),
            _ => None,
        }
    }

    /// Whether there is [`Self::plain`].
    #[inline]
    pub(crate) const fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// When something comes out of the wire or is lost; with management, also when a packet begins to be sent.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Time {
        match &self.queue {
            HopQueue::DropTail(queue) => queue.poll_timeout().unwrap_or(Time::NEVER),
            HopQueue::Managed(queue) => queue.poll_timeout(),
        }
    }

    /// Packets and bytes in the queue or on the wire.
    pub(crate) fn held(&self) -> (u64, Bytes) {
        match &self.queue {
            HopQueue::DropTail(queue) => queue.held(),
            HopQueue::Managed(queue) => queue.held(),
        }
    }

    /// Packets and bytes that wait or are being sent.
    #[inline]
    pub(crate) fn waiting(&self) -> (u64, Bytes) {
        match &self.queue {
            HopQueue::DropTail(queue) => queue.waiting(),
            HopQueue::Managed(queue) => queue.waiting(),
        }
    }

    /// Calls `of` with each packet in the queue and on the wire, those among them that are lost.
    pub(crate) fn for_each_packet(&self, of: impl FnMut(&Packet<Payload>)) {
        match &self.queue {
            HopQueue::DropTail(queue) => queue.packets().for_each(of),
            HopQueue::Managed(queue) => queue.packets().for_each(of),
        }
    }

    /// Takes out the marks (CE) that the queue has set since the last call: whose packets they are.
    pub(crate) fn take_marked(&mut self) -> Vec<(UserId, FlowId)> {
        match &mut self.queue {
            HopQueue::DropTail(queue) => queue.take_marked(),
            HopQueue::Managed(queue) => queue.take_marked(),
        }
    }

    /// Whether marks were set since the last [`Self::take_marked`].
    #[inline]
    pub(crate) fn has_marked(&self) -> bool {
        match &self.queue {
            HopQueue::DropTail(queue) => queue.has_marked(),
            HopQueue::Managed(queue) => queue.has_marked(),
        }
    }

    /// Until when the packet taken in last waits or is sent.
    pub(crate) fn held_until(&self) -> Time {
        match &self.queue {
            HopQueue::DropTail(queue) => queue.held_until(),
            HopQueue::Managed(queue) => queue.held_until(),
        }
    }

    /// Whether the limits have room for a packet of `bytes` now.
    #[inline]
    pub(crate) fn has_room(&mut self, now: Time, bytes: Bytes) -> bool {
        match &mut self.queue {
            HopQueue::DropTail(queue) => queue.has_room(now, bytes),
            HopQueue::Managed(queue) => queue.has_room(now, bytes),
        }
    }

    /// Whether the queue has management, so that only a push shows whether a packet is admitted.
    #[inline]
    pub(crate) const fn is_managed(&self) -> bool {
        matches!(self.queue, HopQueue::Managed(_))
    }

    /// Whether a push may tell that the packet will be duplicated.
    #[inline]
    pub(crate) const fn may_duplicate(&self) -> bool {
        match &self.queue {
            HopQueue::DropTail(queue) => queue.is_impaired(),
            HopQueue::Managed(_) => false,
        }
    }

    /// Whether it drops packets for which there is room.
    pub(crate) fn chooses_drops(&self) -> bool {
        match &self.queue {
            HopQueue::DropTail(_) => false,
            HopQueue::Managed(queue) => queue.chooses_drops(),
        }
    }

    /// Takes a packet in and returns whether its wire will duplicate it; or gives it back. [`Self::pop_sent`] must have
    /// returned all that left before. With management [`Self::poll_duplicated`] returns what will be duplicated.
    #[inline]
    pub(crate) fn push(&mut self, now: Time, packet: Packet<Payload>) -> Result<bool, Dropped<Payload>> {
        match &mut self.queue {
            HopQueue::DropTail(queue) if self.marking.is_none() => queue.push(now, packet),
            _ => self.push_marked(now, packet),
        }
    }

    /// Takes in a packet for which [`Self::has_room`], as [`Self::push`] does; without management.
    #[inline]
    pub(crate) fn take_in(&mut self, now: Time, packet: Packet<Payload>) -> bool {
        match &mut self.queue {
            HopQueue::DropTail(queue) if self.marking.is_none() => queue.take_in(now, packet),
            _ => self.push_marked(now, packet).expect("a queue with room takes the packet"),
        }
    }

    #[inline(never)]
    fn push_marked(&mut self, now: Time, packet: Packet<Payload>) -> Result<bool, Dropped<Payload>> {
        let bytes = self.waiting().1 + packet.bytes;
        let key = key_of(&packet);
        let taken = match &mut self.queue {
            HopQueue::DropTail(queue) => queue.push(now, packet),
            HopQueue::Managed(queue) => queue.push(now, packet).map(|()| false),
        };
        if let (Ok(duplicated), Some(marking)) = (&taken, &mut self.marking) {
            marking.on_arrival(now, bytes, key, *duplicated);
            if let HopQueue::DropTail(_) = self.queue {
                marking.queued.push_back(key);
            }
        }
        taken
    }

    /// The next packet that left the queue by `now`.
    #[inline]
    pub(crate) fn pop_sent(&mut self, now: Time) -> Option<Sent> {
        match &mut self.queue {
            HopQueue::DropTail(queue) => {
                let sent = queue.pop_sent(now)?;
                if let Some(marking) = &mut self.marking {
                    let key = marking.queued.pop_front().expect("what leaves has come");
                    marking.on_sent(&sent, key);
                }
                Some(sent)
            }
            HopQueue::Managed(queue) => {
                let (sent, key) = queue.pop_sent(now)?;
                if let Some(marking) = &mut self.marking {
                    marking.on_sent(&sent, key);
                }
                Some(sent)
            }
        }
    }

    /// The next packet of a queue with management that the wire will duplicate.
    #[inline]
    pub(crate) fn poll_duplicated(&mut self) -> Option<Packet<Payload>> {
        let HopQueue::Managed(queue) = &mut self.queue else { return None };
        let packet = queue.poll_duplicated()?;
        if let Some(marking) = &mut self.marking {
            marking.duplicated.insert(key_of(&packet));
        }
        Some(packet)
    }

    /// What was added to the marks of `sent`, the last packet to leave the queue, if anything is.
    pub(crate) fn mark_record(&self, sent: &Sent) -> Option<MarkRecord> {
        let marking = self.marking.as_ref()?;
        Some(marking.marker.record(sent.at, (sent.user, sent.flow), marking.last_mark))
    }

    /// The next packet that was dropped at the head of the queue or lost on the wire by `now`.
    #[inline]
    pub(crate) fn poll_lost(&mut self, now: Time) -> Option<Lost<Packet<Payload>>> {
        let lost = match &mut self.queue {
            HopQueue::DropTail(queue) => queue.poll_lost(now)?,
            HopQueue::Managed(queue) => queue.poll_lost(now)?,
        };
        if let Some(marking) = &mut self.marking
            && lost.reason != DropReason::Aqm
        {
            marking.take(&lost.item);
        }
        Some(lost)
    }

    /// The next packet that comes out of the wire by `now`.
    #[inline(always)]
    pub(crate) fn poll_packet(&mut self, now: Time) -> Option<Packet<Payload>> {
        match &mut self.queue {
            HopQueue::DropTail(queue) if self.marking.is_none() => queue.poll_packet(now),
            _ => self.poll_marked(now),
        }
    }

    #[inline(never)]
    fn poll_marked(&mut self, now: Time) -> Option<Packet<Payload>> {
        let mut packet = match &mut self.queue {
            HopQueue::DropTail(queue) => queue.poll_packet(now)?,
            HopQueue::Managed(queue) => queue.poll_packet(now)?,
        };
        if let Some(marking) = &mut self.marking {
            packet.marks.add(marking.take(&packet));
        }
        Some(packet)
    }
}

/// What the queue adds to marks, and what it added to packets on the wire.
#[derive(Clone)]
struct Marking {
    marker: Marker,
    /// When the last packet left.
    left_at: Time,
    /// The mark of the last packet that left.
    last_mark: f32,
    in_flight: InFlightMarks,
    /// Packets in the queue that the wire will duplicate.
    duplicated: BTreeSet<Key>,
    /// Packets in a queue that drops nothing at its head.
    queued: VecDeque<Key>,
}

impl Marking {
    fn new(marker: Marker) -> Self {
        let (in_flight, duplicated, queued) = (InFlightMarks::default(), BTreeSet::new(), VecDeque::new());
        Self { marker, left_at: Time::ZERO, last_mark: 0.0, in_flight, duplicated, queued }
    }

    fn on_arrival(&mut self, now: Time, queue: Bytes, packet: Key, duplicated: bool) {
        self.marker.on_arrival(now, packet.0, queue);
        if duplicated {
            self.duplicated.insert(packet);
        }
    }

    fn on_sent(&mut self, sent: &Sent, packet: Key) {
        if sent.queued_at >= self.left_at {
            self.marker.on_busy(sent.queued_at);
        }
        self.marker.on_departure(sent.at, sent.queued_at, sent.bytes);
        self.left_at = sent.at;
        let copies = 1 + i32::from(self.duplicated.remove(&packet));
        self.last_mark = self.in_flight.on_departure(packet, copies, self.marker.addition());
    }

    /// Takes out the mark of a packet that comes out of the wire or is lost on it.
    fn take(&mut self, packet: &Packet<Payload>) -> f32 {
        self.in_flight.take(key_of(packet), self.marker.addition())
    }
}

#[cfg(test)]
mod tests {
    use airlink_model::path::{BottleneckConfig, Impairments, ImpairmentsConfig};
    use airlink_model::queue::{ClampPriceConfig, PriceConfig};
    use airlink_model::types::{Direction, Duration, Marks, PacketFields, Rate};

    use super::*;

    fn packet(flow: usize, id: u64, direction: Direction, bytes: u64) -> Packet<Payload> {
        let (flow, user, now) = (FlowId::new(flow), UserId::new(0), Time::ZERO);
        let (bytes, marks) = (Bytes::new(bytes), Marks::default());
        Box::new(PacketFields {
            id,
            flow,
            user,
            bytes,
            sent_at: now,
            queued_at: now,
            direction,
            hop: 0,
            marks,
            payload: Payload::none(),
        })
    }

    /// What was added to the marks of each packet that has left by `now`.
    fn additions(hop: &mut Hop, now: Time) -> Vec<f32> {
        std::iter::from_fn(|| {
            let sent = hop.pop_sent(now)?;
            Some(hop.mark_record(&sent).expect("it marks").addition)
        })
        .collect()
    }

    #[test]
    fn packets_of_both_directions_with_one_number_keep_their_own_marks() {
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let config =
            BottleneckConfig { rate: Rate::from_bps(8e6), delay: Duration::ZERO, ..BottleneckConfig::default() };
        // The second packet, which goes down, is late: the third, which goes up, overtakes it on the wire.
        let late = ImpairmentsConfig {
            reorder_numbers: vec![1],
            reorder_extra: Duration::from_millis(100),
            ..ImpairmentsConfig::default()
        };
        let price = PriceConfig::Clamp(ClampPriceConfig { free_a_bytes: 0.0, ..ClampPriceConfig::default() });
        let queue = HopQueue::DropTail(Bottleneck::new(&config, Some(Impairments::new(&late, 1, 0))));
        let mut hop = Hop::new(queue, Marker::new(&price));
        let push = |hop: &mut Hop, now, packet| assert_eq!(hop.push(now, packet), Ok(false));
        // A byte takes a microsecond: they leave at 9, 10, 19 and 20 ms.
        push(&mut hop, at(0), packet(1, 0, Direction::Down, 9000));
        push(&mut hop, at(1), packet(0, 0, Direction::Down, 1000));
        push(&mut hop, at(5), packet(0, 0, Direction::Up, 9000));
        let first = additions(&mut hop, at(15));
        push(&mut hop, at(15), packet(1, 1, Direction::Down, 1000));
        let (down, up) = (first[1], additions(&mut hop, at(1000))[0]);
        assert!(down > 0.0 && up > 0.0 && down != up, "{down} {up}");
        let out = std::iter::from_fn(|| hop.poll_packet(at(1000))).filter(|packet| packet.flow == FlowId::new(0));
        let found: Vec<(Direction, f32)> = out.map(|packet| (packet.direction, packet.marks.added())).collect();
        assert_eq!(found, [(Direction::Up, up), (Direction::Down, down)]);
    }
}
