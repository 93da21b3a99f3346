//! Queues: what is refused at a limit, what shares a queue, what a stop leaves, and backlogged users who never run dry.

use serde_json::json;

use super::case::{AQM, Case, DELIVERED, QUEUE_FULL};

#[test]
fn of_ten_packets_at_once_a_queue_of_four_takes_four() {
    let columns = Case::fixed_link().all_at_once(10).set("/queue/limit_packets", 4).set("/duration_s", 0.5).run();
    assert_eq!(columns.fates(), [0, 0, 0, 0, 1, 1, 1, 1, 1, 1].map(|full| [DELIVERED, QUEUE_FULL][full]));
    let ended_ms = columns.ended_ms();
    assert_eq!(ended_ms[..5], [25.0, 30.0, 35.0, 40.0, 20.0]);
    assert_eq!(columns.wholes("users", "drops_queue_full"), [6]);
    assert_eq!(columns.wholes("users", "drops_queue_full_bytes"), [6 * 576]);
    assert_eq!(columns.wholes("users", "packets_in"), [10]);
}

#[test]
fn a_byte_limit_takes_what_just_fits() {
    for (limit, taken) in [(1151, 1), (1152, 2), (1727, 2), (1728, 3)] {
        let columns = Case::fixed_link().all_at_once(4).set("/queue/limit_bytes", limit).set("/duration_s", 0.1).run();
        assert_eq!(columns.wholes("users", "drops_queue_full"), [4 - taken], "limit {limit}");
    }
}

#[test]
fn a_packet_on_air_counts_until_the_end_of_its_slot() {
    // The first flow's packet is on air from 20 to 25. The second's comes at 22 or at 25.
    for (delay_ms, fate, ended_ms) in [(22.0, QUEUE_FULL, 22.0), (24.9, QUEUE_FULL, 24.9), (25.0, DELIVERED, 30.0)] {
        let one = Case::fixed_link().all_at_once(1).set("/queue/limit_packets", 1).set("/duration_s", 0.1);
        let columns = one.and_flows(&[("/path/downlink_delay_ms", json!(delay_ms))]).run();
        assert_eq!(columns.fates(), [DELIVERED, fate], "{delay_ms} ms");
        assert_eq!(columns.ended_ms(), [25.0, ended_ms], "{delay_ms} ms");
    }
}

#[test]
fn a_packet_leaves_with_its_last_part_and_counts_whole_until_then() {
    // Three slots a packet: on air from 20 to 35. Bytes count whole, so 575 more are too many until 35.
    let case = Case::fixed_link().all_at_once(1).set("/link/rate/rates_bps", json!([307_200])).set("/duration_s", 0.1);
    let case = case.set("/queue/limit_bytes", 1151);
    for (delay_ms, fate) in [(34.0, QUEUE_FULL), (35.0, DELIVERED)] {
        let columns = case.clone().and_flows(&[("/path/downlink_delay_ms", json!(delay_ms))]).run();
        assert_eq!(columns.fates(), [DELIVERED, fate], "{delay_ms} ms");
    }
}

#[test]
fn limits_of_what_is_unsent_leave_out_what_waits_to_be_repeated() {
    // A packet every five slots, each sent three times at intervals of eight: at its arrival three others have not left.
    let rate = json!({ "kind": "table", "name": "custom", "thresholds_db": [14], "rates_bps": [921_600] });
    let harq = json!({
        "kind": "chase", "unit": "block", "processes": "inf", "round_trip_slots": 8, "max_retransmissions": 3,
    });
    let stream = json!({ "kind": "stream", "rate_bps": 171_520, "message_bytes": 536 });
    let case = Case::fixed_link().set("/link/rate", rate).set("/link/report/backoff_db", -4).set("/link/harq", harq);
    let case = case.set("/link/errors/threshold_rule", true).set("/flows/0/traffic", stream);
    let case = case.set("/flows/0/tcp/initial_window_segments", 100).set("/flows/0/tcp/rto/min_ms", 10_000);
    for (counts, packets, bytes, refuses) in [
        ("held", json!(4), json!("inf"), false),
        ("held", json!(3), json!("inf"), true),
        ("held", json!("inf"), json!(4 * 576), false),
        ("held", json!("inf"), json!(4 * 576 - 1), true),
        ("unsent", json!(1), json!(576), false),
        ("unsent", json!("inf"), json!(575), true),
    ] {
        let case = case.clone().set("/queue/limit_counts", counts).set("/duration_s", 0.9);
        let columns = case.set("/queue/limit_packets", packets.clone()).set("/queue/limit_bytes", bytes).run();
        assert_eq!(columns.cell("drops_queue_full") > 0, refuses, "{counts} {packets}");
        assert!(columns.cell("drops_queue_full") > 0 || columns.wholes("users", "packets_delivered")[0] > 30);
    }
}

#[test]
fn flows_of_a_user_share_its_queue_in_order_of_arrival_then_of_number() {
    let columns = Case::fixed_link().all_at_once(2).and_flows(&[]).run();
    assert_eq!(columns.series("packets", "flow"), [0, 0, 1, 1]);
    assert_eq!(columns.ended_ms(), [25.0, 30.0, 35.0, 40.0]);
    // A millisecond earlier on its wire, the second flow goes first.
    let columns = Case::fixed_link().all_at_once(2).and_flows(&[("/path/downlink_delay_ms", json!(19))]).run();
    assert_eq!(columns.ended_ms(), [35.0, 40.0, 25.0, 30.0]);
    let limited = Case::fixed_link().all_at_once(2).and_flows(&[]).set("/queue/limit_packets", 3);
    assert_eq!(limited.set("/duration_s", 0.1).run().fates(), [DELIVERED, DELIVERED, DELIVERED, QUEUE_FULL]);
}

#[test]
fn the_queue_series_tells_every_change() {
    let columns = Case::fixed_link().all_at_once(3).run();
    assert_eq!(columns.milliseconds("queue", "time_s"), [20.0, 20.0, 20.0, 25.0, 30.0, 35.0]);
    assert_eq!(columns.series("queue", "packets"), [1, 2, 3, 2, 1, 0]);
    assert_eq!(columns.series("queue", "bytes"), [576, 1152, 1728, 1152, 576, 0]);
}

#[test]
fn after_its_stop_a_flow_sends_nothing_new_and_finishes_what_is_out() {
    // Acknowledged at 95 and 135, so nothing of what follows 95 is sent.
    let case = Case::fixed_link().set("/flows/0/traffic", json!({ "kind": "greedy" })).set("/flows/0/stop_s", 0.1);
    let columns = case.run();
    assert_eq!(columns.milliseconds("packets", "sent_s"), [0.0, 45.0, 45.0, 90.0, 90.0, 95.0, 95.0]);
    assert_eq!(columns.fates(), [DELIVERED; 7]);
    assert_eq!(columns.wholes("flows", "goodput_bytes"), [7 * 536]);
    // A lost packet is still repeated: of three at once the queue takes two; the timer strikes 1 s after the last ACK.
    let case = Case::fixed_link().all_at_once(3).set("/queue/limit_packets", 2).set("/flows/0/stop_s", 0.01);
    let columns = case.set("/duration_s", 2).run();
    assert_eq!(columns.series("packets", "retransmission"), [0, 0, 0, 1]);
    assert_eq!(columns.ended_ms(), [25.0, 30.0, 20.0, 1075.0]);
}

#[test]
fn a_flow_that_stops_before_it_starts_sends_nothing() {
    let case = Case::fixed_link().set("/flows/0/start_s", 0.2).set("/flows/0/stop_s", 0.1);
    assert_eq!(case.run().wholes("flows", "segments_sent"), [0]);
}

#[test]
fn backlogged_traffic_fills_every_slot_from_its_start_to_its_stop() {
    let case = Case::fixed_link().backlogged(1, 1500).set("/flows/0/start_s", 0.101).set("/flows/0/stop_s", 0.5);
    let columns = case.run();
    // In slots from 105 ms on; what waits at 500 ms (less than a grant and two packets) still goes out.
    let sent = columns.series("slots", "sent_bytes");
    assert_eq!(sent[..21], [0; 21]);
    assert_eq!(sent[21..100], [576; 79]);
    assert!(sent[100..].iter().sum::<i64>() <= 577 + 2 * 1500 && sent[110..].iter().all(|&bytes| bytes == 0));
}

#[test]
fn backlogged_users_never_run_dry_whatever_their_rate_packets_and_segments() {
    let strong = json!({ "kind": "mean_snr", "mean_snr_db": 90 });
    let capacity = json!({ "kind": "capacity", "bandwidth_hz": 1e6, "gap_db": 0, "max_rate_bps": "inf" });
    let base = Case::fixed_link();
    let cases = [
        base.clone().backlogged(1, 40),
        base.clone().backlogged(1, 50).set("/rlc/segment_bytes", 100).set("/rlc/carry_fraction", true),
        base.clone().backlogged(1, 9000),
        base.set("/channel/placement", strong).set("/link/rate", capacity).backlogged(1, 1500),
    ];
    for case in cases {
        let columns = case.clone().run();
        assert_eq!((columns.cell("slots_padded"), columns.cell("slots_idle")), (0, 0), "{case:?}");
    }
}

#[test]
fn backlogged_users_never_run_dry_while_repetitions_wait_for_feedback() {
    let case = Case::failing_in(&[10, 50, 51, 52]).backlogged(1, 1500).set("/link/arq/max_retransmissions", "inf");
    let columns = case.set("/link/arq/feedback_delay_slots", 9).run();
    assert_eq!((columns.cell("slots_padded"), columns.cell("slots_idle")), (0, 0));
    assert_eq!(columns.wholes("users", "frame_errors"), [4]);
}

#[test]
fn codel_drops_at_the_head_as_a_slot_pulls() {
    // All queued at 20 ms; one packet a slot of 5 ms. At 25 the second has waited 5 ms, so drops begin at 125: the 22nd is
    // dropped and the 23rd takes the slot. The next is due 100 ms later: at 225, after 20 more, the 43rd.
    let columns = Case::fixed_link().all_at_once(50).set("/queue/kind", "codel").set("/duration_s", 0.25).run();
    let dropped: Vec<usize> = (0..50).filter(|&packet| columns.fates()[packet] == AQM).collect();
    assert_eq!(dropped, [21, 42]);
    assert_eq!([21, 42].map(|packet| columns.ended_ms()[packet]), [125.0, 225.0]);
    assert_eq!([22, 43].map(|packet| columns.ended_ms()[packet]), [130.0, 230.0]);
    assert_eq!([21, 42].map(|packet| columns.milliseconds("packets", "queued_s")[packet]), [20.0; 2]);
    assert_eq!(columns.wholes("users", "drops_aqm"), [2]);
    assert_eq!(columns.wholes("users", "drops_aqm_bytes"), [2 * 576]);
    assert_eq!(columns.cell("slots_wasted") + columns.cell("slots_padded"), 0);
}

#[test]
fn codel_judges_each_of_several_packets_in_a_slot() {
    // Four packets a slot: those of the slot at 25 ms are the first to wait 5 ms, and drops begin at 125, with the 85th.
    let four = Case::fixed_link().all_at_once(200).set("/link/rate/rates_bps", json!([4 * 921_600]));
    let columns = four.set("/queue/kind", "codel").set("/duration_s", 0.2).run();
    let dropped: Vec<usize> = (0..200).filter(|&packet| columns.fates()[packet] == AQM).collect();
    assert_eq!(dropped, [84]);
    assert_eq!(columns.ended_ms()[84..90], [125.0, 130.0, 130.0, 130.0, 130.0, 135.0]);
    // The drop is the last that happens to the queue at that moment: a packet less.
    let last = columns.milliseconds("queue", "time_s").iter().rposition(|&at| at == 125.0).expect("it changes then");
    let [packets, bytes] = ["packets", "bytes"].map(|name| columns.series("queue", name));
    assert_eq!((packets[last - 1] - packets[last], bytes[last - 1] - bytes[last]), (1, 576));
}

#[test]
fn a_queue_without_a_rule_has_no_column_for_what_rules_drop() {
    let columns = Case::fixed_link().run();
    assert!(columns.0.tables["users"].get("drops_aqm").is_none());
}
