//! The client of CLAMP ([Andrew08] sections 4.2 and 4.3): a window that follows the price of the queues on the path.
//!
//! The paper's client is the receiver (`at_receiver.rs`): it advertises min(w, what its buffer has room for), whatever the
//! sender's congestion control would like to send. With prices echoed in ACKs the sender is one as well (`at_sender.rs`). Both
//! use what is here. When s bytes of queue with price p have arrived at t_k, in this order:
//!   rate    mu = sum of s_i over i = k - n .. k / (t_k - t_(k-n)), n = min(k - 1, `rate_packets`); 0 for the first      (15)
//!   delay   d <- (1 - beta) d + beta W / mu, W the window in force                                                  (16)
//!   change  w <- w + (tau - p mu) / d (t_k - t_(k-1)), at most `most_increase`, at least -s                            (14)
//! The sum of (15) has one packet more than there are intervals, which the paper shows by its first values; so a rate over few
//! packets is too high. d starts as the time from the opening to the first packet; where there was none, as the first W / mu.
//!
//! Slow start, once, from the first packet: w <- w + MSS for each instead of (14), until (14) would lower it or a third
//! duplicate ACK shows a loss; then w <- w / 2. It also ends, at what it has reached, at `slow_start_threshold`. w is never
//! below a segment.
//!
//! Left out: a price that is itself lost.

mod at_receiver;
mod at_sender;

use std::collections::VecDeque;

use crate::types::declare::{Section, Words};
use crate::types::{Bytes, Time};

pub(super) use at_receiver::ReceiverClamp;
pub(super) use at_sender::SenderClamp;

/// Duplicate ACKs in a row that end slow start ([Andrew08] section 4.3).
const DUPLICATES_OF_A_LOSS: u32 = 3;

/// Which end's window follows the price of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum ClampSide {
    /// The window that the receiver advertises: CLAMP's client.
    Receiver,
    /// A window of the sender's, which hears prices in ACKs.
    Sender,
}

/// A window is at most one that follows the price of the queue, eqs (14) to (17).
///
/// Its constants are those of [Andrew08].
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "Clamp")]
pub struct ClampConfig {
    /// "receiver": the window advertised is at most one that follows the price of the queue, CLAMP's client. "sender":
    /// receivers echo prices in ACKs, and the sender sends at most the least of cwnd, what is advertised and w (airlink:
    /// not in [Andrew08]). Both need a queue with a price.
    #[field(default = ClampSide::Receiver, source = "[Andrew08]")]
    pub side: ClampSide,
    /// tau: growth of the window in a round trip at price 0.
    #[field(unit = "bytes", above = 0, at_most = 1e12, default = 500.0, source = "[Andrew08]: 500")]
    pub tau_bytes: f64,
    /// alpha: packets, at the sender ACKs, that the measured rate is a mean over, at most.
    #[field(unit = "packets", at_least = 1, at_most = 100_000, default = 1000, source = "[Andrew08]: 1000")]
    pub rate_packets: usize,
    /// beta: weight of the newest round trip in the measured one.
    #[field(above = 0, at_most = 1, default = 0.001, source = "[Andrew08]: 0.001")]
    pub delay_weight: f64,
    /// Most that one packet (at the sender: one ACK) adds to the window outside slow start.
    #[field(name = "most_increase_bytes", unit = "bytes", at_least = 1, at_most = 1e12, default = Bytes::new(10_000), source = "[Andrew08]: 10 kB, read as 10 000")]
    pub most_increase: Bytes,
    /// The window from which its slow start does not go on.
    #[field(name = "slow_start_threshold_bytes", unit = "bytes", at_least = 1, at_most = 1e12, infinite, default = Bytes::UNLIMITED, source = "[Andrew08]: not reached")]
    pub slow_start_threshold: Bytes,
}

/// Packets that have arrived, or of which that is heard.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Time,
    packets: u64,
    /// Theirs, as queues count them.
    bytes: Bytes,
    /// In s per byte of rate.
    price: f64,
    /// The window in force until now, bytes.
    held_to: u64,
    shows_loss: bool,
}

/// The window of one connection and what it follows from.
#[derive(Clone, Debug)]
struct PricedWindow {
    config: ClampConfig,
    mss: f64,
    window: f64,
    opened_at: Option<Time>,
    /// When each of the last arrivals was, and its bytes.
    arrivals: VecDeque<(Time, u64)>,
    /// Their bytes.
    recent_bytes: u64,
    delay_s: Option<f64>,
    is_slow_start: bool,
}

impl PricedWindow {
    fn new(config: ClampConfig, mss: Bytes) -> Self {
        assert!(config.rate_packets >= 1, "a rate takes an interval");
        let mss = mss.count() as f64;
        Self {
            config,
            mss,
            window: mss,
            opened_at: None,
            arrivals: VecDeque::new(),
            recent_bytes: 0,
            delay_s: None,
            is_slow_start: true,
        }
    }

    /// The other end is asked for what will arrive first; only the first time counts.
    fn on_open(&mut self, now: Time) {
        self.opened_at.get_or_insert(now);
    }

    fn on_arrival(&mut self, arrival: &Arrival) {
        let elapsed_s = self.arrivals.back().map_or(0.0, |(before, _)| arrival.at.since(*before).as_secs());
        let rate = self.measure_rate(arrival.at, arrival.bytes);
        self.measure_delay(arrival, rate);
        let change = match self.delay_s {
            // Where no time has passed the rate may be infinite.
            Some(delay_s) if delay_s > 0.0 && elapsed_s > 0.0 => {
                (self.config.tau_bytes - arrival.price * rate) / delay_s * elapsed_s
            }
            _ => 0.0,
        };
        if !self.is_slow_start {
            let least = -(arrival.bytes.count() as f64);
            self.window += change.min(self.config.most_increase.count() as f64).max(least);
        } else if change < 0.0 || arrival.shows_loss {
            self.end_slow_start();
        } else if self.window < self.config.slow_start_threshold.count() as f64 {
            self.window += self.mss * arrival.packets as f64;
        } else {
            self.is_slow_start = false;
        }
        self.window = self.window.max(self.mss);
    }

    /// What has shown now is of a round trip ago, when the window was half.
    fn end_slow_start(&mut self) {
        if self.is_slow_start {
            self.is_slow_start = false;
            self.window = (self.window / 2.0).max(self.mss);
        }
    }

    /// (15), bytes per second; infinite where packets came at once.
    fn measure_rate(&mut self, now: Time, bytes: Bytes) -> f64 {
        if self.arrivals.len() > self.config.rate_packets
            && let Some((_, oldest)) = self.arrivals.pop_front()
        {
            self.recent_bytes -= oldest;
        }
        self.arrivals.push_back((now, bytes.count()));
        self.recent_bytes += bytes.count();
        match self.arrivals.front() {
            Some((first, _)) if self.arrivals.len() > 1 => self.recent_bytes as f64 / now.since(*first).as_secs(),
            _ => 0.0,
        }
    }

    /// (16).
    fn measure_delay(&mut self, arrival: &Arrival, rate: f64) {
        let Some(delay_s) = self.delay_s else {
            let first = self.arrivals.len() == 1;
            self.delay_s = match self.opened_at.filter(|_| first) {
                Some(opened_at) => Some(arrival.at.since(opened_at).as_secs()),
                None => (rate > 0.0).then(|| arrival.held_to as f64 / rate),
            };
            return;
        };
        if rate > 0.0 {
            let beta = self.config.delay_weight;
            self.delay_s = Some((1.0 - beta) * delay_s + beta * arrival.held_to as f64 / rate);
        }
    }
}
