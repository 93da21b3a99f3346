//! Packets on their way from hop to hop, in both directions, and to an uplink with grants before them.
//!
//! A packet counts the hops behind it; its flow knows which one is next. Behind the last one comes the network, or on the way
//! up the flow's own wire to the server.

use airlink_model::path::Lost;
use airlink_model::types::{Direction, Dropped, Packet, Time};

use super::{Simulation, enter_network};
use crate::events::Next;
use crate::path_hop::PathHop;
use crate::payload::Payload;
use crate::record::Recorder;

impl Simulation {
    /// What comes out of the flow's own wire, and what its user sends, goes on to the first hop of its path.
    #[inline(never)]
    pub(super) fn enter_hops(&mut self, now: Time, flow: usize) {
        while let Some(packet) = self.flows[flow].running().downlink.poll_packet(now) {
            self.forward(now, packet);
        }
        while let Some(packet) = self.flows[flow].running().poll_leaving() {
            match &mut self.uplink {
                Some(uplink) => {
                    self.recorder.flow(flow).on_grant_awaited(now);
                    uplink.push(now, packet);
                    self.plan_uplink();
                }
                None => self.forward(now, packet),
            }
        }
        self.events.plan(self.flows[flow].next_event(), flow);
    }

    /// A packet goes on to the next hop of its flow, or to what is behind the last one.
    fn forward(&mut self, now: Time, packet: Packet<Payload>) {
        let flow = packet.flow.index();
        let running = self.flows[flow].running();
        match (running.hops(packet.direction).get(usize::from(packet.hop)), packet.direction) {
            (Some(&hop), _) => self.enter_hop(now, usize::from(hop), packet),
            (None, Direction::Down) => enter_network(&mut self.network, now, packet, running, &mut self.recorder, None),
            (None, Direction::Up) => {
                running.enter_uplink(now, packet, &mut self.recorder.flow(flow));
                self.events.plan(running.next_event(), flow);
            }
        }
    }

    fn enter_hop(&mut self, now: Time, hop: usize, packet: Packet<Payload>) {
        let flow = packet.flow.index();
        let copy = self.hops.nodes[hop].may_duplicate().then(|| packet.clone());
        let was_marked = packet.marks.has_ce();
        let running = self.flows[flow].running();
        let taken = self.hops.nodes[hop].push(now, packet);
        // A queue without management marks what comes or nothing.
        let carries_mark = record_marked(&mut self.hops.nodes[hop], &mut self.recorder) > 0 || was_marked;
        let mut recorder = self.recorder.flow(flow);
        match taken {
            Ok((until, duplicated)) => {
                recorder.on_held(now, || until);
                if let Some(copy) = copy.filter(|_| duplicated) {
                    recorder.on_packet_duplicated(copy.direction, copy.id);
                    recorder.on_mark_duplicated(carries_mark);
                    running.handle_copy(&copy);
                }
            }
            Err(Dropped { packet, reason }) => {
                let lost = Lost { at: now, item: packet, reason };
                recorder.on_packet_lost(&lost);
                running.handle_loss(&lost.item);
            }
        }
        self.note_copies(hop);
        self.plan_hop(hop);
    }

    /// What has come out of a hop or, behind them by number, of the uplink with grants.
    #[inline(never)]
    pub(super) fn leave_node(&mut self, now: Time, node: usize) {
        if node < self.hops.nodes.len() { self.leave_hop(now, node) } else { self.leave_uplink(now) }
    }

    fn leave_uplink(&mut self, now: Time) {
        while let Some(packet) = self.uplink.as_mut().and_then(|uplink| uplink.poll_packet(now)) {
            self.recorder.flow(packet.flow.index()).on_granted(now);
            self.forward(now, packet);
        }
        self.plan_uplink();
    }

    fn plan_uplink(&mut self) {
        let acts_at = self.uplink.as_ref().map_or(Time::NEVER, |uplink| uplink.poll_timeout());
        let node = self.flows.len() + self.hops.nodes.len();
        self.events.plan(Next::of([acts_at, Time::NEVER, Time::NEVER]), node);
    }

    /// Packets of a flow that wait for a grant of the uplink.
    pub(super) fn without_grant(&self, flow: usize) -> u64 {
        self.uplink.as_ref().map_or(0, |uplink| uplink.held(flow))
    }

    /// What a hop has lost, duplicated and carried by `now`.
    fn leave_hop(&mut self, now: Time, hop: usize) {
        while let Some(lost) = self.hops.nodes[hop].poll_lost(now) {
            let flow = lost.item.flow.index();
            self.recorder.flow(flow).on_packet_lost(&lost);
            self.flows[flow].running().handle_loss(&lost.item);
        }
        self.note_copies(hop);
        while let Some(packet) = self.hops.nodes[hop].poll_packet(now) {
            self.forward(now, packet);
        }
        record_marked(&mut self.hops.nodes[hop], &mut self.recorder);
        self.plan_hop(hop);
    }

    /// Tells flows of their packets that the wire of a hop with management will duplicate.
    fn note_copies(&mut self, hop: usize) {
        while let Some(packet) = self.hops.nodes[hop].poll_duplicated() {
            let flow = packet.flow.index();
            self.recorder.flow(flow).on_packet_duplicated(packet.direction, packet.id);
            self.recorder.flow(flow).on_mark_duplicated(packet.marks.has_ce());
            self.flows[flow].running().handle_copy(&packet);
        }
    }

    /// Tells flows of copies to come that nothing has asked for: of packets that began to be sent as the run ended.
    pub(super) fn note_last_copies(&mut self) {
        while let Some(packet) = self.network.poll_duplicated(&mut self.recorder) {
            self.flows[packet.flow.index()].running().handle_copy(&packet);
        }
        (0..self.hops.nodes.len()).for_each(|hop| self.note_copies(hop));
    }

    fn plan_hop(&mut self, hop: usize) {
        let acts_at = self.hops.nodes[hop].poll_timeout();
        self.events.plan(Next::of([acts_at, Time::NEVER, Time::NEVER]), self.flows.len() + hop);
    }

    /// Packets of a flow that are in hops, going this way.
    pub(super) fn in_hops(&self, direction: Direction, flow: usize) -> u64 {
        self.hops.nodes.iter().map(|hop| hop.held(direction, flow)).sum()
    }
}

/// Counts the marks (CE) that a hop's queue has set, and returns how many.
#[inline]
fn record_marked(hop: &mut PathHop, recorder: &mut Recorder) -> usize {
    hop.take_marked().map(|flow| recorder.on_marked_before(flow)).count()
}
