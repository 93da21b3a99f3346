//! A run in which nothing is recorded passes spans of time at once; one that records has users, servers and network in turn. Both are
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

/// A drop-tail queue before a wire, and one or two groups of flows: of round numbers, so that much happens at one moment.
fn any_wire() -> impl Strategy<Value = Case> {
    let rate = prop::sample::select(vec![1e7, 1.2e7, 1e8, 1e15]);
    let queue = (one_of(&[json!(1), json!(4), json!(20), json!("inf")]), any::<[bool; 2]>());
    let freezes = one_of(&[json!([]), json!([{ "at_s": 0.3, "for_s": 0.1 }])]);
    let times = (one_of(&[json!(0), json!(0.217)]), one_of(&[json!(0), json!(1)]), one_of(&[json!(0), json!(65_535)]));
    let wire = (rate, prop::sample::select(WAYS_MS.to_vec()), queue, freezes);
    let paths = prop::sample::select(vec!["at once", "on its way", "any"]);
    (wire, times, 1..5_u64, paths, any_group(), prop::option::of(any_group())).prop_map(
        |((rate, delay, (limit, counts), freezes), (warmup, drain, merged), users, paths, first, second)| {
            let case = Case::dumbbell().set("/duration_s", 0.9).set("/users", users);
            let case = case.set("/warmup_s", warmup).set("/drain_s", drain);
            let case = case.set("/bottleneck/rate_bps", rate).set("/bottleneck/delay_ms", delay);
            let case = case.set("/bottleneck/limit_packets", limit).set("/bottleneck/in_service_counts", counts[0]);
            let case = case.set("/bottleneck/arrivals_first", counts[1]).with("/bottleneck", "freezes", freezes);
            let path = |group: Vec<(&'static str, Value)>| {
                let alike = move |(field, value)| match (paths, field) {
                    ("at once", "/path/downlink_delay_ms") => (field, json!(0)),
                    ("at once" | "on its way", "/tcp/pacing") => (field, json!({ "kind": "off" })),
                    ("at once", "/path/downlink_rate_bps") => (field, json!("inf")),
                    ("on its way", "/path/downlink_delay_ms") if value == 0.0 => (field, json!(3)),
                    (_, "/path/uplink_delay_ms") if rate > 1e9 && value == 0.0 => (field, json!(3)),
                    _ => (field, value),
                };
                group.into_iter().map(alike).collect::<Vec<_>>()
            };
            // At the highest rate packets take no time, so that a way and a window keep them few.
            let case = case.set("/flows/0/tcp/receiver_window_bytes", if rate > 1e9 { 12_000 } else { 120_000 });
            let case = case.set("/flows/0/tcp/delayed_ack/merge_bytes", merged);
            let first = path(first);
            let case =
                first.into_iter().fold(case, |case, (field, value)| case.set(&format!("/flows/0{field}"), value));
            second.map_or_else(|| case.clone(), |second| case.clone().and_flows(&path(second)))
        },
    )
}

/// What is recorded puts users, servers and network in turn.
fn check_in_turn(case: &Case, seed: u64) -> Result<(), TestCaseError> {
    let in_spans = run(&case.scenario(), case.traces(), seed, &[]);
    let in_turn = run(&case.scenario(), case.traces(), seed, &[RecordKind::Gaps]);
    prop_assert_eq!(in_spans.tables.len(), in_turn.tables.len());
    for (name, table) in &in_spans.tables {
        // By their text, since what does not exist is not equal to itself.
        prop_assert_eq!(format!("{table:?}"), format!("{:?}", in_turn.tables[name]), "{}", name);
    }
    Ok(())
}

/// After a freeze servers' timers run out within a span, so that ACKs of some flows wait for their turn and those of others do not;
/// several come at one moment, since users' timers send them.
#[test]
fn packets_that_reach_the_queue_as_they_are_sent_keep_the_turn_of_their_ack() {
    let case = Case::dumbbell().set("/duration_s", 0.9).set("/warmup_s", 0).set("/users", 4);
    let case = case.set("/bottleneck/rate_bps", 1.2e7).set("/bottleneck/limit_packets", "inf");
    let case = case.with("/bottleneck", "freezes", json!([{ "at_s": 0.3, "for_s": 0.1 }]));
    let case = case.set("/flows/0/path/uplink_delay_ms", 41.7).set("/flows/0/tcp/receiver_window_bytes", 12_000);
    let case = case.set("/flows/0/tcp/delayed_ack/every", 2).set("/flows/0/tcp/delayed_ack/timer_ms", 5);
    let case = case.set("/flows/0/tcp/rto/min_ms", 20).set("/bottleneck/in_service_counts", false);
    check_in_turn(&case, 0).expect("spans change no number");
    let steps = |record: &[RecordKind]| Simulation::new(&case.scenario(), case.traces(), 0, record).events_a_step();
    assert!(steps(&[]) > 1 && steps(&[RecordKind::Gaps]) == 1, "the one passes spans, the other takes turns");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_of_slots_change_no_number(case in any_cell(), seed in any::<u64>()) {
        check_in_turn(&case, seed)?;
    }

    #[test]
    fn spans_of_wires_change_no_number(case in any_wire(), seed in any::<u64>()) {
        check_in_turn(&case, seed)?;
    }

    #[test]
    fn spans_go_on_after_pauses_and_in_clones(case in prop_oneof![any_cell(), any_wire()], seed in any::<u64>(), pauses_ms in prop::collection::vec(0..900_u64, 3)) {
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
