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
//! Where every receiver of k flows weighs the same tau, the mean settles at (k tau + a) / b. What is a ([`FreeConfig`]) is a
//! constant in the paper; here it may also take off what each flow adds, or follow a target wait, which the paper leaves open.
//!
//! It leaves out: how the price is written into a packet's header.

use super::recent_flows::RecentFlows;
use super::service_rate::ServiceRate;
use super::wait_target::{WaitTarget, WaitTargetConfig};
use crate::types::{Bytes, Duration, FlowId, Priced, Time, UserId};

/// How a queue is priced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriceConfig {
    /// a: bytes that have no price, which move the equilibrium.
    pub free: FreeConfig,
    /// b: how much a waiting byte counts, above 0; below pi/2 where it is to be stable.
    pub reactivity: f64,
    /// Time constant of the queue's mean, above 0.
    pub averaging: Duration,
    /// How much time of service the rate remembers, above 0.
    pub rate_memory: Duration,
}

/// What a is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FreeConfig {
    /// Always so many bytes.
    Constant {
        /// a.
        bytes: f64,
    },
    /// So many bytes, less a part for each flow: the mean settles at (k (tau - part) + bytes) / b.
    PerFlow {
        /// a where no flow is.
        bytes: f64,
        /// What each flow takes off; with tau, the equilibrium is the same for any number of flows.
        per_flow_bytes: f64,
        /// A flow counts for so long after a packet of it came; above 0.
        memory: Duration,
    },
    /// Whatever makes packets wait so long on average.
    WaitTarget(WaitTargetConfig),
}

/// The mean of one queue, how fast it drains, and what follows from both.
#[derive(Clone, Debug)]
pub struct Price {
    config: PriceConfig,
    free: Free,
    mean_bytes: f64,
    last_arrival: Time,
    rate: ServiceRate,
}

impl Price {
    /// That of an empty queue.
    pub const fn new(config: PriceConfig) -> Self {
        let rate = ServiceRate::new(config.rate_memory);
        Self { config, free: Free::new(config.free), mean_bytes: 0.0, last_arrival: Time::ZERO, rate }
    }

    /// A packet of `flow` came, and the queue is `queue` with it.
    pub fn on_arrival(&mut self, now: Time, flow: FlowId, queue: Bytes) {
        let interval = now.since(self.last_arrival);
        self.last_arrival = now;
        let kept = libm::exp(-interval.as_secs() / self.config.averaging.as_secs());
        self.mean_bytes = kept * self.mean_bytes + (1.0 - kept) * queue.count() as f64;
        if let Free::PerFlow { flows, .. } = &mut self.free {
            flows.on_arrival(now, flow);
        }
    }

    /// A packet came while nothing waited or was in service.
    pub const fn on_busy(&mut self, now: Time) {
        self.rate.on_busy(now);
    }

    /// A packet of `bytes` departs that came at `queued_at`. Those that do at the same time are told one after the other.
    pub fn on_departure(&mut self, now: Time, queued_at: Time, bytes: Bytes) {
        self.rate.on_departure(now, bytes);
        let is_priced = self.priced_bytes() > 0.0;
        match &mut self.free {
            Free::Constant(_) => {}
            Free::PerFlow { flows, .. } => flows.forget(now),
            Free::WaitTarget(target) => target.on_departure(now, queued_at, bytes, is_priced),
        }
    }

    /// What a packet that departs now carries, s/byte.
    pub fn per_rate(&self) -> f32 {
        let rate = self.service_bytes_per_s();
        if rate.is_nan() || rate <= 0.0 {
            return 0.0;
        }
        // The packet has room for single precision; a rate without end makes it 0.
        (self.priced_bytes() / rate).max(0.0) as f32
    }

    /// b mean - a.
    fn priced_bytes(&self) -> f64 {
        self.config.reactivity * self.mean_bytes - self.free_bytes()
    }

    /// What a packet was told that left at `at`, beside what the price is made of now.
    pub fn told(&self, at: Time, (user, flow): (UserId, FlowId), per_rate: f32) -> Priced {
        let (mean_bytes, free_bytes) = (self.mean_bytes, self.free_bytes());
        Priced { at, user, flow, mean_bytes, free_bytes, service_bytes_per_s: self.service_bytes_per_s(), per_rate }
    }

    /// The mean that arrivals have left, bytes.
    pub const fn mean_bytes(&self) -> f64 {
        self.mean_bytes
    }

    /// a as it is now, bytes.
    pub fn free_bytes(&self) -> f64 {
        match &self.free {
            Free::Constant(bytes) => *bytes,
            Free::PerFlow { bytes, per_flow_bytes, flows } => bytes - f64::from(flows.count()) * per_flow_bytes,
            Free::WaitTarget(target) => target.bytes(),
        }
    }

    /// The rate at which it drains, bytes per second; NaN until something has.
    pub fn service_bytes_per_s(&self) -> f64 {
        self.rate.drained_in(Duration::from_millis(1000))
    }
}

/// a, and what it follows.
#[derive(Clone, Debug)]
enum Free {
    Constant(f64),
    PerFlow { bytes: f64, per_flow_bytes: f64, flows: RecentFlows },
    WaitTarget(WaitTarget),
}

impl Free {
    const fn new(config: FreeConfig) -> Self {
        match config {
            FreeConfig::Constant { bytes } => Self::Constant(bytes),
            FreeConfig::PerFlow { bytes, per_flow_bytes, memory } => {
                Self::PerFlow { bytes, per_flow_bytes, flows: RecentFlows::new(memory) }
            }
            FreeConfig::WaitTarget(target) => Self::WaitTarget(WaitTarget::new(target)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// What is charged for after packets of 1000 bytes that came to 4000 each 100 ms, of flows by turns, and left after 50 ms.
    fn charged(free: FreeConfig, flows: &[usize]) -> Vec<f64> {
        let memory = Duration::from_millis(500);
        let mut price = Price::new(PriceConfig { free, reactivity: 2.0, averaging: memory, rate_memory: memory });
        let mut told = Vec::new();
        for (number, flow) in (0..).zip(flows) {
            price.on_arrival(at(100 * number), FlowId::new(*flow), Bytes::new(4000));
            price.on_busy(at(100 * number));
            price.on_departure(at(100 * number + 50), at(100 * number), Bytes::new(1000));
            assert!((price.service_bytes_per_s() - 20_000.0).abs() < 1e-6);
            told.push(f64::from(price.per_rate()) * 20_000.0);
        }
        told
    }

    #[test]
    fn equation_13_by_hand() {
        // mean 0, then 4000 (1 - e^(-0.2 n)); twice that, less a.
        let by_hand = |a: f64| [-a, 1_450.153_97 - a, 2_637.439_63 - a, 3_609.506_91 - a].map(|bytes| bytes.max(0.0));
        let close = |told: &[f64], by_hand: &[f64]| {
            told.len() == by_hand.len() && told.iter().zip(by_hand).all(|(told, by_hand)| (told - by_hand).abs() < 1e-3)
        };
        let constant = charged(FreeConfig::Constant { bytes: 2000.0 }, &[0; 4]);
        assert!(close(&constant, &by_hand(2000.0)), "{constant:?}");

        let memory = Duration::from_millis(160);
        let per_flow = FreeConfig::PerFlow { bytes: 2000.0, per_flow_bytes: 400.0, memory };
        let told = charged(per_flow, &[0, 1, 1, 1]);
        let counted = [1.0, 2.0, 1.0, 1.0].map(|flows| 2000.0 - 400.0 * flows);
        let hand = [0, 1, 2, 3].map(|step| by_hand(counted[step])[step]);
        assert!(close(&told, &hand), "{told:?} for {hand:?}");

        let (target, hold) = (Duration::from_millis(30), Duration::from_millis(1000));
        let (least_bytes, most_bytes) = (0.0, 1e4);
        let follows = WaitTargetConfig { target, speed_hz: 10.0, initial_bytes: 2000.0, least_bytes, most_bytes, hold };
        // Each packet waits 20 ms too long and takes 10 x 1000 x 0.02 bytes off a before it is charged.
        let told = charged(FreeConfig::WaitTarget(follows), &[0; 4]);
        let hand = [0, 1, 2, 3].map(|step| by_hand(1800.0 - 200.0 * step as f64)[step]);
        assert!(close(&told, &hand), "{told:?} for {hand:?}");
    }
}
