//! A window that is not used, and a paced one.

use airlink_model::transport::Algorithm::Reno;
use airlink_model::transport::{Pacing, Rules, Segment, Sender, Tcp, WindowPacing, WindowValidation};
use airlink_model::types::{Bytes, Rate, Time};

use super::wire::{Connection, Fate, Lossless, MSS, Observer, at, milliseconds, receiving, sending};

/// 1 Mbyte/s and 100 ms: a product of about 98 segments.
fn bottleneck() -> Rate {
    Rate::from_bps(8e6)
}

/// Drops the first transmission that begins at this byte, and notes ssthresh after it.
struct DropAt(u64);

impl Observer for DropAt {
    fn fate_of_data(&mut self, segment: &Segment) -> Fate {
        if segment.sequence == self.0 && !segment.retransmission { Fate::Drop } else { Fate::Deliver }
    }
}

#[test]
fn a_loss_in_a_window_that_was_not_validated_leaves_half_of_what_was_used() {
    // RFC 7661 §4.4.2. 40 segments of window, 8 sent a round trip for ten round trips; then 8 of which the first is lost:
    // pipeACK and FlightSize are 8, so ssthresh is 4. Without validation and with cwnd as the base it would be over 20.
    for (window_validation, expected) in [(WindowValidation::Rfc7661, 4.0), (WindowValidation::Off, 20.0)] {
        let switches = Tcp { rules: Rules { window_validation, ..sending(Reno).rules }, ..sending(Reno) };
        let switches = Tcp { initial_window_segments: 40, ..switches };
        let reduction_of = airlink_model::transport::ReductionOf::CongestionWindow;
        let config =
            Tcp { initial_ssthresh_segments: 40.0, rules: Rules { reduction_of, ..switches.rules }, ..switches };
        let mut connection = Connection::new(config, receiving(&config), Rate::UNLIMITED, milliseconds(100));
        let mut network = DropAt(80 * MSS);
        connection.sender.open(Time::ZERO);
        for round_trip in 0..11 {
            connection.run_until(at(200 * round_trip), &mut network);
            connection.start(Bytes::new(8 * MSS), &mut network);
        }
        connection.run_until(at(2400), &mut network);
        assert_eq!(connection.sender.statistics().fast_retransmits, 1);
        let ssthresh = connection.sender.ssthresh() / MSS as f64;
        assert!(ssthresh >= expected && ssthresh < expected * 1.1, "{ssthresh}");
    }
}

/// The gaps between departures.
#[derive(Default)]
struct Gaps {
    last: Option<Time>,
    least: Option<u64>,
    sent: u64,
}

impl Observer for Gaps {
    fn on_sent(&mut self, now: Time, _segment: &Segment, _sender: &Sender) {
        self.sent += 1;
        if let Some(last) = self.last.filter(|_| self.sent > 200) {
            let gap = now.since(last).as_nanos();
            self.least = Some(self.least.map_or(gap, |least| least.min(gap)));
        }
        self.last = Some(now);
    }
}

#[test]
fn a_paced_sender_spreads_its_window_over_the_round_trip() {
    // A receiver's window of 50 segments in 100 ms; cwnd grows on beyond it, from 100 at a gain of 1: the gap is at
    // most 1 ms, and half of it where lateness is made up for. Unpaced, ACKs that came together release together.
    for (pacing, is_paced) in [
        (Pacing::Off, false),
        (Pacing::Window(WindowPacing { slow_start_gain: 1.0, avoidance_gain: 1.0, ..WindowPacing::default() }), true),
    ] {
        let switches = Tcp { pacing, initial_ssthresh_segments: 100.0, ..sending(Reno) };
        let config = Tcp { initial_window_segments: 100, ..switches };
        let mut connection = Connection::new(config, receiving(&config), Rate::UNLIMITED, milliseconds(100));
        let mut gaps = Gaps::default();
        connection.start(Bytes::UNLIMITED, &mut gaps);
        connection.run_until(at(1000), &mut gaps);
        let least = gaps.least.unwrap();
        assert_eq!(least > 400_000, is_paced, "{least}");
        assert!(gaps.sent > 700);
    }
    // Nothing else changes: all arrives.
    let config = Tcp {
        pacing: Pacing::Window(WindowPacing { slow_start_gain: 2.0, avoidance_gain: 1.2, ..WindowPacing::default() }),
        ..sending(Reno)
    };
    let mut connection = Connection::new(config, receiving(&config), bottleneck(), milliseconds(100));
    connection.start(Bytes::new(500 * MSS), &mut Lossless);
    connection.run_until(at(60_000), &mut Lossless);
    assert!(connection.sender.is_complete());
}
