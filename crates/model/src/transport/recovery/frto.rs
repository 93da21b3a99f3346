//! F-RTO (RFC 5682): the first ACKs after a timeout show whether it was spurious, if new data is sent in between.
//!
//! After a timeout only the oldest segment is sent again. If the next ACK covers it but not everything, two new segments
//! are sent instead of old ones; if the ACK after that covers data sent before the timeout and never again, that data
//! was not lost, and neither, in all likelihood, was the rest. Without SACK it is §2, with SACK §3.
//!
//! Linux (`tcp_process_loss`) does not wait for the second ACK: any segment sent once, before the timeout, that is newly
//! acknowledged or SACKed after it shows that the timeout was spurious (without SACK, if the ACK covers nothing that was
//! sent again). It goes to step 2 also when the same segment timed out again, and duplicates do not end step 2. That is
//! the switch `at_once`.
//!
//! Left out: the alternatives of appendix A for a sender limited by the receiver's window (it goes back to the
//! conventional recovery, as §2.1 step 2b recommends).

use crate::transport::ack_summary::AckSummary;

/// The step that the algorithm is in.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Frto {
    has_sack: bool,
    at_once: bool,
    step: Step,
    /// "recover" (§2), "RecoveryPoint" (§3): the end of what had been sent.
    point: u64,
    /// The end of what the timeout sent again.
    resent_end: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Idle,
    /// Step 2: waiting for the ACK of the retransmission.
    AwaitFirst,
    /// Step 3: new data was sent, waiting for the next ACK.
    AwaitSecond,
}

/// What an ACK means for the timeout before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transport) enum FrtoVerdict {
    /// Nothing to decide, or not yet.
    None,
    /// Step 2b: send up to two new segments, and none of the old ones.
    SendNew,
    /// The loss was real: cwnd is within these segments, and recovery is the conventional one (§2.1 and §3.1, steps 2a
    /// and 3a).
    Conventional {
        /// So that without SACK the oldest segment goes beside the new ones that are out.
        least_segments: u32,
        most_segments: u32,
    },
    /// SPUR_TO: the timeout was spurious.
    Spurious,
}

impl FrtoVerdict {
    const fn at_most(most_segments: u32) -> Self {
        Self::Conventional { least_segments: 0, most_segments }
    }
}

impl Frto {
    /// Nothing is under way.
    pub(in crate::transport) const fn new(has_sack: bool, at_once: bool) -> Self {
        Self { has_sack, at_once, step: Step::Idle, point: 0, resent_end: 0 }
    }

    /// Step 1: the timer has expired for the segment that ends at `oldest_end`. A sender that was recovering already does
    /// not go on to step 2; Linux's does if the same segment timed out again.
    pub(in crate::transport) const fn on_timeout(
        &mut self,
        oldest_end: u64,
        sent_end: u64,
        was_open: bool,
        is_repeated: bool,
    ) {
        let may_start = was_open || (self.at_once && is_repeated);
        self.step = if may_start { Step::AwaitFirst } else { Step::Idle };
        self.point = sent_end;
        self.resent_end = oldest_end;
    }

    /// True while old segments are not to be sent again.
    pub(in crate::transport) fn is_deciding(&self) -> bool {
        self.step == Step::AwaitSecond
    }

    /// It is over: no new data could be sent, or another recovery began.
    pub(in crate::transport) const fn cancel(&mut self) {
        self.step = Step::Idle;
    }

    /// Steps 2 and 3; `sent_end` is SND.NXT, `highest_sacked` the end of the highest segment SACKed.
    pub(in crate::transport) fn on_ack(&mut self, ack: &AckSummary, sent_end: u64, highest_sacked: u64) -> FrtoVerdict {
        if self.step == Step::Idle {
            return FrtoVerdict::None;
        }
        let is_original = self.has_sack || !ack.covers_retransmission;
        if self.at_once && is_original && ack.lowest_original_end <= self.point {
            self.step = Step::Idle;
            return FrtoVerdict::Spurious;
        }
        let verdict = match self.step {
            Step::AwaitFirst => self.first(ack, sent_end),
            _ => self.second(ack, highest_sacked),
        };
        // Linux leaves the window to slow start.
        let verdict = match verdict {
            FrtoVerdict::Conventional { .. } if self.at_once => FrtoVerdict::at_most(u32::MAX),
            verdict => verdict,
        };
        match verdict {
            FrtoVerdict::None => {}
            FrtoVerdict::SendNew => self.step = Step::AwaitSecond,
            FrtoVerdict::Conventional { .. } | FrtoVerdict::Spurious => self.step = Step::Idle,
        }
        verdict
    }

    /// Step 2. Without SACK a duplicate ends it (§2.1), with SACK it is waited out (§3.1).
    fn first(&mut self, ack: &AckSummary, sent_end: u64) -> FrtoVerdict {
        if !ack.is_new() {
            let ends = ack.is_duplicate && !self.has_sack && !self.at_once;
            return if ends { FrtoVerdict::at_most(2) } else { FrtoVerdict::None };
        }
        if ack.number >= self.point || ack.number < self.resent_end {
            return FrtoVerdict::at_most(2);
        }
        if self.has_sack {
            self.point = sent_end;
        }
        FrtoVerdict::SendNew
    }

    /// Step 3.
    fn second(&mut self, ack: &AckSummary, highest_sacked: u64) -> FrtoVerdict {
        if !self.has_sack {
            let spurious = ack.is_new();
            return match (spurious, ack.is_duplicate) {
                (true, _) => FrtoVerdict::Spurious,
                (false, true) => FrtoVerdict::Conventional { least_segments: 3, most_segments: 3 },
                (false, false) => FrtoVerdict::None,
            };
        }
        let covers_more = ack.number.max(highest_sacked) > self.point;
        let covers_new = ack.delivered.bytes > 0;
        match (covers_more, covers_new) {
            (false, true) => FrtoVerdict::Spurious,
            (true, _) => FrtoVerdict::at_most(3),
            // §3.1 step 3a: also a duplicate ACK that reports nothing new.
            (false, false) if ack.is_repetition => FrtoVerdict::at_most(3),
            (false, false) => FrtoVerdict::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FrtoVerdict::{Conventional, SendNew, Spurious};
    use super::*;
    use crate::transport::sent::Sum;
    use crate::types::Time;

    const SENT: u64 = 5000;

    /// After a timeout of 0..1000, of five segments sent.
    fn after_timeout(has_sack: bool) -> Frto {
        let mut frto = Frto::new(has_sack, false);
        frto.on_timeout(1000, SENT, true, false);
        frto
    }

    fn ack(number: u64, previous: u64) -> AckSummary {
        let mut ack = AckSummary::new(Time::ZERO, number, previous, None);
        ack.delivered.bytes = number - previous;
        ack.is_duplicate = number == previous;
        ack.is_repetition = number == previous;
        ack
    }

    fn sacked(number: u64, bytes: u64) -> AckSummary {
        let sum = Sum { segments: 1, bytes };
        AckSummary { sacked: sum, delivered: sum, ..ack(number, number) }
    }

    #[test]
    fn two_acks_of_new_data_show_a_spurious_timeout() {
        // RFC 5682 §2.1, steps 2b and 3b.
        let mut frto = after_timeout(false);
        assert_eq!(frto.on_ack(&ack(1000, 0), SENT, 0), SendNew);
        assert!(frto.is_deciding());
        assert_eq!(frto.on_ack(&ack(2000, 1000), SENT + 2000, 0), Spurious);
        assert!(!frto.is_deciding());
        assert_eq!(frto.on_ack(&ack(3000, 2000), SENT + 2000, 0), FrtoVerdict::None);
    }

    #[test]
    fn a_duplicate_ack_first_or_second_shows_a_real_loss() {
        // §2.1, steps 2a and 3a.
        assert_eq!(after_timeout(false).on_ack(&ack(0, 0), SENT, 0), FrtoVerdict::at_most(2));
        let mut frto = after_timeout(false);
        frto.on_ack(&ack(1000, 0), SENT, 0);
        let three = Conventional { least_segments: 3, most_segments: 3 };
        assert_eq!(frto.on_ack(&ack(1000, 1000), SENT + 2000, 0), three);
    }

    #[test]
    fn an_ack_of_everything_or_of_less_than_was_resent_shows_nothing_spurious() {
        // §2.1 step 2a.
        assert_eq!(after_timeout(false).on_ack(&ack(SENT, 0), SENT, 0), FrtoVerdict::at_most(2));
        assert_eq!(after_timeout(false).on_ack(&ack(500, 0), SENT, 0), FrtoVerdict::at_most(2));
        assert_eq!(after_timeout(true).on_ack(&ack(SENT, 0), SENT, 0), FrtoVerdict::at_most(2));
    }

    #[test]
    fn a_sender_that_was_recovering_does_not_start() {
        let mut frto = Frto::new(true, true);
        frto.on_timeout(1000, SENT, false, false);
        assert_eq!(frto.on_ack(&ack(2000, 0), SENT, 0), FrtoVerdict::None);
    }

    #[test]
    fn with_sack_duplicates_before_the_first_new_ack_are_waited_out() {
        // §3.1 step 2.
        let mut frto = after_timeout(true);
        assert_eq!(frto.on_ack(&sacked(0, 1000), SENT, 3000), FrtoVerdict::None);
        assert_eq!(frto.on_ack(&ack(1000, 0), SENT, 3000), SendNew);
    }

    #[test]
    fn with_sack_old_data_newly_reported_shows_a_spurious_timeout() {
        // §3.1 step 3b, by a cumulative ACK and by a block.
        let mut frto = after_timeout(true);
        frto.on_ack(&ack(1000, 0), SENT, 0);
        assert_eq!(frto.on_ack(&ack(2000, 1000), SENT + 2000, 0), Spurious);
        let mut frto = after_timeout(true);
        frto.on_ack(&ack(1000, 0), SENT, 0);
        assert_eq!(frto.on_ack(&sacked(1000, 1000), SENT + 2000, 4000), Spurious);
    }

    #[test]
    fn with_sack_new_data_reported_first_shows_a_real_loss() {
        // §3.1 step 3a: the new segments arrived, the old ones did not.
        let mut frto = after_timeout(true);
        frto.on_ack(&ack(1000, 0), SENT, 0);
        let above = frto.on_ack(&sacked(1000, 1000), SENT + 2000, SENT + 1000);
        assert_eq!(above, FrtoVerdict::at_most(3));
        let mut frto = after_timeout(true);
        frto.on_ack(&ack(1000, 0), SENT, 0);
        assert_eq!(frto.on_ack(&sacked(1000, 0), SENT + 2000, 0), FrtoVerdict::at_most(3));
    }

    #[test]
    fn at_once_any_original_newly_reported_is_enough() {
        let original = AckSummary { lowest_original_end: 2000, ..ack(2000, 0) };
        assert_eq!(after_timeout(true).on_ack(&original, SENT, 0), SendNew);
        let mut frto = Frto::new(true, true);
        frto.on_timeout(1000, SENT, true, false);
        assert_eq!(frto.on_ack(&original, SENT, 0), Spurious);
        frto.on_timeout(1000, SENT, true, false);
        let sent_since = AckSummary { lowest_original_end: SENT + 1000, ..ack(1000, 0) };
        assert_eq!(frto.on_ack(&sent_since, SENT, 0), SendNew);
    }

    #[test]
    fn without_sack_linux_starts_again_with_a_repeated_timeout_and_waits_out_duplicates() {
        // tcp_enter_loss: `new_recovery || icsk_retransmits`; tcp_process_loss: only new data out makes a duplicate count.
        let mut frto = Frto::new(false, true);
        frto.on_timeout(1000, SENT, false, true);
        assert_eq!(frto.on_ack(&ack(0, 0), SENT, 0), FrtoVerdict::None);
        let resent = AckSummary { covers_retransmission: true, ..ack(1000, 0) };
        assert_eq!(frto.on_ack(&resent, SENT, 0), SendNew);
        assert_eq!(frto.on_ack(&ack(1000, 1000), SENT + 2000, 0), FrtoVerdict::at_most(u32::MAX));
    }

    #[test]
    fn without_sack_an_ack_of_what_was_resent_and_more_shows_nothing_at_once() {
        // tcp_clean_rtx_queue: FLAG_RETRANS_DATA_ACKED takes FLAG_ORIG_SACK_ACKED away.
        let mut frto = Frto::new(false, true);
        frto.on_timeout(1000, SENT, true, false);
        let both = AckSummary { covers_retransmission: true, lowest_original_end: 2000, ..ack(2000, 0) };
        assert_eq!(frto.on_ack(&both, SENT, 0), SendNew);
    }
}
