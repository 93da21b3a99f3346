//! One FIFO queue for all users: one limit, one marker, and the order in which packets came.
//!
//! Each packet waits in its user's own queue, without a limit; the shared FIFO knows the order of users. Service is strictly in
//! order. What the RLC has begun goes first; then the user of the oldest packet has the slot. At the first packet of another
//! user the rest of the slot is padding. A user with rate 0 blocks all others.
//!
//! It leaves out: code blocks and subchannels, rules that drop within a queue, packets of two users in a slot.

use std::collections::VecDeque;

use super::buffer::UserBuffer;
use crate::queue::{Marker, Occupancy, QueueConfig};
use crate::types::{Bytes, Packet, Slot, Time};

/// The places of users whose packets wait, in order of arrival.
#[derive(Clone, Debug)]
pub(super) struct SharedFifo {
    config: QueueConfig,
    marker: Option<Box<Marker>>,
    order: VecDeque<usize>,
    /// The user of the last packet taken out, while a rest of it was never sent.
    unfinished: Option<usize>,
}

impl SharedFifo {
    /// An empty FIFO.
    pub(super) fn new(config: QueueConfig) -> Self {
        let marker = config.marker().map(Box::new);
        Self { config, marker, order: VecDeque::new(), unfinished: None }
    }

    /// Whether the limits leave room for `bytes` beside all that is in the `buffers` of the `occupied` users, which are all users
    /// with packets.
    pub(super) fn has_room<P>(&self, bytes: Bytes, occupied: &[u32], buffers: &[UserBuffer<P>]) -> bool {
        let (held, unsent) = found(occupied, buffers);
        self.config.leaves_room(held, unsent, bytes)
    }

    /// Whether a packet that comes finds more than the threshold of marks.
    pub(super) fn is_above_mark<P>(&self, occupied: &[u32], buffers: &[UserBuffer<P>]) -> bool {
        let (held, unsent) = found(occupied, buffers);
        self.config.is_above_mark(held, unsent)
    }

    /// Adds a packet of the user at a place that comes to the `buffers`; returns false if there is no room.
    pub(super) fn enter<P>(
        &mut self,
        now: Time,
        (packet, user): (&Packet<P>, usize),
        occupied: &[u32],
        buffers: &[UserBuffer<P>],
    ) -> bool {
        if !self.has_room(packet.bytes, occupied, buffers) {
            return false;
        }
        self.order.push_back(user);
        if let Some(marker) = &mut self.marker {
            if occupied.is_empty() {
                marker.on_busy(now);
            }
            marker.on_arrival(now, packet.flow, sum(occupied, buffers, UserBuffer::unsent_in_all).bytes + packet.bytes);
        }
        true
    }

    /// Takes the oldest packet out and returns true, if it is one of `user` and no other user is still sending the one before.
    pub(super) fn take_turn(&mut self, user: usize) -> bool {
        let its_turn = self.order.front() == Some(&user) && self.unfinished.is_none_or(|before| before == user);
        if its_turn {
            self.order.pop_front();
        }
        its_turn
    }

    /// Notes whether a packet of `user` was begun and has a rest that was never sent.
    pub(super) fn set_unfinished(&mut self, user: usize, has_rest: bool) {
        if has_rest {
            self.unfinished = Some(user);
        } else if self.unfinished == Some(user) {
            self.unfinished = None;
        }
    }

    /// What departing packets tell of the queue.
    pub(super) fn marker(&mut self) -> Option<&mut Marker> {
        self.marker.as_deref_mut()
    }

    /// Adds who may have `slot` to `candidates`: of the users who have packets, in rising order, those who have begun one that can
    /// go on, or else the first user in the FIFO.
    pub(super) fn choose<P>(&self, slot: Slot, buffers: &[UserBuffer<P>], occupied: &[u32], candidates: &mut Vec<u32>) {
        candidates.extend(occupied.iter().filter(|&&user| buffers[user as usize].goes_on(slot)));
        if let Some(first) = self.order.front().filter(|_| candidates.is_empty()) {
            // Fewer than 2^32 users.
            candidates.push(*first as u32);
        }
    }
}

/// All that has not left, and what was never sent.
fn found<P>(occupied: &[u32], buffers: &[UserBuffer<P>]) -> (Occupancy, Occupancy) {
    (sum(occupied, buffers, UserBuffer::held_in_all), sum(occupied, buffers, UserBuffer::unsent_in_all))
}

fn sum<P>(users: &[u32], buffers: &[UserBuffer<P>], of: impl Fn(&UserBuffer<P>) -> Occupancy) -> Occupancy {
    users.iter().map(|&user| of(&buffers[user as usize])).fold(Occupancy::default(), |sum, one| Occupancy {
        packets: sum.packets + one.packets,
        bytes: sum.bytes + one.bytes,
    })
}
