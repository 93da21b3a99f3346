//! Delivery rates ([Cardwell26], "Delivery Rate Samples"): how much was delivered between the sending of a segment and its
//! ACK, by the longer of the spans in which it was sent and acknowledged. Names like C.delivered are the draft's.
//!
//! The draft leaves two choices. No sample is shorter than the least round trip; and with timestamps or `rules.rack` a
//! retransmission gives none if it may be the original that arrived (RFC 8985 §6.2 step 2). Left out: what a DSACK reports to have
//! arrived twice. Without SACK duplicate ACKs count as segments where "pipe" is estimated; else nothing counts until the number
//! moves.

use std::collections::VecDeque;

use crate::types::{Bytes, Duration, Rate, Time};

use super::Segment;
use super::ack_summary::Newest;
use super::congestion::{LostEvent, RateSample};
use super::scoreboard::GivenUp;

/// The state of a connection, and of what it has sent.
#[derive(Clone, Debug)]
pub(super) struct DeliveryRate {
    /// C.delivered, C.delivered_time.
    delivered: u64,
    delivered_at: Time,
    /// C.first_send_time.
    first_sent_at: Time,
    /// C.app_limited: the delivery that ends the phase; 0 outside of one.
    app_limited_to: u64,
    /// C.lost, now and when the latest ACK came.
    lost: u64,
    lost_before_ack: u64,
    /// C.min_rtt.
    least_rtt: Duration,
    /// Transmissions in order, without gaps; those that nothing refers to any more are kept until older ones go.
    packets: VecDeque<Packet>,
    /// The number of the first of them.
    first: u64,
    sample: RateSample,
}

/// What is remembered of a transmission.
#[derive(Clone, Copy, Debug)]
struct Packet {
    /// The end of its bytes in the stream.
    end: u64,
    sent_at: Time,
    first_sent_at: Time,
    delivered_at: Time,
    delivered: u64,
    lost: u64,
    in_flight: u64,
    is_app_limited: bool,
}

impl Default for DeliveryRate {
    fn default() -> Self {
        Self {
            delivered: 0,
            delivered_at: Time::ZERO,
            first_sent_at: Time::ZERO,
            app_limited_to: 0,
            lost: 0,
            lost_before_ack: 0,
            least_rtt: Duration::FOREVER,
            packets: VecDeque::new(),
            first: 0,
            sample: RateSample::default(),
        }
    }
}

impl DeliveryRate {
    /// OnPacketSent: `in_flight` bytes were in flight before it and are `after` it. Returns P.is_app_limited.
    pub(super) fn on_sent(&mut self, now: Time, segment: &Segment, in_flight: u64, after: u64) -> bool {
        if in_flight == 0 {
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        let packet = Packet {
            end: segment.end(),
            sent_at: now,
            first_sent_at: self.first_sent_at,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost: self.lost,
            in_flight: after,
            is_app_limited: self.app_limited_to > 0,
        };
        if self.packets.is_empty() {
            self.first = segment.transmission;
        }
        // SYNs and probes without data have numbers, too; a copy of the next one stands for each.
        while self.first + self.packets.len() as u64 <= segment.transmission {
            self.packets.push_back(packet);
        }
        packet.is_app_limited
    }

    /// MarkConnectionAppLimited.
    pub(super) fn on_app_limit(&mut self, in_flight: u64) {
        self.app_limited_to = (self.delivered + in_flight).max(1);
    }

    /// InitRateSample.
    pub(super) fn begin_ack(&mut self) {
        self.sample = RateSample::default();
        self.lost_before_ack = self.lost;
    }

    /// UpdateRateSample for all that an ACK newly delivers, `bytes` in all; `newest` is the last one sent of it.
    pub(super) fn on_delivered(&mut self, now: Time, bytes: u64, newest: &Newest) {
        if bytes == 0 {
            return;
        }
        self.delivered += bytes;
        self.delivered_at = now;
        let packet = (newest.sent_at != Time::NEVER).then(|| *self.packet(newest.transmission));
        if let Some(packet) = packet {
            self.sample_from(now, &packet, newest.retransmission);
        }
        if self.delivered > self.app_limited_to {
            self.app_limited_to = 0;
        }
    }

    fn sample_from(&mut self, now: Time, packet: &Packet, is_retransmission: bool) {
        self.first_sent_at = packet.sent_at;
        let rtt = (!is_retransmission).then(|| now.since(packet.sent_at));
        self.least_rtt = rtt.map_or(self.least_rtt, |rtt| rtt.min(self.least_rtt));
        self.sample = RateSample {
            rate: None,
            delivered: Bytes::new(self.delivered - packet.delivered),
            prior_delivered: Bytes::new(packet.delivered),
            send_elapsed: packet.sent_at.since(packet.first_sent_at),
            ack_elapsed: now.since(packet.delivered_at),
            is_app_limited: packet.is_app_limited,
            in_flight_at_send: Bytes::new(packet.in_flight),
            lost: Bytes::new(packet.lost),
            rtt,
            ..RateSample::default()
        };
        let interval = self.sample.interval();
        // GenerateRateSample: a shorter interval is no reliable one.
        if interval >= self.least_rtt && interval > Duration::ZERO {
            let bits = self.sample.delivered.bits() as f64;
            self.sample.rate = Some(Rate::from_bps(bits / interval.as_secs()));
        }
    }

    /// A transmission is given up.
    pub(super) fn on_lost(&mut self, now: Time, lost: &GivenUp) -> LostEvent {
        self.lost += u64::from(lost.length);
        let packet = self.packet(lost.transmission);
        LostEvent {
            now,
            bytes: Bytes::new(u64::from(lost.length)),
            sent_at: packet.sent_at,
            in_flight_at_send: Bytes::new(packet.in_flight),
            lost: Bytes::new(self.lost - packet.lost),
            is_app_limited: packet.is_app_limited,
        }
    }

    /// The sample of the latest ACK, with the losses that it showed.
    pub(super) fn sample(&self) -> RateSample {
        let lost_at_send = if self.sample.delivered.is_zero() { self.lost } else { self.sample.lost.count() };
        RateSample {
            total_delivered: Bytes::new(self.delivered),
            lost: Bytes::new(self.lost - lost_at_send),
            newly_lost: Bytes::new(self.lost - self.lost_before_ack),
            ..self.sample
        }
    }

    /// Everything below `start` is acknowledged.
    pub(super) fn forget_below(&mut self, start: u64) {
        while self.packets.front().is_some_and(|packet| packet.end <= start) {
            self.packets.pop_front();
            self.first += 1;
        }
    }

    fn packet(&self, transmission: u64) -> &Packet {
        let index = usize::try_from(transmission - self.first).expect("fewer packets than that");
        &self.packets[index]
    }
}
