//! Paths drawn at random: hops with every kind of queue in both directions, marks, data both ways, packets without TCP, an uplink
//! with grants, patterns of slots, wires that lose, duplicate and reorder. The end of a run asserts that no packet, byte or mark
//! vanished; here the tables balance too, in all and hop by hop, and the same run in steps gives the same bytes.
//!
//! What the cell itself does is drawn in `random_case.rs`; a cell is one rate with losses here.

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use super::bottleneck::any_impairments;
use super::case::{Case, Columns};
use super::conservation::time_balances;
use super::determinism::stepped;

const KINDS: [&str; 4] = ["drop_tail", "codel", "pie", "adaptive"];
const CONTROLS: [&str; 6] = ["tahoe", "reno", "new_reno", "cubic", "westwood", "vegas"];
const DURATION_S: f64 = 2.4;

prop_compose! {
    /// The fields that every queue has, tight enough for a run of seconds to have something dropped, marked and priced.
    fn any_queue()(
        kind in prop::sample::select(KINDS.to_vec()),
        (ecn, is_priced) in (any::<bool>(), prop::bool::weighted(0.3)),
        threshold in prop::sample::select(vec![json!("inf"), json!(0), json!(2), json!(9)]),
        packets in prop::sample::select(vec![json!("inf"), json!(1), json!(4), json!(30)]),
        bytes in prop::sample::select(vec![json!("inf"), json!(1500), json!(9000)]),
    ) -> Value {
        json!({
            "kind": kind, "ecn": ecn, "mark_above_packets": threshold, "limit_packets": packets, "limit_bytes": bytes,
            "codel": { "target_ms": 2, "interval_ms": 20 },
            "pie": { "target_ms": 2, "update_ms": 3, "burst_ms": 0, "mark_below_probability": if is_priced { 1.0 } else { 0.1 } },
            "adaptive": { "target_ms": 20, "memory_ms": 200, "floor_bytes": 1500 },
            "price": { "kind": if is_priced { "clamp" } else { "none" } },
        })
    }
}

prop_compose! {
    fn any_hop()(
        mut queue in any_queue(),
        rate_bps in prop::sample::select(vec![64e3, 8e5, 6e6, 1e15]),
        delay_ms in prop::sample::select(vec![0.0, 0.3, 12.0]),
        in_service_counts in any::<bool>(),
        wire in prop::option::of(any_impairments()),
        freeze_s in 0.1..2.0_f64,
    ) -> Value {
        let fields = json!({
            "rate_bps": rate_bps, "delay_ms": delay_ms, "in_service_counts": in_service_counts,
            "freezes": [{ "at_s": freeze_s, "for_s": 0.1, "in_service": "ends" }],
        });
        queue.as_object_mut().expect("a table").extend(fields.as_object().expect("a table").clone());
        if let Some(wire) = wire {
            queue["impairments"] = wire;
        }
        queue
    }
}

/// What a group of flows sends, and which way.
fn any_traffic() -> impl Strategy<Value = (Value, &'static str)> {
    let size = json!({ "kind": "pareto", "shape": 1.1, "min_bytes": 100, "max_bytes": 50_000 });
    let of_user = vec![
        json!({ "kind": "greedy" }),
        json!({ "kind": "file", "bytes": 60_000 }),
        json!({ "kind": "stream", "rate_bps": 345_678.9, "message_bytes": 777 }),
        json!({ "kind": "poisson", "arrivals_per_s": 3, "size": size }),
        json!({ "kind": "constant_rate", "rate_bps": 3e5, "packet_bytes": 700, "spacing": "exponential", "deadline_ms": 40 }),
        json!({ "kind": "voice", "deadline_ms": 30, "talk_s": 0.4, "silence_s": 0.2 }),
        json!({
            "kind": "frames", "frames_per_s": 50, "deadline_ms": 25, "mtu_bytes": 600, "jitter_sd_ms": 5,
            "size": { "kind": "exponential", "mean_bytes": 2500 },
        }),
    ];
    let of_server = vec![
        json!({ "kind": "sessions", "think_s": 0.1, "think": "exponential", "size": size }),
        json!({ "kind": "requests", "think_s": 0.1, "request_bytes": 3000, "size": size }),
        json!({
            "kind": "pages", "think_s": 0.1, "connections": 3, "objects": { "kind": "constant", "objects": 4 },
            "parsing_s": 0.01, "main_size": { "kind": "constant", "bytes": 5000 }, "object_size": size,
        }),
    ];
    prop_oneof![
        (prop::sample::select(of_user), prop::sample::select(vec!["down", "up"])),
        prop::sample::select(of_server).prop_map(|traffic| (traffic, "down")),
    ]
}

/// The fields of a group of flows that differ from the fixture's, by table; the hops that it passes are drawn by bits.
#[derive(Clone, Debug)]
struct Group {
    fields: Vec<(&'static str, &'static str, Value)>,
    hops: [u8; 2],
}

fn any_group() -> impl Strategy<Value = Group> {
    let wires = (prop::option::of(any_impairments()), prop::option::of(any_impairments()));
    let delays = prop::array::uniform2(prop::sample::select(vec![0.0, 1.7, 20.0]));
    let rates = prop::array::uniform2(prop::sample::select(vec![json!("inf"), json!(100_000), json!(3_000_000)]));
    let switches = prop::array::uniform4(any::<bool>());
    let times = (0.0..0.5_f64, prop::sample::select(vec![json!("inf"), json!(1.2)]));
    let tcp =
        (prop::sample::select(CONTROLS.to_vec()), prop::sample::select(vec!["off", "rfc3168"]), switches, 1..4_u64);
    (any_traffic(), tcp, wires, (delays, rates, times), prop::array::uniform2(0..8_u8)).prop_map(
        |((traffic, direction), (control, ecn, [handshake, close, is_modern, upstream], every), wires, way, hops)| {
            let (delays_ms, rates_bps, (start_s, stop_s)) = way;
            let mut fields = vec![
                ("", "traffic", traffic),
                ("", "direction", json!(direction)),
                ("", "start_s", json!(start_s)),
                ("", "stop_s", stop_s),
                ("/path", "downlink_delay_ms", json!(delays_ms[0])),
                ("/path", "uplink_delay_ms", json!(delays_ms[1])),
                ("/path", "downlink_rate_bps", rates_bps[0].clone()),
                ("/path", "uplink_rate_bps", rates_bps[1].clone()),
                ("/path", "upstream", json!(upstream)),
                ("/tcp", "congestion_control", json!(control)),
                ("/tcp", "ecn", json!(ecn)),
                ("/tcp", "handshake", json!(handshake)),
                ("/tcp", "close", json!(close)),
                ("/tcp", "mss_bytes", json!(536)),
                ("/tcp", "receiver_window_bytes", json!(100_000)),
                ("/tcp", "initial_window_segments", json!(every)),
                ("/tcp/delayed_ack", "every", json!(every)),
                ("/tcp/delayed_ack", "merge_bytes", json!(if is_modern { 5000 } else { 0 })),
                ("/tcp/rto", "min_ms", json!(200)),
                ("/tcp", "sack", json!(is_modern)),
                ("/tcp", "timestamps", json!(is_modern)),
            ];
            let modern = ["dsack", "rack", "tail_loss_probe", "frto", "eifel_detection", "ecn_acks_at_once"];
            fields.extend(modern.map(|rule| ("/tcp/rules", rule, json!(is_modern))));
            fields.extend(wires.0.map(|wire| ("/path", "downlink_impairments", wire)));
            fields.extend(wires.1.map(|wire| ("/path", "uplink_impairments", wire)));
            Group { fields, hops }
        },
    )
}

/// A cell of one rate with losses, whose queues do not fill a slot with one packet, and maybe an uplink with grants.
fn any_cell() -> impl Strategy<Value = Case> {
    let grants = (
        1..3_u64,
        0..3_u64,
        0..3_u64,
        1..5_u64,
        prop::sample::select(vec![100, 1500]),
        prop::sample::select(vec![json!("inf"), json!(300)]),
    );
    let uplink = grants.prop_map(|(period, grant, transmit, again, grant_bytes, slot_bytes)| {
        json!({
            "request_period_ms": 5 * period, "grant_delay_ms": grant, "transmit_delay_ms": transmit,
            "grant_period_ms": again, "grant_bytes": grant_bytes, "slot_bytes": slot_bytes,
        })
    });
    let pattern = prop::sample::select(vec!["", "DU", "DSU", "DDDSU"]);
    let losses = prop::sample::select(vec![0.0, 0.1]);
    (prop::option::of(uplink), pattern, losses, any_queue()).prop_map(|(uplink, pattern, losses, queue)| {
        let rate = json!({ "kind": "table", "name": "custom", "thresholds_db": [0], "rates_bps": [4e6] });
        let mut case = Case::fixed_link()
            .set("/slot/duration_ms", 1)
            .set("/slot/tdd", pattern)
            .set("/slot/special_downlink_share", 0.5)
            .set("/link/rate", rate)
            .set("/link/errors/probability", losses)
            .set("/link/arq/max_retransmissions", 2);
        for (name, value) in queue.as_object().expect("a table") {
            case = case.with("/queue", name, value.clone());
        }
        match uplink {
            Some(uplink) => case.with("", "uplink", uplink),
            None => case,
        }
    })
}

fn any_bottleneck() -> impl Strategy<Value = Case> {
    any_hop().prop_map(|mut queue| {
        queue["rate_bps"] = json!(4e6);
        Case::dumbbell().set("/bottleneck", queue)
    })
}

/// A cell or a bottleneck, up to three hops, maybe `[upstream]`, and one to four groups of flows of one to three users.
fn any_case() -> impl Strategy<Value = Case> {
    let network = prop_oneof![any_cell(), any_bottleneck()];
    let nodes = (prop::collection::vec(any_hop(), 0..4), prop::bool::weighted(0.3));
    let groups = prop::collection::vec(any_group(), 1..5);
    (network, nodes, groups, 1..4_u64, prop::sample::select(vec![0.0, 0.7])).prop_map(
        |(network, (mut hops, has_upstream), groups, users, warmup_s)| {
            let names: Vec<String> = (0..hops.len()).map(|number| format!("hop {number}")).collect();
            hops.iter_mut().zip(&names).for_each(|(hop, name)| hop["name"] = json!(name));
            let mut case = network.set("/users", users).set("/duration_s", DURATION_S).set("/warmup_s", warmup_s);
            case = case.with("", "hops", json!(hops));
            if has_upstream {
                case = case.with("", "upstream", json!({ "rate_bps": 5e6, "delay_ms": 2, "limit_packets": 20 }));
            }
            case = groups[1..].iter().fold(case, |case, _| case.and_flows(&[]));
            for (number, group) in groups.into_iter().enumerate() {
                let at = format!("/flows/{number}");
                for (table, name, value) in group.fields {
                    let value = if name == "upstream" { json!(has_upstream && value == json!(true)) } else { value };
                    case = case.with(&format!("{at}{table}"), name, value);
                }
                // Forwards in the order written, backwards in the other.
                let passed = |bits: u8| names.iter().enumerate().filter(move |(hop, _)| bits >> hop & 1 == 1);
                let down: Vec<&String> = passed(group.hops[0]).map(|(_, name)| name).collect();
                let up: Vec<&String> = passed(group.hops[1]).map(|(_, name)| name).rev().collect();
                case = case.with(&format!("{at}/path"), "hops", json!(down));
                case = case.with(&format!("{at}/path"), "uplink_hops", json!(up));
            }
            case
        },
    )
}

/// Sums of columns of `table`, a row each.
fn sums(found: &Columns, table: &str, names: &[&str]) -> Vec<i64> {
    let columns: Vec<Vec<i64>> = names.iter().map(|name| found.wholes(table, name)).collect();
    (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).sum()).collect()
}

fn has(found: &Columns, table: &str, name: &str) -> bool {
    found.0.tables[table].get(name).is_some()
}

/// Marks: in flight at the start + set + duplicated = received + lost + in flight, a flow each; and as many set as queues count.
fn marks_balance(found: &Columns, is_whole: bool) -> Result<(), TestCaseError> {
    if !has(found, "flows", "ce_set") {
        return Ok(());
    }
    let came = sums(found, "flows", &["ce_in_flight_at_start", "ce_set", "ce_doubled"]);
    prop_assert_eq!(came, sums(found, "flows", &["ce_received", "ce_lost", "ce_in_flight"]));
    if has(found, "users", "packets_marked") && is_whole {
        let of_hops: i64 = match found.0.series.get("hops") {
            Some(hops) => hops.wholes("packets_marked").map_or(0, |marked| marked.iter().sum()),
            None => 0,
        };
        let of_network: i64 = found.wholes("users", "packets_marked").iter().sum();
        prop_assert_eq!(found.wholes("flows", "ce_set").iter().sum::<i64>(), of_network + of_hops);
    }
    Ok(())
}

/// Packets of hops: in + duplicated = delivered + dropped + held.
fn hops_balance(found: &Columns) -> Result<(), TestCaseError> {
    let Some(hops) = found.0.series.get("hops") else { return Ok(()) };
    let sum = |names: &[&str]| -> i64 {
        names.iter().map(|name| hops.wholes(name).map_or(0, |column| column.iter().sum::<i64>())).sum()
    };
    let gone =
        ["packets_delivered", "drops_queue_full", "drops_aqm", "drops_wire_loss", "drops_outage", "packets_held"];
    prop_assert_eq!(sum(&["packets_in", "packets_duplicated"]), sum(&gone));
    Ok(())
}

/// Packets without TCP: no more have ended than were sent, and every burst ends once.
fn datagrams_balance(found: &Columns) -> Result<(), TestCaseError> {
    if !has(found, "flows", "datagrams_sent") {
        return Ok(());
    }
    let sent = found.wholes("flows", "datagrams_sent");
    let bursts = found.wholes("flows", "bursts_sent");
    for (flow, ended) in sums(found, "flows", &["datagrams_received", "datagrams_lost"]).into_iter().enumerate() {
        prop_assert!(ended <= sent[flow], "flow {}: {} of {}", flow, ended, sent[flow]);
    }
    for (flow, ended) in sums(found, "flows", &["bursts_on_time", "deadline_misses"]).into_iter().enumerate() {
        prop_assert!(ended <= bursts[flow], "flow {}: {} of {}", flow, ended, bursts[flow]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(Config { cases: 120, failure_persistence: None, ..Config::default() })]

    #[test]
    fn on_any_path_every_packet_byte_and_mark_is_accounted_for(case in any_case(), seed in 0..1000_u64) {
        let found = case.run_with(seed);
        let is_whole = case.scenario().warmup_s == 0.0;
        marks_balance(&found, is_whole)?;
        time_balances(&found, &case)?;
        if is_whole {
            hops_balance(&found)?;
            datagrams_balance(&found)?;
        }
    }
}

proptest! {
    #![proptest_config(Config { cases: 16, failure_persistence: None, ..Config::default() })]

    #[test]
    fn on_any_path_the_same_run_in_steps_gives_the_same_bytes(case in any_case(), seed in 0..1000_u64) {
        prop_assert_eq!(stepped(&case, seed), case.run_with(seed).0.digest());
    }
}
