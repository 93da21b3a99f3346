//! PIE (RFC 8033): refuses or marks arriving packets at random, with a probability that follows the delay.
//!
//! | what | where in the RFC |
//! | --- | --- |
//! | the probability moves every T_UPDATE by alpha (delay - target) + beta (delay - delay before), less the smaller it is | section 4.2 |
//! | the delay is that of the packet that left last, by its own timestamp; an empty queue has none | section 4.3 |
//! | nothing is refused while the delay and the probability are small, with little in the queue, or in a burst after calm | sections 4.1, 4.4 |
//! | with ECN, what can be marked is marked instead, while the probability is low; above, it is refused | section 5.1 |
//! | refusals neither too close nor too far apart; steps of 0.02 at most once it is high: both optional | sections 5.4, 5.5 |
//!
//! Updates lie on the grid of multiples of T_UPDATE and are made up for when a packet comes or leaves, before it: in between
//! nothing happens that they could see.
//!
//! It leaves out: estimating the rate of departures (section 5.2), turning itself off while idle (section 5.3), probabilities by packet size.

use super::Occupancy;
use super::management::{Header, QueueManagement, Verdict};
use crate::types::declare::Section;
use crate::types::{Bytes, CounterStream, Duration, Purpose, Slot, Time, UserId};

/// PIE (RFC 8033): refuses arrivals at random, the more the longer packets wait; not used by the other kinds.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct PieConfig {
    /// QDELAY_REF: the target wait in the queue.
    #[field(
        name = "target_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(15),
        source = "RFC 8033 section 4.2"
    )]
    pub target: Duration,
    /// T_UPDATE: the probability is updated at every multiple of it.
    #[field(
        name = "update_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(15),
        source = "RFC 8033 section 4.2"
    )]
    pub update: Duration,
    /// MAX_BURST: no packet is refused for so long after a quiet period.
    #[field(
        name = "burst_ms",
        unit = "ms",
        at_least = 0,
        at_most = 1e6,
        default = Duration::from_millis(150),
        source = "RFC 8033 section 4.4"
    )]
    pub burst: Duration,
    /// alpha: weight of the wait's deviation from the target.
    #[field(
        name = "alpha_hz",
        unit = "1/s",
        at_least = 0,
        at_most = 1000,
        default = 0.125,
        source = "RFC 8033 appendix A: 1/8"
    )]
    pub alpha: f64,
    /// beta: weight of the wait's change since the last update.
    #[field(
        name = "beta_hz",
        unit = "1/s",
        at_least = 0,
        at_most = 1000,
        default = 1.25,
        source = "RFC 8033 appendix A: 1 + 1/4"
    )]
    pub beta: f64,
    /// MEAN_PKTSIZE: with at most two of these in the queue nothing is refused.
    #[field(
        name = "mean_packet_bytes",
        unit = "bytes",
        at_least = 1,
        at_most = 65_535,
        default = Bytes::new(1500),
        source = "airlink default: a full packet; RFC 8033 gives no value"
    )]
    pub mean_packet: Bytes,
    /// mark_ecnth: with ECN, packets are marked below this probability; from it on they are refused.
    #[field(at_least = 0, at_most = 1, default = 0.1, source = "RFC 8033 section 5.1: 0.1")]
    pub mark_below_probability: f64,
    /// No packet is refused while the sum of probabilities since the last drop is below 0.85; one is refused at 8.5.
    #[field(default = false, source = "airlink default; RFC 8033 section 5.4, optional")]
    pub derandomise: bool,
    /// From a probability of 0.1 on it rises by 0.02 at most in an update.
    #[field(default = false, source = "airlink default; RFC 8033 section 5.5, optional")]
    pub cap_steps: bool,
}

/// Divisors of a step by the probability below which they hold (section 4.2).
const DIVISORS: [(f64, f64); 6] =
    [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];
/// What is left of the probability at an update after which the queue was empty twice (section 4.2).
const DECAY: f64 = 0.98;
/// Below it, and with little delay, nothing is refused (section 4.1).
const LOW_PROBABILITY: f64 = 0.2;
/// The largest step from the probability 0.1 on (section 5.5).
const LARGEST_STEP: f64 = 0.02;
/// The probability that must add up before a packet may be refused, and that at which it must be (section 5.4).
const ACCUMULATED: [f64; 2] = [0.85, 8.5];

/// What moves from update to update.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    probability: f64,
    delay_before: Duration,
    burst_left: Duration,
}

#[derive(Clone, Debug)]
pub(super) struct Pie {
    config: PieConfig,
    /// Packets that can be marked are marked, while the probability is low.
    marks: bool,
    draws: CounterStream,
    arrivals: u64,
    next_update: Time,
    delay: Duration,
    state: State,
    accumulated: f64,
}

impl Pie {
    /// Which packets are refused is drawn from the run's seed.
    pub(super) fn new(config: PieConfig, marks: bool, seed: u64, user: UserId) -> Self {
        Self {
            config,
            marks,
            draws: CounterStream::new(seed, Purpose::Queue, user.index() as u64),
            arrivals: 0,
            next_update: Time::ZERO + config.update,
            delay: Duration::ZERO,
            state: State { probability: 0.0, delay_before: Duration::ZERO, burst_left: Duration::ZERO },
            accumulated: 0.0,
        }
    }

    /// Section 4.1, with section 5.4 if wanted.
    fn refuses(&mut self, waiting: Bytes, uniform: f64) -> bool {
        let State { probability, delay_before, .. } = self.state;
        let is_low = delay_before.as_secs() < self.config.target.as_secs() / 2.0 && probability < LOW_PROBABILITY;
        if is_low || waiting <= self.config.mean_packet + self.config.mean_packet {
            return false;
        }
        if self.config.derandomise {
            self.accumulated = if probability == 0.0 { 0.0 } else { self.accumulated + probability };
            let [least, most] = ACCUMULATED;
            if self.accumulated < least || self.accumulated >= most {
                return self.accumulated >= most;
            }
        }
        uniform < probability
    }

    /// Makes every update that was due by `now`.
    fn catch_up(&mut self, now: Time) {
        while self.next_update <= now {
            let before = self.state;
            self.update();
            self.next_update = self.next_update + self.config.update;
            if self.state == before {
                self.skip_to(now);
            }
        }
    }

    /// An update that changes nothing is followed by others that change nothing.
    fn skip_to(&mut self, now: Time) {
        let period = self.config.update.as_nanos();
        let due = now.since(self.next_update).as_nanos() / period;
        self.next_update = self.next_update + self.config.update * due;
    }

    /// Section 4.2, `calculate_drop_prob`.
    fn update(&mut self) {
        let (delay_s, before_s) = (self.delay.as_secs(), self.state.delay_before.as_secs());
        let deviation = self.config.alpha * (delay_s - self.config.target.as_secs());
        let probability = self.state.probability;
        let divisor = DIVISORS.iter().find(|(below, _)| probability < *below).map_or(1.0, |&(_, divisor)| divisor);
        let mut step = (deviation + self.config.beta * (delay_s - before_s)) / divisor;
        if self.config.cap_steps && probability >= 0.1 {
            step = step.min(LARGEST_STEP);
        }
        let mut next = probability + step;
        if delay_s == 0.0 && before_s == 0.0 {
            next *= DECAY;
        }
        self.state = State {
            probability: next.clamp(0.0, 1.0),
            delay_before: self.delay,
            burst_left: Duration::from_nanos(
                self.state.burst_left.as_nanos().saturating_sub(self.config.update.as_nanos()),
            ),
        };
    }
}

impl QueueManagement for Pie {
    fn on_arrival(&mut self, now: Time, packet: &Header, waiting: Occupancy, _in_service: Occupancy) -> Verdict {
        self.catch_up(now);
        let uniform = self.draws.uniform(Slot::new(self.arrivals));
        self.arrivals += 1;
        let half = self.config.target.as_secs() / 2.0;
        let is_calm = self.delay.as_secs() < half && self.state.delay_before.as_secs() < half;
        if self.state.probability == 0.0 && is_calm {
            self.state.burst_left = self.config.burst;
        }
        if self.state.burst_left > Duration::ZERO || !self.refuses(waiting.bytes, uniform) {
            return Verdict::Pass;
        }
        self.accumulated = 0.0;
        let is_marked = self.marks && packet.ecn.is_capable();
        if is_marked && self.state.probability < self.config.mark_below_probability {
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }

    fn on_refused(&mut self) {
        self.accumulated = 0.0;
    }

    fn on_head(&mut self, now: Time, packet: &Header, behind: Occupancy) -> Verdict {
        self.catch_up(now);
        self.delay = if behind.bytes.is_zero() { Duration::ZERO } else { now.since(packet.queued_at) };
        Verdict::Pass
    }

    fn chooses_drops(&self) -> bool {
        true
    }

    fn boxed_clone(&self) -> Box<dyn QueueManagement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pie(derandomise: bool) -> Pie {
        Pie::new(PieConfig { derandomise, ..PieConfig::default() }, false, 1, UserId::default())
    }

    #[test]
    fn probabilities_add_up_before_a_packet_is_refused_and_until_one_must_be() {
        // A 64th is exact: 55 of them are the first above 0.85, 544 are 8.5. Whatever was drawn before and from then on.
        for (uniform, expected) in [(0.0, 55), (0.999, 544)] {
            let mut pie = pie(true);
            pie.state.probability = 1.0 / 64.0;
            pie.state.delay_before = Duration::from_millis(15);
            let refused = (1..1000).find(|_| pie.refuses(Bytes::new(10_000), uniform));
            assert_eq!(refused, Some(expected));
        }
    }

    #[test]
    fn the_probability_moves_as_by_hand() {
        let mut pie = pie(false);
        // Delays at the updates, and the step: alpha (delay - 15 ms) + beta (delay - the one before), over the divisor.
        let mut expected = 0.0;
        for (delay_ms, step) in [
            (40, (0.125 * 0.025 + 1.25 * 0.040) / 2048.0), // 2.6e-5
            (100, (0.125 * 0.085 + 1.25 * 0.060) / 128.0), // 7.0e-4
            (100, (0.125 * 0.085) / 32.0),                 // 1.03e-3
            (200, (0.125 * 0.185 + 1.25 * 0.100) / 8.0),   // 0.0195
            (300, (0.125 * 0.285 + 1.25 * 0.100) / 2.0),   // 0.0998
            (320, (0.125 * 0.305 + 1.25 * 0.020) / 2.0),   // 0.131
            (320, 0.125 * 0.305),                          // 0.17
            (0, -0.125 * 0.015 - 1.25 * 0.320),            // below 0
        ] {
            pie.delay = Duration::from_millis(delay_ms);
            pie.update();
            expected = f64::max(expected + step, 0.0);
            assert!((pie.state.probability - expected).abs() < 1e-12, "{delay_ms}: {:?} for {expected}", pie.state);
        }
        // Of a probability that is high, two updates without delay leave less: a step down, and the second decays.
        pie.state.probability = 0.5;
        pie.update();
        assert!((pie.state.probability - (0.5 - 0.001_875) * 0.98).abs() < 1e-12, "{:?}", pie.state);
        // A step that section 5.5 caps: 0.125 x 0.985 + 1.25 x 1 would be 1.37.
        pie.config.cap_steps = true;
        pie.state.probability = 0.1;
        pie.delay = Duration::from_millis(1000);
        pie.update();
        assert!((pie.state.probability - 0.12).abs() < 1e-12, "{:?}", pie.state);
    }
}
