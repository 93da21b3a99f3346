//! What held a flow back, against answers by hand: each cause on a link where little else can be.

use serde_json::json;

use super::case::{Case, Columns, GOOD_DB};

const CAUSES: [&str; 8] =
    ["application", "receiver_window", "congestion_window", "rto", "wire", "scheduler", "air", "arq"];

/// The time of a flow by cause, ms to the microsecond: only what is not zero, in the order of the codes.
fn times_ms(columns: &Columns, flow: usize) -> Vec<(&'static str, f64)> {
    let time = |cause: &str| (columns.reals("flows", &format!("time_{cause}_s"))[flow] * 1e6).round() / 1e3;
    CAUSES.into_iter().map(|cause| (cause, time(cause))).filter(|(_, time)| *time > 0.0).collect()
}

/// Where the pieces of the only flow begin, ms, and their causes.
fn pieces(columns: &Columns) -> Vec<(f64, &'static str)> {
    let causes =
        columns.series("limits", "cause").into_iter().map(|code| CAUSES[usize::try_from(code).expect("a code")]);
    columns.milliseconds("limits", "from_s").into_iter().zip(causes).collect()
}

fn active_ms(columns: &Columns) -> f64 {
    (columns.reals("flows", "active_s")[0] * 1e6).round() / 1e3
}

/// A greedy flow on the fixed link whose receiver takes four segments.
fn four_segments() -> Case {
    let case = Case::fixed_link().set("/flows/0/traffic", json!({ "kind": "greedy" })).set("/duration_s", 10.0);
    case.set("/flows/0/tcp/receiver_window_bytes", 4 * 536)
}

#[test]
fn a_window_of_four_segments_keeps_a_flow_and_quick_passages_are_charged_to_it() {
    // Four packets are on air for 20 ms of each cycle of 45: from 110, 155, 200, ... Before, cwnd grows from 1 (at 0) to
    // 4 (at 95); the packets at 65 and 70 pass in 10 ms, and of the 35 after them cwnd keeps 20. The last passage, from
    // 9965 to 9985, is followed by 15 ms only.
    let columns = four_segments().run();
    assert_eq!(times_ms(&columns, 0), [("receiver_window", 9885.0), ("congestion_window", 95.0), ("air", 20.0)]);
    let changes = [(0.0, "congestion_window"), (95.0, "receiver_window"), (9965.0, "air"), (9985.0, "receiver_window")];
    assert_eq!(pieces(&columns), changes);
}

#[test]
fn passages_longer_than_the_wait_after_them_keep_their_cause() {
    // Five segments: 25 ms on air, 20 of waiting.
    let columns = four_segments().set("/flows/0/tcp/receiver_window_bytes", 5 * 536).run();
    let times = times_ms(&columns, 0);
    assert_eq!(times.iter().map(|(_, time)| time).sum::<f64>(), 10_000.0);
    let air = times.iter().find(|(cause, _)| *cause == "air").expect("it is on air").1;
    assert!((air / 10_000.0 - 25.0 / 45.0).abs() < 0.01, "{times:?}");
}

#[test]
fn a_stream_whose_packets_pass_is_limited_by_its_application() {
    // A segment every 200 ms: 20 ms to the cell, 5 on air. The last, at 9800, is followed by 175 ms of nothing.
    let stream = json!({ "kind": "stream", "rate_bps": 21_440.0, "message_bytes": 536 });
    let columns = four_segments().set("/flows/0/traffic", stream.clone()).run();
    assert_eq!(times_ms(&columns, 0), [("application", 10_000.0)]);
    // Stopped at 1050, it has nothing to wait for but the way of what it has sent; that of 1000 is acknowledged at 1045.
    let stopped = four_segments().set("/flows/0/traffic", stream).set("/flows/0/stop_s", 1.05).run();
    assert_eq!((active_ms(&stopped), times_ms(&stopped, 0)), (1050.0, vec![("application", 1050.0)]));
}

#[test]
fn the_silence_before_a_timeout_is_as_long_as_the_timer() {
    // Four packets are lost as they set out. At 1000 ms one goes again, at 1041.2 two, at 1082.4 the last, which is
    // there at 1103.6. The bottleneck's passages of 1.2 and 2.4 ms count as the waits behind them.
    let drops = json!({
        "drop_numbers": [0, 1, 2, 3], "duplicate_numbers": [], "reorder_numbers": [], "reorder_extra_ms": 0.0,
        "drop_at_s": [], "loss": { "kind": "none" }, "reorder_probability": 0.0, "duplicate_probability": 0.0,
        "delay_spikes": [], "outages": [],
    });
    let file = Case::dumbbell().set("/duration_s", 3.0).set("/flows/0/tcp/initial_window_segments", 4);
    let file = file.set("/flows/0/traffic", json!({ "kind": "file", "bytes": 4 * 1460 }));
    let columns = file.with("/flows/0/path", "downlink_impairments", drops).run();
    assert_eq!(times_ms(&columns, 0), [("congestion_window", 82.4), ("rto", 1000.0), ("wire", 21.2)]);
    assert_eq!(pieces(&columns), [(0.0, "rto"), (1000.0, "congestion_window"), (1082.4, "wire")]);
    assert_eq!(active_ms(&columns), 1103.6);
}

#[test]
fn a_silence_takes_no_stay_and_begins_when_the_last_packet_was_sent() {
    // Both packets are lost on air: sent at 0, in slots at 20 and 25 ms, given up at 30. The timer expires at 1000.
    let case = Case::failing_in(&[4, 5]).all_at_once(2).set("/duration_s", 1.02);
    let columns = case.run();
    assert_eq!(pieces(&columns), [(0.0, "rto"), (20.0, "air"), (30.0, "rto"), (1000.0, "congestion_window")]);
}

#[test]
fn a_full_pipe_is_the_wires() {
    // A queue without end: from 0.3 s on it is never empty.
    let columns = Case::dumbbell().set("/bottleneck/limit_packets", "inf").set("/warmup_s", 1.0).run();
    assert_eq!(times_ms(&columns, 0), [("wire", 99_000.0)]);
}

#[test]
fn a_slow_wire_before_a_fast_cell_is_the_wires() {
    // 576 bytes take 20 ms at 230.4 kb/s and 5 on air; nothing comes after the last passage.
    let columns = four_segments().set("/flows/0/tcp/receiver_window_bytes", 65_535).set("/warmup_s", 1.0);
    let columns = columns.set("/flows/0/path/downlink_rate_bps", 230_400.0).run();
    assert_eq!(times_ms(&columns, 0), [("wire", 8995.0), ("air", 5.0)]);
}

#[test]
fn a_slow_uplink_is_a_wire_too() {
    // 40 bytes take 20 ms at 16 kb/s. An ACK in slow start lets two packets go, 10 ms on air and 10 until the next ACK;
    // from 122 packets on, after 2.5 s, one. Nothing comes after the last passage.
    let columns = four_segments().set("/flows/0/tcp/receiver_window_bytes", 65_535).set("/warmup_s", 3.0);
    let columns = columns.set("/flows/0/path/uplink_rate_bps", 16_000.0).run();
    assert_eq!(times_ms(&columns, 0), [("wire", 6995.0), ("air", 5.0)]);
}

#[test]
fn users_of_a_fair_scheduler_are_on_air_or_wait_for_the_others() {
    for users in [1, 2, 3] {
        // 210 slots of 5 ms are whole rounds of each.
        let columns = Case::fixed_link().backlogged(users, 576).set("/duration_s", 1.05).run();
        for flow in 0..users {
            let air = 1050.0 / users as f64;
            let expected = [("scheduler", 1050.0 - air), ("air", air)];
            assert_eq!(times_ms(&columns, flow), expected[usize::from(users == 1)..]);
        }
    }
}

#[test]
fn retransmissions_and_the_wait_for_feedback_count_as_arq() {
    // One packet, in the slot at 20 ms and, two slots of feedback later, again at 35.
    let case = Case::failing_in(&[4]).all_at_once(1).set("/link/arq/max_retransmissions", "inf");
    let columns = case.clone().set("/link/arq/feedback_delay_slots", 2).run();
    assert_eq!(pieces(&columns), [(0.0, "wire"), (20.0, "arq")]);
    assert_eq!(active_ms(&columns), 40.0);
    // Of a full queue the slots between carry new packets.
    let full = Case::failing_in(&[4]).backlogged(1, 576).set("/link/arq/max_retransmissions", "inf");
    let columns = full.set("/link/arq/feedback_delay_slots", 2).run();
    assert_eq!(pieces(&columns), [(0.0, "air"), (20.0, "arq"), (25.0, "air"), (35.0, "arq"), (40.0, "air")]);
}

#[test]
fn without_repetition_a_lost_block_was_on_air() {
    let columns = Case::failing_in(&[4]).backlogged(1, 576).run();
    assert_eq!(pieces(&columns), [(0.0, "air")]);
}

#[test]
fn a_packet_waits_for_the_slots_start() {
    // At 1 Mb/s 576 bytes take 4.608 ms: there at 24.608, on air from 25 to 30.
    let columns = Case::fixed_link().all_at_once(1).set("/flows/0/path/downlink_rate_bps", 1e6).run();
    assert_eq!(pieces(&columns), [(0.0, "wire"), (24.608, "scheduler"), (25.0, "air")]);
}

#[test]
fn only_what_lies_after_the_warm_up_is_added_up_and_the_series_is_of_the_whole() {
    let columns = four_segments().set("/warmup_s", 5.0).run();
    assert_eq!(times_ms(&columns, 0), [("receiver_window", 4980.0), ("air", 20.0)]);
    assert_eq!(active_ms(&columns), 5000.0);
    assert_eq!(pieces(&columns), pieces(&four_segments().run()));
    let over = Case::fixed_link().set("/warmup_s", 0.5).run();
    assert_eq!((active_ms(&over), times_ms(&over, 0)), (0.0, vec![]));
}

#[test]
fn accounts_end_at_the_last_byte_of_a_file_or_the_last_ack_of_a_stopped_flow() {
    assert_eq!(active_ms(&Case::fixed_link().run()), 170.0);
    assert_eq!(active_ms(&Case::fixed_link().set("/flows/0/start_s", 0.1).run()), 170.0);
    // At 100 ms seven packets are out; the ACK of the last of them comes at 150.
    let stopped = Case::fixed_link().set("/flows/0/stop_s", 0.1).run();
    assert_eq!(stopped.milliseconds("acks", "time_s").last(), Some(&150.0));
    assert_eq!(active_ms(&stopped), 150.0);
    assert_eq!(pieces(&stopped).last(), Some(&(130.0, "wire")));
    // Of a full queue the packets that are there go out: more than one slot's worth.
    let drained = Case::fixed_link().backlogged(1, 576).set("/flows/0/stop_s", 0.1).run();
    let last = drained.ended_ms().into_iter().fold(0.0, f64::max);
    assert_eq!((active_ms(&drained), times_ms(&drained, 0)), (last, vec![("air", last)]));
}

#[test]
fn a_handshake_is_a_way_to_go() {
    let columns = Case::fixed_link().all_at_once(1).set("/flows/0/tcp/handshake", true).run();
    // The SYN is on air from 20 to 25; its answer is there at 45, and the packet on air from 65 to 70.
    assert_eq!(pieces(&columns), [(0.0, "wire"), (65.0, "air")]);
}

#[test]
fn nothing_is_added_to_results_that_did_not_ask() {
    let case = Case::traced_link(&[GOOD_DB; 200]);
    let replica = airlink_sim::run(&case.scenario(), case.traces(), 1, &[airlink_sim::RecordKind::Cwnd]);
    assert!(replica.tables["flows"].get("active_s").is_none() && !replica.series.contains_key("limits"));
}

/// Requests up of three full segments, of which the user may send one at first, and answers of one; `drops` of the user's packets.
fn asking(drops: &[u64]) -> Case {
    let traffic = json!({
        "kind": "requests", "request_bytes": 3 * 1460, "size": { "kind": "constant", "bytes": 1460 }, "think_s": 2.0,
        "think": "constant",
    });
    let lossy = json!({
        "drop_numbers": drops, "duplicate_numbers": [], "reorder_numbers": [], "reorder_extra_ms": 0.0, "drop_at_s": [],
        "loss": { "kind": "none" }, "reorder_probability": 0.0, "duplicate_probability": 0.0, "delay_spikes": [],
        "outages": [],
    });
    let case = Case::dumbbell().set("/duration_s", 3.0).set("/flows/0/tcp/initial_window_segments", 1);
    case.set("/flows/0/traffic", traffic).with("/flows/0/path", "uplink_impairments", lossy)
}

#[test]
fn of_a_request_the_users_window_and_timer_are_told() {
    // The first segment is there after 20 ms, its ACK 20.032 later; two more take 20, and the answer 1.232 and 20.
    let begins = [(0.0, "congestion_window"), (40.032, "wire"), (60.032, "wire"), (81.264, "application")];
    let columns = asking(&[]).run();
    assert_eq!(pieces(&columns)[..4], begins);
    assert_eq!(columns.series("limits", "direction")[..4], [1, 1, 0, 0]);
    // The first segment is lost and goes again at 1000 ms.
    let lost = asking(&[0]).run();
    let later = begins.map(|(at, cause)| (at + 1000.0, cause));
    assert_eq!(pieces(&lost), [&[(0.0, "rto")], &later[..]].concat());
    assert_eq!(lost.series("limits", "direction"), [1, 1, 1, 0, 0]);
    assert_eq!(lost.wholes("flows", "timeouts_up"), [1]);
}

#[test]
fn a_connection_that_was_never_opened_waited_for_its_user() {
    let traffic = json!({
        "kind": "pages", "request_bytes": 300, "main_size": { "kind": "constant", "bytes": 4380 },
        "object_size": { "kind": "constant", "bytes": 1460 }, "objects": { "kind": "constant", "objects": 2 },
        "connections": 4, "parsing_s": 0.05, "think_s": 1.0, "think": "constant",
    });
    let columns = Case::dumbbell().set("/duration_s", 10.0).set("/flows/0/traffic", traffic).run();
    assert_eq!(columns.wholes("flows", "segments_sent_up")[2..], [0, 0]);
    for flow in [2, 3] {
        assert_eq!(times_ms(&columns, flow), [("application", 10_000.0)]);
    }
}
