//! A wired bottleneck as flows meet it: a [`Hop`] whose events are recorded.

use airlink_model::probe::Probe;
use airlink_model::types::{Bytes, Dropped, Packet, Time};

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

    pub(crate) fn poll_timeout(&self) -> Time {
        self.0.poll_timeout()
    }

    /// Takes a packet in and returns whether its wire will duplicate it; or gives it back.
    pub(crate) fn push(
        &mut self,
        now: Time,
        packet: Packet<Payload>,
        recorder: &mut Recorder,
    ) -> Result<bool, Dropped<Payload>> {
        self.record_sent(now, recorder);
        let (packets, bytes) = self.0.waiting();
        // Recorded before the push, which consumes the packet.
        let room = self.0.has_room(now, packet.bytes);
        if room {
            recorder.on_queued(now, &packet, packets + 1, bytes + packet.bytes);
        }
        let (id, flow, user, size) = (packet.id, packet.flow, packet.user, packet.bytes);
        let taken = self.0.push(now, packet);
        if taken.is_ok() {
            recorder.on_held(now, flow, self.0.held_until());
        }
        match &taken {
            Ok(true) => recorder.on_duplicated(&Duplicated { id, flow, user, bytes: size }),
            Ok(false) => {}
            Err(dropped) => recorder.on_refused(now, &dropped.packet, dropped.reason),
        }
        taken
    }

    /// Records the packets that have left the queue by `now`, in order and with their times.
    pub(crate) fn record_sent(&mut self, now: Time, recorder: &mut Recorder) {
        while let Some(sent) = self.0.pop_sent(now) {
            let (packets, bytes) = self.0.waiting();
            if recorder.wants_prices()
                && let Some(record) = self.0.price_record(&sent)
            {
                recorder.on_price(&record);
            }
            recorder.on_sent(&sent, packets, bytes);
        }
    }

    /// The next packet that was lost on the wire by `now`.
    pub(crate) fn poll_lost(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let lost = self.0.poll_lost(now)?;
        recorder.on_lost(lost.at, &lost.item, lost.reason);
        Some(lost.item)
    }

    /// The next packet that comes out of the wire by `now`.
    #[inline]
    pub(crate) fn poll_packet(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let packet = self.0.poll_packet(now)?;
        recorder.on_delivered(now, &packet);
        Some(packet)
    }
}
