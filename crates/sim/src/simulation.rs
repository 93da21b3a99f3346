//! A run in virtual time: slots are the clock, events between them come in order, and nothing is lost silently.
//!
//! At a slot boundary the slot before ends first (packets leave, receivers acknowledge); then come arrivals at the base
//! station, acknowledgments and timers of that nanosecond, each by flow number; then the next slot starts.

use std::collections::BTreeMap;

use airlink_model::cell::Cell;
use airlink_model::rlc::Outcome;
use airlink_model::scheduler::Scheduler;
use airlink_model::traffic::Source;
use airlink_model::types::{Bytes, Dropped, FlowId, Packet, Time};

use crate::assemble;
use crate::events::{Class, Events};
use crate::flow::{Flow, Log, Payload};
use crate::record::{FlowEnd, RecordKind, Recorder, UserEnd, tables};
use crate::scenario::{Scenario, Trace};
use crate::table::{Table, digest};

/// A run, owned and clonable: advance it, look at it, advance it further.
#[derive(Clone)]
pub struct Simulation {
    cell: Cell<Payload>,
    flows: Vec<Flow>,
    events: Events,
    recorder: Recorder,
    places: Vec<assemble::UserPlace>,
    outcomes: Vec<Outcome<Payload>>,
    backlogged: Vec<usize>,
    warmup: Time,
    measured_from: Option<Time>,
    end: Time,
    finished: bool,
}

/// What one run left behind.
#[derive(Clone, Debug)]
pub struct Replica {
    /// Its seed.
    pub seed: u64,
    /// `users`, `flows`, `cell`.
    pub tables: BTreeMap<String, Table>,
    /// By kind, those that were recorded.
    pub series: BTreeMap<String, Table>,
}

impl Replica {
    /// The digest of every number that was recorded.
    pub fn digest(&self) -> String {
        let all = self.tables.iter().chain(&self.series);
        digest(&all.map(|(name, table)| (name.clone(), table)).collect())
    }
}

/// Runs `scenario` with `seed` to its end.
pub fn run(scenario: &Scenario, traces: &[Trace], seed: u64, record: &[RecordKind]) -> Replica {
    let mut simulation = Simulation::new(scenario, traces, seed, record);
    simulation.advance_until(Time::NEVER);
    simulation.into_replica(seed)
}

impl Simulation {
    /// A run before its first slot. `traces` are those that the scenario's placement names, in its order.
    pub fn new(scenario: &Scenario, traces: &[Trace], seed: u64, record: &[RecordKind]) -> Self {
        let parts = assemble::assemble(scenario, traces, seed);
        Self::from_parts(parts, record)
    }

    /// The same with a scheduler of the caller's own.
    pub fn with_scheduler(scenario: &Scenario, traces: &[Trace], seed: u64, scheduler: Box<dyn Scheduler>) -> Self {
        let parts = assemble::Parts { scheduler, ..assemble::assemble(scenario, traces, seed) };
        Self::from_parts(parts, &[])
    }

    fn from_parts(parts: assemble::Parts, record: &[RecordKind]) -> Self {
        let (users, flows) = (parts.places.len(), parts.flows.len());
        let mut simulation = Self {
            cell: Cell::new(parts.cell, parts.scheduler),
            flows: parts.flows.into_iter().enumerate().map(|(id, flow)| Flow::new(FlowId::new(id), flow)).collect(),
            events: Events::new(flows),
            recorder: Recorder::new(users, flows, record),
            places: parts.places,
            outcomes: Vec::new(),
            backlogged: Vec::new(),
            warmup: parts.warmup,
            // Without a warm-up nothing is forgotten, not even what happens at time 0.
            measured_from: (parts.warmup == Time::ZERO).then_some(Time::ZERO),
            end: parts.end,
            finished: false,
        };
        for flow in 0..flows {
            simulation.events.plan(simulation.flows[flow].next_event(), flow);
            if matches!(simulation.flows[flow].config.source, Source::Backlogged(_)) {
                simulation.backlogged.push(flow);
            }
        }
        simulation
    }

    /// True once the scenario's duration is over.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Runs all slots that start before `time`, or to the end of the scenario.
    pub fn advance_until(&mut self, time: Time) {
        while !self.finished && self.cell.poll_timeout() < time {
            self.step();
        }
    }

    /// Runs one slot: what happens before it and its start. Only slots that end within the scenario's duration start;
    /// after the last of them come the events up to the duration's end.
    pub fn step(&mut self) {
        if self.finished {
            return;
        }
        let boundary = self.cell.poll_timeout();
        self.handle_events(boundary, false);
        self.finish_slot(boundary);
        self.handle_events(boundary, true);
        self.end_warm_up(boundary);
        if self.cell.next_end() > self.end {
            self.handle_events(self.end, true);
            self.end_warm_up(self.end);
            self.finished = true;
            return;
        }
        self.fill_queues(boundary);
        self.cell.start_slot(&mut self.recorder);
    }

    /// Starts to measure at the first boundary from the warm-up's end on. What happens at that very moment belongs to
    /// the slot before, so as many slots are delivered as are sent and two runs' counts can be subtracted.
    fn end_warm_up(&mut self, now: Time) {
        if self.measured_from.is_none() && now >= self.warmup {
            self.measured_from = Some(now);
            self.take_statistics();
            self.recorder.start_measuring();
        }
    }

    fn handle_events(&mut self, limit: Time, inclusive: bool) {
        while let Some((now, class, flow)) = self.events.next(limit, inclusive) {
            match class {
                Class::Arrival => self.handle_arrivals(now, flow),
                Class::Acknowledgment => {
                    let mut log = log_of(&mut self.recorder, flow);
                    self.flows[flow].handle_acknowledgments(now, &mut log);
                }
                Class::Timer => {
                    let mut log = log_of(&mut self.recorder, flow);
                    self.flows[flow].handle_timeout(now, &mut log);
                }
            }
            self.events.plan(self.flows[flow].next_event(), flow);
        }
    }

    fn handle_arrivals(&mut self, now: Time, flow: usize) {
        while let Some(packet) = self.flows[flow].downlink.poll_packet(now) {
            if let Err(dropped) = self.cell.handle_packet(now, packet, &mut self.recorder) {
                self.flows[flow].handle_loss(&dropped.packet);
            }
        }
    }

    fn finish_slot(&mut self, now: Time) {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        self.cell.finish_slot(now, &mut outcomes, &mut self.recorder);
        for outcome in outcomes.drain(..) {
            match outcome {
                Outcome::Delivered(packet) => self.deliver(now, &packet),
                Outcome::Dropped(Dropped { packet, .. }) => self.flows[packet.flow.index()].handle_loss(&packet),
            }
        }
        self.outcomes = outcomes;
    }

    fn deliver(&mut self, now: Time, packet: &Packet<Payload>) {
        let flow = packet.flow.index();
        let fresh = self.flows[flow].handle_delivery(now, packet, &mut self.recorder.flows[flow]);
        if !fresh.is_zero() {
            self.cell.on_goodput(packet.user, fresh);
        }
        self.events.plan(self.flows[flow].next_event(), flow);
    }

    /// Flows without a transport top their queues up to more than a slot can carry.
    fn fill_queues(&mut self, now: Time) {
        for index in 0..self.backlogged.len() {
            let flow = self.backlogged[index];
            let Source::Backlogged(bytes) = self.flows[flow].config.source else { continue };
            let user = self.flows[flow].config.user;
            if !self.flows[flow].fills_queue(now) {
                continue;
            }
            let enough = self.cell.most_bytes(user) + bytes;
            while self.cell.fresh_bytes(user) < enough && self.cell.has_room(user, bytes) {
                let packet = self.flows[flow].filler(now, bytes, &mut self.recorder.series);
                let taken = self.cell.handle_packet(now, packet, &mut self.recorder);
                assert!(taken.is_ok(), "a queue with room takes the packet");
            }
        }
    }

    /// What the run left behind, after checking that nothing was lost silently.
    pub fn into_replica(mut self, seed: u64) -> Replica {
        self.check_conservation();
        self.take_statistics();
        for (flow, record) in self.flows.iter_mut().zip(&mut self.recorder.flows) {
            flow.decide(record);
        }
        let measured_from = self.measured_from.unwrap_or(self.end);
        let measured_s = self.end.since(measured_from).as_secs();
        let flows = self.flow_ends();
        let users = self.user_ends(&flows);
        let tables = tables(&self.recorder, &users, &flows, measured_s);
        let named = |(name, table): (&'static str, Table)| (name.to_owned(), table);
        Replica {
            seed,
            tables: tables.into_iter().map(named).collect(),
            series: self.recorder.series.into_tables().into_iter().map(named).collect(),
        }
    }

    /// Senders count for themselves; the record takes their counts over where a measurement begins or ends.
    fn take_statistics(&mut self) {
        for (flow, record) in self.flows.iter().zip(&mut self.recorder.flows) {
            record.counts.sender = flow.statistics();
        }
    }

    fn flow_ends(&self) -> Vec<FlowEnd> {
        let end_of = |(flow, record): (&Flow, &crate::record::FlowRecord)| FlowEnd {
            user: flow.config.user.index(),
            start_s: flow.config.start.as_secs(),
            completion_s: record.completed_at.map_or(f64::NAN, |at| at.since(flow.config.start).as_secs()),
        };
        self.flows.iter().zip(&self.recorder.flows).map(end_of).collect()
    }

    fn user_ends(&self, flows: &[FlowEnd]) -> Vec<UserEnd> {
        let mut goodput_bytes = vec![0; self.places.len()];
        for (flow, record) in flows.iter().zip(&self.recorder.flows) {
            goodput_bytes[flow.user] += record.counts.goodput_bytes - record.before_warmup.goodput_bytes;
        }
        let end_of = |(place, goodput_bytes): (&assemble::UserPlace, u64)| UserEnd {
            distance_m: place.distance_m,
            mean_snr_db: place.mean_snr_db,
            goodput_bytes,
        };
        self.places.iter().zip(goodput_bytes).map(end_of).collect()
    }

    /// Packets and bytes in = delivered + dropped + waiting, for the cell and for each flow's wire.
    fn check_conservation(&self) {
        for (user, record) in self.recorder.users.iter().enumerate() {
            let held = self.cell.waiting(airlink_model::types::UserId::new(user));
            let (packets, bytes) = record.counts.waiting();
            assert!(
                (packets, Bytes::new(bytes)) == (held.packets, held.bytes),
                "packets or bytes of user {user} vanished: {packets} should wait, {} do",
                held.packets
            );
        }
        let entered: u64 = self.recorder.users.iter().map(|user| user.counts.packets_in).sum();
        let (sent, travelling) =
            self.flows.iter().map(Flow::sent_and_travelling).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        assert!(sent == entered + travelling, "of {sent} packets sent, {entered} entered and {travelling} travel");
    }
}

fn log_of(recorder: &mut Recorder, flow: usize) -> Log<'_> {
    Log { record: &mut recorder.flows[flow], series: &mut recorder.series }
}
