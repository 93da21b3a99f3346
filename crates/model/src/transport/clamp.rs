//! The receiver's half of CLAMP ([Andrew08] sections 4.2 and 4.3): a window that follows the price of the queue.
//!
//! The receiver advertises min(w, what its buffer has room for), whatever the sender's congestion control would like to send.
//! When packet k of s bytes arrives at t_k with price p, in this order:
//!   rate    mu = sum of s_i over i = k - n .. k / (t_k - t_(k-n)), n = min(k - 1, `rate_packets`); 0 for the first      (15)
//!   delay   d <- (1 - beta) d + beta AWND / mu, AWND the window as it was last advertised                           (16)
//!   change  w <- w + (tau - p mu) / d (t_k - t_(k-1)), at most `most_increase`, at least -s                            (14)
//! The sum of (15) has one packet more than there are intervals, which the paper shows by its first values; so a rate over few
//! packets is too high. d starts as the time from the answer to the SYN to the first packet; where there was no handshake, as the
//! first AWND / mu.
//!
//! Slow start, once, from the first packet: w <- w + MSS instead of (14), until (14) would lower it or a third duplicate ACK
//! goes out; then w <- w / 2. It also ends, at what it has reached, at `slow_start_threshold`.
//!
//! The right edge, RCV.NXT + AWND, never moves left (RFC 9293 §3.8.6): where w falls by more than what arrived in order, the
//! window closes as fast as data comes in. w is never below a segment.
//!
//! A duplicate ACK repeats the window of the ACK before: with another one it would not count as a duplicate (RFC 5681 §2), and
//! losses would wait for a timeout. The paper does not mention it.
//!
//! Left out: prices of several queues on one path, a price that is itself lost.

use std::collections::VecDeque;

use crate::types::{Bytes, Time};

/// How the window follows the price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClampConfig {
    /// tau: bytes that the window grows by in a round trip without price, above 0.
    pub additive_bytes: f64,
    /// The most intervals that the rate is a mean over, at least 1.
    pub rate_packets: usize,
    /// beta: weight of the newest AWND / mu in the delay, above 0, at most 1.
    pub delay_weight: f64,
    /// The most that a packet adds to the window outside slow start, bytes.
    pub most_increase: Bytes,
    /// The window from which slow start does not go on; [`Bytes::UNLIMITED`] for none.
    pub slow_start_threshold: Bytes,
}

/// The window of one connection and what it follows from.
#[derive(Clone, Debug)]
pub(super) struct Clamp {
    config: ClampConfig,
    mss: f64,
    window: f64,
    /// When the SYN was answered.
    opened_at: Option<Time>,
    /// When each of the last packets arrived, and its bytes.
    arrivals: VecDeque<(Time, u64)>,
    /// Their bytes.
    recent_bytes: u64,
    delay_s: Option<f64>,
    is_slow_start: bool,
    /// Segments in a row that left a gap where it was.
    duplicates: u32,
    /// Windows are multiples of it, and this the least.
    unit: u64,
    least: u64,
    /// RCV.NXT + AWND of the last ACK; and its AWND.
    edge: u64,
    advertised: u64,
}

impl Clamp {
    pub(super) fn new(config: ClampConfig, mss: Bytes, unit: u64) -> Self {
        assert!(config.rate_packets >= 1, "a rate takes an interval");
        let first_window = Self::first_window(mss, unit);
        Self {
            config,
            mss: mss.count() as f64,
            window: mss.count() as f64,
            opened_at: None,
            arrivals: VecDeque::new(),
            recent_bytes: 0,
            delay_s: None,
            is_slow_start: true,
            duplicates: 0,
            unit,
            least: first_window,
            edge: first_window,
            advertised: first_window,
        }
    }

    /// What the answer to the SYN advertises: a segment, in whole `unit`s.
    pub(super) const fn first_window(mss: Bytes, unit: u64) -> u64 {
        mss.count().next_multiple_of(unit)
    }

    /// A SYN arrived and is answered at once.
    pub(super) fn on_open(&mut self, now: Time) {
        self.opened_at.get_or_insert(now);
    }

    /// A segment came, and left a gap where it was or did not.
    pub(super) const fn on_segment(&mut self, leaves_gap: bool) {
        self.duplicates = if leaves_gap { self.duplicates + 1 } else { 0 };
    }

    /// It was a packet of `bytes` with `price`, in s per byte of rate.
    pub(super) fn on_packet(&mut self, now: Time, bytes: Bytes, price: f64) {
        let elapsed_s = self.arrivals.back().map_or(0.0, |(before, _)| now.since(*before).as_secs());
        let rate = self.measure_rate(now, bytes);
        self.measure_delay(now, rate);
        let change = match self.delay_s {
            Some(delay_s) if delay_s > 0.0 => (self.config.additive_bytes - price * rate) / delay_s * elapsed_s,
            _ => 0.0,
        };
        if !self.is_slow_start {
            let least = -(bytes.count() as f64);
            self.window += change.min(self.config.most_increase.count() as f64).max(least);
        } else if change < 0.0 || self.duplicates == 3 {
            self.is_slow_start = false;
            self.window /= 2.0;
        } else if self.window < self.config.slow_start_threshold.count() as f64 {
            self.window += self.mss;
        } else {
            self.is_slow_start = false;
        }
        self.window = self.window.max(self.mss);
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
    fn measure_delay(&mut self, now: Time, rate: f64) {
        let Some(delay_s) = self.delay_s else {
            let first = self.arrivals.len() == 1;
            self.delay_s = match self.opened_at.filter(|_| first) {
                Some(opened_at) => Some(now.since(opened_at).as_secs()),
                None => (rate > 0.0).then(|| self.advertised as f64 / rate),
            };
            return;
        };
        if rate > 0.0 {
            let beta = self.config.delay_weight;
            self.delay_s = Some((1.0 - beta) * delay_s + beta * self.advertised as f64 / rate);
        }
    }

    /// The window to advertise in an ACK of `next`, where the buffer offers `room`; `is_again` where the ACK before was of it.
    pub(super) fn offer(&mut self, next: u64, room: Bytes, is_again: bool) -> Bytes {
        if !is_again || self.duplicates == 0 {
            // Rounded down, as is what the buffer offers, but not below a segment; a promise is rounded up.
            let whole = self.window as u64 / self.unit * self.unit;
            let wanted = whole.max(self.least).min(room.count());
            let promised = self.edge.saturating_sub(next).next_multiple_of(self.unit);
            self.advertised = wanted.max(promised);
            self.edge = next + self.advertised;
        }
        Bytes::new(self.advertised)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Duration;

    const MSS: Bytes = Bytes::new(1000);
    const CONFIG: ClampConfig = ClampConfig {
        additive_bytes: 500.0,
        rate_packets: 2,
        delay_weight: 0.5,
        most_increase: Bytes::new(10_000),
        slow_start_threshold: Bytes::UNLIMITED,
    };
    const ROOM: Bytes = Bytes::new(1 << 30);

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// A packet of 1000 bytes each 100 ms: w, d in ms and AWND after each.
    fn play(clamp: &mut Clamp, prices: &[f64]) -> Vec<(f64, f64, u64)> {
        let mut told = Vec::new();
        for (number, price) in (1..).zip(prices) {
            clamp.on_packet(at(100 * (number - 1)), MSS, *price);
            let advertised = clamp.offer(1000 * number, ROOM, false).count();
            told.push((clamp.window, clamp.delay_s.map_or(0.0, |delay_s| 1e3 * delay_s), advertised));
        }
        told
    }

    #[test]
    fn equations_14_to_16_by_hand() {
        let told = play(&mut Clamp::new(CONFIG, MSS, 1), &[0.0, 0.0, 0.0, 0.05, 0.05, 0.05]);
        let by_hand = [
            (2000.0, 0.0, 2000),
            // mu = 2000 B / 100 ms; d = 2000 / 20 000.
            (3000.0, 100.0, 3000),
            // mu = 3000 / 0.2 from here on; d = 50 + 500 x 3000 / 15 000 ms.
            (4000.0, 150.0, 4000),
            // d = 75 + 500 x 4000 / 15 000; (500 - 750) / d < 0 ends slow start; the edge at 7000 stays.
            (2000.0, 208.333_333, 3000),
            // d = 104.17 + 100; 2000 - 25 / 0.204 17.
            (1_877.551_02, 204.166_667, 2000),
            // d = 102.083 + 66.667; 1877.55 - 25 / 0.168 75; from here on the window itself is what shows.
            (1_729.402_872, 168.75, 1729),
        ];
        for (told, by_hand) in told.iter().zip(by_hand) {
            assert!((told.0 - by_hand.0).abs() < 1e-5 && (told.1 - by_hand.1).abs() < 1e-5, "{told:?} for {by_hand:?}");
            assert_eq!(told.2, by_hand.2);
        }
    }

    #[test]
    fn a_handshake_gives_the_first_delay() {
        let mut clamp = Clamp::new(CONFIG, MSS, 1);
        clamp.on_open(at(0));
        clamp.on_packet(at(80), MSS, 0.0);
        assert_eq!(clamp.delay_s, Some(0.08));
        // mu = 20 000 B/s, AWND still 1000: 0.5 x 80 + 0.5 x 50 ms.
        clamp.on_packet(at(180), MSS, 0.0);
        assert!((clamp.delay_s.unwrap_or(0.0) - 0.065).abs() < 1e-12);
    }

    #[test]
    fn a_change_is_clipped_both_ways() {
        let mut clamp = Clamp::new(ClampConfig { delay_weight: 0.001, ..CONFIG }, MSS, 1);
        play(&mut clamp, &[0.0, 0.0, 0.0, 0.05]);
        let before = clamp.window;
        clamp.on_packet(at(100_000), MSS, 0.0);
        assert_eq!(clamp.window - before, 10_000.0, "after a long silence");
        clamp.on_packet(at(101_000), MSS, 1e3);
        assert_eq!(clamp.window - before, 9000.0, "no more than came");
        for step in 0..20 {
            clamp.on_packet(at(102_000 + 100 * step), MSS, 1e3);
        }
        assert_eq!(clamp.window, 1000.0, "a segment at least");
    }

    #[test]
    fn slow_start_ends_at_a_loss_or_its_threshold() {
        let mut clamp = Clamp::new(CONFIG, MSS, 1);
        play(&mut clamp, &[0.0; 5]);
        assert_eq!(clamp.window, 6000.0);
        for (number, window) in [(1, 7000.0), (2, 8000.0), (3, 4000.0)] {
            clamp.on_segment(true);
            clamp.on_packet(at(400 + 100 * number), MSS, 0.0);
            assert_eq!(clamp.window, window);
        }
        assert!(!clamp.is_slow_start);

        let config = ClampConfig { slow_start_threshold: Bytes::new(3000), ..CONFIG };
        let mut clamp = Clamp::new(config, MSS, 1);
        play(&mut clamp, &[0.0; 3]);
        assert_eq!((clamp.window, clamp.is_slow_start), (3000.0, false), "where it was, not half");
    }

    #[test]
    fn windows_are_whole_units_and_promises_are_kept() {
        let mut clamp = Clamp::new(CONFIG, MSS, 128);
        assert_eq!(clamp.advertised, 1024);
        play(&mut clamp, &[0.0, 0.0]);
        assert_eq!(clamp.advertised, 2944, "3000 rounded down");
        clamp.window = 1000.0;
        assert_eq!(clamp.offer(3000, ROOM, false).count(), 2048, "edge 4944: 1944 rounded up");
        assert_eq!(clamp.offer(3000, Bytes::new(512), false).count(), 2048, "whatever room there is now");
    }
}
