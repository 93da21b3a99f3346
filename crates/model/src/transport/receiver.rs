//! The receiving side of a connection: reassembly, cumulative and delayed acknowledgments.
//!
//! The application reads at once, so the window advertised never moves. After every `handle_packet` or
//! `handle_timeout`, take the ACK from [`Receiver::poll_packet`]: ACKs left there merge into one. Left out: SACK,
//! window updates, a reader that stalls, refusal of data beyond the window (a correct sender sends none).

use crate::types::{Bytes, Time};

use super::config::ReceiverConfig;
use super::reassembly::Reassembly;
use super::{Acknowledgment, Segment};

/// The receiving side of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    /// RCV.NXT: the first byte still missing.
    next: u64,
    ahead: Reassembly,
    /// Segments in order that no ACK has covered yet.
    unacknowledged: u32,
    ack_is_due: bool,
    timer: Time,
}

impl Receiver {
    /// A receiver that waits for byte 0.
    pub fn new(config: ReceiverConfig) -> Self {
        assert!(config.delayed_ack.every >= 1, "an ACK follows after at least one segment");
        Self { config, next: 0, ahead: Reassembly::default(), unacknowledged: 0, ack_is_due: false, timer: Time::NEVER }
    }

    /// Takes in a segment that arrived at `now`.
    pub fn handle_packet(&mut self, now: Time, segment: &Segment) {
        let end = segment.end();
        if segment.sequence > self.next || end <= self.next {
            // RFC 5681 §4.2: out of order, an immediate duplicate ACK; RFC 9293 §3.10.7.4: so does old data.
            if end > self.next {
                self.ahead.insert(segment.sequence..end);
            }
            self.ack_is_due = true;
        } else if self.ahead.is_empty() {
            self.next = end;
            self.on_in_order(now);
        } else {
            // RFC 5681 §4.2: an immediate ACK when a segment fills all or part of a gap.
            self.next = self.ahead.take_in_order(end);
            self.ack_is_due = true;
        }
    }

    /// Ends the wait of a delayed ACK if its time has come.
    pub fn handle_timeout(&mut self, now: Time) {
        self.ack_is_due |= now >= self.timer;
    }

    /// When [`Receiver::handle_timeout`] is wanted, if ever. Costs a load.
    pub fn poll_timeout(&self) -> Option<Time> {
        (self.timer != Time::NEVER).then_some(self.timer)
    }

    /// The ACK to send at `now`, if one is due; it covers everything that waits.
    pub fn poll_packet(&mut self, _now: Time) -> Option<Acknowledgment> {
        if !self.ack_is_due {
            return None;
        }
        self.ack_is_due = false;
        self.unacknowledged = 0;
        self.timer = Time::NEVER;
        Some(Acknowledgment::new(self.next, self.config.window))
    }

    /// Bytes delivered to the application in order, each once.
    pub const fn goodput(&self) -> Bytes {
        Bytes::new(self.next)
    }

    /// RFC 5681 §4.2: an ACK for every n-th segment, or when the timer of the first one waiting expires.
    fn on_in_order(&mut self, now: Time) {
        self.unacknowledged += 1;
        if self.unacknowledged >= self.config.delayed_ack.every {
            self.ack_is_due = true;
        } else if self.timer == Time::NEVER {
            self.timer = now + self.config.delayed_ack.timer;
        }
    }
}
