//! The uplink of a cell with requests and grants: the first node of what users send, and each flow's packets in it.
//!
//! What comes out goes on to the hops of its flow and to the flow's own wire, at the end of the slot that carried it: an arrival, at one
//! nanosecond after those of flows' wires and of hops.

use airlink_model::path::{Uplink, UplinkConfig};
use airlink_model::types::{Packet, SlotClock, TddPattern, Time};

use crate::payload::Payload;

/// Grants, and what waits for them.
#[derive(Clone)]
pub(crate) struct GrantedUplink {
    uplink: Uplink<Packet<Payload>>,
    /// Packets, by flow.
    held: Vec<u64>,
}

/// An uplink before its first request.
#[derive(Clone, Copy)]
pub(crate) struct UplinkOrigin {
    pub(crate) config: UplinkConfig,
    pub(crate) clock: SlotClock,
    pub(crate) pattern: TddPattern,
    /// Among whom opportunities are spread.
    pub(crate) users: usize,
}

impl UplinkOrigin {
    /// The uplink of all users, with so many flows.
    pub(crate) fn of_all(&self, flows: usize) -> Box<GrantedUplink> {
        self.of_users(0..self.users, flows)
    }

    /// The uplink of one of the users, who is user 0 of a run alone.
    pub(crate) fn of_one(&self, user: usize, flows: usize) -> Box<GrantedUplink> {
        self.of_users(user..user + 1, flows)
    }

    fn of_users(&self, users: std::ops::Range<usize>, flows: usize) -> Box<GrantedUplink> {
        let offsets = users.map(|user| self.config.offset(user, self.users));
        let uplink = Uplink::new(self.config, self.clock, self.pattern, offsets);
        Box::new(GrantedUplink { uplink, held: vec![0; flows] })
    }
}

impl GrantedUplink {
    /// When the next packet comes out; never if none waits.
    pub(crate) fn poll_timeout(&self) -> Time {
        self.uplink.poll_timeout().unwrap_or(Time::NEVER)
    }

    /// The user of `packet` has it to send from `now` on.
    pub(crate) fn push(&mut self, now: Time, packet: Packet<Payload>) {
        self.held[packet.flow.index()] += 1;
        self.uplink.push(now, packet.user.index(), packet.bytes, packet);
    }

    /// The next packet that has come out by `now`.
    pub(crate) fn poll_packet(&mut self, now: Time) -> Option<Packet<Payload>> {
        let packet = self.uplink.poll_packet(now)?;
        self.held[packet.flow.index()] -= 1;
        Some(packet)
    }

    /// Packets of `flow` that wait for a grant.
    pub(crate) fn held(&self, flow: usize) -> u64 {
        self.held[flow]
    }

    /// Every packet that went in has come out or waits.
    pub(crate) fn check_conservation(&self) {
        let (waiting, held) = (self.uplink.waiting().count() as u64, self.held.iter().sum::<u64>());
        assert!(waiting == held, "{waiting} packets wait for a grant, flows have {held}");
    }
}
