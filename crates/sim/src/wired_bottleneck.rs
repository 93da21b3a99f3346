//! A wired bottleneck: the last [`Hop`] of all flows, in the cell's place, whose events are recorded as the network's.

use airlink_model::path::Bottleneck;
use airlink_model::probe::Probe;
use airlink_model::types::{Bytes, DropReason, Dropped, Packet, PacketFields, Rate, Time};

use crate::hop::Hop;
use crate::payload::Payload;
use crate::record::{Duplicated, Recorder};

/// A wired bottleneck in the cell's place.
#[derive(Clone)]
pub(crate) struct WiredBottleneck(Hop);

impl WiredBottleneck {
    pub(crate) fn new(hop: Hop) -> Self {
        Self(hop)
    }

    /// Packets and bytes in the queue or on the wire.
    pub(crate) fn held(&self) -> (u64, Bytes) {
        self.0.held()
    }

    /// Whether packets come out as they came and in their order, and nothing else happens in between.
    #[inline]
    pub(crate) const fn is_plain(&self) -> bool {
        self.0.is_plain()
    }

    /// The rate of a queue that [`Self::is_plain`].
    pub(crate) fn plain_rate(&mut self) -> Option<Rate> {
        self.0.plain().map(|queue| queue.rate())
    }

    #[inline]
    pub(crate) fn poll_timeout(&self) -> Time {
        self.0.poll_timeout()
    }

    /// Whether a push may tell that the packet will be duplicated.
    #[inline]
    pub(crate) const fn may_duplicate(&self) -> bool {
        self.0.may_duplicate()
    }

    /// Takes a packet in and returns whether its wire will duplicate it; or gives it back.
    #[inline(always)]
    pub(crate) fn push(
        &mut self,
        now: Time,
        packet: Packet<Payload>,
        recorder: &mut Recorder,
    ) -> Result<bool, Dropped<Payload>> {
        let Some(queue) = self.0.plain() else { return self.push_any(now, packet, recorder) };
        record_departures(queue, now, recorder);
        if !queue.has_room(now, packet.bytes) {
            return refuse(now, packet, recorder);
        }
        let (packets, bytes) = queue.waiting();
        recorder.on_queued(now, &packet, packets + 1, bytes + packet.bytes);
        let flow = packet.flow;
        queue.take_in(now, packet);
        recorder.on_held(now, flow, queue.held_until());
        Ok(false)
    }

    /// The same whatever the queue does.
    #[inline(never)]
    fn push_any(
        &mut self,
        now: Time,
        packet: Packet<Payload>,
        recorder: &mut Recorder,
    ) -> Result<bool, Dropped<Payload>> {
        self.record_sent(now, recorder);
        if self.0.is_managed() {
            return self.push_managed(now, packet, recorder);
        }
        if !self.0.has_room(now, packet.bytes) {
            return refuse(now, packet, recorder);
        }
        let (packets, bytes) = self.0.waiting();
        recorder.on_queued(now, &packet, packets + 1, bytes + packet.bytes);
        let (id, flow, user, size) = (packet.id, packet.flow, packet.user, packet.bytes);
        let was_marked = packet.marks.has_ce();
        let duplicated = self.0.take_in(now, packet);
        let carries_mark = was_marked || self.0.has_marked();
        self.record_marked(now, recorder);
        recorder.on_held(now, flow, self.0.held_until());
        if duplicated {
            recorder.on_duplicated(&Duplicated { id, flow, user, bytes: size, carries_mark });
        }
        Ok(duplicated)
    }

    /// Whether a queue with management admits a packet is known after the push.
    #[inline(never)]
    fn push_managed(
        &mut self,
        now: Time,
        packet: Packet<Payload>,
        recorder: &mut Recorder,
    ) -> Result<bool, Dropped<Payload>> {
        let copy = packet.clone();
        let taken = self.0.push(now, packet);
        self.record_marked(now, recorder);
        match taken {
            Ok(duplicated) => {
                let (packets, bytes) = self.0.waiting();
                recorder.on_queued(now, &copy, packets, bytes);
                recorder.on_held(now, copy.flow, self.0.held_until());
                Ok(duplicated)
            }
            Err(dropped) => {
                recorder.on_refused(now, &dropped.packet, dropped.reason);
                Err(dropped)
            }
        }
    }

    /// Records the marks that the queue has set.
    #[inline]
    fn record_marked(&mut self, now: Time, recorder: &mut Recorder) {
        if self.0.has_marked() {
            for (user, flow) in self.0.take_marked() {
                recorder.on_marked(now, user, flow);
            }
        }
    }

    /// Calls `of` with each packet in the queue and on the wire, those among them that are lost.
    pub(crate) fn for_each_packet(&self, of: impl FnMut(&Packet<Payload>)) {
        self.0.for_each_packet(of);
    }

    /// Whether its queue drops packets for which there is room.
    pub(crate) fn chooses_drops(&self) -> bool {
        self.0.chooses_drops()
    }

    /// Records the packets that have left the queue by `now`, in order and with their times.
    #[inline(never)]
    pub(crate) fn record_sent(&mut self, now: Time, recorder: &mut Recorder) {
        if let Some(queue) = self.0.plain() {
            return record_departures(queue, now, recorder);
        }
        while let Some(sent) = self.0.pop_sent(now) {
            let (packets, bytes) = self.0.waiting();
            if recorder.wants_marks_added()
                && let Some(record) = self.0.mark_record(&sent)
            {
                recorder.on_mark_added(&record);
            }
            recorder.on_sent(&sent, packets, bytes);
        }
        self.record_marked(now, recorder);
    }

    /// The next packet that was dropped at the queue's head or lost on the wire by `now`.
    pub(crate) fn poll_lost(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let lost = self.0.poll_lost(now)?;
        recorder.on_lost(lost.at, &lost.item, lost.reason);
        if lost.reason == DropReason::Aqm {
            let (packets, bytes) = self.0.waiting();
            recorder.on_left_queue(lost.at, lost.item.user, packets, bytes);
        }
        Some(lost.item)
    }

    /// The next packet of a queue with management that the wire will duplicate.
    pub(crate) fn poll_duplicated(&mut self, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let packet = self.0.poll_duplicated()?;
        let PacketFields { id, flow, user, bytes, .. } = *packet;
        recorder.on_duplicated(&Duplicated { id, flow, user, bytes, carries_mark: packet.marks.has_ce() });
        Some(packet)
    }

    /// The next packet that comes out of the wire by `now`.
    #[inline(always)]
    pub(crate) fn poll_packet(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let packet = match self.0.plain() {
            Some(queue) => queue.poll_packet(now),
            None => self.0.poll_packet(now),
        }?;
        recorder.on_delivered(now, &packet);
        Some(packet)
    }
}

/// Records what has left a drop-tail queue by `now`.
#[inline(always)]
fn record_departures(queue: &mut Bottleneck<Payload>, now: Time, recorder: &mut Recorder) {
    while let Some(sent) = queue.pop_sent(now) {
        let (packets, bytes) = queue.waiting();
        recorder.on_sent(&sent, packets, bytes);
    }
}

/// Gives back a packet for which there is no room.
#[cold]
#[inline(never)]
fn refuse(now: Time, packet: Packet<Payload>, recorder: &mut Recorder) -> Result<bool, Dropped<Payload>> {
    let reason = DropReason::QueueFull;
    recorder.on_refused(now, &packet, reason);
    Err(Dropped { packet, reason })
}
