//! The sending side of a connection: window, loss recovery by Reno or NewReno, retransmission timer.
//!
//! Drive it so: after every `handle_packet`, `handle_timeout`, `open` or `supply`, take segments from
//! [`Sender::poll_packet`] until it answers `None`; call [`Sender::handle_timeout`] no earlier than
//! [`Sender::poll_timeout`] says. That moment moves with almost every ACK: a driver keeps one alarm and, when it
//! rings early, sets it again.
//!
//! Left out: see the transport module. There is no persist timer, so a window advertised smaller than a segment
//! stops the sender until an ACK opens it.

use crate::types::{Bytes, Duration, Time};

use super::ack_summary::AckSummary;
use super::config::SenderConfig;
use super::congestion::{AckEvent, CongestionControl, Controller, FastRecovery, LossEvent, RecoveryStep};
use super::recovery::{DuplicateAck, Recovery};
use super::rtt::RtoEstimator;
use super::scoreboard::Scoreboard;
use super::{Acknowledgment, Segment};

/// What a sender has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Segments sent again, for whatever reason.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Recoveries started by duplicate ACKs.
    pub fast_retransmits: u64,
    /// Duplicate ACKs received (RFC 5681 §2).
    pub duplicate_acks: u64,
    /// ACKs received, duplicate and outdated ones included.
    pub acks_received: u64,
}

/// The sending side of a connection.
#[derive(Clone, Debug)]
pub struct Sender {
    mss: u32,
    is_open: bool,
    is_stopped: bool,
    /// The end of what the application has supplied; `u64::MAX` when endless.
    supplied: u64,
    receiver_window: Bytes,
    scoreboard: Scoreboard,
    control: Controller,
    fast_recovery: FastRecovery,
    recovery: Recovery,
    /// The oldest segment is to be sent at once, whatever the window.
    resend_oldest: bool,
    rto: RtoEstimator,
    karn: bool,
    sample_every_ack: bool,
    timed: Option<Timed>,
    latest_rtt: Option<Duration>,
    /// When the retransmission timer expires; never when it is off.
    timer: Time,
    /// Where the timer last expired: the start of the segment it resent.
    last_timeout_at: Option<u64>,
    statistics: Statistics,
}

/// The one segment whose round trip is being measured.
#[derive(Clone, Copy, Debug)]
struct Timed {
    end: u64,
    sent_at: Time,
}

impl Sender {
    /// A sender with nothing to send, not yet open.
    pub fn new(config: SenderConfig) -> Self {
        assert!(!config.mss.is_zero(), "a segment carries at least one byte");
        assert!(config.receiver_window >= config.mss, "the receiver's window holds at least one segment");
        let initial_window = config.initial_window.bytes(config.mss);
        assert!(initial_window > 0.0, "the first window holds at least one segment");
        assert!(config.duplicate_ack_threshold >= 1, "a loss needs at least one duplicate ACK to show");
        let mss = u32::try_from(config.mss.count()).expect("a segment is shorter than 2^32 bytes");
        Self {
            mss,
            is_open: false,
            is_stopped: false,
            supplied: 0,
            receiver_window: config.receiver_window,
            scoreboard: Scoreboard::default(),
            control: Controller::new(&config),
            fast_recovery: FastRecovery::new(&config),
            recovery: Recovery::new(config.duplicate_ack_threshold, config.guard_after_timeout),
            resend_oldest: false,
            rto: RtoEstimator::new(config.rto),
            karn: config.rto.karn,
            sample_every_ack: config.rto.sample_every_ack,
            timed: None,
            latest_rtt: None,
            timer: Time::NEVER,
            last_timeout_at: None,
            statistics: Statistics::default(),
        }
    }

    /// Opens the connection: from now on data is sent. Stands for the handshake, which takes no time here.
    pub fn open(&mut self, _now: Time) {
        self.is_open = true;
    }

    /// Adds bytes to the stream; [`Bytes::UNLIMITED`] makes it endless. Ignored once stopped.
    pub fn supply(&mut self, bytes: Bytes) {
        if !self.is_stopped {
            self.supplied = self.supplied.saturating_add(bytes.count());
        }
    }

    /// Sends no new data from now on; what is outstanding is still recovered.
    pub fn stop(&mut self, _now: Time) {
        self.is_stopped = true;
        self.supplied = self.scoreboard.end();
    }

    /// Takes in an ACK that arrived at `now`.
    pub fn handle_packet(&mut self, now: Time, ack: &Acknowledgment) {
        self.statistics.acks_received += 1;
        let start = self.scoreboard.start();
        // RFC 9293 §3.10.7.4: an ACK of data never sent, or an outdated one, changes nothing.
        if ack.number < start || ack.number > self.scoreboard.end() {
            return;
        }
        let same_window = ack.window == self.receiver_window;
        self.receiver_window = ack.window;
        if ack.number > start {
            self.on_new_ack(AckSummary::new(now, ack.number, start, ack.echo));
        } else if same_window && !self.scoreboard.is_empty() {
            self.on_duplicate_ack(now);
        }
    }

    /// Lets the retransmission timer expire if its time has come (RFC 6298 §5.4-5.6).
    pub fn handle_timeout(&mut self, now: Time) {
        if now < self.timer {
            return;
        }
        self.statistics.timeouts += 1;
        let start = self.scoreboard.start();
        let is_repeated = self.last_timeout_at == Some(start);
        if self.recovery.is_active() {
            self.fast_recovery.abandon(&mut self.control);
        }
        self.control.on_timeout(&self.loss_event(now, is_repeated));
        self.recovery.on_timeout(self.scoreboard.end());
        self.last_timeout_at = Some(start);
        self.scoreboard.mark_all_lost();
        self.resend_oldest = false;
        self.stop_timing();
        self.rto.back_off();
        self.timer = now + self.rto.rto();
    }

    /// When [`Sender::handle_timeout`] is wanted, if ever. Costs a load.
    pub fn poll_timeout(&self) -> Option<Time> {
        (self.timer != Time::NEVER).then_some(self.timer)
    }

    /// The next segment to send at `now`, if the rules allow one.
    pub fn poll_packet(&mut self, now: Time) -> Option<Segment> {
        if self.resend_oldest {
            self.resend_oldest = false;
            let segment = self.scoreboard.repeat(0, now, None);
            return Some(self.on_sent(now, segment));
        }
        let resend = self.scoreboard.next_waiting();
        let resend_length = resend.and_then(|index| self.scoreboard.get(index)).map(|sent| sent.segment.length);
        let length = resend_length.or_else(|| self.new_segment_length())?;
        if self.scoreboard.flight() + Bytes::new(u64::from(length)) > self.window() {
            return None;
        }
        let segment = match resend {
            Some(index) => self.scoreboard.resend(index, now, None),
            None => self.scoreboard.send_new(length, now, None),
        };
        Some(self.on_sent(now, segment))
    }

    /// The congestion window, bytes; fractional, and inflated during recovery.
    pub fn cwnd(&self) -> f64 {
        self.control.window()
    }

    /// The slow start threshold, bytes; may be infinite.
    pub fn ssthresh(&self) -> f64 {
        self.control.slow_start_threshold()
    }

    /// FlightSize: sent, not acknowledged and not given up by a timeout.
    pub fn flight(&self) -> Bytes {
        self.scoreboard.flight()
    }

    /// The retransmission timeout in force, back-off included.
    pub const fn rto(&self) -> Duration {
        self.rto.rto()
    }

    /// The smoothed round-trip time, once measured.
    pub fn srtt(&self) -> Option<Duration> {
        self.rto.srtt()
    }

    /// True between a fast retransmit and the end of the recovery it began.
    pub const fn in_recovery(&self) -> bool {
        self.recovery.is_active()
    }

    /// Bytes acknowledged so far.
    pub const fn acknowledged(&self) -> Bytes {
        Bytes::new(self.scoreboard.start())
    }

    /// True when every byte supplied (or, once stopped, every byte sent) is acknowledged.
    pub const fn is_complete(&self) -> bool {
        self.scoreboard.start() == self.supplied
    }

    /// The oldest segment not acknowledged, as last sent: the one that the timer stands for.
    pub fn oldest_outstanding(&self) -> Option<Segment> {
        self.scoreboard.oldest().map(|sent| sent.segment)
    }

    /// Counts since the start.
    pub const fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The exact round-trip time shown by the latest ACK that covered nothing sent twice, from the oldest
    /// segment it covered; once. Independent of the clock's tick and of what the estimator samples.
    pub const fn take_rtt_sample(&mut self) -> Option<Duration> {
        self.latest_rtt.take()
    }

    /// min(cwnd, receiver window), in whole bytes.
    fn window(&self) -> Bytes {
        // The cast rounds down and saturates, both as wanted.
        Bytes::new(self.control.window() as u64).min(self.receiver_window)
    }

    /// A full segment or, without waiting for more (Nagle off), all there is.
    fn new_segment_length(&self) -> Option<u32> {
        let waiting = self.supplied - self.scoreboard.end();
        let is_allowed = self.is_open && waiting > 0;
        is_allowed.then(|| u32::try_from(waiting).map_or(self.mss, |waiting| waiting.min(self.mss)))
    }

    fn on_sent(&mut self, now: Time, segment: Segment) -> Segment {
        self.statistics.segments_sent += 1;
        self.statistics.retransmissions += u64::from(segment.retransmission);
        // RFC 6298 §5.1: sending starts the timer if it is off.
        if self.timer == Time::NEVER {
            self.timer = now + self.rto.rto();
        }
        if self.timed.is_none() && !(self.karn && segment.retransmission) {
            self.timed = Some(Timed { end: segment.end(), sent_at: now });
        }
        segment
    }

    fn on_new_ack(&mut self, mut ack: AckSummary) {
        let now = ack.now;
        let is_full = self.recovery.is_full(ack.number);
        self.scoreboard.acknowledge(&mut ack);
        self.resend_oldest = false;
        let rtt = (!ack.covers_retransmission).then(|| now.since(ack.oldest_sent_at));
        self.latest_rtt = rtt.or(self.latest_rtt);
        self.sample_round_trip(&ack);
        let restart_timer = if self.recovery.is_active() {
            self.on_recovery_ack(ack.acked(), is_full)
        } else {
            self.recovery.on_ack();
            self.control.on_ack(&self.ack_event(&ack, rtt));
            true
        };
        if self.scoreboard.is_empty() {
            self.timer = Time::NEVER; // RFC 6298 §5.2
        } else if restart_timer {
            self.timer = now + self.rto.rto(); // RFC 6298 §5.3
        }
    }

    /// True when the timer restarts.
    fn on_recovery_ack(&mut self, acked: Bytes, is_full: bool) -> bool {
        let step = self.fast_recovery.on_ack(&mut self.control, acked, self.scoreboard.flight(), is_full);
        self.resend_oldest = step == RecoveryStep::Retransmit;
        self.recovery.on_recovery_ack(step)
    }

    fn ack_event(&self, ack: &AckSummary, rtt: Option<Duration>) -> AckEvent {
        AckEvent {
            now: ack.now,
            number: ack.number,
            sent_end: self.scoreboard.end(),
            acked: ack.acked(),
            acked_segments: ack.acked_segments,
            flight: self.scoreboard.flight(),
            rtt,
            newest_rtt: rtt.filter(|_| ack.newest.sent_at <= ack.now).map(|_| ack.now.since(ack.newest.sent_at)),
            srtt: self.rto.srtt(),
            is_window_limited: true,
        }
    }

    fn loss_event(&self, now: Time, is_repeated: bool) -> LossEvent {
        LossEvent {
            now,
            flight: self.scoreboard.flight(),
            receiver_window: self.receiver_window,
            sent_end: self.scoreboard.end(),
            is_repeated,
            is_validated: true,
        }
    }

    fn on_duplicate_ack(&mut self, now: Time) {
        self.statistics.duplicate_acks += 1;
        let number = self.scoreboard.start();
        match self.recovery.on_duplicate_ack(number, self.scoreboard.end()) {
            DuplicateAck::Noted => {}
            DuplicateAck::InRecovery => self.fast_recovery.on_duplicate_ack(&mut self.control),
            DuplicateAck::ShowsLoss => {
                self.statistics.fast_retransmits += 1;
                self.control.on_loss(&self.loss_event(now, false));
                self.fast_recovery.begin(&mut self.control);
                self.resend_oldest = true;
                self.stop_timing();
            }
        }
    }

    /// Feeds the estimator, as Karn's rule and the sampling switch allow (RFC 6298 §3).
    fn sample_round_trip(&mut self, ack: &AckSummary) {
        if !self.karn {
            self.rto.end_back_off();
        }
        let timed_sent_at = self.timed.take_if(|timed| ack.number >= timed.end).map(|timed| timed.sent_at);
        let sent_at = if self.sample_every_ack { Some(ack.oldest_sent_at) } else { timed_sent_at };
        if let Some(sent_at) = sent_at.filter(|_| !(self.karn && ack.covers_retransmission)) {
            self.rto.on_sample(sent_at, ack.now);
        }
    }

    /// With Karn's rule a loss ends the measurement in progress, as in BSD and ns-2: what is being timed may
    /// be sent again or wait behind the hole.
    fn stop_timing(&mut self) {
        if self.karn {
            self.timed = None;
        }
    }
}
