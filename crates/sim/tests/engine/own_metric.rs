//! Metrics from outside the crate, in the argmax engine: proportional fair by its equation, and one that can't be compared.

use airlink_model::scheduler::{SlotMetric, SlotOutcome, SlotView};
use airlink_sim::Components;
use serde_json::json;

use super::case::Case;

/// R / A by what the view shows, over all users and subchannels.
#[derive(Clone)]
struct PlainPf;

impl SlotMetric for PlainPf {
    fn fill(&mut self, view: &SlotView<'_>, metrics: &mut [f64]) {
        for (place, metric) in metrics.iter_mut().enumerate() {
            *metric = f64::from(view.rate_bps[place]) / view.average_bps[place / view.subchannels];
        }
    }

    fn boxed_clone(&self) -> Box<dyn SlotMetric> {
        Box::new(self.clone())
    }
}

fn pf() -> Components {
    Components::default().metric(|| Box::new(PlainPf))
}

/// [Klein04]'s cell under proportional fair, with late reports and losses that ARQ repairs.
fn fair(subchannels: usize, ties: &str) -> Case {
    Case::k3()
        .set("/duration_s", 3.0)
        .set("/carrier/subchannels", subchannels)
        .set("/link/report/delay_slots", 2)
        .set("/link/errors/probability", 0.1)
        .set("/link/arq/max_retransmissions", 3)
        .scheduled(json!({ "kind": "proportional_fair", "time_constant_slots": 100.0, "ties": ties }))
}

#[test]
fn proportional_fair_from_outside_is_the_built_in_one_digest_by_digest() {
    for subchannels in [1, 50] {
        for ties in ["lowest_index", "random"] {
            for (place, value) in [("serve_empty_queues", true), ("release_satisfied_users", true)] {
                let case = fair(subchannels, ties).with("/scheduler", place, json!(value));
                let own = case.run_of(&pf());
                assert_eq!(own.0.digest(), case.run().0.digest(), "{subchannels} subchannels, {ties}, {place}");
            }
        }
    }
}

#[test]
fn few_candidates_among_many_users_are_decided_alike() {
    let case = fair(1, "random").set("/users", 40).set("/flows/0/users", json!([3, 17, 33]));
    assert_eq!(case.run_of(&pf()).0.digest(), case.run().0.digest());
}

#[test]
fn a_slot_that_a_retransmission_takes_asks_for_no_metric() {
    let case = fair(1, "lowest_index").set("/link/arq/unit", "slot").set("/link/arq/repeats", "at_once");
    assert_eq!(case.run_of(&pf()).0.digest(), case.run().0.digest());
}

/// No number for user 0, minus infinity for user 1, and 1 for the others; counts the slots that ended.
#[derive(Clone)]
struct Refusing {
    ended: u64,
}

impl SlotMetric for Refusing {
    fn fill(&mut self, view: &SlotView<'_>, metrics: &mut [f64]) {
        assert_eq!(view.slot.number(), self.ended, "each slot ends before the next is decided");
        metrics.fill(1.0);
        (metrics[0], metrics[1]) = (f64::NAN, f64::NEG_INFINITY);
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        assert_eq!(outcome.slot.number(), self.ended);
        self.ended += 1;
    }

    fn boxed_clone(&self) -> Box<dyn SlotMetric> {
        Box::new(self.clone())
    }
}

#[test]
fn what_is_no_number_never_wins_and_ties_follow_the_scenario() {
    let case = Case::fixed_link().backlogged(4, 576).set("/duration_s", 1.0);
    let case = case.scheduled(json!({ "kind": "max_rate", "ties": "lowest_index" }));
    let found = case.run_of(&Components::default().metric(|| Box::new(Refusing { ended: 0 })));
    assert_eq!(found.wholes("users", "slots_won"), [0, 0, 200, 0]);
}
