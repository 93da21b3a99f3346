//! What an ACK does: the way all take, and fast recovery by inflation of the window (RFC 5681, RFC 6582).

use crate::types::{Bytes, Time};

use super::Sender;
use super::round_trips::{exact_round_trip, newest_round_trip};
use crate::transport::Ack;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::{AckEvent, Algorithm, Arrival, CongestionControl, RecoveryStep};
use crate::transport::recovery::{DuplicateAck, Phase};
use crate::transport::timer::Alarm;

impl Sender {
    /// Takes in an ACK that arrived at `now`.
    pub fn handle_packet(&mut self, now: Time, ack: &Ack) {
        self.statistics.acks_received += 1;
        let start = self.scoreboard.start();
        // RFC 9293 §3.10.7.4: an ACK of data never sent changes nothing.
        if ack.number > self.scoreboard.end() {
            return;
        }
        if self.config.timestamps {
            self.recent_time = self.recent_time.max(ack.timestamp);
        }
        if ack.number < start {
            self.on_old_ack(now, ack);
            return;
        }
        let same_window = self.window.on_ack(ack.window);
        if !self.handshake.is_open() {
            self.on_answer_to_syn(now, ack);
            return;
        }
        if self.timer.is_armed_for(Alarm::Persist) {
            self.on_ack_of_window_probe(now);
        } else if ack.number > start && self.is_plain() {
            self.on_plain_ack(now, ack.number);
            return;
        }
        self.on_any_ack(now, ack, same_window);
    }

    /// The answer to the SYN opens the connection.
    #[inline(never)]
    fn on_answer_to_syn(&mut self, now: Time, ack: &Ack) {
        let echo = possible_echo(now, ack).filter(|_| self.config.timestamps);
        let Some(answer) = self.handshake.on_answer(echo) else {
            return;
        };
        self.burst_left = self.whole_burst();
        self.timer.stop();
        self.round_trips.on_handshake(now, answer.sent_at);
        if let Some(sent_at) = answer.sent_at {
            self.rack.on_handshake(now.since(sent_at));
            self.probe.on_sample();
        }
        if let Some(window) = answer.window_after_loss(&self.config) {
            self.control.set_window(window);
        }
    }

    /// The general path.
    #[inline(never)]
    fn on_any_ack(&mut self, now: Time, ack: &Ack, same_window: bool) {
        let start = self.scoreboard.start();
        let mut summary = AckSummary::new(now, ack.number, start, possible_echo(now, ack));
        if self.config.rules.rack {
            summary.least_rtt = self.rack.least_rtt();
        }
        if ack.number > start {
            self.scoreboard.acknowledge(&mut summary);
            self.limited_bytes = 0;
            // What was about to be sent again has arrived; what is oldest now had no say yet.
            self.resend_oldest = false;
            self.probe_is_due = false;
            if self.window_use.is_observed() {
                self.note_window_use(&summary);
            }
        } else {
            summary.is_repetition = same_window;
            summary.is_duplicate = same_window && !self.scoreboard.is_empty();
            self.statistics.duplicate_acks += u64::from(summary.is_duplicate);
            self.answers_duplicate = summary.is_duplicate;
        }
        let was_recovering = self.recovery.is_active();
        if self.counter.is_on() || !self.uses_pipe {
            self.tell_arrival(&summary);
        }
        if self.counter.is_on() {
            self.on_ack_by_counter(ack, &summary);
        } else if self.uses_pipe {
            self.on_ack_by_pipe(ack, &mut summary);
        } else if summary.is_new() {
            self.on_new_ack(&summary);
        } else if summary.is_duplicate {
            self.check_spurious(&summary);
            self.on_duplicate_ack(now);
        }
        self.renew_burst(summary.is_duplicate, was_recovering);
        if let Some(clamp) = &mut self.clamp {
            clamp.on_ack(&summary, ack.price.into(), self.window.bytes());
        }
    }

    #[inline]
    fn on_new_ack(&mut self, ack: &AckSummary) {
        let is_full = self.recovery.is_full(ack.number);
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
        if !self.resend_oldest {
            self.control.on_recovered();
        }
        if self.config.rules.growth_at_recovery_end && !self.resend_oldest {
            self.control.on_ack(&self.ack_event(ack, ack.acked_segments));
        }
        if !self.resend_oldest {
            self.fast_recovery.settle(&mut self.control);
        }
        self.recovery.on_recovery_ack(step)
    }

    /// What congestion control hears of any ACK, if it listens.
    #[inline]
    pub(super) fn tell_arrival(&mut self, ack: &AckSummary) {
        if self.config.congestion_control.hears_every_ack() {
            let (acked, is_duplicate) = (ack.acked(), ack.is_duplicate);
            self.control.on_arrival(&Arrival { now: ack.now, acked, is_duplicate, rtt: newest_round_trip(ack) });
        }
    }

    /// What congestion control hears of `ack`, which shows `segments` to have arrived.
    #[inline]
    pub(super) fn ack_event(&self, ack: &AckSummary, segments: u32) -> AckEvent {
        AckEvent {
            now: ack.now,
            number: ack.number,
            sent_end: self.scoreboard.end(),
            acked: ack.acked(),
            acked_segments: segments,
            flight: Bytes::new(self.pipe()),
            rtt: exact_round_trip(ack),
            newest_rtt: newest_round_trip(ack),
            srtt: self.round_trips.srtt(),
            is_window_limited: self.window_use.may_grow(self.windows(), || Bytes::new(self.pipe()) + ack.acked()),
        }
    }

    /// An ACK moved SND.UNA: how much of the window was used?
    fn note_window_use(&mut self, ack: &AckSummary) {
        let (end, windows, srtt) = (self.scoreboard.end(), self.windows(), self.round_trips.srtt());
        if self.recovery.phase() != Phase::Open {
            self.window_use.restart(ack.now, ack.number, end);
        } else if let Some(event) = self.window_use.on_ack(ack.now, ack.number, end, srtt, windows) {
            self.control.on_idle(&event);
        }
    }

    /// Measures the round trip that `ack` shows.
    #[inline]
    pub(super) fn measure_round_trip(&mut self, ack: &AckSummary) {
        let is_partial = self.recovery.is_active() && !self.recovery.is_full(ack.number);
        if let Some(sent_at) = self.round_trips.on_ack(ack, self.scoreboard.end(), is_partial) {
            self.on_sample(ack, sent_at);
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
                let loss = self.loss_event(now, false);
                let base = self.control.window().min(loss.receiver_window.count() as f64);
                self.control.on_loss(&loss);
                self.round_trips.on_loss();
                if self.has_no_fast_recovery() {
                    self.start_over(now);
                } else {
                    self.fast_recovery.begin(&mut self.control, base);
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
        if self.config.rules.restart_timer_on_retransmission {
            self.restart_timer(now);
        }
    }
}

/// The time echoed, unless this sender cannot have sent it yet: then it echoes nothing (RFC 7323 §3.2).
#[inline]
pub(super) fn possible_echo(now: Time, ack: &Ack) -> Option<Time> {
    ack.echo.filter(|echo| *echo <= now)
}
