//! Packets without TCP in whole runs: counted to the packet and the nanosecond, in a cell and behind a bottleneck.

use airlink_model::types::Time;
use airlink_sim::{RecordKind, Simulation};
use serde_json::{Value, json};

use super::case::{Case, Columns, DELIVERED};

fn packets(rate_bps: f64, packet_bytes: u64, deadline_ms: f64) -> Value {
    json!({ "kind": "constant_rate", "rate_bps": rate_bps, "packet_bytes": packet_bytes, "spacing": "constant",
            "deadline_ms": deadline_ms })
}

/// What went out came in, was lost or is under way, in each flow.
fn balance(columns: &Columns) {
    let of = |name: &str| columns.wholes("flows", name);
    let (flows, fates) = (columns.series("packets", "flow"), columns.series("packets", "fate"));
    for flow in 0..of("flow").len() {
        let own = |wanted: fn(i64) -> bool| {
            let both = flows.iter().zip(&fates);
            both.filter(|(own, fate)| **own == flow as i64 && wanted(**fate)).count() as i64
        };
        if of("datagrams_sent")[flow] == 0 {
            continue;
        }
        assert_eq!(of("datagrams_sent")[flow], own(|_| true));
        assert_eq!(of("datagrams_received")[flow], own(|fate| fate == DELIVERED));
        assert_eq!(of("datagrams_lost")[flow], own(|fate| fate != DELIVERED && fate != 4));
        assert!(of("bursts_on_time")[flow] + of("deadline_misses")[flow] <= of("bursts_sent")[flow]);
    }
}

#[test]
fn a_packet_a_slot_is_there_at_the_end_of_its_slot() {
    // 576 bytes fill a slot of 5 ms. A packet leaves every 5 ms, is there 20 ms later with a slot's start, and at its end
    // at the user: after 25 ms. The one that leaves at the end of the run, and the four before it, are under way.
    for (deadline_ms, missed) in [(25.0, 0), (24.999_999, 1)] {
        let case = Case::fixed_link().set("/flows/0/traffic", packets(576.0 * 8.0 / 0.005, 576, deadline_ms));
        let columns = case.run();
        let (sent, received) = (columns.cell("datagrams_sent"), columns.cell("datagrams_received"));
        assert!(sent > 100 && sent - received == 5, "{sent} and {received}");
        let ended = columns.reals("users", "datagram_delay_max_s")[0];
        assert_eq!((ended, columns.reals("users", "datagram_delay_min_s")[0]), (0.025, 0.025));
        assert_eq!(columns.cell("bursts_on_time"), if missed == 0 { received } else { 0 });
        assert_eq!(columns.cell("deadline_misses"), missed * received);
        balance(&columns);
    }
}

#[test]
fn an_upward_flow_touches_nothing_but_its_wire() {
    let voice = json!({ "kind": "voice" });
    let up = Case::dumbbell().and_flows(&[("/traffic", voice), ("/direction", "up".into())]).run();
    let alone = Case::dumbbell().run();
    assert_eq!(up.wholes("users", "packets_in"), alone.wholes("users", "packets_in"));
    assert_eq!(up.wholes("flows", "segments_sent")[0], alone.wholes("flows", "segments_sent")[0]);
    assert_eq!(up.wholes("flows", "datagrams_sent")[0], 0);
    assert!(up.wholes("flows", "datagrams_received")[1] > 100);
    assert_eq!(up.reals("flows", "datagram_delay_max_s")[1], 0.02);
    balance(&up);
}

#[test]
fn losses_and_copies_on_both_ways_and_in_the_queue_balance() {
    let impaired = json!({ "loss": { "kind": "random", "p": 0.1 }, "duplicate_probability": 0.2 });
    let frames = json!({ "kind": "frames", "size": { "kind": "constant", "bytes": 30_000 }, "deadline_ms": 60 });
    let columns = Case::dumbbell()
        .with("/bottleneck", "impairments", impaired.clone())
        .and_flows(&[("/traffic", frames.clone()), ("/path", json!({ "downlink_impairments": impaired.clone() }))])
        .and_flows(&[
            ("/traffic", frames),
            ("/path", json!({ "uplink_impairments": impaired })),
            ("/direction", "up".into()),
        ])
        .run();
    balance(&columns);
    assert!(columns.wholes("flows", "datagrams_doubled")[1..].iter().all(|&copies| copies > 0));
    assert!(columns.wholes("flows", "deadline_misses")[1..].iter().all(|&missed| missed > 0));
}

#[test]
fn a_clone_of_a_run_goes_on_alike() {
    let size = json!({ "kind": "exponential", "mean_bytes": 10_000 });
    let frames = json!({ "kind": "frames", "size": size, "deadline_ms": 50 });
    let case = Case::dumbbell().and_flows(&[("/traffic", frames)]);
    let mut first = Simulation::new(&case.scenario(), case.traces(), 1, &RecordKind::ALL);
    first.advance_until(Time::from_nanos(1_500_000_000));
    let mut second = first.clone();
    first.advance_until(Time::NEVER);
    second.advance_until(Time::NEVER);
    let (first, second) = (Columns(first.into_replica(1)), Columns(second.into_replica(1)));
    assert_eq!(first.0.digest(), second.0.digest());
    assert!(first.cell("bursts_on_time") > 0 && first.cell("deadline_misses") > 0);
}

#[test]
fn what_misses_its_deadline_in_the_warm_up_does_not_count() {
    let traffic = packets(1e6, 1250, 1.0);
    let of = |warmup_s: f64| {
        let case = Case::dumbbell().set("/flows/0/traffic", traffic.clone()).set("/warmup_s", warmup_s);
        let columns = case.run();
        (columns.cell("deadline_misses"), columns.cell("bursts_sent"), columns.cell("datagram_delay_count"))
    };
    let (all, later) = (of(0.0), of(1.0));
    // One every 10 ms, whose deadline has passed a nanosecond after the millisecond.
    assert_eq!((all.0 - later.0, all.1 - later.1), (100, 101));
    assert!(all.2 > later.2);
}
