//! Congestion marks that ACKs report: which are new, and when one asks the congestion control to reduce its window.
//!
//! A reduction answers all marks and losses of a round trip (RFC 3168 §6.1.2): the next one waits until what was sent before it
//! is acknowledged. In a recovery the window has come down already, unless recovery is the control's own. Left out: the
//! negotiation and the codes in the header (RFC 3168, RFC 9768), and receivers that count marks: nothing marks packets yet.

use super::Sender;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::CongestionControl;
use crate::transport::recovery::Phase;

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
