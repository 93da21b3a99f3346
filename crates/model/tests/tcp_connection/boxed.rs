//! Congestion controls behind a box: the same run to the bit as held in place, and nobody moves the window of a control whose
//! recovery is its own.

use airlink_model::transport::congestion::{
    AckEvent, CongestionControl, Controller, IdleEvent, LossEvent, Needs, Windows,
};
use airlink_model::transport::{Limit, Pacing, Rules, Segment, Sender, Tcp};
use airlink_model::types::{Bytes, Rate, Time};
use proptest::prelude::*;

use super::hostile_switches::{answering, sender_config};
use super::hostile_watch::{Watch, fate};
use super::wire::{Connection, Fate, MSS, Observer, at, milliseconds};

/// What happens to a sender, step by step.
struct Log {
    watch: Watch,
    sent: Vec<(Time, Segment, u64)>,
    flights: Vec<u64>,
    /// Moments at which the window was to blame for a silence, and had room for a segment.
    idle_moments: u32,
}

impl Log {
    const fn new(watch: Watch) -> Self {
        Self { watch, sent: Vec::new(), flights: Vec::new(), idle_moments: 0 }
    }
}

impl Observer for Log {
    fn fate_of_data(&mut self, segment: &Segment) -> Fate {
        self.watch.fate_of_data(segment)
    }

    fn fate_of_ack(&mut self, ack: &Segment) -> Fate {
        self.watch.fate_of_ack(ack)
    }

    fn before_sender(&mut self, _now: Time, sender: &Sender) {
        let has_room = (sender.flight().count() + MSS) as f64 <= sender.cwnd();
        self.idle_moments += u32::from(has_room && sender.limit() == Limit::CongestionWindow);
    }

    fn on_sent(&mut self, now: Time, segment: &Segment, sender: &Sender) {
        self.watch.on_sent(now, segment, sender);
        self.sent.push((now, *segment, sender.cwnd().to_bits()));
        self.flights.push(sender.flight().count());
    }

    fn on_ack(&mut self, now: Time, ack: &Segment, sender: &mut Sender) {
        self.watch.on_ack(now, ack, sender);
    }
}

/// A window that never changes.
#[derive(Clone, Debug)]
struct Constant(f64);

impl CongestionControl for Constant {
    fn needs(&self) -> Needs {
        Needs { own_recovery: true, ..Needs::default() }
    }

    fn window(&self) -> f64 {
        self.0
    }

    fn slow_start_threshold(&self) -> f64 {
        f64::INFINITY
    }

    fn on_ack(&mut self, _ack: &AckEvent) {}

    fn on_loss(&mut self, _loss: &LossEvent) {}

    fn on_timeout(&mut self, _loss: &LossEvent) {}

    fn on_idle(&mut self, _idle: &IdleEvent) {}

    fn set_window(&mut self, _window: f64) {
        panic!("its recovery is its own");
    }

    fn restore(&mut self, _windows: Windows) {}
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_built_in_control_in_a_box_does_what_it_does_in_place(
        config in sender_config(),
        every in 1..3_u32,
        bytes in 1..120 * MSS,
        data_fates in prop::collection::vec(fate(), 0..120),
        ack_fates in prop::collection::vec(fate(), 0..120),
    ) {
        let boxed = Box::new(Controller::new(&config));
        let [in_place, in_a_box] = [Sender::new(config), Sender::with_control(config, boxed)].map(|sender| {
            let receiver = answering(&config, every, None);
            let mut connection = Connection::of(sender, receiver, Rate::from_bps(2e6), milliseconds(40));
            let watch = Watch::new(&config, bytes, data_fates.clone(), ack_fates.clone());
            let mut log = Log::new(watch);
            connection.start(Bytes::new(bytes), &mut log);
            connection.run_until(at(4_000_000), &mut log);
            (log.sent, connection.sender.statistics(), connection.sender.rto())
        });
        prop_assert_eq!(in_place, in_a_box);
    }

    #[test]
    fn with_its_own_recovery_the_window_stays_and_what_is_in_flight_fills_it(
        config in sender_config(),
        segments in 1..20_u64,
        every in 1..3_u32,
        bytes in 1..120 * MSS,
        data_fates in prop::collection::vec(fate(), 0..200),
        ack_fates in prop::collection::vec(fate(), 0..200),
    ) {
        let window = (segments * MSS) as f64;
        // A lost SYN may leave a smaller first window, which is no matter of recovery. F-RTO, pacing and ns-2's limits to bursts hold
        // back what the window lets out.
        let rules = Rules { frto: false, max_burst_segments: 0, ..config.rules };
        let config = Tcp { handshake: false, pacing: Pacing::Off, rules, ..config };
        let sender = Sender::with_control(config, Box::new(Constant(window)));
        let mut connection = Connection::of(sender, answering(&config, every, None), Rate::from_bps(2e6), milliseconds(40));
        let watch = Watch::new(&config, bytes, data_fates, ack_fates);
        let mut log = Log::new(watch);
        connection.start(Bytes::new(bytes), &mut log);
        connection.run_until(at(4_000_000), &mut log);
        prop_assert!(connection.sender.is_complete());
        prop_assert_eq!(log.idle_moments, 0);
        prop_assert!(log.sent.iter().all(|sent| sent.2 == window.to_bits()));
        // A loss probe goes whatever the window (RFC 8985 section 7.3).
        let probe = if config.rules.tail_loss_probe { MSS } else { 0 };
        let most = log.flights.iter().copied().max().unwrap_or(0);
        prop_assert!(most <= segments * MSS + probe, "{} of {}", most, window);
    }
}
