//! The three bases of a reduction, where they differ.

use airlink_model::transport::congestion::{Algorithm, CongestionControl, Controller, LossEvent};
use airlink_model::transport::{CubicConfig, Growth, ReductionOf, Rules, Tcp};

use super::events::{bytes, config, loss, threshold, window};

fn reno(reduction_of: ReductionOf, growth: Growth, initial: u32) -> Controller {
    Controller::new(&Tcp {
        congestion_control: Algorithm::Reno,
        rules: Rules { reduction_of, growth, ..config(initial).rules },
        ..config(initial)
    })
}

/// ssthresh and cwnd after a loss with 20 segments in flight and a receiver's window of 25.
fn after_loss(reduction_of: ReductionOf, growth: Growth, initial: u32) -> (f64, f64) {
    let mut control = reno(reduction_of, growth, initial);
    control.on_loss(&LossEvent { receiver_window: bytes(25.0), ..loss(20.0) });
    (threshold(&control), window(&control))
}

#[test]
fn a_loss_halves_the_flight_the_window_in_force_or_cwnd() {
    assert_eq!(after_loss(ReductionOf::Flight, Growth::PerAck, 41), (10.0, 10.0));
    // ns-2: half of min(cwnd, window), ssthresh a whole number and cwnd not.
    assert_eq!(after_loss(ReductionOf::Window, Growth::PerAck, 41), (12.0, 12.5));
    assert_eq!(after_loss(ReductionOf::Window, Growth::PerAck, 21), (10.0, 10.5));
    assert_eq!(after_loss(ReductionOf::CongestionWindow, Growth::PerAck, 41), (20.5, 20.5));
    assert_eq!(after_loss(ReductionOf::CongestionWindow, Growth::WholeSegments, 41), (20.0, 20.0));
}

#[test]
fn two_segments_are_the_least_ssthresh_of_all() {
    for reduction_of in [ReductionOf::Flight, ReductionOf::Window, ReductionOf::CongestionWindow] {
        for growth in [Growth::PerAck, Growth::WholeSegments] {
            let mut control = reno(reduction_of, growth, 3);
            control.on_loss(&loss(3.0));
            assert_eq!(threshold(&control), 2.0);
        }
    }
    // ns-2 leaves cwnd at half of three.
    assert_eq!(after_loss(ReductionOf::Window, Growth::PerAck, 3), (2.0, 1.5));
}

#[test]
fn a_repeated_timeout_holds_ssthresh_unless_the_window_is_what_is_cut() {
    for (reduction_of, expected) in
        [(ReductionOf::Flight, 10.0), (ReductionOf::CongestionWindow, 10.0), (ReductionOf::Window, 2.0)]
    {
        let mut control = reno(reduction_of, Growth::PerAck, 20);
        control.on_timeout(&loss(20.0));
        control.on_timeout(&LossEvent { is_repeated: true, ..loss(1.0) });
        assert_eq!((threshold(&control), window(&control)), (expected, 1.0), "{reduction_of:?}");
    }
}

#[test]
fn a_timeout_that_may_not_raise_ssthresh_leaves_it_or_lowers_it() {
    for algorithm in [Algorithm::Tahoe, Algorithm::Reno, Algorithm::NewReno, Algorithm::Cubic] {
        for (may_raise, flight, expected) in
            [(true, 60.0, 30.0), (false, 60.0, 10.0), (true, 8.0, 4.0), (false, 8.0, 4.0)]
        {
            let cubic = CubicConfig { beta: 0.5, ..CubicConfig::default() };
            let mut control = Controller::new(&Tcp { congestion_control: algorithm, cubic, ..config(20) });
            control.on_loss(&loss(20.0));
            control.on_timeout(&LossEvent { may_raise, ..loss(flight) });
            assert_eq!((threshold(&control), window(&control)), (expected, 1.0), "{algorithm:?}, {flight} in flight");
        }
    }
}

#[test]
fn a_window_that_was_not_validated_counts_for_what_was_used() {
    // RFC 7661 §4.4.2: half of max(pipeACK, FlightSize), which the sender puts in place of FlightSize.
    let mut control = reno(ReductionOf::CongestionWindow, Growth::PerAck, 80);
    control.on_loss(&LossEvent { is_validated: false, ..loss(12.0) });
    assert_eq!((threshold(&control), window(&control)), (6.0, 6.0));
}

#[test]
fn tahoe_answers_every_loss_with_one_segment() {
    let mut control = Controller::new(&Tcp { congestion_control: Algorithm::Tahoe, ..config(20) });
    control.on_loss(&loss(20.0));
    assert_eq!((threshold(&control), window(&control)), (10.0, 1.0));
}
