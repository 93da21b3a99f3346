//! Paths of hops, by hand: departures of a train through two queues, flows that join on the way, and nothing lost silently.
//!
//! Behind the hops stands the dumbbell's bottleneck: 1.2 ms for a packet of 1500 bytes, 20 ms to the user and 20 ms back.

use airlink_sim::Scenario;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::engine::bottleneck::{any_impairments, impairments};
use crate::engine::case::{AQM, Case, Columns, DELIVERED, QUEUE_FULL};

/// A file of so many segments that leaves at once, over these hops.
fn train(segments: u64, hops: &Value, path: &Value) -> Case {
    Case::dumbbell()
        .set("/duration_s", 3.0)
        .set("/bottleneck/limit_packets", "inf")
        .set("/flows/0/traffic", json!({ "kind": "file", "bytes": 1460 * segments }))
        .set("/flows/0/tcp/initial_window_segments", segments)
        .with("", "hops", hops.clone())
        .with("/flows/0/path", "hops", path.clone())
}

/// 0.6 ms a packet and 5 ms behind it; 1.5 ms a packet and 3 ms behind it.
fn two_hops() -> Value {
    json!([
        { "name": "fast", "rate_bps": 20e6, "delay_ms": 5.0 },
        { "name": "slow", "rate_bps": 8e6, "delay_ms": 3.0 },
    ])
}

fn hop_of(found: &Columns, name: &str) -> Vec<f64> {
    found.0.series["hops"].reals(name).expect("hops have this column").to_vec()
}

fn close(found: &[f64], expected: &[f64]) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9)
}

#[test]
fn a_train_leaves_two_queues_as_computed_by_hand() {
    let found = train(4, &two_hops(), &json!(["fast", "slow"])).run();
    // Leaves the fast one at 0.6, 1.2, 1.8 and 2.4, the slow one, where the first comes at 5.6, at 7.1, 8.6, 10.1 and 11.6;
    // the bottleneck, 3 ms later, is faster than that.
    assert_eq!(found.milliseconds("packets", "queued_s")[..4], [10.1, 11.6, 13.1, 14.6]);
    assert_eq!(found.ended_ms()[..4], [31.3, 32.8, 34.3, 35.8]);
    assert!(
        close(&hop_of(&found, "wait_mean_s"), &[0.0015, 0.002_85]),
        "(0.6 + ... + 2.4) / 4, (1.5 + 2.4 + 3.3 + 4.2) / 4"
    );
    assert!(close(&hop_of(&found, "queue_mean_packets"), &[0.002, 0.0038]), "the sums of waits in 3 s");
    assert!(close(&hop_of(&found, "utilisation"), &[4.0 * 0.0006 / 3.0, 4.0 * 0.0015 / 3.0]));
    assert_eq!(found.series("hops", "packets_in"), [4, 4]);
    assert_eq!(found.series("hops", "packets_delivered"), [4, 4]);
}

#[test]
fn a_flow_that_joins_at_a_later_hop_comes_before_those_of_the_same_nanosecond() {
    let joins = [
        ("/start_s", json!(0.0052)),
        ("/path/downlink_delay_ms", json!(1.0)),
        ("/path/hops", json!(["slow"])),
        ("/traffic", json!({ "kind": "file", "bytes": 1460 })),
    ];
    let found = train(4, &two_hops(), &json!(["fast", "slow"])).and_flows(&joins).run();
    let flows = found.series("packets", "flow");
    let came = found.milliseconds("packets", "queued_s");
    let of = |flow| came.iter().zip(&flows).filter(|(_, own)| **own == flow).map(|(at, _)| *at).collect::<Vec<f64>>();
    // At 6.2 the second packet of the train comes out of the fast hop, and that of the other flow out of its wire.
    assert_eq!(of(1), [11.6]);
    assert_eq!(of(0), [10.1, 13.1, 14.6, 16.1]);
    assert_eq!(found.series("hops", "packets_in"), [4, 5]);
}

#[test]
fn two_groups_share_one_hop_and_not_the_others() {
    let core = json!([
        { "name": "core", "rate_bps": 12e6, "delay_ms": 1.0 },
        { "name": "left", "rate_bps": 6e6, "delay_ms": 0.0 },
        { "name": "right", "rate_bps": 3e6, "delay_ms": 0.0 },
    ]);
    let right = [("/path/hops", json!(["core", "right"]))];
    let found = train(2, &core, &json!(["core", "left"])).and_flows(&right).run();
    // In the core at 1 ms each, flow by flow: out of it at 2 and 3, and at 4 and 5; then 2 ms each, and 4 ms each.
    assert_eq!(found.milliseconds("packets", "queued_s"), [4.0, 6.0, 8.0, 12.0]);
    assert_eq!(found.series("hops", "packets_in"), [4, 2, 2]);
}

#[test]
fn a_full_hop_refuses_and_the_flow_counts_it() {
    for (in_service_counts, taken) in [(true, 3), (false, 4)] {
        let hops = json!([{ "name": "a", "limit_packets": 3, "in_service_counts": in_service_counts }]);
        let found = train(8, &hops, &json!(["a"])).run();
        let refused = 8 - taken as i64;
        assert!(found.fates()[..taken].iter().all(|&fate| fate == DELIVERED));
        assert!(found.fates()[taken..8].iter().all(|&fate| fate == QUEUE_FULL));
        assert_eq!(found.wholes("flows", "upstream_queue_full")[0], refused);
        assert_eq!(found.series("hops", "drops_queue_full"), [refused]);
    }
}

#[test]
fn a_hop_drops_and_duplicates_on_its_wire_whatever_its_kind() {
    for kind in ["drop_tail", "codel", "adaptive"] {
        let wire = impairments(&json!({ "drop_numbers": [3], "duplicate_numbers": [5] }));
        let hops = json!([{ "name": "a", "kind": kind, "delay_ms": 2.0, "impairments": wire }]);
        let found = train(10, &hops, &json!(["a"])).run();
        assert_eq!(found.fates()[..10].iter().position(|&fate| fate != DELIVERED), Some(3), "{kind}");
        assert_eq!(found.ended_ms()[3], 4.8, "{kind}: when its last bit is sent");
        let counts =
            ["downlink_wire_loss", "downlink_doubled", "fast_retransmits"].map(|name| found.wholes("flows", name));
        assert_eq!(counts, [[1], [1], [1]], "{kind}");
        assert_eq!(found.series("hops", "packets_duplicated"), [1], "{kind}");
        assert_eq!(found.wholes("users", "packets_in"), [11], "{kind}: ten, one lost, one twice, one again");
    }
}

#[test]
fn a_copy_of_what_is_being_sent_as_the_run_ends_is_counted_whatever_the_queue() {
    let wire = impairments(&json!({ "duplicate_numbers": [0] }));
    for kind in ["drop_tail", "codel", "pie", "adaptive"] {
        // 12 s a packet, of a run that ends before anything is sent again.
        let hops = json!([{ "name": "a", "kind": kind, "rate_bps": 1e3, "impairments": wire }]);
        let found = train(2, &hops, &json!(["a"])).set("/duration_s", 0.5).run();
        let counts = ["packets_in", "packets_duplicated", "packets_delivered", "packets_held"];
        assert_eq!(counts.map(|name| found.series("hops", name)[0]), [2, 1, 0, 3], "{kind}");
        assert_eq!(found.wholes("flows", "downlink_doubled"), [1], "{kind}");
        let case = train(2, &json!([]), &json!([])).set("/duration_s", 0.5);
        let case = case.set("/bottleneck/kind", kind).set("/bottleneck/rate_bps", 1e3);
        let found = case.with("/bottleneck", "impairments", wire.clone()).run();
        let counts = ["packets_in", "packets_doubled", "packets_delivered", "packets_waiting"];
        assert_eq!(counts.map(|name| found.wholes("users", name)[0]), [2, 1, 0, 3], "{kind}");
    }
}

/// The dumbbell's queue with these fields, in the bottleneck's place or as a hop in front of one that takes no time.
fn as_bottleneck_and_as_hop(fields: &Value) -> [Columns; 2] {
    let long = Case::dumbbell().set("/duration_s", 20.0).and_flows(&[("/start_s", json!(1.7))]);
    let queue = |mut table: Value| {
        table.as_object_mut().expect("a table").extend(fields.as_object().expect("a table").clone());
        table
    };
    let usual = json!({ "rate_bps": 10e6, "delay_ms": 20.0, "price": { "kind": "none" } });
    let free = json!({ "rate_bps": 1e15, "delay_ms": 0.0, "price": { "kind": "none" } });
    let alone = long.clone().set("/bottleneck", queue(usual.clone()));
    let mut named = queue(usual);
    named["name"] = json!("a");
    let path = |case: Case, flow: usize| case.with(&format!("/flows/{flow}/path"), "hops", json!(["a"]));
    let before = path(path(long.set("/bottleneck", free).with("", "hops", json!([named])), 0), 1);
    [alone.run(), before.run()]
}

#[test]
fn a_hop_in_front_of_nothing_is_a_bottleneck_of_any_kind() {
    let wire = impairments(&json!({ "loss": { "kind": "random", "p": 0.003 }, "drop_numbers": [] }));
    let frozen = json!([{ "at_s": 3.0, "for_s": 0.4, "in_service": "pauses" }]);
    for fields in [
        json!({ "limit_packets": 20 }),
        json!({ "limit_packets": 20, "in_service_counts": false, "freezes": frozen }),
        json!({ "kind": "codel", "limit_packets": 300 }),
        json!({ "kind": "codel", "freezes": frozen, "in_service_counts": false, "limit_packets": 50 }),
        json!({ "kind": "adaptive", "limit_packets": 300 }),
    ] {
        let [alone, before] = as_bottleneck_and_as_hop(&fields);
        for name in ["segments_sent", "retransmissions", "timeouts", "goodput_bytes", "duplicate_acks"] {
            assert_eq!(alone.wholes("flows", name), before.wholes("flows", name), "{fields}: {name}");
        }
        assert_eq!(alone.milliseconds("acks", "time_s"), before.milliseconds("acks", "time_s"), "{fields}");
        assert_eq!(alone.ended_ms(), before.ended_ms(), "{fields}");
        assert_eq!(alone.fates(), before.fates(), "{fields}");
        assert!(alone.fates().iter().any(|&fate| fate == QUEUE_FULL || fate == AQM), "{fields}: something is dropped");
    }
    let [alone, before] = as_bottleneck_and_as_hop(&json!({ "kind": "codel", "impairments": wire }));
    assert!(alone.fates() != before.fates(), "the wires' draws have names of their own");
}

#[test]
fn prices_of_hops_add_up() {
    let queue_bytes = |prices: [bool; 2]| {
        let hop = |(name, rate_bps, is_priced): (&str, f64, bool)| {
            let price = json!({ "kind": if is_priced { "clamp" } else { "none" } });
            json!({ "name": name, "rate_bps": rate_bps, "delay_ms": 1.0, "price": price })
        };
        let hops = json!([hop(("a", 2e6, prices[0])), hop(("b", 1.9e6, prices[1]))]);
        let case = train(3000, &hops, &json!(["a", "b"])).set("/duration_s", 6.0);
        let clamp = json!({ "side": "receiver" });
        let case = case.with("/flows/0/tcp", "clamp", clamp).set("/flows/0/tcp/initial_window_segments", 1);
        hop_of(&case.run(), "queue_mean_bytes")[1]
    };
    // The queue is at the second: it is shorter if that one has a price, shortest if both have.
    let [first, second, both] = [[true, false], [false, true], [true, true]].map(queue_bytes);
    assert!(both < second && second < first, "{both} {second} {first}");
}

#[test]
fn acks_of_two_users_wait_for_one_another_at_a_hop_as_computed_by_hand() {
    // 40 bytes take 10 ms at 32 kb/s; then 5 ms, and 20 ms of each flow's own uplink.
    let back = json!([{ "name": "back", "rate_bps": 32e3, "delay_ms": 5.0 }]);
    let case = train(2, &back, &json!([])).set("/users", 2).with("/flows/0/path", "uplink_hops", json!(["back"]));
    let found = case.run();
    // Two packets of each user arrive at 21.2, 22.4, 23.6 and 24.8: ACKs leave the hop at 31.2, 41.2, 51.2 and 61.2.
    assert_eq!(found.ended_ms()[..4], [21.2, 22.4, 23.6, 24.8]);
    assert_eq!(found.milliseconds("acks", "time_s"), [56.2, 66.2, 76.2, 86.2]);
    assert_eq!(found.series("acks", "flow"), [0, 0, 1, 1]);
    assert!(close(&hop_of(&found, "wait_mean_s"), &[(0.010 + 0.0188 + 0.0276 + 0.0364) / 4.0]));
    let alone = case.set("/users", 1).run();
    assert_eq!(alone.milliseconds("acks", "time_s"), [56.2, 66.2]);
}

#[test]
fn a_full_hop_on_the_way_up_drops_acks_and_the_flow_counts_them() {
    let back = json!([{ "name": "back", "rate_bps": 32e3, "delay_ms": 5.0, "limit_packets": 2 }]);
    let found = train(5, &back, &json!([])).with("/flows/0/path", "uplink_hops", json!(["back"])).run();
    // At 21.2, 22.4, ..., 26.0: the first is being sent until 31.2, the second waits, three find both.
    assert_eq!(found.wholes("flows", "uplink_queue_full"), [3]);
    assert_eq!(found.series("hops", "drops_queue_full"), [3]);
    assert_eq!(found.milliseconds("acks", "time_s")[..2], [56.2, 66.2]);
}

#[test]
fn mistakes_of_hops_and_paths_are_named() {
    let mistakes = |hops: Value, path: Value| -> Vec<String> {
        let case = train(1, &hops, &path);
        Scenario::from_json(&case.text()).err().unwrap_or_default().into_iter().map(|problem| problem.path).collect()
    };
    assert!(mistakes(two_hops(), json!(["slow", "fast"])).is_empty());
    assert_eq!(mistakes(two_hops(), json!(["slow", "quick"])), ["flows.0.path.hops"]);
    assert_eq!(mistakes(two_hops(), json!(["slow", "slow"])), ["flows.0.path.hops"]);
    assert_eq!(mistakes(json!([{ "name": "a" }, { "name": "a" }]), json!(["a"])), ["hops.1.name"]);
    assert_eq!(mistakes(json!([{ "name": "" }]), json!([])), ["hops.0.name"]);
    let late = json!([{ "name": "a", "kind": "codel", "arrivals_first": true }]);
    assert_eq!(mistakes(late, json!(["a"])), ["hops.0.arrivals_first"]);
    assert_eq!(mistakes(json!([{ "name": "a", "kind": "red" }]), json!(["a"])), ["hops.0.kind"]);
}

prop_compose! {
    fn any_hop()(
        kind in prop::sample::select(vec!["drop_tail", "codel", "pie", "adaptive"]),
        rate_bps in 1e6..3e7_f64,
        delay_ms in 0.0..10.0_f64,
        limit_packets in 1..60_u64,
        in_service_counts in any::<bool>(),
        wire in prop::option::of(any_impairments()),
        freeze_s in 0.1..2.0_f64,
    ) -> Value {
        let freezes = json!([{ "at_s": freeze_s, "for_s": 0.3, "in_service": "pauses" }]);
        json!({
            "kind": kind, "rate_bps": rate_bps, "delay_ms": delay_ms, "limit_packets": limit_packets, "freezes": freezes,
            "in_service_counts": in_service_counts, "impairments": wire, "codel": { "target_ms": 1, "interval_ms": 10 },
            "pie": { "target_ms": 1, "update_ms": 2, "burst_ms": 0 },
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nothing_vanishes_in_any_chain(hops in prop::collection::vec(any_hop(), 1..4), seed in 0..1000_u64) {
        let mut named = hops;
        let names: Vec<String> = (0..named.len()).map(|number| format!("hop {number}")).collect();
        named.iter_mut().zip(&names).for_each(|(hop, name)| hop["name"] = json!(name));
        let (first, last) = (json!(names), json!(names[names.len() - 1..]));
        let case = train(400, &json!(named), &first).set("/flows/0/tcp/initial_window_segments", 20);
        let up = json!([names[0]]);
        let case = case.and_flows(&[("/path/hops", last), ("/traffic", json!({ "kind": "greedy" }))]);
        let case = case.with("/flows/1/path", "uplink_hops", up);
        // The end of a run asserts the balance of each hop, of the network and of each flow.
        let found = case.run_with(seed);
        let sum = |name: &str| found.series("hops", name).iter().sum::<i64>();
        // Outages may lose all that is sent before the first timeout, so that nothing comes through.
        prop_assert!(sum("packets_in") > 0);
        let drops: i64 = ["queue_full", "aqm", "wire_loss", "outage"].iter().map(|why| sum(&format!("drops_{why}"))).sum();
        prop_assert_eq!(sum("packets_in") + sum("packets_duplicated"), sum("packets_delivered") + drops + sum("packets_held"));
    }
}
