//! What may keep a queue short beside its limits: one trait for what is built in and for what comes from outside.
//!
//! It hears of every packet that comes, is refused or comes to the head, and of the queue's end; it answers what becomes of a
//! packet that comes and of the one at the head (it passes, is marked or is dropped), and a limit in bytes. It never sees
//! what a packet carries.
//!
//! It leaves out: several queues, another order than first in, first out.

use std::fmt::Debug;
use std::sync::Arc;

use super::Occupancy;
use crate::types::{Bytes, Ecn, FlowId, Packet, PacketFields, Time, UserId};

/// Active queue management: admission, marks, drops at the head, and a limit of its own.
///
/// Each queue has one of its own. Draws come from named streams, so that the same seed gives the same drops.
pub trait QueueManagement: Debug + Send {
    /// Most bytes that may wait or be in service, beside the limits of the scenario.
    fn limit(&self) -> Bytes {
        Bytes::UNLIMITED
    }

    /// What becomes of a packet for which there is room and that comes at `now`. `waiting` is what it finds in the queue,
    /// `in_service` what the RLC holds.
    fn on_arrival(&mut self, _now: Time, _packet: &Header, _waiting: Occupancy, _in_service: Occupancy) -> Verdict {
        Verdict::Pass
    }

    /// A packet came for which the limits had no room.
    fn on_refused(&mut self) {}

    /// What becomes of the packet that is to be sent at `now`; `behind` is what waits after it. The last packet is never
    /// dropped: with nothing behind it, it is sent whatever the answer.
    fn on_head(&mut self, _now: Time, _packet: &Header, _behind: Occupancy) -> Verdict {
        Verdict::Pass
    }

    /// A packet was to be sent, but none waits.
    fn on_empty(&mut self) {}

    /// Nothing waits any more, and nothing is in service.
    fn on_idle(&mut self, _now: Time) {}

    /// Whether it refuses or drops packets for which the limits have room.
    fn chooses_drops(&self) -> bool {
        false
    }

    /// A copy in the same state, so that a running simulation can be cloned.
    fn boxed_clone(&self) -> Box<dyn QueueManagement>;
}

impl Clone for Box<dyn QueueManagement> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// Makes the management of each user's queue.
pub type QueueManagementOf = Arc<dyn Fn(UserId) -> Box<dyn QueueManagement> + Send + Sync>;

/// What becomes of a packet that comes, or of the one at the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It enters or is sent as it is.
    Pass,
    /// It enters or is sent with a congestion mark (CE); one whose sender does not take part is dropped (RFC 3168 section 5).
    Mark,
    /// It is dropped; at the head the next one takes its place.
    Drop,
}

/// A packet without what it carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// The flow it belongs to.
    pub flow: FlowId,
    /// The user it goes to.
    pub user: UserId,
    /// Its size, headers included.
    pub bytes: Bytes,
    /// When its sender sent it.
    pub sent_at: Time,
    /// When it entered the queue; of a packet that comes, when it comes.
    pub queued_at: Time,
    /// Its ECN field.
    pub ecn: Ecn,
}

impl Header {
    pub(super) fn arriving<P>(now: Time, packet: &Packet<P>) -> Self {
        Self { queued_at: now, ..Self::of(packet) }
    }

    pub(super) fn of<P>(packet: &Packet<P>) -> Self {
        let &PacketFields { flow, user, bytes, sent_at, queued_at, marks, .. } = &**packet;
        Self { flow, user, bytes, sent_at, queued_at, ecn: marks.ecn }
    }
}
