//! The congestion price of a queue, as the access point of CLAMP computes it ([Andrew08] section 4.1).
//!
//! When a packet comes, I after the one before, and finds the queue with it at Q bytes,
//!   mean <- exp(-I / averaging) mean + (1 - exp(-I / averaging)) Q,
//! and whatever departs then carries
//!   p = max((b mean - a) / rate, 0)   (13),
//! in seconds per byte of rate: a receiver that is sent mu bytes a second weighs tau bytes against p mu. The rate is the one
//! at which the queue drained while there was something to drain. The paper has b = 1 and averages over half a second; how it
//! measures the rate it does not say. Until a rate is known nothing has a price.
//!
//! Where every receiver of k flows weighs the same tau, the mean settles at (k tau + a) / b.
//!
//! It leaves out: how the price is written into a packet's header, a price that several queues add to.

use super::service_rate::ServiceRate;
use crate::types::{Bytes, Duration, Time};

/// How a queue is priced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriceConfig {
    /// a: bytes that have no price, which move the equilibrium.
    pub free_bytes: f64,
    /// b: how much a waiting byte counts, above 0; below pi/2 where it is to be stable.
    pub reactivity: f64,
    /// Time constant of the queue's mean, above 0.
    pub averaging: Duration,
    /// How much time of service the rate remembers, above 0.
    pub rate_memory: Duration,
}

/// The mean of one queue, how fast it drains, and what follows from both.
#[derive(Clone, Debug)]
pub struct Price {
    config: PriceConfig,
    mean_bytes: f64,
    last_arrival: Time,
    rate: ServiceRate,
}

impl Price {
    /// That of an empty queue.
    pub const fn new(config: PriceConfig) -> Self {
        Self { config, mean_bytes: 0.0, last_arrival: Time::ZERO, rate: ServiceRate::new(config.rate_memory) }
    }

    /// A packet came, and the queue is `queue` with it.
    pub fn on_arrival(&mut self, now: Time, queue: Bytes) {
        let interval = now.since(self.last_arrival);
        self.last_arrival = now;
        let kept = libm::exp(-interval.as_secs() / self.config.averaging.as_secs());
        self.mean_bytes = kept * self.mean_bytes + (1.0 - kept) * queue.count() as f64;
    }

    /// A packet came while nothing waited or was in service.
    pub const fn on_busy(&mut self, now: Time) {
        self.rate.on_busy(now);
    }

    /// A packet of `bytes` departs. Those that do at the same time are told one after the other.
    pub fn on_departure(&mut self, now: Time, bytes: Bytes) {
        self.rate.on_departure(now, bytes);
    }

    /// What a packet that departs now carries, s/byte.
    pub fn per_rate(&self) -> f32 {
        let second = Duration::from_millis(1000);
        let rate = self.rate.drained_in(second);
        if rate.is_nan() || rate <= 0.0 {
            return 0.0;
        }
        // The packet has room for single precision; a rate without end makes it 0.
        ((self.config.reactivity * self.mean_bytes - self.config.free_bytes) / rate).max(0.0) as f32
    }

    /// The mean that arrivals have left, bytes.
    pub const fn mean_bytes(&self) -> f64 {
        self.mean_bytes
    }

    /// The rate at which it drains, bytes per second; NaN until something has.
    pub fn service_bytes_per_s(&self) -> f64 {
        self.rate.drained_in(Duration::from_millis(1000))
    }
}
