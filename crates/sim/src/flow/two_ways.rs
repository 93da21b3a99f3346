//! A flow whose two ends send and receive: with data both ways, or with FINs.
//!
//! With data both ways the applications ask and answer, and the user opens the connection. What is recorded of a sender, event by
//! event, is of the server's, whose data goes to the user; the user's has counts of its own. What holds the flow back is of both.

use airlink_model::traffic::{Exchange, Source};
use airlink_model::transport::{Endpoint, Segment, Sender, State};
use airlink_model::types::{Bytes, Direction, Packet, Time};

use super::RunningFlow;
use super::ends::End;
use crate::browsing::Connection;
use crate::payload::Payload;
use crate::record::{AckHeard, FlowRecorder, SenderSnapshot};

impl RunningFlow {
    /// The next packet of the user that enters the first hop of its path.
    pub(crate) fn poll_leaving(&mut self) -> Option<Packet<Payload>> {
        self.leaving.pop_front()
    }

    /// Has the user ask at `at`.
    pub(crate) fn ask_exchange(&mut self, at: Time, exchange: Exchange) {
        self.start_by(at);
        self.dialogue.as_mut().expect("a flow with exchanges has both applications").ask(at, exchange);
    }

    /// The browser's connection that this is, once after each answer that it has brought.
    #[inline]
    pub(crate) fn take_answered(&mut self) -> Option<Connection> {
        if std::mem::take(&mut self.has_answered) { self.config.connection } else { None }
    }

    /// The end that sends packets of `direction`.
    fn endpoint(&mut self, direction: Direction) -> &mut Endpoint {
        match self.ends.at_start_of(direction) {
            End::Both(endpoint) => endpoint,
            End::Sends(_) | End::Receives(_) => unreachable!("both ends send and receive"),
        }
    }

    #[cold]
    pub(super) fn open_both(&mut self, now: Time) {
        let opener = self.config.opener();
        self.endpoint(opener.opposite()).listen();
        self.endpoint(opener).open(now);
    }

    #[cold]
    pub(super) fn stop_both(&mut self, now: Time) {
        if let Some(dialogue) = &mut self.dialogue {
            dialogue.stop();
        }
        for direction in [Direction::Down, Direction::Up] {
            if let Some(sender) = self.endpoint(direction).sender_mut() {
                sender.stop(now);
            }
        }
        self.close_if_done(now);
    }

    /// Applications hand over what is due.
    pub(super) fn supply_both(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        if self.dialogue.is_some() {
            return self.begin_exchange(now, recorder);
        }
        let supplied = self.application.supply(now);
        let data = self.ends.data();
        self.endpoint(data).supply(supplied);
        if self.application.has_downloads() && !supplied.is_zero() {
            recorder.on_requested(now, self.config.user, supplied);
        }
        self.close_if_done(now);
    }

    /// Closes the direction of the end that has no more to send: a server after its last byte, the user who stops asking, and
    /// whoever has got the other end's FIN.
    fn close_if_done(&mut self, now: Time) {
        if !self.config.tcp.close || !self.started {
            return;
        }
        let has_more = match &self.dialogue {
            Some(dialogue) => !dialogue.has_stopped(),
            // Who waits to be asked may be asked again.
            None => matches!(self.config.source, Source::Asked) || !self.application.has_handed_over_all(),
        };
        let first = if self.dialogue.is_some() { Direction::Up } else { self.ends.data() };
        for direction in [first, first.opposite()] {
            let is_done = direction == first && !has_more;
            let endpoint = self.endpoint(direction);
            let state = endpoint.state();
            if state == State::CloseWait || (is_done && state == State::Established) {
                endpoint.close(now);
            }
        }
    }

    /// The user's application hands a request over whose time has come.
    fn begin_exchange(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        let Some(exchange) = self.dialogue.as_mut().and_then(|dialogue| dialogue.begin(now)) else { return };
        self.endpoint(Direction::Up).supply(exchange.request);
        if !exchange.begins.is_zero() {
            recorder.on_requested(now, self.config.user, exchange.begins);
        }
    }

    /// Handles the timers of one end, and sends what follows.
    #[inline(never)]
    pub(super) fn handle_timers_of_both(&mut self, now: Time, direction: Direction, recorder: &mut FlowRecorder<'_>) {
        let data = self.ends.data();
        let endpoint = self.endpoint(direction);
        if endpoint.poll_timeout().is_some_and(|due| due <= now) {
            let before = endpoint.sender().filter(|_| direction == data).map(SenderSnapshot::of);
            if let Some(sender) =
                endpoint.sender().filter(|sender| before.is_some() && sender.is_retransmission_due(now))
            {
                recorder.on_expiry(now, sender, false);
                self.fate.decide(recorder);
            }
            let struck = self.timeouts_asking(direction);
            self.endpoint(direction).handle_timeout(now);
            if let Some(before) = before {
                self.after_timeout(now, &before, recorder);
            } else if self.timeouts_asking(direction) > struck {
                recorder.on_silence(now, direction);
            }
        }
        self.send(now, direction, recorder);
    }

    /// Timeouts so far of the user's sender, while its request is what the flow waits for.
    fn timeouts_asking(&self, direction: Direction) -> u64 {
        let asks =
            direction == Direction::Up && self.dialogue.as_ref().is_some_and(|dialogue| dialogue.is_requesting());
        self.ends.user_sender().filter(|_| asks).map_or(0, |sender| sender.statistics().timeouts)
    }

    /// The next segment of one end.
    #[inline(never)]
    pub(super) fn next_of_both(
        &mut self,
        now: Time,
        direction: Direction,
        recorder: &mut FlowRecorder<'_>,
    ) -> Option<Segment> {
        let data = self.ends.data();
        let endpoint = self.endpoint(direction);
        let before = endpoint.sender().filter(|_| direction == data).map(SenderSnapshot::of);
        let segment = endpoint.poll_packet(now);
        if let (Some(before), Some(sender)) = (before, endpoint.sender()) {
            recorder.on_sender_delta(now, sender, &before.delta_to(sender));
        }
        segment
    }

    /// A segment reaches one end, whose application hears of what is new; returns the bytes that are new and in order.
    #[inline(never)]
    pub(super) fn handle_both(
        &mut self,
        now: Time,
        packet: &Packet<Payload>,
        segment: &Segment,
        recorder: &mut FlowRecorder<'_>,
    ) -> Bytes {
        let (way, data) = (packet.direction, self.ends.data());
        let to = way.opposite();
        if let Some(carried) = self.followed(way, &packet.payload) {
            self.fate.on_arrival(carried, recorder);
        }
        if let Some(receiver) = self.endpoint(to).receiver_mut()
            && receiver.acknowledges_first(now, &segment.piece())
        {
            receiver.handle_timeout(now);
            receiver.end_burst();
            self.send(now, to, recorder);
        }
        match way {
            Direction::Down => recorder.on_packet_comes(now, packet),
            Direction::Up => recorder.on_packet_comes_up(now, packet),
        }
        let endpoint = self.endpoint(to);
        let is_recorded = to == data || recorder.wants_sender();
        let (before, had) = (endpoint.sender().filter(|_| is_recorded).map(SenderSnapshot::of), endpoint.goodput());
        take_in(endpoint, now, packet, segment);
        let received = endpoint.goodput();
        let ack = AckHeard { segment, direction: way, is_duplicate: false };
        if to != data {
            if let (Some(before), Some(sender), true) = (before, endpoint.sender(), segment.flags.ack()) {
                recorder.on_other_ack(now, sender, &before, ack);
            }
        } else {
            let rtt = endpoint.sender_mut().and_then(Sender::take_rtt_sample);
            recorder.on_ack_arrived(rtt);
            if let (Some(before), Some(sender)) = (before, endpoint.sender())
                && recorder.wants_sender()
            {
                recorder.on_ack_effect(now, sender, &before, ack, rtt);
            }
            self.fate.on_acknowledged(self.ends.acknowledged().count());
        }
        match way {
            Direction::Down => recorder.on_goodput(received - had),
            Direction::Up => recorder.on_goodput_up(received - had),
        }
        self.tell_application(now, way, received, recorder);
        self.close_if_done(now);
        self.send(now, to, recorder);
        if to == data || self.dialogue.is_some() {
            recorder.on_limit(now, || self.limit(now));
        }
        received - had
    }

    /// All that reaches the server at this moment is there.
    #[cold]
    pub(super) fn end_burst_at_server(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        if let Some(receiver) = self.endpoint(Direction::Down).receiver_mut()
            && receiver.holds_burst()
        {
            receiver.end_burst();
            self.send(now, Direction::Down, recorder);
        }
    }

    /// So many bytes have arrived in direction `way`: the server answers a whole request at once, and a download may be over.
    fn tell_application(&mut self, now: Time, way: Direction, received: Bytes, recorder: &mut FlowRecorder<'_>) {
        match &mut self.dialogue {
            None => {
                if way == self.ends.data() && self.application.on_received(now, received) {
                    self.end_download(now, recorder);
                }
            }
            Some(dialogue) if way == Direction::Up => {
                if let Some(answer) = dialogue.on_request(received) {
                    self.endpoint(Direction::Down).supply(answer);
                }
            }
            Some(dialogue) => {
                if dialogue.on_answer(now, received) {
                    self.end_answer(now, recorder);
                }
            }
        }
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

/// An end takes a segment in, and what is written on its packet.
fn take_in(endpoint: &mut Endpoint, now: Time, packet: &Packet<Payload>, segment: &Segment) {
    endpoint.handle_packet(now, segment);
    if segment.length > 0
        && let Some(receiver) = endpoint.receiver_mut()
    {
        receiver.follow_marks(now, packet.bytes, packet.marks);
    }
}
