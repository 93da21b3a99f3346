//! How losses show, and how they are repaired: one file for each rule.
//!
//! Whatever the rules, a sender is in one of three phases, and `point` is the variable "recover" of RFC 6582 and
//! "RecoveryPoint" of RFC 6675: the end of what had been sent when the last loss was noticed.

mod counted_pipe;
mod duplicate_acks;
mod duplicate_sack;
mod eifel;
mod forward_rto;
mod limited_transmit;
mod rack;
mod rate_reduction;
pub(super) mod sack;
mod spurious;
mod tail_loss_probe;
mod undo;

pub(super) use counted_pipe::CountedPipe;
pub(super) use duplicate_acks::{DuplicateAck, PresumedArrived};
pub(super) use limited_transmit::Disorder;
pub(super) use rack::{Evidence, Found, Rack};
pub(super) use rate_reduction::{Progress, Reduction};
pub(super) use spurious::{Finding, Onset, Spurious, Standing};
pub(super) use tail_loss_probe::TailLossProbe;

use super::Tcp;
use super::congestion::Algorithm;

/// What a sender is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// New data; perhaps some duplicate ACKs have come, but they show no loss yet.
    Open,
    /// Repairs losses that showed before the timer expired.
    Recovery,
    /// Repairs what the timer gave up.
    Loss,
}

/// The phase, and what starts and ends it.
#[derive(Clone, Debug)]
pub(super) struct Recovery {
    threshold: u32,
    careful_fast_retransmit: bool,
    guard_after_recovery: bool,
    /// Not of Reno and Tahoe, nor with SACK.
    less_careful: bool,
    forgets_point: bool,
    /// Up to here the guards don't hold.
    unguarded_to: Option<u64>,
    /// Only Tahoe in ns-2.
    timeout_keeps_duplicates: bool,
    impatient: bool,
    duplicates: u32,
    phase: Phase,
    saw_partial_ack: bool,
    point: Option<u64>,
    /// The end of what had been sent at the latest timeout.
    loss_end: u64,
}

impl Recovery {
    pub(super) fn new(config: &Tcp) -> Self {
        Self {
            threshold: config.duplicate_ack_threshold,
            careful_fast_retransmit: config.rules.careful_fast_retransmit,
            guard_after_recovery: config.rules.guard_after_recovery,
            less_careful: config.rules.less_careful
                && !config.sack
                && !matches!(config.congestion_control, Algorithm::Reno | Algorithm::Tahoe),
            forgets_point: config.rules.forgets_recovery_point,
            unguarded_to: config.rules.first_loss_unguarded.then_some(if config.handshake {
                0
            } else {
                config.mss.count()
            }),
            timeout_keeps_duplicates: config.rules.timeout_keeps_duplicates
                && config.congestion_control == Algorithm::Tahoe,
            impatient: config.rules.impatient,
            duplicates: 0,
            phase: Phase::Open,
            saw_partial_ack: false,
            point: None,
            loss_end: 0,
        }
    }

    pub(super) const fn phase(&self) -> Phase {
        self.phase
    }

    /// True when nothing hints at a loss.
    pub(super) fn is_calm(&self) -> bool {
        self.phase == Phase::Open && self.duplicates == 0
    }

    /// True in recovery.
    pub(super) fn is_active(&self) -> bool {
        self.phase == Phase::Recovery
    }

    /// Duplicate ACKs since the last ACK of new data.
    pub(super) const fn duplicates(&self) -> u32 {
        self.duplicates
    }

    /// True when an ACK up to `number` covers everything sent before recovery began.
    pub(super) fn is_full(&self, number: u64) -> bool {
        self.point.is_none_or(|point| number >= point)
    }

    /// "RecoveryPoint" of RFC 6675; 0 if there is none.
    pub(super) fn point(&self) -> u64 {
        self.point.unwrap_or(0)
    }

    /// True when a retransmission of the oldest segment is one that may restart the timer: in a recovery, by inflation only
    /// before the first partial ACK.
    pub(super) fn is_at_retransmission(&self, uses_pipe: bool) -> bool {
        self.is_active() && (uses_pipe || !self.saw_partial_ack)
    }

    /// Begins a recovery that lasts until `sent_end` is acknowledged.
    pub(super) const fn begin(&mut self, sent_end: u64) {
        self.phase = Phase::Recovery;
        self.saw_partial_ack = false;
        self.point = Some(sent_end);
    }

    /// Outside recovery, an ACK of new data up to `number` restarts the count of duplicates and may end what the timer began.
    pub(super) fn on_ack(&mut self, number: u64) {
        self.duplicates = 0;
        if self.phase == Phase::Loss && number >= self.loss_end {
            self.phase = Phase::Open;
        }
    }

    /// True when, in the recovery from a timeout, new data has been sent since.
    pub(super) fn has_new_data_out(&self, sent_end: u64) -> bool {
        self.phase == Phase::Loss && sent_end > self.loss_end
    }

    /// The latest recovery was spurious: it is over, and another may begin at once (RFC 5682 §2.1 step 3b).
    pub(super) const fn take_back(&mut self) {
        self.phase = Phase::Open;
        self.duplicates = 0;
        self.point = None;
    }

    /// Tahoe: as after a timeout, but the duplicate ACKs that go on coming are still those of the same loss.
    pub(super) fn start_over(&mut self, sent_end: u64) {
        let duplicates = self.duplicates;
        self.on_timeout(sent_end);
        self.duplicates = duplicates;
    }

    /// A recovery by [`CountedPipe`] is over; nothing keeps the next one from beginning.
    pub(super) const fn end_counted(&mut self) {
        self.leave();
        self.point = None;
    }

    /// RFC 6582 §3.2 step 4, RFC 6675 §5.1: a timeout ends recovery and, with the guard, remembers what had been sent,
    /// because go-back-N makes duplicate ACKs that show no loss.
    pub(super) fn on_timeout(&mut self, sent_end: u64) {
        self.phase = Phase::Loss;
        if !self.timeout_keeps_duplicates {
            self.duplicates = 0;
        }
        self.point = self.careful_fast_retransmit.then_some(sent_end);
        self.loss_end = sent_end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Rules;

    #[test]
    fn a_timeout_ends_a_row_of_duplicates_but_not_tahoes_of_ns_2() {
        let shows_after_timeout = |congestion_control, timeout_keeps_duplicates| {
            let careful_fast_retransmit = false;
            let config = Tcp {
                congestion_control,
                rules: Rules { timeout_keeps_duplicates, careful_fast_retransmit, ..Rules::default() },
                ..Tcp::default()
            };
            let mut recovery = Recovery::new(&config);
            recovery.on_duplicate_ack(1000, 5000);
            recovery.on_duplicate_ack(1000, 5000);
            recovery.on_timeout(5000);
            recovery.on_duplicate_ack(1000, 5000) == DuplicateAck::ShowsLoss
        };
        assert!(shows_after_timeout(Algorithm::Tahoe, true));
        assert!(!shows_after_timeout(Algorithm::Tahoe, false));
        assert!(!shows_after_timeout(Algorithm::Reno, true));
    }
}
