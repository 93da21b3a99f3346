//! Vegas: rounds, what they compare and what follows, by hand. Segments of 1000 bytes.

use airlink_model::transport::congestion::{
    AckEvent, Algorithm, Arrival, CongestionControl, Controller, IdleEvent, Windows,
};
use airlink_model::transport::{
    Growth, Rules, Tcp, VegasConfig, VegasDifference, VegasRoundTrip, VegasSlowStart, VegasSlowStartEnd,
};
use airlink_model::types::{Bytes, Duration, Time};

use super::events::{ack, config, loss, milliseconds, threshold, window};

/// A sender that always has a window of segments out, each acknowledged by itself.
struct Flow {
    control: Controller,
    acked: u64,
    now: Time,
    /// What the latest round must exceed to be over.
    end: u64,
}

impl Flow {
    /// From `window` segments on, in congestion avoidance from `threshold` segments on.
    fn new(vegas: VegasConfig, window: u32, threshold: f64) -> Self {
        Self::with(vegas, window, threshold, Growth::PerAck)
    }

    fn with(vegas: VegasConfig, window: u32, threshold: f64, growth: Growth) -> Self {
        let initial_ssthresh_segments = threshold;
        let algorithm = Algorithm::Vegas;
        let base = config(window);
        let config = Tcp {
            congestion_control: algorithm,
            vegas,
            initial_ssthresh_segments,
            rules: Rules { growth, ..base.rules },
            ..base
        };
        Self { control: Controller::new(&config), acked: 0, now: Time::ZERO, end: 0 }
    }

    fn sent_end(&self) -> u64 {
        (self.acked + window(&self.control) as u64) * 1000
    }

    fn acknowledge(&mut self, rtt_ms: Option<u64>) {
        self.acked += 1;
        self.now = self.now + milliseconds(1);
        let rtt = rtt_ms.map(milliseconds);
        let sent_end = self.sent_end();
        self.control.on_arrival(&Arrival { now: self.now, acked: Bytes::new(1000), is_duplicate: false, rtt });
        self.control.on_ack(&AckEvent { now: self.now, number: self.acked * 1000, sent_end, ..ack() });
    }

    /// ACKs with these round trips until more is acknowledged than was out when the last round ended.
    fn round(&mut self, rtts_ms: &[u64]) {
        for index in 0.. {
            let sent_end = self.sent_end() + 1000;
            self.acknowledge(Some(rtts_ms[index % rtts_ms.len()]));
            if self.acked * 1000 > self.end {
                self.end = sent_end;
                return;
            }
        }
    }
}

/// In congestion avoidance with 20 segments, after a first ACK that begins a round.
fn avoiding(vegas: VegasConfig) -> Flow {
    let mut flow = Flow::new(vegas, 20, 20.0);
    flow.round(&[100]);
    flow
}

#[test]
fn fewer_than_alpha_waiting_let_the_window_grow_more_than_beta_shrink_it_and_between_it_stays() {
    // 20 segments, BaseRTT 100 ms: 20 (RTT - 100) / RTT is 2 at 111.1 ms and 4 at 125 ms.
    for (rtt_ms, expected) in [(100, 21.0), (111, 21.0), (112, 20.0), (125, 20.0), (126, 19.0), (400, 19.0)] {
        let mut flow = avoiding(VegasConfig::default());
        flow.round(&[rtt_ms]);
        assert_eq!(window(&flow.control), expected, "{rtt_ms} ms");
    }
}

#[test]
fn alpha_and_beta_are_what_they_are_set_to() {
    let vegas = VegasConfig { alpha_segments: 1.0, beta_segments: 3.0, ..VegasConfig::default() };
    // 1 at 105.3 ms, 3 at 117.6 ms.
    for (rtt_ms, expected) in [(105, 21.0), (106, 20.0), (117, 20.0), (118, 19.0)] {
        let mut flow = avoiding(vegas);
        flow.round(&[rtt_ms]);
        assert_eq!(window(&flow.control), expected, "{rtt_ms} ms");
    }
}

#[test]
fn linux_compares_with_the_base_and_whole_segments_are_rounded_down() {
    // 20 (RTT - 100) / 100 is 2 at 110 ms and 4 at 120 ms; rounded down 4 up to 125 ms.
    let vegas = VegasConfig { difference: VegasDifference::OverBaseRtt, ..VegasConfig::default() };
    for (growth, rtt_ms, expected) in [
        (Growth::PerAck, 109, 21.0),
        (Growth::PerAck, 110, 20.0),
        (Growth::PerAck, 120, 20.0),
        (Growth::PerAck, 121, 19.0),
        (Growth::WholeSegments, 109, 21.0),
        (Growth::WholeSegments, 124, 20.0),
        (Growth::WholeSegments, 125, 19.0),
    ] {
        let mut flow = Flow::with(vegas, 20, 20.0, growth);
        flow.round(&[100]);
        flow.round(&[rtt_ms]);
        assert_eq!(window(&flow.control), expected, "{growth:?} {rtt_ms} ms");
    }
}

#[test]
fn a_round_is_judged_by_its_least_round_trip_or_by_the_mean() {
    for (round_trip, expected) in [(VegasRoundTrip::Least, 21.0), (VegasRoundTrip::Mean, 19.0)] {
        let mut flow = avoiding(VegasConfig { round_trip, ..VegasConfig::default() });
        flow.round(&[100, 200]);
        assert_eq!(window(&flow.control), expected);
    }
}

#[test]
fn a_round_with_few_samples_ends_as_renos() {
    for (samples, expected) in [(2, 20.0 + 1.0 / 20.0), (3, 19.0)] {
        let mut flow = avoiding(VegasConfig::default());
        let end = flow.end / 1000;
        while flow.acked <= end {
            let is_sampled = flow.acked < samples + 1;
            flow.acknowledge(is_sampled.then_some(200));
        }
        assert!((window(&flow.control) - expected).abs() < 1e-12, "{samples}: {}", window(&flow.control));
    }
}

#[test]
fn slow_start_doubles_every_other_round_or_every_round() {
    let windows = |slow_start| {
        let mut flow = Flow::new(VegasConfig { slow_start, ..VegasConfig::default() }, 4, f64::INFINITY);
        flow.round(&[100]);
        let mut windows = vec![window(&flow.control)];
        for _ in 0..4 {
            flow.round(&[100]);
            windows.push(window(&flow.control));
        }
        windows
    };
    // What has been sent by an ACK does not yet hold what that ACK lets out. Every other round: ACKs 1 to 5 move nothing, 6
    // ends the round and opens the window, 7 to 10 too, 11 ends that round, 12 to 20 move nothing, and so on.
    assert_eq!(windows(VegasSlowStart::EveryOtherRound), [4.0, 5.0, 9.0, 10.0, 19.0]);
    // Every round: 1 to 5 and 6; 7 to 15 and 16.
    assert_eq!(windows(VegasSlowStart::EveryRound), [5.0, 10.0, 20.0, 40.0, 80.0]);
}

#[test]
fn more_than_gamma_waiting_ends_slow_start() {
    // 20 (RTT - 100) / RTT is 1 at 105.3 ms. 20 x 100 / 110 and one: 19.18; 7/8 of 20: 17.5.
    for (slow_start_end, rtt_ms, expected, is_over) in [
        (VegasSlowStartEnd::AtActualRate, 105, 21.0, false),
        (VegasSlowStartEnd::AtActualRate, 110, 1.0 + 2000.0 / 110.0, true),
        (VegasSlowStartEnd::EighthLess, 110, 17.5, true),
    ] {
        let vegas = VegasConfig { slow_start_end, ..VegasConfig::default() };
        let mut flow = Flow::new(vegas, 20, f64::INFINITY);
        flow.round(&[100]);
        flow.round(&[rtt_ms]);
        assert!((window(&flow.control) - expected).abs() < 1e-9, "{}", window(&flow.control));
        assert_eq!(threshold(&flow.control).is_finite(), is_over);
        assert!(!is_over || threshold(&flow.control) <= window(&flow.control), "no slow start follows");
    }
}

#[test]
fn what_a_loss_began_is_renos_until_all_before_it_is_acknowledged() {
    let mut flow = avoiding(VegasConfig::default());
    let sent_end = flow.sent_end();
    flow.control.on_loss(&airlink_model::transport::congestion::LossEvent { sent_end, ..loss(20.0) });
    assert_eq!((threshold(&flow.control), window(&flow.control)), (10.0, 10.0));
    // Round trips that would shrink it; Reno adds 1/cwnd for each ACK, ten of them about a segment.
    while flow.acked < sent_end / 1000 - 1 {
        let before = window(&flow.control);
        flow.acknowledge(Some(400));
        assert!((window(&flow.control) - before - 1.0 / before).abs() < 1e-9);
    }
    // The ACK of the point begins a round; its end compares again.
    let before = window(&flow.control);
    flow.end = flow.sent_end() + 1000;
    flow.acknowledge(Some(400));
    assert_eq!(window(&flow.control), before);
    flow.round(&[400]);
    assert_eq!(window(&flow.control), before - 1.0);
}

#[test]
fn a_timeout_keeps_the_base_and_a_pause_may_forget_it() {
    for (forgets_base_rtt, expected) in [(false, 19.0), (true, 21.0)] {
        let mut flow = avoiding(VegasConfig { forgets_base_rtt, ..VegasConfig::default() });
        let windows = Windows { window: 20_000.0, slow_start_threshold: 20_000.0 };
        flow.control.on_idle(&IdleEvent { now: flow.now, idle: Duration::from_millis(5000), windows });
        flow.end = 0;
        flow.round(&[200]);
        flow.round(&[200]);
        assert_eq!(window(&flow.control), expected, "BaseRTT is 200 ms by now, or still 100 ms");
    }
}

#[test]
fn two_segments_are_the_least() {
    let mut flow = Flow::new(VegasConfig { least_samples: 1, ..VegasConfig::default() }, 3, 3.0);
    flow.round(&[1]);
    for _ in 0..5 {
        flow.round(&[1000]);
    }
    // 2 x 999 / 1000 is below alpha = 2: at two segments nothing more can wait, and it grows again.
    assert!(window(&flow.control) >= 2.0 && window(&flow.control) <= 3.0, "{}", window(&flow.control));
}
