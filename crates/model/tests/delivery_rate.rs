//! Delivery rate samples against a list of all that happened, looked up from the definition, and against closed forms.

use std::sync::{Arc, Mutex};

use airlink_model::transport::congestion::{
    AckEvent, CongestionControl, IdleEvent, LossEvent, LostEvent, Needs, RateSample, Reno, SentEvent, Windows,
};
use airlink_model::transport::{Limit, Rules, Segment, Sender, Tcp};
use airlink_model::types::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

use crate::tcp_connection::wire::{Connection, Fate, MSS, Observer, at, milliseconds, receiving, sending};

/// What a control was told.
#[derive(Clone, Debug, Default)]
struct Told {
    sent: Vec<SentEvent>,
    lost: u64,
    samples: Vec<(AckEvent, RateSample)>,
}

/// A control that writes down what it is told: Reno's windows, or a constant window with a recovery of its own.
#[derive(Clone, Debug)]
struct Spy {
    reno: Reno,
    constant: Option<f64>,
    told: Arc<Mutex<Told>>,
}

impl Spy {
    fn new(config: &Tcp, constant: Option<f64>) -> (Box<Self>, Arc<Mutex<Told>>) {
        let told = Arc::new(Mutex::new(Told::default()));
        (Box::new(Self { reno: Reno::new(config), constant, told: Arc::clone(&told) }), told)
    }
}

impl CongestionControl for Spy {
    fn needs(&self) -> Needs {
        Needs { rate_samples: true, own_recovery: self.constant.is_some(), ..Needs::default() }
    }

    fn window(&self) -> f64 {
        self.constant.unwrap_or_else(|| self.reno.window())
    }

    fn slow_start_threshold(&self) -> f64 {
        self.reno.slow_start_threshold()
    }

    fn on_sent(&mut self, sent: &SentEvent) {
        self.told.lock().unwrap().sent.push(*sent);
    }

    fn on_lost(&mut self, lost: &LostEvent) {
        assert!(lost.lost >= lost.bytes && lost.sent_at <= lost.now && lost.in_flight_at_send >= lost.bytes);
        self.told.lock().unwrap().lost += lost.bytes.count();
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        self.told.lock().unwrap().samples.push((*ack, ack.rate.unwrap()));
        self.reno.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.reno.on_loss(loss);
    }

    fn on_timeout(&mut self, loss: &LossEvent) {
        self.reno.on_timeout(loss);
    }

    fn on_idle(&mut self, idle: &IdleEvent) {
        self.reno.on_idle(idle);
    }

    fn set_window(&mut self, window: f64) {
        self.reno.set_window(window);
    }

    fn restore(&mut self, windows: Windows) {
        self.reno.restore(windows);
    }
}

/// A moment that later samples look back at, in order.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// A segment left while nothing was in flight.
    SentIntoEmpty { at: Time },
    /// An ACK delivered `bytes`; the newest segment among them had left at `newest_sent_at`.
    Delivered { at: Time, bytes: u64, newest_sent_at: Time },
    /// Everything was sent, and more could have been; `to` is delivered when what was in flight then has arrived.
    AppLimited { to: u64 },
}

/// A transmission, with the length of the history and what had been lost when it left.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    segment: Segment,
    at: Time,
    history: usize,
    lost: u64,
    in_flight: u64,
}

/// The definition of a sample, by looking everything up.
struct Ledger {
    told: Arc<Mutex<Told>>,
    data_fates: std::vec::IntoIter<Fate>,
    ack_fates: std::vec::IntoIter<Fate>,
    history: Vec<Moment>,
    sent: Vec<Transmission>,
    /// Starts of segments that are known to have arrived.
    arrived: std::collections::BTreeSet<u64>,
    acknowledged: u64,
    least_rtt: Duration,
    lost_before_ack: u64,
    takes_old_acks: bool,
    samples_before: usize,
    compared: usize,
    app_limited: usize,
}

impl Ledger {
    fn new(told: Arc<Mutex<Told>>, data_fates: Vec<Fate>, ack_fates: Vec<Fate>, takes_old_acks: bool) -> Self {
        Self {
            told,
            data_fates: data_fates.into_iter(),
            ack_fates: ack_fates.into_iter(),
            history: Vec::new(),
            sent: Vec::new(),
            arrived: std::collections::BTreeSet::new(),
            acknowledged: 0,
            least_rtt: Duration::FOREVER,
            lost_before_ack: 0,
            takes_old_acks,
            samples_before: 0,
            compared: 0,
            app_limited: 0,
        }
    }

    fn delivered(&self, history: usize) -> u64 {
        let bytes = |moment: &Moment| if let Moment::Delivered { bytes, .. } = moment { *bytes } else { 0 };
        self.history[..history].iter().map(bytes).sum()
    }

    /// The latest moment before `history` that starts an interval: of acknowledgments, and of sending.
    fn starts(&self, history: usize) -> (Time, Time) {
        let start = |moment: &Moment| match *moment {
            Moment::SentIntoEmpty { at } => Some((at, at)),
            Moment::Delivered { at, newest_sent_at, .. } => Some((at, newest_sent_at)),
            Moment::AppLimited { .. } => None,
        };
        self.history[..history].iter().rev().find_map(start).unwrap()
    }

    /// Some moment of an application limit lies before `history`, and what was in flight then had not all arrived.
    fn is_app_limited(&self, history: usize) -> bool {
        let mut delivered = 0;
        let mut limited_to = 0;
        for moment in &self.history[..history] {
            match *moment {
                Moment::Delivered { bytes, .. } => {
                    delivered += bytes;
                    limited_to = if delivered > limited_to { 0 } else { limited_to };
                }
                Moment::AppLimited { to } => limited_to = to,
                Moment::SentIntoEmpty { .. } => {}
            }
        }
        limited_to > 0
    }

    /// The latest transmissions of the segments that `ack` shows to have arrived and none before it did.
    fn newly_arrived(&mut self, ack: &Segment) -> Vec<Transmission> {
        let covers = |segment: &Segment| {
            segment.end() <= ack.number
                || ack.sack().any(|block| block.start <= segment.sequence && segment.end() <= block.end)
        };
        let mut latest = std::collections::BTreeMap::new();
        for transmission in &self.sent {
            latest.insert(transmission.segment.sequence, *transmission);
        }
        let newly: Vec<_> = latest
            .into_values()
            .filter(|it| covers(&it.segment) && !self.arrived.contains(&it.segment.sequence))
            .collect();
        self.arrived.extend(newly.iter().map(|it| it.segment.sequence));
        newly
    }

    fn expect(&mut self, now: Time, ack: &Segment) -> RateSample {
        let newly = self.newly_arrived(ack);
        let lost = self.told.lock().unwrap().lost;
        let newly_lost = Bytes::new(lost - self.lost_before_ack);
        let Some(newest) = newly.iter().max_by_key(|it| it.segment.transmission).copied() else {
            let total_delivered = Bytes::new(self.delivered(self.history.len()));
            return RateSample { newly_lost, total_delivered, ..RateSample::default() };
        };
        let bytes = newly.iter().map(|it| u64::from(it.segment.length)).sum();
        self.history.push(Moment::Delivered { at: now, bytes, newest_sent_at: newest.at });
        let (acks_from, sending_from) = self.starts(newest.history);
        let rtt = (!newest.segment.retransmission).then(|| now.since(newest.at));
        self.least_rtt = rtt.map_or(self.least_rtt, |rtt| rtt.min(self.least_rtt));
        let (total, prior) = (self.delivered(self.history.len()), self.delivered(newest.history));
        let (send_elapsed, ack_elapsed) = (newest.at.since(sending_from), now.since(acks_from));
        let interval = send_elapsed.max(ack_elapsed);
        let is_reliable = interval >= self.least_rtt && interval > Duration::ZERO;
        RateSample {
            rate: is_reliable.then(|| Rate::from_bps((8 * (total - prior)) as f64 / interval.as_secs())),
            delivered: Bytes::new(total - prior),
            prior_delivered: Bytes::new(prior),
            total_delivered: Bytes::new(total),
            send_elapsed,
            ack_elapsed,
            is_app_limited: self.is_app_limited(newest.history),
            in_flight_at_send: Bytes::new(newest.in_flight),
            lost: Bytes::new(lost - newest.lost),
            newly_lost,
            rtt,
        }
    }
}

impl Observer for Ledger {
    fn fate_of_data(&mut self, _segment: &Segment) -> Fate {
        self.data_fates.next().unwrap_or(Fate::Deliver)
    }

    fn fate_of_ack(&mut self, _ack: &Segment) -> Fate {
        self.ack_fates.next().unwrap_or(Fate::Deliver)
    }

    fn before_sender(&mut self, _now: Time, sender: &Sender) {
        let told = self.told.lock().unwrap();
        (self.lost_before_ack, self.samples_before) = (told.lost, told.samples.len());
        drop(told);
        let flight = sender.flight().count();
        if sender.limit() == Limit::Application && (flight as f64) < sender.cwnd() {
            let delivered = self.delivered(self.history.len());
            self.history.push(Moment::AppLimited { to: (delivered + flight).max(1) });
        }
    }

    fn on_sent(&mut self, now: Time, segment: &Segment, sender: &Sender) {
        let told = self.told.lock().unwrap();
        let (event, lost) = (*told.sent.last().unwrap(), told.lost);
        drop(told);
        assert_eq!((event.now, event.bytes.count()), (now, u64::from(segment.length)));
        assert_eq!(event.is_retransmission, segment.retransmission);
        let in_flight = sender.flight().count();
        assert!(event.in_flight.count() == in_flight - event.bytes.count() || segment.retransmission);
        if event.in_flight.is_zero() {
            self.history.push(Moment::SentIntoEmpty { at: now });
        }
        let history = self.history.len();
        assert_eq!(event.is_app_limited, self.is_app_limited(history));
        self.sent.push(Transmission { segment: *segment, at: now, history, lost, in_flight });
    }

    fn on_ack(&mut self, now: Time, ack: &Segment, _sender: &mut Sender) {
        let is_old = ack.number < self.acknowledged;
        self.acknowledged = self.acknowledged.max(ack.number);
        if is_old && !self.takes_old_acks {
            return;
        }
        let expected = self.expect(now, ack);
        let told = self.told.lock().unwrap();
        if let Some((_, sample)) = told.samples.get(self.samples_before) {
            assert_eq!(*sample, expected);
            self.compared += 1;
            self.app_limited += usize::from(sample.is_app_limited && sample.rate.is_some());
        }
    }
}

fn fate() -> impl Strategy<Value = Fate> {
    let span = (0..300_u64).prop_map(milliseconds);
    prop_oneof![
        12 => Just(Fate::Deliver),
        2 => Just(Fate::Drop),
        1 => span.clone().prop_map(Fate::Duplicate),
        2 => span.prop_map(Fate::Delay),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn samples_are_those_of_the_definition_whatever_is_lost_or_late(
        has_own_recovery: bool,
        sack_of_old_acks: bool,
        segments in 1..30_u32,
        pieces in prop::collection::vec((1..40 * MSS, 0..2000_u64), 1..6),
        data_fates in prop::collection::vec(fate(), 0..200),
        ack_fates in prop::collection::vec(fate(), 0..200),
    ) {
        let base = sending(airlink_model::transport::Algorithm::NewReno);
        let config = Tcp {
            initial_window_segments: segments,
            sack: true,
            rules: Rules { sack_of_old_acks, sack_rescue: true, ..base.rules },
            ..base
        };
        let (spy, told) = Spy::new(&config, has_own_recovery.then_some(f64::from(segments) * MSS as f64));
        let sender = Sender::with_control(config, spy);
        let receiver = Tcp { sack: true, ..receiving(&config) };
        let mut connection = Connection::of(sender, receiver, Rate::from_bps(2e6), milliseconds(40));
        let mut ledger = Ledger::new(Arc::clone(&told), data_fates, ack_fates, sack_of_old_acks);
        connection.start(Bytes::new(1), &mut ledger);
        let mut total = 1;
        for (bytes, wait) in pieces {
            connection.run_until(connection.now + milliseconds(wait), &mut ledger);
            connection.supply(Bytes::new(bytes), &mut ledger);
            total += bytes;
        }
        connection.run_until(at(4_000_000), &mut ledger);
        prop_assert!(connection.sender.is_complete());
        let told = told.lock().unwrap();
        if has_own_recovery {
            let last = told.samples.last().unwrap().1;
            prop_assert_eq!((last.total_delivered, ledger.compared), (Bytes::new(total), told.samples.len()));
        }
    }
}

/// Samples of a constant window over a wire of 8.192 Mb/s, on which a segment takes a millisecond, and 100 ms of delay.
fn samples_over(segments: u64, bytes: Bytes, config: Tcp) -> Vec<(AckEvent, RateSample)> {
    let (spy, told) = Spy::new(&config, Some((segments * MSS) as f64));
    let sender = Sender::with_control(config, spy);
    let mut connection = Connection::of(sender, receiving(&config), Rate::from_bps(8.192e6), milliseconds(100));
    let mut ledger = Ledger::new(Arc::clone(&told), Vec::new(), Vec::new(), false);
    connection.start(bytes, &mut ledger);
    connection.run_until(at(5000), &mut ledger);
    told.lock().unwrap().samples.clone()
}

#[test]
fn where_the_wire_is_the_limit_every_sample_is_its_rate() {
    let config = sending(airlink_model::transport::Algorithm::NewReno);
    let samples = samples_over(300, Bytes::UNLIMITED, config);
    // The first window leaves at once: its n-th ACK shows n segments in 100 + n ms. Segment 300 + n leaves at 100 + n ms, and what
    // was acknowledged last had left at 0: from n = 200 on that is more than the 300 ms in which 300 segments were delivered.
    for (index, (_, sample)) in samples.iter().enumerate() {
        let n = (index % 300 + 1) as f64;
        let expected = match index / 300 {
            0 => 8.192e6 * n / (n + 100.0),
            1 => 8.192e6 * 300.0 / (n + 100.0).max(300.0),
            _ => 8.192e6,
        };
        let rate = sample.rate.unwrap().bps();
        assert!((rate / expected - 1.0).abs() < 1e-12, "{index}: {rate} instead of {expected}");
        assert_eq!(sample.is_app_limited, index < 300, "an application that just began was the limit");
    }
    assert!(samples.len() > 4000);
}

#[test]
fn where_the_window_is_the_limit_every_sample_is_a_window_in_a_round_trip() {
    let config = sending(airlink_model::transport::Algorithm::NewReno);
    let samples = samples_over(20, Bytes::UNLIMITED, config);
    // 20 segments in 101 ms; the first window's last segment is acknowledged 20 ms after its first.
    for (_, sample) in &samples[40..] {
        assert_eq!((sample.delivered, sample.interval()), (Bytes::new(20 * MSS), milliseconds(101)));
        assert_eq!((sample.rtt, sample.in_flight_at_send), (Some(milliseconds(101)), Bytes::new(20 * MSS)));
    }
}

#[test]
fn what_follows_a_pause_of_the_application_is_its_limit_for_a_round_trip() {
    let config = sending(airlink_model::transport::Algorithm::NewReno);
    let (spy, told) = Spy::new(&config, Some(300.0 * MSS as f64));
    let sender = Sender::with_control(config, spy);
    let mut connection = Connection::of(sender, receiving(&config), Rate::from_bps(8.192e6), milliseconds(100));
    let mut ledger = Ledger::new(Arc::clone(&told), Vec::new(), Vec::new(), false);
    connection.start(Bytes::new(1000 * MSS), &mut ledger);
    connection.run_until(at(3000), &mut ledger);
    let before = told.lock().unwrap().samples.len();
    connection.supply(Bytes::new(1000 * MSS), &mut ledger);
    connection.run_until(at(6000), &mut ledger);
    let told = told.lock().unwrap();
    let limited: Vec<bool> = told.samples[before..].iter().map(|(_, sample)| sample.is_app_limited).collect();
    assert_eq!(limited.iter().position(|limited| !limited), Some(300), "what left before an ACK came back");
    // The last flight leaves while the application has nothing more: its samples are the network's, because all was sent before.
    assert_eq!(limited.iter().filter(|limited| **limited).count(), 300);
}
