//! What an ACK does when recovery counts its "pipe" [Fall96]; see [`CountedPipe`](crate::transport::recovery::CountedPipe).

use super::Sender;
use super::sending::Next;
use crate::transport::Ack;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::CongestionControl;
use crate::transport::recovery::DuplicateAck;

impl Sender {
    pub(super) fn on_ack_by_counter(&mut self, ack: &Ack, summary: &AckSummary) {
        if self.recovery.is_active() {
            self.on_ack_in_counted_recovery(ack, summary);
        } else if summary.is_new() {
            self.counter.on_new_ack();
            self.measure_round_trip(summary);
            self.recovery.on_ack(summary.number);
            self.control.on_ack(&self.ack_event(summary, summary.acked_segments));
            self.update_timer(summary.now, true);
        } else if summary.is_duplicate && self.counter.on_sack(self.scoreboard.range(), ack.sack()) {
            self.on_counted_duplicate(summary);
        }
    }

    fn on_counted_duplicate(&mut self, ack: &AckSummary) {
        if self.recovery.on_duplicate_ack(ack.number, self.scoreboard.end()) != DuplicateAck::ShowsLoss {
            return;
        }
        self.statistics.fast_retransmits += 1;
        self.control.on_loss(&self.loss_event(ack.now, false));
        self.round_trips.on_loss();
        self.counter.begin(&self.scoreboard, self.config.duplicate_ack_threshold);
        self.resend_oldest = true;
        // Of this one only: what fills a hole later leaves the timer alone.
        if self.config.rules.restart_timer_on_retransmission {
            self.restart_timer(ack.now);
        }
    }

    fn on_ack_in_counted_recovery(&mut self, ack: &Ack, summary: &AckSummary) {
        self.counter.on_departed();
        if !summary.is_new() {
            self.counter.on_sack(self.scoreboard.range(), ack.sack());
        } else if self.recovery.is_full(summary.number) {
            self.measure_round_trip(summary);
            self.counter.on_new_ack();
            self.recovery.end_counted();
            self.control.on_recovered();
            self.update_timer(summary.now, true);
        } else {
            self.counter.on_departed();
            self.counter.on_sack(self.scoreboard.range(), ack.sack());
            self.update_timer(summary.now, true);
            self.round_trips.end_back_off();
        }
    }

    /// In recovery: holes first, then new data, while the counter is below cwnd.
    pub(super) fn next_by_counter(&mut self) -> Option<Next> {
        if !self.counter.has_room(self.whole_window() / u64::from(self.mss)) {
            return None;
        }
        let Some(index) = self.counter.next_hole(&self.scoreboard) else {
            let length = self.next_new_length()?;
            self.counter.on_sent(None);
            return Some(Next::New(length));
        };
        let end = self.scoreboard.get(index).expect("a hole is a segment").end();
        self.counter.on_sent(Some(end));
        Some(Next::Repeat(index))
    }
}
