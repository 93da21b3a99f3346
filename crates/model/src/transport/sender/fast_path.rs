//! The fast path: new data and ACKs of new data while nothing is lost, marked or due. Most packets of most runs take it.
//!
//! Rules that look at every packet (RACK, loss probes, spurious recoveries) leave it open with SACK, as long as they have nothing
//! in mind ([`Sender::is_quiet_after_ack`]): an ACK then tells them no more than a round trip and a count.
//!
//! It does what the general path does, without checks that cannot succeed. All else takes the general path, packet by packet,
//! and a test compares the two.

use crate::types::{Bytes, Time};

use super::Sender;
use super::acks::possible_echo;
use super::round_trips::{Covered, WatchedAck};
use crate::transport::ack_summary::{Arrivals, Newest};
use crate::transport::congestion::{AckEvent, CongestionControl, Controller, Needs};
use crate::transport::recovery::Spurious;
use crate::transport::rtt::Estimator;
use crate::transport::sent::Sent;
use crate::transport::timer::Alarm;
use crate::transport::words::SackPipe;
use crate::transport::{Acknowledgment, EcnMode, Pacing, RateReduction, Segment, Stamp, Tcp, WindowValidation};

/// True if no rule of `config` and no algorithm with such `needs` looks at packets of which none is lost.
pub(super) fn has_fast_path(config: &Tcp, needs: Needs) -> bool {
    let recovers_simply = !config.sack
        && !config.rules.rack
        && !config.rules.tail_loss_probe
        && config.rules.prr == RateReduction::Off
        && Spurious::new(config).is_none();
    let times_simply = !config.timestamps && config.rto.estimator != Estimator::Linux;
    let uses_window_simply = config.pacing == Pacing::Off && config.rules.window_validation == WindowValidation::Off;
    let has_clamp = config.sender_clamp().is_some();
    let counts_burst = config.rules.max_burst_segments > 0;
    let answers_marks = config.ecn != EcnMode::Off;
    needs == Needs::default()
        && !has_clamp
        && !counts_burst
        && !answers_marks
        && recovers_simply
        && times_simply
        && uses_window_simply
}

/// True if neither pacing nor a burst, an answer to marks or a recovery of its own keeps new data back while nothing is lost. A
/// window from outside ([`Controller::Boxed`]) may move at any time, and is left out as well.
pub(super) fn may_be_clear(config: &Tcp, needs: Needs) -> bool {
    let is_spaced = config.pacing != Pacing::Off || config.rules.max_burst_segments > 0;
    let is_marked = config.ecn != EcnMode::Off || config.sender_clamp().is_some();
    let is_sampled = needs != Needs { round_trips: needs.round_trips, ..Needs::default() };
    let knows_losses = has_fast_path(config, needs) || (config.sack && config.rules.sack_pipe == SackPipe::Scoreboard);
    knows_losses && !is_spaced && !is_marked && !is_sampled
}

/// What an ACK has removed from the scoreboard, of segments that were all sent once; all but `covered` only where it is watched.
struct Removed {
    covered: Covered,
    /// Segments, the last perhaps in part.
    pieces: u32,
    /// The end of the first.
    lowest_end: u64,
    /// The last.
    newest: Newest,
}

impl Sender {
    /// True while nothing is known to be lost or SACKed, no duplicate ACK has come and nothing is due at once.
    #[inline]
    pub(super) fn takes_fast_path(&self) -> bool {
        self.has_fast_path && self.recovery.is_calm() && self.scoreboard.is_unmarked() && !self.has_urgent()
    }

    /// True for an ACK of new data that nothing else is to be asked of.
    #[inline(always)]
    pub(super) fn takes_fast_path_for(&self, ack: &Acknowledgment) -> bool {
        let is_new = self.scoreboard.start() < ack.number && ack.number <= self.scoreboard.end();
        let is_simple = is_new && self.marks.has_heard(ack.marked);
        is_simple
            && if self.has_fast_path {
                self.is_clear() || self.takes_fast_path_for_acks()
            } else {
                self.is_clear() && self.is_quiet && !ack.has_sack
            }
    }

    /// True if, as long as it is clear, no rule that looks at every packet has more to find in an ACK of new data without blocks
    /// than a round trip and a count: a loss, a probe or a spurious recovery. New data and such ACKs leave it so.
    #[inline]
    pub(super) fn is_quiet_after_ack(&self) -> bool {
        self.scoreboard.is_as_first_sent()
            && self.rack.is_quiet(&self.scoreboard)
            && !self.probe.is_out()
            && !self.window_use.is_measured()
            && self.spurious.as_ref().is_none_or(|spurious| spurious.is_quiet())
    }

    #[inline(never)]
    fn takes_fast_path_for_acks(&self) -> bool {
        self.takes_fast_path() && self.handshake.is_open() && !self.timer.is_armed_for(Alarm::Persist)
    }

    /// True if nothing is to be asked to know whether a segment may leave: [`Self::has_clear_room`] says it.
    #[inline]
    pub const fn is_clear(&self) -> bool {
        self.clear_until > 0
    }

    /// Until when it is clear, after an ACK of the general path.
    #[inline]
    pub(super) fn clear_after_ack(&self) -> u64 {
        let is_calm = self.may_be_clear && self.recovery.is_calm() && self.scoreboard.is_unmarked();
        let is_waiting = self.timer.at() != Time::NEVER && self.timer.alarm() != Alarm::Persist;
        if is_calm && is_waiting && !self.has_urgent() && self.handshake.is_open() {
            self.find_clear(self.control.window())
        } else {
            0
        }
    }

    /// True if a segment of full length may leave, which [`Self::send_clear`] makes; asked while the sender is clear. If not,
    /// [`Self::end_clear_burst`] is told.
    #[inline]
    pub const fn has_clear_room(&self) -> bool {
        self.scoreboard.end() + self.mss as u64 <= self.clear_until
    }

    /// The next segment, where [`Self::has_clear_room`]; in no `Option`, from which it would be copied.
    #[inline(always)]
    pub fn send_clear(&mut self, now: Time) -> Segment {
        // Something is outstanding, so the timer is set.
        let stamp = if self.has_fast_path { Stamp::NONE } else { self.timestamp(now) };
        let segment = self.send_on_fast_path(now, self.mss, stamp);
        if !self.has_fast_path {
            self.recovery.limited.on_answered();
            self.owes_probe = true;
        }
        Segment { echo: self.recent_time, ..segment }
    }

    /// Nothing more may leave.
    #[inline]
    pub fn end_clear_burst(&mut self, now: Time) {
        if !self.has_fast_path {
            self.end_watched_burst(now);
        }
    }

    #[inline(never)]
    fn end_watched_burst(&mut self, now: Time) {
        // With each segment it would be planned anew.
        if std::mem::take(&mut self.owes_probe) {
            self.schedule_probe_after_new(now);
        }
        self.on_burst_end(now);
    }

    #[inline(always)]
    fn send_on_fast_path(&mut self, now: Time, length: u32, stamp: Stamp) -> Segment {
        let segment = self.scoreboard.send_new(length, now, stamp);
        self.statistics.segments_sent += 1;
        self.window_use.on_sent(now, true);
        self.round_trips.on_sent(now, segment.end(), false);
        segment
    }

    /// Up to where segments may leave, known if there are only full ones until then and behind it, and something is outstanding.
    #[inline(always)]
    fn find_clear(&self, window: f64) -> u64 {
        let mss = u64::from(self.mss);
        // The cast rounds down and saturates; no window is negative.
        let room = (window as i64 as u64).min(self.window.bytes().count());
        let until = self.scoreboard.start().saturating_add(room);
        let is_known = self.scoreboard.start() < self.scoreboard.end()
            && room >= mss
            && self.window.largest() >= 2 * mss // Else a part of a segment might leave.
            && self.supply.end() >= until.saturating_add(mss);
        if is_known { until } else { 0 }
    }

    /// [`Sender::poll_packet`]: new data, if both windows have room.
    #[inline]
    pub(super) fn poll_fast_path(&mut self, now: Time) -> Option<Segment> {
        let Some(length) = self.next_new_length().filter(|&length| self.has_room_for(length)) else {
            self.await_window(now);
            return None;
        };
        self.start_timer(now);
        Some(self.send_on_fast_path(now, length, Stamp::NONE))
    }

    /// Nothing is lost, so all that is outstanding is in flight.
    fn has_room_for(&self, length: u32) -> bool {
        self.fits_cwnd(self.scoreboard.outstanding().count() + u64::from(length))
    }

    /// An ACK of new data where rules are on that look at every packet.
    #[inline(never)]
    pub(super) fn on_watched_ack(&mut self, now: Time, ack: &Acknowledgment) {
        self.on_ack_of_fast_path::<true>(now, ack);
    }

    /// An ACK of new data; `WATCHED`: with SACK, and rules that look at every packet.
    #[inline(always)]
    pub(super) fn on_ack_of_fast_path<const WATCHED: bool>(&mut self, now: Time, ack: &Acknowledgment) {
        let number = ack.number;
        let acked = Bytes::new(number - self.scoreboard.start());
        let removed = self.remove_below::<WATCHED>(number);
        let covered = &removed.covered;
        self.recovery.limited.forget();
        let watched =
            WATCHED.then(|| WatchedAck { sent_end: self.scoreboard.end(), echo: possible_echo(now, ack.echo) });
        let is_sampled = self.round_trips.on_ack_of_fast_path(now, covered, watched);
        if WATCHED {
            self.hear_watched_ack(now, ack, &removed, is_sampled);
        }
        let event = AckEvent {
            now,
            number,
            sent_end: self.scoreboard.end(),
            acked,
            delivered: acked,
            marked: Bytes::ZERO,
            acked_segments: if WATCHED { removed.pieces } else { covered.segments },
            flight: self.scoreboard.outstanding(),
            rtt: WATCHED.then(|| now.since(covered.oldest_sent_at)),
            newest_rtt: WATCHED.then(|| now.since(removed.newest.sent_at)),
            srtt: if WATCHED { self.round_trips.srtt() } else { None },
            is_window_limited: !WATCHED
                || self.window_use.may_grow(self.windows(), || self.scoreboard.outstanding() + acked),
            rate: None,
        };
        // In each place of a copy: where the algorithm is known, the event is then never written to memory.
        let window = match &mut self.control {
            Controller::Reno(reno) | Controller::NewReno(reno) => {
                reno.on_ack(&{ event });
                reno.window()
            }
            other => {
                other.on_ack(&{ event });
                other.window()
            }
        };
        self.clear_until = if self.may_be_clear { self.find_clear(window) } else { 0 };
        if WATCHED {
            self.update_timer(now, true);
        } else if self.scoreboard.is_empty() {
            self.timer.stop();
        } else {
            self.timer.arm(Alarm::Retransmission, now, self.round_trips.rto());
        }
    }

    /// What an ACK tells rules that look at every packet, while there is nothing for them to find.
    #[inline]
    fn hear_watched_ack(&mut self, now: Time, ack: &Acknowledgment, removed: &Removed, is_sampled: bool) {
        debug_assert!(!removed.covered.has_retransmission && !self.probe.is_out(), "a rule has something to find");
        if self.config.timestamps {
            self.recent_time = self.recent_time.max(ack.timestamp);
        }
        if is_sampled {
            self.probe.on_sample();
        }
        if self.config.rules.rack {
            let Removed { newest, lowest_end, .. } = *removed;
            let (latest_sent_at, lowest_original_end) = (newest.sent_at, lowest_end);
            let arrivals = Arrivals { now, number: ack.number, newest, latest_sent_at, lowest_original_end };
            self.rack.on_ack(&arrivals, self.scoreboard.highest_sacked());
            debug_assert!(!self.rack.has_to_search(&self.scoreboard), "a loss shows");
        }
    }

    #[inline(always)]
    fn remove_below<const WATCHED: bool>(&mut self, number: u64) -> Removed {
        let mut removed = Removed {
            covered: Covered { number, segments: 0, oldest_sent_at: Time::NEVER, has_retransmission: false },
            pieces: 0,
            lowest_end: u64::MAX,
            newest: Newest { sent_at: Time::NEVER, transmission: 0, retransmission: false },
        };
        self.scoreboard.remove_below(number, |sent, bytes| {
            let covered = &mut removed.covered;
            if covered.oldest_sent_at == Time::NEVER {
                covered.oldest_sent_at = sent.sent_at;
                removed.lowest_end = if WATCHED { sent.end() } else { u64::MAX };
            }
            covered.segments += u32::from(bytes == sent.length);
            covered.has_retransmission |= sent.retransmission;
            if WATCHED {
                let Sent { sent_at, transmission, .. } = *sent;
                removed.pieces += 1;
                removed.newest = Newest { sent_at, transmission, retransmission: false };
            }
        });
        removed
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::transport::words::SpuriousResponse;
    use crate::transport::{Algorithm, DelayedAck, Growth, Receiver, Rules, Tcp};
    use crate::types::Duration;

    /// A linear congruential generator; random enough to choose packets.
    struct Dice(u64);

    impl Dice {
        fn one_in(&mut self, sides: u64) -> bool {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33).is_multiple_of(sides)
        }
    }

    fn state(sender: &Sender) -> impl PartialEq + std::fmt::Debug {
        let windows = (sender.cwnd(), sender.ssthresh(), sender.flight(), sender.rto(), sender.srtt());
        (windows, sender.poll_timeout(), sender.statistics(), sender.clone().take_rtt_sample(), sender.in_recovery())
    }

    /// Runs one connection with and without the fast path, over a network that loses and duplicates one packet in `rare` and now
    /// and then carries none for a while, so that timers run out.
    fn run_both(config: Tcp, rare: u64) -> u64 {
        let mut fast = Sender::new(config);
        assert!(fast.may_be_clear && (fast.has_fast_path || config.sack));
        let mut general = Sender { has_fast_path: false, may_be_clear: false, ..fast.clone() };
        let delayed_ack = DelayedAck { every: 2, ..DelayedAck::default() };
        let mut receiver = Receiver::new(&Tcp { delayed_ack, ..config });
        let mut dice = Dice(rare);
        let (mut now, mut data, mut acks) = (Time::ZERO, VecDeque::new(), VecDeque::<Segment>::new());
        for sender in [&mut fast, &mut general] {
            sender.open(now);
        }
        for step in 0..20_000_u64 {
            now = now + Duration::from_nanos(700_000);
            for sender in [&mut fast, &mut general] {
                if step % 5000 == 0 {
                    sender.supply(Bytes::new(2_345_678));
                }
                if sender.poll_timeout().is_some_and(|at| at <= now) {
                    sender.handle_timeout(now);
                }
            }
            if receiver.poll_timeout().is_some_and(|at| at <= now) {
                receiver.handle_timeout(now);
            }
            while let Some(segment) = fast.poll_packet(now) {
                assert_eq!(general.poll_packet(now), Some(segment));
                let copies = 1 + usize::from(dice.one_in(rare)) - usize::from(dice.one_in(rare)).min(1);
                data.extend(std::iter::repeat_n(segment, copies));
            }
            assert_eq!(general.poll_packet(now), None);
            let is_still = step % 1900 < 400;
            if step % 3 > 0
                && !is_still
                && let Some(segment) = data.pop_front()
            {
                receiver.handle_packet(now, &segment);
            }
            acks.extend(receiver.poll_packet(now).filter(|_| !dice.one_in(rare)));
            let is_time = (acks.len() > 4 || dice.one_in(3)) && !is_still;
            if let Some(ack) = is_time.then(|| acks.pop_front()).flatten() {
                fast.handle_packet(now, &ack);
                general.handle_packet(now, &ack);
            }
            assert_eq!(state(&fast), state(&general), "after step {step}");
        }
        fast.statistics().retransmissions
    }

    #[test]
    fn with_sack_a_clear_sender_does_what_the_general_path_does() {
        let base = Tcp::default();
        let rules = Rules { limited_transmit: true, ..base.rules };
        let linux = Rules {
            rack: true,
            tail_loss_probe: true,
            prr: RateReduction::Linux,
            window_validation: WindowValidation::Linux,
            growth: Growth::WholeSegments,
            dsack: true,
            frto: true,
            frto_at_once: true,
            eifel_detection: true,
            dsack_detection: true,
            spurious_response: SpuriousResponse::Undo,
            ..rules
        };
        let rto = crate::transport::RtoConfig {
            estimator: Estimator::Linux,
            timer_tick: Duration::from_millis(4),
            sample_every_ack: true,
            ..base.rto
        };
        for congestion_control in [Algorithm::NewReno, Algorithm::Cubic] {
            let config = Tcp { congestion_control, sack: true, rules, ..base };
            assert!(run_both(config, 50) > 0);
            let config = Tcp { timestamps: true, rto, rules: linux, ..config };
            assert!(run_both(config, 50) > 0);
            run_both(config, 2000);
            // Most ACKs are no sample, which a loss probe waits for: one segment is timed at a time; ns-2 tells of none.
            let timed = crate::transport::RtoConfig { min: Duration::from_millis(200), ..base.rto };
            let tick = Duration::from_millis(10);
            for rto in [timed, crate::transport::RtoConfig { estimator: Estimator::Ns2, tick, ..timed }] {
                let config = Tcp { timestamps: false, rto, ..config };
                assert!(run_both(config, 50) > 0);
                run_both(config, 2000);
            }
        }
    }

    #[test]
    fn the_fast_path_does_what_the_general_one_does() {
        for congestion_control in [Algorithm::Tahoe, Algorithm::Reno, Algorithm::NewReno] {
            for (karn, sample_every_ack, limited_transmit) in
                [(true, false, false), (false, true, true), (true, true, false), (false, false, true)]
            {
                let base = Tcp::default();
                let rto = crate::transport::RtoConfig { karn, sample_every_ack, ..base.rto };
                let config = Tcp { congestion_control, rto, rules: Rules { limited_transmit, ..base.rules }, ..base };
                let ns2 =
                    crate::transport::RtoConfig { estimator: Estimator::Ns2, tick: Duration::from_millis(10), ..rto };
                assert!(run_both(config, 50) > 0 && run_both(Tcp { rto: ns2, ..config }, 50) > 0);
                run_both(config, 2000);
            }
        }
    }
}
