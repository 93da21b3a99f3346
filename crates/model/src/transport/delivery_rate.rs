//! Delivery-rate samples (draft-ietf-ccwg-bbr §4.1; Linux, `tcp_rate.c`): how much was delivered between the sending of a
//! segment and its ACK, over the longer of the two times in which that was sent and in which it was acknowledged.
//!
//! A sample is marked when the application, not the network, was the limit. Nothing here reads the samples yet: they
//! stand in [`AckEvent`](super::congestion::AckEvent) for an algorithm that will. Left out: ECN marks, losses.

use std::collections::VecDeque;

use crate::types::{Bytes, Duration, Time};

use super::Segment;
use super::ack_summary::AckSummary;

/// What one ACK tells of the rate at which the network delivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// Bytes delivered, acknowledged or SACKed,
    pub delivered: Bytes,
    /// in this time.
    pub interval: Duration,
    /// True when the sender had nothing to send for a moment of it: the network may be faster.
    pub is_application_limited: bool,
    /// Bytes delivered when the segment that the sample is from was sent: with it a round trip can be counted.
    pub prior_delivered: Bytes,
}

impl RateSample {
    /// Bytes per second.
    pub fn bytes_per_second(&self) -> f64 {
        self.delivered.count() as f64 / self.interval.as_secs()
    }
}

/// Counts deliveries and keeps for each outstanding segment what was known when it was last sent.
#[derive(Clone, Debug, Default)]
pub(super) struct DeliveryRate {
    /// C.delivered, C.delivered_time.
    delivered: u64,
    delivered_at: Time,
    /// C.first_send_time: when the latest segment delivered was sent.
    first_sent_at: Time,
    /// C.app_limited: what is delivered up to here is application-limited.
    limited_until: Option<u64>,
    outstanding: VecDeque<Snapshot>,
    /// The shortest round trip of a segment sent once.
    least_rtt: Option<Duration>,
    latest: Option<RateSample>,
}

/// P.delivered, P.delivered_time, P.first_send_time, P.is_app_limited, P.send_time.
#[derive(Clone, Copy, Debug)]
struct Snapshot {
    end: u64,
    sent_at: Time,
    delivered: u64,
    delivered_at: Time,
    first_sent_at: Time,
    is_limited: bool,
}

impl DeliveryRate {
    /// A segment leaves; before it nothing was outstanding, or something was.
    pub(super) fn on_sent(&mut self, now: Time, segment: &Segment) {
        if self.outstanding.is_empty() {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        let snapshot = Snapshot {
            end: segment.end(),
            sent_at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            is_limited: self.limited_until.is_some(),
        };
        let index = self.outstanding.partition_point(|other| other.end < snapshot.end);
        match self.outstanding.get_mut(index) {
            Some(other) if other.end == snapshot.end => *other = snapshot,
            _ => self.outstanding.insert(index, snapshot),
        }
    }

    /// The application has nothing to send though the window would allow it; `flight` is still on its way.
    pub(super) fn on_application_limited(&mut self, flight: Bytes) {
        self.limited_until = Some((self.delivered + flight.count()).max(1));
    }

    /// What the latest ACK showed.
    pub(super) const fn latest(&self) -> Option<RateSample> {
        self.latest
    }

    /// Takes in an ACK. An interval below the shortest round trip so far shows a retransmission that was not needed.
    pub(super) fn on_ack(&mut self, ack: &AckSummary) {
        self.delivered += ack.delivered.bytes;
        if ack.delivered.segments > 0 && !ack.newest.retransmission {
            let rtt = ack.now.since(ack.newest.sent_at);
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        if self.limited_until.is_some_and(|until| self.delivered > until) {
            self.limited_until = None;
        }
        let sample = self.sample(ack);
        while self.outstanding.front().is_some_and(|snapshot| snapshot.end <= ack.number) {
            self.outstanding.pop_front();
        }
        let least = self.least_rtt.unwrap_or(Duration::ZERO).max(Duration::from_nanos(1));
        self.latest = sample.filter(|sample| sample.interval >= least);
    }

    fn sample(&mut self, ack: &AckSummary) -> Option<RateSample> {
        if ack.delivered.segments == 0 {
            return None;
        }
        self.delivered_at = ack.now;
        let index = self.outstanding.partition_point(|snapshot| snapshot.end < ack.newest.end);
        let newest = *self.outstanding.get(index)?;
        self.first_sent_at = newest.sent_at;
        let sending = newest.sent_at.since(newest.first_sent_at);
        let acknowledging = ack.now.since(newest.delivered_at);
        Some(RateSample {
            delivered: Bytes::new(self.delivered - newest.delivered),
            interval: sending.max(acknowledging),
            is_application_limited: newest.is_limited,
            prior_delivered: Bytes::new(newest.delivered),
        })
    }
}
