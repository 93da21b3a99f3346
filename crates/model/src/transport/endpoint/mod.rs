//! One end of a connection: a sender and a receiver that share segments, and the states of RFC 9293.
//!
//! Data and ACKs ride on one another: a segment that leaves with data acknowledges all that has arrived, and an ACK that waits
//! or is due goes with it. A pure ACK leaves only when no data leaves in the same moment. `open`, `listen`, `close` and `abort`
//! are the calls of RFC 9293 §3.9.1.
//!
//! A silent direction costs nothing: an end that was given nothing to send has no sender (but with a handshake, whose SYN is
//! the sender's), one that got nothing no receiver.
//!
//! How to drive it: after every call take segments from [`Endpoint::poll_packet`] until it returns `None`, and call
//! [`Endpoint::handle_timeout`] no earlier than [`Endpoint::poll_timeout`].
//!
//! Left out: urgent data, data on a SYN, a new connection in place of one in TIME-WAIT, Nagle's algorithm, and a limit to
//! challenge ACKs (RFC 5961 §7).

mod arriving;
mod closing;
mod state;

use std::sync::Arc;

use crate::types::{Bytes, Time};

use super::congestion::CongestionControl;
use super::{Flags, Receiver, Segment, Sender, Stamp, Tcp};
use closing::Closing;
pub use state::State;

/// One end of a connection.
#[derive(Clone, Debug)]
pub struct Endpoint {
    config: Arc<Tcp>,
    state: State,
    /// It waited for the SYN of the other end.
    is_passive: bool,
    /// It was open, or was closed before: it does not open again.
    is_over: bool,
    was_reset: bool,
    /// An ACK is due at once; used without a receiver, which has such a mark of its own.
    ack_is_due: bool,
    /// What is offered before anything has arrived.
    first_window: Bytes,
    sender: Option<Box<Sender>>,
    receiver: Option<Box<Receiver>>,
    closing: Option<Box<Closing>>,
    /// A reset that is to be sent.
    reply: Option<Box<Segment>>,
    /// SND.WL1 and SND.WL2: the numbers of the segment that set the window last.
    window_set_by: (u64, u64),
    /// In place of the congestion control that `config` names.
    control: Option<Box<dyn CongestionControl>>,
    segments_sent: u64,
}

impl Endpoint {
    /// An end without a connection. Connections of one kind share one [`Tcp`].
    pub fn new(tcp: impl Into<Arc<Tcp>>) -> Self {
        let config = tcp.into();
        Self {
            state: State::Closed,
            is_passive: false,
            is_over: false,
            was_reset: false,
            ack_is_due: false,
            first_window: config.first_window(),
            sender: None,
            receiver: None,
            closing: None,
            reply: None,
            window_set_by: (0, 0),
            control: None,
            segments_sent: 0,
            config,
        }
    }

    /// An end with a congestion control of any type in place of the one that `tcp` names.
    pub fn with_control(tcp: impl Into<Arc<Tcp>>, control: Box<dyn CongestionControl>) -> Self {
        Self { control: Some(control), ..Self::new(tcp) }
    }

    /// Opens the connection from this end: by a SYN or, without a handshake, at once.
    pub fn open(&mut self, now: Time) {
        if self.state == State::Closed && !self.is_over {
            self.state = if self.config.handshake { State::SynSent } else { State::Established };
            self.make_sender().open(now);
        }
    }

    /// Waits for the SYN of the other end or, without a handshake, for its data.
    pub fn listen(&mut self) {
        if self.state == State::Closed && !self.is_over {
            self.is_passive = true;
            self.state = if self.config.handshake { State::Listen } else { State::Established };
            if let Some(sender) = self.sender.as_mut().filter(|_| self.state == State::Established) {
                sender.open(Time::ZERO);
            }
        }
    }

    /// Adds bytes to the stream of this end; [`Bytes::UNLIMITED`] makes it endless. Ignored once closed.
    pub fn supply(&mut self, bytes: Bytes) {
        if !bytes.is_zero() && !self.is_over && !self.is_closing() {
            self.make_sender().supply(bytes);
        }
    }

    /// Nothing more will be supplied: a FIN follows the data. The other end may go on sending (RFC 9293 §3.6).
    pub fn close(&mut self, _now: Time) {
        match self.state {
            State::Closed | State::Listen | State::SynSent => self.end(),
            _ => self.closing_part().is_wanted = true,
        }
    }

    /// Ends the connection at once, and tells the other end by an RST if it may still wait for data (RFC 9293 §3.10.5).
    pub fn abort(&mut self, _now: Time) {
        match self.state {
            State::SynReceived | State::Established | State::FinWait1 | State::FinWait2 | State::CloseWait => {
                let sequence = self.own_end();
                self.reply = Some(Box::new(Segment { sequence, flags: Flags::RST, ..Segment::default() }));
            }
            _ => {}
        }
        self.end();
    }

    /// When [`Endpoint::handle_timeout`] is wanted, if ever.
    pub fn poll_timeout(&self) -> Option<Time> {
        if self.state == State::Closed {
            return None;
        }
        let sender = self.sender.as_ref().and_then(|sender| sender.poll_timeout());
        let receiver = self.receiver.as_ref().and_then(|receiver| receiver.poll_timeout());
        let closing = self.closing.as_ref().map_or(Time::NEVER, |closing| closing.timer());
        let at = sender.unwrap_or(Time::NEVER).min(receiver.unwrap_or(Time::NEVER)).min(closing);
        (at != Time::NEVER).then_some(at)
    }

    /// Handles the timers that have expired by `now`.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.state == State::Closed {
            return;
        }
        if let Some(sender) = &mut self.sender {
            sender.handle_timeout(now);
        }
        if let Some(receiver) = &mut self.receiver {
            receiver.handle_timeout(now);
        }
        if self.closing.as_ref().is_some_and(|closing| closing.timer() <= now) {
            self.on_closing_timeout(now);
        }
    }

    /// The next segment to send at `now`, if there is one: data first, and ACKs by themselves last.
    pub fn poll_packet(&mut self, now: Time) -> Option<Segment> {
        if self.state == State::Closed || self.reply.is_some() {
            return self.poll_reply();
        }
        if let Some(sender) = &mut self.sender
            && let Some(segment) = sender.poll_packet(now)
        {
            self.segments_sent += 1;
            return Some(self.stamped(now, segment));
        }
        if self.closing.is_some()
            && let Some(fin) = self.poll_fin(now)
        {
            return Some(fin);
        }
        self.poll_ack(now)
    }

    /// The state of RFC 9293 §3.3.2.
    pub const fn state(&self) -> State {
        self.state
    }

    /// True if the connection ended by an RST of the other end.
    pub const fn was_reset(&self) -> bool {
        self.was_reset
    }

    /// True once all that the other end will ever send has arrived: its FIN came in its turn.
    pub fn has_received_all(&self) -> bool {
        self.closing.as_ref().is_some_and(|closing| closing.has_all)
    }

    /// The sending side, once there is one.
    pub fn sender(&self) -> Option<&Sender> {
        self.sender.as_deref()
    }

    /// Mutable access to the sending side.
    pub fn sender_mut(&mut self) -> Option<&mut Sender> {
        self.sender.as_deref_mut()
    }

    /// The receiving side, once there is one.
    pub fn receiver(&self) -> Option<&Receiver> {
        self.receiver.as_deref()
    }

    /// Mutable access to the receiving side.
    pub fn receiver_mut(&mut self) -> Option<&mut Receiver> {
        self.receiver.as_deref_mut()
    }

    /// Bytes of the other end that have arrived in order, each once.
    pub fn goodput(&self) -> Bytes {
        self.receiver.as_ref().map_or(Bytes::ZERO, |receiver| receiver.goodput())
    }

    /// Segments of all kinds that it has let out.
    pub const fn segments_sent(&self) -> u64 {
        self.segments_sent
    }

    fn make_sender(&mut self) -> &mut Sender {
        let (config, control, state) = (&self.config, &mut self.control, self.state);
        self.sender.get_or_insert_with(|| {
            let mut sender = match control.take() {
                Some(control) => Sender::with_control(Arc::clone(config), control),
                None => Sender::new(Arc::clone(config)),
            };
            if state.is_synchronized() {
                sender.open(Time::ZERO);
            }
            Box::new(sender)
        })
    }

    fn make_receiver(&mut self) -> &mut Receiver {
        let (config, sender) = (&self.config, &self.sender);
        self.receiver.get_or_insert_with(|| {
            let mut receiver = Receiver::new(config);
            if let Some(sender) = sender {
                receiver.settle_marks(sender.has_agreed_on_marks());
            }
            Box::new(receiver)
        })
    }

    fn closing_part(&mut self) -> &mut Closing {
        self.closing.get_or_insert_with(|| Box::new(Closing::new()))
    }

    fn is_closing(&self) -> bool {
        self.closing.as_ref().is_some_and(|closing| closing.is_wanted)
    }

    /// The connection is over, and does not come back.
    fn end(&mut self) {
        self.state = State::Closed;
        self.is_over = true;
        if let Some(closing) = &mut self.closing {
            closing.stop();
        }
    }

    /// SND.NXT: a FIN that was sent takes a number.
    fn own_end(&self) -> u64 {
        let fin = self.closing.as_ref().is_some_and(|closing| closing.own.is_some());
        self.sender.as_ref().map_or(0, |sender| sender.sent_end()) + u64::from(fin)
    }

    /// RCV.NXT: a FIN that came in its turn takes a number.
    fn next_expected(&self) -> u64 {
        self.goodput().count() + u64::from(self.has_received_all())
    }
}

/// What leaves.
impl Endpoint {
    /// `segment` of the sender, with what this end acknowledges.
    fn stamped(&mut self, now: Time, segment: Segment) -> Segment {
        if self.state == State::SynSent {
            return segment; // Nothing of the other end is known yet.
        }
        let mut segment = if self.receiver.is_some() {
            segment.with_ack(&self.report(now))
        } else {
            self.ack_is_due = false;
            let number = u64::from(self.has_received_all());
            Segment { number, window: self.first_window, flags: segment.flags | Flags::ACK, ..segment }
        };
        if segment.is_empty() {
            segment.sequence = self.probe_number();
        } else if self.closing.is_some() && segment.length > 0 {
            self.add_fin(now, &mut segment);
        }
        segment
    }

    /// The number of a probe of a closed window: one that the other end has acknowledged, so that it answers (Linux,
    /// `tcp_xmit_probe_skb`). Without bytes sent that is the number of the SYN, which wraps.
    #[cold]
    fn probe_number(&self) -> u64 {
        self.sender.as_ref().map_or(0, |sender| sender.acknowledged().count()).wrapping_sub(1)
    }

    /// What an ACK that leaves at `now` says.
    fn report(&mut self, now: Time) -> Segment {
        self.ack_is_due = false;
        let has_received_all = self.has_received_all();
        let ack = match &mut self.receiver {
            Some(receiver) => receiver.report(now),
            None => Segment {
                timestamp: if self.config.timestamps { Stamp::at(now) } else { Stamp::NONE },
                echo: self.sender.as_ref().map_or(Stamp::NONE, |sender| sender.recent_time()),
                ..Segment::ack(0, self.first_window)
            },
        };
        if has_received_all { ack.renumbered(ack.number + 1) } else { ack }
    }

    /// A pure ACK, if one is due.
    fn poll_ack(&mut self, now: Time) -> Option<Segment> {
        let of_receiver = match &mut self.receiver {
            Some(receiver) => receiver.poll_packet(now),
            None => None,
        };
        let ack = match of_receiver {
            Some(ack) if self.has_received_all() => ack.renumbered(ack.number + 1),
            Some(ack) => ack,
            None if self.ack_is_due => self.report(now),
            None => return None,
        };
        self.ack_is_due = false;
        self.segments_sent += 1;
        Some(Segment { sequence: self.own_end(), ..ack })
    }

    /// The last segment of the stream carries the FIN.
    fn add_fin(&mut self, now: Time, segment: &mut Segment) {
        let is_last = self.sender.as_ref().is_some_and(|sender| sender.sent_end() == segment.end());
        let has_left = self.closing.as_ref().is_some_and(|closing| closing.own.is_some());
        if is_last && (has_left || self.is_fin_next()) {
            segment.flags |= Flags::FIN;
            self.on_fin_sent(now, segment.end());
        }
    }

    /// True if the FIN is what is to be sent next, for the first time.
    fn is_fin_next(&self) -> bool {
        let may_close = matches!(self.state, State::Established | State::CloseWait);
        let has_sent_all = self.sender.as_ref().is_none_or(|sender| sender.has_sent_all());
        let waits = self.closing.as_ref().is_some_and(|closing| closing.is_wanted && closing.own.is_none());
        may_close && has_sent_all && waits
    }

    /// A FIN by itself, if one is due.
    #[cold]
    fn poll_fin(&mut self, now: Time) -> Option<Segment> {
        let is_again = self.closing.as_ref().is_some_and(|closing| closing.is_due);
        if !is_again && !self.is_fin_next() {
            return None;
        }
        let sequence = self.sender.as_ref().map_or(0, |sender| sender.sent_end());
        let timestamp = if self.config.timestamps { Stamp::at(now) } else { Stamp::NONE };
        let fin = Segment { sequence, timestamp, retransmission: is_again, flags: Flags::FIN, ..Segment::default() };
        self.segments_sent += 1;
        let fin = fin.with_ack(&self.report(now));
        self.on_fin_sent(now, sequence);
        Some(fin)
    }

    fn on_fin_sent(&mut self, now: Time, number: u64) {
        let rto = self.sender.as_ref().map_or(self.config.rto.initial, |sender| sender.rto());
        self.closing_part().on_sent(now, number, rto);
        self.state = self.state.after_own_fin();
    }

    #[cold]
    fn poll_reply(&mut self) -> Option<Segment> {
        let reply = self.reply.take()?;
        self.segments_sent += 1;
        Some(*reply)
    }

    /// The timer of a FIN, or that of TIME-WAIT, has rung.
    #[cold]
    fn on_closing_timeout(&mut self, now: Time) {
        let is_complete = self.sender.as_ref().is_none_or(|sender| sender.is_complete());
        match &mut self.closing {
            _ if self.state == State::TimeWait => self.end(),
            Some(closing) if is_complete => closing.on_timeout(&self.config.rto),
            Some(closing) => closing.wait_again(now),
            None => {}
        }
    }
}
