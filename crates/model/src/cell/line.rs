//! One queue for all users, first in, first out: one limit, one price, and the order in which packets came.
//!
//! A packet waits in its user's own queue, which has no limit then, and the line knows whose turn it is. Strictly in order:
//! what the RLC has begun goes before all that waits, then the user of the oldest packet has the slot, and the slot ends at
//! the first packet of somebody else, as padding. A user without a rate holds all others up.
//!
//! It leaves out: code blocks and subchannels, rules that drop within a queue, packets of two users in a slot.

use std::collections::VecDeque;

use super::buffer::UserBuffer;
use crate::queue::{Occupancy, Price, PriceConfig, QueueConfig};
use crate::types::{Bytes, Packet, Slot, Time, UserId};

/// Whose packets wait, in the order in which they came.
#[derive(Clone, Debug)]
pub(super) struct Line {
    config: QueueConfig,
    price: Option<Box<Price>>,
    order: VecDeque<UserId>,
    /// Of whose packet a rest was never sent: the last one that was taken off the line.
    unfinished: Option<UserId>,
}

impl Line {
    /// An empty line.
    pub(super) fn new(config: QueueConfig) -> Self {
        let price = Price::new(&config.price).map(Box::new);
        Self { config, price, order: VecDeque::new(), unfinished: None }
    }

    /// What is left to each user's own queue.
    pub(super) fn of_each(config: QueueConfig) -> QueueConfig {
        QueueConfig { limit_packets: u64::MAX, limit_bytes: Bytes::UNLIMITED, price: PriceConfig::None, ..config }
    }

    /// Whether the limits leave room for `bytes` beside all that is in `buffers`.
    pub(super) fn has_room<P>(&self, bytes: Bytes, buffers: &[UserBuffer<P>]) -> bool {
        self.config.leaves_room(sum(buffers, UserBuffer::held_in_all), sum(buffers, UserBuffer::unsent_in_all), bytes)
    }

    /// Puts a packet that comes to `buffers` into the line, or says that there is no room.
    pub(super) fn enter<P>(&mut self, now: Time, packet: &Packet<P>, buffers: &[UserBuffer<P>]) -> bool {
        if !self.has_room(packet.bytes, buffers) {
            return false;
        }
        self.order.push_back(packet.user);
        if let Some(price) = &mut self.price {
            if sum(buffers, UserBuffer::held_in_all).packets == 0 {
                price.on_busy(now);
            }
            price.on_arrival(now, packet.flow, sum(buffers, UserBuffer::unsent_in_all).bytes + packet.bytes);
        }
        true
    }

    /// Takes the oldest packet off the line, if it is one of `user` and nobody else is still sending the one before.
    pub(super) fn take_turn(&mut self, user: UserId) -> bool {
        let its_turn = self.order.front() == Some(&user) && self.unfinished.is_none_or(|before| before == user);
        if its_turn {
            self.order.pop_front();
        }
        its_turn
    }

    /// Whether a packet of `user` was begun and has a rest that was never sent.
    pub(super) fn set_unfinished(&mut self, user: UserId, has_rest: bool) {
        if has_rest {
            self.unfinished = Some(user);
        } else if self.unfinished == Some(user) {
            self.unfinished = None;
        }
    }

    /// What departing packets carry.
    pub(super) fn price(&mut self) -> Option<&mut Price> {
        self.price.as_deref_mut()
    }

    /// Says who may have `slot`: those who have begun something that can go on, or else who is first in the line.
    pub(super) fn choose<P>(&self, slot: Slot, buffers: &[UserBuffer<P>], eligible: &mut [bool]) {
        for (eligible, buffer) in eligible.iter_mut().zip(buffers) {
            *eligible = buffer.goes_on(slot);
        }
        if let Some(first) = self.order.front().filter(|_| !eligible.contains(&true)) {
            eligible[first.index()] = true;
        }
    }
}

fn sum<P>(buffers: &[UserBuffer<P>], of: impl Fn(&UserBuffer<P>) -> Occupancy) -> Occupancy {
    buffers.iter().map(of).fold(Occupancy::default(), |sum, one| Occupancy {
        packets: sum.packets + one.packets,
        bytes: sum.bytes + one.bytes,
    })
}
