//! A server that handles its ACKs all at once for a span of time, as far as nothing can change what it does with them
//! (`simulation::ahead`).

use airlink_model::traffic::Source;
use airlink_model::types::{Direction, Duration, Rate, Time};

use super::ends::End;
use super::{FlowConfig, Hold, RunningFlow};
use crate::events::Next;
use crate::record::FlowRecorder;

impl FlowConfig {
    /// True if nothing but ACKs and the sender's own timer moves its server, and each way is as long as a `slot` at least.
    pub(crate) fn may_go_ahead(&self, slot: Duration) -> bool {
        let has_sender_alone = matches!(self.source, Source::Greedy | Source::File(_)) && !self.has_endpoints();
        let has_wires_alone = self.is_download() && !self.passes_hops() && !self.has_impaired_path();
        let is_own = self.control.is_some() || self.hold != Hold::Off;
        has_sender_alone && has_wires_alone && !is_own && self.downlink.delay.min(self.uplink.delay) >= slot
    }

    /// Whether its way from the server to the network takes no time.
    pub(crate) fn reaches_at_once(&self) -> bool {
        self.downlink.delay == Duration::ZERO && self.downlink.rate == Rate::UNLIMITED
    }
}

impl RunningFlow {
    /// Its server waits for its turn from now on.
    pub(crate) fn stay_in_turn(&mut self) {
        (self.is_ahead, self.reaches_at_once) = (false, false);
    }

    /// True if what comes at `now` in the turn of ACKs is a packet that reaches the network.
    #[inline]
    pub(crate) fn reaches_now(&self, now: Time) -> bool {
        self.reaches_at_once && self.downlink.poll_timeout().is_some_and(|at| at <= now)
    }

    /// Handles the ACKs that reach the server before `limit`, up to its timer.
    pub(crate) fn handle_acks_before(&mut self, limit: Time, recorder: &mut FlowRecorder<'_>) {
        let mut next = self.next_ack();
        while next < limit && next <= self.timers[0] {
            self.handle_acks(next, recorder);
            self.look_at_server();
            next = self.next_ack();
        }
        self.is_ahead = next >= limit;
    }

    /// When to look at the server next: at its next ACK, or at `until` if one before that waits for a timer.
    pub(crate) fn next_ack_ahead(&self, until: Time) -> Next {
        debug_assert!(!self.is_ahead || self.next_ack() >= until, "the server has handled what comes before");
        Next::of([Time::NEVER, self.next_ack().max(until), Time::NEVER])
    }

    /// The user hears of a packet: true for the first since the flow was planned.
    #[inline]
    pub(crate) fn hears_first(&mut self) -> bool {
        !std::mem::replace(&mut self.has_heard, true)
    }

    /// When the user's timer runs out.
    pub(crate) fn user_timer(&mut self) -> Option<Time> {
        match self.ends.at_start_of(Direction::Up) {
            End::Receives(receiver) => receiver.poll_timeout(),
            End::Sends(_) | End::Both(_) => None,
        }
    }

    /// Handles the timers that run out: the user's alone if the server's comes later, since the server may have handled what comes
    /// after it.
    pub(crate) fn handle_timer_in_spans(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        if now < self.timers[0] {
            self.handle_timers(now, Direction::Up, recorder);
        } else {
            self.handle_timeout(now, recorder);
        }
    }
}
