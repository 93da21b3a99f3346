//! When duplicate ACKs are taken for a loss, and how long recovery from it lasts.
//!
//! `point` is the variable "recover" of RFC 6582: the end of what had been sent when the last loss was
//! noticed. Duplicate ACKs at or below it cannot start a fast retransmit. Plain Reno has no such variable
//! unless the guard gives it one at a timeout.

use crate::transport::congestion::RecoveryStep;

#[derive(Clone, Debug)]
pub(in crate::transport) struct Recovery {
    threshold: u32,
    guard_after_timeout: bool,
    duplicates: u32,
    is_active: bool,
    saw_partial_ack: bool,
    point: Option<u64>,
}

/// What a duplicate ACK means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transport) enum DuplicateAck {
    /// Nothing yet, or nothing any more.
    Noted,
    /// It is the one that shows a loss.
    ShowsLoss,
    /// It came during recovery.
    InRecovery,
}

impl Recovery {
    pub(in crate::transport) const fn new(threshold: u32, guard_after_timeout: bool) -> Self {
        Self { threshold, guard_after_timeout, duplicates: 0, is_active: false, saw_partial_ack: false, point: None }
    }

    pub(in crate::transport) const fn is_active(&self) -> bool {
        self.is_active
    }

    /// True when an ACK up to `number` covers everything sent before recovery began.
    pub(in crate::transport) fn is_full(&self, number: u64) -> bool {
        self.point.is_none_or(|point| number >= point)
    }

    /// RFC 5681 §3.2 step 2: the third duplicate ACK in a row shows a loss, exactly once; RFC 6582 §3.2 step 2:
    /// unless it covers no more than `point`.
    pub(in crate::transport) fn on_duplicate_ack(&mut self, number: u64, sent_end: u64) -> DuplicateAck {
        if self.is_active {
            return DuplicateAck::InRecovery;
        }
        self.duplicates += 1;
        if self.duplicates != self.threshold || self.point.is_some_and(|point| number <= point) {
            return DuplicateAck::Noted;
        }
        self.is_active = true;
        self.saw_partial_ack = false;
        self.point = Some(sent_end);
        DuplicateAck::ShowsLoss
    }

    /// Outside recovery, an ACK of new data restarts the count of duplicates.
    pub(in crate::transport) const fn on_ack(&mut self) {
        self.duplicates = 0;
    }

    /// Follows the algorithm's answer to an ACK of new data; true when the timer restarts: on the ACK that
    /// ends recovery and on the first partial one (RFC 6582 §3.2 step 3, the variant called impatient).
    pub(in crate::transport) fn on_recovery_ack(&mut self, step: RecoveryStep) -> bool {
        if step == RecoveryStep::Retransmit {
            return !std::mem::replace(&mut self.saw_partial_ack, true);
        }
        self.is_active = false;
        self.duplicates = 0;
        if step == RecoveryStep::Leave {
            self.point = None;
        }
        true
    }

    /// RFC 6582 §3.2 step 4: a timeout ends recovery and, with the guard, remembers what had been sent, because
    /// go-back-N makes duplicate ACKs that show no loss.
    pub(in crate::transport) fn on_timeout(&mut self, sent_end: u64) {
        self.is_active = false;
        self.duplicates = 0;
        self.point = self.guard_after_timeout.then_some(sent_end);
    }
}
