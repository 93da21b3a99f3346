//! A flow with data both ways: both ends send and receive, and their applications ask and answer.
//!
//! The user opens the connection. What is recorded of a sender is of the server's, whose data goes to the user; the user's has counts
//! of its own.

use airlink_model::traffic::Exchange;
use airlink_model::transport::{Endpoint, Segment};
use airlink_model::types::{Bytes, Direction, Packet, Time};

use super::ends::End;
use super::{RunningFlow, has_fate};
use crate::payload::Payload;
use crate::record::{FlowRecorder, SenderSnapshot};

impl RunningFlow {
    /// Has the user ask at `at`.
    pub(crate) fn ask_exchange(&mut self, at: Time, exchange: Exchange) {
        self.start_by(at);
        self.dialogue.as_mut().expect("a flow with exchanges has both applications").ask(at, exchange);
    }

    /// True once after each answer that has ended.
    #[inline]
    pub(crate) fn take_answered(&mut self) -> bool {
        std::mem::take(&mut self.has_answered)
    }

    /// The end that sends packets of `direction`.
    fn endpoint(&mut self, direction: Direction) -> &mut Endpoint {
        match self.ends.at_start_of(direction) {
            End::Both(endpoint) => endpoint,
            End::Sends(_) | End::Receives(_) => unreachable!("both ends send and receive"),
        }
    }

    #[cold]
    pub(super) fn open_two_ways(&mut self, now: Time) {
        self.endpoint(Direction::Down).listen();
        self.endpoint(Direction::Up).open(now);
    }

    #[cold]
    pub(super) fn stop_two_ways(&mut self, now: Time) {
        if let Some(dialogue) = &mut self.dialogue {
            dialogue.stop();
        }
        self.endpoint(Direction::Down).stop(now);
        self.endpoint(Direction::Up).stop(now);
    }

    /// The user's application hands a request over whose time has come.
    pub(super) fn begin_exchange(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        let Some(exchange) = self.dialogue.as_mut().and_then(|dialogue| dialogue.begin(now)) else { return };
        self.endpoint(Direction::Up).supply(exchange.request);
        if !exchange.begins.is_zero() {
            recorder.on_requested(now, self.config.user, exchange.begins);
        }
    }

    /// Handles the timers of one end, and sends what follows.
    #[inline(never)]
    pub(super) fn handle_timers_of_both(
        &mut self,
        now: Time,
        direction: Direction,
        recorder: &mut FlowRecorder<'_>,
    ) {
        let endpoint = self.endpoint(direction);
        if endpoint.poll_timeout().is_some_and(|due| due <= now) {
            if direction == Direction::Up {
                endpoint.handle_timeout(now);
            } else {
                let before = SenderSnapshot::of(endpoint.sender());
                if endpoint.sender().is_retransmission_due(now) {
                    recorder.on_expiry(now, endpoint.sender(), false);
                    self.fate.decide(recorder);
                }
                self.endpoint(direction).handle_timeout(now);
                self.after_timeout(now, &before, recorder);
            }
        }
        self.send(now, direction, recorder);
    }

    /// The next segment of one end.
    #[inline(never)]
    pub(super) fn next_of_both(
        &mut self,
        now: Time,
        direction: Direction,
        recorder: &mut FlowRecorder<'_>,
    ) -> Option<Segment> {
        let endpoint = self.endpoint(direction);
        let before = SenderSnapshot::of(endpoint.sender());
        let segment = endpoint.poll_packet(now);
        if direction == Direction::Down {
            recorder.on_sender_delta(now, endpoint.sender(), &before.delta_to(endpoint.sender()));
        }
        segment
    }

    /// A segment reaches the server, which answers a whole request at once.
    #[inline(never)]
    pub(super) fn handle_at_server(
        &mut self,
        now: Time,
        packet: &Packet<Payload>,
        segment: &Segment,
        recorder: &mut FlowRecorder<'_>,
    ) {
        let endpoint = self.endpoint(Direction::Down);
        let before = SenderSnapshot::of(endpoint.sender());
        let had = endpoint.receiver().goodput();
        endpoint.handle_packet(now, segment);
        if segment.length > 0 {
            endpoint.follow_price(now, packet.bytes, packet.marks.price);
        }
        let received = endpoint.receiver().goodput();
        let rtt = endpoint.take_rtt_sample();
        recorder.on_ack_arrived(rtt);
        recorder.on_goodput_up(received - had);
        if recorder.wants_sender() {
            recorder.on_ack_effect(now, endpoint.sender(), &before, segment, rtt);
        }
        if let Some(answer) = self.dialogue.as_mut().and_then(|dialogue| dialogue.on_request(received)) {
            self.endpoint(Direction::Down).supply(answer);
        }
    }

    /// A segment reaches the user; returns the bytes that are new and in order.
    #[inline(never)]
    pub(super) fn handle_at_user(
        &mut self,
        now: Time,
        packet: &Packet<Payload>,
        segment: &Segment,
        recorder: &mut FlowRecorder<'_>,
    ) -> Bytes {
        if has_fate(&packet.payload).is_some() {
            self.fate.on_arrival(segment, recorder);
        }
        if self.receiver().acknowledges_first(now, segment) {
            let endpoint = self.endpoint(Direction::Up);
            endpoint.handle_timeout(now);
            endpoint.end_burst();
            self.send(now, Direction::Up, recorder);
        }
        recorder.on_packet_comes(now, packet);
        let before = self.receiver().goodput();
        let endpoint = self.endpoint(Direction::Up);
        endpoint.handle_packet(now, segment);
        if segment.length > 0 {
            endpoint.follow_price(now, packet.bytes, packet.marks.price);
        }
        let received = self.receiver().goodput();
        let fresh = received - before;
        recorder.on_goodput(fresh);
        if self.dialogue.as_mut().is_some_and(|dialogue| dialogue.on_answer(now, received)) {
            self.end_answer(now, recorder);
        }
        self.send(now, Direction::Up, recorder);
        fresh
    }

    /// The user has all of an answer: a download of its own, or an object of which the browser hears.
    fn end_answer(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        if self.config.connection.is_some() {
            self.has_answered = true;
        } else {
            recorder.on_downloaded(now);
        }
        recorder.on_limit(now, || self.limit(now));
    }
}
