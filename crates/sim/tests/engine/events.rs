//! The events of a flow, against calculations by hand and against the counts of the summaries. The bottleneck
//! of `bottleneck.rs`: 1.2 ms for a packet, 20 ms to the user and 20 ms back.

use serde_json::{Value, json};

use crate::engine::case::{Case, Columns, DEAF_DB, GOOD_DB};

const STARTED: i64 = 1;
const FAST_RETRANSMIT: i64 = 2;
const TIMEOUT: i64 = 3;
const RECOVERED: i64 = 4;
const UNDONE: i64 = 5;
const TAIL_LOSS_PROBE: i64 = 6;
const WINDOW_PROBE: i64 = 7;
const STOPPED: i64 = 8;
const COMPLETED: i64 = 9;

/// A file of so many segments that leaves at once, over a wire that does this to packets by number.
fn burst(segments: u64, wire: &[(&str, &[u64])]) -> Case {
    let mut impairments = json!({
        "drop_numbers": [], "duplicate_numbers": [], "reorder_numbers": [], "reorder_extra_ms": 0.0, "drop_at_s": [],
        "loss": { "kind": "none" }, "reorder_probability": 0.0, "duplicate_probability": 0.0, "delay_spikes": [],
        "outages": [],
    });
    wire.iter().for_each(|(name, numbers)| impairments[name] = json!(numbers));
    Case::dumbbell()
        .set("/duration_s", 20.0)
        .set("/flows/0/traffic", json!({ "kind": "file", "bytes": 1460 * segments }))
        .set("/flows/0/tcp/initial_window_segments", segments)
        .with("/bottleneck", "impairments", impairments)
}

/// The switches of the TCP that are on.
fn with_rules(case: Case, rules: &[&str]) -> Case {
    rules.iter().fold(case, |case, rule| {
        let place = if ["sack", "timestamps"].contains(rule) { "" } else { "rules/" };
        case.set(&format!("/flows/0/tcp/{place}{rule}"), true)
    })
}

/// Moment in ms, event, and oldest byte, in segments.
fn story(found: &Columns) -> Vec<(f64, i64, f64)> {
    let (events, sequences) = (found.series("events", "event"), found.series("events", "sequence"));
    let segments = sequences.iter().map(|&sequence| sequence as f64 / 1460.0);
    let told = found.milliseconds("events", "time_s").into_iter().zip(events).zip(segments);
    told.map(|((at, event), segment)| (at, event, segment)).collect()
}

fn count(found: &Columns, event: i64) -> i64 {
    found.series("events", "event").into_iter().filter(|&other| other == event).count() as i64
}

#[test]
fn a_loss_is_told_as_a_fast_retransmit_and_a_recovery() {
    let found = with_rules(burst(6, &[("drop_numbers", &[1])]), &["sack"]).run();
    // The ACKs after the second packet's loss come 1.2 ms apart from 43.6 on; the third of them lets it go again, which
    // is at the user 21.2 ms later and answered 20 ms after that.
    let expected = [(0.0, STARTED, 0.0), (46.0, FAST_RETRANSMIT, 1.0), (67.2, COMPLETED, 1.0), (87.2, RECOVERED, 6.0)];
    assert_eq!(story(&found), expected);
    assert_eq!(found.series("events", "spurious"), [-1; 4]);
}

#[test]
fn sack_blocks_are_told_as_they_reach_the_server() {
    let found = with_rules(burst(6, &[("drop_numbers", &[1])]), &["sack"]).run();
    assert_eq!(found.milliseconds("sacks", "time_s"), [43.6, 44.8, 46.0, 47.2]);
    assert_eq!(found.series("sacks", "start"), [2 * 1460; 4]);
    assert_eq!(found.series("sacks", "end"), [3, 4, 5, 6].map(|segment| segment * 1460));
    assert_eq!(found.series("sacks", "duplicate"), [0; 4]);
    assert_eq!(found.series("acks", "window_bytes"), [1_000_000; 6]);
}

#[test]
fn a_segment_that_comes_twice_is_told_as_a_duplicate_block() {
    let found = with_rules(burst(4, &[("duplicate_numbers", &[2])]), &["sack", "dsack"]).run();
    assert_eq!(found.series("sacks", "duplicate"), [1]);
    assert_eq!((found.series("sacks", "start"), found.series("sacks", "end")), (vec![2 * 1460], vec![3 * 1460]));
}

#[test]
fn a_lost_tail_is_probed_for() {
    let found = with_rules(burst(3, &[("drop_numbers", &[2])]), &["sack", "rack", "tail_loss_probe"]).run();
    // The first segment is timed, 41.2 ms; the probe leaves two of these and 200 ms after the last ACK, that of 42.4 ms.
    assert_eq!(story(&found), [(0.0, STARTED, 0.0), (324.8, TAIL_LOSS_PROBE, 2.0), (346.0, COMPLETED, 2.0)]);
    assert_eq!(found.wholes("flows", "tail_loss_probes"), [1]);
}

#[test]
fn a_timeout_says_whether_it_was_spurious() {
    // A queue of one: the second packet is lost, and the timer strikes a second after the first one's ACK at 45 ms.
    let genuine = Case::fixed_link().all_at_once(2).set("/queue/limit_packets", 1).set("/duration_s", 2).run();
    assert_eq!(genuine.series("events", "event"), [STARTED, TIMEOUT, COMPLETED]);
    assert_eq!(genuine.milliseconds("events", "time_s"), [0.0, 1045.0, 1070.0]);
    assert_eq!(genuine.series("events", "spurious"), [-1, 0, -1]);
    // The link opens at 4 s, after timeouts at 1 and 3 s; the originals have waited all the time.
    let mut snr_db = vec![GOOD_DB; 1800];
    snr_db[..800].fill(DEAF_DB);
    let case = Case::traced_link(&snr_db).set("/link/report/period_slots", 1).all_at_once(2);
    let needless = case.set("/queue/limit_packets", 2).set("/duration_s", 5).run();
    assert_eq!(needless.series("events", "event"), [STARTED, TIMEOUT, TIMEOUT, COMPLETED]);
    assert_eq!(needless.series("events", "spurious"), [-1, 1, 1, -1]);
}

#[test]
fn a_flow_that_stops_says_so_and_one_without_a_transport_says_nothing() {
    let case = burst(6, &[]).set("/flows/0/start_s", 0.5).set("/flows/0/stop_s", 1.0);
    assert_eq!(story(&case.run()), [(500.0, STARTED, 0.0), (527.2, COMPLETED, 0.0), (1000.0, STOPPED, 6.0)]);
    assert!(Case::fixed_link().backlogged(2, 576).run().series("events", "event").is_empty());
}

#[test]
fn events_are_as_many_as_the_summaries_count() {
    let stalls: Value = json!({ "kind": "stalling", "rate_bps": 1e6, "stall_after_s": 0.5, "stall_for_s": 5.0 });
    let case = burst(200, &[("drop_numbers", &[50, 51, 120]), ("reorder_numbers", &[20, 150])])
        .set("/bottleneck/impairments/reorder_extra_ms", 30.0)
        .set("/flows/0/tcp/initial_window_segments", 10)
        .set("/flows/0/tcp/receiver_window_bytes", 40_000)
        .set("/flows/0/tcp/reader", stalls);
    let rules = ["sack", "dsack", "dsack_detection", "timestamps", "eifel_detection", "rack", "tail_loss_probe"];
    let found = with_rules(case, &rules).set("/flows/0/tcp/rules/spurious_response", "undo").run();
    let counted = [
        (FAST_RETRANSMIT, "fast_retransmits"),
        (TIMEOUT, "timeouts"),
        (UNDONE, "recoveries_undone"),
        (TAIL_LOSS_PROBE, "tail_loss_probes"),
        (WINDOW_PROBE, "window_probes"),
    ];
    for (event, name) in counted {
        assert_eq!(count(&found, event), found.wholes("flows", name)[0], "{name}");
    }
    for event in [FAST_RETRANSMIT, UNDONE, WINDOW_PROBE] {
        assert!(count(&found, event) > 0, "the case has event {event}");
    }
    assert_eq!(found.series("events", "spurious").iter().filter(|&&spurious| spurious == 1).count() as i64, {
        found.wholes("flows", "spurious_timeouts")[0]
    });
}
