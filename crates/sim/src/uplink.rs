//! The uplink of a cell with requests and grants, and each flow's ACKs in it.
//!
//! An ACK that comes out enters the wire of its flow, at the end of the slot that carried it: after what reaches the base station at
//! that nanosecond, before ACKs reach their senders.

use airlink_model::path::Uplink;
use airlink_model::transport::Ack;
use airlink_model::types::{Bytes, Time, UserId};

/// Grants, and what waits for them.
#[derive(Clone)]
pub(crate) struct GrantedUplink {
    uplink: Uplink<Asking>,
    /// By flow.
    held: Vec<u64>,
}

/// An ACK that waits for its grant.
#[derive(Clone, Debug)]
pub(crate) struct Asking {
    pub(crate) flow: usize,
    pub(crate) bytes: Bytes,
    pub(crate) ack: Ack,
}

impl GrantedUplink {
    pub(crate) fn new(uplink: Uplink<Asking>, flows: usize) -> Self {
        Self { uplink, held: vec![0; flows] }
    }

    /// When the next ACK comes out; never if none waits.
    pub(crate) fn poll_timeout(&self) -> Time {
        self.uplink.poll_timeout().unwrap_or(Time::NEVER)
    }

    pub(crate) fn push(&mut self, now: Time, user: UserId, asking: Asking) {
        self.held[asking.flow] += 1;
        self.uplink.push(now, user.index(), asking.bytes, asking);
    }

    /// The next ACK that has come out by `now`.
    pub(crate) fn poll_packet(&mut self, now: Time) -> Option<Asking> {
        let asking = self.uplink.poll_packet(now)?;
        self.held[asking.flow] -= 1;
        Some(asking)
    }

    /// ACKs of `flow` that wait for a grant.
    pub(crate) fn held(&self, flow: usize) -> u64 {
        self.held[flow]
    }
}
