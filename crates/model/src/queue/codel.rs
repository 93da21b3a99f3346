//! CoDel (RFC 8289): drops at the head, or marks, once the oldest packets have waited longer than a target for an interval.
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
//! With ECN a packet that can be marked is marked where it would be dropped, and sent (Linux, `codel_dequeue`). A mark leaves
//! nothing to drop at that moment, so the clock of the spell moves on at once.
//!
//! It leaves out: flow queues and a second, lower threshold for marks (RFC 8290).

use super::Occupancy;
use super::management::{Header, QueueManagement, Verdict};
use crate::types::declare::Section;
use crate::types::{Bytes, Duration, Time};

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

/// The state of section 5.2; a moment that the RFC writes as 0 is none.
#[derive(Clone, Debug)]
pub(super) struct Codel {
    config: CodelConfig,
    /// Packets that can be marked are marked, not dropped.
    marks: bool,
    first_above: Option<Time>,
    drop_next: Time,
    count: u64,
    last_count: u64,
    dropping: bool,
    largest: Bytes,
    /// The packet before, at this very moment, was dropped.
    dropped: Option<Dropped>,
}

/// Which drop it was.
#[derive(Clone, Copy, Debug)]
enum Dropped {
    /// The one that begins a spell: the next packet is sent.
    First,
    /// One of a spell, which ends with the first packet that need not be dropped.
    InSpell,
}

impl Codel {
    pub(super) fn new(config: CodelConfig, marks: bool) -> Self {
        Self {
            config,
            marks,
            first_above: None,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
            largest: Bytes::ZERO,
            dropped: None,
        }
    }

    /// Whether the packet at the head may be dropped (section 5.6, `dodequeue`).
    fn may_drop(&mut self, now: Time, waited: Duration, behind: Bytes) -> bool {
        if waited < self.config.target || behind <= self.largest {
            self.first_above = None;
            return false;
        }
        let first_above = *self.first_above.get_or_insert(now + self.config.interval);
        // It lies ahead when it has just been set, as an interval is above 0.
        now >= first_above
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

impl QueueManagement for Codel {
    /// The largest packet so far stands for the MTU.
    fn on_arrival(&mut self, _now: Time, packet: &Header, _waiting: Occupancy, _in_service: Occupancy) -> Verdict {
        self.largest = self.largest.max(packet.bytes);
        Verdict::Pass
    }

    /// Section 5.5, `deque`, a packet at a time.
    fn on_head(&mut self, now: Time, packet: &Header, behind: Occupancy) -> Verdict {
        let may_drop = self.may_drop(now, now.since(packet.queued_at), behind.bytes);
        let is_marked = self.marks && packet.ecn.is_capable();
        match self.dropped.take() {
            Some(Dropped::First) => {
                self.begin_spell(now);
                return Verdict::Pass;
            }
            Some(Dropped::InSpell) if may_drop => self.drop_next = self.next_after(self.drop_next),
            None if !self.dropping && may_drop && is_marked => {
                self.begin_spell(now);
                return Verdict::Mark;
            }
            None if !self.dropping => {
                self.dropped = may_drop.then_some(Dropped::First);
                return if may_drop { Verdict::Drop } else { Verdict::Pass };
            }
            Some(Dropped::InSpell) | None => {}
        }
        self.dropping = may_drop;
        if !may_drop || now < self.drop_next {
            return Verdict::Pass;
        }
        self.count += 1;
        if is_marked {
            self.drop_next = self.next_after(self.drop_next);
            return Verdict::Mark;
        }
        self.dropped = Some(Dropped::InSpell);
        Verdict::Drop
    }

    fn on_empty(&mut self) {
        self.first_above = None;
        self.dropping = false;
    }

    fn chooses_drops(&self) -> bool {
        true
    }

    fn boxed_clone(&self) -> Box<dyn QueueManagement> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spell_goes_on_with_the_rate_of_one_that_is_remembered() {
        let second_spell = |remembered_intervals| {
            let mut codel = Codel::new(CodelConfig { remembered_intervals, ..CodelConfig::default() }, false);
            (codel.count, codel.last_count) = (9, 2);
            codel.begin_spell(Time::ZERO + Duration::from_millis(150));
            codel.count
        };
        assert_eq!([0, 1, 2, 16].map(second_spell), [1, 1, 7, 7]);
    }
}
