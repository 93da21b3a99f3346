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
//! Where every receiver of k flows weighs the same tau, the mean settles at (k tau + a) / b. a is a constant in the paper; here
//! it may also take off what each flow adds, or follow a target wait, which the paper leaves open.
//!
//! It leaves out: how the price is written into a packet's header.

use super::measured_price::MeasuredPriceConfig;
use super::recent_flows::RecentFlows;
use super::service_rate::ServiceRate;
use super::wait_target::{ClampDelayPriceConfig, WaitTarget};
use crate::types::declare::Section;
use crate::types::{Bytes, Duration, FlowId, Time};

/// The queue's price, which departing packets carry to receivers.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "Price")]
pub enum PriceConfig {
    /// Packets carry no price.
    #[section(class = "NoPrice", about = "No price")]
    None,
    /// Departing packets carry max((b mean - a) / rate, 0), the mean taken of the queue as arrivals find it.
    ///
    /// With `per_flow_bytes` a is less by that for each active flow: q* = (k (tau - per_flow_bytes) + a) / b.
    #[section(class = "ClampPrice", about = "The price of CLAMP's access point, eq. (13) of [Andrew08]")]
    Clamp(ClampPriceConfig),
    /// CLAMP's price, with an a that moves until the mean wait of packets is `target_ms`.
    ///
    /// A packet of s bytes that leaves after a wait of W adds speed_hz s (target - W) to a.
    #[section(
        class = "ClampDelayPrice",
        about = "CLAMP's price with an a that holds a mean wait ([Andrew08], sections 5.9 and 6)"
    )]
    ClampDelay(ClampDelayPriceConfig),
}

/// A price whose a is constant, or falls with the number of flows.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct ClampPriceConfig {
    /// What it measures of its queue.
    #[field(group)]
    pub measured: MeasuredPriceConfig,
    /// a: bytes of queue that have no price.
    #[field(unit = "bytes", at_least = 0, at_most = 1e12, default = 5500.0, source = "[Andrew08], Fig. 2: 5500")]
    pub free_a_bytes: f64,
    /// Decrease of a for each active flow; if it equals tau, the queue settles at a / b for any number of flows.
    #[field(
        unit = "bytes",
        at_least = 0,
        at_most = 1e12,
        default = 0.0,
        source = "airlink default: nothing, as [Andrew08], which leaves it open (section 3.2)"
    )]
    pub per_flow_bytes: f64,
    /// A flow counts as active for so long after its last packet arrived.
    #[field(
        name = "flow_memory_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(1000),
        source = "airlink default: a few round trips"
    )]
    pub flow_memory: Duration,
}

/// One queue's mean length and service rate, and the price that follows from them.
#[derive(Clone, Debug)]
pub(super) struct Price {
    gain_b: f64,
    averaging: Duration,
    free: Free,
    mean_bytes: f64,
    last_arrival: Time,
    rate: ServiceRate,
}

impl Price {
    /// The price of an empty queue; none if packets carry no price.
    pub(super) fn new(config: &PriceConfig) -> Option<Self> {
        let (free, measured) = match *config {
            PriceConfig::None => return None,
            PriceConfig::Clamp(config) => (Free::of(&config), config.measured),
            PriceConfig::ClampDelay(config) => (Free::WaitTarget(WaitTarget::new(config)), config.measured),
        };
        let MeasuredPriceConfig { gain_b, averaging, rate_memory } = measured;
        let rate = ServiceRate::new(rate_memory);
        Some(Self { gain_b, averaging, free, mean_bytes: 0.0, last_arrival: Time::ZERO, rate })
    }

    /// A packet of `flow` came, and the queue is `queue` with it.
    pub(super) fn on_arrival(&mut self, now: Time, flow: FlowId, queue: Bytes) {
        let interval = now.since(self.last_arrival);
        self.last_arrival = now;
        let kept = libm::exp(-interval.as_secs() / self.averaging.as_secs());
        self.mean_bytes = kept * self.mean_bytes + (1.0 - kept) * queue.count() as f64;
        if let Free::PerFlow { flows, .. } = &mut self.free {
            flows.on_arrival(now, flow);
        }
    }

    /// A packet came while nothing waited or was in service.
    pub(super) const fn on_busy(&mut self, now: Time) {
        self.rate.on_busy(now);
    }

    /// A packet of `bytes` departs that came at `queued_at`. Departures at the same time are counted one by one.
    pub(super) fn on_departure(&mut self, now: Time, queued_at: Time, bytes: Bytes) {
        self.rate.on_departure(now, bytes);
        let is_priced = self.priced_bytes() > 0.0;
        match &mut self.free {
            Free::Constant(_) => {}
            Free::PerFlow { flows, .. } => flows.forget(now),
            Free::WaitTarget(target) => target.on_departure(now, queued_at, bytes, is_priced),
        }
    }

    /// The price of a packet that departs now, s/byte.
    pub(super) fn per_rate(&self) -> f32 {
        let rate = self.service_bytes_per_s();
        if rate.is_nan() || rate <= 0.0 {
            return 0.0;
        }
        // The packet has room for single precision; a rate without end makes it 0.
        (self.priced_bytes() / rate).max(0.0) as f32
    }

    /// b mean - a.
    fn priced_bytes(&self) -> f64 {
        self.gain_b * self.mean_bytes - self.free_bytes()
    }

    /// The mean queue as of the last arrival, bytes.
    pub(super) const fn mean_bytes(&self) -> f64 {
        self.mean_bytes
    }

    /// The current a, bytes.
    pub(super) fn free_bytes(&self) -> f64 {
        match &self.free {
            Free::Constant(bytes) => *bytes,
            Free::PerFlow { bytes, per_flow_bytes, flows } => bytes - f64::from(flows.count()) * per_flow_bytes,
            Free::WaitTarget(target) => target.bytes(),
        }
    }

    /// The service rate, bytes per second; NaN before the first departure.
    pub(super) fn service_bytes_per_s(&self) -> f64 {
        self.rate.drained_in(Duration::from_millis(1000))
    }
}

/// The term a of the price, and its rule.
#[derive(Clone, Debug)]
enum Free {
    Constant(f64),
    PerFlow { bytes: f64, per_flow_bytes: f64, flows: RecentFlows },
    WaitTarget(WaitTarget),
}

impl Free {
    const fn of(config: &ClampPriceConfig) -> Self {
        let ClampPriceConfig { free_a_bytes: bytes, per_flow_bytes, flow_memory, .. } = *config;
        if per_flow_bytes == 0.0 {
            return Self::Constant(bytes);
        }
        Self::PerFlow { bytes, per_flow_bytes, flows: RecentFlows::new(flow_memory) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// What is charged for after packets of 1000 bytes that came to 4000 each 100 ms, of flows by turns, and left after 50 ms.
    fn charged(config: PriceConfig, flows: &[usize]) -> Vec<f64> {
        let mut price = Price::new(&config).expect("a price");
        let mut prices = Vec::new();
        for (number, flow) in (0..).zip(flows) {
            price.on_arrival(at(100 * number), FlowId::new(*flow), Bytes::new(4000));
            price.on_busy(at(100 * number));
            price.on_departure(at(100 * number + 50), at(100 * number), Bytes::new(1000));
            assert!((price.service_bytes_per_s() - 20_000.0).abs() < 1e-6);
            prices.push(f64::from(price.per_rate()) * 20_000.0);
        }
        prices
    }

    #[test]
    fn equation_13_by_hand() {
        // mean 0, then 4000 (1 - e^(-0.2 n)); twice that, less a.
        let by_hand = |a: f64| [-a, 1_450.153_97 - a, 2_637.439_63 - a, 3_609.506_91 - a].map(|bytes| bytes.max(0.0));
        let close = |prices: &[f64], by_hand: &[f64]| {
            prices.len() == by_hand.len()
                && prices.iter().zip(by_hand).all(|(prices, by_hand)| (prices - by_hand).abs() < 1e-3)
        };
        let memory = Duration::from_millis(500);
        let measured = MeasuredPriceConfig { gain_b: 2.0, averaging: memory, rate_memory: memory };
        let clamp = ClampPriceConfig { measured, free_a_bytes: 2000.0, ..ClampPriceConfig::default() };
        let constant = charged(PriceConfig::Clamp(clamp), &[0; 4]);
        assert!(close(&constant, &by_hand(2000.0)), "{constant:?}");

        let flow_memory = Duration::from_millis(160);
        let per_flow = ClampPriceConfig { per_flow_bytes: 400.0, flow_memory, ..clamp };
        let prices = charged(PriceConfig::Clamp(per_flow), &[0, 1, 1, 1]);
        let counted = [1.0, 2.0, 1.0, 1.0].map(|flows| 2000.0 - 400.0 * flows);
        let hand = [0, 1, 2, 3].map(|step| by_hand(counted[step])[step]);
        assert!(close(&prices, &hand), "{prices:?} for {hand:?}");

        let follows = ClampDelayPriceConfig {
            measured,
            target: Duration::from_millis(30),
            speed_hz: 10.0,
            initial_free_a_bytes: 2000.0,
            least_free_a_bytes: 0.0,
            most_free_a_bytes: 1e4,
            hold: Duration::from_millis(1000),
            ..ClampDelayPriceConfig::default()
        };
        // Each packet waits 20 ms too long and takes 10 x 1000 x 0.02 bytes off a before it is charged.
        let prices = charged(PriceConfig::ClampDelay(follows), &[0; 4]);
        let hand = [0, 1, 2, 3].map(|step| by_hand(1800.0 - 200.0 * step as f64)[step]);
        assert!(close(&prices, &hand), "{prices:?} for {hand:?}");
    }
}
