//! Link-layer retransmission: limits, feedback delay, order, cutting anew; and without it, what a lost part costs.

use serde_json::json;

use super::case::{AIR_ERROR, Case, DELIVERED, FAIR_DB, GOOD_DB, RETRY_LIMIT, fits};

#[test]
fn a_part_is_repeated_as_often_as_the_limit_says_then_its_packet_is_dropped() {
    // All frames fail. The packet is sent in the slot at 20 ms and, with a limit of 2, twice more.
    for (feedback_delay_slots, dropped_ms) in [(0, 35.0), (2, 55.0)] {
        let case = Case::fixed_link().all_at_once(1).set("/link/errors/probability", 1).set("/duration_s", 0.5);
        let case = case.set("/link/arq/max_retransmissions", 2);
        let columns = case.set("/link/arq/feedback_delay_slots", feedback_delay_slots).run();
        assert_eq!((columns.fates(), columns.ended_ms()), (vec![RETRY_LIMIT], vec![dropped_ms]));
        assert_eq!(columns.wholes("users", "frames_sent"), [3]);
        assert_eq!(columns.wholes("users", "frame_errors"), [3]);
        assert_eq!(columns.wholes("users", "drops_retry_limit"), [1]);
    }
}

#[test]
fn a_packet_that_is_given_up_is_sent_no_further() {
    // Three slots a packet; its first part fails three times, the other two parts are never sent.
    let case = Case::fixed_link().all_at_once(2).set("/link/rate/rates_bps", json!([307_200])).set("/duration_s", 0.5);
    let case = case.set("/link/errors/probability", 1).set("/link/arq/max_retransmissions", 2);
    let columns = case.run();
    assert_eq!(columns.fates(), [RETRY_LIMIT, RETRY_LIMIT]);
    assert_eq!(columns.ended_ms(), [35.0, 50.0]);
    assert_eq!(columns.wholes("users", "sent_bytes"), [6 * 192]);
}

#[test]
fn without_repetition_a_damaged_packet_is_sent_to_its_end_and_dropped_there() {
    // Three slots a packet; the slot from 20 to 25 ms (number 4) fails.
    let case = Case::failing_in(&[4]).all_at_once(2).set("/link/rate/rates_bps", json!([307_200]));
    let columns = case.set("/duration_s", 0.5).run();
    assert_eq!(columns.fates(), [AIR_ERROR, DELIVERED]);
    assert_eq!(columns.ended_ms(), [35.0, 50.0]);
    assert_eq!(columns.wholes("users", "drops_air_error_bytes"), [576]);
}

/// Four packets in slots 4 to 7, of which the first is lost and due again in slot 7.
fn overtaking() -> Case {
    let case = Case::failing_in(&[4]).all_at_once(4).set("/link/arq/max_retransmissions", "inf");
    case.set("/link/arq/feedback_delay_slots", 2)
}

#[test]
fn in_order_delivery_holds_packets_back_until_the_repetition_is_through() {
    // Slots 5 and 6 carry packets 1 and 2, slot 7 repeats packet 0, slot 8 carries 3.
    let columns = overtaking().run();
    assert_eq!(columns.fates(), [DELIVERED; 4]);
    assert_eq!(columns.ended_ms(), [40.0, 40.0, 40.0, 45.0]);
    assert_eq!(columns.wholes("flows", "duplicate_acks"), [0]);
}

#[test]
fn out_of_order_delivery_lets_packets_overtake_the_repetition() {
    let columns = overtaking().set("/rlc/in_order", false).run();
    assert_eq!(columns.ended_ms(), [40.0, 30.0, 35.0, 45.0]);
    assert_eq!(columns.wholes("flows", "duplicate_acks"), [2]);
    assert_eq!(columns.wholes("flows", "goodput_bytes"), [4 * 536]);
}

#[test]
fn a_packet_that_is_given_up_holds_nobody_back() {
    // Packet 0 fails in slots 4, 7 and 10 (limit 2); packets 1, 2, 3 wait for it in order until 55 ms.
    let case = Case::failing_in(&[4, 7, 10]).all_at_once(4).set("/link/arq/max_retransmissions", 2);
    let columns = case.set("/link/arq/feedback_delay_slots", 2).set("/duration_s", 0.5).run();
    assert_eq!(columns.fates()[..4], [RETRY_LIMIT, DELIVERED, DELIVERED, DELIVERED]);
    assert_eq!(columns.ended_ms()[..4], [55.0; 4]);
    // Their three duplicate ACKs, there at 75 ms, repeat what was given up: on air from 95 ms on.
    assert_eq!((columns.fates()[4], columns.ended_ms()[4]), (DELIVERED, 100.0));
}

#[test]
fn while_only_a_repetition_waits_for_its_feedback_the_user_is_not_served() {
    let case = Case::failing_in(&[4]).all_at_once(1).set("/link/arq/max_retransmissions", 1);
    let columns = case.set("/link/arq/feedback_delay_slots", 3).set("/duration_s", 0.05).run();
    assert_eq!(columns.series("slots", "user"), [-1, -1, -1, -1, 0, -1, -1, -1, 0, -1]);
    assert_eq!(columns.ended_ms(), [45.0]);
}

#[test]
fn a_retransmission_at_a_lower_rate_is_cut_anew() {
    // A report every four slots. Slots 4 to 7 are sent at 576 bytes; slot 5 fails and is due again in slot 8, when
    // the rate is 192 bytes: three slots for what was one part.
    let mut snr_db = [FAIR_DB; 200];
    [0, 1, 2, 3, 4, 6, 7].iter().for_each(|&slot| snr_db[slot] = GOOD_DB);
    let rate = json!({ "kind": "table", "name": "custom", "thresholds_db": [0, 5], "rates_bps": [307_200, 921_600] });
    let case = Case::traced_link(&snr_db).all_at_once(4).set("/link/rate", rate).set("/link/report/period_slots", 4);
    let case = case.set("/link/arq/max_retransmissions", 1).set("/link/arq/feedback_delay_slots", 2);
    let columns = case.run();
    assert_eq!(columns.ended_ms(), [25.0, 55.0, 55.0, 55.0]);
    let sent: Vec<i64> = columns.series("slots", "sent_bytes").into_iter().filter(|&bytes| bytes > 0).collect();
    assert_eq!(sent, [576, 576, 576, 576, 192, 192, 192]);
}

/// One packet a slot, frames lost with probability 0.3, for 100 s.
fn noisy(seconds: f64) -> Case {
    Case::fixed_link().backlogged(1, 576).set("/link/errors/probability", 0.3).set("/duration_s", seconds)
}

#[test]
fn with_unlimited_arq_nothing_is_lost_and_a_delivery_takes_1_over_1_minus_p() {
    let columns = noisy(100.0).set("/link/arq/max_retransmissions", "inf").run();
    let [frames, errors] = ["frames_sent", "frame_errors"].map(|name| columns.wholes("users", name)[0]);
    assert_eq!(columns.wholes("users", "packets_delivered"), [frames - errors]);
    assert_eq!(frames, 20_000);
    for reason in ["drops_queue_full", "drops_air_error", "drops_retry_limit"] {
        assert_eq!(columns.cell(reason), 0);
    }
    // The share of frames that deliver is (1 - p), so sent / delivered is 1 / (1 - p).
    assert!(fits((frames - errors) as f64 / frames as f64, 0.7, frames as f64));
}

#[test]
fn without_arq_a_packet_of_k_parts_is_lost_unless_all_k_arrive() {
    for (parts, bytes_per_slot) in [(1, 576), (2, 288), (3, 192), (6, 96)] {
        let columns = noisy(100.0).set("/link/rate/rates_bps", json!([bytes_per_slot * 1600])).run();
        let lost = columns.wholes("users", "drops_air_error")[0];
        let ended = lost + columns.wholes("users", "packets_delivered")[0];
        assert_eq!(ended, 20_000 / parts);
        let probability = 1.0 - (0..parts).map(|_| 0.7).product::<f64>();
        assert!(fits(lost as f64 / ended as f64, probability, ended as f64), "{parts} parts: {lost} of {ended}");
    }
}

#[test]
fn with_a_retry_limit_of_n_a_part_is_given_up_with_probability_p_to_the_n_plus_one() {
    let columns = noisy(200.0).set("/link/arq/max_retransmissions", 2).run();
    let lost = columns.wholes("users", "drops_retry_limit")[0];
    let ended = lost + columns.wholes("users", "packets_delivered")[0];
    assert!(fits(lost as f64 / ended as f64, 0.3 * 0.3 * 0.3, ended as f64), "{lost} of {ended}");
}
