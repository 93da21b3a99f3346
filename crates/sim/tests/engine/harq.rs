//! Code blocks and HARQ in a cell: times by hand, laws, and both units over many subchannels.

use serde_json::{Value, json};

use super::case::{Case, Columns, DELIVERED, RETRY_LIMIT, fits};

fn harq(unit: &str, processes: impl Into<Value>, round_trip_slots: u64, limit: impl Into<Value>) -> Value {
    let (processes, limit): (Value, Value) = (processes.into(), limit.into());
    json!({
        "kind": "chase", "unit": unit, "processes": processes,
        "round_trip_slots": round_trip_slots, "max_retransmissions": limit,
    })
}

/// A link that is sent at a rate whose threshold is 4 dB above its SNR of 10 dB: one transmission is 0.398 of what is needed,
/// two are 0.796, three 1.194.
fn four_db_short() -> Case {
    let rate = json!({ "kind": "table", "name": "custom", "thresholds_db": [14], "rates_bps": [921_600] });
    let case = Case::fixed_link().set("/link/rate", rate).set("/link/report/backoff_db", -4);
    case.set("/link/errors/threshold_rule", true).set("/duration_s", 0.5)
}

fn frames(columns: &Columns) -> [i64; 4] {
    let of = |name: &str| columns.wholes("users", name)[0];
    ["frames_sent", "frames_repeated", "frame_errors", "frames_given_up"].map(of)
}

#[test]
fn energies_add_up_until_the_block_arrives() {
    // First sent in the slot that begins at 20 ms, then every round trip, three times in all.
    for (round_trip, arrives_ms) in [(1, 35.0), (4, 65.0), (8, 105.0)] {
        let columns = four_db_short().all_at_once(1).set("/link/harq", harq("block", 8, round_trip, 3)).run();
        assert_eq!((columns.fates(), columns.ended_ms()), (vec![DELIVERED], vec![arrives_ms]));
        assert_eq!(frames(&columns), [3, 2, 2, 0]);
        assert_eq!(columns.series("packets", "attempts"), [3]);
    }
    // Without combining no number of transmissions is enough, and one repetition is too few with it.
    let columns = four_db_short().all_at_once(1).set("/link/harq", harq("block", 8, 8, 1)).run();
    assert_eq!((columns.fates(), columns.ended_ms()), (vec![RETRY_LIMIT], vec![65.0]));
    assert_eq!(frames(&columns), [2, 1, 2, 1]);
}

#[test]
fn eight_processes_hide_a_round_trip_of_eight_slots_and_two_do_not() {
    // Every block goes three times. Eight processes keep the air busy: 24 packets take 72 slots. Two send in two slots of
    // eight.
    for (processes, slots) in [(8, 72), (2, 2 * 24 / 2 * 3)] {
        let case = four_db_short().all_at_once(24).set("/link/harq", harq("block", processes, 8, 3));
        let columns = case.set("/duration_s", 2.0).run();
        assert_eq!(frames(&columns), [72, 48, 48, 0]);
        assert_eq!(columns.wholes("users", "slots_won"), [72]);
        let busy: Vec<i64> = columns.series("slots", "user").into_iter().filter(|&user| user == 0).collect();
        assert_eq!(busy.len(), 72);
        let last_ms = columns.ended_ms().into_iter().fold(0.0, f64::max);
        let expected = if processes == 8 { 20.0 + 5.0 * f64::from(slots) } else { 20.0 + 5.0 * (35.0 * 8.0 + 2.0) };
        assert_eq!(last_ms, expected);
    }
}

#[test]
fn pdus_span_subchannels_and_those_that_are_lost_go_first() {
    // 16 subchannels of 36 bytes: 13 PDUs of 42 bytes a slot, 30 bytes left. Two packets of 576 bytes are 15 PDUs each.
    let pdus = |limit: u64| {
        let case = Case::fixed_link().all_at_once(2).set("/carrier/subchannels", 16).set("/duration_s", 0.5);
        let case = case.set("/rlc/segment_bytes", 40).set("/rlc/segment_header_bytes", 2);
        case.set("/link/harq", harq("pdu", "inf", 1, limit))
    };
    let columns = pdus(10).run();
    assert_eq!((columns.fates(), columns.ended_ms()), (vec![DELIVERED; 2], vec![30.0, 35.0]));
    assert_eq!(frames(&columns), [30, 0, 0, 0]);
    let sent: Vec<i64> = columns.series("slots", "sent_bytes").into_iter().filter(|&bytes| bytes > 0).collect();
    assert_eq!(sent, [13 * 42, 13 * 42, 4 * 42]);
    // All of them lost, always: 13 PDUs are on air eleven times, then their packet is given up with the two that were not sent.
    let columns = pdus(10).set("/link/errors/probability", 1).run();
    assert_eq!(columns.fates()[0], RETRY_LIMIT);
    assert_eq!(columns.ended_ms()[0], 20.0 + 11.0 * 5.0);
    assert_eq!(frames(&columns)[..2], [13 * 11 * 2, 13 * 10 * 2]);
}

#[test]
fn losses_and_transmissions_of_blocks_follow_the_powers_of_p() {
    // Blocks are lost with probability 0.4 whatever came before; 20000 slots, each a block of one packet.
    for limit in 0..3 {
        let case = Case::fixed_link().backlogged(1, 576).set("/link/errors/probability", 0.4).set("/duration_s", 100.0);
        let columns = case.set("/link/harq", harq("block", 8, 8, limit)).run();
        let [sent, repeated, errors, given_up] = frames(&columns).map(|count| count as f64);
        assert_eq!(sent, 20_000.0);
        let first = sent - repeated;
        assert!(fits(given_up / first, [0.4, 0.16, 0.064][limit], first), "limit {limit}");
        assert!(fits(errors / sent, 0.4, sent));
        let waits = errors - given_up - repeated;
        assert!((0.0..=8.0).contains(&waits), "{waits} blocks wait at the end");
        let reason = if limit == 0 { "drops_air_error" } else { "drops_retry_limit" };
        assert_eq!(columns.wholes("users", reason), [given_up as i64]);
    }
}

#[test]
fn a_fate_for_each_block_changes_nothing_where_nothing_is_lost() {
    let whole = Case::fixed_link().all_at_once(40);
    let journey =
        |case: &Case| ["packets", "acks", "cwnd", "rtt"].map(|kind| format!("{:?}", case.run().0.series[kind]));
    let alone = journey(&whole);
    for subchannels in [1, 16] {
        let case = whole.clone().set("/carrier/subchannels", subchannels);
        for unit in ["block", "pdu"] {
            let case = case.clone().set("/rlc/segment_bytes", if unit == "pdu" { 36 } else { 1 });
            assert!(journey(&case.set("/link/harq", harq(unit, 8, 8, 3))) == alone, "{unit} over {subchannels}");
        }
    }
}

#[test]
fn a_logistic_curve_loses_blocks_by_margin_on_one_and_many_subchannels() {
    // 1 / (1 + exp(2 (m + 1.472))); half of them 1.472 dB below the threshold.
    for (margin_db, expected) in [(0.0, 0.050_04), (1.0, 0.007_076), (-1.472, 0.5)] {
        let rate = json!({
            "kind": "table", "name": "custom", "thresholds_db": [10.0 - margin_db], "rates_bps": [921_600],
        });
        let curve = json!({ "kind": "logistic", "slope_per_db": 2.0, "offset_db": 1.472 });
        let case = Case::fixed_link().backlogged(1, 576).set("/link/rate", rate).set("/link/report/backoff_db", -4);
        let case = case.set("/link/errors/curve", curve).set("/rlc/segment_bytes", 48).set("/duration_s", 5);
        for (subchannels, unit) in [(1, "pdu"), (16, "pdu"), (1, "block"), (16, "block")] {
            let case = case.clone().set("/carrier/subchannels", subchannels);
            let columns = case.set("/link/harq", harq(unit, "inf", 1, 0)).run();
            let [sent, _, lost, given_up] = frames(&columns).map(|count| count as f64);
            let share = lost / sent;
            let bound = 4.5 * (expected * (1.0 - expected) / sent).sqrt();
            assert!(sent >= 900.0 && lost == given_up, "{sent} sent, {lost} lost, {given_up} given up");
            assert!((share - expected).abs() < bound, "{share} for {expected}: {unit} on {subchannels}");
        }
    }
}

#[test]
fn a_report_exactly_at_a_threshold_loses_nothing() {
    // In single precision 5.1 and 5.7 are below themselves.
    for snr_db in [4.9, 5.1, 5.7, 6.3] {
        let rate = json!({ "kind": "table", "name": "custom", "thresholds_db": [snr_db], "rates_bps": [921_600] });
        let case = Case::fixed_link().set("/link/rate", rate).set("/channel/placement/mean_snr_db", snr_db);
        let case = case.set("/link/errors/threshold_rule", true).set("/link/harq", harq("block", 8, 1, 3));
        let columns = case.all_at_once(10).set("/duration_s", 0.5).run();
        assert_eq!(frames(&columns), [10, 0, 0, 0], "{snr_db} dB");
    }
}
