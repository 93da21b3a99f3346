//! CoDel (RFC 8289) as the management of one's own of a queue: the built-in one's law, its state told in other words.
//!
//! A packet at the head that has waited for TARGET or longer, as all did for INTERVAL, is dropped; the next drops follow at
//! INTERVAL / sqrt(count). It leaves out: congestion marks.

use airlink_model::queue::{Header, Occupancy, QueueManagement, Verdict};
use airlink_model::types::{Bytes, Duration, Time};

/// CoDel with the RFC's parameters, in seconds, and its state told in other words: the drop under way, the next one due.
#[derive(Clone, Debug, Default)]
pub struct PlainCodel {
    above_until: Option<Time>,
    spell: Option<Spell>,
    /// Of the last spell: when its next drop was due, and its count when it began.
    last: Option<(Time, u64)>,
    count: u64,
    /// A drop has just been made, and the next packet tells how it goes on.
    has_dropped: bool,
    largest: Bytes,
}

/// A spell of drops.
#[derive(Clone, Copy, Debug)]
struct Spell {
    next: Time,
    is_new: bool,
}

const TARGET_S: f64 = 0.005;
const INTERVAL_S: f64 = 0.1;

impl PlainCodel {
    fn after(&self, time: Time) -> Time {
        time + Duration::from_secs(INTERVAL_S / (self.count as f64).sqrt())
    }

    fn is_late(&mut self, now: Time, packet: &Header, behind: Bytes) -> bool {
        if now.since(packet.queued_at).as_secs() < TARGET_S || behind <= self.largest {
            self.above_until = None;
            return false;
        }
        let until = *self.above_until.get_or_insert(now + Duration::from_secs(INTERVAL_S));
        now >= until
    }
}

impl QueueManagement for PlainCodel {
    fn on_arrival(&mut self, _now: Time, packet: &Header, _waiting: Occupancy, _in_service: Occupancy) -> Verdict {
        self.largest = self.largest.max(packet.bytes);
        Verdict::Pass
    }

    fn on_head(&mut self, now: Time, packet: &Header, behind: Occupancy) -> Verdict {
        let is_late = self.is_late(now, packet, behind.bytes);
        let has_dropped = std::mem::take(&mut self.has_dropped);
        let Some(spell) = self.spell else {
            if is_late {
                self.spell = Some(Spell { next: now, is_new: true });
                self.has_dropped = true;
                return Verdict::Drop;
            }
            return Verdict::Pass;
        };
        if spell.is_new {
            let (next, began_with) = self.last.unwrap_or((Time::ZERO, 0));
            let reached = self.count - began_with;
            let is_soon = now.since(next).as_secs() < 16.0 * INTERVAL_S;
            self.count = if reached > 1 && is_soon { reached } else { 1 };
            let next = self.after(now);
            self.spell = Some(Spell { next, is_new: false });
            self.last = Some((next, self.count));
            return Verdict::Pass;
        }
        if !is_late {
            self.spell = None;
            return Verdict::Pass;
        }
        let next = if has_dropped { self.after(spell.next) } else { spell.next };
        self.spell = Some(Spell { next, is_new: false });
        if let Some((due, _)) = &mut self.last {
            *due = next;
        }
        if now < next {
            return Verdict::Pass;
        }
        self.count += 1;
        self.has_dropped = true;
        Verdict::Drop
    }

    fn on_empty(&mut self) {
        self.above_until = None;
        self.spell = None;
    }

    fn chooses_drops(&self) -> bool {
        true
    }

    fn boxed_clone(&self) -> Box<dyn QueueManagement> {
        Box::new(self.clone())
    }
}
