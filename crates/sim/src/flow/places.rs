//! Where a flow's packets stand: each stays in one place from its sender to its receiver, and leaves it to the next.

use airlink_model::types::{Bytes, Direction, FlowId, Marks, Packet, PacketFields, Time, UserId};

use super::RunningFlow;
use crate::payload::Payload;

/// Places of ended packets that a flow keeps. The next packet takes one at once, so a few are in use; the bound is for wires that make
/// copies, which would add up.
const MOST_SPARE: usize = 64;

impl RunningFlow {
    /// The next packet of `direction`, in the place of one that has ended; its payload is whatever stood there.
    #[inline]
    pub(super) fn packet(&mut self, now: Time, direction: Direction, bytes: Bytes) -> Packet<Payload> {
        let number = &mut self.numbers[direction as usize];
        // Field by field: as a whole it would be put together elsewhere and copied.
        let mut packet = self.spare.pop().unwrap_or_else(new_place);
        packet.id = *number;
        packet.flow = self.id;
        packet.user = self.user;
        packet.bytes = bytes;
        packet.sent_at = now;
        packet.queued_at = now;
        packet.direction = direction;
        packet.hop = 0;
        packet.marks = Marks::default();
        *number += 1;
        packet
    }

    /// The same without a segment.
    pub(super) fn packet_alone(&mut self, now: Time, direction: Direction, bytes: Bytes) -> Packet<Payload> {
        let mut packet = self.packet(now, direction, bytes);
        packet.payload = Payload::none();
        packet
    }

    /// A packet of this flow has ended: what it stood in is kept for the next.
    #[inline]
    pub(crate) fn keep(&mut self, packet: Packet<Payload>) {
        if self.spare.len() < MOST_SPARE {
            self.spare.push(packet);
        }
    }
}

/// A place for a packet, with nothing in it.
#[cold]
#[inline(never)]
fn new_place() -> Packet<Payload> {
    let (flow, user, at, marks) = (FlowId::new(0), UserId::new(0), Time::ZERO, Marks::default());
    let (bytes, direction, payload) = (Bytes::ZERO, Direction::Down, Payload::none());
    Box::new(PacketFields { id: 0, flow, user, bytes, sent_at: at, queued_at: at, direction, hop: 0, marks, payload })
}
