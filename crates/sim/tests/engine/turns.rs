//! Who gets the slots: round robin's turns with full, empty and unreachable users, and schedulers of one's own.

use airlink_model::scheduler::{Allocation, Scheduler, SlotOutcome, SlotView, UserRow};

use airlink_sim::Components;
use serde_json::json;

use super::case::Case;

#[test]
fn backlogged_users_share_the_slots_of_round_robin_exactly() {
    for users in [1, 2, 3, 7] {
        // 210 slots are whole rounds of each.
        let columns = Case::fixed_link().backlogged(users, 576).set("/duration_s", 1.05).run();
        let share = 210 / i64::try_from(users).expect("few");
        assert_eq!(columns.wholes("users", "slots_won"), vec![share; users]);
        assert_eq!(columns.wholes("users", "delivered_bytes"), vec![share * 576; users]);
        let turns: Vec<i64> = (0..210).map(|slot| slot % i64::try_from(users).expect("few")).collect();
        assert_eq!(columns.series("slots", "user"), turns);
        let fair = [columns.reals("cell", "jain_index")[0], columns.reals("cell", "min_max_resource_share")[0]];
        assert!(fair.iter().all(|index| (index - 1.0).abs() < 1e-12));
    }
}

/// Three users, of whom the second has no flow.
fn one_without_data() -> Case {
    Case::fixed_link().backlogged(3, 576).set("/flows/0/users", json!([0, 2])).set("/duration_s", 0.03)
}

#[test]
fn round_robin_passes_over_empty_queues() {
    assert_eq!(one_without_data().run().series("slots", "user"), [0, 2, 0, 2, 0, 2]);
}

#[test]
fn served_empty_queues_win_slots_and_waste_them() {
    let columns = one_without_data().set("/scheduler/serve_empty_queues", true).run();
    assert_eq!(columns.series("slots", "user"), [0, 1, 2, 0, 1, 2]);
    assert_eq!(columns.wholes("users", "slots_won"), [2, 2, 2]);
    assert_eq!(columns.wholes("users", "slots_wasted"), [0, 2, 0]);
    assert_eq!(columns.wholes("users", "frames_sent"), [2, 0, 2]);
    assert_eq!(columns.reals("users", "granted_bytes"), [1152.0, 1152.0, 1152.0]);
    assert_eq!(columns.wholes("users", "sent_bytes"), [1152, 0, 1152]);
    assert_eq!(columns.cell("slots_idle"), 0);
}

#[test]
fn round_robin_gives_a_turn_to_a_user_at_rate_zero_unless_told_to_skip() {
    let placement = json!({ "kind": "mean_snr", "mean_snr_db": [10, -10, 10] });
    let case = Case::fixed_link().backlogged(3, 576).set("/channel/placement", placement).set("/duration_s", 0.03);
    let columns = case.clone().run();
    assert_eq!(columns.series("slots", "user"), [0, 1, 2, 0, 1, 2]);
    assert_eq!(columns.wholes("users", "slots_wasted"), [0, 2, 0]);
    assert_eq!(columns.reals("users", "granted_bytes")[1], 0.0);
    assert_eq!(case.set("/scheduler/skip_unservable", true).run().series("slots", "user"), [0, 2, 0, 2, 0, 2]);
}

#[test]
fn a_cell_where_nobody_has_data_is_idle() {
    let columns = Case::fixed_link().set("/flows/0/start_s", 0.5).set("/duration_s", 0.5).run();
    assert_eq!((columns.cell("slots"), columns.cell("slots_idle")), (100, 100));
    assert_eq!(columns.series("slots", "user"), [-1; 100]);
}

/// Serves the highest user number that may win: no scheduler that ships does.
#[derive(Clone)]
struct LastFirst {
    slots_ended: u64,
}

impl Scheduler for LastFirst {
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Allocation) {
        assert_eq!(self.slots_ended, view.slot.number(), "each slot ends before the next is decided");
        if let Some(user) = (0..view.users).rev().find(|&user| view.eligible[user]) {
            allocation.grant(0, UserRow::new(user));
        }
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        assert_eq!(self.slots_ended, outcome.slot.number());
        assert!(outcome.served.len() <= 1);
        self.slots_ended += 1;
    }

    fn boxed_clone(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}

#[test]
fn a_scheduler_of_ones_own_decides_and_hears_of_every_slot_once() {
    let case = Case::fixed_link().set("/users", 3).and_flows(&[]).set("/flows/1/users", json!([2]));
    let components = Components::default().scheduler(|| Box::new(LastFirst { slots_ended: 0 }));
    let columns = case.run_of(&components);
    // Flows 0 to 2 are of users 0 to 2 and flow 3 is of user 2 again, who is served first: its two files share a queue.
    let completions = columns.reals("flows", "completion_s");
    assert_eq!(columns.wholes("users", "slots_won"), [10, 10, 20]);
    assert!(completions[2] < completions[1] && completions[1] <= completions[0], "{completions:?}");
}
