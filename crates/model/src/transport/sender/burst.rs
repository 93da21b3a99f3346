//! How many segments one ACK, one timeout or new data may let out.
//!
//! The limits are ns-2's: `maxburst_` of `TcpAgent::send_much`, and the two segments that its NewReno allows in a recovery. A fast
//! retransmit and the repair after a partial ACK do not count. In ns-2 each of the first duplicate ACKs lets out at most
//! one segment, by limited transmit, even if the window has room for more. Tahoe treats them like other ACKs.

use crate::transport::Tcp;
use crate::transport::congestion::Repair;
use crate::transport::recovery::Recovery;

/// More than any window.
const UNLIMITED: u32 = u32::MAX;

/// The limits, and what is left of the one in force.
#[derive(Clone, Copy, Debug)]
pub(super) struct BurstLimit {
    /// After a timeout, new data, or an ACK that is no duplicate.
    whole: u32,
    /// In a recovery by inflation.
    in_recovery: u32,
    /// How many of the first duplicate ACKs each let one segment out.
    limited_transmits: u32,
    threshold: u32,
    is_tahoe: bool,
    left: u32,
}

impl BurstLimit {
    pub(super) fn new(config: &Tcp) -> Self {
        let limit = |most: u32| if most == 0 { UNLIMITED } else { most };
        let whole = limit(config.rules.max_burst_segments);
        let has_recovery_limit =
            config.rules.recovery_burst_segments > 0 && config.congestion_control.repair() != Repair::UntilAnyAck;
        let threshold = config.duplicate_ack_threshold;
        Self {
            whole,
            in_recovery: if has_recovery_limit { config.rules.recovery_burst_segments } else { whole },
            limited_transmits: if config.rules.limited_transmit { threshold - 1 } else { 0 },
            threshold,
            is_tahoe: config.congestion_control.repair() == Repair::StartOver,
            left: UNLIMITED,
        }
    }

    /// True if there is a limit outside recoveries.
    pub(super) const fn is_on(&self) -> bool {
        self.whole != UNLIMITED
    }

    /// True when the limit lets one more segment out.
    #[inline]
    pub(super) const fn has_room(&self) -> bool {
        self.left > 0
    }

    /// A segment that counts is sent.
    #[inline]
    pub(super) const fn on_sent(&mut self) {
        self.left -= 1;
    }

    /// A timeout, new data or the answer to a SYN starts a burst.
    pub(super) const fn renew(&mut self) {
        self.left = self.whole;
    }

    /// An ACK starts a burst; `was_recovering`: a recovery was under way before it.
    pub(super) fn on_ack(&mut self, recovery: &Recovery, is_duplicate: bool, was_recovering: bool) {
        self.left = if recovery.is_inflated() && recovery.is_active() {
            self.in_recovery
        } else if !self.is_on() || recovery.uses_pipe() {
            self.whole
        } else {
            self.in_turn(recovery, is_duplicate, was_recovering)
        };
    }

    fn in_turn(&self, recovery: &Recovery, is_duplicate: bool, was_recovering: bool) -> u32 {
        let row = recovery.duplicates();
        let by_limited_transmit = u32::from(is_duplicate && row <= self.limited_transmits);
        if recovery.is_counted() && recovery.is_active() {
            // The ACK that shows the loss lets out only the repair.
            return if was_recovering { self.whole } else { 0 };
        }
        if row == 0 {
            self.whole
        } else if self.is_tahoe {
            self.whole.saturating_add(by_limited_transmit)
        } else if row < self.threshold || recovery.is_counted() {
            by_limited_transmit
        } else {
            self.in_recovery
        }
    }

    /// Returns whether limited transmit may send: one segment for each of the first duplicate ACKs, and only if that ACK has
    /// sent none within the window.
    pub(super) fn allows_limited_transmit(&self, recovery: &Recovery) -> bool {
        let is_first = recovery.duplicates() < self.threshold;
        !self.is_on() || recovery.uses_pipe() || (recovery.limited.answers_duplicate() && is_first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Algorithm, Rules};

    fn config(congestion_control: Algorithm) -> Tcp {
        let rules =
            Rules { max_burst_segments: 8, recovery_burst_segments: 2, limited_transmit: true, ..Rules::default() };
        Tcp { congestion_control, rules, ..Tcp::default() }
    }

    /// How many segments each duplicate ACK of a row lets out.
    fn of_duplicates(congestion_control: Algorithm, count: u32) -> Vec<u32> {
        let config = config(congestion_control);
        let (mut burst, mut recovery) = (BurstLimit::new(&config), Recovery::new(&config, false));
        let mut on_duplicate = |_| {
            let was_recovering = recovery.is_active();
            recovery.on_duplicate_ack(1000, 9000);
            burst.on_ack(&recovery, true, was_recovering);
            burst.left
        };
        (0..count).map(&mut on_duplicate).collect()
    }

    #[test]
    fn duplicate_acks_let_one_segment_out_each_and_a_recovery_its_own_number() {
        assert_eq!(of_duplicates(Algorithm::NewReno, 4), [1, 1, 2, 2]);
        assert_eq!(of_duplicates(Algorithm::Reno, 4), [1, 1, 8, 8]);
    }

    #[test]
    fn an_ack_of_new_data_starts_a_whole_burst() {
        let config = config(Algorithm::NewReno);
        let mut burst = BurstLimit::new(&config);
        burst.on_ack(&Recovery::new(&config, false), false, false);
        for _ in 0..8 {
            assert!(burst.has_room());
            burst.on_sent();
        }
        assert!(!burst.has_room());
    }
}
