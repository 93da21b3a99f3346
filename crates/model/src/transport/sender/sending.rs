//! What a sender sends next, what it records when it does, and what keeps it from sending more.
//!
//! Of two full windows the smaller one is the limit, of two equal ones the receiver's. Whatever else holds a segment back
//! that both windows have room for (pacing, the rules of a recovery, a sender's own window that follows marks) counts as
//! congestion control. Left out: which of its rules that is, and the silence before a timeout.

use crate::types::Time;

use super::Sender;
use crate::transport::congestion::CongestionControl;
use crate::transport::recovery::{Disorder, Phase, next_unsacked};
use crate::transport::timer::Alarm;
use crate::transport::window_validation::Burst;
use crate::transport::{Flags, Segment, Stamp};

/// The next thing to send.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// A segment given up, by its index.
    Resend(usize),
    /// A segment that was not given up and is sent again, by its index.
    Repeat(usize),
    /// A number of new bytes.
    New(u32),
    /// A probe of a closed window, without bytes.
    Empty,
    /// A SYN.
    Syn,
}

/// What keeps a sender from sending more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The connection is not open yet.
    Opening,
    /// The application: everything supplied was sent, and nothing waits to be sent again.
    Application,
    /// The receiver's window (RFC 9293 §3.8.6).
    ReceiverWindow,
    /// cwnd, or another rule of congestion control.
    CongestionWindow,
}

impl Sender {
    /// The next segment to send at `now`, if the rules allow one.
    pub fn poll_packet(&mut self, now: Time) -> Option<Segment> {
        if self.is_clear() {
            if self.has_clear_room() {
                return Some(self.send_clear(now));
            }
            self.end_clear_burst(now);
            return None;
        }
        if self.scoreboard.is_empty() {
            self.resume(now);
        }
        if self.takes_fast_path() {
            return self.poll_fast_path(now);
        }
        self.poll_any(now)
    }

    /// The general path.
    #[inline(never)]
    fn poll_any(&mut self, now: Time) -> Option<Segment> {
        if !self.is_time_to_send(now) {
            self.on_burst_end(now);
            return None;
        }
        let Some(next) = self.next() else {
            self.await_window(now);
            self.on_burst_end(now);
            return None;
        };
        let timestamp = self.timestamp(now);
        let in_flight = self.needs.rate_samples.then(|| self.pipe());
        let segment = match next {
            Next::Resend(index) => self.scoreboard.resend(index, now, timestamp),
            Next::Repeat(index) => self.scoreboard.repeat(index, now, timestamp),
            Next::New(length) => {
                let segment = self.scoreboard.send_new(length, now, timestamp);
                Segment { flags: segment.flags | self.announcement(segment.sequence), ..segment }
            }
            Next::Empty => return Some(Segment { echo: self.recent_time, ..self.send_window_probe(timestamp) }),
            Next::Syn => return Some(self.send_syn(now)),
        };
        if let Some(in_flight) = in_flight {
            self.note_sent(now, &segment, in_flight);
        }
        self.on_sent(now, segment);
        Some(Segment { echo: self.recent_time, ..segment })
    }

    /// Nothing is outstanding. If data is about to be sent, an idle period is over.
    #[inline(never)]
    fn resume(&mut self, now: Time) {
        if self.statistics.segments_sent > 0 && self.next_new_length().is_some() {
            let event = self.window_use.on_resume(now, self.round_trips.rto(), self.windows());
            self.control.on_idle(&event);
        }
    }

    /// True unless pacing or an echoed mark delays the next segment. Retransmissions and probes that a timer asked for are not
    /// delayed.
    fn is_time_to_send(&mut self, now: Time) -> bool {
        if self.holds_new_data(now) && !self.has_urgent() {
            return false;
        }
        !self.pacer.is_on() || self.recovery.is_resend_due() || self.probe.is_due() || self.pacer.allows(now)
    }

    /// Nothing more may be sent for now.
    pub(super) fn on_burst_end(&mut self, now: Time) {
        if !self.window_use.is_observed() {
            return;
        }
        let flight = self.flight();
        let is_full = self.window_use.has_sent_new() || flight.count() + u64::from(self.mss) > self.whole_window();
        let burst = Burst {
            now,
            start: self.scoreboard.start(),
            end: self.scoreboard.end(),
            flight,
            segments_out: self.scoreboard.len(),
            is_drained: self.supply.end() == self.scoreboard.end(),
            rto: self.round_trips.rto(),
        };
        let event = self.window_use.on_burst_end(&burst, is_full, self.windows());
        if let Some(event) = event.filter(|_| self.recovery.phase() == Phase::Open) {
            self.clear_until = 0;
            self.control.on_idle(&event);
        }
    }

    /// Sets the timer with the SYN (RFC 6298 §5.1).
    fn send_syn(&mut self, now: Time) -> Segment {
        let is_repeated = self.handshake.on_syn_sent(now);
        self.statistics.segments_sent += 1;
        self.statistics.retransmissions += u64::from(is_repeated);
        let timestamp = self.timestamp(now);
        self.timer.arm(Alarm::Retransmission, now, self.round_trips.rto());
        Segment {
            flags: Flags::SYN | self.request_for_marks(),
            retransmission: is_repeated,
            ..self.scoreboard.empty_segment(timestamp)
        }
    }

    /// Retransmissions first, then new data.
    #[inline]
    fn next(&mut self) -> Option<Next> {
        if self.has_urgent() {
            return Some(self.next_urgent());
        }
        if !self.burst.has_room() {
            return None;
        }
        let next = self.next_in_turn()?;
        self.burst.on_sent();
        Some(next)
    }

    #[inline]
    fn next_in_turn(&mut self) -> Option<Next> {
        if self.recovery.is_counted() && self.recovery.is_active() {
            return self.next_by_counter();
        }
        if let Some(index) = self.scoreboard.next_waiting().filter(|_| !self.holds_back()) {
            return self.may_resend(index).then_some(Next::Resend(index));
        }
        match self.next_new_length() {
            Some(length) => self.may_send_new(length).then_some(Next::New(length)),
            None => self.repeat_without_loss(),
        }
    }

    /// In a recovery by counter: holes first, then new data, while the counter is below cwnd.
    fn next_by_counter(&mut self) -> Option<Next> {
        if !self.recovery.counter.has_room(self.whole_window() / u64::from(self.mss)) {
            return None;
        }
        if let Some(index) = self.recovery.counter.take_hole(&self.scoreboard) {
            return Some(Next::Repeat(index));
        }
        let length = self.next_new_length()?;
        self.recovery.counter.on_sent();
        Some(Next::New(length))
    }

    /// True when something is to be sent at once, whatever the window.
    pub(super) const fn has_urgent(&self) -> bool {
        self.recovery.is_resend_due()
            || self.probe.is_due()
            || self.window.probe_is_due()
            || self.handshake.syn_is_due()
    }

    #[cold]
    fn next_urgent(&mut self) -> Next {
        if self.recovery.take_resend() {
            Next::Repeat(0)
        } else if self.probe.is_due() {
            self.next_probe()
        } else if self.window.probe_is_due() {
            self.next_window_probe()
        } else {
            Next::Syn
        }
    }

    fn may_resend(&self, index: usize) -> bool {
        let segment = self.scoreboard.get(index).expect("what waits is there");
        // RFC 9293 §3.8.6: a window that shrank holds back all but the oldest segment, which asks for it to open.
        let has_room = self.cwnd_has_room(segment.length) || self.is_resent_by_limited_transmit(segment.length);
        has_room && (index == 0 || self.window.has_room(self.scoreboard.start(), segment.sequence, segment.length))
    }

    #[inline]
    fn may_send_new(&mut self, length: u32) -> bool {
        if self.is_in_disorder() || self.is_in_disorder_after_timeout() {
            return self.may_send_in_disorder(length);
        }
        self.cwnd_has_room(length)
    }

    /// Duplicate ACKs have come or, with SACK, something is reported above a hole, and no loss has shown.
    #[inline]
    fn is_in_disorder(&self) -> bool {
        if self.needs.own_recovery {
            return false; // What duplicate ACKs report is no longer in flight, and that is all.
        }
        let has_signs = self.recovery.duplicates() > 0 || self.scoreboard.sacked().segments > 0;
        has_signs && self.recovery.phase() == Phase::Open
    }

    /// ns-2.35, `TcpAgent::send_one`: limited transmit sends what is next, also of what a timeout gave up, one segment for
    /// each duplicate ACK.
    fn is_in_disorder_after_timeout(&self) -> bool {
        self.config.rules.limited_transmit_resends
            && !self.needs.own_recovery
            && self.recovery.limited.answers_duplicate()
            && self.recovery.phase() != Phase::Recovery
            && (1..self.config.duplicate_ack_threshold).contains(&self.recovery.duplicates())
    }

    fn is_resent_by_limited_transmit(&self, length: u32) -> bool {
        let beyond = u64::from(self.recovery.duplicates() * self.mss);
        self.is_in_disorder_after_timeout() && self.pipe() + u64::from(length) <= self.whole_window() + beyond
    }

    /// With duplicate ACKs before it a new segment goes beyond cwnd only by limited transmit.
    fn may_send_in_disorder(&mut self, length: u32) -> bool {
        let (length, window) = (u64::from(length), self.whole_window());
        let outstanding = self.scoreboard.outstanding().count();
        // What was sent again and then found not to be lost is out twice (RFC 6675 §4 SetPipe).
        if outstanding.max(self.pipe()) + length <= window {
            return true;
        }
        let disorder = Disorder {
            pipe: self.recovery.uses_pipe().then(|| self.pipe()),
            outstanding,
            window,
            mss: u64::from(self.mss),
            duplicates: self.recovery.duplicates(),
        };
        let is_let_out = self.config.rules.limited_transmit
            && self.burst.allows_limited_transmit(&self.recovery)
            && disorder.lets_out(length);
        if is_let_out {
            self.recovery.limited.on_sent(length);
            self.statistics.limited_transmits += 1;
        }
        is_let_out
    }

    /// True when the window has room for `length` more; in a recovery by pipe for a full segment (RFC 6675 §5 step C).
    pub(super) fn cwnd_has_room(&self, length: u32) -> bool {
        let is_by_pipe = self.recovery.uses_pipe() && self.recovery.is_active();
        let length = if is_by_pipe { self.mss } else { length };
        self.fits_cwnd(self.pipe() + u64::from(length))
    }

    /// True if `bytes` fit the window in whole bytes. Comparing with the fractional window gives the same answer.
    #[inline]
    pub(super) fn fits_cwnd(&self, bytes: u64) -> bool {
        // No stream comes near 2^63 bytes, and signed numbers are converted faster.
        bytes as i64 as f64 <= self.send_window()
    }

    /// The window in whole bytes.
    pub(super) fn whole_window(&self) -> u64 {
        // The cast rounds down and saturates.
        self.send_window() as u64
    }

    /// The length of a new segment, if there is one and the receiver has room for it.
    #[inline]
    pub(super) fn next_new_length(&self) -> Option<u32> {
        self.window.part_of(&self.scoreboard.range(), self.new_segment_length()?)
    }

    /// The length of a new segment, if there is one.
    #[inline]
    pub(super) fn new_segment_length(&self) -> Option<u32> {
        self.supply.next_length(self.scoreboard.end(), self.mss).filter(|_| self.handshake.is_open())
    }

    /// Nothing can be sent. If data waits and nothing is outstanding, no ACK will come, so the window must be probed.
    pub(super) fn await_window(&mut self, now: Time) {
        if self.timer.at() == Time::NEVER && self.scoreboard.is_empty() && self.new_segment_length().is_some() {
            self.arm_persist_timer(now);
        }
    }

    /// The probe of a window that is too small: the data that fits, or a segment without data.
    fn next_window_probe(&mut self) -> Next {
        self.statistics.window_probes += 1;
        let waiting = self.new_segment_length().unwrap_or(0);
        let length = self.window.next_probe(&self.scoreboard.range(), waiting);
        if length == 0 {
            return Next::Empty;
        }
        self.window.on_opened();
        self.timer.stop(); // What goes out is data, and data has a timer of its own.
        Next::New(length)
    }

    fn send_window_probe(&mut self, timestamp: Stamp) -> Segment {
        self.statistics.segments_sent += 1;
        self.scoreboard.empty_segment(timestamp)
    }

    /// RFC 6675 §4 NextSeg rules 3 and 4, when nothing lost waits and no new data can be sent. Not used with RACK, which
    /// detects losses by time.
    #[inline]
    fn repeat_without_loss(&mut self) -> Option<Next> {
        if !self.config.sack || self.config.rules.rack || !self.recovery.is_active() || !self.cwnd_has_room(self.mss) {
            return None;
        }
        if let Some(index) = next_unsacked(&self.scoreboard) {
            return Some(Next::Resend(index));
        }
        self.recovery.next_rescue(&self.scoreboard).map(Next::Repeat)
    }

    #[inline]
    fn on_sent(&mut self, now: Time, segment: Segment) {
        self.statistics.segments_sent += 1;
        self.window_use.on_sent(now, !segment.retransmission);
        if self.pacer.is_on() {
            let rate = self.pacing_rate();
            self.pacer.on_sent(now, segment.length, rate);
        }
        if let Some(clamp) = &mut self.clamp {
            clamp.on_sent(now);
        }
        if segment.retransmission {
            self.on_resent(now, &segment);
        }
        self.recovery.on_sent(segment.length);
        self.start_timer(now);
        if self.config.rules.tail_loss_probe {
            self.on_sent_with_probe(now, &segment);
        }
        self.round_trips.on_sent(now, segment.end(), segment.retransmission);
    }

    /// RFC 6298 §5.1: sending starts the timer if it is off.
    #[inline]
    pub(super) fn start_timer(&mut self, now: Time) {
        if self.timer.at() == Time::NEVER {
            self.restart_timer(now);
        }
    }

    /// The rate of the segment that was sent last, bytes per second; none if it goes unpaced.
    fn pacing_rate(&self) -> Option<f64> {
        let of_control = self.control.pacing_rate().filter(|_| self.needs.pacing);
        of_control
            .map(|rate| rate.bps() / 8.0)
            .or_else(|| self.pacer.rate(self.statistics.segments_sent - 1, self.windows(), self.round_trips.srtt()))
    }

    fn on_resent(&mut self, now: Time, segment: &Segment) {
        self.statistics.retransmissions += 1;
        if self.config.rules.rack {
            self.rack.on_resent(segment);
        }
        if let Some(spurious) = &mut self.spurious {
            spurious.on_resent(now, self.probe.is_due());
        }
        self.statistics.sack_retransmissions += u64::from(self.config.sack && self.recovery.phase() != Phase::Open);
        // By inflation only the first retransmission restarts the timer; partial ACKs have a rule of their own. A timer that
        // waits for reordered segments goes on (Linux, `tcp_xmit_retransmit_queue`).
        let is_oldest = segment.sequence == self.scoreboard.start();
        if self.config.rules.restart_timer_on_retransmission
            && is_oldest
            && !self.timer.is_armed_for(Alarm::Reordering)
            && !self.recovery.is_counted()
            && self.recovery.is_at_retransmission()
        {
            self.restart_timer(now);
        }
    }

    /// Returns what keeps the sender from sending more, after [`Sender::poll_packet`] has returned `None`.
    pub fn limit(&self) -> Limit {
        if !self.handshake.is_open() {
            return Limit::Opening;
        }
        if self.scoreboard.has_waiting() {
            return Limit::CongestionWindow;
        }
        let Some(length) = self.new_segment_length() else {
            return Limit::Application;
        };
        let is_smaller = self.window.bytes().count() <= self.whole_window();
        let may_be_receiver = is_smaller || self.cwnd_has_room(length);
        if may_be_receiver && !self.window.has_room(self.scoreboard.start(), self.scoreboard.end(), length) {
            Limit::ReceiverWindow
        } else {
            Limit::CongestionWindow
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{InitialWindow, Segment, Tcp};
    use crate::types::{Bytes, Time};

    /// A sender of segments of 1000 bytes that has sent what it may of `supplied` bytes.
    fn sender(congestion_segments: u32, receiver_bytes: u64, supplied: u64) -> Sender {
        let mut sender = Sender::new(Tcp {
            mss: Bytes::new(1000),
            initial_window: InitialWindow::Segments,
            initial_window_segments: congestion_segments,
            receiver_window: Bytes::new(receiver_bytes),
            ..Tcp::default()
        });
        sender.open(Time::ZERO);
        sender.supply(Bytes::new(supplied));
        while sender.poll_packet(Time::ZERO).is_some() {}
        sender
    }

    #[test]
    fn of_two_windows_the_smaller_one_keeps_it_and_of_equal_ones_the_receivers() {
        for (congestion, receiver, limit) in [
            (4, 2000, Limit::ReceiverWindow),
            (4, 4000, Limit::ReceiverWindow),
            (4, 4001, Limit::CongestionWindow),
            (4, 9000, Limit::CongestionWindow),
        ] {
            assert_eq!(sender(congestion, receiver, u64::MAX).limit(), limit, "{congestion} and {receiver}");
        }
    }

    #[test]
    fn a_window_with_room_for_less_than_a_segment_is_full() {
        // 3 segments are out; the receiver has room for 999 bytes, cwnd for 1000.
        assert_eq!(sender(4, 3999, u64::MAX).limit(), Limit::ReceiverWindow);
    }

    #[test]
    fn with_nothing_unsent_it_waits_for_the_application_and_before_it_is_open_for_that() {
        assert_eq!(sender(4, 9000, 2500).limit(), Limit::Application);
        assert_eq!(sender(4, 9000, 4000).limit(), Limit::Application);
        assert_eq!(Sender::new(Tcp::default()).limit(), Limit::Opening);
    }

    #[test]
    fn what_a_timeout_gave_up_waits_for_the_congestion_window() {
        let mut sender = sender(4, 4000, 4000);
        let timeout = sender.poll_timeout().expect("data is outstanding");
        sender.handle_timeout(timeout);
        while sender.poll_packet(timeout).is_some() {}
        assert_eq!(sender.limit(), Limit::CongestionWindow);
    }

    #[test]
    fn a_window_that_closes_keeps_it_however_large_it_was() {
        let mut sender = sender(4, 9000, u64::MAX);
        sender.handle_packet(Time::from_nanos(1), &Segment::ack(4000, Bytes::ZERO));
        while sender.poll_packet(Time::from_nanos(1)).is_some() {}
        assert_eq!(sender.limit(), Limit::ReceiverWindow);
    }
}
