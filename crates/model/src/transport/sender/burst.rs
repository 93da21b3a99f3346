//! How many segments one ACK, one timeout or new data may let out.
//!
//! ns-2, `maxburst_` of `TcpAgent::send_much`, and the two that its NewReno allows in a recovery. The limits count what leaves in
//! turn: a fast retransmit and what a partial ACK sends again go out beside them. In ns-2 the first duplicate ACKs let
//! out at most one segment, by limited transmit, though the window may have room for more; Tahoe goes on as by any ACK.

use super::Sender;
use crate::transport::congestion::Algorithm;

/// More than any window.
pub(super) const UNLIMITED: u32 = u32::MAX;

impl Sender {
    /// What a timeout, new data or an ACK without more to say may let out.
    pub(super) fn whole_burst(&self) -> u32 {
        match self.config.rules.max_burst_segments {
            0 => UNLIMITED,
            most => most,
        }
    }

    /// After an ACK; `was_recovering` is what it found.
    pub(super) fn renew_burst(&mut self, is_duplicate: bool, was_recovering: bool) {
        self.burst_left = if self.recovers_by_inflation() && self.recovery.is_active() {
            self.burst_in_recovery()
        } else if self.config.rules.max_burst_segments == 0 || self.uses_pipe {
            self.whole_burst()
        } else {
            self.burst_in_turn(is_duplicate, was_recovering)
        };
    }

    /// A window that bursts have left open is no reason for limited transmit: it is one segment for each of the first duplicate
    /// ACKs, and only if the window gave none.
    pub(super) fn may_limited_transmit_after_burst(&self) -> bool {
        let is_first = self.recovery.duplicates() < self.config.duplicate_ack_threshold;
        self.config.rules.max_burst_segments == 0 || self.uses_pipe || (self.answers_duplicate && is_first)
    }

    fn recovers_by_inflation(&self) -> bool {
        !self.uses_pipe && !self.counter.is_on()
    }

    fn burst_in_recovery(&self) -> u32 {
        match self.config.rules.recovery_burst_segments {
            most if most > 0 && self.config.congestion_control != Algorithm::Reno => most,
            _ => self.whole_burst(),
        }
    }

    fn burst_in_turn(&self, is_duplicate: bool, was_recovering: bool) -> u32 {
        let (row, threshold) = (self.recovery.duplicates(), self.config.duplicate_ack_threshold);
        let by_limited_transmit = u32::from(is_duplicate && self.config.rules.limited_transmit && row < threshold);
        if self.counter.is_on() && self.recovery.is_active() {
            // The ACK that shows the loss lets out its repair alone.
            return if was_recovering { self.whole_burst() } else { 0 };
        }
        if row == 0 {
            self.whole_burst()
        } else if self.has_no_fast_recovery() {
            self.whole_burst().saturating_add(by_limited_transmit)
        } else if row < threshold || self.counter.is_on() {
            by_limited_transmit
        } else {
            self.burst_in_recovery()
        }
    }
}
