//! The sender's timer and what happens when it rings: retransmission (RFC 6298 §5), loss probe and reordering (RFC 8985).
//!
//! When a probe or a wait for reordered segments gives way to the retransmission timeout, that counts from the moment
//! when the oldest segment was last sent (Linux, `tcp_rearm_rto`): the other two have not moved it.

use crate::types::{Bytes, Duration, Time};

use super::Sender;
use super::sending::Next;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::{CongestionControl, LossEvent};
use crate::transport::recovery::{Evidence, Phase, RackOutcome};
use crate::transport::rtt::Estimator;
use crate::transport::sent::Sum;
use crate::transport::timer::Alarm;
use crate::transport::words::RateReduction;
use crate::transport::{ReductionOf, Segment};

/// RFC 8985 §7.2: PTO without a round trip measured.
const PROBE_TIMEOUT_UNMEASURED: Duration = Duration::from_millis(1000);

impl Sender {
    /// Returns when to call [`Sender::handle_timeout`], if at all. Costs a load.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Time> {
        let timer = self.timer.at();
        let at = if self.wakes_by_timer { timer } else { timer.min(self.pacer.wake()).min(self.wake_of_marks()) };
        (at != Time::NEVER).then_some(at)
    }

    /// Handles the expiry of the timer, if it has expired by `now`.
    pub fn handle_timeout(&mut self, now: Time) {
        self.clear_until = 0;
        self.pacer.on_wake(now);
        if now < self.timer.at() {
            return;
        }
        self.note_app_limit();
        match self.timer.alarm() {
            Alarm::Retransmission if self.handshake.is_opening() => self.on_syn_timeout(now),
            Alarm::Retransmission => self.on_retransmission_timeout(now),
            Alarm::Persist => self.on_persist_timeout(now),
            Alarm::Probe => self.on_probe_timeout(now),
            Alarm::Reordering => self.on_reordering_timeout(now),
        }
    }

    /// True if the retransmission timer, of a SYN or of data, has expired by `now`.
    pub fn is_retransmission_due(&self, now: Time) -> bool {
        self.timer.at() <= now && self.timer.is_armed_for(Alarm::Retransmission)
    }

    /// Restarts an expired retransmission timer with the current RTO and changes nothing else, in place of
    /// [`Sender::handle_timeout`]. For a driver that sees the network; no real sender knows when to do so.
    pub fn hold_timeout(&mut self, now: Time) {
        assert!(self.is_retransmission_due(now), "only a retransmission timeout is held");
        self.pacer.on_wake(now);
        self.statistics.timeouts_held += 1;
        self.timer.arm(Alarm::Retransmission, now, self.round_trips.rto());
    }

    /// RFC 6298 §5.4-5.6 for a SYN.
    fn on_syn_timeout(&mut self, now: Time) {
        self.statistics.timeouts += 1;
        if self.handshake.on_timeout(self.config.rto.estimator == Estimator::Linux) {
            self.round_trips.estimator.back_off();
        }
        // ns-2.35, `TcpAgent::timeout`: a SYN is packet 0, and its loss is like any other.
        if self.config.rules.reduction_of == ReductionOf::Window {
            self.set_window(f64::from(self.mss));
            self.control.on_timeout(&self.loss_event(now, false));
        }
        self.timer.arm(Alarm::Retransmission, now, self.round_trips.rto());
    }

    /// RFC 6298 §5.4-5.6.
    fn on_retransmission_timeout(&mut self, now: Time) {
        self.statistics.timeouts += 1;
        let start = self.scoreboard.start();
        let was_resent = self.recovery.has_timed_out_at(start);
        let has_reduced = self.recovery.is_active() && !self.config.rules.timeout_in_recovery_reduces;
        self.report_timeout(was_resent);
        if self.recovery.is_active() && self.recovery.is_inflated() {
            self.recovery.inflation.abandon(&mut self.control);
        }
        let may_raise = self.config.rules.timeout_raises_threshold || !self.recovery.is_active();
        let loss = LossEvent { may_raise, ..self.loss_event(now, was_resent || has_reduced) };
        self.recovery.on_timeout(start, self.scoreboard.end());
        let keeps_newest = self.give_up_outstanding(now);
        self.control.on_timeout(&LossEvent { in_flight: Bytes::new(self.pipe()), ..loss });
        if keeps_newest {
            self.make_room_for_oldest();
        }
        self.burst.renew();
        self.probe.forget();
        self.round_trips.on_loss();
        self.round_trips.estimator.back_off();
        self.timer.arm(Alarm::Retransmission, now, self.round_trips.rto());
    }

    /// Reports a timeout to the rules that look for spurious ones. `is_repeated`: it had expired for this segment before.
    fn report_timeout(&mut self, is_repeated: bool) {
        if self.spurious.is_none() {
            return;
        }
        let start = self.scoreboard.start();
        let phase = self.recovery.phase();
        // A timeout within a recovery belongs to it, unless all that it began with is acknowledged.
        let is_new = match phase {
            Phase::Open => true,
            Phase::Recovery => self.recovery.is_full(start),
            Phase::Loss => !is_repeated,
        };
        if is_new {
            self.remember_for_undo(true);
        }
        let oldest_end = self.scoreboard.oldest().map_or(start, |sent| sent.end());
        let sent_end = self.scoreboard.end();
        if let Some(spurious) = &mut self.spurious {
            spurious.on_timeout(oldest_end, sent_end, phase, is_repeated);
        }
    }

    /// Everything not SACKed is to be sent again, with RACK only what was sent a round trip ago (RFC 8985 §6.3). A
    /// receiver that SACKed the oldest segment and still asks for it has dropped it (RFC 2018 §8): then nothing counts
    /// as SACKed. Returns true if something may still be in flight.
    pub(super) fn give_up_outstanding(&mut self, now: Time) -> bool {
        let has_reneged = self.scoreboard.oldest().is_some_and(|sent| sent.sacked);
        if has_reneged || self.config.rules.forget_sack_on_timeout {
            self.scoreboard.forget_sacked();
        }
        let is_by_time = self.config.rules.rack && self.config.sack && !has_reneged;
        if is_by_time {
            self.rack.on_timeout(&mut self.scoreboard, now);
        } else {
            self.scoreboard.mark_all_lost();
        }
        self.report_lost(now);
        is_by_time
    }

    /// What is still in flight does not keep the oldest segment back (Linux; RFC 5681 §3.1 has one segment in all).
    pub(super) fn make_room_for_oldest(&mut self) {
        let window = self.pipe() + u64::from(self.mss);
        self.set_window(window as f64);
    }

    #[cold]
    pub(super) fn arm_persist_timer(&mut self, now: Time) {
        let wait = self.window.probe_wait(self.round_trips.rto(), self.config.rto.max);
        self.timer.arm(Alarm::Persist, now, wait);
    }

    /// An ACK arrived while the window is probed.
    #[inline(never)]
    pub(super) fn on_ack_of_window_probe(&mut self, now: Time) {
        if self.next_new_length().is_some() {
            self.window.on_opened();
            self.timer.stop();
        } else if self.config.rto.estimator == Estimator::Linux {
            self.arm_persist_timer(now); // Linux, tcp_ack_probe: the wait starts again.
        }
    }

    fn on_persist_timeout(&mut self, now: Time) {
        self.timer.stop();
        if self.new_segment_length().is_some() {
            self.window.on_wait_over();
            self.arm_persist_timer(now);
        }
    }

    /// RFC 6298 §5.2 and §5.3, after an ACK.
    #[inline]
    pub(super) fn update_timer(&mut self, now: Time, restart: bool) {
        if self.scoreboard.is_empty() {
            if !self.timer.is_armed_for(Alarm::Persist) {
                self.timer.stop();
            }
        } else if restart && self.may_schedule_probe() {
            self.schedule_probe(now, now + self.round_trips.rto());
        } else if restart {
            self.restart_timer(now);
        }
    }

    /// Arms the timer for the retransmission timeout.
    #[inline]
    pub(super) fn restart_timer(&mut self, now: Time) {
        let is_other = self.timer.is_armed_for(Alarm::Probe) || self.timer.is_armed_for(Alarm::Reordering);
        let span = if is_other { self.timeout_at(now).since(now) } else { self.round_trips.rto() };
        self.timer.arm(Alarm::Retransmission, now, span);
    }

    /// When the RTO of the oldest segment is over, counted from its last transmission.
    fn timeout_at(&self, now: Time) -> Time {
        self.scoreboard.oldest().map_or(now, |sent| sent.sent_at) + self.round_trips.rto()
    }
}

/// The tail loss probe (RFC 8985 §7).
impl Sender {
    /// §7.2: nothing is known to be missing.
    fn may_schedule_probe(&self) -> bool {
        self.config.rules.tail_loss_probe
            && self.config.sack
            && self.recovery.phase() == Phase::Open
            && self.scoreboard.sacked().segments == 0
            && self.scoreboard.resent().segments == 0
    }

    fn schedule_probe(&mut self, now: Time, timeout_at: Time) {
        let is_lone = self.scoreboard.len() == 1;
        let span = self.probe.timeout(self.round_trips.srtt(), is_lone, PROBE_TIMEOUT_UNMEASURED);
        let until_timeout = timeout_at.since(now);
        let is_sooner = until_timeout > Duration::ZERO && until_timeout < span;
        self.timer.arm(Alarm::Probe, now, if is_sooner { until_timeout } else { span });
    }

    /// §7.3.
    fn on_probe_timeout(&mut self, now: Time) {
        if !self.probe.on_wait_over() {
            self.restart_timer(now);
        }
    }

    /// §7.3: new data if there is any, whatever cwnd, else the last segment.
    pub(super) fn next_probe(&self) -> Next {
        self.next_new_length().map_or_else(|| Next::Repeat(self.scoreboard.len() - 1), Next::New)
    }

    /// A segment was sent: a probe is recorded, and new data restarts the probe timer.
    pub(super) fn on_sent_with_probe(&mut self, now: Time, segment: &Segment) {
        if self.probe.is_due() {
            self.statistics.tail_loss_probes += 1;
            self.probe.on_probe(self.scoreboard.end(), segment.retransmission);
            self.timer.arm(Alarm::Retransmission, now, self.round_trips.rto());
            return;
        }
        if segment.retransmission {
            return;
        }
        if self.may_schedule_probe() {
            self.schedule_probe(now, self.timeout_at(now));
        } else if self.timer.is_armed_for(Alarm::Probe) {
            self.restart_timer(now);
        }
    }

    /// New data left while nothing is lost.
    #[inline]
    pub(super) fn schedule_probe_after_new(&mut self, now: Time) {
        if self.config.rules.tail_loss_probe && self.config.sack {
            self.schedule_probe(now, self.timeout_at(now));
        }
    }

    /// §7.4.2: a probe that repaired a loss reduces the window as a fast recovery would have.
    fn answer_probe(&mut self, ack: &AckSummary) {
        if self.config.rules.tail_loss_probe && self.probe.on_ack(ack) {
            self.control.on_loss(&self.loss_event(ack.now, false));
            self.set_window(self.control.slow_start_threshold());
        }
    }
}

/// Losses by time (RFC 8985 §6).
impl Sender {
    /// Marks what `ack` shows to be lost. Returns true if the timer now waits for segments that may be late.
    pub(super) fn detect_by_time(&mut self, ack: &AckSummary) -> bool {
        if !ack.duplicate_block.is_empty() && !self.probe.is_reported_by(ack) {
            self.rack.on_duplicate_sack(ack.number, self.scoreboard.end());
        }
        self.answer_probe(ack);
        if !self.rack.on_ack(&ack.arrivals(), self.scoreboard.highest_sacked()) || self.waits_for_undo() {
            return false;
        }
        let outcome = self.find_losses(ack.now);
        if outcome.lost_again > 0 && self.recovery.phase() == Phase::Loss {
            self.begin_recovery(ack);
        }
        outcome.wait.is_some()
    }

    /// True if the latest ACK showed a spurious recovery that cannot be undone yet: nothing more is marked lost.
    fn waits_for_undo(&self) -> bool {
        self.spurious.as_ref().is_some_and(|spurious| spurious.is_waiting())
    }

    #[inline]
    fn find_losses(&mut self, now: Time) -> RackOutcome {
        if self.rack.has_to_search(&self.scoreboard) { self.search_losses(now) } else { RackOutcome::default() }
    }

    fn search_losses(&mut self, now: Time) -> RackOutcome {
        let evidence = Evidence {
            is_recovering: self.recovery.phase() != Phase::Open,
            reaches_threshold: self.scoreboard.sacked().segments >= u64::from(self.config.duplicate_ack_threshold),
            srtt: self.round_trips.srtt(),
        };
        let outcome = self.rack.detect(&mut self.scoreboard, now, evidence);
        self.report_lost(now);
        if let Some(wait) = outcome.wait {
            let span = (wait + self.config.rules.timer_slack).min(self.round_trips.rto());
            self.timer.arm(Alarm::Reordering, now, span);
        }
        outcome
    }

    /// RFC 8985 §6.2 step 5: the wait is over.
    fn on_reordering_timeout(&mut self, now: Time) {
        if let Some(spurious) = &mut self.spurious {
            spurious.stop_waiting();
        }
        self.burst.renew();
        let outcome = self.find_losses(now);
        if outcome.losses > 0 && !self.recovery.is_active() {
            let start = self.scoreboard.start();
            let nothing = AckSummary::new(now, start, start, None);
            self.begin_recovery(&nothing);
            if self.config.rules.prr != RateReduction::Off && !self.needs.own_recovery {
                let one = Sum { segments: 1, bytes: u64::from(self.mss) };
                self.move_window(&nothing, one, false, false);
            }
        }
        if outcome.losses > 0 && self.scoreboard.oldest().is_some_and(|oldest| oldest.is_waiting()) {
            self.timer.arm(Alarm::Retransmission, now, self.round_trips.rto()); // The oldest segment goes again at once.
        } else if outcome.losses > 0 || outcome.wait.is_none() {
            self.restart_timer(now);
        }
    }
}
