//! The network between the servers and the users: a cell with its slots, or a wired bottleneck.
//!
//! Flows hand packets over and learn their outcomes; they never know which of the two it is. A cell acts at slot boundaries. A
//! bottleneck acts when a packet reaches its user or is lost on the wire. Departures from its queue are recorded later, in
//! order and with their times.

use airlink_model::cell::Cell;
use airlink_model::rlc::Outcome;
use airlink_model::types::{Bytes, Dropped, Packet, Time, UserId};

use crate::payload::Payload;
use crate::record::Recorder;
use crate::wired_bottleneck::WiredBottleneck;

/// A cell or a wired bottleneck.
#[derive(Clone)]
pub(crate) enum Network {
    Cell(Box<Cell<Payload>>),
    Bottleneck(Box<WiredBottleneck>),
}

impl Network {
    /// When it next acts by itself.
    pub(crate) fn poll_timeout(&self) -> Time {
        match self {
            Self::Cell(cell) => cell.poll_timeout(),
            Self::Bottleneck(wired) => wired.poll_timeout(),
        }
    }

    /// Takes a packet in and returns whether it will be duplicated; or gives it back with the reason.
    pub(crate) fn handle_packet(
        &mut self,
        now: Time,
        packet: Packet<Payload>,
        recorder: &mut Recorder,
    ) -> Result<bool, Dropped<Payload>> {
        match self {
            Self::Cell(cell) => cell.handle_packet(now, packet, recorder).map(|()| false),
            Self::Bottleneck(wired) => wired.push(now, packet, recorder),
        }
    }

    /// Ends what ends at `now`: a slot, with its packets' outcomes, or transmissions of the bottleneck.
    pub(crate) fn finish(&mut self, now: Time, outcomes: &mut Vec<Outcome<Payload>>, recorder: &mut Recorder) {
        match self {
            Self::Cell(cell) => cell.finish_slot(now, outcomes, recorder),
            Self::Bottleneck(wired) => wired.record_sent(now, recorder),
        }
    }

    /// The next packet that was lost on a bottleneck's wire by `now`.
    pub(crate) fn poll_lost(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let Self::Bottleneck(wired) = self else { return None };
        wired.poll_lost(now, recorder)
    }

    /// The next packet that comes out of a bottleneck's wire by `now`.
    #[inline]
    pub(crate) fn poll_packet(&mut self, now: Time, recorder: &mut Recorder) -> Option<Packet<Payload>> {
        let Self::Bottleneck(wired) = self else { return None };
        wired.poll_packet(now, recorder)
    }

    /// Records all events up to `now`, before a measurement begins or ends.
    pub(crate) fn catch_up(&mut self, now: Time, recorder: &mut Recorder) {
        if let Self::Bottleneck(wired) = self {
            wired.record_sent(now, recorder);
        }
    }

    /// Counts in-order bytes that reached a user's application.
    pub(crate) fn on_goodput(&mut self, user: UserId, bytes: Bytes) {
        if let Self::Cell(cell) = self {
            cell.on_goodput(user, bytes);
        }
    }
}
