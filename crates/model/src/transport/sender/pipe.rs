//! What an ACK does when recovery estimates "pipe": with SACK by RFC 6675 and, with or without, PRR (RFC 9937).

use super::Sender;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::CongestionControl;
use crate::transport::recovery::Phase;
use crate::transport::rtt::Estimator;
use crate::transport::sent::Sum;
use crate::transport::{RateReduction, Segment};
use crate::types::Time;

impl Sender {
    pub(super) fn on_ack_by_pipe(&mut self, ack: &Segment, summary: &mut AckSummary) {
        if self.config.sack {
            if ack.has_sack() {
                summary.duplicate_block = ack.duplicate_block().unwrap_or(0..0);
                self.scoreboard.on_sack(ack.sack(), summary);
            }
            // RFC 6675 §2: a duplicate ACK is one that reports data newly SACKed.
            summary.is_duplicate = summary.sacked.segments > 0;
        }
        let ack = &*summary;
        self.report_arrival(ack);
        self.measure_round_trip(ack);
        let is_settled = self.check_spurious(ack);
        let delivered = self.recovery.count_delivered(ack, &self.scoreboard);
        self.note_delivered(ack, delivered);
        let was_recovering = self.recovery.is_active();
        self.leave_finished_phase(ack);
        let losses = self.scoreboard.losses();
        let waits = self.detect_losses(ack);
        let is_safe = ack.is_new() && self.scoreboard.losses() == losses;
        if self.scoreboard.lost().segments > 0 && self.recovery.phase() == Phase::Open {
            self.begin_recovery(ack);
        }
        let has_just_left = was_recovering && !self.recovery.is_active();
        if !is_settled || self.needs.own_recovery {
            self.move_window(ack, delivered, is_safe, has_just_left);
        }
        if !waits {
            self.update_timer(ack.now, ack.is_new() || self.restarts_timer_by_sack(ack));
        }
    }

    /// An ACK below SND.UNA. A recovery may begin. Linux then leaves cwnd to the next ACK; RFC 9937 counts the data that this
    /// ACK delivers.
    pub(super) fn on_old_ack_by_pipe(&mut self, ack: &Segment, mut summary: AckSummary) {
        summary.duplicate_block = ack.duplicate_block().unwrap_or(0..0);
        self.scoreboard.on_sack(ack.sack(), &mut summary);
        summary.is_duplicate = summary.sacked.segments > 0;
        self.note_delivered(&summary, summary.delivered);
        self.check_spurious(&summary);
        // Only an ACK in order widens RACK's window by a DSACK.
        summary.duplicate_block = 0..0;
        self.detect_losses(&summary);
        let window = self.control.window();
        if self.scoreboard.lost().segments > 0 && self.recovery.phase() == Phase::Open {
            self.begin_recovery(&summary);
        }
        if self.config.rules.prr == RateReduction::Linux && !self.needs.own_recovery {
            self.control.set_window(window);
        } else {
            self.move_window(&summary, summary.delivered, false, false);
        }
    }

    /// Linux: an ACK that only SACKs restarts the timer if what it SACKs was sent before the oldest segment was sent again
    /// (`tcp_clean_rtx_queue`): the oldest then gets a whole timeout.
    fn restarts_timer_by_sack(&self, ack: &AckSummary) -> bool {
        self.config.rto.estimator == Estimator::Linux
            && ack.first_sacked_at != Time::NEVER
            && self.scoreboard.oldest().is_some_and(|oldest| oldest.sent_at > ack.first_sacked_at)
    }

    fn leave_finished_phase(&mut self, ack: &AckSummary) {
        if !ack.is_new() {
            return;
        }
        let was_open = self.recovery.phase() == Phase::Open;
        if self.recovery.leave_finished(ack.number, &self.scoreboard) {
            if self.config.rules.prr != RateReduction::Off {
                self.set_window(self.control.slow_start_threshold()); // RFC 9937 §6.4
            }
            self.control.on_recovered();
        }
        if !was_open && self.recovery.phase() == Phase::Open {
            self.rack.on_recovered();
        }
    }

    /// Marks what this ACK shows to be lost. Returns true if the timer now waits for late segments.
    fn detect_losses(&mut self, ack: &AckSummary) -> bool {
        if ack.is_duplicate {
            self.recovery.count_duplicate();
        }
        if self.config.rules.rack && self.config.sack {
            return self.detect_by_time(ack);
        }
        self.recovery.mark_losses(&mut self.scoreboard, ack);
        self.report_lost(ack.now);
        false
    }

    /// RFC 6675 §5 step 4.
    pub(super) fn begin_recovery(&mut self, ack: &AckSummary) {
        self.statistics.fast_retransmits += 1;
        self.remember_for_undo(false);
        self.probe.forget();
        let window = self.control.window();
        self.control.on_loss(&self.loss_event(ack.now, false));
        self.round_trips.on_loss();
        if self.has_no_fast_recovery() {
            self.start_over(ack.now);
        } else {
            self.recovery.begin_by_pipe(&self.scoreboard, ack, window);
        }
    }

    pub(super) fn move_window(&mut self, ack: &AckSummary, delivered: Sum, is_safe: bool, has_just_left: bool) {
        if self.needs.own_recovery {
            self.control.on_ack(&self.ack_event(ack, delivered));
        } else if self.recovery.is_active() {
            let threshold = self.control.slow_start_threshold();
            if let Some(window) = self.recovery.reduced_window(delivered, &self.scoreboard, threshold, is_safe) {
                self.control.set_window(window);
            }
        } else if ack.is_new() && (!has_just_left || self.config.rules.prr == RateReduction::Linux) {
            // In Linux the ACK that ends a recovery opens the window, too.
            self.control.on_ack(&self.ack_event(ack, delivered));
        }
    }
}
