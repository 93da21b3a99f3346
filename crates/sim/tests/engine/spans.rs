//! A run in which nothing is recorded passes spans of slots at once; one that records has users, servers and cell in turn. Both are
//! the same run, in every number of every table.

use airlink_model::types::Time;
use airlink_sim::{RecordKind, Simulation, run};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::case::Case;

/// Times that fall on slots' ends, and others; none is a way of its own.
const WAYS_MS: [f64; 7] = [0.0, 0.5, 3.0, 7.0, 10.0, 20.0, 41.7];

fn one_of(values: &[Value]) -> impl Strategy<Value = Value> + use<> {
    prop::sample::select(values.to_vec())
}

/// What is sent: mostly what servers go ahead with, and what keeps them in turn.
fn any_traffic() -> impl Strategy<Value = Value> {
    let size = json!({ "kind": "exponential", "mean_bytes": 8000 });
    let file = json!({ "kind": "file", "bytes": 30_000 });
    prop_oneof![
        4 => Just(json!({ "kind": "greedy" })),
        2 => Just(file),
        1 => Just(json!({ "kind": "poisson", "arrivals_per_s": 5, "size": size.clone() })),
        1 => Just(json!({ "kind": "sessions", "think_s": 0.05, "think": "constant", "size": size })),
    ]
}

/// The fields of a group of flows, each by its pointer.
fn any_group() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let way = || prop::sample::select(WAYS_MS.to_vec()).prop_map(Value::from);
    let rate = || prop_oneof![3 => Just(json!("inf")), 1 => one_of(&[json!(64_000), json!(1_000_000)])];
    let path = (way(), way(), rate(), rate());
    let acks = (1..5_u64, one_of(&[json!(5), json!(40), json!(200)]), any::<bool>());
    let timer = one_of(&[json!(20), json!(50), json!(200)]);
    let pacing = prop_oneof![
        2 => Just(json!({ "kind": "off" })),
        1 => Just(json!({ "kind": "window", "slow_start_gain": 2, "avoidance_gain": 1.2 })),
    ];
    let stop = prop_oneof![2 => Just(json!("inf")), 1 => Just(json!(0.4))];
    let spread = prop_oneof![Just(json!(0.0)), Just(json!(0.2))];
    let rest = (any_traffic(), stop, spread, any::<[bool; 2]>());
    (path, acks, (timer, pacing), rest).prop_map(|(path, acks, (timer, pacing), (traffic, stop, spread, switches))| {
        let rate_up = if path.3 == 64_000 { json!("inf") } else { path.3 };
        vec![
            ("/traffic", traffic),
            ("/stop_s", stop),
            ("/start_spread_s", spread),
            ("/path/downlink_delay_ms", path.0),
            ("/path/uplink_delay_ms", path.1),
            ("/path/downlink_rate_bps", path.2),
            ("/path/uplink_rate_bps", rate_up),
            ("/tcp/delayed_ack/every", json!(acks.0)),
            ("/tcp/delayed_ack/timer_ms", acks.1),
            ("/tcp/delayed_ack/timer_first", json!(acks.2)),
            ("/tcp/rto/min_ms", timer),
            ("/tcp/pacing", pacing),
            ("/tcp/handshake", json!(switches[0])),
            ("/tcp/sack", json!(switches[1])),
        ]
    })
}

/// A small cell with one or two groups of flows.
fn any_cell() -> impl Strategy<Value = Case> {
    let times =
        (one_of(&[json!(0.5), json!(5), json!(7.3)]), one_of(&[json!(0), json!(0.217)]), one_of(&[json!(0), json!(1)]));
    let queue = (one_of(&[json!(2), json!(10), json!("inf")]), one_of(&[json!("drop_tail"), json!("codel")]));
    (times, queue, 1..5_u64, any_group(), prop::option::of(any_group())).prop_map(
        |((slot, warmup, drain), (limit, kind), users, first, second)| {
            let case = Case::k3().set("/duration_s", 0.9).set("/users", users);
            let case = case.set("/slot/duration_ms", slot).set("/warmup_s", warmup).set("/drain_s", drain);
            let case = case.set("/queue/limit_packets", limit).set("/queue/kind", kind);
            let case =
                first.into_iter().fold(case, |case, (field, value)| case.set(&format!("/flows/0{field}"), value));
            second.map_or_else(|| case.clone(), |second| case.clone().and_flows(&second))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_of_slots_change_no_number(case in any_cell(), seed in any::<u64>()) {
        let in_spans = run(&case.scenario(), case.traces(), seed, &[]);
        let in_turn = run(&case.scenario(), case.traces(), seed, &[RecordKind::Gaps]);
        prop_assert_eq!(in_spans.tables.len(), in_turn.tables.len());
        for (name, table) in &in_spans.tables {
            // By their text, since what does not exist is not equal to itself.
            prop_assert_eq!(format!("{table:?}"), format!("{:?}", in_turn.tables[name]), "{}", name);
        }
    }

    #[test]
    fn spans_go_on_after_pauses_and_in_clones(case in any_cell(), seed in any::<u64>(), pauses_ms in prop::collection::vec(0..900_u64, 3)) {
        let mut simulation = Simulation::new(&case.scenario(), case.traces(), seed, &[]);
        for pause_ms in pauses_ms {
            simulation.advance_until(Time::from_nanos(pause_ms * 1_000_000));
            simulation = simulation.clone();
            simulation.clone().step();
        }
        while !simulation.is_finished() {
            simulation.step();
        }
        let whole = run(&case.scenario(), case.traces(), seed, &[]);
        prop_assert_eq!(simulation.into_replica(seed).digest(), whole.digest());
    }
}
