//! A queue's management from outside the crate: drop-tail, CoDel as RFC 8289 writes it down, and refusals at random.

use airlink_model::queue::{Header, Occupancy, QueueManagement, Verdict};
use airlink_model::types::{Bytes, Duration, Purpose, RandomStream, Time, UserId};
use airlink_sim::Components;
use serde_json::json;

use super::case::{AQM, Case, fits};

/// Nothing: what has no room is refused by the limits.
#[derive(Clone, Debug)]
struct Nothing;

impl QueueManagement for Nothing {
    fn boxed_clone(&self) -> Box<dyn QueueManagement> {
        Box::new(self.clone())
    }
}

/// CoDel with the RFC's parameters, in seconds, and its state told in other words: the drop under way, the next one due.
#[derive(Clone, Debug, Default)]
struct PlainCodel {
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

/// Refuses each packet with the same probability.
#[derive(Clone, Debug)]
struct Coin {
    probability: f64,
    draws: RandomStream,
}

impl QueueManagement for Coin {
    fn on_arrival(&mut self, _now: Time, _packet: &Header, _waiting: Occupancy, _in_service: Occupancy) -> Verdict {
        if self.draws.uniform() >= self.probability { Verdict::Pass } else { Verdict::Drop }
    }

    fn chooses_drops(&self) -> bool {
        true
    }

    fn boxed_clone(&self) -> Box<dyn QueueManagement> {
        Box::new(self.clone())
    }
}

/// Greedy downloads of three users over a fading cell, with queues that fill.
fn loaded() -> Case {
    Case::k3().set("/users", 3).set("/duration_s", 30.0).set("/flows/0/traffic", json!({ "kind": "greedy" }))
}

#[test]
fn management_that_does_nothing_is_drop_tail() {
    let case = loaded().set("/queue/limit_packets", 20);
    let found = case.run_of(&Components::default().queues(|_| Box::new(Nothing)));
    assert!(found.wholes("cell", "drops_queue_full")[0] > 0);
    assert_eq!(found.0.digest(), case.run().0.digest());
}

#[test]
fn codel_from_outside_is_the_one_built_in() {
    let case = loaded().set("/queue/kind", "codel");
    let found = case.run_of(&Components::default().queues(|_| Box::new(PlainCodel::default())));
    assert!(found.fates().iter().filter(|&&fate| fate == AQM).count() > 20);
    assert_eq!(found.0.digest(), case.run().0.digest());
}

#[test]
fn refusals_at_random_are_counted_and_are_as_many_as_drawn() {
    let coin = |user: UserId| {
        Box::new(Coin { probability: 0.05, draws: RandomStream::new(1, Purpose::Own, user.index() as u64) }) as Box<_>
    };
    let found = loaded().run_of(&Components::default().queues(coin));
    let refused = found.fates().iter().filter(|&&fate| fate == AQM).count() as f64;
    let came = found.fates().len() as f64;
    assert!(came > 1000.0 && fits(refused / came, 0.05, came), "{refused} of {came}");
    assert_eq!(refused as i64, found.wholes("cell", "drops_aqm")[0]);
}

#[test]
#[should_panic(expected = "a wired bottleneck has neither a scheduler nor queues to manage")]
fn a_bottleneck_has_no_queue_to_manage() {
    Case::dumbbell().run_of(&Components::default().queues(|_| Box::new(Nothing)));
}
