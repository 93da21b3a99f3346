//! What an ACK does: the general path, recovery by inflation of the window (RFC 5681, RFC 6582) or by ns-2's counter, ACKs
//! below SND.UNA, and recoveries that prove spurious.

use crate::types::{Bytes, Time};

use super::Sender;
use super::round_trips::{exact_round_trip, newest_round_trip};
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::{AckEvent, Arrival, CongestionControl, RecoveryStep, Repair};
use crate::transport::recovery::{AckContext, DuplicateAck, Ns2Sack1Ack, Phase, SpuriousCandidate, Verdict};
use crate::transport::sent::Sum;
use crate::transport::timer::Alarm;
use crate::transport::words::SpuriousResponse;
use crate::transport::{Acknowledgment, Segment, Stamp};

impl Sender {
    /// Handles an ACK that arrived at `now`.
    pub fn handle_packet(&mut self, now: Time, ack: &Segment) {
        if !self.handle_usual(now, &ack.acknowledgment()) {
            self.handle_any(now, ack);
            self.clear_until = self.clear_after_ack();
            self.is_quiet = self.has_fast_path || (self.is_clear() && self.is_quiet_after_ack());
        }
    }

    /// Handles an ACK that says this, if nothing else is to be asked of it; false: nothing was done, and [`Self::handle_packet`] is
    /// to have it.
    #[inline(always)]
    pub fn handle_usual(&mut self, now: Time, ack: &Acknowledgment) -> bool {
        let is_usual = self.takes_fast_path_for(ack);
        if is_usual {
            self.statistics.acks_received += 1;
            self.window.on_ack(ack.window);
            if self.has_fast_path {
                self.on_ack_of_fast_path::<false>(now, ack);
            } else {
                self.on_watched_ack(now, &{ *ack });
            }
        }
        is_usual
    }

    #[inline(never)]
    fn handle_any(&mut self, now: Time, ack: &Segment) {
        self.clear_until = 0;
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
        }
        self.on_any_ack(now, ack, same_window);
    }

    /// The answer to the SYN opens the connection.
    #[inline(never)]
    fn on_answer_to_syn(&mut self, now: Time, ack: &Segment) {
        let echo = possible_echo(now, ack.echo).filter(|_| self.config.timestamps);
        let Some(answer) = self.handshake.on_answer(echo) else {
            return;
        };
        self.agree_on_marks(ack.flags);
        self.burst.renew();
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
    fn on_any_ack(&mut self, now: Time, ack: &Segment, same_window: bool) {
        self.begin_rate_sample();
        let mut summary = self.summary(now, ack.number, possible_echo(now, ack.echo));
        summary.marked = self.marks.newly_reported(ack.marked);
        summary.has_echo_of_mark = ack.flags.ece();
        if summary.is_new() {
            self.scoreboard.acknowledge(&mut summary);
            self.recovery.on_moved();
            self.probe.cancel();
            if self.window_use.is_observed() {
                self.note_window_use(&summary);
            }
        } else {
            // RFC 5681 §2: what carries data, SYN or FIN is no duplicate ACK.
            summary.is_repetition = same_window && ack.is_empty();
            summary.is_duplicate = summary.is_repetition && !self.scoreboard.is_empty();
            self.statistics.duplicate_acks += u64::from(summary.is_duplicate);
            self.recovery.limited.on_old_number(summary.is_duplicate);
        }
        let was_recovering = self.recovery.is_active();
        if self.recovery.is_counted() {
            self.on_ack_by_counter(ack, &summary);
        } else if self.recovery.uses_pipe() {
            self.on_ack_by_pipe(ack, &mut summary);
        } else {
            self.on_ack_by_inflation(&summary);
        }
        self.answer_marks(&summary);
        self.burst.on_ack(&self.recovery, summary.is_duplicate, was_recovering);
        if let Some(clamp) = &mut self.clamp {
            clamp.on_ack(&summary, ack.echoed_mark.into(), self.window.bytes());
        }
    }

    /// A summary of an ACK up to `number`, before the scoreboard has seen it.
    #[inline]
    fn summary(&self, now: Time, number: u64, echo: Option<Time>) -> AckSummary {
        let mut summary = AckSummary::new(now, number, self.scoreboard.start(), echo);
        if self.config.rules.rack {
            summary.least_rtt = self.rack.least_rtt();
        }
        summary
    }

    /// Reports an ACK that moved SND.UNA to the rules about unused windows.
    fn note_window_use(&mut self, ack: &AckSummary) {
        let end = self.scoreboard.end();
        if self.recovery.phase() != Phase::Open {
            self.window_use.restart(ack.now, ack.number, end);
        } else if self.window_use.is_measured() {
            let (windows, srtt) = (self.windows(), self.round_trips.srtt());
            if let Some(event) = self.window_use.on_ack(ack.now, ack.number, end, srtt, windows) {
                self.control.on_idle(&event);
            }
        }
    }

    /// Measures the round trip that `ack` shows.
    #[inline]
    pub(super) fn measure_round_trip(&mut self, ack: &AckSummary) {
        let is_partial = self.recovery.is_partial(ack.number);
        let Some(sent_at) = self.round_trips.on_ack(ack, self.scoreboard.end(), is_partial) else {
            return;
        };
        self.probe.on_sample();
        let spurious = self.spurious.as_mut();
        if let Some((srtt, variance)) = spurious.and_then(|it| it.undo.on_sample(ack.number, ack.now.since(sent_at))) {
            self.round_trips.estimator.set_smoothed(srtt, variance);
        }
    }

    /// Reports any ACK to a congestion control that needs every one.
    #[inline]
    pub(super) fn report_arrival(&mut self, ack: &AckSummary) {
        if self.needs.every_ack {
            let (acked, is_duplicate) = (ack.acked(), ack.is_duplicate);
            self.control.on_arrival(&Arrival { now: ack.now, acked, is_duplicate, rtt: newest_round_trip(ack) });
        }
    }

    /// The event that congestion control receives for `ack`, which shows that so much has arrived.
    #[inline]
    pub(super) fn ack_event(&self, ack: &AckSummary, delivered: Sum) -> AckEvent {
        AckEvent {
            now: ack.now,
            number: ack.number,
            sent_end: self.scoreboard.end(),
            acked: ack.acked(),
            delivered: Bytes::new(delivered.bytes),
            marked: Bytes::new(u64::from(ack.marked)),
            acked_segments: u32::try_from(delivered.segments).unwrap_or(u32::MAX),
            flight: Bytes::new(self.pipe()),
            rtt: exact_round_trip(ack),
            newest_rtt: newest_round_trip(ack),
            srtt: self.round_trips.srtt(),
            is_window_limited: !self.keeps_window_closed(ack)
                && self.window_use.may_grow(self.windows(), || Bytes::new(self.pipe()) + ack.acked()),
            rate: self.delivery.as_ref().map(|delivery| delivery.sample()),
        }
    }
}

/// Recovery by inflation of the window.
impl Sender {
    fn on_ack_by_inflation(&mut self, ack: &AckSummary) {
        self.report_arrival(ack);
        self.note_delivered(ack, ack.delivered);
        if ack.is_new() {
            self.on_new_ack(ack);
        } else if ack.is_duplicate {
            self.check_spurious(ack);
            self.on_duplicate_ack(ack.now);
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
                self.control.on_ack(&self.ack_event(ack, ack.covered()));
            }
            true
        };
        self.update_timer(ack.now, restart_timer);
    }

    /// Returns whether the timer restarts.
    fn on_recovery_ack(&mut self, ack: &AckSummary, is_full: bool) -> bool {
        let flight = self.scoreboard.flight();
        let step = self.recovery.inflation.on_ack(&mut self.control, ack.acked(), flight, is_full);
        if step != RecoveryStep::Retransmit {
            self.control.on_recovered();
            if self.config.rules.growth_at_recovery_end {
                self.control.on_ack(&self.ack_event(ack, ack.covered()));
            }
            self.recovery.inflation.settle(&mut self.control);
        }
        self.recovery.on_recovery_ack(step)
    }

    fn on_duplicate_ack(&mut self, now: Time) {
        match self.recovery.on_duplicate_ack(self.scoreboard.start(), self.scoreboard.end()) {
            DuplicateAck::Noted => {}
            DuplicateAck::InRecovery => self.recovery.inflation.on_duplicate_ack(&mut self.control),
            DuplicateAck::ShowsLoss => {
                self.statistics.fast_retransmits += 1;
                self.remember_for_undo(false);
                let loss = self.loss_event(now, false);
                let base = self.control.window().min(loss.receiver_window.count() as f64);
                self.control.on_loss(&loss);
                self.round_trips.on_loss();
                if self.has_no_fast_recovery() {
                    self.start_over(now);
                } else {
                    self.recovery.inflation.begin(&mut self.control, base);
                    self.recovery.resend_oldest();
                }
            }
        }
    }

    /// Tahoe: after a fast retransmit it slow starts from the oldest segment, as after a timeout.
    pub(super) fn has_no_fast_recovery(&self) -> bool {
        self.config.congestion_control.repair() == Repair::StartOver && !self.needs.own_recovery
    }

    /// Retransmits from the oldest segment on, without a timeout.
    pub(super) fn start_over(&mut self, now: Time) {
        self.recovery.start_over(self.scoreboard.end());
        if self.give_up_outstanding(now) {
            self.make_room_for_oldest();
        }
        if self.config.rules.restart_timer_on_retransmission {
            self.restart_timer(now);
        }
    }
}

/// Recovery by ns-2's counter, and ACKs below SND.UNA.
impl Sender {
    fn on_ack_by_counter(&mut self, ack: &Segment, summary: &AckSummary) {
        self.report_arrival(summary);
        self.note_delivered(summary, summary.delivered);
        match self.recovery.on_ack_by_counter(&self.scoreboard, summary, ack.sack()) {
            Ns2Sack1Ack::Counted => {}
            Ns2Sack1Ack::NewData => {
                self.measure_round_trip(summary);
                self.control.on_ack(&self.ack_event(summary, summary.covered()));
                self.update_timer(summary.now, true);
            }
            Ns2Sack1Ack::ShowsLoss => {
                self.statistics.fast_retransmits += 1;
                self.control.on_loss(&self.loss_event(summary.now, false));
                self.round_trips.on_loss();
                // Only the first repair restarts the timer; later ones do not.
                if self.config.rules.restart_timer_on_retransmission {
                    self.restart_timer(summary.now);
                }
            }
            Ns2Sack1Ack::Partial => {
                self.update_timer(summary.now, true);
                self.round_trips.estimator.end_back_off();
            }
            Ns2Sack1Ack::Complete => {
                self.measure_round_trip(summary);
                self.control.on_recovered();
                self.update_timer(summary.now, true);
            }
        }
    }

    /// An ACK below SND.UNA, overtaken by others: its SACK blocks may still be new (RFC 6675 §5: the blocks of any ACK count;
    /// Linux, `tcp_ack`: `old_ack`). Its window, echo and number are outdated, so window, handshake, timers and round trips
    /// do not change.
    #[cold]
    fn on_old_ack(&mut self, now: Time, ack: &Segment) {
        if self.burst.is_on() {
            self.burst.on_ack(&self.recovery, false, true); // ns-2, `aggressive_maxburst_`
        }
        if !(self.config.sack && self.config.rules.sack_of_old_acks && ack.has_sack()) {
            return;
        }
        if self.recovery.is_counted() {
            self.recovery.on_old_ack_by_counter(&self.scoreboard, ack.number, ack.sack());
        } else if ack.number.saturating_add(self.window.largest()) >= self.scoreboard.start() {
            // RFC 5961 §5.2: an ACK older than the largest window was not sent by this receiver.
            self.begin_rate_sample();
            let summary = self.summary(now, self.scoreboard.start(), None);
            self.on_old_ack_by_pipe(ack, summary);
        }
    }
}

/// Recoveries that prove spurious.
impl Sender {
    /// Stores the state before a recovery, which may prove spurious. Nothing is reduced yet.
    pub(super) fn remember_for_undo(&mut self, is_timeout: bool) {
        let windows = self.windows();
        let Some(spurious) = &mut self.spurious else {
            return;
        };
        spurious.begin(&SpuriousCandidate {
            windows,
            flight: self.scoreboard.outstanding(),
            start: self.scoreboard.start(),
            resent: self.scoreboard.resent().segments + u64::from(self.probe.has_resent()),
            smoothed: self.round_trips.estimator.smoothed(),
            is_timeout,
        });
    }

    /// True while old segments must not be retransmitted.
    pub(super) fn holds_back(&self) -> bool {
        self.spurious.as_ref().is_some_and(|spurious| spurious.holds_back())
    }

    /// Checks whether `ack` shows that the latest recovery was spurious, and acts on it. Returns true if that has set the
    /// window, so that `ack` does not open it further.
    #[inline]
    pub(super) fn check_spurious(&mut self, ack: &AckSummary) -> bool {
        self.spurious.is_some() && self.follow_verdict(ack)
    }

    fn follow_verdict(&mut self, ack: &AckSummary) -> bool {
        let context = AckContext {
            phase: self.recovery.phase(),
            is_full: self.recovery.is_full(ack.number),
            sent_end: self.scoreboard.end(),
            highest_sacked: self.scoreboard.highest_sacked(),
            resent: self.scoreboard.resent().segments,
        };
        let spurious = self.spurious.as_mut().expect("it is asked for");
        match spurious.on_ack(ack, &context) {
            Verdict::None => {}
            Verdict::SendNew => self.send_new_or_give_in(),
            Verdict::Real { least_segments, most_segments } => {
                let bytes = |segments: u32| f64::from(segments) * f64::from(self.mss);
                let window = self.control.window().max(bytes(least_segments)).min(bytes(most_segments));
                self.set_window(window);
            }
            Verdict::Spurious { nothing_lost } => {
                self.undo(ack, nothing_lost);
                return self.config.rules.spurious_response == SpuriousResponse::Eifel;
            }
        }
        false
    }

    /// RFC 5682 §2.1 step 2b: without new data to send the recovery is the conventional one.
    fn send_new_or_give_in(&mut self) {
        let has_new = self.next_new_length().is_some();
        if let Some(spurious) = self.spurious.as_mut().filter(|_| !has_new) {
            spurious.cannot_send_new();
        }
    }

    fn undo(&mut self, ack: &AckSummary, nothing_lost: bool) {
        self.statistics.undone += 1;
        if nothing_lost {
            self.scoreboard.unmark_lost();
            if self.recovery.is_active() {
                self.rack.on_reordering();
            }
        }
        self.rack.reopen();
        if self.recovery.is_active() && !self.recovery.uses_pipe() {
            self.recovery.inflation.abandon(&mut self.control);
        }
        let (windows, flight) = (self.windows(), self.scoreboard.flight());
        let spurious = self.spurious.as_mut().expect("it has just found this");
        if let Some(windows) = spurious.undo.give_back(windows, flight, ack.acked()) {
            self.control.restore(windows);
        }
        self.recovery.undo();
    }
}

/// The time that an ACK echoes; none if it lies in the future, so that this sender cannot have sent it (RFC 7323 §3.2).
#[inline]
pub(super) fn possible_echo(now: Time, echo: Stamp) -> Option<Time> {
    echo.get().filter(|echo| *echo <= now)
}
