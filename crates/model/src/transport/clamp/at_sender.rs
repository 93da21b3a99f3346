//! CLAMP at the sender: receivers echo prices in their ACKs, and the sender keeps w itself, as one more bound beside cwnd.
//!
//! An ACK stands for the packets that it shows to have arrived and no ACK before it did, by its number or its blocks; their bytes
//! are counted with headers, as the queue counts them. All of them have the price that the ACK echoes. An ACK that shows nothing
//! new has no say, and the time since the one before is the next one's; so a lost ACK delays news and loses none. W in (16) is the
//! smaller of w and what the receiver offers: with the sender's own round trips instead the ends would no longer compare.
//!
//! d starts as the time from the first segment to the first ACK of one. A third duplicate ACK in a row ends slow start, here one
//! that was received. A sender may simply wait, so nothing is promised, and nothing rounded to a scale.

use super::{Arrival, ClampConfig, DUPLICATES_OF_A_LOSS, PricedWindow};
use crate::transport::ack_summary::AckSummary;
use crate::types::{Bytes, Time};

/// The window, and what duplicate ACKs have shown.
#[derive(Clone, Debug)]
pub(in crate::transport) struct SenderClamp {
    clamp: PricedWindow,
    /// What a packet has beside its part of the stream.
    header: Bytes,
    /// Duplicate ACKs in a row.
    duplicates: u32,
}

impl SenderClamp {
    pub(in crate::transport) fn new(config: ClampConfig, mss: Bytes, header: Bytes) -> Self {
        Self { clamp: PricedWindow::new(config, mss), header, duplicates: 0 }
    }

    /// w, bytes.
    pub(in crate::transport) const fn window(&self) -> f64 {
        self.clamp.window
    }

    /// What of `offered` w leaves.
    pub(in crate::transport) fn bound(&self, offered: Bytes) -> Bytes {
        // The cast rounds down.
        offered.min(Bytes::new(self.clamp.window as u64))
    }

    /// A segment goes out.
    pub(in crate::transport) fn on_sent(&mut self, now: Time) {
        self.clamp.on_open(now);
    }

    /// An ACK echoes `price`, in s per byte of rate, where the receiver offers `offered`.
    pub(in crate::transport) fn on_ack(&mut self, ack: &AckSummary, price: f64, offered: Bytes) {
        self.duplicates = if ack.is_new() { 0 } else { self.duplicates + u32::from(ack.is_duplicate) };
        let shows_loss = ack.is_duplicate && self.duplicates == DUPLICATES_OF_A_LOSS;
        let packets = ack.delivered.segments;
        if packets > 0 {
            let bytes = Bytes::new(ack.delivered.bytes + packets * self.header.count());
            let held_to = self.bound(offered).count();
            self.clamp.on_arrival(&Arrival { at: ack.now, packets, bytes, price, held_to, shows_loss });
        } else if shows_loss {
            self.clamp.end_slow_start();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ClampSide;
    use super::*;
    use crate::types::Duration;

    const MSS: Bytes = Bytes::new(960);
    const HEADER: Bytes = Bytes::new(40);
    fn config() -> ClampConfig {
        ClampConfig {
            side: ClampSide::Sender,
            tau_bytes: 500.0,
            rate_packets: 2,
            delay_weight: 0.5,
            most_increase: Bytes::new(10_000),
            slow_start_threshold: Bytes::UNLIMITED,
            ..ClampConfig::default()
        }
    }

    /// An ACK at so many ms that shows so many packets to have arrived.
    fn ack(milliseconds: u64, packets: u64) -> AckSummary {
        let now = Time::ZERO + Duration::from_millis(milliseconds);
        let mut ack = AckSummary::new(now, packets, 0, None);
        ack.delivered.segments = packets;
        ack.delivered.bytes = packets * MSS.count();
        ack
    }

    fn duplicate(milliseconds: u64) -> AckSummary {
        AckSummary { is_duplicate: true, ..ack(milliseconds, 0) }
    }

    fn hear(clamp: &mut SenderClamp, ack: &AckSummary, price: f64) -> (f64, f64) {
        clamp.on_ack(ack, price, Bytes::new(1 << 30));
        (clamp.window(), clamp.clamp.delay_s.map_or(0.0, |delay_s| 1e3 * delay_s))
    }

    #[test]
    fn an_ack_of_two_packets_is_an_arrival_of_both() {
        let mut clamp = SenderClamp::new(config(), MSS, HEADER);
        clamp.on_sent(Time::ZERO);
        let mut told = Vec::new();
        for (at, packets, price) in [(100, 1, 0.0), (200, 2, 0.0), (400, 2, 0.05), (500, 1, 0.05)] {
            told.push(hear(&mut clamp, &ack(at, packets), price));
        }
        let by_hand = [
            (1920.0, 100.0),
            // mu = 3000 B / 100 ms; d = 50 + 500 x 1920 / 30 000 ms; two packets, two segments.
            (3840.0, 82.0),
            // mu = 5000 / 0.3; d = 41 + 500 x 3840 / 16 666.7; (500 - 833) / d < 0 ends slow start.
            (1920.0, 156.2),
            // mu = 5000 / 0.3 again; d = 78.1 + 57.6; 1920 - 333.3 / 0.1357 x 0.1.
            (1_674.360_108, 135.7),
        ];
        for (told, by_hand) in told.iter().zip(by_hand) {
            assert!((told.0 - by_hand.0).abs() < 1e-5 && (told.1 - by_hand.1).abs() < 1e-5, "{told:?} for {by_hand:?}");
        }
    }

    #[test]
    fn an_ack_that_shows_nothing_new_leaves_its_time_to_the_next() {
        let mut clamp = SenderClamp::new(config(), MSS, HEADER);
        clamp.on_sent(Time::ZERO);
        hear(&mut clamp, &ack(100, 1), 0.0);
        let mut other = clamp.clone();
        hear(&mut clamp, &duplicate(150), 9.0);
        assert_eq!(hear(&mut clamp, &ack(200, 1), 0.0), hear(&mut other, &ack(200, 1), 0.0));
    }

    #[test]
    fn the_third_duplicate_ack_in_a_row_ends_slow_start_whether_or_not_its_blocks_show_news() {
        for news in [0, 1] {
            let mut clamp = SenderClamp::new(config(), MSS, HEADER);
            for step in 0..7 {
                hear(&mut clamp, &ack(100 * step, 1), 0.0);
            }
            assert_eq!(clamp.window(), 8.0 * 960.0);
            for step in 0..3 {
                let blocks = AckSummary { number: 0, is_duplicate: true, ..ack(700 + step, news) };
                hear(&mut clamp, &blocks, 0.0);
            }
            assert_eq!(clamp.window(), (8 + 2 * news) as f64 * 960.0 / 2.0);
            assert!(!clamp.clamp.is_slow_start);
        }
    }

    #[test]
    fn the_window_in_force_is_no_larger_than_what_is_offered() {
        let mut clamp = SenderClamp::new(config(), MSS, HEADER);
        clamp.on_sent(Time::ZERO);
        clamp.on_ack(&ack(100, 1), 0.0, Bytes::new(500));
        clamp.on_ack(&ack(200, 1), 0.0, Bytes::new(500));
        // mu = 20 000 B/s: 50 + 500 x 500 / 20 000 ms.
        assert!((clamp.clamp.delay_s.unwrap_or(0.0) - 0.0625).abs() < 1e-12);
    }
}
