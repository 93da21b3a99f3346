//! A queue that some flows pass on their way to the network, and the wire behind it.
//!
//! To a flow it is a part of its wire: what it refuses is lost on the way, what it holds has not arrived. Its packets come to
//! the network when its wire ends, at one nanosecond after those that come straight from their servers.
//!
//! Left out: impairments, active queue management, series of its occupancy and of its price.

use airlink_model::types::{Bytes, Dropped, Packet, Time};

use crate::hop::Hop;
use crate::payload::Payload;

/// The hop, and each flow's packets in it.
#[derive(Clone)]
pub(crate) struct Upstream {
    hop: Hop,
    /// Packets in the queue or on the wire, by flow.
    held: Vec<u64>,
    sampled: Sampled,
}

/// The queue as those find it that come, themselves included, each weighed by the time since the one before: as its price does.
#[derive(Clone, Copy, Debug)]
struct Sampled {
    came_at: Time,
    byte_seconds: f64,
    seconds: f64,
}

impl Upstream {
    pub(crate) fn new(hop: Hop, flows: usize) -> Self {
        Self { hop, held: vec![0; flows], sampled: Sampled::since(Time::ZERO) }
    }

    /// When the next packet comes out.
    pub(crate) fn poll_timeout(&self) -> Time {
        self.hop.poll_timeout()
    }

    /// Takes a packet in and returns until when it waits or is sent; or gives it back.
    pub(crate) fn push(&mut self, now: Time, packet: Packet<Payload>) -> Result<Time, Dropped<Payload>> {
        self.forget_sent(now);
        let flow = packet.flow.index();
        let duplicated = self.hop.push(now, packet)?;
        assert!(!duplicated, "its wire duplicates nothing");
        self.held[flow] += 1;
        self.sampled.add(now, self.hop.waiting().1);
        Ok(self.hop.held_until())
    }

    /// The next packet that has come out by `now`.
    pub(crate) fn poll_packet(&mut self, now: Time) -> Option<Packet<Payload>> {
        self.forget_sent(now);
        let packet = self.hop.poll_packet(now)?;
        self.held[packet.flow.index()] -= 1;
        Some(packet)
    }

    fn forget_sent(&mut self, now: Time) {
        while self.hop.pop_sent(now).is_some() {}
    }

    /// Packets of a flow that are in the queue or on the wire.
    pub(crate) fn held(&self, flow: usize) -> u64 {
        self.held[flow]
    }

    /// A measurement begins.
    pub(crate) fn start_measuring(&mut self, now: Time) {
        self.sampled = Sampled::since(now);
    }

    /// The mean of the queue since then, bytes; not a number if nobody came.
    pub(crate) fn mean_bytes(&self) -> f64 {
        self.sampled.byte_seconds / self.sampled.seconds
    }
}

impl Sampled {
    const fn since(now: Time) -> Self {
        Self { came_at: now, byte_seconds: 0.0, seconds: 0.0 }
    }

    fn add(&mut self, now: Time, queue: Bytes) {
        let seconds = now.since(self.came_at).as_secs();
        self.byte_seconds += queue.count() as f64 * seconds;
        self.seconds += seconds;
        self.came_at = now;
    }
}
