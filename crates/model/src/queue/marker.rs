//! What a queue adds to the marks of packets that leave it, beside CE: the one rule there is so far is a price (`price.rs`).
//!
//! A queue reports who comes, when it was idle and who leaves. What it adds is a number whose meaning the rule and the receivers
//! share: queues only add it up.

use super::price::{Price, PriceConfig};
use crate::types::{Bytes, FlowId, MarkRecord, Packet, Time, UserId};

/// The rule by which a queue adds to packets' marks, and what it has seen of its queue.
#[derive(Clone, Debug)]
pub struct Marker(Price);

impl Marker {
    /// The marker of an empty queue; none if nothing is added.
    pub fn new(config: &PriceConfig) -> Option<Self> {
        Price::new(config).map(Self)
    }

    /// A packet of `flow` came, and the queue is `queue` with it.
    pub fn on_arrival(&mut self, now: Time, flow: FlowId, queue: Bytes) {
        self.0.on_arrival(now, flow, queue);
    }

    /// A packet came while nothing waited or was in service.
    pub const fn on_busy(&mut self, now: Time) {
        self.0.on_busy(now);
    }

    /// A packet of `bytes` departs that came at `queued_at`. Departures at the same time are counted one by one.
    pub fn on_departure(&mut self, now: Time, queued_at: Time, bytes: Bytes) {
        self.0.on_departure(now, queued_at, bytes);
    }

    /// What is added to the marks of a packet that departs now.
    pub fn addition(&self) -> f32 {
        self.0.per_rate()
    }

    /// Marks a packet that departs now, and returns what was added.
    pub fn mark_departing<P>(&mut self, now: Time, packet: &mut Packet<P>) -> f32 {
        self.on_departure(now, packet.queued_at, packet.bytes);
        let addition = self.addition();
        packet.marks.add(addition);
        addition
    }

    /// The record of a packet that left at `at` and to whose marks `addition` was added, with the current terms of the rule.
    pub fn record(&self, at: Time, (user, flow): (UserId, FlowId), addition: f32) -> MarkRecord {
        MarkRecord {
            at,
            user,
            flow,
            mean_bytes: self.0.mean_bytes(),
            free_bytes: self.0.free_bytes(),
            service_bytes_per_s: self.0.service_bytes_per_s(),
            addition,
        }
    }
}
