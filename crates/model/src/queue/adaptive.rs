//! A limit that sizes itself: so many bytes as the user's link drains in a target time.
//!
//! limit = max(floor, target x rate), where rate is what leaves the queue per second of service, forgotten exponentially: at
//! each departure for the RLC, and when nothing is left there either, which took the user's link d since the one before, or since
//! the queue was empty,
//!
//! bytes <- exp(-d / memory) bytes + those that leave, busy <- exp(-d / memory) busy + d, rate = bytes / busy.
//!
//! The idea is that of eBDP ([Li11] section IV), whose limit is a target over the mean time that serves a packet, plus a few packets.
//! Here it is in bytes, and the mean is over time, so that several packets in a slot and packets of several sizes count as
//! what they are. Time in which nothing waited and nothing was in service counts for nothing: the rate is kept over it. Until a
//! target's time of service has been seen, there is no limit of its own.
//!
//! It leaves out: a limit that follows how often the link idles (A* of [Li11]), anything about how many flows share the queue.

use crate::types::{Bytes, Duration, Time};

/// How a limit follows the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveConfig {
    /// What a full queue should take to drain; above 0.
    pub target: Duration,
    /// How much time of service the rate remembers; above 0.
    pub memory: Duration,
    /// The least limit.
    pub floor: Bytes,
}

#[derive(Clone, Debug)]
pub(super) struct Adaptive {
    config: AdaptiveConfig,
    /// When something last left, or when something came into an empty queue after that.
    busy_since: Time,
    /// Of service, in all.
    seen: Duration,
    bytes: f64,
    busy_s: f64,
    limit: Bytes,
}

impl Adaptive {
    pub(super) fn new(config: AdaptiveConfig) -> Self {
        Self { config, busy_since: Time::ZERO, seen: Duration::ZERO, bytes: 0.0, busy_s: 0.0, limit: Bytes::UNLIMITED }
    }

    /// What may wait or be in service.
    pub(super) fn limit(&self) -> Bytes {
        self.limit
    }

    /// A packet came while nothing waited or was in service.
    pub(super) fn on_busy(&mut self, now: Time) {
        self.busy_since = now;
    }

    /// The last packet left the RLC and nothing waits: its time on air was service too.
    pub(super) fn on_idle(&mut self, now: Time) {
        self.serve_until(now);
    }

    fn serve_until(&mut self, now: Time) {
        let busy = now.since(self.busy_since);
        let kept = libm::exp(-busy.as_secs() / self.config.memory.as_secs());
        self.bytes *= kept;
        self.busy_s = self.busy_s * kept + busy.as_secs();
        self.seen += busy;
        self.busy_since = now;
    }

    /// A packet of `bytes` left for the RLC.
    pub(super) fn on_pop(&mut self, now: Time, bytes: Bytes) {
        self.serve_until(now);
        self.bytes += bytes.count() as f64;
        if self.seen >= self.config.target {
            let drained = self.config.target.as_secs() * self.bytes / self.busy_s;
            // To the nearest byte; a rate without end saturates.
            self.limit = Bytes::new((drained + 0.5) as u64).max(self.config.floor);
        }
    }
}
