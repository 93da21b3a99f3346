//! A wired bottleneck under TCP: 1.2 ms for a packet at 10 Mb/s, 20 ms to the user and 20 ms back.

use airlink_sim::Simulation;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::engine::case::{Case, Columns, DELIVERED, QUEUE_FULL};
use crate::engine::conservation::time_balances;

const WIRE_LOSS: i64 = 5;
const OUTAGE: i64 = 6;

/// Impairments that do nothing, with these fields changed.
pub(crate) fn impairments(changes: &Value) -> Value {
    let mut all = json!({
        "drop_numbers": [], "duplicate_numbers": [], "reorder_numbers": [], "reorder_extra_ms": 0.0, "drop_at_s": [],
        "loss": { "kind": "none" }, "reorder_probability": 0.0, "duplicate_probability": 0.0, "delay_spikes": [],
        "outages": [],
    });
    for (name, value) in changes.as_object().expect("changes are a table") {
        all[name] = value.clone();
    }
    all
}

/// A file of so many segments that leaves at once.
fn burst(segments: u64) -> Case {
    Case::dumbbell()
        .set("/duration_s", 3.0)
        .set("/flows/0/traffic", json!({ "kind": "file", "bytes": 1460 * segments }))
        .set("/flows/0/tcp/initial_window_segments", segments)
}

fn behind_the_queue(case: Case, changes: &Value) -> Columns {
    case.with("/bottleneck", "impairments", impairments(changes)).run()
}

#[test]
fn slow_start_through_the_bottleneck_is_as_computed_by_hand() {
    let file = burst(4).set("/flows/0/tcp/initial_window_segments", 1);
    let found = file.run();
    // 0: sent by 1.2, at the user at 21.2, its ACK back at 41.2; then two; the ACK of the first of them lets go the last.
    assert_eq!(found.milliseconds("packets", "sent_s"), [0.0, 41.2, 41.2, 82.4]);
    assert_eq!(found.ended_ms(), [21.2, 62.4, 63.6, 103.6]);
    assert_eq!(found.milliseconds("acks", "time_s"), [41.2, 82.4, 83.6, 123.6]);
    assert_eq!(found.milliseconds("queue", "time_s"), [0.0, 1.2, 41.2, 41.2, 42.4, 43.6, 82.4, 83.6]);
    assert_eq!(found.series("queue", "packets"), [1, 0, 1, 2, 1, 0, 1, 0]);
    assert_eq!(found.reals("flows", "completion_s"), [0.1036]);
}

#[test]
fn a_full_queue_refuses_and_the_packet_in_service_makes_a_difference_of_one() {
    for (in_service_counts, taken) in [(true, 20), (false, 21)] {
        let found = burst(30).set("/bottleneck/in_service_counts", in_service_counts).run();
        let fates = &found.fates()[..30];
        assert!(fates[..taken].iter().all(|&fate| fate == DELIVERED));
        assert!(fates[taken..].iter().all(|&fate| fate == QUEUE_FULL));
    }
}

#[test]
fn exactly_the_listed_packets_are_lost_and_come_twice() {
    let found = behind_the_queue(burst(10), &json!({ "drop_numbers": [3], "duplicate_numbers": [5] }));
    let lost: Vec<usize> = (0..10).filter(|&packet| found.fates()[packet] == WIRE_LOSS).collect();
    assert_eq!(lost, [3]);
    // When its last bit is sent: 4 x 1.2 ms.
    assert_eq!(found.ended_ms()[3], 4.8);
    assert_eq!((found.cell("drops_wire_loss"), found.cell("packets_doubled")), (1, 1));
    // Six packets and one copy come out of order behind the hole: seven duplicates.
    assert_eq!(found.wholes("flows", "duplicate_acks"), [7]);
    assert_eq!((found.cell("fast_retransmits"), found.cell("timeouts"), found.cell("retransmissions")), (1, 0, 1));
}

#[test]
fn a_copy_counts_from_when_its_packet_begins_to_be_sent_also_where_the_run_ends_before_it_arrives() {
    for kind in ["drop_tail", "codel", "pie", "adaptive"] {
        let case = burst(3).set("/bottleneck/kind", kind).set("/duration_s", 0.0130);
        let found = behind_the_queue(case, &json!({ "duplicate_numbers": [2] }));
        // The third is sent from 2.4 to 3.6 ms; nothing happens from then to the first arrival, at 21.2.
        assert_eq!(found.cell("packets_doubled"), 1, "{kind}");
        assert_eq!(found.wholes("users", "packets_waiting"), [4], "{kind}");
    }
}

#[test]
fn an_outage_loses_or_holds_what_is_sent_in_it() {
    let outage = |hold: bool| json!({ "outages": [{ "at_s": 0.003, "for_s": 0.1, "hold": hold }] });
    let lost = behind_the_queue(burst(5), &outage(false));
    assert_eq!(lost.fates()[..5], [DELIVERED, DELIVERED, OUTAGE, OUTAGE, OUTAGE]);
    let held = behind_the_queue(burst(5), &outage(true));
    assert_eq!(held.ended_ms(), [21.2, 22.4, 123.0, 123.0, 123.0]);
}

#[test]
fn acks_and_packets_on_the_flows_own_wires_are_impaired_by_their_own_count() {
    let drops = |numbers: Value| impairments(&json!({ "drop_numbers": numbers }));
    let case = burst(10).with("/flows/0/path", "downlink_impairments", drops(json!([9]))).with(
        "/flows/0/path",
        "uplink_impairments",
        drops(json!([0, 1])),
    );
    let found = case.run();
    assert_eq!(found.fates()[..10].iter().position(|&fate| fate == WIRE_LOSS), Some(9));
    assert_eq!(found.wholes("flows", "downlink_wire_loss"), [1]);
    assert_eq!(found.wholes("flows", "uplink_wire_loss"), [2]);
    assert_eq!(found.milliseconds("acks", "time_s")[0], 43.6, "the ACK of the third packet is the first that comes");
    // The last packet has no others behind it: only the timer repairs it, and it never was in the queue.
    assert_eq!((found.cell("timeouts"), found.cell("drops_wire_loss")), (1, 0));
    assert_eq!(found.wholes("users", "packets_in"), [10]);
}

#[test]
fn one_step_after_another_and_all_at_once_are_the_same_run() {
    let case = Case::dumbbell().set("/users", 4).set("/duration_s", 20.0).set("/warmup_s", 5.0);
    let whole = case.run_with(3).0;
    assert_eq!(whole.digest(), case.run_with(3).0.digest());
    let mut simulation = Simulation::new(&case.scenario(), &[], 3, &airlink_sim::RecordKind::ALL);
    simulation.advance_until(airlink_model::types::Time::from_nanos(7_000_000_001));
    let mut steps = simulation.clone();
    while !steps.is_finished() {
        steps.step();
    }
    simulation.advance_until(airlink_model::types::Time::NEVER);
    assert_eq!(simulation.into_replica(3).digest(), whole.digest());
    assert_eq!(steps.into_replica(3).digest(), whole.digest());
}

prop_compose! {
    pub(crate) fn any_impairments()(
        numbers in prop::collection::vec(0..200_u64, 0..6),
        doubled in prop::collection::vec(0..200_u64, 0..6),
        times in prop::collection::vec(0.0..4.0, 0..4),
        rates in prop::array::uniform4(0.0..0.1),
        stretch in (0.0..3.0, 0.001..0.8, any::<bool>()),
    ) -> Value {
        impairments(&json!({
            "drop_numbers": numbers, "duplicate_numbers": doubled, "drop_at_s": times,
            "reorder_probability": rates[0], "reorder_extra_ms": 7.0, "duplicate_probability": rates[1],
            "loss": { "kind": "gilbert_elliott", "p": rates[2], "r": 0.3, "loss_good": rates[3], "loss_bad": 0.9 },
            "outages": [{ "at_s": stretch.0, "for_s": stretch.1, "hold": stretch.2 }],
            "delay_spikes": [{ "at_s": 1.0, "for_s": 0.3, "extra_ms": 400.0, "keep_order": !stretch.2, "moment": "sent" }],
        }))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The run itself asserts that nothing vanished; here the tables balance too, a warm-up taken off.
    #[test]
    fn packets_and_bytes_balance_under_any_impairments_and_freezes(
        wires in prop::array::uniform3(any_impairments()),
        (at_s, for_s, pauses) in (0.0..5.0, 0.001..3.0, any::<bool>()),
        (users, warmup_s, seed) in (1..4_u64, 0.0..3.0, any::<u64>()),
    ) {
        let [behind, down, up] = wires;
        let case = Case::dumbbell()
            .set("/users", users).set("/duration_s", 5.0).set("/warmup_s", warmup_s)
            .with("/bottleneck", "impairments", behind)
            .with("/bottleneck", "freezes", json!([{
                "at_s": at_s, "for_s": for_s, "in_service": if pauses { "pauses" } else { "ends" },
            }]))
            .with("/flows/0/path", "downlink_impairments", down)
            .with("/flows/0/path", "uplink_impairments", up);
        let found = case.run_with(seed);
        let sum = |names: &[&str]| names.iter().flat_map(|name| found.wholes("users", name)).sum::<i64>();
        let gone = ["packets_delivered", "drops_queue_full", "drops_wire_loss", "drops_outage", "packets_waiting"];
        prop_assert_eq!(sum(&["packets_waiting_at_start", "packets_in", "packets_doubled"]), sum(&gone));
        time_balances(&found, &case)?;
        prop_assert_eq!(found.0.digest(), case.run_with(seed).0.digest());
    }
}
