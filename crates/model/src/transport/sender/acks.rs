//! What an ACK does: the way all take, and fast recovery by inflation of the window (RFC 5681, RFC 6582).

use crate::types::{Bytes, Duration, Time};

use super::Sender;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::{AckEvent, Algorithm, CongestionControl, RecoveryStep};
use crate::transport::recovery::DuplicateAck;
use crate::transport::{Acknowledgment, Estimator};

impl Sender {
    /// Takes in an ACK that arrived at `now`.
    pub fn handle_packet(&mut self, now: Time, ack: &Acknowledgment) {
        self.statistics.acks_received += 1;
        let start = self.scoreboard.start();
        // RFC 9293 §3.10.7.4: an ACK of data never sent, or an outdated one, changes nothing.
        if ack.number < start || ack.number > self.scoreboard.end() {
            return;
        }
        let same_window = ack.window == self.receiver_window;
        self.receiver_window = ack.window;
        let mut summary = AckSummary::new(now, ack.number, start, ack.echo);
        if self.config.rack {
            summary.least_rtt = self.rack.least_rtt();
        }
        if ack.number > start {
            self.scoreboard.acknowledge(&mut summary);
            self.limited_bytes = 0;
        } else {
            summary.is_duplicate = same_window && !self.scoreboard.is_empty();
            self.statistics.duplicate_acks += u64::from(summary.is_duplicate);
        }
        self.burst_left = self.config.recovery_burst_segments;
        if self.counter.is_on() {
            self.on_ack_by_counter(ack, &summary);
        } else if self.uses_pipe {
            self.on_ack_by_pipe(ack, summary);
        } else if summary.is_new() {
            self.on_new_ack(&summary);
        } else if summary.is_duplicate {
            self.check_spurious(&summary);
            self.on_duplicate_ack(now);
        }
    }

    fn on_new_ack(&mut self, ack: &AckSummary) {
        let is_full = self.recovery.is_full(ack.number);
        self.resend_oldest = false;
        self.measure_round_trip(ack);
        let is_settled = self.check_spurious(ack);
        let restart_timer = if self.recovery.is_active() {
            self.on_recovery_ack(ack, is_full)
        } else {
            self.recovery.on_ack(ack.number);
            if !is_settled {
                self.control.on_ack(&self.ack_event(ack, ack.acked_segments));
            }
            true
        };
        self.update_timer(ack.now, restart_timer);
    }

    /// True when the timer restarts.
    fn on_recovery_ack(&mut self, ack: &AckSummary, is_full: bool) -> bool {
        let step = self.fast_recovery.on_ack(&mut self.control, ack.acked(), self.scoreboard.flight(), is_full);
        self.resend_oldest = step == RecoveryStep::Retransmit;
        if self.config.growth_at_recovery_end && !self.resend_oldest {
            self.control.on_ack(&self.ack_event(ack, ack.acked_segments));
        }
        self.recovery.on_recovery_ack(step)
    }

    /// What congestion control hears of `ack`, which shows `segments` to have arrived.
    pub(super) fn ack_event(&self, ack: &AckSummary, segments: u32) -> AckEvent {
        let rtt = exact_round_trip(ack);
        AckEvent {
            now: ack.now,
            number: ack.number,
            sent_end: self.scoreboard.end(),
            acked: ack.acked(),
            acked_segments: segments,
            flight: Bytes::new(self.pipe()),
            rtt,
            newest_rtt: rtt.filter(|_| ack.newest.sent_at <= ack.now).map(|_| ack.now.since(ack.newest.sent_at)),
            srtt: self.rto.srtt(),
            is_window_limited: true,
        }
    }

    fn on_duplicate_ack(&mut self, now: Time) {
        let number = self.scoreboard.start();
        match self.recovery.on_duplicate_ack(number, self.scoreboard.end()) {
            DuplicateAck::Noted => {}
            DuplicateAck::InRecovery => self.fast_recovery.on_duplicate_ack(&mut self.control),
            DuplicateAck::ShowsLoss => {
                self.statistics.fast_retransmits += 1;
                self.note_onset(false);
                self.control.on_loss(&self.loss_event(now, false));
                self.stop_timing();
                if self.has_no_fast_recovery() {
                    self.start_over(now);
                } else {
                    self.fast_recovery.begin(&mut self.control);
                    self.resend_oldest = true;
                }
            }
        }
    }

    /// Tahoe: after a fast retransmit it slow starts from the oldest segment, as after a timeout.
    pub(super) fn has_no_fast_recovery(&self) -> bool {
        self.config.congestion_control == Algorithm::Tahoe
    }

    /// Goes back to the oldest segment without the timer.
    pub(super) fn start_over(&mut self, now: Time) {
        self.recovery.start_over(self.scoreboard.end());
        self.give_up_outstanding(now);
        if self.config.restart_timer_on_retransmission {
            self.restart_timer(now);
        }
    }

    /// Keeps the exact round trip and feeds the estimator, as Karn's rule and the sampling switch allow (RFC 6298 §3).
    pub(super) fn measure_round_trip(&mut self, ack: &AckSummary) {
        self.latest_rtt = exact_round_trip(ack).or(self.latest_rtt);
        if self.config.rto.estimator == Estimator::Ns2 {
            self.measure_timed_segment(ack);
            return;
        }
        let karn = self.config.rto.karn;
        if !karn {
            self.rto.end_back_off();
        }
        let timed_sent_at = self.timed.take_if(|timed| ack.number >= timed.end).map(|timed| timed.sent_at);
        let sent_at = if self.config.rto.sample_every_ack { Some(ack.oldest_sent_at) } else { timed_sent_at };
        if let Some(sent_at) = sent_at.filter(|_| !(karn && ack.covers_retransmission)) {
            self.rto.on_sample(sent_at, ack.now);
            self.on_sample(ack, sent_at);
        }
    }

    /// ns-2.35, `TcpAgent::newack` and `NewRenoTcpAgent::partialnewack`: whatever else an ACK covers, the segment being
    /// timed was sent once. A partial ACK of it is no sample, but ends the back-off.
    fn measure_timed_segment(&mut self, ack: &AckSummary) {
        let Some(timed) = self.timed.take_if(|timed| ack.number >= timed.end) else { return };
        let ends_with_any_ack = self.config.congestion_control == Algorithm::Reno;
        if self.recovery.is_active() && !self.recovery.is_full(ack.number) && !ends_with_any_ack {
            self.rto.end_back_off();
        } else {
            self.rto.on_sample(timed.sent_at, ack.now);
        }
    }

    /// With Karn's rule a loss ends the measurement in progress, as in BSD and ns-2: what is being timed may
    /// be sent again or wait behind the hole.
    pub(super) fn stop_timing(&mut self) {
        if self.config.rto.karn {
            self.timed = None;
        }
    }
}

/// The time since the oldest segment newly acknowledged was sent, if nothing newly acknowledged was sent twice.
fn exact_round_trip(ack: &AckSummary) -> Option<Duration> {
    (ack.is_new() && !ack.covers_retransmission).then(|| ack.now.since(ack.oldest_sent_at))
}
