//! Round trips: which ACK shows one, and which of them the retransmission timeout is estimated from (RFC 6298 §3, RFC 7323
//! §4).
//!
//! Left out: the smaller gains that RFC 7323 §4.2 recommends for many samples in a round trip (its appendix G).

use crate::transport::Tcp;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::Repair;
use crate::transport::rtt::{Estimator, RtoEstimator};
use crate::types::{Duration, Time};

/// Linux echoes times in milliseconds ("TCP_TS_HZ").
const LINUX_TIMESTAMP_TICK: u64 = 1_000_000;

/// The estimator, and the measurement in progress.
#[derive(Clone, Debug)]
pub(super) struct RoundTrips {
    has_timestamps: bool,
    /// ns-2: a partial ACK of the segment that is timed gives a sample, too.
    samples_partial_acks: bool,
    pub(super) estimator: RtoEstimator,
    timed: Option<Timed>,
    latest: Option<Duration>,
}

/// The one segment whose round trip is being measured.
#[derive(Clone, Copy, Debug)]
struct Timed {
    end: u64,
    sent_at: Time,
}

/// From when to when a sample is taken.
#[derive(Clone, Copy, Debug)]
struct Sample {
    from: Time,
    to: Time,
}

/// The segments that an ACK of new data covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    /// The ACK number.
    pub(super) number: u64,
    /// How many whole segments.
    pub(super) segments: u32,
    /// When the oldest of them was last sent.
    pub(super) oldest_sent_at: Time,
    /// True if any of them was sent more than once.
    pub(super) has_retransmission: bool,
}

/// What else there is to an ACK where a rule looks at every one.
#[derive(Clone, Copy, Debug)]
pub(super) struct WatchedAck {
    /// The end of what was ever sent.
    pub(super) sent_end: u64,
    /// TSecr, if it is possible.
    pub(super) echo: Option<Time>,
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

impl RoundTrips {
    pub(super) fn new(config: &Tcp) -> Self {
        Self {
            has_timestamps: config.timestamps,
            samples_partial_acks: config.congestion_control.repair() == Repair::UntilAnyAck,
            estimator: RtoEstimator::new(config.rto),
            timed: None,
            latest: None,
        }
    }

    /// The retransmission timeout in force.
    #[inline]
    pub(super) const fn rto(&self) -> Duration {
        self.estimator.rto()
    }

    /// The smoothed round-trip time, once measured.
    #[inline]
    pub(super) fn srtt(&self) -> Option<Duration> {
        self.estimator.srtt()
    }

    /// Takes the latest exact round trip.
    pub(super) const fn take_latest(&mut self) -> Option<Duration> {
        self.latest.take()
    }

    /// The SYN sent at `sent_at` was answered. If it is not known which SYN, the RTO of the first data is at least 3 s
    /// (RFC 6298 §5.7); ns-2 keeps the back-off.
    pub(super) fn on_handshake(&mut self, now: Time, sent_at: Option<Time>) {
        if let Some(sent_at) = sent_at {
            self.latest = Some(now.since(sent_at));
            self.estimator.on_sample(sent_at, now);
        } else if self.estimator.estimator() != Estimator::Ns2 {
            self.estimator.start_again(Duration::from_millis(3000));
        }
    }

    /// Times the segment that ends at `end`, if none is being timed.
    #[inline]
    pub(super) fn on_sent(&mut self, now: Time, end: u64, is_retransmission: bool) {
        if self.timed.is_none() && !(self.estimator.config().karn && is_retransmission) {
            self.timed = Some(Timed { end, sent_at: now });
        }
    }

    /// With Karn's rule a loss ends the measurement in progress, as in BSD and ns-2: the timed segment may be retransmitted or
    /// wait behind the hole.
    pub(super) fn on_loss(&mut self) {
        if self.estimator.config().karn {
            self.timed = None;
        }
    }

    /// Stores the exact round trip of `ack` and updates the estimator. Returns when the sampled segment was sent, if `ack`
    /// gives a sample. `is_partial`: `ack` is a partial ACK of a recovery.
    #[inline]
    pub(super) fn on_ack(&mut self, ack: &AckSummary, sent_end: u64, is_partial: bool) -> Option<Time> {
        self.latest = exact_round_trip(ack).or(self.latest);
        if self.estimator.estimator() == Estimator::Ns2 {
            self.sample_as_ns2(ack.now, ack.number, is_partial);
            return None;
        }
        if !self.estimator.config().karn && ack.is_new() {
            self.estimator.end_back_off();
        }
        let sample = if self.estimator.estimator() == Estimator::Linux {
            self.estimator.set_extent(ack.number, sent_end);
            linux_sample(ack)
        } else if let Some(echo) = ack.echo.filter(|_| self.has_timestamps) {
            // RFC 7323 §4.1: an ACK that moves SND.UNA; a retransmission has a time of its own.
            ack.is_new().then_some(Sample { from: echo, to: ack.now })
        } else {
            ack.is_new().then(|| self.timed_sample(ack.now, &Covered::of(ack))).flatten()
        };
        sample.map(|sample| {
            self.estimator.on_sample(sample.from, sample.to);
            sample.from
        })
    }

    /// [`RoundTrips::on_ack`] for an ACK of new data on the fast path. A watched one covers nothing that was sent twice; any other
    /// comes without Linux's arithmetic and without timestamps. Returns whether it gives a sample, of which ns-2 tells nobody.
    #[inline]
    pub(super) fn on_ack_of_fast_path(&mut self, now: Time, covered: &Covered, watched: Option<WatchedAck>) -> bool {
        if !covered.has_retransmission {
            self.latest = Some(now.since(covered.oldest_sent_at));
        }
        if self.estimator.estimator() == Estimator::Ns2 {
            self.sample_as_ns2(now, covered.number, false);
            return false;
        }
        if !self.estimator.config().karn {
            self.estimator.end_back_off();
        }
        let from = match watched {
            Some(WatchedAck { sent_end, .. }) if self.estimator.estimator() == Estimator::Linux => {
                self.estimator.set_extent(covered.number, sent_end);
                Some(covered.oldest_sent_at)
            }
            Some(WatchedAck { echo, .. }) if self.has_timestamps => echo,
            _ => None,
        };
        let sample = from.map(|from| Sample { from, to: now }).or_else(|| self.timed_sample(now, covered));
        sample.inspect(|sample| self.estimator.on_sample(sample.from, sample.to)).is_some()
    }

    /// RFC 6298 §3, as Karn's rule and the sampling switch allow.
    #[inline]
    fn timed_sample(&mut self, now: Time, covered: &Covered) -> Option<Sample> {
        let timed_sent_at = self.timed.take_if(|timed| covered.number >= timed.end).map(|timed| timed.sent_at);
        let sent_at =
            if self.estimator.config().sample_every_ack { Some(covered.oldest_sent_at) } else { timed_sent_at };
        let is_clear = !(self.estimator.config().karn && covered.has_retransmission);
        sent_at.filter(|_| is_clear).map(|from| Sample { from, to: now })
    }

    /// ns-2.35, `TcpAgent::newack` and `NewRenoTcpAgent::partialnewack`: whatever else an ACK covers, the segment being
    /// timed was sent once. A partial ACK of it is no sample, but ends the back-off.
    fn sample_as_ns2(&mut self, now: Time, number: u64, is_partial: bool) {
        let Some(timed) = self.timed.take_if(|timed| number >= timed.end) else { return };
        if is_partial && !self.samples_partial_acks {
            self.estimator.end_back_off();
        } else {
            self.estimator.on_sample(timed.sent_at, now);
        }
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

/// The time since the newest segment newly delivered was sent, if nothing newly acknowledged was sent twice.
pub(super) fn newest_round_trip(ack: &AckSummary) -> Option<Duration> {
    exact_round_trip(ack).filter(|_| ack.newest.sent_at <= ack.now).map(|_| ack.now.since(ack.newest.sent_at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::RtoConfig;

    fn at(milliseconds: u64) -> Time {
        Time::from_nanos(milliseconds * 1_000_000)
    }

    fn round_trips(rto: RtoConfig) -> RoundTrips {
        RoundTrips::new(&Tcp { rto, ..Tcp::default() })
    }

    fn covered(number: u64, sent_ms: u64, has_retransmission: bool) -> Covered {
        Covered { number, segments: 1, oldest_sent_at: at(sent_ms), has_retransmission }
    }

    #[test]
    fn one_segment_is_timed_at_a_time() {
        let mut trips = round_trips(RtoConfig::default());
        trips.on_sent(at(0), 1000, false);
        trips.on_sent(at(50), 2000, false);
        trips.on_ack_of_fast_path(at(100), &covered(1000, 0, false), None);
        assert_eq!(trips.srtt(), Some(Duration::from_millis(100)));
        trips.on_ack_of_fast_path(at(900), &covered(2000, 50, false), None);
        assert_eq!(trips.srtt(), Some(Duration::from_millis(100)), "the second segment was not timed");
        assert_eq!(trips.take_latest(), Some(Duration::from_millis(850)));
    }

    #[test]
    fn with_karns_rule_a_retransmission_is_neither_timed_nor_a_sample() {
        for (karn, is_measured) in [(true, false), (false, true)] {
            let mut trips = round_trips(RtoConfig { karn, ..RtoConfig::default() });
            trips.on_sent(at(0), 1000, true);
            trips.on_ack_of_fast_path(at(100), &covered(1000, 0, true), None);
            assert_eq!(trips.srtt().is_some(), is_measured);
            assert_eq!(trips.take_latest(), None);
        }
    }

    #[test]
    fn a_partial_ack_is_no_sample_of_ns_2_but_ends_its_back_off() {
        let tick = Duration::from_millis(10);
        let mut trips = round_trips(RtoConfig { estimator: Estimator::Ns2, tick, ..RtoConfig::default() });
        trips.samples_partial_acks = false;
        let ack = |number| AckSummary::new(at(100), number, number, None);
        trips.on_sent(at(0), 1000, false);
        trips.on_ack(&ack(1000), 5000, true);
        assert_eq!(trips.srtt(), None);
        trips.on_sent(at(0), 1000, false);
        trips.on_ack(&ack(1000), 5000, false);
        assert_eq!(trips.srtt(), Some(Duration::from_millis(100)));
    }
}
