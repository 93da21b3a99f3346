//! How fast a queue drains while there is something to drain: bytes per second of service, forgotten exponentially.
//!
//! Each departure took the link d of service, and moved so many bytes:
//!
//! bytes <- exp(-d / memory) bytes + those that leave, busy <- exp(-d / memory) busy + d, rate = bytes / busy.
//!
//! The mean is over time, so that several packets in a slot and packets of several sizes count as what they are. Time in which
//! nothing waited and nothing was in service counts for nothing: the rate is kept over it.

use crate::types::{Bytes, Duration, Time};

#[derive(Clone, Debug)]
pub(super) struct ServiceRate {
    /// How much time of service is remembered; above 0.
    memory: Duration,
    /// When something last left, or when something came into an empty queue after that.
    busy_since: Time,
    /// Of service, in all.
    seen: Duration,
    bytes: f64,
    busy_s: f64,
}

impl ServiceRate {
    pub(super) const fn new(memory: Duration) -> Self {
        Self { memory, busy_since: Time::ZERO, seen: Duration::ZERO, bytes: 0.0, busy_s: 0.0 }
    }

    /// A packet came while nothing waited or was in service.
    pub(super) const fn on_busy(&mut self, now: Time) {
        self.busy_since = now;
    }

    /// Something leaves, or the last of it did: the time until now was service.
    pub(super) fn serve_until(&mut self, now: Time) {
        let busy = now.since(self.busy_since);
        let kept = libm::exp(-busy.as_secs() / self.memory.as_secs());
        self.bytes *= kept;
        self.busy_s = self.busy_s * kept + busy.as_secs();
        self.seen += busy;
        self.busy_since = now;
    }

    /// A packet of `bytes` leaves.
    pub(super) fn on_departure(&mut self, now: Time, bytes: Bytes) {
        self.serve_until(now);
        self.bytes += bytes.count() as f64;
    }

    /// Time of service so far.
    pub(super) const fn seen(&self) -> Duration {
        self.seen
    }

    /// Bytes that `time` of service drains.
    pub(super) fn drained_in(&self, time: Duration) -> f64 {
        time.as_secs() * self.bytes / self.busy_s
    }
}
