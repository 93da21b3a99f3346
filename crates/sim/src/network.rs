//! What lies between the servers and the users: a cell with its slots, or a wired bottleneck instead of it.
//!
//! Flows hand packets over and hear what became of them; they never know which of the two it is. A cell acts at slot
//! boundaries. A bottleneck acts when a packet reaches its user or is lost on the wire; that packets have left its
//! queue is written down when somebody looks, in order and with the right times.

use airlink_model::cell::Cell;
use airlink_model::path::Bottleneck;
use airlink_model::probe::Probe;
use airlink_model::rlc::Outcome;
use airlink_model::types::{Bytes, Dropped, Packet, Time, UserId};

use crate::flow::Payload;
use crate::record::{Doubled, Recorder};

/// One of the two.
#[derive(Clone)]
pub(crate) enum Network {
    Cell(Box<Cell<Payload>>),
    Bottleneck(Box<Bottleneck<Payload>>),
}

impl Network {
    /// When it next does something by itself.
    pub(crate) fn poll_timeout(&self) -> Time {
        match self {
            Self::Cell(cell) => cell.poll_timeout(),
            Self::Bottleneck(bottleneck) => bottleneck.poll_timeout().unwrap_or(Time::NEVER),
        }
    }

    /// Takes a packet in, and tells whether it will come twice; or gives it back with the reason.
    pub(crate) fn handle_packet(
        &mut self,
        now: Time,
        packet: Packet<Payload>,
        recorder: &mut Recorder,
    ) -> Result<bool, Dropped<Payload>> {
        match self {
            Self::Cell(cell) => cell.handle_packet(now, packet, recorder).map(|()| false),
            Self::Bottleneck(bottleneck) => enqueue(bottleneck, now, packet, recorder),
        }
    }

    /// Ends what ends at `now`: a slot, with what became of its packets, or the sending of packets at a bottleneck.
    pub(crate) fn finish(&mut self, now: Time, outcomes: &mut Vec<Outcome<Payload>>, recorder: &mut Recorder) {
        match self {
            Self::Cell(cell) => cell.finish_slot(now, outcomes, recorder),
            Self::Bottleneck(bottleneck) => record_sent(bottleneck, now, recorder),
        }
    }

    /// The next packet that was lost on a bottleneck's wire by `now`.
    pub(crate) fn poll_lost(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let Self::Bottleneck(bottleneck) = self else { return None };
        let lost = bottleneck.poll_lost(now)?;
        recorder.on_lost(lost.at, &lost.item, lost.reason);
        Some(lost.item)
    }

    /// The next packet that comes out of a bottleneck's wire by `now`.
    #[inline]
    pub(crate) fn poll_packet(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let Self::Bottleneck(bottleneck) = self else { return None };
        let packet = bottleneck.poll_packet(now)?;
        recorder.on_delivered(now, &packet);
        Some(packet)
    }

    /// Writes down what happened up to `now`, before a measurement begins or ends.
    pub(crate) fn catch_up(&mut self, now: Time, recorder: &mut Recorder) {
        if let Self::Bottleneck(bottleneck) = self {
            record_sent(bottleneck, now, recorder);
        }
    }

    /// Tells of in-order bytes that reached a user's application.
    pub(crate) fn on_goodput(&mut self, user: UserId, bytes: Bytes) {
        if let Self::Cell(cell) = self {
            cell.on_goodput(user, bytes);
        }
    }
}

fn enqueue(
    bottleneck: &mut Bottleneck<Payload>,
    now: Time,
    packet: Packet<Payload>,
    recorder: &mut Recorder,
) -> Result<bool, Dropped<Payload>> {
    record_sent(bottleneck, now, recorder);
    let (packets, bytes) = bottleneck.waiting();
    // Written down before it is known whether there is room: the packet itself is gone afterwards.
    let room = bottleneck.has_room(packet.bytes);
    if room {
        recorder.on_queued(now, &packet, packets + 1, bytes + packet.bytes);
    }
    let (id, flow, user, bytes) = (packet.id, packet.flow, packet.user, packet.bytes);
    let taken = bottleneck.push(now, packet);
    if taken.is_ok() {
        recorder.on_held(now, flow, bottleneck.held_until());
    }
    match &taken {
        Ok(true) => recorder.on_doubled(&Doubled { id, flow, user, bytes }),
        Ok(false) => {}
        Err(dropped) => recorder.on_refused(now, &dropped.packet, dropped.reason),
    }
    taken
}

fn record_sent(bottleneck: &mut Bottleneck<Payload>, now: Time, recorder: &mut Recorder) {
    while let Some(sent) = bottleneck.pop_sent(now) {
        let (packets, bytes) = bottleneck.waiting();
        recorder.on_sent(&sent, packets, bytes);
    }
}
