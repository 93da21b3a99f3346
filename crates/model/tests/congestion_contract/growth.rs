//! Growth by ACKs, bytes and whole segments, counted by hand.

use airlink_model::transport::congestion::{AckEvent, Algorithm, CongestionControl, Controller};
use airlink_model::transport::{Growth, Rules, Tcp};
use airlink_model::types::Bytes;

use super::events::{ack, bytes, config, loss, window};

fn reno(growth: Growth, initial: u32, initial_ssthresh_segments: f64) -> Controller {
    let switches = Tcp {
        congestion_control: Algorithm::Reno,
        rules: Rules { growth, ..config(initial).rules },
        ..config(initial)
    };
    Controller::new(&Tcp { initial_ssthresh_segments, ..switches })
}

fn acknowledge(control: &mut Controller, segments: u32) {
    let acked = bytes(f64::from(segments));
    control.on_ack(&AckEvent { acked, acked_segments: segments, ..ack() });
}

const BY_BYTES: Growth = Growth::ByteCounting;

#[test]
fn an_ack_of_three_segments_opens_slow_start_by_one_two_or_three() {
    // RFC 5681 §3.1 eq. (2); RFC 3465 §2.2 with L = 2; Linux.
    for (growth, expected) in [(Growth::PerAck, 11.0), (BY_BYTES, 12.0), (Growth::WholeSegments, 13.0)] {
        let mut control = reno(growth, 10, f64::INFINITY);
        acknowledge(&mut control, 3);
        assert_eq!(window(&control), expected, "{growth:?}");
    }
}

#[test]
fn half_a_segment_opens_by_half_where_bytes_count_and_by_none_where_segments_do() {
    for (growth, expected) in [(Growth::PerAck, 10.5), (BY_BYTES, 10.5), (Growth::WholeSegments, 10.0)] {
        let mut control = reno(growth, 10, f64::INFINITY);
        control.on_ack(&AckEvent { acked: Bytes::new(500), acked_segments: 0, ..ack() });
        assert_eq!(window(&control), expected, "{growth:?}");
    }
}

#[test]
fn after_a_timeout_bytes_count_for_one_segment_an_ack_only() {
    // RFC 3465 §2.3.
    let mut control = reno(BY_BYTES, 10, f64::INFINITY);
    control.on_timeout(&loss(20.0));
    acknowledge(&mut control, 3);
    assert_eq!(window(&control), 2.0);
}

#[test]
fn a_window_of_acks_opens_congestion_avoidance_by_about_one_segment_and_by_one_where_it_is_counted() {
    // Ten ACKs of one segment at a window of ten. Per ACK: 10 -> 10.1 -> ..., below 11; else nothing until the tenth.
    let mut control = reno(Growth::PerAck, 10, 10.0);
    (0..10).for_each(|_| acknowledge(&mut control, 1));
    assert!(window(&control) > 10.9 && window(&control) < 11.0);
    for growth in [BY_BYTES, Growth::WholeSegments] {
        let mut control = reno(growth, 10, 10.0);
        (0..9).for_each(|_| acknowledge(&mut control, 1));
        assert_eq!(window(&control), 10.0, "{growth:?}");
        acknowledge(&mut control, 1);
        assert_eq!(window(&control), 11.0, "{growth:?}");
    }
}

#[test]
fn acks_of_two_segments_count_twice_where_bytes_or_segments_count() {
    for (growth, expected) in [(BY_BYTES, 11.0), (Growth::WholeSegments, 11.0)] {
        let mut control = reno(growth, 10, 10.0);
        (0..5).for_each(|_| acknowledge(&mut control, 2));
        assert_eq!(window(&control), expected, "{growth:?}");
    }
    let mut control = reno(Growth::PerAck, 10, 10.0);
    (0..5).for_each(|_| acknowledge(&mut control, 2));
    assert!((window(&control) - 10.5).abs() < 0.02);
}

#[test]
fn whole_segments_stop_slow_start_at_ssthresh_and_count_the_rest() {
    // Linux, `tcp_slow_start`: 8 of 12 lead to 20; 4 are counted, and 16 more make a window of 20.
    let mut control = reno(Growth::WholeSegments, 12, 20.0);
    acknowledge(&mut control, 12);
    assert_eq!(window(&control), 20.0);
    acknowledge(&mut control, 15);
    assert_eq!(window(&control), 20.0);
    acknowledge(&mut control, 1);
    assert_eq!(window(&control), 21.0);
}

#[test]
fn credit_from_a_larger_window_is_worth_one_segment() {
    // Linux, `tcp_cong_avoid_ai`: 19 of 20 counted when the window becomes 4: one segment for them, not four.
    let mut control = reno(Growth::WholeSegments, 20, 20.0);
    acknowledge(&mut control, 19);
    let four = airlink_model::transport::congestion::Windows { window: 4000.0, slow_start_threshold: 4000.0 };
    control.restore(four);
    acknowledge(&mut control, 1);
    assert_eq!(window(&control), 5.0);
}

#[test]
fn a_loss_forgets_what_was_counted() {
    for growth in [BY_BYTES, Growth::WholeSegments] {
        let mut control = reno(growth, 20, 20.0);
        (0..19).for_each(|_| acknowledge(&mut control, 1));
        control.on_loss(&loss(20.0));
        (0..9).for_each(|_| acknowledge(&mut control, 1));
        assert_eq!(window(&control), 10.0, "{growth:?}");
        acknowledge(&mut control, 1);
        assert_eq!(window(&control), 11.0, "{growth:?}");
    }
}

#[test]
fn cubic_counts_segments_where_bytes_count_and_acks_where_they_do() {
    // RFC 9438 §4.4 with W_max 100, K = cbrt(30 / 0.4) from 70: target W_cubic(0) = 70 without a round trip, so the first
    // ACK starts the clock; one second later the target is 0.4 (1 - K)^3 + 100, and an ACK of two segments adds one or two
    // times (target - 70) / 70.
    let distance = 1.0 - libm::cbrt(75.0);
    let target = 0.4 * distance * distance * distance + 100.0;
    for (growth, times) in [(Growth::PerAck, 1.0), (BY_BYTES, 2.0)] {
        let switches =
            Tcp { congestion_control: Algorithm::Cubic, rules: Rules { growth, ..config(100).rules }, ..config(100) };
        let mut control = Controller::new(&Tcp { initial_ssthresh_segments: 100.0, ..switches });
        control.on_loss(&loss(100.0));
        let acked = AckEvent { acked: bytes(2.0), acked_segments: 2, ..ack() };
        control.on_ack(&acked);
        assert!((window(&control) - 70.0).abs() < 0.1);
        let before = window(&control);
        let now = super::events::at(1000.0);
        control.on_ack(&AckEvent { now, ..acked });
        let expected = times * (target - before) / before;
        assert!((window(&control) - before - expected).abs() < 1e-9, "{growth:?}");
    }
}
