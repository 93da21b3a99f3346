//! A first-in, first-out queue of packets, and its size in bytes.
//!
//! It leaves out: admission and drops, which the rules beside it decide.

use std::collections::VecDeque;

use super::Occupancy;
use crate::types::{Bytes, Packet, Time};

/// Waiting packets, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Fifo<P> {
    waiting: VecDeque<Packet<P>>,
    bytes: Bytes,
}

impl<P> Fifo<P> {
    pub(super) fn new() -> Self {
        Self { waiting: VecDeque::new(), bytes: Bytes::ZERO }
    }

    /// Adds a packet at `now` and returns a reference to it.
    pub(super) fn push(&mut self, now: Time, mut packet: Packet<P>) -> &Packet<P> {
        packet.queued_at = now;
        self.bytes += packet.bytes;
        self.waiting.push_back(packet);
        &self.waiting[self.waiting.len() - 1]
    }

    pub(super) fn pop(&mut self) -> Option<Packet<P>> {
        let packet = self.waiting.pop_front()?;
        self.bytes -= packet.bytes;
        Some(packet)
    }

    pub(super) fn oldest(&self) -> Option<&Packet<P>> {
        self.waiting.front()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Packet<P>> {
        self.waiting.iter()
    }

    pub(super) fn occupancy(&self) -> Occupancy {
        Occupancy { packets: self.waiting.len() as u64, bytes: self.bytes }
    }
}
