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
    pub(super) fn answer_marks(&mut self, ack: &AckSummary) {
        if ack.marked == 0 {
            return;
        }
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

    #[test]
    fn counts_wrap_and_an_older_one_reports_nothing() {
        let mut marks = Marks { counted: u32::MAX - 99, answered_to: None };
        assert_eq!(marks.newly_reported(u32::MAX - 199), 0);
        assert_eq!(marks.newly_reported(400), 500);
        assert!(marks.has_heard(400) && !marks.has_heard(401));
    }
}
