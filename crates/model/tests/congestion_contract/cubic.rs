//! CUBIC against its own closed forms (RFC 9438).

use airlink_model::transport::congestion::{AckEvent, Algorithm, CongestionControl, Controller, IdleEvent, Windows};
use airlink_model::transport::{CubicConfig, Growth, Rules, SlowStartExit, Tcp};
use airlink_model::types::Duration;

use super::events::{IdealFlow, MSS, ack, at, config, loss, milliseconds, threshold, window};

const RTT: f64 = 0.1;

fn cubic(initial: u32) -> Tcp {
    Tcp { congestion_control: Algorithm::Cubic, ..config(initial) }
}

fn without(reno_friendly: bool, fast_convergence: bool) -> CubicConfig {
    CubicConfig { reno_friendly, fast_convergence, ..CubicConfig::default() }
}

fn cubed(x: f64) -> f64 {
    x * x * x
}

/// §4.2 Figure 1.
fn w_cubic(t: f64, k: f64, w_max: f64) -> f64 {
    0.4 * cubed(t - k) + w_max
}

/// A window that closes the distance to W_cubic(t + RTT) once a round trip, dW/dt = (W_cubic(t + RTT) - W) / RTT: with
/// s = t + RTT - K the particular solution is C (s^3 - 3 R s^2 + 6 R^2 s - 6 R^3) + W_max.
fn followed(t: f64, k: f64, w_max: f64, from: f64) -> f64 {
    let particular = |t: f64| {
        let s = t + RTT - k;
        0.4 * (cubed(s) - 3.0 * RTT * s * s + 6.0 * RTT * RTT * s - 6.0 * cubed(RTT)) + w_max
    };
    particular(t) + (from - particular(0.0)) * libm::exp(-t / RTT)
}

#[test]
fn after_a_loss_the_window_follows_the_cubic_function() {
    for growth in [Growth::PerAck, Growth::ByteCounting] {
        let switches = Tcp { cubic: without(false, true), rules: Rules { growth, ..cubic(1000).rules }, ..cubic(1000) };
        let mut flow = IdealFlow::new(&switches, milliseconds(100));
        flow.lose();
        assert_eq!((window(&flow.control), threshold(&flow.control)), (700.0, 700.0));
        // §4.2 Figure 2: K = cbrt((1000 - 700) / 0.4).
        let k = libm::cbrt(750.0);
        flow.step();
        let start = flow.now;
        let mut checked = 0;
        while flow.now < at(16_000.0) {
            flow.step();
            let t = flow.now.since(start).as_secs();
            let reached = window(&flow.control);
            // Per ACK instead of continuous: within one ACK's step, at most half a segment (target <= 3/2 cwnd); here the
            // steepest step is 0.4 * 3 * 7^2 * RTT / 700 < 0.01 a time.
            assert!((reached - followed(t, k, 1000.0, 700.0)).abs() < 0.05, "{t}: {reached}");
            // And the function itself: the lag is RTT^2 / 2 times its curvature 2.4 |t - K|, and RTT^3.
            let lag = 0.5 * RTT * RTT * 2.4 * (t - k).abs() + 0.4 * cubed(RTT) + 0.05;
            let settling = (0.4 * 3.0 * k * k * RTT) * libm::exp(-t / RTT);
            assert!((reached - w_cubic(t, k, 1000.0)).abs() < lag + settling, "{t}: {reached}");
            checked += 1;
        }
        assert!(checked > 100_000 && window(&flow.control) > 1100.0, "concave and convex");
    }
}

#[test]
fn where_reno_would_have_more_cubic_has_renos_average() {
    // §4.3: AIMD(alpha, beta) that loses one segment in n averages sqrt(alpha (1 + beta) n / (2 (1 - beta))) segments per
    // round trip, for Reno's (1, 1/2) and for (3 (1 - beta) / (1 + beta), beta) alike sqrt(3 n / 2). The square of the
    // window grows by 2 alpha per ACK, so its top is sqrt(2 alpha n / (1 - beta^2)).
    let n = 1000;
    let alpha = 3.0 * 0.3 / 1.7;
    let cases = [
        (Tcp { congestion_control: Algorithm::Reno, ..config(40) }, 1.0, 0.5),
        (Tcp { cubic: without(true, false), ..cubic(40) }, alpha, 0.7),
    ];
    for (switches, alpha, beta) in cases {
        let mut flow = IdealFlow::new(&switches, milliseconds(10));
        let mut cycle = || {
            flow.lose();
            let start = flow.now;
            (0..n).for_each(|_| flow.step());
            (window(&flow.control), flow.now.since(start).as_secs() / 0.01)
        };
        (0..50).for_each(|_| {
            cycle();
        });
        let (top, round_trips) = cycle();
        let expected: f64 = 2.0 * alpha * f64::from(n) / (1.0 - beta * beta);
        assert!((top / expected.sqrt() - 1.0).abs() < 0.01, "{top} {}", expected.sqrt());
        let average = f64::from(n) / round_trips;
        assert!((average / (1.5 * f64::from(n)).sqrt() - 1.0).abs() < 0.01, "{average}");
    }
}

#[test]
fn without_the_reno_friendly_region_a_short_round_trip_gets_far_less() {
    let average = |reno_friendly| {
        let mut flow = IdealFlow::new(&Tcp { cubic: without(reno_friendly, false), ..cubic(40) }, milliseconds(10));
        (0..40).for_each(|_| {
            flow.lose();
            (0..1000).for_each(|_| flow.step());
        });
        40_000.0 / (flow.now.as_secs() / 0.01)
    };
    assert!(average(false) < 0.7 * average(true), "{} {}", average(false), average(true));
}

#[test]
fn fast_convergence_lowers_the_plateau_of_a_flow_that_was_overtaken() {
    // §4.7: the second loss comes at 800 of 1000 segments. W_max is 800 (1 + 0.7) / 2 = 680 or 800; ssthresh 560. The
    // window stands still at W_max: K = cbrt(120 / 0.4) or cbrt(240 / 0.4).
    for (fast_convergence, w_max) in [(true, 680.0), (false, 800.0)] {
        let mut flow =
            IdealFlow::new(&Tcp { cubic: without(false, fast_convergence), ..cubic(1000) }, milliseconds(100));
        flow.lose();
        while window(&flow.control) < 800.0 {
            flow.step();
        }
        flow.lose();
        flow.step();
        let k = libm::cbrt((w_max - 560.0) / 0.4);
        let end = flow.now + Duration::from_secs(k);
        while flow.now < end {
            flow.step();
        }
        assert!((window(&flow.control) - w_max).abs() < 0.1, "{} {w_max}", window(&flow.control));
    }
}

#[test]
fn the_target_is_never_more_than_half_above_the_window() {
    // §4.2. Long after the plateau the function is far above: each ACK of a segment adds half a segment.
    let mut flow = IdealFlow::new(&Tcp { cubic: without(false, true), ..cubic(100) }, milliseconds(100));
    flow.lose();
    flow.step();
    flow.now = flow.now + Duration::from_secs(100.0);
    let before = window(&flow.control);
    flow.step();
    assert!((window(&flow.control) - before - 0.5).abs() < 1e-9);
}

#[test]
fn after_a_timeout_the_plateau_is_where_congestion_avoidance_begins() {
    // §4.8: ssthresh = 0.7 * 100, cwnd = 1; slow start to 70; from there W_cubic with K = 0, W_max = 70.
    let mut flow = IdealFlow::new(&Tcp { cubic: without(false, true), ..cubic(100) }, milliseconds(100));
    flow.lose();
    flow.control.restore(Windows { window: 100.0 * MSS, slow_start_threshold: 100.0 * MSS });
    flow.control.on_timeout(&loss(100.0));
    assert_eq!((window(&flow.control), threshold(&flow.control)), (1.0, 70.0));
    while window(&flow.control) < 70.0 {
        flow.step();
    }
    flow.step();
    let start = flow.now;
    while flow.now.since(start).as_secs() < 5.0 {
        flow.step();
    }
    let t = flow.now.since(start).as_secs();
    assert!((window(&flow.control) - followed(t, 0.0, 70.0, 70.0)).abs() < 0.1, "{}", window(&flow.control));
    assert!(window(&flow.control) > 118.0, "70 + 0.4 * 5^3 = 120");
}

#[test]
fn a_spurious_loss_leaves_no_trace() {
    // §4.9: the flow that lost nothing and the one whose loss was taken back have the same window ten seconds later.
    let windows_after = |is_timeout: Option<bool>| {
        let mut flow = IdealFlow::new(&cubic(500), milliseconds(100));
        flow.lose();
        (0..5000).for_each(|_| flow.step());
        let before =
            Windows { window: flow.control.window(), slow_start_threshold: flow.control.slow_start_threshold() };
        match is_timeout {
            Some(true) => flow.control.on_timeout(&loss(400.0)),
            Some(false) => flow.control.on_loss(&loss(400.0)),
            None => {}
        }
        if is_timeout.is_some() {
            flow.control.restore(before);
        }
        (0..50_000).for_each(|_| flow.step());
        window(&flow.control)
    };
    assert_eq!(windows_after(Some(false)), windows_after(None));
    assert_eq!(windows_after(Some(true)), windows_after(None));
}

/// The window `seconds` after a loss at 1000 segments, with a pause of as many after 2 s, told in one of two ways.
fn after_pause(pause: f64, tell: impl Fn(&mut Controller, f64)) -> f64 {
    let mut flow = IdealFlow::new(&Tcp { cubic: without(false, true), ..cubic(1000) }, milliseconds(100));
    flow.lose();
    while flow.now < at(2000.0) {
        flow.step();
    }
    flow.now = flow.now + Duration::from_secs(pause);
    tell(&mut flow.control, flow.now.as_secs());
    let end = flow.now + Duration::from_secs(3.0);
    while flow.now < end {
        flow.step();
    }
    window(&flow.control)
}

#[test]
fn time_in_which_the_window_was_not_the_limit_does_not_count() {
    // §4.2, §5.8: five seconds of pause and none give the same window, whether nothing was sent or too little.
    let steady = after_pause(0.0, |_, _| {});
    let counted = after_pause(5.0, |_, _| {});
    let idle = after_pause(5.0, |control, now| {
        let windows = Windows { window: control.window(), slow_start_threshold: control.slow_start_threshold() };
        let idle = Duration::from_secs(5.0);
        control.on_idle(&IdleEvent { now: at(1000.0 * now), idle, windows });
    });
    let limited = after_pause(5.0, |control, now| {
        let now = at(1000.0 * now);
        control.on_ack(&AckEvent { now, is_window_limited: false, ..ack() });
    });
    // W_cubic(10) - W_cubic(5) = 0.3 + 27.3.
    assert!(counted > steady + 27.0, "{counted} {steady}");
    assert!((idle - steady).abs() < 0.2 && (limited - steady).abs() < 0.2, "{idle} {limited} {steady}");
}

#[test]
fn a_slow_start_that_ends_without_a_loss_begins_at_the_plateau() {
    // §4.10: K = 0 and W_max = cwnd.
    let switches = Tcp {
        initial_ssthresh_segments: 100.0,
        rules: Rules { slow_start_exit: SlowStartExit::Loss, ..cubic(10).rules },
        ..cubic(10)
    };
    let mut flow = IdealFlow::new(&Tcp { cubic: without(false, true), ..switches }, milliseconds(100));
    while window(&flow.control) < 100.0 {
        flow.step();
    }
    flow.step();
    let start = flow.now;
    while flow.now.since(start).as_secs() < 4.0 {
        flow.step();
    }
    let t = flow.now.since(start).as_secs();
    assert!((window(&flow.control) - followed(t, 0.0, 100.0, 100.0)).abs() < 0.1, "{}", window(&flow.control));
}
