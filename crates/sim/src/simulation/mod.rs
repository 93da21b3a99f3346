//! A run in virtual time: events come in order, and nothing is lost silently.
//!
//! In a cell slots are the clock. At a slot boundary the slot before ends first (packets leave, receivers acknowledge);
//! then come arrivals at the base station, ACKs and timers of that nanosecond, each by flow number; then the
//! next slot starts. A wired bottleneck has no slots: at each nanosecond packets reach their users first, and then the
//! order is the same. What comes out of a hop is the last of the arrivals, by the hops' numbers.

mod ahead;
mod alone;
mod arrivals;
mod hops;
mod results;
mod tally;
mod wire_spans;

use airlink_model::rlc::Outcome;
use airlink_model::scheduler::{Allocation, AllocationError, SlotView};
use airlink_model::traffic::Source;
use airlink_model::types::{Bytes, Direction, Duration, FlowId, Packet, Time};

use ahead::Ahead;

use crate::assemble::assemble;
use crate::browsing::{Connection, UserBrowser};
use crate::capture::{Captures, Watcher};
use crate::components::Components;
use crate::events::{Class, Events};
use crate::flow::{Flow, RunningFlow};
use crate::network::Network;
use crate::parts::{AloneParts, Hops, Parts, UserPlace};
use crate::payload::Payload;
use crate::record::{FlowTraits, Limits, RecordKind, Recorder, take_out_of_memory};
use crate::replica::Replica;
use crate::scenario::{Scenario, Trace};
use crate::uplink::GrantedUplink;

/// A run, owned and clonable: it advances step by step.
#[derive(Clone)]
pub struct Simulation {
    network: Network,
    hops: Hops,
    uplink: Option<Box<GrantedUplink>>,
    flows: Vec<Flow>,
    browsers: Vec<UserBrowser>,
    flow_traits: FlowTraits,
    /// Events of the flows and, behind them, of the hops and of the uplink with grants.
    events: Events,
    recorder: Recorder,
    places: Vec<UserPlace>,
    outcomes: Vec<Outcome<Payload>>,
    /// Flows whose receivers hold an ACK until all packets of this moment have arrived.
    bursts: Vec<usize>,
    /// Room for the flows whose users have heard of packets of a span.
    heard: Vec<usize>,
    backlogged: Vec<usize>,
    warmup: Time,
    measured_from: Option<Time>,
    /// Before this nothing begins or ends but packets' ways: no warm-up, no measurement, no wait for downloads.
    watch_from: Time,
    end: Time,
    drain_end: Time,
    /// Flows of the measured time: files that arrive while it is waited come behind them.
    window_flows: usize,
    /// The results of the measured time, once that is over and the run waits for downloads.
    window: Option<Box<Replica>>,
    alone: Option<Box<AloneParts>>,
    ahead: Option<Box<Ahead>>,
    finished: bool,
}

/// Runs `scenario` with `seed` to its end.
pub fn run(scenario: &Scenario, traces: &[Trace], seed: u64, record: &[RecordKind]) -> Replica {
    let mut simulation = Simulation::new(scenario, traces, seed, record);
    simulation.advance_until(Time::NEVER);
    let replica = simulation.into_replica(seed);
    assert!(!take_out_of_memory(), "no memory is left for what is recorded");
    replica
}

impl Simulation {
    /// A run before its first slot. `traces` are those that the scenario's placement names, in its order.
    pub fn new(scenario: &Scenario, traces: &[Trace], seed: u64, record: &[RecordKind]) -> Self {
        Self::with_components(scenario, traces, seed, record, &Components::default())
    }

    /// The same with `components` in the place of the scenario's own.
    pub fn with_components(
        scenario: &Scenario,
        traces: &[Trace],
        seed: u64,
        record: &[RecordKind],
        components: &Components,
    ) -> Self {
        Self::from_parts(assemble(scenario, traces, seed, components), record)
    }

    /// A run before its first event that will write its packets to files; a clone of it is captured no further.
    pub fn with_captures(mut self, captures: &Captures, scenario: &Scenario, seed: u64) -> Self {
        self.keep_servers_in_turn();
        let title = format!("scenario={} seed={seed}", scenario.name);
        let flows = self.flows.iter().map(|flow| (flow.config().user, flow.config().opener(), &*flow.config().tcp));
        self.recorder.asked.capture(Watcher::new(captures, seed, &title, flows));
        self
    }

    /// A run before its first event whose result nobody looks at: spans of time and gaps are not summarized.
    pub(crate) fn without_summaries(mut self) -> Self {
        self.recorder.asked.summaries = false;
        self
    }

    /// Writes what has been captured so far.
    pub fn flush_captures(&mut self) {
        self.recorder.asked.capture.flush();
    }

    pub(crate) fn from_parts(parts: Parts, record: &[RecordKind]) -> Self {
        let (users, flows) = (parts.places.len(), parts.flows.len());
        let has_subchannels = parts.network.layout().has_subchannels;
        let mut simulation = Self {
            network: parts.network,
            events: Events::new(flows + parts.hops.nodes.len() + usize::from(parts.uplink.is_some())),
            hops: parts.hops,
            uplink: parts.uplink,
            flows: parts.flows.into_iter().enumerate().map(|(id, flow)| Flow::new(FlowId::new(id), flow)).collect(),
            browsers: parts.browsers,
            flow_traits: parts.flow_traits,
            recorder: Recorder::new(users, flows, record, has_subchannels),
            places: parts.places,
            outcomes: Vec::new(),
            bursts: Vec::new(),
            heard: Vec::new(),
            backlogged: Vec::new(),
            warmup: parts.warmup,
            // Without a warm-up nothing is forgotten, not even what happens at time 0.
            measured_from: (parts.warmup == Time::ZERO).then_some(Time::ZERO),
            watch_from: Time::ZERO,
            end: parts.end,
            drain_end: parts.drain_end,
            window_flows: parts.window_flows,
            window: None,
            ahead: None,
            alone: parts.alone.filter(|_| record.contains(&RecordKind::Downloads)),
            finished: false,
        };
        if record.contains(&RecordKind::Limits) || record.contains(&RecordKind::Waits) {
            let has_cell = simulation.network.cell().is_some();
            let spans = simulation.flows.iter().map(|flow| flow.config().span());
            simulation.recorder.asked.account(Limits::new(has_cell, users, spans));
        }
        simulation.let_servers_go_ahead(record);
        for flow in 0..flows {
            simulation.events.plan(simulation.flows[flow].next_event(), flow);
            if matches!(simulation.flows[flow].config().source, Source::Backlogged(_)) {
                simulation.backlogged.push(flow);
            }
        }
        for browser in 0..simulation.browsers.len() {
            let start = simulation.browsers[browser].start;
            simulation.open_page(browser, start);
        }
        simulation
    }

    /// True once the scenario's duration is over, and the wait for downloads after it.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Runs all slots that start before `time` (without slots, all that happens before it), or to the end. In a cell where nothing is
    /// recorded servers may be some slots ahead then, or behind, until the run goes on.
    pub fn advance_until(&mut self, time: Time) {
        if self.network.cell().is_none() {
            while !self.finished && self.step_event(time) {}
        }
        while !self.finished && self.network.poll_timeout() < time {
            self.step_slot();
        }
    }

    /// Runs one slot: what happens before it and its start. Without slots, what happens next, or a span of time
    /// ([`Simulation::events_a_step`]).
    pub fn step(&mut self) {
        if self.finished {
            return;
        }
        match self.network.cell() {
            Some(_) => self.step_slot(),
            None => drop(self.step_event(Time::NEVER)),
        }
    }

    /// Runs up to where the next slot waits for a decision of somebody else, and shows what the base station knows then. None if the
    /// run is over and no slot starts any more, or if there are no slots. Slots without downlink
    /// pass. Observing again shows the same.
    pub fn observe(&mut self) -> Option<SlotView<'_>> {
        loop {
            if !self.open_slot() {
                return None;
            }
            let cell = self.network.cell_mut()?;
            if cell.is_open() || cell.has_downlink() {
                break;
            }
            cell.pass_slot(&mut self.recorder);
        }
        Some(self.network.cell_mut()?.observe(&mut self.recorder))
    }

    /// Starts the slot that was observed as `allocation` says; one that cannot be applied changes nothing. The scenario's own
    /// scheduler hears of the slot and has no turn in it; [`Simulation::step`] lets it decide.
    pub fn apply(&mut self, allocation: &Allocation) -> Result<(), AllocationError> {
        let cell = self.network.cell_mut().ok_or(AllocationError::NothingObserved)?;
        cell.apply(allocation, &mut self.recorder)?;
        self.lose_dropped();
        Ok(())
    }

    fn step_slot(&mut self) {
        if self.open_slot()
            && let Some(cell) = self.network.cell_mut()
        {
            cell.start_slot(&mut self.recorder);
            self.lose_dropped();
        }
    }

    /// Runs up to the decision of the next slot; false if none starts. Only slots that end within the scenario's duration do; after
    /// the last of them come the events up to the duration's end.
    fn open_slot(&mut self) -> bool {
        let Some(cell) = self.network.cell() else { return false };
        if cell.is_open() {
            return true;
        }
        if self.finished {
            return false;
        }
        let boundary = self.network.poll_timeout();
        self.handle_events(boundary);
        self.finish(boundary);
        self.handle_events(after(boundary));
        if self.network.cell().is_some_and(|cell| cell.next_end() >= self.watch_from) && self.ends_slots_at(boundary) {
            return false;
        }
        if !self.backlogged.is_empty() {
            self.fill_queues(boundary);
        }
        true
    }

    /// Between two slots: begins and ends what is due at `boundary`, and tells whether no slot starts any more.
    #[inline(never)]
    fn ends_slots_at(&mut self, boundary: Time) -> bool {
        self.catch_up(after(boundary));
        self.end_warm_up(boundary);
        if self.next_slot_ends_after(self.end) && self.drain_end > self.end {
            self.begin_drain();
        }
        if self.has_drained(boundary) || self.next_slot_ends_after(self.end) {
            self.end_slots();
        }
        self.watch();
        self.finished
    }

    /// Notes from when on something may be due.
    fn watch(&mut self) {
        let warmup = if self.measured_from.is_none() { self.warmup } else { Time::NEVER };
        self.watch_from = if self.window.is_some() { Time::ZERO } else { after(warmup.min(self.end)) };
    }

    /// No slot starts any more; what happens on wires until the end still does.
    fn end_slots(&mut self) {
        self.handle_events(after(self.end));
        self.catch_up(after(self.end));
        self.end_warm_up(self.end);
        self.finished = true;
    }

    /// Ends the measurement in a copy, as if the run ended, and goes on until the downloads that are measured have ended.
    fn begin_drain(&mut self) {
        let recorder = self.recorder.split_off();
        let mut measured = Self { recorder, drain_end: self.end, alone: None, ..self.clone() };
        match measured.network.cell() {
            Some(_) => measured.end_slots(),
            None => measured.network.catch_up(self.end, &mut measured.recorder),
        }
        self.window = Some(Box::new(measured.into_window()));
        self.recorder.downloads.stop_measuring(self.end);
        self.end = self.drain_end;
    }

    /// True once the measurement is over and every download that counts has ended by `now`.
    fn has_drained(&self, now: Time) -> bool {
        self.window.is_some() && self.recorder.downloads.is_drained(now)
    }

    /// Has the server send a download of `bytes` in a flow that waits to be asked; of pages the next one.
    pub(crate) fn ask(&mut self, flow: usize, at: Time, bytes: Bytes) {
        if let Some(connection) = self.flows[flow].config().connection {
            return self.open_page(connection.browser, at);
        }
        self.flows[flow].running().ask(at, bytes);
        self.events.plan(self.flows[flow].next_event(), flow);
    }

    /// Has a browser ask for its next page at `at`.
    fn open_page(&mut self, browser: usize, at: Time) {
        if at < self.browsers[browser].stop {
            self.browsers[browser].browser.open_page(at);
            self.pass_requests_on(browser);
        }
    }

    /// Hands what a browser asks for to its connections.
    fn pass_requests_on(&mut self, browser: usize) {
        while let Some((flow, ask)) = self.browsers[browser].poll_ask() {
            self.flows[flow].running().ask_exchange(ask.at, ask.exchange);
            self.events.plan(self.flows[flow].next_event(), flow);
        }
    }

    /// A connection of a browser has brought an object.
    #[cold]
    #[inline(never)]
    fn end_object(&mut self, now: Time, Connection { browser, number }: Connection) {
        let own = &mut self.browsers[browser];
        if own.browser.on_answer(now, number) {
            self.recorder.flow(own.first_flow).on_downloaded(now);
            let next_at = own.next_page_at(now);
            self.open_page(browser, next_at);
        }
        self.pass_requests_on(browser);
    }

    /// When the latest of the downloads so far, the `count`th of all, ended in this flow.
    pub(crate) fn completed(&mut self, flow: usize, count: usize) -> Option<Time> {
        self.recorder.downloads.completed_at(flow, count)
    }

    fn next_slot_ends_after(&self, time: Time) -> bool {
        self.network.cell().is_some_and(|cell| cell.next_end() > time)
    }

    /// What happens next at a bottleneck: a span of time or, where servers stay in turn, packets reach their users, or else one event
    /// of a flow. False if that is not before `limit`.
    #[inline(always)]
    fn step_event(&mut self, limit: Time) -> bool {
        if self.ahead.is_some() {
            return self.step_span(limit);
        }
        let (arrives_at, happens_at) = (self.network.poll_timeout(), self.events.next_at());
        let now = arrives_at.min(happens_at);
        if now >= self.watch_from.min(limit)
            && let Some(goes_on) = self.looks_up(now, limit)
        {
            return goes_on;
        }
        if happens_at < arrives_at {
            self.handle_event(now);
        } else {
            self.arrive(now);
        }
        true
    }

    /// At a bottleneck: begins and ends what is due by `now`. None if what comes now happens, else whether the run goes on before
    /// `limit`.
    #[inline(never)]
    fn looks_up(&mut self, now: Time, limit: Time) -> Option<bool> {
        if now.min(self.end) >= limit {
            return Some(false);
        }
        if self.measured_from.is_none() && now > self.warmup {
            self.network.catch_up(self.warmup, &mut self.recorder);
            self.end_warm_up(self.warmup);
        }
        let ends = (now > self.end || self.window.is_some()) && self.ends_by(now);
        self.watch();
        ends.then_some(true)
    }

    /// At a bottleneck: true if nothing happens any more, not even what comes at `now`.
    #[inline(never)]
    fn ends_by(&mut self, now: Time) -> bool {
        if now > self.end && self.drain_end > self.end {
            self.begin_drain();
        }
        if now > self.end || self.has_drained(now) {
            self.network.catch_up(self.end, &mut self.recorder);
            self.finished = true;
        }
        self.finished
    }

    /// Starts to measure at the first boundary from the warm-up's end on. What happens at that very moment belongs to
    /// the slot before, so as many slots are delivered as are sent and two runs' counts can be subtracted.
    fn end_warm_up(&mut self, now: Time) {
        if self.measured_from.is_none() && now >= self.warmup {
            self.measured_from = Some(now);
            self.take_statistics();
            self.recorder.start_measuring(now);
            self.hops.nodes.iter_mut().for_each(|hop| hop.start_measuring(now));
        }
    }

    /// Handles what happens in flows, hops and the uplink before `limit`.
    #[inline]
    fn handle_events(&mut self, limit: Time) {
        if self.ahead.is_some() {
            return self.handle_events_in_spans(limit);
        }
        self.handle_planned(limit);
    }

    #[inline]
    fn handle_planned(&mut self, limit: Time) {
        while self.events.next_at() < limit {
            self.handle_event(self.events.next_at());
        }
    }

    /// Handles what is planned next, which is `now`. Packets that its flow sends and that reach the network at this very moment
    /// follow at once: of all flows they would come next, unless something of the network comes before.
    #[inline(always)]
    fn handle_event(&mut self, now: Time) {
        let (event, flow) = self.events.next();
        if flow >= self.flows.len() {
            return self.leave_node(now, flow - self.flows.len());
        }
        if event.class() == Class::Timer && self.takes_timer(now, flow) {
            return;
        }
        let running = self.flows[flow].running();
        if event.class() != Class::Arrival && !running.reaches_now(now) {
            let next = if event.class() == Class::Ack {
                running.handle_acks(now, &mut self.recorder.flow(flow));
                running.next_after_acks()
            } else {
                running.handle_timeout(now, &mut self.recorder.flow(flow));
                running.next_event()
            };
            let follows = next < event && next.class() == Class::Arrival;
            if !follows || self.network.poll_timeout() <= now || now >= self.watch_from {
                return self.events.plan(next, flow);
            }
        }
        if running.downlink.is_impaired() {
            running.handle_lost_packets(now, Direction::Down, &mut self.recorder.flow(flow));
        }
        if running.passes_hops {
            return self.enter_hops(now, flow);
        }
        while let Some(packet) = running.downlink.poll_packet(now) {
            let news = if Ahead::keeps_news(&self.ahead) { Some(&mut self.outcomes) } else { None };
            enter_network(&mut self.network, now, packet, running, &mut self.recorder, news);
        }
        self.events.plan(running.next_after_arrival(), flow);
        if !self.outcomes.is_empty() && self.network.cell().is_none() {
            self.lose_refused(now);
        }
    }

    /// Flows without a transport top their queues up to more than a slot can carry.
    fn fill_queues(&mut self, now: Time) {
        let Some(cell) = self.network.cell_mut() else { return };
        for &id in &self.backlogged {
            let flow = &mut self.flows[id];
            let Source::Backlogged(bytes) = flow.config().source else { continue };
            let user = flow.config().user;
            if !flow.fills_queue(now) {
                continue;
            }
            let enough = cell.most_bytes(user) + bytes;
            while cell.fresh_bytes(user) < enough && cell.has_room(user, bytes) {
                let packet = flow.running().filler(now, bytes, &mut self.recorder.flow(id));
                let taken = cell.handle_packet(now, packet, &mut self.recorder);
                if taken.is_err() && cell.chooses_drops() {
                    break; // another is offered with the next slot
                }
                assert!(taken.is_ok(), "a queue with room takes the packet");
            }
        }
    }

    /// Senders count for themselves; the record takes their counts over where a measurement begins or ends.
    pub(crate) fn take_statistics(&mut self) {
        for (flow, record) in self.flows.iter().zip(self.recorder.flows.each_mut()) {
            if let Some(record) = record {
                record.counts.sender = flow.statistics();
                record.counts.marks = flow.mark_counts(&record.counts.marks);
                record.counts.user_sender = flow.user_statistics();
                record.counts.datagrams = flow.datagram_counts();
            }
        }
    }
}

/// The first moment after `time`.
fn after(time: Time) -> Time {
    time + Duration::from_nanos(1)
}

/// A packet of `flow` reaches the network.
#[inline(always)]
fn enter_network(
    network: &mut Network,
    now: Time,
    packet: Packet<Payload>,
    flow: &mut RunningFlow,
    recorder: &mut Recorder,
    news: Option<&mut Vec<Outcome<Payload>>>,
) {
    if !network.is_plain() {
        return enter_impaired(network, now, packet, flow, recorder);
    }
    if let Err(dropped) = network.handle_packet(now, packet, recorder) {
        match news {
            Some(news) => news.push(Outcome::Dropped(dropped)),
            None => flow.handle_loss(&dropped.packet),
        }
    }
}

/// The same where a copy may have to be accounted for.
#[inline(never)]
fn enter_impaired(
    network: &mut Network,
    now: Time,
    packet: Packet<Payload>,
    flow: &mut RunningFlow,
    recorder: &mut Recorder,
) {
    let copy = network.may_duplicate().then(|| packet.clone());
    match network.handle_packet(now, packet, recorder) {
        Ok(true) => copy.iter().for_each(|copy| flow.handle_copy(copy)),
        Ok(false) => {}
        Err(dropped) => flow.handle_loss(&dropped.packet),
    }
}
