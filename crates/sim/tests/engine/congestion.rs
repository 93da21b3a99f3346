//! Westwood+ and Vegas through a wired bottleneck, against what their equations say there: 1.2 ms for a packet at 10 Mb/s, 41.2 ms
//! for the round trip of one alone, so 41.2 / 1.2 = 34.3 packets fill the wires.

use serde_json::json;

use crate::engine::bottleneck::impairments;
use crate::engine::case::{Case, Columns};

const PACKET_MS: f64 = 1.2;
const ALONE_MS: f64 = 41.2;
const FILLING: f64 = ALONE_MS / PACKET_MS;
const MSS: f64 = 1460.0;
/// Column `event` of the series `cwnd`.
const FAST_RETRANSMIT: i64 = 2;

fn dumbbell(algorithm: &str, duration_s: f64) -> Case {
    Case::dumbbell().set("/duration_s", duration_s).set("/flows/0/tcp/congestion_control", algorithm)
}

/// ssthresh in segments after each fast retransmit from `from_s` on.
fn thresholds(found: &Columns, from_s: f64) -> Vec<f64> {
    let series = &found.0.series["cwnd"];
    let [times, thresholds] = ["time_s", "ssthresh_bytes"].map(|name| series.reals(name).expect("a column of it"));
    let events = found.series("cwnd", "event");
    let rows = times.iter().zip(thresholds).zip(events);
    let meant = rows.filter(|((time, _), event)| **time >= from_s && *event == FAST_RETRANSMIT);
    meant.map(|((_, threshold), _)| threshold / MSS).collect()
}

/// Mean of the round trips of flow `flow` from `from_s` on, as packets waiting at the bottleneck.
fn waiting(found: &Columns, flow: i64, from_s: f64) -> f64 {
    let series = &found.0.series["rtt"];
    let [times, trips] = ["time_s", "rtt_s"].map(|name| series.reals(name).expect("a column of it"));
    let flows = found.series("rtt", "flow");
    let rows = times.iter().zip(trips).zip(flows).filter(|((time, _), of)| **time >= from_s && *of == flow);
    let late: Vec<f64> = rows.map(|((_, trip), _)| (1e3 * trip - ALONE_MS) / PACKET_MS).collect();
    late.iter().sum::<f64>() / late.len() as f64
}

#[test]
fn westwood_at_a_full_queue_loses_down_to_what_fills_the_wires() {
    // The queue is never empty for long, so the ACKs come at the bottleneck's rate and BWE x RTTmin fills the wires and no
    // more. A sample is a whole number of segments over a window of them: within one segment of the 34.3.
    let found = dumbbell("westwood", 60.0).run();
    let thresholds = thresholds(&found, 5.0);
    assert!(thresholds.len() >= 5, "{thresholds:?}");
    assert!(thresholds.iter().all(|threshold| (threshold - FILLING).abs() <= 1.0), "{thresholds:?}");
    // Reno halves 54 packets to 27, which leave the bottleneck idle.
    let reno = thresholds_of_reno(60.0);
    assert!(reno.iter().all(|threshold| *threshold < FILLING - 5.0), "{reno:?}");
}

fn thresholds_of_reno(duration_s: f64) -> Vec<f64> {
    thresholds(&dumbbell("new_reno", duration_s).run(), 5.0)
}

#[test]
fn westwood_keeps_its_window_when_a_loss_is_no_congestion() {
    // A receiver's window of 20 packets never fills the wires: they take a round trip of 41.2 ms in which 20 arrive, and that
    // is what BWE x RTTmin gives back when one is lost. 21 ACKs at most end a sample: within one segment.
    let lossy = |algorithm: &str| {
        let case = dumbbell(algorithm, 20.0).set("/flows/0/tcp/receiver_window_bytes", 20 * 1460);
        let wire = impairments(&json!({ "drop_numbers": [3000, 5000, 7010] }));
        thresholds(&case.with("/bottleneck", "impairments", wire).run(), 0.0)
    };
    let westwood = lossy("westwood");
    assert_eq!(westwood.len(), 3);
    assert!(westwood.iter().all(|threshold| (threshold - 20.0).abs() <= 1.0), "{westwood:?}");
    assert_eq!(lossy("new_reno"), [10.0; 3]);
}

#[test]
fn vegas_keeps_alpha_to_beta_packets_waiting() {
    // In balance cwnd (RTT - BaseRTT) / RTT is what waits, alpha to beta; a window need not be whole, and what is sent of it
    // is: one packet fewer.
    for (alpha, beta) in [(2.0, 4.0), (1.0, 3.0), (6.0, 8.0)] {
        let case = dumbbell("vegas", 30.0).set("/bottleneck/limit_packets", 1000);
        let case = case.set("/flows/0/tcp/vegas/alpha_segments", alpha).set("/flows/0/tcp/vegas/beta_segments", beta);
        let found = case.run();
        let waiting = waiting(&found, 0, 15.0);
        assert!(waiting > alpha - 1.0 && waiting <= beta, "{waiting} of {alpha} to {beta}");
        assert_eq!(found.wholes("flows", "retransmissions"), [0]);
    }
}

#[test]
fn vegas_fills_the_wires_without_a_loss_where_reno_loses() {
    let goodput = |algorithm| {
        // A queue longer than the wires hold: the last round of slow start doubles what fills them.
        let found = dumbbell(algorithm, 60.0).set("/bottleneck/limit_packets", 40).run();
        (found.wholes("flows", "goodput_bytes")[0], found.wholes("flows", "retransmissions")[0])
    };
    let (bytes, retransmissions) = goodput("vegas");
    assert_eq!(retransmissions, 0);
    // All of 60 s but for the first slow start, which takes less than a second.
    assert!(bytes as f64 >= 59.0 / 60.0 * 60e3 / PACKET_MS * MSS, "{bytes}");
    assert!(goodput("new_reno").1 > 0);
}

#[test]
fn two_vegas_flows_keep_twice_as_much_waiting_and_share_by_what_they_keep() {
    // Each keeps alpha to beta of its own packets waiting. The second one's first packet waits behind the first one's, so it
    // takes for BaseRTT a packet's time more than there is: up to a packet more in all; a window that is not whole, one less.
    let case = dumbbell("vegas", 60.0)
        .set("/bottleneck/limit_packets", 1000)
        .set("/users", 2)
        .set("/flows/0/users", json!([0]));
    let found = case.and_flows(&[("/users", json!([1]))]).run();
    let waiting = waiting(&found, 0, 30.0);
    assert!(waiting > 2.0 * (2.0 - 1.0) && waiting <= 2.0 * 4.0 + 1.0, "{waiting}");
    let bytes = found.wholes("flows", "goodput_bytes");
    let share = bytes[0] as f64 / bytes[1] as f64;
    // Rates are as what waits: 2 to 4 of one, 2 to 5 of the other.
    assert!((2.0 / 5.0..=2.0).contains(&share), "{bytes:?}");
    assert_eq!(found.wholes("flows", "retransmissions"), [0, 0]);
}
