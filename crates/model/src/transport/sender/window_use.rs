//! What a sender does with its window: after a pause, while it is not used, between paced segments, where it follows prices.
//! Each rule is a switch, and costs a branch when it is off.

use crate::types::{Bytes, Duration, Time};

use super::Sender;
use crate::transport::Segment;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::{CongestionControl, IdleEvent};
use crate::transport::recovery::Phase;
use crate::transport::window_validation::{Burst, Usage};

impl Sender {
    /// Nothing is outstanding; if something is about to be sent, a pause is over.
    #[inline(never)]
    pub(super) fn resume(&mut self, now: Time) {
        if self.statistics.segments_sent > 0 && self.next_new_length().is_some() {
            let event = self.idle.on_resume(now, self.rto.rto(), self.windows());
            self.control.on_idle(&event);
        }
    }

    /// True unless a segment must wait for its time. What a timer asks for does not.
    pub(super) fn is_time_to_send(&mut self, now: Time) -> bool {
        !self.is_paced || self.resend_oldest || self.probe_is_due || self.pacer.allows(now)
    }

    /// After each segment.
    pub(super) fn note_sent(&mut self, now: Time, segment: &Segment) {
        self.idle.on_sent(now);
        if self.is_paced {
            let (windows, srtt) = (self.windows(), self.rto.srtt());
            self.pacer.on_sent(now, segment.length, self.statistics.segments_sent - 1, windows, srtt);
        }
        if let Some(clamp) = &mut self.clamp {
            clamp.on_sent(now);
        }
        self.has_sent_new |= !segment.retransmission;
    }

    /// Nothing more may be sent for now.
    pub(super) fn on_burst_end(&mut self, now: Time) {
        let has_sent_new = std::mem::take(&mut self.has_sent_new);
        if matches!(self.usage, Usage::Ignored) {
            return;
        }
        let flight = self.flight();
        let is_full = flight.count() + u64::from(self.mss) > self.whole_window();
        let is_drained = self.supply.end() == self.scoreboard.end();
        if !has_sent_new && (is_drained || !is_full) {
            return;
        }
        let burst = Burst {
            now,
            start: self.scoreboard.start(),
            end: self.scoreboard.end(),
            flight,
            segments_out: self.scoreboard.len(),
            is_drained,
            rto: self.rto.rto(),
        };
        let windows = self.windows();
        if let Some(windows) = self.usage.on_burst_end(&burst, windows).filter(|_| self.recovery.phase() == Phase::Open)
        {
            self.control.on_idle(&IdleEvent { now, idle: Duration::ZERO, windows });
        }
    }

    /// An ACK moved SND.UNA: how much of the window was used?
    pub(super) fn note_use(&mut self, ack: &AckSummary) {
        let end = self.scoreboard.end();
        if self.recovery.phase() != Phase::Open {
            self.usage.restart(ack.now, ack.number, end);
            return;
        }
        let windows = self.windows();
        if let Some(windows) = self.usage.on_ack(ack.now, ack.number, end, self.rto.srtt(), windows) {
            self.control.on_idle(&IdleEvent { now: ack.now, idle: Duration::ZERO, windows });
        }
    }

    /// What the price that `ack` echoes makes of the window, where it follows prices.
    pub(super) fn follow_price(&mut self, price: f32, ack: &AckSummary) {
        if let Some(clamp) = &mut self.clamp {
            clamp.on_ack(ack, price.into(), self.window.bytes());
        }
    }

    /// cwnd or, if it is smaller, the window that follows prices; bytes.
    #[inline]
    pub(super) fn send_window(&self) -> f64 {
        let cwnd = self.control.window();
        self.clamp.as_ref().map_or(cwnd, |clamp| clamp.window().min(cwnd))
    }

    /// May this ACK open the window?
    pub(super) fn uses_its_window(&self, ack: &AckSummary) -> bool {
        let before = || Bytes::new(self.pipe()) + ack.acked();
        matches!(self.usage, Usage::Ignored) || self.usage.may_grow(self.windows(), before())
    }
}
