//! Congestion marks that ACKs report: which are new, and when one asks the congestion control to reduce its window.
//!
//! A reduction answers all marks and losses of a round trip (RFC 3168 §6.1.2): the next one waits until what was sent before it
//! is acknowledged. In a recovery the window has come down already, unless recovery is the control's own. Marks come as a
//! count of bytes or as an echo (ECE), whose rules are in `ecn/response.rs`. Left out: the negotiation of counts and receivers
//! that count marks (RFC 9768).

use super::Sender;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::CongestionControl;
use crate::transport::recovery::Phase;
use crate::transport::{Flags, Segment};
use crate::types::{Ecn, Time};

/// What was reported, and how far a reduction has answered it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// The receiver's count of marked bytes.
    counted: u32,
    /// The end of what had been sent at the latest reduction.
    answered_to: Option<u64>,
}

impl Marks {
    /// True if an ACK with this count reports no new mark.
    #[inline]
    pub(super) const fn has_heard(&self, count: u32) -> bool {
        self.counted == count
    }

    /// The bytes newly reported; 0 from an ACK that others overtook, whose count is older.
    pub(super) const fn newly_reported(&mut self, count: u32) -> u32 {
        let more = count.wrapping_sub(self.counted);
        if more > u32::MAX / 2 {
            return 0;
        }
        self.counted = count;
        more
    }
}

impl Sender {
    /// Has the congestion control answer the marks that `ack` reports, once a round trip.
    #[inline]
    pub(super) fn answer_marks(&mut self, ack: &AckSummary) {
        if ack.marked > 0 {
            self.answer_new_marks(ack);
        }
        if ack.has_echo_of_mark && self.ecn.is_some() {
            self.answer_echo(ack);
        }
    }

    #[cold]
    fn answer_new_marks(&mut self, ack: &AckSummary) {
        let may_answer = self.recovery.phase() == Phase::Open || self.needs.own_recovery;
        if may_answer && self.marks.answered_to.is_none_or(|end| ack.number > end) {
            self.control.on_mark(&self.loss_event(ack.now, false));
            self.marks.answered_to = Some(self.scoreboard.end());
        }
    }
}

/// Echoes of marks (ECE, RFC 3168 §6.1.2).
impl Sender {
    /// The ECN field of the packet that carries `segment`, which this sender has just sent.
    pub fn ecn_field(&self, segment: &Segment) -> Ecn {
        self.ecn.as_ref().map_or(Ecn::NotEct, |ecn| ecn.field(segment))
    }

    /// The flags with which a SYN asks for ECN or agrees (RFC 3168 §6.1.1).
    pub(super) fn request_for_marks(&self) -> Flags {
        self.ecn.as_ref().map_or(Flags::NONE, |ecn| ecn.syn_flags())
    }

    /// The other end's SYN, which came first, asks for ECN or not.
    pub(in crate::transport) fn settle_marks(&mut self, is_agreed: bool) {
        if let Some(ecn) = &mut self.ecn {
            ecn.settle(is_agreed);
        }
    }

    /// Whether both ends take part in ECN.
    pub(in crate::transport) fn has_agreed_on_marks(&self) -> bool {
        self.ecn.as_ref().is_some_and(|ecn| ecn.is_agreed())
    }

    /// The answer to the SYN agrees or not.
    pub(super) fn agree_on_marks(&mut self, flags: Flags) {
        let reductions = self.reductions();
        if let Some(ecn) = &mut self.ecn {
            ecn.on_answer_to_syn(flags, reductions);
        }
    }

    /// The flags of new data from `sequence` on: the first after a reduction announces it.
    pub(super) fn announcement(&mut self, sequence: u64) -> Flags {
        let reductions = self.reductions();
        self.ecn.as_mut().map_or(Flags::NONE, |ecn| ecn.on_new_data(sequence, reductions))
    }

    /// An ACK with an echo does not open the window.
    #[inline]
    pub(super) fn keeps_window_closed(&self, ack: &AckSummary) -> bool {
        ack.has_echo_of_mark && self.ecn.as_ref().is_some_and(|ecn| ecn.is_agreed())
    }

    /// Reductions of the window so far, for whatever reason.
    const fn reductions(&self) -> u64 {
        let counts = &self.statistics;
        counts.fast_retransmits + counts.timeouts + counts.ecn_reductions
    }

    #[cold]
    fn answer_echo(&mut self, ack: &AckSummary) {
        let may_answer = self.recovery.phase() == Phase::Open || self.needs.own_recovery;
        let reductions = self.reductions();
        if !may_answer || !self.ecn.as_ref().is_some_and(|ecn| ecn.asks_for_reduction(ack.number, reductions)) {
            return;
        }
        let (before, mss) = (self.control.window(), f64::from(self.mss));
        self.control.on_mark(&self.loss_event(ack.now, false));
        self.statistics.ecn_reductions += 1;
        let is_least = before <= 2.0 * mss && self.config.rules.ecn_least_window_segments == 1;
        if is_least && !self.needs.own_recovery {
            self.set_window(mss);
            if before < 2.0 * mss {
                self.hold_new_data(ack.now);
            }
        }
    }

    /// With a window of one segment an echo restarts the timer, and new data waits for it (RFC 3168 §6.1.2).
    fn hold_new_data(&mut self, now: Time) {
        let until = now + self.round_trips.rto();
        if let Some(ecn) = &mut self.ecn {
            ecn.hold_until(until);
        }
        if !self.scoreboard.is_empty() {
            self.restart_timer(now);
        }
    }

    /// When new data may leave that an echo holds back; never if none is held.
    #[inline]
    pub(super) fn wake_of_marks(&self) -> Time {
        self.ecn.as_ref().map_or(Time::NEVER, |ecn| ecn.wake())
    }

    /// Whether an echo holds new data back at `now`.
    #[inline]
    pub(super) fn holds_new_data(&mut self, now: Time) -> bool {
        self.ecn.as_mut().is_some_and(|ecn| ecn.holds(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{InitialWindow, Segment, Tcp};
    use crate::types::{Bytes, Time};

    #[test]
    fn a_mark_halves_renos_window_once_for_what_was_sent_before() {
        let (mss, initial_window) = (Bytes::new(1000), InitialWindow::Segments);
        let mut sender = Sender::new(Tcp { mss, initial_window, initial_window_segments: 10, ..Tcp::default() });
        sender.open(Time::ZERO);
        sender.supply(Bytes::UNLIMITED);
        while sender.poll_packet(Time::ZERO).is_some() {}
        assert!(sender.takes_fast_path());
        let mut hear = |number, marked| {
            let mut ack = Segment::ack(number, Bytes::new(65_535));
            ack.marked = marked;
            sender.handle_packet(Time::from_nanos(number), &ack);
            while sender.poll_packet(Time::from_nanos(number)).is_some() {}
            sender.cwnd()
        };
        assert_eq!(hear(1000, 0), 11_000.0);
        // 11 segments are out; the ACK of one of them leaves 10, and half of that stays.
        assert_eq!(hear(2000, 1000), 5000.0);
        // All marks of the 12 segments sent so far are answered; this ACK adds MSS^2 / cwnd.
        assert_eq!(hear(3000, 2000), 5200.0);
        assert!(hear(12_000, 9000) > 5200.0);
        // Five were sent since, and four of them are out.
        assert_eq!(hear(13_000, 10_000), 2000.0);
    }

    #[test]
    fn counts_wrap_and_an_older_one_reports_nothing() {
        let mut marks = Marks { counted: u32::MAX - 99, answered_to: None };
        assert_eq!(marks.newly_reported(u32::MAX - 199), 0);
        assert_eq!(marks.newly_reported(400), 500);
        assert!(marks.has_heard(400) && !marks.has_heard(401));
    }
}
