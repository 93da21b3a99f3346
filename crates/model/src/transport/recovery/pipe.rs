//! Recovery that estimates "pipe", what is in flight: by RFC 6675 and, with or without SACK, by PRR (RFC 9937).
//!
//! Without SACK each duplicate ACK counts as a segment that arrived (RFC 9937 §6.2), and partial ACKs show the next hole as in
//! NewReno; Linux does so. RFC 6675 begins a recovery with a duplicate ACK. Here the ACK that ends one begins the next if
//! what it leaves is known to be lost, and what the former has sent again is not sent once more.

use super::prr::{Progress, Reduction};
use super::{Phase, Recovery, sack};
use crate::transport::ack_summary::AckSummary;
use crate::transport::scoreboard::Scoreboard;
use crate::transport::sent::Sum;
use crate::transport::{RateReduction, Tcp};

/// What the estimate remembers.
#[derive(Clone, Debug)]
pub(super) struct PipeEstimate {
    mss: u32,
    has_sack: bool,
    has_rescue: bool,
    rate_reduction: RateReduction,
    /// The first repair goes whatever the window (RFC 6675 §5 step 4.3).
    repairs_at_once: bool,
    presumed: PresumedArrived,
    reduction: Reduction,
    /// RescueRxt (RFC 6675 §2): a rescue retransmission waits until more than this is acknowledged.
    rescue_after: u64,
}

impl PipeEstimate {
    pub(super) fn new(config: &Tcp, is_controls_own: bool) -> Self {
        let mss = u32::try_from(config.mss.count()).expect("a segment is shorter than 2^32 bytes");
        Self {
            mss,
            has_sack: config.sack,
            has_rescue: config.rules.sack_rescue,
            rate_reduction: config.rules.prr,
            repairs_at_once: config.rules.prr == RateReduction::Off && !is_controls_own,
            presumed: PresumedArrived::default(),
            reduction: Reduction::new(config.rules.prr, mss),
            rescue_after: 0,
        }
    }

    /// A segment was sent during a recovery.
    #[inline]
    pub(super) const fn on_sent(&mut self, length: u32) {
        self.reduction.on_sent(length);
    }

    pub(super) const fn forget_presumed(&mut self) {
        self.presumed.forget();
    }

    /// Linux without SACK stays in recovery until more than its point is acknowledged, and repairs nothing meanwhile.
    fn is_held_at_point(&self, is_at_point: bool) -> bool {
        self.rate_reduction == RateReduction::Linux && !self.has_sack && is_at_point
    }
}

impl Recovery {
    /// "pipe" of RFC 6675 §4: what is in flight.
    #[inline]
    pub(in crate::transport) fn pipe(&self, scoreboard: &Scoreboard) -> u64 {
        scoreboard.flight().count().saturating_sub(self.pipe.presumed.bytes(self.pipe.mss))
    }

    /// DeliveredData of RFC 9937 §6.2: what `ack` shows to have arrived.
    pub(in crate::transport) fn count_delivered(&mut self, ack: &AckSummary, scoreboard: &Scoreboard) -> Sum {
        let mss = self.pipe.mss;
        if self.pipe.has_sack {
            return ack.delivered;
        }
        if ack.is_new() {
            let acked = Sum { segments: u64::from(ack.acked_segments), bytes: ack.acked().count() };
            let delivered = self.pipe.presumed.on_ack(acked, mss);
            if !self.is_active() {
                self.pipe.presumed.forget();
            }
            return delivered;
        }
        // What go-back-N sends twice makes duplicate ACKs that show nothing; those of new data, sent after a timeout to
        // see whether it was spurious, show its arrival (Linux, `tcp_process_loss`).
        let is_of_new_data =
            self.pipe.rate_reduction == RateReduction::Linux && self.has_new_data_out(scoreboard.end());
        let shows_arrival = self.phase != Phase::Loss || is_of_new_data;
        if ack.is_duplicate && shows_arrival && !self.is_held(scoreboard) {
            return self.pipe.presumed.on_duplicate_ack(scoreboard, mss);
        }
        Sum::default()
    }

    /// True when, in the recovery from a timeout, new data has been sent since.
    fn has_new_data_out(&self, sent_end: u64) -> bool {
        self.phase == Phase::Loss && sent_end > self.loss_end
    }

    fn is_held(&self, scoreboard: &Scoreboard) -> bool {
        self.pipe.is_held_at_point(self.is_active() && scoreboard.start() == self.point())
    }

    /// RFC 6675 §5 step A and §5.1: an ACK of new data up to `number` ends a recovery when it covers everything sent before the
    /// loss was noticed; true if it does.
    pub(in crate::transport) fn leave_finished(&mut self, number: u64, scoreboard: &Scoreboard) -> bool {
        if !self.is_active() {
            self.on_ack(number);
            return false;
        }
        if !self.is_full(number) {
            return false;
        }
        self.pipe.presumed.forget();
        let leaves = !self.is_held(scoreboard);
        if leaves {
            self.leave();
        }
        leaves
    }

    /// Marks what `ack` shows to be lost, by duplicates and by what lies above it.
    pub(in crate::transport) fn mark_losses(&self, scoreboard: &mut Scoreboard, ack: &AckSummary) {
        if self.phase == Phase::Loss || scoreboard.is_empty() || self.is_held(scoreboard) {
            return;
        }
        let may_begin = self.may_begin(scoreboard.start());
        let shows_first = match self.phase {
            Phase::Open => self.duplicates >= self.guards.threshold && may_begin,
            // RFC 6582 §3.2 step 3: a partial ACK shows the next hole.
            _ => !self.pipe.has_sack && ack.is_new(),
        };
        if shows_first {
            scoreboard.mark_original_lost(0);
        }
        if self.pipe.has_sack && may_begin {
            sack::mark_lost(scoreboard, self.guards.threshold, self.pipe.mss);
        }
    }

    /// RFC 6675 §5.1: not before everything sent by the last loss is acknowledged; without SACK, RFC 6582 §3.2 step 2, more
    /// than that.
    fn may_begin(&self, number: u64) -> bool {
        self.is_active() || if self.pipe.has_sack { self.is_full(number) } else { self.is_beyond_point(number) }
    }

    /// RFC 6675 §5 step 4: `ack` begins a recovery from `window`.
    pub(in crate::transport) fn begin_by_pipe(&mut self, scoreboard: &Scoreboard, ack: &AckSummary, window: f64) {
        self.begin(scoreboard.end());
        let pipe = &mut self.pipe;
        // RFC 9937 §6.1: what had arrived before this ACK will not count as delivered.
        let arrived = scoreboard.sacked().bytes + pipe.presumed.bytes(pipe.mss);
        let arrived_now = ack.sacked.bytes + if pipe.has_sack { 0 } else { u64::from(pipe.mss) };
        let outstanding = scoreboard.outstanding().count() + ack.acked().count();
        pipe.reduction.begin(window, outstanding.saturating_sub(arrived.saturating_sub(arrived_now)));
        // RFC 6675 §5 step 4.3, and no rescue comes before the first segment is acknowledged.
        pipe.rescue_after = scoreboard.oldest().map_or(0, |sent| sent.end());
        self.resend_oldest = pipe.repairs_at_once;
    }

    /// cwnd after an ACK that delivered this much during a recovery, if its rate is reduced (RFC 9937 §6.2).
    pub(in crate::transport) fn reduced_window(
        &mut self,
        delivered: Sum,
        scoreboard: &Scoreboard,
        slow_start_threshold: f64,
        is_safe: bool,
    ) -> Option<f64> {
        if self.pipe.rate_reduction == RateReduction::Off || delivered.bytes == 0 {
            return None;
        }
        let progress = Progress { delivered, pipe: self.pipe(scoreboard), slow_start_threshold, is_safe };
        Some(self.pipe.reduction.window(&progress))
    }

    /// RFC 6675 §4 NextSeg rule 4: the segment that is sent again to keep ACKs coming, once a recovery.
    pub(in crate::transport) fn next_rescue(&mut self, scoreboard: &Scoreboard) -> Option<usize> {
        if !self.pipe.has_rescue || scoreboard.start() <= self.pipe.rescue_after {
            return None;
        }
        self.pipe.rescue_after = self.point();
        sack::highest_unsacked(scoreboard)
    }
}

/// Without SACK: segments that duplicate ACKs stand for, above the oldest one. Which they are is not known.
#[derive(Clone, Copy, Debug, Default)]
struct PresumedArrived {
    segments: u32,
}

impl PresumedArrived {
    /// How many of them, in bytes if all are full.
    #[inline]
    fn bytes(self, mss: u32) -> u64 {
        u64::from(self.segments) * u64::from(mss)
    }

    const fn forget(&mut self) {
        self.segments = 0;
    }

    /// RFC 9937 §6.2: a duplicate ACK delivers one segment; there are never more than can have arrived.
    fn on_duplicate_ack(&mut self, scoreboard: &Scoreboard, mss: u32) -> Sum {
        let missing = scoreboard.lost().segments.max(1);
        if u64::from(self.segments) + missing >= scoreboard.len() as u64 {
            return Sum::default();
        }
        self.segments += 1;
        Sum { segments: 1, bytes: u64::from(mss) }
    }

    /// RFC 9937 §6.2: an ACK of `acked` delivers what no duplicate ACK stood for, and at least the segment that was
    /// missing.
    fn on_ack(&mut self, acked: Sum, mss: u32) -> Sum {
        let segments = acked.segments.saturating_sub(u64::from(self.segments)).max(1);
        let bytes = acked.bytes.saturating_sub(self.bytes(mss)).max(acked.bytes.min(u64::from(mss)));
        let others = u32::try_from(acked.segments.saturating_sub(1)).unwrap_or(u32::MAX);
        self.segments = self.segments.saturating_sub(others);
        Sum { segments, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Rules, Stamp};
    use crate::types::Time;

    const MSS: u64 = 1460;

    fn segments(count: u64) -> Scoreboard {
        let mut scoreboard = Scoreboard::default();
        for _ in 0..count {
            scoreboard.send_new(MSS as u32, Time::ZERO, Stamp::NONE);
        }
        scoreboard
    }

    fn recovery(sack: bool, prr: RateReduction) -> Recovery {
        Recovery::new(
            &Tcp { sack, rules: Rules { prr, sack_rescue: true, ..Rules::default() }, ..Tcp::default() },
            false,
        )
    }

    fn duplicate() -> AckSummary {
        AckSummary { is_duplicate: true, ..AckSummary::new(Time::ZERO, 0, 0, None) }
    }

    #[test]
    fn without_sack_each_duplicate_ack_takes_a_segment_off_pipe_but_never_the_missing_one() {
        let (mut recovery, scoreboard) = (recovery(false, RateReduction::Proportional), segments(3));
        let mut pipes = Vec::new();
        for _ in 0..4 {
            recovery.count_delivered(&duplicate(), &scoreboard);
            pipes.push(recovery.pipe(&scoreboard) / MSS);
        }
        assert_eq!(pipes, [2, 1, 1, 1]);
    }

    #[test]
    fn without_sack_linux_stays_in_recovery_at_its_point() {
        for (prr, leaves) in [(RateReduction::Linux, false), (RateReduction::Proportional, true)] {
            let (mut recovery, mut scoreboard) = (recovery(false, prr), segments(4));
            recovery.begin_by_pipe(&scoreboard, &duplicate(), 1e6);
            scoreboard.remove_below(4 * MSS, |_, _| {});
            assert_eq!(recovery.leave_finished(4 * MSS, &scoreboard), leaves);
        }
    }

    #[test]
    fn one_rescue_a_recovery_and_none_before_the_first_segment_is_acknowledged() {
        let (mut recovery, mut scoreboard) = (recovery(true, RateReduction::Off), segments(4));
        recovery.begin_by_pipe(&scoreboard, &duplicate(), 1e6);
        assert!(recovery.is_resend_due());
        assert_eq!(recovery.next_rescue(&scoreboard), None);
        scoreboard.remove_below(2 * MSS, |_, _| {});
        assert_eq!(recovery.next_rescue(&scoreboard), Some(1));
        assert_eq!(recovery.next_rescue(&scoreboard), None);
    }
}
