//! Congestion controls from outside the crate: a rate-based one that keeps a deep buffer empty, and one that follows marks.
//! The other tests of the crate know nothing of them.

use airlink_model::transport::congestion::{
    AckEvent, CongestionControl, IdleEvent, LossEvent, LostEvent, Needs, RateSample, SentEvent, Windows,
};
use airlink_model::transport::{Algorithm, Rules, Segment, Sender, Tcp};
use airlink_model::types::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

use crate::tcp_connection::hostile_switches::{answering, sender_config};
use crate::tcp_connection::hostile_watch::{Watch, fate};
use crate::tcp_connection::wire::{Connection, Fate, MSS, Observer, at, milliseconds, receiving, sending};

/// The gains of a cycle, a round trip each: probe, drain, cruise.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Doubles the rate in each round trip: 2 / ln 2.
const STARTUP_GAIN: f64 = 2.885;
/// Rounds over which the largest delivery rate is looked for.
const FILTER_ROUNDS: u64 = 10;

/// A small control in the manner of BBR: paced at a gain of the largest delivery rate, with a window of twice what that rate
/// sends in the least round trip. Left out: PROBE_RTT, bounds by losses, and all that lets it share a bottleneck.
#[derive(Clone, Debug)]
struct RateBased {
    mss: f64,
    initial_window: f64,
    /// Delivery rates in bytes per second with their rounds, falling.
    rates: Vec<(u64, f64)>,
    least_rtt: Option<Duration>,
    round: u64,
    round_ends_at: Bytes,
    /// The rate that a round must exceed by a quarter for startup to go on, and for how many it did not.
    full_rate: f64,
    rounds_without_growth: u32,
    phase: Phase,
    lost: u64,
    in_flight: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Startup,
    Drain,
    Cycle(usize),
}

impl RateBased {
    fn new(config: &Tcp) -> Self {
        let mss = config.mss.count() as f64;
        Self {
            mss,
            initial_window: 10.0 * mss,
            rates: Vec::new(),
            least_rtt: None,
            round: 0,
            round_ends_at: Bytes::ZERO,
            full_rate: 0.0,
            rounds_without_growth: 0,
            phase: Phase::Startup,
            lost: 0,
            in_flight: 0,
        }
    }

    fn bandwidth(&self) -> Option<f64> {
        self.rates.first().map(|rate| rate.1)
    }

    fn bandwidth_delay_product(&self) -> Option<f64> {
        Some(self.bandwidth()? * self.least_rtt?.as_secs())
    }

    fn gain(&self) -> f64 {
        match self.phase {
            Phase::Startup => STARTUP_GAIN,
            Phase::Drain => 1.0 / STARTUP_GAIN,
            Phase::Cycle(step) => CYCLE[step],
        }
    }

    fn take(&mut self, rate: Rate) {
        let bytes_per_second = rate.bps() / 8.0;
        self.rates.retain(|known| known.1 > bytes_per_second && self.round - known.0 < FILTER_ROUNDS);
        self.rates.push((self.round, bytes_per_second));
    }

    fn on_round(&mut self) {
        let bandwidth = self.bandwidth().unwrap_or(0.0);
        match self.phase {
            Phase::Startup if bandwidth >= 1.25 * self.full_rate => {
                (self.full_rate, self.rounds_without_growth) = (bandwidth, 0);
            }
            Phase::Startup => {
                self.rounds_without_growth += 1;
                self.phase = if self.rounds_without_growth == 3 { Phase::Drain } else { Phase::Startup };
            }
            Phase::Drain => {}
            Phase::Cycle(step) => self.phase = Phase::Cycle((step + 1) % CYCLE.len()),
        }
    }
}

impl CongestionControl for RateBased {
    fn needs(&self) -> Needs {
        Needs { rate_samples: true, pacing: true, own_recovery: true, ..Needs::default() }
    }

    fn window(&self) -> f64 {
        let gain = if self.phase == Phase::Startup { STARTUP_GAIN } else { 2.0 };
        self.bandwidth_delay_product().map_or(self.initial_window, |product| (gain * product).max(4.0 * self.mss))
    }

    fn slow_start_threshold(&self) -> f64 {
        f64::INFINITY
    }

    fn pacing_rate(&self) -> Option<Rate> {
        let bandwidth = self.bandwidth().unwrap_or(self.initial_window / 0.1);
        Some(Rate::from_bps(8.0 * bandwidth * self.gain()))
    }

    fn on_sent(&mut self, sent: &SentEvent) {
        assert!((sent.in_flight.count() as f64) < self.window(), "it sends while less than the window is in flight");
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        let sample = ack.rate.expect("it asks for samples");
        self.in_flight = ack.flight.count();
        if let Some(rtt) = sample.rtt {
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        if let Some(rate) = sample
            .rate
            .filter(|rate| !sample.is_app_limited || self.bandwidth().is_none_or(|known| rate.bps() >= 8.0 * known))
        {
            self.take(rate);
        }
        if sample.rate.is_some() && sample.prior_delivered >= self.round_ends_at {
            self.round += 1;
            self.round_ends_at = sample.total_delivered;
            self.on_round();
        }
        let is_drained = self.bandwidth_delay_product().is_some_and(|product| self.in_flight as f64 <= product);
        if self.phase == Phase::Drain && is_drained {
            self.phase = Phase::Cycle(2);
        }
    }

    fn on_lost(&mut self, lost: &LostEvent) {
        self.lost += lost.bytes.count();
    }

    fn on_loss(&mut self, _loss: &LossEvent) {}

    fn on_timeout(&mut self, _loss: &LossEvent) {}

    fn on_idle(&mut self, _idle: &IdleEvent) {}

    fn set_window(&mut self, _window: f64) {}

    fn restore(&mut self, _windows: Windows) {}
}

/// How long each segment waits for the bottleneck, and which are lost: each `lossy`-th.
struct Delays {
    lossy: u64,
    sent_at: Vec<Time>,
    from: Time,
    waits: Vec<f64>,
    unloaded: Duration,
}

impl Delays {
    fn new(lossy: u64, from: Time, unloaded: Duration) -> Self {
        Self { lossy, sent_at: Vec::new(), from, waits: Vec::new(), unloaded }
    }

    fn mean_ms(&self) -> f64 {
        1e3 * self.waits.iter().sum::<f64>() / self.waits.len() as f64
    }
}

impl Observer for Delays {
    fn fate_of_data(&mut self, segment: &Segment) -> Fate {
        let is_lost = self.lossy > 0 && segment.transmission % self.lossy == self.lossy - 1;
        if is_lost { Fate::Drop } else { Fate::Deliver }
    }

    fn on_sent(&mut self, now: Time, segment: &Segment, _sender: &Sender) {
        assert_eq!(segment.transmission, self.sent_at.len() as u64);
        self.sent_at.push(now);
    }

    fn on_received(&mut self, now: Time, segment: &Segment, _receiver: &airlink_model::transport::Receiver) {
        if now >= self.from {
            let sent_at = self.sent_at[usize::try_from(segment.transmission).unwrap()];
            self.waits.push(now.since(sent_at + self.unloaded).as_secs());
        }
    }
}

/// The mean wait in ms and the share of the bottleneck's rate from 5 s to 35 s: 8.192 Mb/s, on which a segment takes a
/// millisecond, 100 ms of delay both ways together, a buffer without limit.
fn run(sender: Sender, config: &Tcp, lossy: u64) -> (f64, f64, Connection) {
    let receiver = Tcp { sack: config.sack, ..receiving(config) };
    let mut connection = Connection::of(sender, receiver, Rate::from_bps(8.192e6), milliseconds(100));
    let mut delays = Delays::new(lossy, at(5000), milliseconds(51));
    connection.start(Bytes::UNLIMITED, &mut delays);
    connection.run_until(at(5000), &mut delays);
    let before = connection.receiver.goodput();
    connection.run_until(at(35_000), &mut delays);
    let carried = (connection.receiver.goodput() - before).bits() as f64 / 30.0;
    (delays.mean_ms(), carried / 8.192e6, connection)
}

fn config() -> Tcp {
    let base = sending(Algorithm::NewReno);
    Tcp { sack: true, rules: Rules { rack: true, ..base.rules }, ..base }
}

fn rate_based() -> Sender {
    Sender::with_control(config(), Box::new(RateBased::new(&config())))
}

#[test]
fn a_rate_based_control_fills_a_deep_buffered_bottleneck_without_a_queue() {
    let (wait, share, _) = run(rate_based(), &config(), 0);
    assert!(share > 0.95, "{share}");
    // A probe puts a quarter of a round trip's data, 25 ms, into the queue, and the next round trip takes it out: two of eight
    // rounds with half of that in the mean.
    assert!(wait < 25.0 * 2.0 / 8.0, "{wait} ms");
    // Reno only stops at the receiver's window, which is larger than the run.
    let (wait, share, _) = run(Sender::new(config()), &config(), 0);
    assert!(share > 0.95 && wait > 1000.0, "{share} {wait} ms");
}

#[test]
fn its_recovery_is_its_own_so_losses_cost_what_they_lose() {
    let (wait, share, connection) = run(rate_based(), &config(), 100);
    assert!(share > 0.93 && wait < 10.0, "{share} {wait} ms");
    let statistics = connection.sender.statistics();
    assert!(statistics.retransmissions > 300 && statistics.timeouts == 0, "{statistics:?}");
    // Reno sends sqrt(3/2 x 100) = 12 segments in a round trip, of the 101 that fit.
    let (_, reno, _) = run(Sender::new(config()), &config(), 100);
    assert!(reno < 0.12, "{reno}");
}

#[test]
fn a_copy_of_its_connection_does_the_same() {
    let (_, _, one) = run(rate_based(), &config(), 100);
    let mut copies = [one.clone(), one];
    let [copied, original] = copies.each_mut().map(|connection| {
        let mut log = Departures::default();
        connection.run_until(at(40_000), &mut log);
        log.0
    });
    assert!(copied.len() > 4000);
    assert_eq!(copied, original);
}

#[derive(Default)]
struct Departures(Vec<(Time, Segment)>);

impl Observer for Departures {
    fn on_sent(&mut self, now: Time, segment: &Segment, _sender: &Sender) {
        self.0.push((now, *segment));
    }
}

/// In the manner of Prague (draft-briscoe-iccrg-prague-congestion-control): the window comes down by half of alpha, the smoothed
/// share of marked bytes in a round trip, and grows by a segment a round trip; paced at the window over the round trip. Left
/// out: slow start, the scaling by the round trip, windows below a segment.
#[derive(Clone, Debug)]
struct MarkFollowing {
    mss: f64,
    window: f64,
    alpha: f64,
    marked: u64,
    delivered: u64,
    round_end: u64,
    srtt: Option<Duration>,
}

/// The weight of a round in alpha.
const G: f64 = 1.0 / 16.0;

impl MarkFollowing {
    fn new(segments: f64) -> Self {
        let mss = MSS as f64;
        Self { mss, window: segments * mss, alpha: 1.0, marked: 0, delivered: 0, round_end: 0, srtt: None }
    }

    fn on_round(&mut self, ack: &AckEvent) {
        let share = self.marked as f64 / self.delivered as f64;
        self.alpha += G * (share - self.alpha);
        (self.marked, self.delivered, self.round_end) = (0, 0, ack.sent_end);
    }
}

impl CongestionControl for MarkFollowing {
    fn needs(&self) -> Needs {
        Needs { round_trips: true, pacing: true, own_recovery: true, ..Needs::default() }
    }

    fn window(&self) -> f64 {
        self.window
    }

    fn slow_start_threshold(&self) -> f64 {
        2.0 * self.mss
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.srtt.map(|srtt| Rate::from_bps(8.0 * self.window / srtt.as_secs()))
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        self.srtt = ack.srtt.or(self.srtt);
        self.delivered += ack.delivered.count();
        self.marked += ack.marked.count();
        let unmarked = ack.delivered.count().saturating_sub(ack.marked.count()) as f64;
        self.window += unmarked * self.mss / self.window;
        if ack.number > self.round_end && self.delivered > 0 {
            self.on_round(ack);
        }
    }

    fn on_mark(&mut self, _mark: &LossEvent) {
        self.window = (self.window * (1.0 - self.alpha / 2.0)).max(2.0 * self.mss);
    }

    fn on_loss(&mut self, _loss: &LossEvent) {
        self.window = (self.window / 2.0).max(2.0 * self.mss);
    }

    fn on_timeout(&mut self, _loss: &LossEvent) {
        self.window = self.mss;
    }

    fn on_idle(&mut self, _idle: &IdleEvent) {}

    fn set_window(&mut self, window: f64) {
        self.window = window.max(self.mss);
    }

    fn restore(&mut self, windows: Windows) {
        self.window = windows.window.max(self.mss);
    }
}

/// An ACK of `segments` from `number` on, of which `marked` bytes were.
fn ack(number: u64, sent_end: u64, marked: u64) -> AckEvent {
    let one = Bytes::new(MSS);
    AckEvent {
        now: Time::ZERO,
        number,
        sent_end,
        acked: one,
        delivered: one,
        marked: Bytes::new(marked),
        acked_segments: 1,
        flight: Bytes::ZERO,
        rtt: None,
        newest_rtt: None,
        srtt: None,
        is_window_limited: true,
        rate: None::<RateSample>,
    }
}

#[test]
fn alpha_follows_the_share_of_marks_as_its_filter_says() {
    let mut control = MarkFollowing::new(10.0);
    // Rounds of ten segments of which three are marked: alpha_n = F + (1 - F) (1 - g)^n.
    let (share, mut rest, mut number) = (0.3, 0.7, 0);
    for _ in 0..100 {
        for segment in 0..10 {
            number += MSS;
            // A round lasts until more is acknowledged than was sent when it began: here its last ACK shows it.
            control.round_end = if segment < 9 { u64::MAX } else { 0 };
            control.on_ack(&ack(number, number, if segment % 3 == 1 { MSS } else { 0 }));
        }
        rest *= 1.0 - G;
        let expected = share + rest;
        assert!((control.alpha - expected).abs() < 1e-12, "{} instead of {expected}", control.alpha);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn over_a_hostile_network_with_any_switches_all_arrives_by_either_control(
        config in sender_config(),
        follows_marks: bool,
        every in 1..3_u32,
        bytes in 1..120 * MSS,
        data_fates in prop::collection::vec(fate(), 0..200),
        ack_fates in prop::collection::vec(fate(), 0..200),
    ) {
        // A loss probe goes whatever the window, and the rate-based control checks that nothing else does.
        let config = Tcp { rules: Rules { tail_loss_probe: false, ..config.rules }, ..config };
        let control: Box<dyn CongestionControl> =
            if follows_marks { Box::new(MarkFollowing::new(10.0)) } else { Box::new(RateBased::new(&config)) };
        let sender = Sender::with_control(config, control);
        let mut connection =
            Connection::of(sender, answering(&config, every, None), Rate::from_bps(2e6), milliseconds(40));
        let mut watch = Watch::new(&config, bytes, data_fates, ack_fates);
        connection.start(Bytes::new(bytes), &mut watch);
        connection.run_until(at(4_000_000), &mut watch);
        prop_assert!(connection.sender.is_complete());
    }
}

/// A sender whose every data segment comes back `marked` or not, in one round trip of 100 ms after the other.
struct Rounds {
    sender: Sender,
    now: Time,
    flying: Vec<Segment>,
    marked: u32,
}

impl Rounds {
    fn new(control: MarkFollowing) -> Self {
        let config = Tcp { sack: true, ..sending(Algorithm::NewReno) };
        let mut sender = Sender::with_control(config, Box::new(control));
        sender.open(Time::ZERO);
        sender.supply(Bytes::UNLIMITED);
        let mut rounds = Self { sender, now: Time::ZERO, flying: Vec::new(), marked: 0 };
        rounds.send();
        rounds
    }

    /// All that may leave within the next round trip does.
    fn send(&mut self) {
        let end = self.now + milliseconds(100);
        loop {
            self.flying.extend(std::iter::from_fn(|| self.sender.poll_packet(self.now)));
            match self.sender.poll_timeout().filter(|due| *due < end) {
                Some(due) => {
                    self.now = due;
                    self.sender.handle_timeout(due);
                }
                None => break,
            }
        }
        self.now = end;
    }

    /// The flight is acknowledged, every `nth` segment marked; returns the windows before and after.
    fn round(&mut self, nth: u64) -> (f64, f64) {
        let before = self.sender.cwnd();
        for segment in std::mem::take(&mut self.flying) {
            let is_marked = nth > 0 && (segment.sequence / MSS).is_multiple_of(nth);
            self.marked = self.marked.wrapping_add(if is_marked { segment.length } else { 0 });
            let mut ack = Segment::ack(segment.end(), Bytes::new(1 << 30));
            ack.marked = self.marked;
            self.sender.handle_packet(self.now, &ack);
        }
        let after = self.sender.cwnd();
        self.send();
        (before, after)
    }
}

#[test]
fn a_sender_hands_on_what_was_marked_and_asks_for_one_reduction_a_round_trip() {
    let mut rounds = Rounds::new(MarkFollowing { alpha: 0.0, ..MarkFollowing::new(40.0) });
    let (before, after) = rounds.round(0);
    assert!(after > before + 0.9 * MSS as f64, "without marks it grows: {before} {after}");
    // Every ACK is marked, and alpha is held at 1/2 for the first of them: one reduction by a quarter, not 40.
    let mut rounds = Rounds::new(MarkFollowing { alpha: 0.5, ..MarkFollowing::new(40.0) });
    let (before, after) = rounds.round(1);
    assert!((after / before - 0.75).abs() < 0.02, "{before} {after}");
    let (before, after) = rounds.round(1);
    assert!(after < 0.8 * before, "the next round trip has its own: {before} {after}");
}

#[test]
fn with_a_steady_share_of_marks_the_window_settles_where_growth_and_reduction_meet() {
    let mut rounds = Rounds::new(MarkFollowing::new(100.0));
    let windows: Vec<f64> = (0..400).map(|_| rounds.round(10).0 / MSS as f64).collect();
    let mean = windows[200..].iter().sum::<f64>() / 200.0;
    // A tenth is marked: each round grows by 0.9 segments and loses alpha / 2 = 1/20 of the window: 18 segments.
    assert!((mean - 18.0).abs() < 1.5, "{mean}");
    assert!(rounds.sender.statistics().retransmissions == 0);
}
