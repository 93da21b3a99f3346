//! Round trips: which ACK shows one, and what the estimator gets to hear (RFC 6298 §3, RFC 7323 §4).
//!
//! Left out: the smaller gains that RFC 7323 §4.2 recommends for many samples in a round trip (its appendix G).

use crate::types::{Duration, Time};

use super::Sender;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::Algorithm;
use crate::transport::rtt::Estimator;

/// Linux echoes times in milliseconds ("TCP_TS_HZ").
const LINUX_TIMESTAMP_TICK: u64 = 1_000_000;

/// From when to when a sample is taken.
#[derive(Clone, Copy, Debug)]
struct Sample {
    from: Time,
    to: Time,
}

/// What an ACK of new data covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    /// Everything below, and
    pub(super) number: u64,
    /// so many whole segments.
    pub(super) segments: u32,
    /// When the oldest of them was last sent.
    pub(super) oldest_sent_at: Time,
    /// True when any was sent more than once.
    pub(super) has_retransmission: bool,
}

impl Covered {
    const fn of(ack: &AckSummary) -> Self {
        Self {
            number: ack.number,
            segments: ack.acked_segments,
            oldest_sent_at: ack.oldest_sent_at,
            has_retransmission: ack.covers_retransmission,
        }
    }
}

impl Sender {
    /// Keeps the exact round trip and feeds the estimator.
    #[inline]
    pub(super) fn measure_round_trip(&mut self, ack: &AckSummary) {
        self.latest_rtt = exact_round_trip(ack).or(self.latest_rtt);
        if self.config.rto.estimator == Estimator::Ns2 {
            self.measure_timed_segment(ack.now, ack.number);
            return;
        }
        if !self.config.rto.karn && ack.is_new() {
            self.rto.end_back_off();
        }
        let sample = if self.config.rto.estimator == Estimator::Linux {
            self.rto.set_extent(ack.number, self.scoreboard.end());
            linux_sample(ack)
        } else if let Some(echo) = ack.echo.filter(|_| self.config.timestamps) {
            // RFC 7323 §4.1: an ACK that moves SND.UNA; a retransmission has a time of its own.
            ack.is_new().then_some(Sample { from: echo, to: ack.now })
        } else {
            ack.is_new().then(|| self.timed_sample(ack.now, &Covered::of(ack))).flatten()
        };
        if let Some(sample) = sample {
            self.rto.on_sample(sample.from, sample.to);
            self.on_sample(ack, sample.from);
        }
    }

    /// The same of a new number on the plain path, where neither Linux's arithmetic nor timestamps are.
    #[inline]
    pub(super) fn measure_plain_round_trip(&mut self, now: Time, covered: &Covered) {
        if !covered.has_retransmission {
            self.latest_rtt = Some(now.since(covered.oldest_sent_at));
        }
        if self.config.rto.estimator == Estimator::Ns2 {
            self.measure_timed_segment(now, covered.number);
            return;
        }
        if !self.config.rto.karn {
            self.rto.end_back_off();
        }
        if let Some(sample) = self.timed_sample(now, covered) {
            self.rto.on_sample(sample.from, sample.to);
        }
    }

    /// RFC 6298 §3, as Karn's rule and the sampling switch allow.
    #[inline]
    fn timed_sample(&mut self, now: Time, covered: &Covered) -> Option<Sample> {
        let timed_sent_at = self.timed.take_if(|timed| covered.number >= timed.end).map(|timed| timed.sent_at);
        let sent_at = if self.config.rto.sample_every_ack { Some(covered.oldest_sent_at) } else { timed_sent_at };
        let is_clear = !(self.config.rto.karn && covered.has_retransmission);
        sent_at.filter(|_| is_clear).map(|from| Sample { from, to: now })
    }

    /// ns-2.35, `TcpAgent::newack` and `NewRenoTcpAgent::partialnewack`: whatever else an ACK covers, the segment being
    /// timed was sent once. A partial ACK of it is no sample, but ends the back-off.
    fn measure_timed_segment(&mut self, now: Time, number: u64) {
        let Some(timed) = self.timed.take_if(|timed| number >= timed.end) else { return };
        let ends_with_any_ack = self.config.congestion_control == Algorithm::Reno;
        if self.recovery.is_active() && !self.recovery.is_full(number) && !ends_with_any_ack {
            self.rto.end_back_off();
        } else {
            self.rto.on_sample(timed.sent_at, now);
        }
    }

    /// With Karn's rule a loss ends the measurement in progress, as in BSD and ns-2: what is being timed may
    /// be sent again or wait behind the hole.
    pub(super) fn stop_timing(&mut self) {
        if self.config.rto.karn {
            self.timed = None;
        }
    }

    /// Linux: an ACK that only SACKs restarts the timer if what it SACKs was sent before the oldest segment was sent again
    /// (`tcp_clean_rtx_queue`): the oldest has the whole timeout before it.
    pub(super) fn restarts_timer_by_sack(&self, ack: &AckSummary) -> bool {
        self.config.rto.estimator == Estimator::Linux
            && ack.first_sacked_at != Time::NEVER
            && self.scoreboard.oldest().is_some_and(|oldest| oldest.sent_at > ack.first_sacked_at)
    }
}

/// Linux (`tcp_ack_update_rtt`): since the first segment newly acknowledged was sent, unless one was sent twice; else since
/// the first one newly SACKed; only then by the echo.
fn linux_sample(ack: &AckSummary) -> Option<Sample> {
    let since = |from| Sample { from, to: ack.now };
    if ack.first_acked_at != Time::NEVER && !ack.covers_retransmission {
        return Some(since(ack.first_acked_at));
    }
    if ack.first_sacked_at != Time::NEVER {
        return Some(since(ack.first_sacked_at));
    }
    let tick = |time: Time| time.as_nanos() / LINUX_TIMESTAMP_TICK;
    ack.echo.filter(|_| ack.is_new()).map(|echo| {
        let (from, to) = (tick(echo), tick(ack.now).max(tick(echo) + 1));
        Sample { from: Time::from_nanos(from * LINUX_TIMESTAMP_TICK), to: Time::from_nanos(to * LINUX_TIMESTAMP_TICK) }
    })
}

/// The time since the oldest segment newly acknowledged was sent, if nothing newly acknowledged was sent twice.
pub(super) fn exact_round_trip(ack: &AckSummary) -> Option<Duration> {
    (ack.is_new() && !ack.covers_retransmission).then(|| ack.now.since(ack.oldest_sent_at))
}

/// The time since the newest segment newly delivered was sent, on the same condition.
pub(super) fn newest_round_trip(ack: &AckSummary) -> Option<Duration> {
    exact_round_trip(ack).filter(|_| ack.newest.sent_at <= ack.now).map(|_| ack.now.since(ack.newest.sent_at))
}
