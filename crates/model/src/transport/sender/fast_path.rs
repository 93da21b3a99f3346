//! The fast path: new data and ACKs of new data while nothing is lost, marked or due, and no rule is on that looks at every
//! packet. Most packets of most runs take it.
//!
//! It does what the general path does, without checks that cannot succeed. All else takes the general path, packet by packet,
//! and a test compares the two.

use crate::types::{Bytes, Time};

use super::Sender;
use super::round_trips::Covered;
use crate::transport::congestion::{AckEvent, CongestionControl, Needs};
use crate::transport::recovery::Spurious;
use crate::transport::rtt::Estimator;
use crate::transport::timer::Alarm;
use crate::transport::{EcnMode, Pacing, RateReduction, Segment, Stamp, Tcp, WindowValidation};

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

impl Sender {
    /// True while nothing is known to be lost or SACKed, no duplicate ACK has come and nothing is due at once.
    #[inline]
    pub(super) fn takes_fast_path(&self) -> bool {
        self.has_fast_path && self.recovery.is_calm() && self.scoreboard.is_unmarked() && !self.has_urgent()
    }

    /// True for an ACK of new data that nothing else is to be asked of.
    #[inline]
    pub(super) fn takes_fast_path_for(&self, ack: &Segment) -> bool {
        self.scoreboard.start() < ack.number
            && ack.number <= self.scoreboard.end()
            && self.takes_fast_path()
            && self.handshake.is_open()
            && !self.timer.is_armed_for(Alarm::Persist)
            && self.marks.has_heard(ack.marked)
    }

    /// [`Sender::poll_packet`]: new data, if both windows have room.
    #[inline]
    pub(super) fn poll_fast_path(&mut self, now: Time) -> Option<Segment> {
        let Some(length) = self.next_new_length().filter(|&length| self.has_room_for(length)) else {
            self.await_window(now);
            return None;
        };
        let segment = self.scoreboard.send_new(length, now, Stamp::NONE);
        self.statistics.segments_sent += 1;
        self.window_use.on_sent(now, true);
        self.start_timer(now);
        self.round_trips.on_sent(now, segment.end(), false);
        Some(segment)
    }

    /// Nothing is lost, so all that is outstanding is in flight.
    fn has_room_for(&self, length: u32) -> bool {
        self.fits_cwnd(self.scoreboard.outstanding().count() + u64::from(length))
    }

    /// An ACK of new data, up to `number`.
    #[inline(never)]
    pub(super) fn on_ack_of_fast_path(&mut self, now: Time, number: u64) {
        let acked = Bytes::new(number - self.scoreboard.start());
        let covered = self.remove_below(number);
        self.recovery.limited.forget();
        self.round_trips.on_ack_of_fast_path(now, &covered);
        self.control.on_ack(&AckEvent {
            now,
            number,
            sent_end: self.scoreboard.end(),
            acked,
            delivered: acked,
            marked: Bytes::ZERO,
            acked_segments: covered.segments,
            flight: self.scoreboard.outstanding(),
            rtt: None,
            newest_rtt: None,
            srtt: None,
            is_window_limited: true,
            rate: None,
        });
        if self.scoreboard.is_empty() {
            self.timer.stop();
        } else {
            self.timer.arm(Alarm::Retransmission, now, self.round_trips.rto());
        }
    }

    #[inline]
    fn remove_below(&mut self, number: u64) -> Covered {
        let mut covered = Covered { number, segments: 0, oldest_sent_at: Time::NEVER, has_retransmission: false };
        self.scoreboard.remove_below(number, |sent, bytes| {
            if covered.oldest_sent_at == Time::NEVER {
                covered.oldest_sent_at = sent.sent_at;
            }
            covered.segments += u32::from(bytes == sent.length);
            covered.has_retransmission |= sent.retransmission;
        });
        covered
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::transport::{Algorithm, DelayedAck, Receiver, Rules, Tcp};
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

    /// Runs one connection with and without the fast path, over a network that loses and duplicates one packet in `rare`.
    fn run_both(config: Tcp, rare: u64) -> u64 {
        let mut fast = Sender::new(config);
        assert!(fast.has_fast_path);
        let mut general = Sender { has_fast_path: false, ..fast.clone() };
        let delayed_ack = DelayedAck { every: 2, ..DelayedAck::default() };
        let mut receiver = Receiver::new(&Tcp { delayed_ack, ..Tcp::default() });
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
            if step % 3 > 0
                && let Some(segment) = data.pop_front()
            {
                receiver.handle_packet(now, &segment);
            }
            acks.extend(receiver.poll_packet(now).filter(|_| !dice.one_in(rare)));
            let is_time = acks.len() > 4 || dice.one_in(3);
            if let Some(ack) = is_time.then(|| acks.pop_front()).flatten() {
                fast.handle_packet(now, &ack);
                general.handle_packet(now, &ack);
            }
            assert_eq!(state(&fast), state(&general), "after step {step}");
        }
        fast.statistics().retransmissions
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
