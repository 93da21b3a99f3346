//! CUBIC as Linux computes it, against its integers worked out by hand.

use airlink_model::transport::congestion::{AckEvent, Algorithm, CongestionControl, Controller, IdleEvent, Windows};
use airlink_model::transport::{CubicConfig, Growth, ReductionOf, RtoConfig, Rules, Tcp};
use airlink_model::types::{Duration, Time};

use super::events::{IdealFlow, ack, at, bytes, config, loss, milliseconds, threshold, window};

fn linux(initial: u32) -> Tcp {
    Tcp {
        congestion_control: Algorithm::Cubic,
        initial_ssthresh_segments: f64::from(initial),
        rto: RtoConfig { timer_tick: milliseconds(4), ..RtoConfig::default() },
        rules: Rules {
            growth: Growth::WholeSegments,
            reduction_of: ReductionOf::CongestionWindow,
            ..config(initial).rules
        },
        ..config(initial)
    }
}

fn cubed(x: f64) -> f64 {
    x * x * x
}

/// An ACK of `segments`, with a round-trip time if one is given.
fn acknowledge(control: &mut Controller, now: Time, segments: u32, rtt: Option<u64>) {
    let sample = rtt.map(milliseconds);
    let acked = AckEvent { acked: bytes(f64::from(segments)), acked_segments: segments, ..ack() };
    control.on_ack(&AckEvent { now, rtt: sample, newest_rtt: sample, srtt: sample, ..acked });
}

/// How many ACKs of a segment, all at `now`, open the window.
fn acks_to_grow(control: &mut Controller, now: Time, rtt: Option<u64>) -> u32 {
    let before = control.window();
    (1..)
        .find(|_| {
            acknowledge(control, now, 1, rtt);
            control.window() > before
        })
        .unwrap()
}

#[test]
fn before_any_loss_twenty_acks_open_the_window() {
    // K = 0 at the window itself; 100 ms are 102/1024 s, and 410 * 102^3 / 2^40 = 0: the target is the window, 100 windows of
    // ACKs a segment, but no more than 20 while no loss is known. Reno's window, 50 * 15 / 8 = 93 ACKs a segment, is no help.
    let mut control = Controller::new(&linux(50));
    assert_eq!(acks_to_grow(&mut control, at(1000.0), Some(100)), 20);
}

#[test]
fn after_a_loss_the_count_comes_from_the_scaled_function() {
    // ssthresh = 1000 * 717 / 1024 = 700. K = cbrt(300 * 2^40 / 410) = 9300/1024 s. With 100 ms = 25 jiffies = 102/1024 s:
    // 410 * (9300 - 102)^3 / 2^40 = 290, target 710, 700 / 10 = 70 ACKs a segment. The same jiffy computes nothing new.
    let mut control = Controller::new(&linux(1000));
    acknowledge(&mut control, at(1000.0), 0, Some(100));
    control.on_loss(&loss(1000.0));
    assert_eq!(threshold(&control), 700.0);
    assert_eq!(acks_to_grow(&mut control, at(2000.0), None), 70);
    assert_eq!(acks_to_grow(&mut control, at(2003.9), None), 70);
    // Three seconds later, 250 jiffies each: t = 3174, 410 * (9300 - 3174)^3 / 2^40 = 85: target 915; 702 / 213 = 3.
    assert_eq!(acks_to_grow(&mut control, at(5000.0), None), 3);
}

#[test]
fn the_window_is_computed_anew_when_it_moves_or_after_a_thirty_second_of_a_second() {
    // HZ / 32 = 7 jiffies, 28 ms: until then the count stays. 32 ms later: t = 8 + 25 jiffies = 135/1024 s,
    // 410 * 9165^3 / 2^40 = 287: target 713, 700 / 13 = 53.
    for (later, expected) in [(28.0, 70), (32.0, 53)] {
        let mut control = Controller::new(&linux(1000));
        acknowledge(&mut control, at(1000.0), 0, Some(100));
        control.on_loss(&loss(1000.0));
        acknowledge(&mut control, at(2000.0), 1, None);
        assert_eq!(acks_to_grow(&mut control, at(2000.0 + later), None), expected - 1);
    }
}

#[test]
fn growth_is_at_most_a_segment_for_two_acked() {
    let mut control = Controller::new(&linux(1000));
    control.on_loss(&loss(1000.0));
    acknowledge(&mut control, at(2000.0), 1, None);
    acknowledge(&mut control, at(100_000.0), 99, None);
    assert_eq!(window(&control), 750.0);
}

#[test]
fn renos_estimate_takes_over_when_it_is_faster() {
    // W_max 100, window 70: K = cbrt(30 * 2^40 / 410) = 4316; 410 * 4316^3 / 2^40 = 29, so the target is 71: 70 ACKs a
    // segment at first. Reno counts a segment for 70 * 15 / 8 = 131 ACKs. Without round trips time does not help, so after
    // 70 (71) and 71 more (72) ... Reno is behind; with a long plateau it is ahead.
    let run = |reno_friendly| {
        let cubic = CubicConfig { reno_friendly, ..CubicConfig::default() };
        let mut control = Controller::new(&Tcp { cubic, ..linux(100) });
        control.on_loss(&loss(100.0));
        // 20 round trips of 10 ms, a window of ACKs each.
        for trip in 0..20 {
            let count = window(&control) as u32;
            (0..count).for_each(|_| acknowledge(&mut control, at(2000.0 + 10.0 * f64::from(trip)), 1, Some(10)));
        }
        window(&control)
    };
    // Reno: 20 windows of ACKs at 15/8 windows a segment are 10 segments and a half: 80. The function: W_cubic(0.2 s) is
    // 100 - 0.4 (4.22 - 0.2)^3 = 74.
    assert!((79.0..=81.0).contains(&run(true)), "{}", run(true));
    assert!((73.0..=76.0).contains(&run(false)), "{}", run(false));
}

#[test]
fn the_window_stays_within_its_integers_of_the_cubic_function() {
    let cubic = CubicConfig { reno_friendly: false, ..CubicConfig::default() };
    let mut flow = IdealFlow::new(&Tcp { cubic, ..linux(1000) }, milliseconds(100));
    flow.step();
    flow.lose();
    flow.step();
    let start = flow.now;
    // C = 410 / 1024 / 10 * ... = 0.40039; ssthresh 700.
    let c: f64 = 410.0 / 1024.0;
    let k = libm::cbrt(300.0 / c);
    while flow.now < at(16_000.0) {
        flow.step();
        let t = flow.now.since(start).as_secs();
        let expected = c * cubed(t - k) + 1000.0;
        // One segment from rounding the offset, one from the target a round trip ahead of whole segments, and the lag of
        // RTT^2 / 2 times the curvature.
        assert!((window(&flow.control) - expected).abs() < 2.5, "{t}: {} {expected}", window(&flow.control));
    }
    assert!(window(&flow.control) > 1100.0);
}

#[test]
fn fast_convergence_remembers_less_than_was_reached() {
    // 800 after 1000: 800 * (1024 + 717) / 2048 = 680; the second ssthresh is 800 * 717 / 1024 = 560. K of 120 segments
    // is cbrt(120 * 2^40 / 410) = 6853/1024 s, of 240 it is 8634: at K the target is W_max and the window within two of it.
    for (fast_convergence, w_max, k) in [(true, 680.0, 6853.0), (false, 800.0, 8634.0)] {
        let cubic = CubicConfig { fast_convergence, reno_friendly: false, ..CubicConfig::default() };
        let mut flow = IdealFlow::new(&Tcp { cubic, ..linux(1000) }, milliseconds(100));
        flow.lose();
        flow.control.restore(Windows { window: 800_000.0, slow_start_threshold: 800_000.0 });
        flow.lose();
        assert_eq!(threshold(&flow.control), 560.0);
        flow.step();
        let end = flow.now + Duration::from_secs(k / 1024.0);
        while flow.now < end {
            flow.step();
        }
        assert!((window(&flow.control) - w_max).abs() <= 2.0, "{} {w_max}", window(&flow.control));
    }
}

#[test]
fn a_timeout_forgets_the_last_maximum() {
    // Then a segment for 20 ACKs, as before any loss.
    let mut control = Controller::new(&linux(100));
    control.on_loss(&loss(100.0));
    control.on_timeout(&loss(70.0));
    // 70 * 717 / 1024 = 49.
    assert_eq!((threshold(&control), window(&control)), (49.0, 1.0));
    acknowledge(&mut control, at(3000.0), 48, None);
    assert_eq!(window(&control), 49.0);
    assert_eq!(acks_to_grow(&mut control, at(3000.0), None), 20);
}

#[test]
fn an_idle_time_moves_the_epoch() {
    let count_after = |tell: bool| {
        let mut control = Controller::new(&linux(1000));
        control.on_loss(&loss(1000.0));
        acknowledge(&mut control, at(2000.0), 1, None);
        let windows = Windows { window: control.window(), slow_start_threshold: control.slow_start_threshold() };
        if tell {
            control.on_idle(&IdleEvent { now: at(5000.0), idle: milliseconds(3000), windows });
        }
        acks_to_grow(&mut control, at(5000.0), None)
    };
    // Not told: t = 3 s, 410 * (9300 - 3072)^3 / 2^40 = 90: target 910, 700 / 210 = 3. Told: t = 0, as at the start:
    // 410 * 9300^3 / 2^40 = 299, target 701: 700, of which one ACK is counted.
    assert_eq!((count_after(false), count_after(true)), (2, 699));
}
