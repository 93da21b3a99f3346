//! Promises of all algorithms, with every growth, exit and base of reduction, under any order of events.

use airlink_model::transport::congestion::{
    AckEvent, Algorithm, Arrival, CongestionControl, Controller, FastRecovery, IdleEvent, LossEvent, RecoveryStep,
    Windows,
};
use airlink_model::transport::{Growth, ReductionOf, Rules, SlowStartExit, Tcp};
use airlink_model::types::{Bytes, Duration, Time};
use proptest::prelude::*;

use super::events::{MSS, ack, at, bytes, config, loss, milliseconds, window};

fn every_config() -> Vec<Tcp> {
    let mut all = Vec::new();
    for &congestion_control in Algorithm::ALL {
        for &growth in Growth::ALL {
            for &slow_start_exit in SlowStartExit::ALL {
                for &reduction_of in ReductionOf::ALL {
                    let switches = Tcp {
                        congestion_control,
                        rules: Rules { growth, slow_start_exit, ..config(4).rules },
                        ..config(4)
                    };
                    all.push(Tcp { rules: Rules { reduction_of, ..switches.rules }, ..switches });
                }
            }
        }
    }
    all
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Ack { segments: u32, rtt: u64, is_window_limited: bool },
    Loss { flight: u32, is_validated: bool },
    Timeout { flight: u32, is_repeated: bool },
    Idle { span: u64, window: u32 },
    SpuriousLoss { flight: u32 },
    Recovery { window: u32 },
    Mark { flight: u32 },
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => (1..5_u32, 20..200_u64, prop::bool::weighted(0.9))
            .prop_map(|(segments, rtt, is_window_limited)| Event::Ack { segments, rtt, is_window_limited }),
        2 => (1..60_u32, any::<bool>()).prop_map(|(flight, is_validated)| Event::Loss { flight, is_validated }),
        1 => (1..60_u32, any::<bool>()).prop_map(|(flight, is_repeated)| Event::Timeout { flight, is_repeated }),
        1 => (0..5000_u64, 1..60_u32).prop_map(|(span, window)| Event::Idle { span, window }),
        1 => (1..60_u32).prop_map(|flight| Event::SpuriousLoss { flight }),
        1 => (0..60_u32).prop_map(|window| Event::Recovery { window }),
        1 => (1..60_u32).prop_map(|flight| Event::Mark { flight }),
    ]
}

/// A control under events, and the clock and numbers that its sender would have.
struct Driven {
    config: Tcp,
    control: Controller,
    now: Time,
    number: u64,
}

impl Driven {
    fn new(config: Tcp) -> Self {
        Self { config, control: Controller::new(&config), now: at(1.0), number: 0 }
    }

    /// The same control as one from outside the crate.
    fn boxed(config: Tcp) -> Self {
        Self { control: Controller::Boxed(Box::new(Controller::new(&config))), ..Self::new(config) }
    }

    fn windows(&self) -> Windows {
        Windows { window: self.control.window(), slow_start_threshold: self.control.slow_start_threshold() }
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Ack { segments, rtt, is_window_limited } => self.acknowledge(segments, rtt, is_window_limited),
            Event::Loss { flight, is_validated } => self.lose(&LossEvent { is_validated, ..self.loss(flight) }),
            Event::Timeout { flight, is_repeated } => self.time_out(&LossEvent { is_repeated, ..self.loss(flight) }),
            Event::Idle { span, window } => self.rest(span, window),
            Event::SpuriousLoss { flight } => self.lose_for_nothing(flight),
            Event::Recovery { window } => self.recover(window),
            Event::Mark { flight } => self.mark(&self.loss(flight)),
        }
        let windows = self.windows();
        assert!(windows.window >= MSS && windows.window.is_finite(), "{windows:?} of {:?}", self.config);
        assert!(windows.slow_start_threshold > 0.0, "{windows:?}");
    }

    fn acknowledge(&mut self, segments: u32, rtt: u64, is_window_limited: bool) {
        let before = self.windows();
        self.now = self.now + milliseconds(rtt / 10);
        self.number += u64::from(segments) * 1000;
        let sample = Some(milliseconds(rtt));
        let times = AckEvent { now: self.now, rtt: sample, newest_rtt: sample, srtt: sample, ..ack() };
        let sent_end = self.number + before.window as u64;
        let numbers = AckEvent { number: self.number, sent_end, is_window_limited, ..times };
        let acked = bytes(f64::from(segments));
        self.control.on_arrival(&Arrival { now: self.now, acked, is_duplicate: false, rtt: sample });
        self.control.on_ack(&AckEvent { acked, acked_segments: segments, ..numbers });
        let growth = self.control.window() - before.window;
        if growth < 0.0 {
            self.assert_vegas_may_shrink(before);
        }
        assert!(growth <= f64::from(segments + 1) * MSS, "a segment per segment: {growth} with {:?}", self.config);
        assert!(is_window_limited || growth <= 0.0, "what isn't used doesn't grow: {growth} with {:?}", self.config);
    }

    /// No ACK shrinks a window but Vegas', by a segment, or more where slow start ends; and never below two.
    fn assert_vegas_may_shrink(&self, before: Windows) {
        let after = self.windows();
        assert_eq!(self.config.congestion_control, Algorithm::Vegas, "an ACK shrinks nothing: {:?}", self.config);
        assert!(after.window >= 2.0 * MSS && after.window >= after.slow_start_threshold, "{after:?}");
        let has_ended_slow_start = before.window < before.slow_start_threshold;
        assert!(has_ended_slow_start || before.window - after.window <= MSS, "{before:?} {after:?}");
    }

    fn loss(&self, flight: u32) -> LossEvent {
        let receiver_window = bytes(30.0);
        let sent_end = self.number + u64::from(flight) * 1000;
        LossEvent { now: self.now, receiver_window, sent_end, ..loss(f64::from(flight)) }
    }

    /// Westwood+ asks what it has measured, which `westwood.rs` counts by hand: here two segments are the least, all are whole
    /// where windows are, and nothing exceeds what was used of a window that was not validated.
    fn assert_threshold(&self, loss: &LossEvent, expected: f64) {
        let threshold = self.control.slow_start_threshold();
        if self.config.congestion_control != Algorithm::Westwood {
            assert_eq!(threshold, expected, "{:?}", self.config);
            return;
        }
        let is_whole =
            self.config.rules.growth == Growth::WholeSegments || self.config.rules.reduction_of == ReductionOf::Window;
        assert!(threshold >= 2.0 * MSS && threshold.is_finite(), "{threshold}");
        assert!(!is_whole || threshold % MSS == 0.0, "{threshold} with {:?}", self.config);
        assert!(loss.is_validated || threshold <= (loss.flight.count() as f64).max(2.0 * MSS), "{threshold} {loss:?}");
    }

    /// RFC 5681 §3.1 eq. (4) with what `reduction_of` says in place of FlightSize; RFC 9438 §4.6 for CUBIC.
    fn expected_threshold(&self, loss: &LossEvent) -> f64 {
        let (window, flight) = (self.control.window(), loss.flight.count() as f64);
        let is_cubic = self.config.congestion_control == Algorithm::Cubic;
        let is_whole = self.config.rules.growth == Growth::WholeSegments;
        let factor = match (is_cubic, is_whole) {
            (false, _) => 0.5,
            (true, false) => 0.7,
            (true, true) => 717.0 / 1024.0,
        };
        let base = match self.config.rules.reduction_of {
            ReductionOf::Flight => flight,
            _ if !loss.is_validated => flight,
            ReductionOf::Window => window.min(loss.receiver_window.count() as f64),
            ReductionOf::CongestionWindow => window,
        };
        let cut = base * factor;
        let has_whole_threshold = is_whole || self.config.rules.reduction_of == ReductionOf::Window;
        let cut = if has_whole_threshold { (cut / MSS).floor() * MSS } else { cut };
        cut.max(2.0 * MSS)
    }

    fn lose(&mut self, loss: &LossEvent) {
        let (before, expected) = (self.control.window(), self.expected_threshold(loss));
        self.control.on_loss(loss);
        let after = self.windows();
        self.assert_threshold(loss, expected);
        match (self.config.congestion_control, self.config.rules.reduction_of) {
            (Algorithm::Tahoe, _) => assert_eq!(after.window, MSS),
            (Algorithm::Westwood, _) => assert_eq!(after.window, after.slow_start_threshold),
            // ns-2 rounds ssthresh and not cwnd, and raises only ssthresh to two segments.
            (_, ReductionOf::Window) => assert!((after.window - expected).abs() <= MSS),
            _ => assert_eq!(after.window, expected),
        }
        // FlightSize may have outgrown a window that was cut a moment ago; the others are bounds of their own.
        // Westwood+ leaves what the measured rate fills, and that may be more.
        let is_bound = self.config.congestion_control != Algorithm::Westwood;
        if is_bound && self.config.rules.reduction_of != ReductionOf::Flight && loss.is_validated {
            assert!(after.window <= before.max(2.0 * MSS), "a loss opens nothing: {before} {after:?}");
        }
    }

    /// RFC 3168 §6.1.2: as a loss, but no algorithm slow starts.
    fn mark(&mut self, mark: &LossEvent) {
        let expected = self.expected_threshold(mark);
        self.control.on_mark(mark);
        self.assert_threshold(mark, expected);
        assert_eq!(self.control.window(), self.control.slow_start_threshold());
    }

    fn time_out(&mut self, loss: &LossEvent) {
        let (held, cut) = (self.control.slow_start_threshold(), self.expected_threshold(loss));
        self.control.on_timeout(loss);
        let holds = loss.is_repeated && self.config.rules.reduction_of != ReductionOf::Window;
        assert_eq!(self.control.window(), MSS);
        if holds {
            assert_eq!(self.control.slow_start_threshold(), held, "{:?}", self.config);
        } else {
            self.assert_threshold(loss, cut);
        }
    }

    fn rest(&mut self, span: u64, window: u32) {
        self.now = self.now + milliseconds(span);
        let window = self.control.window().min(f64::from(window) * MSS);
        let windows = Windows { window, slow_start_threshold: 20.0 * MSS };
        self.control.on_idle(&IdleEvent { now: self.now, idle: milliseconds(span), windows });
        assert_eq!(self.windows(), windows);
    }

    /// A recovery that ends with whatever its own arithmetic says.
    fn recover(&mut self, window: u32) {
        self.lose(&self.loss(20));
        self.control.set_window(f64::from(window) * MSS);
    }

    fn lose_for_nothing(&mut self, flight: u32) {
        let before = self.windows();
        self.control.on_loss(&self.loss(flight));
        self.control.restore(before);
        assert_eq!(self.windows(), before, "restore restores");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_control_keeps_the_contract_and_answers_the_same_to_the_same(
        events in prop::collection::vec(event(), 1..150),
    ) {
        for config in every_config() {
            let (mut one, mut other) = (Driven::new(config), Driven::boxed(config));
            prop_assert_eq!(one.control.needs(), other.control.needs());
            for event in &events {
                one.apply(*event);
                other.apply(*event);
                other.control = other.control.clone();
                prop_assert_eq!(one.windows(), other.windows());
            }
        }
    }

    #[test]
    fn a_window_that_is_used_grows_whatever_came_before(events in prop::collection::vec(event(), 1..60)) {
        for config in every_config() {
            let mut driven = Driven::new(config);
            events.iter().for_each(|event| driven.apply(*event));
            let before = driven.control.window();
            // 60 round trips of 100 ms, each with a window of ACKs, or until it has grown.
            for _ in 0..60 {
                let count = window(&driven.control) as u32;
                let gap = Duration::from_nanos(100_000_000 / u64::from(count.max(1)));
                for _ in 0..count {
                    driven.now = driven.now + gap;
                    driven.acknowledge(1, 9, true);
                }
                if driven.control.window() >= before + MSS {
                    break;
                }
            }
            prop_assert!(driven.control.window() >= before + MSS, "{} {:?}", driven.control.window() - before, config);
        }
    }

    #[test]
    fn inflation_counts_what_left_the_network_and_ends_at_ssthresh(
        flight in 4..60_u32, duplicates in 0..40_u32, acked in 1..9000_u64, left in 0..60_u32, is_full: bool,
    ) {
        for &congestion_control in Algorithm::ALL.iter().skip(1) {
            let config = Tcp { congestion_control, ..config(4) };
            let (mut control, mut recovery) = (Controller::new(&config), FastRecovery::new(&config));
            control.on_loss(&loss(f64::from(flight)));
            let threshold = control.slow_start_threshold();
            recovery.begin(&mut control, f64::from(flight) * MSS);
            (0..duplicates).for_each(|_| recovery.on_duplicate_ack(&mut control));
            let inflated = threshold + f64::from(3 + duplicates) * MSS;
            prop_assert_eq!(control.window(), inflated);
            let left = bytes(f64::from(left));
            let step = recovery.on_ack(&mut control, Bytes::new(acked), left, is_full);
            match (congestion_control, is_full) {
                (Algorithm::Reno, _) => {
                    prop_assert_eq!((step, control.window()), (RecoveryStep::Leave, threshold));
                }
                (_, true) => {
                    let expected = threshold.min((left.count() as f64).max(MSS) + MSS);
                    prop_assert_eq!((step, control.window()), (RecoveryStep::Complete, expected));
                }
                (_, false) => {
                    let back = if acked >= 1000 { MSS } else { 0.0 };
                    let expected = (inflated - acked as f64 + back).max(MSS);
                    prop_assert_eq!((step, control.window()), (RecoveryStep::Retransmit, expected));
                }
            }
            prop_assert_eq!(control.slow_start_threshold(), threshold);
        }
    }
}
