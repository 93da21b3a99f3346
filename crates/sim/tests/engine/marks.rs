//! Congestion marks in whole runs: each is accounted for, and Reno with ECN through a threshold against a closed form.

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use super::bottleneck::impairments;
use super::case::{Case, Columns};
use super::random_case::any_case;

/// The code of a reduction that an echo asked for, in the series of events.
const ECN_REDUCTION: i64 = 11;

/// Marks in flight at the start + set + duplicated = received + lost + in flight, for each flow, and as many set as queues count.
fn marks_balance(columns: &Columns) -> Result<i64, TestCaseError> {
    if columns.0.tables["flows"].get("ce_set").is_none() {
        return Ok(0); // Its flows have no transport.
    }
    let of = |name: &str| columns.wholes("flows", name);
    let sum = |names: &[&str], flow: usize| -> i64 { names.iter().map(|name| of(name)[flow]).sum() };
    for flow in 0..of("flow").len() {
        let came = sum(&["ce_in_flight_at_start", "ce_set", "ce_doubled"], flow);
        prop_assert_eq!(came, sum(&["ce_received", "ce_lost", "ce_in_flight"], flow), "flow {}", flow);
    }
    let set = of("ce_set").iter().sum();
    prop_assert_eq!(set, columns.wholes("users", "packets_marked").iter().sum::<i64>());
    Ok(set)
}

/// The same where hops alone mark: as many set as they count.
fn marks_balance_of_hops(columns: &Columns) -> Result<i64, TestCaseError> {
    let of = |name: &str| -> i64 { columns.wholes("flows", name).iter().sum() };
    prop_assert_eq!(of("ce_set") + of("ce_doubled"), of("ce_received") + of("ce_lost") + of("ce_in_flight"));
    prop_assert_eq!(of("ce_set"), columns.series("hops", "packets_marked").iter().sum::<i64>());
    Ok(of("ce_set"))
}

/// The case with ECN in its first flows and a queue that marks.
fn marking(case: Case, threshold: u64) -> Case {
    case.with("/flows/0/tcp", "ecn", json!("rfc3168")).with("/queue", "ecn", json!(true)).with(
        "/queue",
        "mark_above_packets",
        json!(threshold),
    )
}

proptest! {
    #![proptest_config(Config { cases: 60, failure_persistence: None, ..Config::default() })]

    #[test]
    fn in_any_cell_each_mark_is_received_lost_or_under_way(case in any_case(), seed in 0..1000_u64, threshold in 0..6_u64) {
        marks_balance(&marking(case, threshold).run_with(seed))?;
    }

    #[test]
    fn behind_a_bottleneck_each_mark_and_its_copies_are_accounted_for(
        threshold in 0..12_u64, loss in 0..3_u64, copies in 0..3_u64, late in 0..3_u64,
    ) {
        let changes = json!({
            "loss": if loss > 0 { json!({ "kind": "random", "p": loss as f64 * 0.02 }) } else { json!({ "kind": "none" }) },
            "duplicate_probability": copies as f64 * 0.05,
            "reorder_probability": late as f64 * 0.05, "reorder_extra_ms": 3.0,
        });
        let case = threshold_case(threshold).with("/bottleneck", "impairments", impairments(&changes));
        let found = case.set("/duration_s", 6.3).set("/warmup_s", 2.1).run();
        let set = marks_balance(&found)?;
        prop_assert!(set > 0 || loss + late > 0, "in order and without losses the window reaches the threshold");
        prop_assert!(found.wholes("flows", "ce_doubled")[0] == 0 || copies > 0);
    }
}

/// Reno with ECN, alone on 10 Mb/s with 40 ms of delay, a threshold and no limit.
fn threshold_case(threshold: u64) -> Case {
    Case::dumbbell()
        .with("/flows/0/tcp", "ecn", json!("rfc3168"))
        .with("/bottleneck", "mark_above_packets", json!(threshold))
        .set("/bottleneck/limit_packets", "inf")
        .set("/flows/0/tcp/receiver_window_bytes", 1_000_000)
}

/// Packets a second of a window that halves at `most` packets and then follows eq. (3) of RFC 5681, an ACK at a time. A round
/// trip takes the delay and a transmission, or the time to send the window before. After the echo nothing leaves until half of the window is
/// acknowledged. ACKs carry the echo until the CWR of the first packet that leaves is acknowledged, so that window is not larger.
fn sawtooth(most: u64) -> f64 {
    let (round_trip_s, send_s) = (0.0412, 0.0012);
    let mut cwnd = (most - 1) as f64 / 2.0;
    let mut window = cwnd as u64;
    let (mut packets, mut seconds) = (window, (most - window) as f64 * send_s + round_trip_s);
    loop {
        // The ACKs of one window let the next one out.
        let lasts_s = f64::max(round_trip_s, window as f64 * send_s);
        (0..window).for_each(|_| cwnd += 1.0 / cwnd);
        window = cwnd as u64;
        if window > most {
            return packets as f64 / seconds;
        }
        packets += window;
        seconds += lasts_s;
    }
}

#[test]
fn reno_halves_once_a_round_trip_without_loss_and_fills_what_the_sawtooth_fills() {
    for threshold in [3, 10, 20] {
        let found = threshold_case(threshold).set("/duration_s", 110.0).set("/warmup_s", 10.0).run();
        assert_eq!(found.cell("drops_queue_full"), 0);
        assert_eq!(found.wholes("flows", "retransmissions"), [0]);
        let events = found.series("events", "event");
        let times = found.milliseconds("events", "time_s");
        let reductions: Vec<f64> =
            events.iter().zip(&times).filter(|(event, _)| **event == ECN_REDUCTION).map(|(_, &at)| at).collect();
        assert!(reductions.windows(2).all(|pair| pair[1] - pair[0] > 41.2), "one reduction a round trip");
        assert_eq!(
            found.wholes("flows", "ecn_reductions")[0] as usize,
            reductions.iter().filter(|&&at| at > 10_000.0).count()
        );
        // A packet is the first to find more than the threshold in a window of 40 / 1.2 on the wires, one more than the threshold in
        // the queue, and itself. Its echo is there before the window grows again. A packet more or less is left open.
        let most = (40.0_f64 / 1.2).floor() as u64 + threshold + 2;
        let rate = found.reals("flows", "goodput_bps")[0] / (8.0 * 1460.0);
        let (least, largest) = (sawtooth(most - 1), sawtooth(most + 1));
        assert!((least..=largest).contains(&rate), "threshold {threshold}: {rate} of {least} to {largest}");
    }
}

/// A greedy flow through a hop of 10 Mb/s and 20 ms that marks above a threshold, with 20 ms back: down, or up through the same hop.
fn over_a_hop(direction: &str, threshold: u64) -> Columns {
    let hop = json!({ "name": "a", "rate_bps": 10e6, "delay_ms": 20.0, "mark_above_packets": threshold });
    let [hops, uplink_hops] = if direction == "up" { [json!([]), json!(["a"])] } else { [json!(["a"]), json!([])] };
    let [down_ms, up_ms] = if direction == "up" { [20.0, 0.0] } else { [0.0, 20.0] };
    let case = threshold_case(threshold).set("/duration_s", 60.0).set("/flows/0/direction", direction);
    let case = case.set("/bottleneck/rate_bps", 1e15).set("/bottleneck/delay_ms", 0.0);
    let case = case.set("/bottleneck/mark_above_packets", "inf").with("", "hops", json!([hop]));
    let case = case.set("/flows/0/path/downlink_delay_ms", down_ms).set("/flows/0/path/uplink_delay_ms", up_ms);
    case.set("/flows/0/path/hops", hops).set("/flows/0/path/uplink_hops", uplink_hops).run()
}

#[test]
fn marks_of_a_hop_do_upwards_what_they_do_downwards_and_at_the_bottleneck() {
    for threshold in [3, 20] {
        let alone = threshold_case(threshold).set("/duration_s", 60.0).run();
        let [down, up] = ["down", "up"].map(|direction| over_a_hop(direction, threshold));
        let counts =
            ["segments_sent", "retransmissions", "timeouts", "ecn_reductions", "ce_set", "ce_received", "ce_lost"];
        for found in [&down, &up] {
            for name in counts {
                assert_eq!(found.wholes("flows", name), alone.wholes("flows", name), "{name} above {threshold}");
            }
            assert_eq!(found.milliseconds("events", "time_s"), alone.milliseconds("events", "time_s"));
            assert_eq!(found.series("hops", "packets_marked"), alone.wholes("flows", "ce_set"));
            assert_eq!(marks_balance_of_hops(found).expect("they balance"), alone.wholes("flows", "ce_set")[0]);
        }
        assert!(alone.wholes("flows", "ecn_reductions")[0] > 20);
        assert_eq!(up.wholes("flows", "goodput_up_bytes"), down.wholes("flows", "goodput_bytes"));
    }
}

/// Downloads of three users over a fading cell, whose queues mark or drop.
fn loaded(ecn: &str, kind: &str) -> Columns {
    let traffic: Value = json!({ "kind": "greedy" });
    let case = Case::k3().set("/users", 3).set("/duration_s", 60.0).set("/flows/0/traffic", traffic);
    // PIE marks whatever its probability, but for 1: it would refuse above 0.1, which this load exceeds.
    let case = case.set("/queue/kind", kind).set("/queue/pie/mark_below_probability", 1.0);
    case.with("/queue", "ecn", json!(true)).with("/flows/0/tcp", "ecn", json!(ecn)).run()
}

#[test]
fn codel_and_pie_mark_in_the_place_of_drops_where_flows_take_part() {
    for kind in ["codel", "pie"] {
        let (with, without) = (loaded("rfc3168", kind), loaded("off", kind));
        let dropped = |found: &Columns| found.cell("drops_aqm");
        let marked: i64 = with.wholes("flows", "ce_set").iter().sum();
        assert!(dropped(&without) > 20, "{kind}: {} drops", dropped(&without));
        assert!(marked > 20 && 2 * dropped(&with) < dropped(&without), "{kind}: {marked} marks, {}", dropped(&with));
        assert!(with.wholes("flows", "ecn_reductions").iter().all(|&count| count > 0));
        assert!(without.0.tables["flows"].get("ce_set").is_none(), "a column of flows with ECN alone");
    }
}

#[test]
fn a_queue_of_all_users_marks_by_its_own_occupancy() {
    let case = Case::k3()
        .set("/users", 3)
        .set("/duration_s", 30.0)
        .set("/flows/0/traffic", json!({ "kind": "greedy" }))
        .set("/queue/scope", "cell")
        .set(
            "/scheduler",
            json!({ "kind": "fifo", "serve_empty_queues": false, "skip_unservable": false, "ties": "lowest_index" }),
        );
    let found = marking(case.clone(), 5).run();
    assert!(marks_balance(&found).expect("they balance") > 10);
    let never = marking(case, 1_000_000).run();
    assert_eq!(marks_balance(&never).expect("they balance"), 0);
}
