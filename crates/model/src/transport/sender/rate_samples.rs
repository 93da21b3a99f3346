//! What a sender tells a congestion control that lives on delivery rates: each segment that leaves, each that is lost, and a
//! sample with each ACK. Others pay a branch.

use super::Sender;
use crate::transport::Segment;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::{CongestionControl, SentEvent};
use crate::transport::sent::Sum;
use crate::types::{Bytes, Time};

impl Sender {
    /// CheckIfApplicationLimited: before new data is supplied, an ACK is processed or a timer acts.
    #[inline]
    pub(super) fn note_app_limit(&mut self) {
        if self.needs.rate_samples {
            self.check_app_limit();
        }
    }

    #[cold]
    fn check_app_limit(&mut self) {
        let in_flight = self.pipe();
        let has_room = (in_flight as f64) < self.send_window();
        let has_nothing_to_send = self.supply.end() == self.scoreboard.end() && !self.scoreboard.has_waiting();
        if let Some(delivery) = self.delivery.as_mut().filter(|_| has_room && has_nothing_to_send) {
            delivery.on_app_limit(in_flight);
        }
    }

    /// An ACK begins to be processed.
    #[inline]
    pub(super) fn begin_rate_sample(&mut self) {
        self.note_app_limit();
        if let Some(delivery) = &mut self.delivery {
            delivery.begin_ack();
        }
    }

    /// An ACK shows that so much has arrived.
    #[inline]
    pub(super) fn note_delivered(&mut self, ack: &AckSummary, delivered: Sum) {
        if let Some(delivery) = &mut self.delivery {
            delivery.on_delivered(ack.now, delivered.bytes, &ack.newest);
            delivery.forget_below(self.scoreboard.start());
        }
    }

    /// A segment was sent, with `in_flight` bytes in flight before it.
    #[cold]
    pub(super) fn note_sent(&mut self, now: Time, segment: &Segment, in_flight: u64) {
        let after = self.pipe();
        let Some(delivery) = &mut self.delivery else { return };
        let is_app_limited = delivery.on_sent(now, segment, in_flight, after);
        self.control.on_sent(&SentEvent {
            now,
            bytes: Bytes::new(u64::from(segment.length)),
            in_flight: Bytes::new(in_flight),
            is_retransmission: segment.retransmission,
            is_app_limited,
        });
    }

    /// Reports the transmissions that were just given up.
    #[inline]
    pub(super) fn report_lost(&mut self, now: Time) {
        let Some(delivery) = &mut self.delivery else { return };
        for lost in self.scoreboard.take_given_up() {
            self.control.on_lost(&delivery.on_lost(now, &lost));
        }
    }
}
