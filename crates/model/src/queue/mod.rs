//! What waits at the base station for one user, and what is refused.
//!
//! A drop-tail queue with a limit in packets, in bytes, in both or in neither. The limit counts every packet
//! that has not left the base station: those waiting here and those that the RLC has begun to send, until
//! their last segment is through (paper 000: "a packet leaves the queue only when its last segment has been sent").
//! Several flows of one user share its queue in order of arrival.
//!
//! It leaves out: active queue management and ECN marking, queues shared by users.

use std::collections::VecDeque;

use crate::types::{Bytes, DropReason, Dropped, Packet, Time};

/// The most that may wait; a packet that would exceed either limit is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueConfig {
    /// Packets, at least 1; `u64::MAX` for no limit.
    pub limit_packets: u64,
    /// Bytes, headers included; [`Bytes::UNLIMITED`] for no limit.
    pub limit_bytes: Bytes,
}

/// A number of packets and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Packets.
    pub packets: u64,
    /// Their whole size.
    pub bytes: Bytes,
}

/// A first-in first-out queue that refuses what exceeds its limits.
#[derive(Clone, Debug)]
pub struct DropTail<P> {
    config: QueueConfig,
    waiting: VecDeque<Packet<P>>,
    bytes: Bytes,
}

impl<P> DropTail<P> {
    /// An empty queue.
    pub fn new(config: QueueConfig) -> Self {
        Self { config, waiting: VecDeque::new(), bytes: Bytes::ZERO }
    }

    /// Takes a packet in at `now` and shows it with what waits now, or gives it back with the reason. `in_service`
    /// counts what the RLC holds.
    pub fn push(
        &mut self,
        now: Time,
        mut packet: Packet<P>,
        in_service: Occupancy,
    ) -> Result<(&Packet<P>, Occupancy), Dropped<P>> {
        if !self.has_room(packet.bytes, in_service) {
            return Err(Dropped { packet, reason: DropReason::QueueFull });
        }
        packet.queued_at = now;
        self.bytes += packet.bytes;
        let waiting = Occupancy { packets: self.waiting.len() as u64 + 1, bytes: self.bytes };
        self.waiting.push_back(packet);
        let entered = &self.waiting[self.waiting.len() - 1];
        Ok((entered, waiting))
    }

    /// Whether a packet of `bytes` would be taken in.
    pub fn has_room(&self, bytes: Bytes, in_service: Occupancy) -> bool {
        let packets = self.waiting.len() as u64 + in_service.packets;
        packets < self.config.limit_packets && self.bytes + in_service.bytes + bytes <= self.config.limit_bytes
    }

    /// The oldest packet, for the RLC to send.
    pub fn pop(&mut self) -> Option<Packet<P>> {
        let packet = self.waiting.pop_front()?;
        self.bytes -= packet.bytes;
        Some(packet)
    }

    /// When the oldest waiting packet came.
    pub fn oldest_queued_at(&self) -> Option<Time> {
        self.waiting.front().map(|packet| packet.queued_at)
    }

    /// What waits, without what the RLC holds.
    pub fn occupancy(&self) -> Occupancy {
        Occupancy { packets: self.waiting.len() as u64, bytes: self.bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{FlowId, UserId};

    fn packet(id: u64, bytes: u64) -> Packet<()> {
        let (flow, user) = (FlowId::default(), UserId::default());
        let (sent_at, queued_at, bytes) = (Time::ZERO, Time::ZERO, Bytes::new(bytes));
        Packet { id, flow, user, bytes, sent_at, queued_at, ecn: 0, price: 0.0, payload: () }
    }

    #[test]
    fn a_packet_limit_counts_what_the_rlc_holds() {
        let mut queue = DropTail::new(QueueConfig { limit_packets: 2, limit_bytes: Bytes::UNLIMITED });
        let held = Occupancy { packets: 1, bytes: Bytes::new(100) };
        assert!(queue.push(Time::ZERO, packet(0, 100), held).is_ok());
        let refused = queue.push(Time::ZERO, packet(1, 100), held).expect_err("the limit is two packets");
        assert_eq!((refused.packet.id, refused.reason), (1, DropReason::QueueFull));
        assert!(queue.push(Time::ZERO, packet(2, 100), Occupancy::default()).is_ok());
    }

    #[test]
    fn a_byte_limit_takes_a_packet_that_just_fits() {
        let mut queue = DropTail::new(QueueConfig { limit_packets: u64::MAX, limit_bytes: Bytes::new(250) });
        assert!(queue.push(Time::ZERO, packet(0, 150), Occupancy::default()).is_ok());
        assert!(queue.push(Time::ZERO, packet(1, 101), Occupancy::default()).is_err());
        assert!(queue.push(Time::ZERO, packet(2, 100), Occupancy::default()).is_ok());
        assert_eq!(queue.pop().map(|p| p.id), Some(0));
        assert_eq!(queue.occupancy(), Occupancy { packets: 1, bytes: Bytes::new(100) });
    }
}
