//! First come, first served against a wire with one queue: the same order, and the same times within a slot.

use serde_json::json;

use super::case::{Case, Columns};

/// Five users, each with a file that its server sends at once, and another that comes a little later.
fn bursts(case: Case) -> Case {
    let case = case.set("/users", 5).set("/duration_s", 4).all_at_once(9);
    let case = case.set("/flows/0/start_spread_s", 0.2).set("/flows/0/tcp/rto/min_ms", 10_000);
    let case = case.set("/flows/0/tcp/rto/initial_ms", 10_000);
    case.and_flows(&[("/start_s", json!(0.15)), ("/users", json!([3, 1]))])
}

/// Flow and number of each packet, with when it came to the network and when it was delivered, by delivery.
fn passages(columns: &Columns) -> Vec<(f64, f64, i64, i64)> {
    let (flows, numbers) = (columns.series("packets", "flow"), columns.series("packets", "transmission"));
    let [came, ended] = ["queued_s", "ended_s"].map(|name| columns.milliseconds("packets", name));
    let mut all: Vec<_> = (0..flows.len()).map(|row| (ended[row], came[row], flows[row], numbers[row])).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

#[test]
fn packets_leave_in_the_order_in_which_they_came_and_as_from_one_wire_within_a_slot() {
    // A packet of 576 bytes fills four slots of 1.25 ms at 921.6 kb/s, or takes 5 ms on the wire. The wire has no queueing
    // after it, and its packets are at their users at once.
    for slots in [1, 4] {
        let cell =
            bursts(Case::fixed_link()).set("/scheduler/kind", "fifo").set("/slot/duration_ms", 5.0 / f64::from(slots));
        let slotted = passages(&cell.run());
        let wire = Case::dumbbell().set("/bottleneck/rate_bps", 921_600).set("/bottleneck/delay_ms", 0);
        let wire = wire
            .set("/bottleneck/limit_packets", "inf")
            .set("/flows/0/traffic", json!({ "kind": "file", "bytes": 0 }))
            .set("/flows/0/path/downlink_delay_ms", 20);
        let wire = passages(&bursts(wire.set("/flows/0/tcp/mss_bytes", 536)).run());
        assert_eq!(slotted.len(), 9 * 7);
        assert!(slotted.is_sorted_by(|a, b| a.1 <= b.1), "{slots} slots a packet: delivered as they came");
        for (here, there) in slotted.iter().zip(&wire) {
            assert_eq!((here.2, here.3, here.1), (there.2, there.3, there.1));
            let late_ms = here.0 - there.0;
            // Times are to the microsecond.
            assert!((-0.002..5.0 / f64::from(slots) + 0.002).contains(&late_ms), "{late_ms} ms");
        }
    }
}

#[test]
fn a_shared_queue_has_one_limit_and_a_slot_ends_at_another_users_packet() {
    // Room for three packets in a slot; at 20 ms each of three users has two come, and there is room for five.
    let case = Case::fixed_link().set("/users", 3).all_at_once(2).set("/link/rate/rates_bps", json!([2_764_800]));
    let case = case.set("/queue/scope", "cell").set("/queue/limit_packets", 5).set("/scheduler/kind", "fifo");
    let columns = case.clone().set("/duration_s", 0.06).run();
    assert_eq!(columns.wholes("users", "drops_queue_full"), [0, 0, 1]);
    assert_eq!(columns.series("slots", "user")[4..8], [0, 1, 2, -1]);
    assert_eq!(columns.series("slots", "sent_bytes")[4..8], [1152, 1152, 576, 0]);
    // One from each in turn, as they come 1 ms apart: a slot has one packet, though two of the same user wait.
    let turns = [0, 1, 2].map(|user| ("/users", json!([user])));
    let first =
        case.set("/flows/0/users", json!([0])).set("/flows/0/traffic/bytes", 536).set("/queue/limit_packets", 6);
    let later =
        |case: Case, user: usize, start_s: f64| case.and_flows(&[turns[user].clone(), ("/start_s", json!(start_s))]);
    let case = (1..6).fold(first, |case, turn| later(case, turn % 3, turn as f64 * 1e-4));
    let columns = case.set("/duration_s", 0.08).run();
    assert_eq!(columns.series("slots", "user")[4..12], [0, 1, 2, 0, 1, 2, -1, -1]);
    assert_eq!(columns.wholes("users", "slots_padded"), [2, 2, 2]);
}

/// Three users with full queues, the second of whom can't be served.
fn one_unreachable() -> Case {
    let placement = json!({ "kind": "mean_snr", "mean_snr_db": [10, -10, 10] });
    let case = Case::fixed_link().backlogged(3, 576).set("/channel/placement", placement).set("/duration_s", 0.05);
    case.set("/scheduler/kind", "fifo")
}

#[test]
fn a_user_at_rate_zero_holds_all_others_up_unless_it_is_to_be_skipped() {
    // All queues hold three packets from the start on; after those of user 0, those of user 1 are the oldest for ever.
    let columns = one_unreachable().run();
    assert_eq!(columns.series("slots", "user"), [0, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(columns.wholes("users", "slots_wasted"), [0, 7, 0]);
    let columns = one_unreachable().set("/scheduler/skip_unservable", true).run();
    assert_eq!(columns.cell("slots_wasted"), 0);
    assert_eq!(columns.wholes("users", "slots_won")[1], 0);
}

#[test]
fn with_empty_queues_served_a_packet_still_goes_first() {
    let case = Case::fixed_link().set("/users", 3).set("/flows/0/users", json!([2])).all_at_once(2);
    let columns =
        case.set("/scheduler/kind", "fifo").set("/scheduler/serve_empty_queues", true).set("/duration_s", 0.04);
    // The packets come at 20 ms; before and after them the first of the empty queues wins and wastes the slot.
    assert_eq!(columns.run().series("slots", "user"), [0, 0, 0, 0, 2, 2, 0, 0]);
}
