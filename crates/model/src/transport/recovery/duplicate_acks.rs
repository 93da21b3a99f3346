//! When duplicate ACKs are taken for a loss.
//!
//! Duplicate ACKs at or below the recovery point cannot start a fast retransmit (RFC 6582 §3.2 step 2). Plain Reno has
//! no such variable unless a guard gives it one.

use crate::transport::congestion::RecoveryStep;

use super::{Phase, Recovery};

/// What a duplicate ACK means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transport) enum DuplicateAck {
    /// No loss, or none that is new.
    Noted,
    /// It is the one that shows a loss.
    ShowsLoss,
    /// It came during recovery.
    InRecovery,
}

impl Recovery {
    /// RFC 5681 §3.2 step 2: the third duplicate ACK in a row shows a loss, exactly once; RFC 6582 §3.2 step 2:
    /// unless it covers no more than the recovery point.
    pub(in crate::transport) fn on_duplicate_ack(&mut self, number: u64, sent_end: u64) -> DuplicateAck {
        if self.is_active() {
            return DuplicateAck::InRecovery;
        }
        self.duplicates += 1;
        if self.duplicates != self.guards.threshold || !self.is_beyond_point(number) {
            return DuplicateAck::Noted;
        }
        self.begin(sent_end);
        DuplicateAck::ShowsLoss
    }

    /// Counts a duplicate ACK in phase Open; SACK or time decides what it shows.
    pub(in crate::transport) fn count_duplicate(&mut self) {
        if self.phase == Phase::Open {
            self.duplicates = self.duplicates.saturating_add(1);
        }
    }

    /// RFC 6582 §3.2 step 2: it must cover more than the point. RFC 2582 §5, the variant called Less Careful: or as much.
    pub(super) fn is_beyond_point(&self, number: u64) -> bool {
        let is_unguarded = self.guards.unguarded_to.is_some_and(|end| number <= end);
        is_unguarded || self.point.is_none_or(|point| number > point || (self.guards.less_careful && number == point))
    }

    /// Follows the algorithm's answer to an ACK of new data; true when the timer restarts: on the ACK that
    /// ends recovery and on the first partial one (RFC 6582 §3.2 step 3, the variant called impatient) or, slow but
    /// steady, on each.
    pub(in crate::transport) fn on_recovery_ack(&mut self, step: RecoveryStep) -> bool {
        self.resend_oldest = step == RecoveryStep::Retransmit;
        if self.resend_oldest {
            return !std::mem::replace(&mut self.saw_partial_ack, true) || !self.guards.impatient;
        }
        self.leave();
        let is_forgotten = match step {
            RecoveryStep::Leave => !self.guards.guard_after_recovery,
            _ => self.guards.forgets_point,
        };
        if is_forgotten {
            self.point = None;
        }
        true
    }

    /// "RecoveryPoint" of RFC 6675; 0 if there is none.
    pub(super) fn point(&self) -> u64 {
        self.point.unwrap_or(0)
    }

    /// Recovery is over; its point stays.
    pub(super) const fn leave(&mut self) {
        self.phase = Phase::Open;
        self.duplicates = 0;
    }
}
