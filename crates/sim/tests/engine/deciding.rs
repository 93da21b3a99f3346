//! Slots that somebody else decides: observe, a decision made from the view alone, apply.

use airlink_model::scheduler::{Allocation, AllocationError, SlotView, Ties, UserRow};
use airlink_model::types::{CounterStream, Purpose, Time};
use airlink_sim::{RecordKind, Simulation};
use serde_json::{Value, json};

use super::case::{Case, GOOD_DB};

const TIME_CONSTANT_SLOTS: f64 = 100.0;
const SEED: u64 = 1;

/// Proportional fair by its two equations, from what the view shows.
struct OwnPf {
    ties: Ties,
    /// Averages of its own, from what each slot gave; without them those that the view shows.
    averages_bps: Option<Vec<f64>>,
}

impl OwnPf {
    fn decide(&mut self, view: &SlotView<'_>, allocation: &mut Allocation) {
        if let Some(averages_bps) = &mut self.averages_bps {
            averages_bps.resize(view.users, 8.0);
            if view.slot.number() > 0 {
                let weight = 1.0 / TIME_CONSTANT_SLOTS;
                averages_bps.iter_mut().for_each(|average| *average *= 1.0 - weight);
                for served in view.served {
                    averages_bps[served.user.index()] += weight * (served.sent_bits / view.slot_s);
                }
            }
        }
        allocation.clear();
        if view.taken_by.is_some() {
            return;
        }
        let averages_bps = self.averages_bps.as_deref().unwrap_or(view.average_bps);
        for subchannel in 0..view.subchannels {
            let rated = view.candidates.iter().filter_map(|&user| {
                let rate = f64::from(view.rate_bps[user as usize * view.subchannels + subchannel]);
                let average = averages_bps[user as usize];
                let metric = if view.subchannels == 1 { rate / average } else { rate * (1.0 / average) };
                (rate > 0.0).then_some((user as usize, metric))
            });
            let rated: Vec<(usize, f64)> = rated.collect();
            let Some(largest) = rated.iter().map(|(_, metric)| *metric).reduce(f64::max) else { continue };
            let equals: Vec<usize> =
                rated.iter().filter(|(_, metric)| *metric == largest).map(|(user, _)| *user).collect();
            let rank = match self.ties {
                Ties::LowestIndex => 0,
                Ties::Random => {
                    let draw = CounterStream::new(SEED, Purpose::Tie, subchannel as u64).bits(view.slot);
                    ((u128::from(draw) * equals.len() as u128) >> 64) as usize
                }
            };
            allocation.grant(subchannel, UserRow::new(equals[rank]));
        }
    }
}

/// [Klein04]'s cell under proportional fair, with late reports and losses that ARQ repairs.
fn fair(subchannels: usize, ties: &str) -> Case {
    let scheduler = json!({ "kind": "proportional_fair", "time_constant_slots": TIME_CONSTANT_SLOTS, "ties": ties });
    Case::k3()
        .set("/duration_s", 3.0)
        .set("/carrier/subchannels", subchannels)
        .set("/link/report/delay_slots", 2)
        .set("/link/errors/probability", 0.1)
        .set("/link/arq/max_retransmissions", 3)
        .scheduled(scheduler)
}

fn start(case: &Case) -> Simulation {
    Simulation::new(&case.scenario(), case.traces(), SEED, &RecordKind::ALL)
}

/// Runs to the end; `decide` decides each slot, or leaves it to the scenario's scheduler.
fn digest(case: &Case, mut decide: impl FnMut(&SlotView<'_>, &mut Allocation) -> bool) -> String {
    let mut simulation = start(case);
    while let Some(view) = simulation.observe() {
        let mut allocation = Allocation::new(view.subchannels);
        if decide(&view, &mut allocation) {
            simulation.apply(&allocation).expect("only candidates with a rate were granted anything");
        } else {
            simulation.step();
        }
    }
    assert!(simulation.is_finished() && simulation.observe().is_none());
    assert_eq!(simulation.apply(&Allocation::new(1)), Err(AllocationError::NothingObserved));
    simulation.into_replica(SEED).digest()
}

#[test]
fn proportional_fair_from_the_view_alone_is_the_built_in_one_digest_by_digest() {
    for (word, ties) in [("lowest_index", Ties::LowestIndex), ("random", Ties::Random)] {
        for subchannels in [1, 24] {
            let case = fair(subchannels, word);
            let built_in = case.run().0.digest();
            for averages_bps in [None, Some(Vec::new())] {
                let mut own = OwnPf { ties, averages_bps };
                let decided = digest(&case, |view, allocation| {
                    own.decide(view, allocation);
                    true
                });
                assert_eq!(decided, built_in, "{word}, {subchannels} subchannels");
            }
            // Every third slot is the built-in one's: its averages went on meanwhile.
            let mut own = OwnPf { ties, averages_bps: None };
            let mixed = digest(&case, |view, allocation| {
                own.decide(view, allocation);
                view.slot.number() % 3 > 0
            });
            assert_eq!(mixed, built_in, "{word}, {subchannels} subchannels");
        }
    }
}

#[test]
fn a_retransmission_at_once_takes_its_slot_and_leaves_nothing_to_decide() {
    let case = fair(1, "lowest_index").set("/link/arq/unit", "slot").set("/link/arq/repeats", "at_once");
    let mut own = OwnPf { ties: Ties::LowestIndex, averages_bps: Some(Vec::new()) };
    let mut taken = 0;
    let decided = digest(&case, |view, allocation| {
        taken += u32::from(view.taken_by.is_some());
        own.decide(view, allocation);
        true
    });
    assert!(taken > 10, "{taken} slots were taken");
    assert_eq!(decided, case.run().0.digest());
}

#[test]
fn an_allocation_that_cannot_be_applied_says_why_and_changes_nothing() {
    let case = fair(1, "lowest_index").set("/link/arq/unit", "slot").set("/link/arq/repeats", "at_once");
    let mut own = OwnPf { ties: Ties::LowestIndex, averages_bps: None };
    let mut simulation = start(&case);
    assert_eq!(simulation.apply(&Allocation::new(1)), Err(AllocationError::NothingObserved));
    let granted = |user| {
        let mut allocation = Allocation::new(1);
        allocation.grant(0, UserRow::new(user));
        allocation
    };
    let mut seen = [0; 3];
    while let Some(view) = simulation.observe() {
        let mut allocation = Allocation::new(1);
        own.decide(&view, &mut allocation);
        let mut wrong = vec![(Allocation::new(2), AllocationError::Length { has: 2, needs: 1 })];
        if let Some(user) = view.taken_by {
            wrong.push((granted(user.index()), AllocationError::Taken(user)));
            seen[0] += 1;
        } else {
            wrong.push((granted(21), AllocationError::UnknownRow(UserRow::new(21))));
            if let Some(user) = (0..21).find(|&user| !view.eligible[user]) {
                wrong.push((granted(user), AllocationError::NoCandidate(UserRow::new(user))));
                seen[1] += 1;
            }
            if let Some(user) = (0..21).find(|&user| view.eligible[user] && view.rate_bps[user] == 0.0) {
                wrong.push((granted(user), AllocationError::NoRate(UserRow::new(user), 0)));
                seen[2] += 1;
            }
        }
        for (allocation, error) in wrong {
            assert_eq!(simulation.apply(&allocation), Err(error));
        }
        simulation.apply(&allocation).expect("the right one still can be applied");
    }
    assert!(seen.iter().all(|&times| times > 5), "{seen:?}");
    assert_eq!(simulation.into_replica(SEED).digest(), case.run().0.digest());
    let sentence = AllocationError::NoRate(UserRow::new(7), 3).to_string();
    assert_eq!(sentence, "the user in row 7 has rate 0 on subchannel 3");
}

#[test]
fn a_bottleneck_has_no_slots_to_observe() {
    let mut simulation = start(&Case::dumbbell());
    simulation.step();
    assert!(simulation.observe().is_none());
    assert_eq!(simulation.apply(&Allocation::new(1)), Err(AllocationError::NothingObserved));
    assert!(!simulation.is_finished());
}

#[test]
fn the_columns_of_a_view_agree_with_one_another_in_every_slot() {
    let weights: Vec<Value> = (0..21).map(|user| json!(0.5 + f64::from(user))).collect();
    let case = fair(4, "random").with("/scheduler", "weight", Value::Array(weights));
    let case = case.with("/scheduler", "delay_budget_ms", json!(250));
    let (mut last_won, mut lost_bytes) = (vec![None; 21], 0);
    digest(&case, |view, _| {
        let (slot, users) = (view.slot.number(), view.users);
        assert_eq!((users, view.subchannels, view.slot_s), (21, 4, 0.005));
        assert_eq!(view.now, Time::from_nanos(slot * 5_000_000));
        view.served.iter().for_each(|served| last_won[served.user.index()] = Some(slot - 1));
        for (user, last) in last_won.iter().enumerate() {
            let listed = view.candidates.binary_search(&(user as u32)).is_ok();
            assert_eq!(listed, view.eligible[user]);
            assert_eq!(view.gap_slots(user), last.map_or(slot + 1, |last| slot - last));
            assert!(view.retransmit_bytes[user] <= view.backlog_bytes[user]);
            assert_eq!(view.weight[user], 0.5 + user as f64);
            lost_bytes += view.retransmit_bytes[user];
        }
        assert!(view.delay_budget_s.iter().all(|&budget| budget == 0.25));
        assert!(view.candidates.is_sorted() && view.rate_bps.len() == 4 * users && view.reported_db.len() == 4 * users);
        assert_eq!(view.average_bps.len(), users);
        false
    });
    assert!(lost_bytes > 0);
}

#[test]
fn without_averages_of_a_scheduler_the_view_has_none() {
    let case = Case::traced_link(&[GOOD_DB; 20]).set("/scheduler/kind", "round_robin").set("/duration_s", 0.1);
    digest(&case, |view, _| {
        assert!(view.average_bps.is_empty());
        false
    });
}
