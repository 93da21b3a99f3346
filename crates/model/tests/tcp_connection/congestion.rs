//! What every congestion control algorithm owes its sender, whatever the order of events.

use airlink_model::transport::congestion::{
    AckEvent, Algorithm, CongestionControl, Controller, FastRecovery, LossEvent, RecoveryStep,
};
use airlink_model::transport::{InitialWindowRule, RecoveryEnd, ReductionOf, SenderConfig};
use airlink_model::types::{Bytes, Time};
use proptest::prelude::*;

const MSS: f64 = 1000.0;

#[derive(Clone, Copy, Debug)]
enum Event {
    Ack { acked: u64, flight: u64, is_full: bool },
    Duplicates(u32),
    Timeout { flight: u64, is_repeated: bool },
}

fn every_algorithm() -> Vec<(Controller, FastRecovery)> {
    let initial_window = InitialWindowRule::Segments(2);
    let config = SenderConfig { mss: Bytes::new(1000), initial_window, ..SenderConfig::default() };
    [Algorithm::Reno, Algorithm::NewReno]
        .map(|congestion_control| SenderConfig { congestion_control, ..config })
        .map(|config| (Controller::new(&config), FastRecovery::new(&config)))
        .to_vec()
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (1..5000_u64, 0..50_000_u64, any::<bool>())
            .prop_map(|(acked, flight, is_full)| Event::Ack { acked, flight, is_full }),
        2 => (1..20_u32).prop_map(Event::Duplicates),
        1 => (0..50_000_u64, any::<bool>()).prop_map(|(flight, is_repeated)| Event::Timeout { flight, is_repeated }),
    ]
}

fn halved(flight: u64) -> f64 {
    (flight as f64 / 2.0).max(2.0 * MSS)
}

fn acknowledge(
    control: &mut Controller,
    recovery: &mut FastRecovery,
    in_recovery: &mut bool,
    ack: &AckEvent,
    is_full: bool,
) {
    let before = control.window();
    if *in_recovery {
        *in_recovery = recovery.on_ack(control, ack.acked, ack.flight, is_full) == RecoveryStep::Retransmit;
        assert!(
            *in_recovery || control.window() <= control.slow_start_threshold(),
            "recovery ends at ssthresh or less"
        );
        assert!(!(*in_recovery && is_full), "a full ACK ends recovery");
    } else {
        control.on_ack(ack);
        assert!(control.window() > before && control.window() <= before + MSS, "a segment per ACK at most");
    }
}

fn ack_event(acked: u64, flight: u64) -> AckEvent {
    AckEvent {
        now: Time::ZERO,
        number: 0,
        sent_end: 0,
        acked: Bytes::new(acked),
        acked_segments: 1,
        flight: Bytes::new(flight),
        rtt: None,
        newest_rtt: None,
        srtt: None,
        is_window_limited: true,
    }
}

fn loss_event(flight: u64, is_repeated: bool) -> LossEvent {
    LossEvent {
        now: Time::ZERO,
        flight: Bytes::new(flight),
        receiver_window: Bytes::new(65_535),
        sent_end: 0,
        is_repeated,
        is_validated: true,
    }
}

proptest! {
    #[test]
    fn every_algorithm_keeps_the_contract(events in prop::collection::vec(event(), 1..200)) {
        for (mut control, mut recovery) in every_algorithm() {
            let mut in_recovery = false;
            for event in &events {
                match *event {
                    Event::Ack { acked, flight, is_full } => {
                        acknowledge(&mut control, &mut recovery, &mut in_recovery, &ack_event(acked, flight), is_full);
                    }
                    Event::Duplicates(count) => {
                        if !in_recovery {
                            let flight = 20_000;
                            control.on_loss(&loss_event(flight, false));
                            recovery.begin(&mut control);
                            prop_assert_eq!(control.slow_start_threshold(), halved(flight));
                        }
                        let before = control.window();
                        (0..count).for_each(|_| recovery.on_duplicate_ack(&mut control));
                        prop_assert_eq!(control.window(), before + f64::from(count) * MSS);
                        in_recovery = true;
                    }
                    Event::Timeout { flight, is_repeated } => {
                        let before = control.slow_start_threshold();
                        control.on_timeout(&loss_event(flight, is_repeated));
                        prop_assert_eq!(control.window(), MSS);
                        let expected = if is_repeated { before } else { halved(flight) };
                        prop_assert_eq!(control.slow_start_threshold(), expected);
                        in_recovery = false;
                    }
                }
                prop_assert!(control.window() >= MSS && control.window().is_finite());
            }
        }
    }
}

/// A NewReno of ten segments that has lost one and heard five duplicate ACKs.
fn recovering(recovery_end: RecoveryEnd) -> (Controller, FastRecovery) {
    let config = SenderConfig {
        mss: Bytes::new(1000),
        initial_window: InitialWindowRule::Segments(10),
        congestion_control: Algorithm::NewReno,
        reduction_of: ReductionOf::Window,
        recovery_end,
        ..SenderConfig::default()
    };
    let (mut control, mut recovery) = (Controller::new(&config), FastRecovery::new(&config));
    control.on_loss(&loss_event(10_000, false));
    recovery.begin(&mut control);
    (0..2).for_each(|_| recovery.on_duplicate_ack(&mut control));
    (control, recovery)
}

#[test]
fn the_end_of_a_recovery_takes_the_inflation_off_or_goes_to_ssthresh_or_sends_no_burst() {
    let window_at = |end, partial: &[u64], flight| {
        let (mut control, mut recovery) = recovering(end);
        for &acked in partial {
            recovery.on_ack(&mut control, Bytes::new(acked), Bytes::new(9000), false);
        }
        recovery.on_ack(&mut control, Bytes::new(5000), Bytes::new(flight), true);
        control.window()
    };
    // 5 segments + 5 of inflation. A partial ACK of 3 takes 2 of the inflation; one of 4 more takes all but one of the 3
    // left, and one of the window: 4 segments.
    assert_eq!(window_at(RecoveryEnd::Deflated, &[3000], 2000), 5000.0);
    assert_eq!(window_at(RecoveryEnd::Deflated, &[3000, 4000], 2000), 4000.0);
    assert_eq!(window_at(RecoveryEnd::Threshold, &[3000, 4000], 2000), 5000.0);
    assert_eq!(window_at(RecoveryEnd::Flight, &[3000, 4000], 2000), 3000.0);
    // One segment of window and one of inflation is the least that is left.
    assert_eq!(window_at(RecoveryEnd::Deflated, &[30_000], 2000), 1000.0);
}
