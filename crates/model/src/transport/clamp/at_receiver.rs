//! CLAMP at the receiver: a window to advertise.
//!
//! W in (16) is the window last advertised. The right edge, RCV.NXT + AWND, never moves left (RFC 9293 §3.8.6): where w falls by
//! more than what arrived in order, the window closes as fast as data comes in.
//!
//! A duplicate ACK repeats the window of the ACK before: with another one it would not count as a duplicate (RFC 5681 §2), and
//! losses would wait for a timeout. The paper does not mention it.

use super::{Arrival, ClampConfig, DUPLICATES_OF_A_LOSS, PricedWindow};
use crate::types::{Bytes, Time};

/// The window and what has been promised of it.
#[derive(Clone, Debug)]
pub(in crate::transport) struct ReceiverClamp {
    clamp: PricedWindow,
    /// Segments in a row that left a gap where it was.
    duplicates: u32,
    /// Windows are multiples of it, and this the least.
    unit: u64,
    least: u64,
    /// RCV.NXT + AWND of the last ACK; and its AWND.
    edge: u64,
    advertised: u64,
}

impl ReceiverClamp {
    pub(in crate::transport) fn new(config: ClampConfig, mss: Bytes, unit: u64) -> Self {
        let first_window = Self::first_window(mss, unit);
        Self {
            clamp: PricedWindow::new(config, mss),
            duplicates: 0,
            unit,
            least: first_window,
            edge: first_window,
            advertised: first_window,
        }
    }

    /// What the answer to the SYN advertises: a segment, in whole `unit`s.
    pub(in crate::transport) const fn first_window(mss: Bytes, unit: u64) -> u64 {
        mss.count().next_multiple_of(unit)
    }

    /// A SYN arrived and is answered at once.
    pub(in crate::transport) fn on_open(&mut self, now: Time) {
        self.clamp.on_open(now);
    }

    /// A segment came, and left a gap where it was or did not.
    pub(in crate::transport) const fn on_segment(&mut self, leaves_gap: bool) {
        self.duplicates = if leaves_gap { self.duplicates + 1 } else { 0 };
    }

    /// It was a packet of `bytes` with `price`, in s per byte of rate.
    pub(in crate::transport) fn on_packet(&mut self, now: Time, bytes: Bytes, price: f64) {
        let shows_loss = self.duplicates == DUPLICATES_OF_A_LOSS;
        self.clamp.on_arrival(&Arrival { at: now, packets: 1, bytes, price, held_to: self.advertised, shows_loss });
    }

    /// The window to advertise in an ACK of `next`, where the buffer offers `room`; `is_again` where the ACK before was of it.
    pub(in crate::transport) fn offer(&mut self, next: u64, room: Bytes, is_again: bool) -> Bytes {
        if !is_again || self.duplicates == 0 {
            // Rounded down, as is what the buffer offers, but not below a segment; a promise is rounded up.
            let whole = self.clamp.window as u64 / self.unit * self.unit;
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
    fn config() -> ClampConfig {
        ClampConfig {
            tau_bytes: 500.0,
            rate_packets: 2,
            delay_weight: 0.5,
            most_increase: Bytes::new(10_000),
            slow_start_threshold: Bytes::UNLIMITED,
            ..ClampConfig::default()
        }
    }
    const ROOM: Bytes = Bytes::new(1 << 30);

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// A packet of 1000 bytes each 100 ms: w, d in ms and AWND after each.
    fn play(clamp: &mut ReceiverClamp, prices: &[f64]) -> Vec<(f64, f64, u64)> {
        let mut told = Vec::new();
        for (number, price) in (1..).zip(prices) {
            clamp.on_packet(at(100 * (number - 1)), MSS, *price);
            let advertised = clamp.offer(1000 * number, ROOM, false).count();
            told.push((clamp.clamp.window, clamp.clamp.delay_s.map_or(0.0, |delay_s| 1e3 * delay_s), advertised));
        }
        told
    }

    #[test]
    fn equations_14_to_16_by_hand() {
        let told = play(&mut ReceiverClamp::new(config(), MSS, 1), &[0.0, 0.0, 0.0, 0.05, 0.05, 0.05]);
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
        let mut clamp = ReceiverClamp::new(config(), MSS, 1);
        clamp.on_open(at(0));
        clamp.on_packet(at(80), MSS, 0.0);
        assert_eq!(clamp.clamp.delay_s, Some(0.08));
        // mu = 20 000 B/s, AWND still 1000: 0.5 x 80 + 0.5 x 50 ms.
        clamp.on_packet(at(180), MSS, 0.0);
        assert!((clamp.clamp.delay_s.unwrap_or(0.0) - 0.065).abs() < 1e-12);
    }

    #[test]
    fn a_change_is_clipped_both_ways() {
        let mut clamp = ReceiverClamp::new(ClampConfig { delay_weight: 0.001, ..config() }, MSS, 1);
        play(&mut clamp, &[0.0, 0.0, 0.0, 0.05]);
        let before = clamp.clamp.window;
        clamp.on_packet(at(100_000), MSS, 0.0);
        assert_eq!(clamp.clamp.window - before, 10_000.0, "after a long silence");
        clamp.on_packet(at(101_000), MSS, 1e3);
        assert_eq!(clamp.clamp.window - before, 9000.0, "no more than came");
        for step in 0..20 {
            clamp.on_packet(at(102_000 + 100 * step), MSS, 1e3);
        }
        assert_eq!(clamp.clamp.window, 1000.0, "a segment at least");
    }

    #[test]
    fn slow_start_ends_at_a_loss_or_its_threshold() {
        let mut clamp = ReceiverClamp::new(config(), MSS, 1);
        play(&mut clamp, &[0.0; 5]);
        assert_eq!(clamp.clamp.window, 6000.0);
        for (number, window) in [(1, 7000.0), (2, 8000.0), (3, 4000.0)] {
            clamp.on_segment(true);
            clamp.on_packet(at(400 + 100 * number), MSS, 0.0);
            assert_eq!(clamp.clamp.window, window);
        }
        assert!(!clamp.clamp.is_slow_start);

        let config = ClampConfig { slow_start_threshold: Bytes::new(3000), ..config() };
        let mut clamp = ReceiverClamp::new(config, MSS, 1);
        play(&mut clamp, &[0.0; 3]);
        assert_eq!((clamp.clamp.window, clamp.clamp.is_slow_start), (3000.0, false), "where it was, not half");
    }

    #[test]
    fn packets_that_come_at_once_change_nothing_whatever_their_rate() {
        for price in [0.0, 1.0] {
            let mut clamp = ReceiverClamp::new(ClampConfig { rate_packets: 1, ..config() }, MSS, 1);
            play(&mut clamp, &[0.0, 0.0, 0.05]);
            let before = clamp.clamp.window;
            clamp.on_packet(at(200), MSS, price);
            assert_eq!(clamp.clamp.window, before);
        }
    }

    #[test]
    fn windows_are_whole_units_and_promises_are_kept() {
        let mut clamp = ReceiverClamp::new(config(), MSS, 128);
        assert_eq!(clamp.advertised, 1024);
        play(&mut clamp, &[0.0, 0.0]);
        assert_eq!(clamp.advertised, 2944, "3000 rounded down");
        clamp.clamp.window = 1000.0;
        assert_eq!(clamp.offer(3000, ROOM, false).count(), 2048, "edge 4944: 1944 rounded up");
        assert_eq!(clamp.offer(3000, Bytes::new(512), false).count(), 2048, "whatever room there is now");
    }
}
