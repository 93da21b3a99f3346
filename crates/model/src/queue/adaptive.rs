//! A limit that sizes itself: so many bytes as the user's link drains in a target time.
//!
//! limit = max(floor, target x rate), with the rate of [`ServiceRate`]: at each departure for the RLC, and when nothing is left
//! there either.
//!
//! The idea is that of eBDP ([Li11] section IV), whose limit is a target over the mean time that serves a packet, plus a few packets.
//! Here it is in bytes, and the mean is over time. Until a target's time of service has been seen, there is no limit of its own.
//!
//! It leaves out: a limit that follows how often the link idles (A* of [Li11]), anything about how many flows share the queue.

use super::Occupancy;
use super::management::{Header, QueueManagement, Verdict};
use super::service_rate::ServiceRate;
use crate::types::declare::Section;
use crate::types::{Bytes, Duration, Time};

/// A limit in bytes that follows the rate at which the user's queue drains; not used by the other kinds.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct AdaptiveConfig {
    /// The limit is what drains in this time; about a round trip keeps the link full.
    #[field(
        name = "target_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(100),
        source = "airlink default; eBDP [Li11]: 200"
    )]
    pub target: Duration,
    /// How much time of service the rate remembers.
    #[field(
        name = "memory_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(1000),
        source = "airlink default: a second, 1000 packets of 1500 bytes at 12 Mb/s; eBDP [Li11] remembers 1000 packets"
    )]
    pub memory: Duration,
    /// The least limit; at least the largest packet.
    #[field(
        name = "floor_bytes",
        unit = "bytes",
        at_least = 1,
        at_most = 1e15,
        default = Bytes::new(7500),
        source = "airlink default: five full packets, which eBDP [Li11] adds to its limit"
    )]
    pub floor: Bytes,
}

#[derive(Clone, Debug)]
pub(super) struct Adaptive {
    config: AdaptiveConfig,
    rate: ServiceRate,
    limit: Bytes,
}

impl Adaptive {
    pub(super) const fn new(config: AdaptiveConfig) -> Self {
        Self { config, rate: ServiceRate::new(config.memory), limit: Bytes::UNLIMITED }
    }
}

impl QueueManagement for Adaptive {
    fn limit(&self) -> Bytes {
        self.limit
    }

    fn on_arrival(&mut self, now: Time, _packet: &Header, waiting: Occupancy, in_service: Occupancy) -> Verdict {
        if waiting.packets + in_service.packets == 0 {
            self.rate.on_busy(now);
        }
        Verdict::Pass
    }

    fn on_head(&mut self, now: Time, packet: &Header, _behind: Occupancy) -> Verdict {
        self.rate.on_departure(now, packet.bytes);
        if self.rate.seen() >= self.config.target {
            // To the nearest byte; a rate without end saturates.
            let drained = self.rate.drained_in(self.config.target) + 0.5;
            self.limit = Bytes::new(drained as u64).max(self.config.floor);
        }
        Verdict::Pass
    }

    /// The last packet's time on air was service, too.
    fn on_idle(&mut self, now: Time) {
        self.rate.serve_until(now);
    }

    fn boxed_clone(&self) -> Box<dyn QueueManagement> {
        Box::new(self.clone())
    }
}
