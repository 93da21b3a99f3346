//! Spans of time at a wired bottleneck, as a cell has them of slots (`ahead.rs`): servers handle the ACKs of a span, the queue takes in
//! what they sent, and users hear what comes out of the wire.
//!
//! What it leaves out, as all would have to be in turn: queues that mark, drop at their head or lose on their wire, and hops before the
//! bottleneck; as nothing would be gained: senders that pace, each packet by a timer.

use airlink_model::transport::Pacing;
use airlink_model::types::{Bytes, Duration, Time};

use super::arrivals::receive;
use super::{Simulation, after};
use crate::flow::{Flow, FlowConfig};

/// With fewer packets in a span its beginning and end cost more than turns do (docs/performance.md).
const LEAST_PACKETS: u64 = 8;
/// A span is a step of a run, between two of which somebody may end it.
const MOST_PACKETS: u64 = 1024;

impl Simulation {
    /// How long a span may be, where nothing but ACKs, timers and a plain bottleneck moves all flows and spans are worth it. Packets must
    /// all reach the bottleneck in the turn of the ACKs that let them go, or all on their own: a mix would lose the order of one moment.
    pub(super) fn longest_span_of_wires(&mut self) -> Option<Duration> {
        let rate = self.network.plain_rate()?;
        let has_wires_alone = self.hops.nodes.is_empty() && self.uplink.is_none();
        let configs = || self.flows.iter().map(Flow::config);
        let is_simple = |config: &FlowConfig| {
            let packets = rate.time_to_send(config.tcp.mss + config.tcp.header) * LEAST_PACKETS;
            let is_long = config.uplink.delay > Duration::ZERO && config.uplink.delay >= packets;
            config.may_go_ahead(Duration::ZERO) && is_long && config.tcp.pacing == Pacing::Off
        };
        let takes_time = |config: &FlowConfig| config.downlink.delay > Duration::ZERO;
        let has_one_turn = configs().all(FlowConfig::reaches_at_once) || configs().all(takes_time);
        let packet = configs().map(|config| config.tcp.mss + config.tcp.header).min()?;
        let longest = rate.time_to_send(Bytes::new(packet.count() * MOST_PACKETS)).max(Duration::from_nanos(1));
        (has_wires_alone && configs().all(is_simple) && has_one_turn).then_some(longest)
    }

    /// How many events a step handles at most, about.
    pub fn events_a_step(&self) -> usize {
        // Each packet is sent, queued, heard of and acknowledged.
        if self.ahead.is_some() && self.network.cell().is_none() { 4 * MOST_PACKETS as usize } else { 1 }
    }

    /// Passes one span that ends by `limit`, or begins and ends what is due then; false if nothing happens before `limit` any more.
    pub(super) fn step_span(&mut self, limit: Time) -> bool {
        let stop = limit.min(self.watch_from);
        if self.pass_span(stop) {
            return true;
        }
        self.catch_up(stop);
        let goes_on = self.looks_up(self.next_at(), limit);
        if self.window.is_some() && !self.finished {
            self.keep_servers_in_turn();
        }
        goes_on.unwrap_or(true)
    }

    /// False if all that comes before `stop` has happened at the bottleneck.
    fn pass_span(&mut self, stop: Time) -> bool {
        let next_at = self.next_at();
        let Some(ahead) = self.ahead.as_ref().filter(|ahead| ahead.done < stop) else { return false };
        let from = next_at.max(ahead.done).min(stop);
        // What happens from then on is heard by no server before.
        self.follow(from, from, (from + ahead.up).min(stop));
        if let Some(ahead) = &mut self.ahead {
            ahead.done = (ahead.until + ahead.down).min(stop);
            let done = ahead.done;
            self.handle_planned(done);
        }
        true
    }

    /// When something happens next.
    fn next_at(&self) -> Time {
        let acks_at = self.ahead.as_ref().map_or(Time::NEVER, |ahead| ahead.acks.next_at());
        self.network.poll_timeout().min(self.events.next_at()).min(acks_at)
    }

    /// Whether users have something to hear that comes by `now`.
    pub(super) fn has_news(&self, now: Time) -> bool {
        !self.outcomes.is_empty() || self.network.cell().is_none() && self.network.poll_timeout() <= now
    }

    /// What comes out of the bottleneck's wire before `limit` reaches its users, none of whom browses. What their flows do next is planned
    /// afterwards, once.
    pub(super) fn hear_arrivals(&mut self, limit: Time) {
        let mut heard = std::mem::take(&mut self.heard);
        loop {
            let now = self.network.poll_timeout();
            if now >= limit {
                break;
            }
            while let Some(packet) = self.network.poll_packet(now, &mut self.recorder) {
                let flow = packet.flow.index();
                self.handle_user_timers(now, flow);
                let running = self.flows[flow].running();
                receive(&mut self.network, now, packet, running, &mut self.recorder);
                if running.holds_burst() && !self.bursts.contains(&flow) {
                    self.bursts.push(flow);
                }
                if running.hears_first() {
                    heard.push(flow);
                }
            }
            while let Some(flow) = self.bursts.pop() {
                self.flows[flow].running().end_burst(now, &mut self.recorder.flow(flow));
            }
        }
        for flow in heard.drain(..) {
            let running = self.flows[flow].running();
            running.has_heard = false;
            self.events.plan(running.next_after_delivery(), flow);
            self.plan_ack_ahead(flow);
        }
        self.heard = heard;
    }

    /// Flows hear of packets for which the bottleneck had no room `now`, after what has come out of its wire.
    #[cold]
    #[inline(never)]
    pub(super) fn lose_refused(&mut self, now: Time) {
        self.hear_arrivals(after(now));
        let mut outcomes = std::mem::take(&mut self.outcomes);
        outcomes.drain(..).for_each(|outcome| self.hear(now, outcome));
        self.outcomes = outcomes;
    }
}
