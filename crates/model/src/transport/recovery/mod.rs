//! How losses show, and how they are repaired: one file for each rule.
//!
//! Whatever the rules, a sender is in one of three phases, and `point` is the variable "recover" of RFC 6582 and
//! "RecoveryPoint" of RFC 6675: the end of what had been sent when the last loss was noticed.

mod duplicate_acks;
mod duplicate_sack;
mod eifel;
mod frto;
mod limited_transmit;
mod ns2_sack1;
mod pipe;
mod prr;
mod rack;
mod sack;
mod spurious;
mod tail_loss_probe;
mod undo;

pub(super) use duplicate_acks::DuplicateAck;
pub(super) use limited_transmit::Disorder;
pub(super) use ns2_sack1::Ns2Sack1Ack;
pub(super) use rack::{Evidence, Rack, RackOutcome};
pub(super) use sack::next_unsacked;
pub(super) use spurious::{AckContext, Spurious, Verdict};
pub(super) use tail_loss_probe::TailLossProbe;
pub(super) use undo::SpuriousCandidate;

use limited_transmit::LimitedTransmit;
use ns2_sack1::Ns2Sack1;
use pipe::PipeEstimate;

use super::congestion::{FastRecovery, Repair};
use super::scoreboard::Scoreboard;
use super::words::SackPipe;
use super::{RateReduction, Tcp};
use crate::types::Bytes;

/// What a sender does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// New data; perhaps some duplicate ACKs have come, but they show no loss yet.
    Open,
    /// Repairs losses that showed before the timer expired.
    Recovery,
    /// Repairs what the timer gave up.
    Loss,
}

/// The phase, what starts and ends it, and what a recovery counts.
#[derive(Clone, Debug)]
pub(super) struct Recovery {
    guards: Guards,
    /// "pipe" is estimated (RFC 6675, RFC 9937); else duplicate ACKs inflate the window.
    uses_pipe: bool,
    phase: Phase,
    duplicates: u32,
    saw_partial_ack: bool,
    point: Option<u64>,
    /// The end of what had been sent at the latest timeout.
    loss_end: u64,
    /// Where the timer last expired: the start of the segment it resent.
    timed_out_at: Option<u64>,
    /// The oldest segment is to be sent at once, whatever the window.
    resend_oldest: bool,
    /// The window during a recovery by inflation.
    pub(super) inflation: FastRecovery,
    pipe: PipeEstimate,
    pub(super) counter: Ns2Sack1,
    pub(super) limited: LimitedTransmit,
}

/// When duplicate ACKs are taken for a loss, and which ACKs restart the timer: settings.
#[derive(Clone, Copy, Debug)]
struct Guards {
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
}

impl Guards {
    fn new(config: &Tcp) -> Self {
        let rules = &config.rules;
        let is_old = config.congestion_control.repair() != Repair::UntilAllAcked;
        let first_end = if config.handshake { 0 } else { config.mss.count() };
        Self {
            threshold: config.duplicate_ack_threshold,
            careful_fast_retransmit: rules.careful_fast_retransmit,
            guard_after_recovery: rules.guard_after_recovery,
            less_careful: rules.less_careful && !config.sack && !is_old,
            forgets_point: rules.forgets_recovery_point,
            unguarded_to: rules.first_loss_unguarded.then_some(first_end),
            timeout_keeps_duplicates: rules.timeout_keeps_duplicates
                && config.congestion_control.repair() == Repair::StartOver,
            impatient: rules.impatient,
        }
    }
}

impl Recovery {
    /// `is_controls_own`: what is in flight is estimated, whatever the switches, and nothing is sent beyond the window.
    pub(super) fn new(config: &Tcp, is_controls_own: bool) -> Self {
        let is_counted = config.sack && config.rules.sack_pipe == SackPipe::Ns2Sack1 && !is_controls_own;
        Self {
            guards: Guards::new(config),
            uses_pipe: (config.sack && !is_counted) || config.rules.prr != RateReduction::Off || is_controls_own,
            phase: Phase::Open,
            duplicates: 0,
            saw_partial_ack: false,
            point: None,
            loss_end: 0,
            timed_out_at: None,
            resend_oldest: false,
            inflation: FastRecovery::new(config),
            pipe: PipeEstimate::new(config, is_controls_own),
            counter: Ns2Sack1::new(is_counted),
            limited: LimitedTransmit::default(),
        }
    }

    pub(super) const fn phase(&self) -> Phase {
        self.phase
    }

    /// True when "pipe" is estimated.
    #[inline]
    pub(super) const fn uses_pipe(&self) -> bool {
        self.uses_pipe
    }

    /// True when "pipe" is counted as in ns-2's Sack1.
    #[inline]
    pub(super) const fn is_counted(&self) -> bool {
        self.counter.is_on()
    }

    /// True when duplicate ACKs inflate the window.
    pub(super) const fn is_inflated(&self) -> bool {
        !self.uses_pipe && !self.counter.is_on()
    }

    /// True when nothing hints at a loss.
    #[inline]
    pub(super) fn is_calm(&self) -> bool {
        self.phase == Phase::Open && self.duplicates == 0
    }

    /// True in recovery.
    #[inline]
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

    /// True when an ACK up to `number` is a partial one: recovery goes on.
    #[inline]
    pub(super) fn is_partial(&self, number: u64) -> bool {
        self.is_active() && !self.is_full(number)
    }

    /// True when the timer last expired for the segment that starts at `start`.
    pub(super) fn has_timed_out_at(&self, start: u64) -> bool {
        self.timed_out_at == Some(start)
    }

    /// True when the oldest segment is to be sent at once.
    #[inline]
    pub(super) const fn is_resend_due(&self) -> bool {
        self.resend_oldest
    }

    /// The oldest segment is sent.
    pub(super) const fn take_resend(&mut self) -> bool {
        std::mem::replace(&mut self.resend_oldest, false)
    }

    /// The oldest segment is to be sent at once.
    pub(super) const fn resend_oldest(&mut self) {
        self.resend_oldest = true;
    }

    /// An ACK moved SND.UNA: the segment that was to be retransmitted at once has arrived.
    #[inline]
    pub(super) const fn on_moved(&mut self) {
        self.limited.forget();
        self.resend_oldest = false;
    }

    /// FlightSize (RFC 5681 §2): what is not cumulatively acknowledged, but what a timeout gave up and what limited
    /// transmit sent beyond cwnd (§3.2 step 2).
    pub(super) fn flight_size(&self, scoreboard: &Scoreboard) -> Bytes {
        let outstanding = match self.phase {
            // Without pipe, what a timeout gave up counts when it was sent again, also after the repairs of a go-back-N.
            _ if !self.uses_pipe => scoreboard.flight().count(),
            Phase::Loss => scoreboard.flight().count() + scoreboard.sacked().bytes,
            Phase::Open | Phase::Recovery => scoreboard.outstanding().count(),
        };
        Bytes::new(outstanding.saturating_sub(self.limited.bytes()))
    }

    /// True when a retransmission of the oldest segment is one that may restart the timer: in a recovery, by inflation only
    /// before the first partial ACK.
    pub(super) fn is_at_retransmission(&self) -> bool {
        self.is_active() && (self.uses_pipe || !self.saw_partial_ack)
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

    /// A segment of `length` bytes was sent.
    #[inline]
    pub(super) fn on_sent(&mut self, length: u32) {
        self.limited.on_answered();
        if self.is_active() {
            self.pipe.on_sent(length);
        }
    }

    /// The latest recovery was spurious: it is over, and another may begin at once (RFC 5682 §2.1 step 3b).
    pub(super) fn undo(&mut self) {
        if self.phase != Phase::Open {
            self.phase = Phase::Open;
            self.duplicates = 0;
            self.point = None;
        }
        self.timed_out_at = None;
        self.resend_oldest = false;
    }

    /// Tahoe: as after a timeout, but further duplicate ACKs belong to the same loss.
    pub(super) fn start_over(&mut self, sent_end: u64) {
        let duplicates = self.duplicates;
        self.give_up(sent_end);
        self.duplicates = duplicates;
    }

    /// The timer expired, with everything from `start` to `sent_end` outstanding.
    pub(super) fn on_timeout(&mut self, start: u64, sent_end: u64) {
        self.give_up(sent_end);
        self.counter.on_timeout();
        self.timed_out_at = Some(start);
        self.resend_oldest = false;
        self.limited.on_answered();
    }

    /// RFC 6582 §3.2 step 4, RFC 6675 §5.1: a timeout ends recovery and, with the guard, remembers what had been sent,
    /// because go-back-N makes duplicate ACKs that show no loss.
    fn give_up(&mut self, sent_end: u64) {
        self.phase = Phase::Loss;
        if !self.guards.timeout_keeps_duplicates {
            self.duplicates = 0;
        }
        self.point = self.guards.careful_fast_retransmit.then_some(sent_end);
        self.loss_end = sent_end;
        self.pipe.forget_presumed();
        self.limited.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Algorithm, Rules};

    #[test]
    fn a_timeout_ends_a_row_of_duplicates_but_not_tahoes_of_ns_2() {
        let shows_after_timeout = |congestion_control, timeout_keeps_duplicates| {
            let careful_fast_retransmit = false;
            let config = Tcp {
                congestion_control,
                rules: Rules { timeout_keeps_duplicates, careful_fast_retransmit, ..Rules::default() },
                ..Tcp::default()
            };
            let mut recovery = Recovery::new(&config, false);
            recovery.on_duplicate_ack(1000, 5000);
            recovery.on_duplicate_ack(1000, 5000);
            recovery.on_timeout(1000, 5000);
            recovery.on_duplicate_ack(1000, 5000) == DuplicateAck::ShowsLoss
        };
        assert!(shows_after_timeout(Algorithm::Tahoe, true));
        assert!(!shows_after_timeout(Algorithm::Tahoe, false));
        assert!(!shows_after_timeout(Algorithm::Reno, true));
    }
}
