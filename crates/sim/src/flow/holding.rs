//! Timeouts held while they would be spurious: a control that no sender could run, for it asks where the packets are.
//!
//! When the retransmission timer expires although the oldest unacknowledged segment, or what acknowledges it, is still to come,
//! the timer is armed again for the RTO in force; nothing else of TCP changes. Something is still to come while
//! - the segment has not arrived, and a copy of it has not been lost so far (it waits, or is on a wire or on air), or
//! - it has arrived, and an ACK of it is on a wire that will bring it, or the receiver owes one, or any segment of the flow is on
//!   its way, which the receiver will answer.
//!
//! All of this ends: it arrives or is lost. So a timer is held for ever only if a packet waits for ever. It leaves out: what the
//! future brings. A copy that is lost later holds the timer until then, and the timer then runs out as ever.

use std::collections::VecDeque;

use airlink_model::transport::{Segment, Sender};
use airlink_model::types::declare::Words;

use super::RunningFlow;

/// Which timeouts are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Hold {
    /// None.
    Off,
    /// All that would be spurious.
    Spurious,
    /// Of these, those in the initial slow start.
    Initial,
}

/// A flow's packets that have neither reached the user nor been lost; copies count one by one.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay {
    segments: VecDeque<Segment>,
}

impl UnderWay {
    pub(super) fn push(&mut self, segment: Segment) {
        self.segments.push_back(segment);
    }

    /// One copy of that transmission has arrived or is lost. Mostly it is the oldest.
    pub(super) fn remove(&mut self, transmission: u64) {
        let place = self.segments.iter().position(|own| own.transmission == transmission);
        self.segments.remove(place.expect("what arrives or is lost was on its way"));
    }

    fn covers(&self, byte: u64) -> bool {
        self.segments.iter().any(|segment| (segment.sequence..segment.end()).contains(&byte))
    }
}

impl RunningFlow {
    /// True if the retransmission timer, which expires, is to be armed again.
    pub(super) fn holds_timeout(&self) -> bool {
        let is_asked = match self.config.hold {
            Hold::Off => false,
            Hold::Spurious => true,
            Hold::Initial => self.ends.sender().is_some_and(Sender::in_initial_slow_start),
        };
        is_asked && self.will_hear()
    }

    /// True if something is still to come that acknowledges the oldest segment, or the SYN.
    fn will_hear(&self) -> bool {
        let Some(under_way) = &self.fate.under_way else { return false };
        let oldest = self.ends.sender().and_then(Sender::oldest_outstanding).map(|segment| segment.sequence);
        match oldest.filter(|&byte| self.ends.goodput().count() <= byte) {
            Some(missing) => under_way.covers(missing),
            None => {
                let is_answer = |number| oldest.is_none_or(|byte| number > byte);
                !under_way.segments.is_empty()
                    || self.ends.receiver().is_some_and(|receiver| receiver.poll_timeout().is_some())
                    || self
                        .uplink
                        .travelling()
                        .filter_map(|packet| packet.payload.carried())
                        .any(|ack| is_answer(ack.segment().number))
            }
        }
    }
}
