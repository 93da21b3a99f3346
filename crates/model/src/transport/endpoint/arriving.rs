//! What a segment that arrives does: RFC 9293 §3.10.7, with the tests of RFC 5961 §3 and §4 for RST and SYN.

use crate::types::{Bytes, Time};

use super::{Endpoint, State};
use crate::transport::{Flags, Segment};

/// Control bits that no segment within a stream carries.
const UNUSUAL: Flags = Flags::all(&[Flags::SYN, Flags::FIN, Flags::RST]);

impl Endpoint {
    /// Takes in a segment that arrived at `now`.
    pub fn handle_packet(&mut self, now: Time, segment: &Segment) {
        if self.state == State::Established && self.closing.is_none() && !segment.flags.has_any(UNUSUAL) {
            self.take_in(now, segment);
        } else {
            self.handle_unusual(now, segment);
        }
    }

    /// What a segment says and carries. Returns false if it was not acceptable: then nothing of it counts.
    fn take_in(&mut self, now: Time, segment: &Segment) -> bool {
        if !self.is_acceptable(segment) {
            self.on_unacceptable(now, segment);
            return false;
        }
        // RFC 9293 §3.10.7.4, fifth: what acknowledges nothing is dropped.
        if !segment.flags.ack() || !self.take_ack(now, segment) {
            return false;
        }
        if segment.length > 0 {
            self.make_receiver().handle_packet(now, segment);
        } else if let Some(receiver) = &mut self.receiver {
            receiver.note_empty(segment);
        }
        true
    }

    /// RFC 9293 §3.10.7.4, first: some of it lies within the window. One without bytes may stand at its right edge, behind a
    /// FIN even beyond it.
    fn is_acceptable(&self, segment: &Segment) -> bool {
        let next = self.next_expected();
        if segment.length == 0 && segment.sequence == next {
            return true;
        }
        let edge = self.receiver.as_ref().map_or(self.first_window.count(), |receiver| receiver.edge());
        let is_late = segment.sequence > edge.saturating_add(1);
        !is_late && if segment.length == 0 { segment.sequence >= next } else { segment.end() > next }
    }

    /// An ACK tells the other end what is expected; probes of a closed window ask for it in this way.
    #[cold]
    fn on_unacceptable(&mut self, now: Time, segment: &Segment) {
        match &mut self.receiver {
            Some(receiver) if segment.length > 0 => receiver.handle_packet(now, segment),
            _ => self.acknowledge_at_once(),
        }
    }

    fn acknowledge_at_once(&mut self) {
        match &mut self.receiver {
            Some(receiver) => receiver.acknowledge_at_once(),
            None => self.ack_is_due = true,
        }
    }

    /// The acknowledging part. Returns false if it covers what was never sent.
    fn take_ack(&mut self, now: Time, segment: &Segment) -> bool {
        let Some(sender) = &mut self.sender else {
            return segment.number <= self.own_end() || self.refuse_ack();
        };
        // RFC 9293 §3.10.7.4, fifth: a segment that was overtaken does not set the window back.
        let set_by = (segment.sequence, segment.number);
        if set_by < self.window_set_by {
            return self.take_overtaken_ack(now, segment);
        }
        if segment.number >= sender.acknowledged().count() {
            self.window_set_by = set_by;
        }
        if segment.number <= sender.sent_end() {
            sender.handle_packet(now, segment);
            return true;
        }
        let end = sender.sent_end();
        if segment.number > self.own_end() {
            return self.refuse_ack();
        }
        // It covers the FIN, of which the sender does not know.
        if let Some(sender) = &mut self.sender {
            sender.handle_packet(now, &segment.renumbered(end));
        }
        true
    }

    /// What it acknowledges counts; the window stays as it is.
    #[cold]
    fn take_overtaken_ack(&mut self, now: Time, segment: &Segment) -> bool {
        if segment.number > self.own_end() {
            return self.refuse_ack();
        }
        if let Some(sender) = &mut self.sender {
            let number = segment.number.min(sender.sent_end());
            let window = sender.offered_window();
            sender.handle_packet(now, &Segment { window, ..segment.renumbered(number) });
        }
        true
    }

    #[cold]
    fn refuse_ack(&mut self) -> bool {
        self.acknowledge_at_once();
        false
    }
}

/// Whatever is not a segment within an established stream.
impl Endpoint {
    #[cold]
    #[inline(never)]
    fn handle_unusual(&mut self, now: Time, segment: &Segment) {
        match self.state {
            State::Closed => self.refuse(segment),
            State::Listen => self.handle_in_listen(now, segment),
            State::SynSent => self.handle_answer(now, segment),
            _ if segment.flags.syn() => self.handle_late_syn(now, segment),
            _ if segment.flags.rst() => self.handle_reset(segment),
            _ => self.handle_synchronized(now, segment),
        }
    }

    /// RFC 9293 §3.10.7.1: there is no such connection.
    fn refuse(&mut self, segment: &Segment) {
        if segment.flags.rst() {
            return;
        }
        let reset = if segment.flags.ack() {
            Segment { sequence: segment.number, flags: Flags::RST, ..Segment::default() }
        } else {
            Segment { number: segment.next_number(), flags: Flags::RST | Flags::ACK, ..Segment::default() }
        };
        self.reply = Some(Box::new(reset));
    }

    /// RFC 9293 §3.10.7.2.
    fn handle_in_listen(&mut self, now: Time, segment: &Segment) {
        if segment.flags.rst() {
            return;
        }
        if segment.flags.ack() {
            self.refuse(segment);
        } else if segment.flags.syn() {
            self.state = State::SynReceived;
            let syn = Segment { length: 0, ..*segment };
            self.make_receiver().handle_packet(now, &syn);
            let agrees_on_marks = self.make_receiver().has_agreed_on_marks();
            let sender = self.make_sender();
            sender.settle_marks(agrees_on_marks);
            sender.open(now);
        }
    }

    /// RFC 9293 §3.10.7.3. Every ACK but that of the SYN, which stands below the stream, covers what was not sent.
    fn handle_answer(&mut self, now: Time, segment: &Segment) {
        let flags = segment.flags;
        if flags.ack() && segment.number > 0 {
            self.refuse(segment);
        } else if flags.rst() {
            if flags.ack() {
                self.on_reset();
            }
        } else if flags.has(Flags::SYN | Flags::ACK) {
            let sender = self.make_sender();
            sender.handle_packet(now, segment);
            if sender.is_open() {
                self.state = State::Established;
                self.acknowledge_at_once();
            }
        } else if flags.syn() {
            // Both ends have opened at the same time (RFC 9293 §3.5, figure 7).
            self.state = State::SynReceived;
            let asks = flags.has(Flags::ECE | Flags::CWR);
            let sender = self.make_sender();
            sender.note_time(segment.timestamp);
            sender.settle_marks(asks);
            sender.answer_syn(true);
        }
    }

    /// A SYN where none is expected: the answer of an end that opened at the same time, a repeated one, or that of another
    /// connection (RFC 5961 §4).
    fn handle_late_syn(&mut self, now: Time, segment: &Segment) {
        if self.state != State::SynReceived {
            if self.config.rules.challenge_acks || !self.is_acceptable(segment) {
                self.acknowledge_at_once();
            } else {
                self.abort(now);
                self.on_reset();
            }
        } else if segment.flags.ack() {
            self.handle_synchronized(now, &Segment { length: 0, flags: Flags::ACK, ..*segment });
        } else if let Some(sender) = &mut self.sender {
            sender.answer_syn(false);
        }
    }

    /// RFC 5961 §3.2: one with just the number that is expected ends the connection, one within the window is questioned.
    fn handle_reset(&mut self, segment: &Segment) {
        if segment.sequence != self.next_expected() && self.config.rules.challenge_acks {
            if self.is_acceptable(segment) {
                self.acknowledge_at_once();
            }
        } else if !self.is_acceptable(segment) {
            // Nothing of it counts, and no RST is answered.
        } else if self.state == State::SynReceived && self.is_passive {
            // RFC 9293 §3.10.7.4: it listens again.
            self.state = State::Listen;
            self.receiver = None;
            let waiting = self.sender.take().map_or(Bytes::ZERO, |sender| sender.supplied());
            self.supply(waiting);
        } else {
            self.on_reset();
        }
    }

    fn on_reset(&mut self) {
        self.was_reset = true;
        self.end();
    }

    fn handle_synchronized(&mut self, now: Time, segment: &Segment) {
        if self.state == State::SynReceived && segment.number > self.own_end() {
            self.refuse(segment);
            return;
        }
        if !self.config.rules.half_close && self.is_closing() && segment.end() > self.next_expected() {
            self.abort(now);
            return;
        }
        let was_at = self.sender.as_ref().map_or(0, |sender| sender.acknowledged().count());
        let within = self.without_text_after_fin(segment);
        let is_taken = self.take_in(now, &within);
        if self.state == State::SynReceived {
            let is_open = self.sender.as_ref().is_some_and(|sender| sender.is_open());
            if !is_open {
                return;
            }
            self.state = State::Established;
        }
        if is_taken && self.closing.is_some() {
            self.follow_own_fin(now, segment, was_at);
        }
        if segment.flags.fin() {
            self.note_fin(now, segment, is_taken);
        }
        self.follow_fin_of_peer(now);
    }

    /// RFC 9293 §3.10.7.4, seventh: bytes after a FIN are ignored.
    fn without_text_after_fin(&mut self, segment: &Segment) -> Segment {
        let Some(fin) = self.closing.as_ref().and_then(|closing| closing.peer) else {
            return *segment;
        };
        let beyond = segment.end().saturating_sub(fin.max(segment.sequence));
        if beyond > 0 {
            self.make_receiver().refuse_bytes(beyond);
            self.acknowledge_at_once();
        }
        Segment { length: segment.length - beyond as u32, ..*segment }
    }

    /// The ACK may cover this end's FIN, or data before it, and then the FIN has a whole timeout.
    fn follow_own_fin(&mut self, now: Time, segment: &Segment, was_at: u64) {
        let (rto, is_at) = self
            .sender
            .as_ref()
            .map_or((self.config.rto.initial, 0), |sender| (sender.rto(), sender.acknowledged().count()));
        let Some(closing) = self.closing.as_mut().filter(|closing| !closing.is_acknowledged) else {
            return;
        };
        let Some(own) = closing.own else { return };
        if segment.number > own {
            closing.on_acknowledged();
            self.state = self.state.after_ack_of_fin();
            self.on_new_state(now);
        } else if is_at > was_at {
            closing.on_progress(now, rto);
        }
    }

    /// A FIN arrived, in its turn or before it.
    fn note_fin(&mut self, now: Time, segment: &Segment, is_taken: bool) {
        let edge = self.make_receiver().edge();
        if is_taken && segment.end() <= edge {
            self.closing_part().peer.get_or_insert(segment.end());
        } else if self.state == State::TimeWait {
            self.on_new_state(now); // The ACK of the FIN was lost: the quiet time starts again.
        }
    }

    /// All up to the other end's FIN may have arrived.
    fn follow_fin_of_peer(&mut self, now: Time) {
        let received = self.goodput().count();
        let Some(closing) = &mut self.closing else { return };
        if closing.peer == Some(received) && !closing.has_all {
            closing.has_all = true;
            self.acknowledge_at_once();
            self.state = self.state.after_fin_of_peer();
            self.on_new_state(now);
        }
    }

    fn on_new_state(&mut self, now: Time) {
        match self.state {
            State::TimeWait => {
                let span = self.config.rules.time_wait;
                self.closing_part().stay_quiet(now, span);
            }
            State::Closed => self.end(),
            _ => {}
        }
    }
}
