//! CoDel (RFC 8289): drops at the head once the oldest packets have waited longer than a target for an interval.
//!
//! | what | where in the RFC |
//! | --- | --- |
//! | a packet may be dropped when each one that left for an interval had waited for the target or longer, and more than the largest packet is left behind it | section 5.6 |
//! | drops follow one another at interval / sqrt(count), the first at once | section 5.5 |
//! | a spell of drops that begins soon after another goes on with its rate | section 5.5 |
//!
//! Time passes only from one packet that leaves to the next; with slots, many leave at one moment, and what the loop
//! of section 5.5 says of a time in the past then drops several of them in a row.
//!
//! It leaves out: marking instead of dropping (no transport here hears of marks), and flow queues (RFC 8290).

use super::fifo::Fifo;
use crate::types::declare::Section;
use crate::types::{Bytes, Duration, Packet, Time};

/// CoDel (RFC 8289): drops at the head once packets have waited too long; not used by the other kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Section)]
pub struct CodelConfig {
    /// TARGET: the acceptable standing wait in the queue.
    #[field(
        name = "target_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(5),
        source = "RFC 8289 section 4.3"
    )]
    pub target: Duration,
    /// INTERVAL: drops begin when no packet has waited less than the target for so long; about a round trip.
    #[field(
        name = "interval_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(100),
        source = "RFC 8289 section 4.2"
    )]
    pub interval: Duration,
    /// A dropping state starts with the drop rate of the previous one if that ended less than so many intervals ago.
    #[field(at_least = 0, at_most = 1000, default = 16, source = "RFC 8289 section 5.5")]
    pub remembered_intervals: u64,
}

/// The state of section 5.3; a moment that the RFC writes as 0 is none.
#[derive(Clone, Debug)]
pub(super) struct Codel {
    config: CodelConfig,
    first_above: Option<Time>,
    drop_next: Time,
    count: u64,
    last_count: u64,
    dropping: bool,
    largest: Bytes,
}

/// The packet at the head, and whether it may be dropped.
struct Head<P> {
    packet: Option<Packet<P>>,
    may_drop: bool,
}

impl Codel {
    pub(super) fn new(config: CodelConfig) -> Self {
        Self {
            config,
            first_above: None,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
            largest: Bytes::ZERO,
        }
    }

    /// A packet entered: the largest so far stands for the MTU.
    pub(super) fn on_push(&mut self, bytes: Bytes) {
        self.largest = self.largest.max(bytes);
    }

    /// The packet to send (section 5.5, `deque`); those dropped before it are added to `dropped`.
    pub(super) fn pop<P>(&mut self, now: Time, queue: &mut Fifo<P>, dropped: &mut Vec<Packet<P>>) -> Option<Packet<P>> {
        let mut head = self.head(now, queue);
        if self.dropping {
            self.dropping = head.may_drop;
            while self.dropping && now >= self.drop_next {
                dropped.extend(head.packet.take());
                self.count += 1;
                head = self.head(now, queue);
                self.dropping = head.may_drop;
                if self.dropping {
                    self.drop_next = self.next_after(self.drop_next);
                }
            }
        } else if head.may_drop {
            dropped.extend(head.packet.take());
            head = self.head(now, queue);
            self.begin_spell(now);
        }
        head.packet
    }

    /// Takes the oldest packet out (section 5.6, `dodequeue`).
    fn head<P>(&mut self, now: Time, queue: &mut Fifo<P>) -> Head<P> {
        let packet = queue.pop();
        let waited = packet.as_ref().map_or(Duration::ZERO, |packet| now.since(packet.queued_at));
        if packet.is_none() || waited < self.config.target || queue.bytes() <= self.largest {
            self.first_above = None;
            return Head { packet, may_drop: false };
        }
        let first_above = *self.first_above.get_or_insert(now + self.config.interval);
        // It lies ahead when it has just been set, as an interval is above 0.
        Head { packet, may_drop: now >= first_above }
    }

    /// Soon after another spell, the rate that it had reached is where this one begins.
    fn begin_spell(&mut self, now: Time) {
        let reached = self.count - self.last_count;
        let is_soon = now.since(self.drop_next) < self.config.interval * self.config.remembered_intervals;
        self.dropping = true;
        self.count = if reached > 1 && is_soon { reached } else { 1 };
        self.drop_next = self.next_after(now);
        self.last_count = self.count;
    }

    /// The control law: t + INTERVAL / sqrt(count), to the nearest nanosecond.
    fn next_after(&self, time: Time) -> Time {
        time + Duration::from_secs(self.config.interval.as_secs() / libm::sqrt(self.count as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spell_goes_on_with_the_rate_of_one_that_is_remembered() {
        let second_spell = |remembered_intervals| {
            let mut codel = Codel::new(CodelConfig { remembered_intervals, ..CodelConfig::default() });
            (codel.count, codel.last_count) = (9, 2);
            codel.begin_spell(Time::ZERO + Duration::from_millis(150));
            codel.count
        };
        assert_eq!([0, 1, 2, 16].map(second_spell), [1, 1, 7, 7]);
    }
}
