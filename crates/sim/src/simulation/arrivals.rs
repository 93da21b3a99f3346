//! What comes out of the network: packets reach their users, or are lost, and flows hear of it.

use airlink_model::rlc::Outcome;
use airlink_model::types::{Dropped, Packet, Time};

use super::Simulation;
use super::ahead::Ahead;
use crate::flow::RunningFlow;
use crate::network::Network;
use crate::payload::Payload;
use crate::record::Recorder;

impl Simulation {
    /// A slot ends: its packets have arrived, or are dropped.
    pub(super) fn finish(&mut self, now: Time) {
        let before = self.outcomes.len();
        self.network.finish(now, &mut self.outcomes, &mut self.recorder);
        if !Ahead::keeps_news(&self.ahead) {
            self.hear_at_once(now);
        } else if self.outcomes.len() > before {
            self.keep_news(now);
        }
    }

    #[inline]
    fn hear_at_once(&mut self, now: Time) {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        for outcome in outcomes.drain(..) {
            self.hear(now, outcome);
        }
        self.outcomes = outcomes;
        self.end_bursts(now);
    }

    /// Tells the flows of packets that queues dropped as the slot started.
    #[inline]
    pub(super) fn lose_dropped(&mut self) {
        let Some(cell) = self.network.cell_mut().filter(|cell| cell.has_dropped()) else { return };
        for dropped in cell.take_dropped() {
            if Ahead::keeps_news(&self.ahead) {
                self.outcomes.push(Outcome::Dropped(dropped));
            } else {
                self.flows[dropped.packet.flow.index()].running().handle_loss(&dropped.packet);
            }
        }
    }

    /// What has come out of a bottleneck's wire reaches its users.
    pub(super) fn arrive(&mut self, now: Time) {
        if !self.network.is_plain() {
            self.network.catch_up(now, &mut self.recorder);
            self.finish_losses(now);
        }
        while let Some(packet) = self.network.poll_packet(now, &mut self.recorder) {
            self.deliver(now, packet);
        }
        self.end_bursts(now);
    }

    /// Tells the flows what a hop has lost and duplicated.
    #[inline(never)]
    fn finish_losses(&mut self, now: Time) {
        while let Some(packet) = self.network.poll_lost(now, &mut self.recorder) {
            self.flows[packet.flow.index()].running().handle_loss(&packet);
        }
        while let Some(packet) = self.network.poll_duplicated(&mut self.recorder) {
            self.flows[packet.flow.index()].running().handle_copy(&packet);
        }
    }

    /// The flow of a packet hears how that has ended.
    #[inline]
    pub(super) fn hear(&mut self, now: Time, outcome: Outcome<Payload>) {
        match outcome {
            Outcome::Delivered(packet) => self.deliver(now, packet),
            Outcome::Dropped(Dropped { packet, .. }) => {
                self.flows[packet.flow.index()].running().handle_loss(&packet);
            }
        }
    }

    #[inline]
    pub(super) fn end_bursts(&mut self, now: Time) {
        if !self.bursts.is_empty() {
            self.end_held_bursts(now);
        }
    }

    #[inline(never)]
    fn end_held_bursts(&mut self, now: Time) {
        while let Some(flow) = self.bursts.pop() {
            let running = self.flows[flow].running();
            running.end_burst(now, &mut self.recorder.flow(flow));
            self.events.plan(running.next_after_delivery(), flow);
            self.plan_ack_ahead(flow);
        }
    }

    fn deliver(&mut self, now: Time, packet: Packet<Payload>) {
        let flow = packet.flow.index();
        let running = self.flows[flow].running();
        receive(&mut self.network, now, packet, running, &mut self.recorder);
        let browser = running.take_answered();
        if running.holds_burst() {
            // What the flow does next is planned as the burst ends, at this moment.
            if !self.bursts.contains(&flow) {
                self.bursts.push(flow);
            }
        } else {
            self.events.plan(running.next_after_delivery(), flow);
            self.plan_ack_ahead(flow);
        }
        if let Some(connection) = browser {
            self.end_object(now, connection);
        }
    }
}

/// A packet reaches the user of `flow`.
#[inline(always)]
pub(super) fn receive(
    network: &mut Network,
    now: Time,
    packet: Packet<Payload>,
    flow: &mut RunningFlow,
    recorder: &mut Recorder,
) {
    let fresh = flow.handle_delivery(now, &packet, &mut recorder.flow(packet.flow.index()));
    if !fresh.is_zero() {
        network.on_goodput(packet.user, fresh);
    }
    flow.keep(packet);
}
