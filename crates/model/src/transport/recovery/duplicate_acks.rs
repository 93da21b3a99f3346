//! When duplicate ACKs are taken for a loss, and what each stands for.
//!
//! Duplicate ACKs at or below the recovery point cannot start a fast retransmit (RFC 6582 §3.2 step 2). Plain Reno has
//! no such variable unless a guard gives it one.

use crate::transport::congestion::RecoveryStep;
use crate::transport::scoreboard::{Scoreboard, Sum};

use super::{Phase, Recovery};

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
    /// RFC 5681 §3.2 step 2: the third duplicate ACK in a row shows a loss, exactly once; RFC 6582 §3.2 step 2:
    /// unless it covers no more than the recovery point.
    pub(in crate::transport) fn on_duplicate_ack(&mut self, number: u64, sent_end: u64) -> DuplicateAck {
        if self.is_active() {
            return DuplicateAck::InRecovery;
        }
        self.duplicates += 1;
        if self.duplicates != self.threshold || !self.is_beyond_point(number) {
            return DuplicateAck::Noted;
        }
        self.begin(sent_end);
        DuplicateAck::ShowsLoss
    }

    /// Counts one outside recovery, where something else decides what it shows.
    pub(in crate::transport) const fn count_duplicate(&mut self) {
        self.duplicates = self.duplicates.saturating_add(1);
    }

    /// True when at least the threshold of duplicate ACKs has come in a row.
    pub(in crate::transport) const fn has_enough_duplicates(&self) -> bool {
        self.duplicates >= self.threshold
    }

    /// RFC 6582 §3.2 step 2: it must cover more than the point. RFC 2582 §5, the variant called Less Careful: or as much.
    pub(in crate::transport) fn is_beyond_point(&self, number: u64) -> bool {
        let is_unguarded = self.unguarded_to.is_some_and(|end| number <= end);
        is_unguarded || self.point.is_none_or(|point| number > point || (self.less_careful && number == point))
    }

    /// Follows the algorithm's answer to an ACK of new data; true when the timer restarts: on the ACK that
    /// ends recovery and on the first partial one (RFC 6582 §3.2 step 3, the variant called impatient) or, slow but
    /// steady, on each.
    pub(in crate::transport) fn on_recovery_ack(&mut self, step: RecoveryStep) -> bool {
        if step == RecoveryStep::Retransmit {
            return !std::mem::replace(&mut self.saw_partial_ack, true) || !self.impatient;
        }
        self.leave();
        let is_forgotten = match step {
            RecoveryStep::Leave => !self.guard_after_recovery,
            _ => self.forgets_point,
        };
        if is_forgotten {
            self.point = None;
        }
        true
    }

    /// Recovery is over; its point stays.
    pub(in crate::transport) const fn leave(&mut self) {
        self.phase = Phase::Open;
        self.duplicates = 0;
    }
}

/// Without SACK: segments that duplicate ACKs stand for, above the oldest one. Which they are is not known.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::transport) struct PresumedArrived {
    segments: u32,
}

impl PresumedArrived {
    /// How many of them, in bytes if all are full.
    pub(in crate::transport) fn bytes(self, mss: u32) -> u64 {
        u64::from(self.segments) * u64::from(mss)
    }

    pub(in crate::transport) const fn forget(&mut self) {
        self.segments = 0;
    }

    /// RFC 9937 §6.2: a duplicate ACK delivers one segment; there are never more than can have arrived.
    pub(in crate::transport) fn on_duplicate_ack(&mut self, scoreboard: &Scoreboard, mss: u32) -> Sum {
        let missing = scoreboard.lost().segments.max(1);
        if u64::from(self.segments) + missing >= scoreboard.len() as u64 {
            return Sum::default();
        }
        self.segments += 1;
        Sum { segments: 1, bytes: u64::from(mss) }
    }

    /// RFC 9937 §6.2: an ACK of `acked` delivers what no duplicate ACK stood for, and at least the segment that was
    /// missing.
    pub(in crate::transport) fn on_ack(&mut self, acked: Sum, mss: u32) -> Sum {
        let segments = acked.segments.saturating_sub(u64::from(self.segments)).max(1);
        let bytes = acked.bytes.saturating_sub(self.bytes(mss)).max(acked.bytes.min(u64::from(mss)));
        let others = u32::try_from(acked.segments.saturating_sub(1)).unwrap_or(u32::MAX);
        self.segments = self.segments.saturating_sub(others);
        Sum { segments, bytes }
    }
}
