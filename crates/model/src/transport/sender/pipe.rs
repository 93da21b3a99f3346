//! What an ACK does when recovery estimates "pipe": with SACK by RFC 6675 and, with or without, PRR (RFC 9937).
//!
//! Without SACK each duplicate ACK counts as a segment that arrived (RFC 9937 §6.2), and partial ACKs show the next hole as in
//! NewReno; Linux does so.
//!
//! RFC 6675 begins a recovery with a duplicate ACK. Here the ACK that ends one begins the next if what it leaves is known to
//! be lost, and what the former has sent again is not sent once more.

use super::Sender;
use crate::transport::Ack;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::CongestionControl;
use crate::transport::recovery::{Phase, Progress, sack};
use crate::transport::rtt::Estimator;
use crate::transport::scoreboard::Sum;
use crate::transport::words::RateReduction;
use crate::types::Time;

impl Sender {
    /// "pipe" of RFC 6675 §4: what is in flight.
    pub(in crate::transport) fn pipe(&self) -> u64 {
        self.scoreboard.flight().count().saturating_sub(self.presumed.bytes(self.mss))
    }

    pub(super) fn on_ack_by_pipe(&mut self, ack: &Ack, summary: &mut AckSummary) {
        if self.config.sack {
            if ack.has_sack() {
                summary.duplicate_block = ack.duplicate_block().unwrap_or(0..0);
                self.scoreboard.on_sack(ack.sack(), summary);
            }
            // RFC 6675 §2: a duplicate ACK is one that reports data newly SACKed.
            summary.is_duplicate = summary.sacked.segments > 0;
        }
        let ack = &*summary;
        self.tell_arrival(ack);
        self.measure_round_trip(ack);
        let is_settled = self.check_spurious(ack);
        let delivered = self.count_delivered(ack);
        let was_recovering = self.recovery.is_active();
        let was_open = self.recovery.phase() == Phase::Open;
        self.leave_finished_phase(ack);
        if !was_open && self.recovery.phase() == Phase::Open {
            self.rack.on_recovered();
        }
        let losses = self.scoreboard.losses();
        let waits = self.detect_losses(ack);
        let is_safe = ack.is_new() && self.scoreboard.losses() == losses;
        if self.scoreboard.lost().segments > 0 && self.recovery.phase() == Phase::Open {
            self.begin_recovery(ack);
        }
        let has_just_left = was_recovering && !self.recovery.is_active();
        if !is_settled {
            self.move_window(ack, delivered, is_safe, has_just_left);
        }
        if !waits {
            self.update_timer(ack.now, ack.is_new() || self.restarts_timer_by_sack(ack));
        }
    }

    /// Linux: an ACK that only SACKs restarts the timer if what it SACKs was sent before the oldest segment was sent again
    /// (`tcp_clean_rtx_queue`): the oldest has the whole timeout before it.
    fn restarts_timer_by_sack(&self, ack: &AckSummary) -> bool {
        self.config.rto.estimator == Estimator::Linux
            && ack.first_sacked_at != Time::NEVER
            && self.scoreboard.oldest().is_some_and(|oldest| oldest.sent_at > ack.first_sacked_at)
    }

    /// DeliveredData of RFC 9937 §6.2.
    fn count_delivered(&mut self, ack: &AckSummary) -> Sum {
        if self.config.sack {
            return ack.delivered;
        }
        if ack.is_new() {
            let acked = Sum { segments: u64::from(ack.acked_segments), bytes: ack.acked().count() };
            let delivered = self.presumed.on_ack(acked, self.mss);
            if !self.recovery.is_active() {
                self.presumed.forget();
            }
            return delivered;
        }
        // What go-back-N sends twice makes duplicate ACKs that show nothing; those of new data, sent after a timeout to
        // see whether it was spurious, show its arrival (Linux, `tcp_process_loss`).
        let is_of_new_data =
            self.config.rules.prr == RateReduction::Linux && self.recovery.has_new_data_out(self.scoreboard.end());
        let shows_arrival = self.recovery.phase() != Phase::Loss || is_of_new_data;
        if ack.is_duplicate && shows_arrival && !self.is_held_at_point() {
            return self.presumed.on_duplicate_ack(&self.scoreboard, self.mss);
        }
        Sum::default()
    }

    /// RFC 6675 §5 step A and §5.1: an ACK of everything sent before the loss was noticed ends what it began.
    fn leave_finished_phase(&mut self, ack: &AckSummary) {
        if !ack.is_new() {
            return;
        }
        if !self.recovery.is_active() {
            self.recovery.on_ack(ack.number);
        } else if self.recovery.is_full(ack.number) {
            self.presumed.forget();
            if self.is_held_at_point() {
                return;
            }
            self.recovery.leave();
            if self.config.rules.prr != RateReduction::Off {
                self.control.set_window(self.control.slow_start_threshold()); // RFC 9937 §6.4
            }
            self.control.on_recovered();
        }
    }

    /// Linux without SACK stays in recovery until more than its point is acknowledged, and repairs nothing meanwhile.
    fn is_held_at_point(&self) -> bool {
        let is_linux = self.config.rules.prr == RateReduction::Linux && !self.config.sack;
        is_linux && self.recovery.is_active() && self.scoreboard.start() == self.recovery.point()
    }

    /// Marks what this ACK shows to be lost; true if it may show more by waiting.
    pub(super) fn detect_losses(&mut self, ack: &AckSummary) -> bool {
        let phase = self.recovery.phase();
        if ack.is_duplicate && phase == Phase::Open {
            self.recovery.count_duplicate();
        }
        if self.config.rules.rack && self.config.sack {
            return self.detect_by_time(ack);
        }
        if phase == Phase::Loss || self.scoreboard.is_empty() || self.is_held_at_point() {
            return false;
        }
        let shows_first = match phase {
            Phase::Open => self.recovery.has_enough_duplicates() && self.may_begin_recovery(),
            // RFC 6582 §3.2 step 3: a partial ACK shows the next hole.
            _ => !self.config.sack && ack.is_new(),
        };
        if shows_first {
            self.scoreboard.mark_original_lost(0);
        }
        if self.config.sack && self.may_begin_recovery() {
            sack::mark_lost(&mut self.scoreboard, self.config.duplicate_ack_threshold, self.mss);
        }
        false
    }

    /// RFC 6675 §5.1: not before everything sent by the last loss is acknowledged; without SACK, RFC 6582 §3.2 step 2, more
    /// than that.
    fn may_begin_recovery(&self) -> bool {
        let number = self.scoreboard.start();
        self.recovery.is_active()
            || if self.config.sack { self.recovery.is_full(number) } else { self.recovery.is_beyond_point(number) }
    }

    /// RFC 6675 §5 step 4.
    pub(super) fn begin_recovery(&mut self, ack: &AckSummary) {
        self.statistics.fast_retransmits += 1;
        self.note_onset(false);
        self.probe.forget();
        let window = self.control.window();
        self.control.on_loss(&self.loss_event(ack.now, false));
        self.round_trips.on_loss();
        if self.has_no_fast_recovery() {
            self.start_over(ack.now);
            return;
        }
        self.recovery.begin(self.scoreboard.end());
        // RFC 9937 §6.1: what had arrived before this ACK will not count as delivered.
        let arrived = self.scoreboard.sacked().bytes + self.presumed.bytes(self.mss);
        let arrived_now = ack.sacked.bytes + if self.config.sack { 0 } else { u64::from(self.mss) };
        let outstanding = self.scoreboard.outstanding().count() + ack.acked().count();
        self.reduction.begin(window, outstanding.saturating_sub(arrived.saturating_sub(arrived_now)));
        // RFC 6675 §5 step 4.3: the first segment goes whatever the window, and no rescue comes before it is acknowledged.
        self.rescue_after = self.scoreboard.oldest().map_or(0, |sent| sent.end());
        self.resend_oldest = self.config.rules.prr == RateReduction::Off;
    }

    pub(super) fn move_window(&mut self, ack: &AckSummary, delivered: Sum, is_safe: bool, has_just_left: bool) {
        if self.recovery.is_active() {
            if self.config.rules.prr != RateReduction::Off && delivered.bytes > 0 {
                let slow_start_threshold = self.control.slow_start_threshold();
                let progress = Progress { delivered, pipe: self.pipe(), slow_start_threshold, is_safe };
                self.control.set_window(self.reduction.window(&progress));
            }
        } else if ack.is_new() && (!has_just_left || self.config.rules.prr == RateReduction::Linux) {
            // Linux's form lets the ACK that ends a recovery already open the window.
            let segments = u32::try_from(delivered.segments).unwrap_or(u32::MAX);
            self.control.on_ack(&self.ack_event(ack, segments));
        }
    }
}
