//! What every congestion control algorithm owes its sender, whatever the order of events.

use airlink_model::transport::congestion::{
    AckEvent, CongestionControl, InitialWindow, LossEvent, NewReno, RecoveryStep, Reno,
};
use airlink_model::types::{Bytes, Time};
use proptest::prelude::*;

const MSS: f64 = 1000.0;

#[derive(Clone, Copy, Debug)]
enum Event {
    Ack { acked: u64, flight: u64, is_full: bool },
    Duplicates(u32),
    Timeout { flight: u64, is_repeated: bool },
}

fn every_algorithm() -> Vec<Box<dyn CongestionControl>> {
    let initial =
        InitialWindow { mss: MSS, window: 2.0 * MSS, slow_start_threshold: f64::INFINITY, duplicate_threshold: 3 };
    vec![Box::new(Reno::new(initial)), Box::new(NewReno::new(initial))]
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

fn acknowledge(control: &mut dyn CongestionControl, in_recovery: &mut bool, ack: &AckEvent) {
    let before = control.window();
    if *in_recovery {
        *in_recovery = control.on_recovery_ack(ack) == RecoveryStep::Retransmit;
        assert!(
            *in_recovery || control.window() <= control.slow_start_threshold(),
            "recovery ends at ssthresh or less"
        );
        assert!(!(*in_recovery && ack.is_full), "a full ACK ends recovery");
    } else {
        control.on_ack(ack);
        assert!(control.window() > before && control.window() <= before + MSS, "a segment per ACK at most");
    }
}

proptest! {
    #[test]
    fn every_algorithm_keeps_the_contract(events in prop::collection::vec(event(), 1..200)) {
        let now = Time::ZERO;
        for mut control in every_algorithm() {
            let mut in_recovery = false;
            for event in &events {
                match *event {
                    Event::Ack { acked, flight, is_full } => {
                        let (acked, flight) = (Bytes::new(acked), Bytes::new(flight));
                        let ack = AckEvent { now, acked, flight, rtt: None, is_full };
                        acknowledge(control.as_mut(), &mut in_recovery, &ack);
                    }
                    Event::Duplicates(count) => {
                        if !in_recovery {
                            let flight = 20_000;
                            control.on_fast_retransmit(&LossEvent { now, flight: Bytes::new(flight), is_repeated: false });
                            prop_assert_eq!(control.slow_start_threshold(), halved(flight));
                        }
                        let before = control.window();
                        (0..count).for_each(|_| control.on_duplicate_ack());
                        prop_assert_eq!(control.window(), before + f64::from(count) * MSS);
                        in_recovery = true;
                    }
                    Event::Timeout { flight, is_repeated } => {
                        let before = control.slow_start_threshold();
                        control.on_timeout(&LossEvent { now, flight: Bytes::new(flight), is_repeated });
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
