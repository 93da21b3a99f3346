//! A queue's management from outside the crate: drop-tail, and refusals at random. `examples/own-scheduler` has CoDel.

use airlink_model::queue::{Header, Occupancy, QueueManagement, Verdict};
use airlink_model::types::{Purpose, RandomStream, Time, UserId};
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
