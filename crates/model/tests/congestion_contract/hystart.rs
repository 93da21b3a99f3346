//! HyStart++ and HyStart: when slow start ends before a loss, computed by hand.

use airlink_model::transport::congestion::{AckEvent, Algorithm, CongestionControl, Controller};
use airlink_model::transport::{Growth, Pacing, Rules, SlowStartExit, Tcp, WindowPacing};
use airlink_model::types::Duration;

use super::events::{ack, at, bytes, config, loss, milliseconds, threshold, window};

/// A slow start in rounds of ACKs, each round with one round-trip time.
struct Rounds {
    control: Controller,
    acked: u64,
    now: f64,
}

impl Rounds {
    fn new(switches: &Tcp) -> Self {
        Self { control: Controller::new(switches), acked: 0, now: 0.0 }
    }

    /// `count` ACKs of one segment, `gap_ms` apart, that show round-trip times of `rtt_ms`; what was sent by then ends at
    /// `sent_end` segments.
    fn acks(&mut self, count: u64, gap_ms: f64, rtt_ms: u64, sent_end: u64) {
        for _ in 0..count {
            self.now += gap_ms;
            self.acked += 1;
            let sample = Some(milliseconds(rtt_ms));
            let times = AckEvent { now: at(self.now), rtt: sample, newest_rtt: sample, ..ack() };
            self.control.on_ack(&AckEvent { number: self.acked * 1000, sent_end: sent_end * 1000, ..times });
        }
    }
}

fn plus_plus() -> Tcp {
    Tcp { rules: Rules { slow_start_exit: SlowStartExit::HyStartPlusPlus, ..config(10).rules }, ..config(10) }
}

/// Three rounds of 10, 20 and 40 ACKs, the first two at 100 ms: RttThresh is 12.5 ms (RFC 9406 §4.2). The third begins with
/// `third_ms`; seven ACKs of it have arrived.
fn in_the_third_round(third_ms: u64) -> Rounds {
    let mut rounds = Rounds::new(&plus_plus());
    rounds.acks(9, 5.0, 100, 10);
    rounds.acks(1, 5.0, 100, 30);
    rounds.acks(19, 5.0, 100, 50);
    rounds.acks(1, 5.0, 100, 70);
    assert_eq!(window(&rounds.control), 40.0);
    rounds.acks(7, 5.0, third_ms, 90);
    assert_eq!(window(&rounds.control), 47.0);
    rounds
}

#[test]
fn eight_samples_of_a_risen_round_trip_time_lead_to_conservative_slow_start() {
    // 113 ms >= 100 + 12.5: the eighth ACK opens by a segment and is the last to do so. 112 ms is not enough.
    for (third_ms, expected) in [(112, 51.0), (113, 48.75)] {
        let mut rounds = in_the_third_round(third_ms);
        rounds.acks(4, 5.0, third_ms, 90);
        assert_eq!(window(&rounds.control), expected);
    }
}

#[test]
fn the_threshold_is_an_eighth_between_4_and_16_ms() {
    for (base, least_rise) in [(10, 4), (80, 10), (400, 16)] {
        let window_after = |rise| {
            let mut rounds = Rounds::new(&plus_plus());
            rounds.acks(9, 5.0, base, 10);
            rounds.acks(1, 5.0, base, 60);
            rounds.acks(12, 5.0, base + rise, 60);
            window(&rounds.control)
        };
        assert_eq!(window_after(least_rise - 1), 32.0);
        assert_eq!(window_after(least_rise), 29.0, "8 ACKs by one, 4 by a quarter");
    }
}

#[test]
fn a_round_trip_time_below_the_baseline_resumes_slow_start() {
    // RFC 9406 §4.2: the baseline is 113. One sample of 112 is an eighth of nothing: the round has its eight already.
    let mut rounds = in_the_third_round(113);
    rounds.acks(1, 5.0, 113, 90);
    rounds.acks(1, 5.0, 112, 90);
    assert_eq!(window(&rounds.control), 48.25);
    rounds.acks(1, 5.0, 113, 90);
    assert_eq!(window(&rounds.control), 49.25);
}

#[test]
fn five_rounds_of_conservative_slow_start_end_in_congestion_avoidance() {
    // It began in round three, which counts; rounds four to seven follow, and ssthresh is set by the ACK that ends the
    // seventh.
    let mut rounds = in_the_third_round(113);
    rounds.acks(32, 1.0, 113, 70);
    rounds.acks(1, 1.0, 113, 120);
    for _ in 4..7 {
        rounds.acks(49, 1.0, 113, 1);
        let next = rounds.acked + 51;
        rounds.acks(1, 1.0, 113, next);
    }
    rounds.acks(49, 1.0, 113, 1);
    assert_eq!(threshold(&rounds.control), f64::INFINITY);
    rounds.acks(1, 1.0, 113, 1);
    assert_eq!(threshold(&rounds.control), window(&rounds.control));
    // 48 and 32 + 200 quarters.
    assert_eq!(window(&rounds.control), 48.0 + 232.0 / 4.0);
    let before = window(&rounds.control);
    rounds.acks(1, 1.0, 113, 1);
    assert!((window(&rounds.control) - before - 1.0 / before).abs() < 1e-9, "congestion avoidance");
}

#[test]
fn hystart_plus_plus_is_for_the_first_slow_start() {
    // RFC 9406 §4.3. After a timeout a risen round-trip time changes nothing.
    let mut rounds = in_the_third_round(100);
    rounds.control.on_timeout(&loss(1000.0));
    rounds.acks(10, 5.0, 500, 1000);
    assert_eq!(window(&rounds.control), 11.0);
}

#[test]
fn with_hystart_plus_plus_an_ack_opens_by_eight_segments_at_most_unless_paced() {
    // RFC 9406 §4.3: L = 8, infinite for a paced sender.
    let growth = Growth::ByteCounting;
    let paced = Pacing::Window(WindowPacing { slow_start_gain: 2.0, avoidance_gain: 1.2, ..WindowPacing::default() });
    for (pacing, expected) in [(Pacing::Off, 18.0), (paced, 19.0)] {
        let mut control = Controller::new(&Tcp { pacing, rules: Rules { growth, ..plus_plus().rules }, ..plus_plus() });
        control.on_ack(&AckEvent { acked: bytes(9.0), acked_segments: 9, ..ack() });
        assert_eq!(window(&control), expected);
    }
}

fn linux(initial: u32, pacing: Pacing) -> Tcp {
    Tcp {
        pacing,
        rules: Rules {
            slow_start_exit: SlowStartExit::HyStart,
            growth: Growth::WholeSegments,
            ..config(initial).rules
        },
        ..config(initial)
    }
}

#[test]
fn hystart_ends_slow_start_at_the_ninth_sample_of_a_delay_risen_by_an_eighth() {
    // Least delay 100 ms: 12.5 ms more. ACKs 3 ms apart are no train.
    for (delay, ends) in [(112, false), (113, true)] {
        let mut rounds = Rounds::new(&linux(20, Pacing::Off));
        rounds.acks(1, 3.0, 100, 20);
        rounds.acks(19, 3.0, 100, 40);
        // Strictly beyond the round's end: ACK 21 begins the next.
        rounds.acks(8, 3.0, delay, 60);
        assert_eq!(threshold(&rounds.control), f64::INFINITY);
        rounds.acks(1, 3.0, delay, 60);
        // 48 when the ninth arrives, and congestion avoidance from it on.
        assert_eq!(threshold(&rounds.control), if ends { 48.0 } else { f64::INFINITY });
        assert_eq!(window(&rounds.control), if ends { 48.0 } else { 49.0 });
    }
}

#[test]
fn hystart_judges_nothing_below_sixteen_segments() {
    for (initial, ends) in [(1, false), (10, true)] {
        let mut rounds = Rounds::new(&linux(initial, Pacing::Off));
        rounds.acks(1, 3.0, 100, 1);
        rounds.acks(14, 3.0, 200, 100);
        assert_eq!(threshold(&rounds.control).is_finite(), ends, "{initial}");
    }
}

#[test]
fn hystart_ends_slow_start_when_a_train_is_half_a_round_trip_long() {
    // ACKs every 2 ms from the one that begins the round: after 50 ms, so at the 26th after it, and for a paced sender
    // after 100 ms. 2.1 ms apart they are no train.
    let paced = Pacing::Window(WindowPacing { slow_start_gain: 2.0, avoidance_gain: 1.2, ..WindowPacing::default() });
    for (pacing, gap, acks) in [(Pacing::Off, 2.0, 26), (paced, 2.0, 51)] {
        let mut rounds = Rounds::new(&linux(20, pacing));
        rounds.acks(1, gap, 100, 20);
        rounds.acks(acks - 1, gap, 100, 1000);
        // The 21st begins a round of its own.
        let mut rounds = Rounds::new(&linux(20, pacing));
        rounds.acks(1, gap, 100, 2000);
        rounds.acks(acks - 1, gap, 100, 2000);
        assert_eq!(threshold(&rounds.control), f64::INFINITY, "{pacing:?}");
        rounds.acks(1, gap, 100, 2000);
        assert!(threshold(&rounds.control).is_finite(), "{pacing:?}");
    }
    let mut rounds = Rounds::new(&linux(20, Pacing::Off));
    rounds.acks(100, 2.1, 100, 2000);
    assert_eq!(threshold(&rounds.control), f64::INFINITY);
}

#[test]
fn the_cushion_for_offload_lengthens_the_train() {
    // SRTT 100 ms, 20 segments: at 2 * 20 000 bytes / 100 ms four units of 64 KiB take 655 ms, so the cushion is its
    // most, 1 ms: (100 + 1) / 2 = 50.5 ms. ACKs every 1 ms: the 51st after the first instead of the 51st of 50 ms.
    let mut rounds = Rounds::new(&linux(20, Pacing::Off));
    let mut acked = 0;
    let found = (0..).find(|_| {
        acked += 1;
        let sample = Some(Duration::from_millis(100));
        let times = AckEvent { now: at(0.5 * acked as f64), rtt: sample, newest_rtt: sample, srtt: sample, ..ack() };
        rounds.control.on_ack(&AckEvent { number: acked * 1000, sent_end: 2_000_000, ..times });
        threshold(&rounds.control).is_finite()
    });
    // After more than 50.5 ms: 102 ACKs of 0.5 ms after the first.
    assert_eq!(found, Some(102));
}

#[test]
fn cubic_of_linux_hears_no_delay_for_a_second_after_an_epoch_began() {
    let switches = Tcp { congestion_control: Algorithm::Cubic, ..linux(40, Pacing::Off) };
    let mut rounds = Rounds::new(&switches);
    rounds.control.on_loss(&loss(40.0));
    // An epoch begins in congestion avoidance; then the window is below ssthresh once more.
    rounds.acks(1, 1.0, 100, 2000);
    rounds.control.set_window(20_000.0);
    let before = threshold(&rounds.control);
    rounds.acks(3, 3.0, 500, 2000);
    assert_eq!(threshold(&rounds.control), before);
}
