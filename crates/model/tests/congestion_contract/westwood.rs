//! Westwood+: the filter, the count of ACKs and where a loss leads, by hand. Segments of 1000 bytes.

use airlink_model::transport::congestion::{Algorithm, Arrival, CongestionControl, Controller, LossEvent};
use airlink_model::transport::{Growth, Rules, Tcp, WestwoodConfig, WestwoodSets};
use airlink_model::types::Bytes;

use super::events::{at, bytes, config, loss, milliseconds, threshold, window};

/// A filter without memory, so that a loss shows the latest sample.
fn latest() -> WestwoodConfig {
    WestwoodConfig {
        filter_memory: 0.0,
        filter_stages: 1,
        least_window: airlink_model::types::Duration::ZERO,
        sets: WestwoodSets::AtLoss,
        forgets_least_rtt: false,
        ..WestwoodConfig::default()
    }
}

fn westwood(westwood: WestwoodConfig) -> Controller {
    Controller::new(&Tcp { congestion_control: Algorithm::Westwood, westwood, ..config(40) })
}

fn arrival(millis: f64, acked: f64, rtt: Option<u64>) -> Arrival {
    let acked = bytes(acked);
    Arrival { now: at(millis), acked, is_duplicate: acked.is_zero(), rtt: rtt.map(milliseconds) }
}

/// `count` ACKs of a segment each, 10 ms apart from `from_ms` on, with round trips of 100 ms.
fn acknowledge(control: &mut Controller, from_ms: f64, count: u32) {
    for index in 0..count {
        control.on_arrival(&arrival(from_ms + 10.0 * f64::from(index), 1.0, Some(100)));
    }
}

/// ssthresh after a loss that is taken back, so that it can be asked for again.
fn asked(control: &Controller) -> f64 {
    let mut asked = control.clone();
    asked.on_loss(&loss(40.0));
    assert_eq!(window(&asked), threshold(&asked));
    threshold(&asked)
}

#[test]
fn a_sample_is_what_came_in_a_round_trip_and_a_loss_leaves_it_times_the_least_round_trip() {
    let mut control = westwood(latest());
    // Before the first sample: two segments. The window of ACKs at 0, 10, ..., 100 ms ends with the one at 110 ms, the
    // first that is more than 100 ms away: 11 segments in 110 ms, 100 a second.
    acknowledge(&mut control, 0.0, 11);
    assert_eq!(asked(&control), 2.0);
    acknowledge(&mut control, 110.0, 1);
    assert!((asked(&control) - 10.0).abs() < 1e-9);
    // Later ACKs show 150 ms; RTTmin stays 100 ms.
    for index in 1..40 {
        control.on_arrival(&arrival(110.0 + 10.0 * f64::from(index), 1.0, Some(150)));
    }
    assert!((asked(&control) - 10.0).abs() < 1e-9);
}

#[test]
fn a_window_lasts_no_less_than_is_asked_for() {
    for (least_ms, acks, expected) in [(0, 12, 10.0), (200, 21, 2.0), (200, 22, 10.0)] {
        let mut control = westwood(WestwoodConfig { least_window: milliseconds(least_ms), ..latest() });
        acknowledge(&mut control, 0.0, acks);
        assert!((asked(&control) - expected).abs() < 1e-9, "{least_ms} ms, {acks} ACKs");
    }
}

#[test]
fn each_stage_of_the_filter_keeps_so_much_of_what_it_had() {
    // Samples of 100 segments a second, then one of 200: alpha 1/2 makes 150 of them, a second stage 125.
    for (filter_memory, filter_stages, expected) in [(0.5, 1, 15.0), (0.5, 2, 12.5), (0.875, 2, 10.0 + 10.0 / 64.0)] {
        let mut control = westwood(WestwoodConfig { filter_memory, filter_stages, ..latest() });
        acknowledge(&mut control, 0.0, 12);
        assert!((asked(&control) - 10.0).abs() < 1e-9, "the first sample fills it");
        for index in 1..10 {
            control.on_arrival(&arrival(110.0 + 10.0 * f64::from(index), 2.0, Some(100)));
        }
        // 1 + 9 x 2 by now, 3 more: 22 in 110 ms.
        control.on_arrival(&arrival(210.0, 3.0, Some(100)));
        control.on_arrival(&arrival(220.0, 1.0, Some(100)));
        assert!((asked(&control) - expected).abs() < 1e-9, "{filter_memory} x {filter_stages}: {}", asked(&control));
    }
}

#[test]
fn duplicates_count_a_segment_each_and_the_ack_that_follows_only_the_rest() {
    // One, four duplicates, then an ACK of six, of which four are counted: 7 segments in 200 ms, 35 a second. Then one that
    // covers less than its duplicates counted is worth a segment: 1 + 3 + 1 in 200 ms.
    let mut control = westwood(latest());
    control.on_arrival(&arrival(0.0, 1.0, Some(100)));
    for millis in [10.0, 20.0, 30.0, 40.0] {
        control.on_arrival(&arrival(millis, 0.0, None));
    }
    control.on_arrival(&arrival(100.0, 6.0, None));
    control.on_arrival(&arrival(200.0, 1.0, Some(100)));
    assert!((asked(&control) - 3.5).abs() < 1e-9);
    for millis in [210.0, 220.0, 230.0] {
        control.on_arrival(&arrival(millis, 0.0, None));
    }
    control.on_arrival(&arrival(300.0, 2.0, None));
    control.on_arrival(&arrival(400.0, 1.0, Some(100)));
    assert!((asked(&control) - 2.5).abs() < 1e-9, "{}", asked(&control));
}

#[test]
fn an_ack_that_shows_nothing_counts_for_nothing() {
    let mut control = westwood(latest());
    acknowledge(&mut control, 0.0, 11);
    for millis in [50.0, 105.0] {
        let nothing = Arrival { is_duplicate: false, ..arrival(millis, 0.0, None) };
        control.on_arrival(&nothing);
    }
    acknowledge(&mut control, 110.0, 1);
    assert!((asked(&control) - 10.0).abs() < 1e-9);
}

#[test]
fn a_timeout_leaves_the_same_threshold_and_one_segment_and_may_forget_the_least_round_trip() {
    for forgets_least_rtt in [false, true] {
        let mut control = westwood(WestwoodConfig { forgets_least_rtt, ..latest() });
        acknowledge(&mut control, 0.0, 12);
        control.on_timeout(&loss(40.0));
        assert!((threshold(&control) - 10.0).abs() < 1e-9);
        assert_eq!(window(&control), 1.0);
        // From now on round trips take 200 ms, and 100 segments a second still arrive.
        for index in 1..80 {
            control.on_arrival(&arrival(110.0 + 10.0 * f64::from(index), 1.0, Some(200)));
        }
        let expected = if forgets_least_rtt { 20.0 } else { 10.0 };
        assert!((asked(&control) - expected).abs() < 1e-9, "{} {forgets_least_rtt}", asked(&control));
    }
}

#[test]
fn a_repeated_timeout_or_one_that_may_not_raise_ssthresh_leaves_it() {
    let mut control = westwood(latest());
    acknowledge(&mut control, 0.0, 12);
    control.on_timeout(&loss(40.0));
    acknowledge(&mut control, 120.0, 1);
    control.on_arrival(&arrival(500.0, 1.0, Some(100)));
    let mut other = control.clone();
    other.on_timeout(&LossEvent { is_repeated: true, ..loss(1.0) });
    assert!((threshold(&other) - 10.0).abs() < 1e-9);
    // Forty segments in a round trip: 400 a second.
    for _ in 0..40 {
        control.on_arrival(&arrival(550.0, 1.0, Some(100)));
    }
    control.on_arrival(&arrival(601.0, 1.0, Some(100)));
    let mut other = control.clone();
    other.on_timeout(&LossEvent { may_raise: false, ..loss(1.0) });
    assert!((threshold(&other) - 10.0).abs() < 1e-9);
    control.on_timeout(&loss(1.0));
    assert!(threshold(&control) > 30.0);
}

#[test]
fn linux_takes_half_until_the_recovery_is_over() {
    let mut control = westwood(WestwoodConfig { sets: WestwoodSets::AfterRecovery, ..latest() });
    acknowledge(&mut control, 0.0, 12);
    control.on_loss(&loss(40.0));
    assert_eq!((threshold(&control), window(&control)), (20.0, 20.0));
    control.on_recovered();
    assert!((threshold(&control) - 10.0).abs() < 1e-9 && window(&control) == threshold(&control));
    let mut control = westwood(latest());
    acknowledge(&mut control, 0.0, 12);
    control.on_loss(&loss(40.0));
    control.set_window(15_000.0);
    control.on_recovered();
    assert_eq!(window(&control), 15.0);
}

#[test]
fn windows_in_whole_segments_are_rounded_down() {
    let config = Tcp { congestion_control: Algorithm::Westwood, westwood: latest(), ..config(40) };
    let mut control =
        Controller::new(&Tcp { rules: Rules { growth: Growth::WholeSegments, ..config.rules }, ..config });
    acknowledge(&mut control, 0.0, 11);
    // 11 segments in 115 ms: 9.57 in a round trip.
    control.on_arrival(&Arrival { acked: Bytes::new(1000), ..arrival(115.0, 1.0, Some(100)) });
    assert_eq!(asked(&control), 9.0);
}
