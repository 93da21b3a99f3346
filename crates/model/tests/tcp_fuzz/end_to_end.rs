//! A sender and a receiver over a network that loses, delays, reorders and duplicates, and then heals.

use std::collections::{BTreeMap, VecDeque};

use airlink_model::transport::{Pacing, Reader, Receiver, Segment, Sender, StallingReader, WindowPacing};
use airlink_model::types::{Bytes, Duration, Time};

use super::any_segments::Arrivals;
use super::case::Case;
use super::draw::Draw;
use super::ends::Ends;
use super::watch::Watch;

/// More packets and bells than this are no progress.
const MOST_EVENTS: u64 = 400_000;

pub fn run(case: &Case) -> u64 {
    let bytes = case.bytes();
    let (sender, receiver) = (Sender::new(case.tcp), Receiver::new(&case.tcp));
    let watch = Watch::new(&case.tcp, 2 * bytes.div_ceil(case.tcp.mss.count()));
    let arrivals = Arrivals::new(&case.tcp, 0, bytes);
    let mut run = Run::new(case, sender, receiver, watch, arrivals, Time::ZERO);
    run.write_stream(case, bytes);
    run.run_to_the_end();
    assert_eq!(run.ends.receiver.refused(), Bytes::ZERO, "nothing was sent beyond the window");
    run.ends.digest
}

enum Event {
    Data(Segment),
    Ack(Segment),
    Write(u64),
    Stop,
    Open,
}

/// A connection on its way to its end.
pub struct Run<'a> {
    case: &'a Case,
    pub ends: Ends,
    watch: Watch,
    arrivals: Arrivals,
    now: Time,
    events: BTreeMap<(Time, u64), Event>,
    scheduled: u64,
    /// When what waits before the bottleneck leaves it.
    leaving: VecDeque<Time>,
    draw: Draw,
}

impl<'a> Run<'a> {
    pub fn new(
        case: &'a Case,
        sender: Sender,
        receiver: Receiver,
        watch: Watch,
        arrivals: Arrivals,
        now: Time,
    ) -> Self {
        let until_copy = Draw::new(case.seed, "copy").size(1, 1000);
        Self {
            case,
            ends: Ends::new(sender, receiver, until_copy),
            watch,
            arrivals,
            now,
            events: BTreeMap::new(),
            scheduled: 0,
            leaving: VecDeque::new(),
            draw: Draw::new(case.seed, "network"),
        }
    }

    fn write_stream(&mut self, case: &Case, bytes: u64) {
        let mut draw = Draw::new(case.seed, "pieces");
        self.schedule(case.application.opens_at, Event::Open);
        let (mut at, mut left) = (Time::ZERO, bytes);
        for piece in 0..case.application.pieces {
            let is_last = piece + 1 == case.application.pieces;
            let part = if is_last { left } else { draw.below(2 * left / case.application.pieces + 2).min(left) };
            self.schedule(at, Event::Write(part));
            left -= part;
            at = at + Duration::from_nanos(draw.below(case.application.pause.as_nanos() + 1));
        }
        if let Some(stop) = case.application.stops_at {
            self.schedule(stop, Event::Stop);
        }
    }

    /// Until nothing happens any more: then everything has arrived.
    pub fn run_to_the_end(&mut self) {
        let mut events = 0;
        let mut deadline = Time::NEVER;
        self.exchange();
        while let Some((next, is_bell)) = self.next_event() {
            events += 1;
            assert!(events <= MOST_EVENTS, "{} of {} bytes", self.watch.acknowledged, self.watch.supplied);
            // When all is acknowledged, what is left to happen may take its time: a late copy, the application's end.
            let in_time = next <= deadline || self.ends.sender.is_complete();
            assert!(in_time, "{} of {} bytes by then", self.watch.acknowledged, self.watch.supplied);
            self.now = next;
            if is_bell {
                self.ends.ring(next);
            } else {
                self.take_event();
            }
            if self.case.network.rings_always {
                self.ends.ring(next);
            }
            self.exchange();
            if deadline == Time::NEVER && next >= self.case.network.heals_at && self.is_written() {
                // What had queued before the network healed leaves first.
                deadline = self.leaving.back().copied().unwrap_or(next).max(next) + self.longest();
            }
        }
        let (sender, receiver) = (&self.ends.sender, &self.ends.receiver);
        assert_eq!(receiver.goodput().count(), self.watch.supplied, "everything has arrived");
        assert!(sender.is_complete() && sender.poll_timeout().is_none() && receiver.poll_timeout().is_none());
    }

    /// The application has nothing more to do.
    fn is_written(&self) -> bool {
        !self.events.values().any(|event| matches!(event, Event::Write(_) | Event::Open))
    }

    fn next_event(&self) -> Option<(Time, bool)> {
        let network = &self.case.network;
        let bell = self.ends.next_bell().map(|bell| (bell + network.timer_lag).max(self.now));
        let event = self.events.first_key_value().map(|((at, _), _)| *at);
        match (bell, event) {
            (Some(bell), Some(event)) if bell < event || (bell == event && network.timers_first) => Some((bell, true)),
            (_, Some(event)) => Some((event, false)),
            (Some(bell), None) => Some((bell, true)),
            (None, None) => None,
        }
    }

    fn take_event(&mut self) {
        let now = self.now;
        match self.events.pop_first().unwrap().1 {
            Event::Data(segment) => {
                self.arrivals.take(now, &segment, &self.ends.receiver);
                self.ends.take_segment(now, &segment);
                self.arrivals.check(&self.ends.receiver);
            }
            Event::Ack(ack) => {
                self.watch.on_ack(&ack);
                self.ends.take_ack(now, &ack);
                self.watch.after_ack(&self.ends.sender);
            }
            Event::Write(bytes) => {
                self.watch.on_supply(Bytes::new(bytes));
                self.ends.supply(Bytes::new(bytes));
            }
            Event::Stop => {
                self.watch.on_stop();
                self.ends.stop(now);
            }
            Event::Open => {
                self.watch.on_open();
                self.ends.open(now);
            }
        }
    }

    /// What both ends have to say now goes onto the network.
    fn exchange(&mut self) {
        while let Some(ack) = self.ends.acknowledge(self.now) {
            self.arrivals.check_ack(self.now, &ack);
            self.put_ack(ack);
        }
        loop {
            let before = self.ends.sender.statistics();
            let Some(segment) = self.ends.send(self.now) else { break };
            self.watch.on_sent(self.now, &segment, &self.ends.sender, &before);
            self.put_segment(segment);
        }
        self.watch.at_rest(&self.ends.sender);
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.scheduled += 1;
        self.events.insert((at, self.scheduled), event);
    }

    fn put_segment(&mut self, segment: Segment) {
        let network = &self.case.network;
        let Some(leaves) = self.leave_bottleneck(segment.length) else { return };
        let odds = [network.loss, network.reordering, network.duplication];
        let (first, second) = self.fates(leaves + network.data_delay, odds);
        first.into_iter().chain(second).for_each(|at| self.schedule(at, Event::Data(segment)));
    }

    fn put_ack(&mut self, ack: Segment) {
        let network = &self.case.network;
        let odds = [network.ack_loss, network.ack_reordering, network.ack_duplication];
        let (first, second) = self.fates(self.now + network.ack_delay, odds);
        first.into_iter().chain(second).for_each(|at| self.schedule(at, Event::Ack(ack)));
    }

    /// When the bottleneck has sent it, if it had room.
    fn leave_bottleneck(&mut self, bytes: u32) -> Option<Time> {
        let network = &self.case.network;
        if self.now >= network.heals_at || network.rate.is_infinite() {
            return Some(self.now);
        }
        while self.leaving.front().is_some_and(|leaves| *leaves <= self.now) {
            self.leaving.pop_front();
        }
        if self.leaving.len() >= network.queue {
            return None;
        }
        let free = self.leaving.back().copied().unwrap_or(self.now);
        let leaves = free + Duration::from_secs(f64::from(bytes.max(1)) / network.rate);
        self.leaving.push_back(leaves);
        Some(leaves)
    }

    /// When a packet due at `due` arrives, if at all, and when once more.
    fn fates(&mut self, due: Time, [loss, reordering, duplication]: [f64; 3]) -> (Option<Time>, Option<Time>) {
        let network = &self.case.network;
        if self.now >= network.heals_at {
            return (Some(due), None);
        }
        let mut due = due;
        for (from, to, by) in &network.spikes {
            due = if (*from..*to).contains(&self.now) { due + *by } else { due };
        }
        for (from, to, is_held) in &network.outages {
            if (*from..*to).contains(&self.now) {
                if !is_held {
                    return (None, None);
                }
                due = due.max(*to);
            }
        }
        // What still waits when the network heals waits no longer.
        let latest = network.heals_at + self.case.round_trip() + network.lateness;
        let lateness = network.lateness.as_nanos() + 1;
        let late = |probability: f64, draw: &mut Draw| {
            draw.chance(probability).then(|| Duration::from_nanos(draw.below(lateness)))
        };
        let first = due + late(reordering, &mut self.draw).unwrap_or(Duration::ZERO);
        let second = late(duplication, &mut self.draw).map(|by| (due + by).min(latest));
        let is_lost = self.draw.chance(loss);
        ((!is_lost).then_some(first.min(latest)), second.filter(|_| !is_lost))
    }

    /// Longer than anything that is left may take: each segment a few timeouts, whatever is slow by design beside.
    fn longest(&self) -> Duration {
        let (case, network) = (self.case, &self.case.network);
        let segments = 4 * self.watch.supplied.min(1 << 40).div_ceil(case.tcp.mss.count()) + 100;
        let rto = case.tcp.rto;
        let (least_of_ns2, probe) = (rto.tick * 2, case.tcp.rules.timer_slack + case.tcp.rules.tlp_max_ack_delay);
        let timeout = (rto.max.max(least_of_ns2) + probe + rto.timer_tick * 2 + rto.tick + network.timer_lag) * 4;
        let round_trip = (case.round_trip() + network.lateness + case.tcp.delayed_ack.timer) * 4;
        let measured = self.now.since(Time::ZERO) + round_trip + rto.tick * 2;
        let gap = match case.tcp.pacing {
            Pacing::Off => Duration::ZERO,
            Pacing::Window(WindowPacing { slow_start_gain, avoidance_gain, .. }) => {
                Duration::from_secs(2.0 * measured.as_secs() / slow_start_gain.min(avoidance_gain))
            }
        };
        let reading = match case.tcp.reader {
            Reader::Immediate => Duration::ZERO,
            Reader::Stalling(StallingReader { rate, stall_after, stall_for, .. }) => {
                let after = if stall_after == Duration::FOREVER { Duration::ZERO } else { stall_after };
                Duration::from_secs(self.watch.supplied as f64 * 8.0 / rate.bps()) + after + stall_for
            }
        };
        (timeout + round_trip + gap) * segments + reading * 2
    }
}
