//! Slots that are repeated as one, at once or rescheduled: who has them, at which rate, with what in them, and what is given
//! up.

use serde_json::json;

use super::case::{Case, Columns, DELIVERED, FAIR_DB, GOOD_DB, RETRY_LIMIT, fits};

fn by_slots(case: Case, repeats: &str, limit: impl Into<serde_json::Value>) -> Case {
    let case = case.set("/link/arq/unit", "slot").set("/link/arq/repeats", repeats);
    case.set("/link/arq/max_retransmissions", limit)
}

/// One and a half packets of 576 bytes in each slot of 5 ms, of a file of which all is there at 20 ms.
fn halves(failing: &[usize], segments: u64) -> Case {
    Case::failing_in(failing).all_at_once(segments).set("/link/rate/rates_bps", json!([1_382_400]))
}

#[test]
fn after_the_last_attempt_completed_packets_are_dropped_and_begun_ones_stay() {
    // Slots 4 to 6 fail: packet 0 is given up at 35 ms; slot 7 has packet 1 and half of 2, slot 8 the rest of 2 and packet 3.
    for repeats in ["at_once", "rescheduled"] {
        let columns = by_slots(halves(&[4, 5, 6], 4), repeats, 2).set("/duration_s", 0.06).run();
        assert_eq!(columns.fates()[..4], [RETRY_LIMIT, DELIVERED, DELIVERED, DELIVERED], "{repeats}");
        assert_eq!(columns.ended_ms()[..4], [35.0, 40.0, 45.0, 45.0]);
        assert_eq!(columns.series("packets", "attempts")[..4], [3, 4, 1, 1]);
        assert_eq!(columns.wholes("users", "frames_repeated"), [if repeats == "at_once" { 2 } else { 0 }]);
        assert_eq!(columns.wholes("users", "frames_given_up"), [1]);
    }
}

#[test]
fn a_slot_that_completes_nothing_drops_nothing_and_the_count_starts_anew() {
    // Three slots a packet. Slot 5 and its repetition fail, and so does slot 7, which has the same part once more.
    let case = Case::failing_in(&[5, 6, 7]).all_at_once(1).set("/link/rate/rates_bps", json!([307_200]));
    let columns = by_slots(case, "at_once", 1).set("/duration_s", 0.06).run();
    assert_eq!((columns.fates(), columns.ended_ms()), (vec![DELIVERED], vec![50.0]));
    assert_eq!(columns.series("packets", "attempts"), [4]);
    assert_eq!(columns.wholes("users", "frames_given_up"), [1]);
}

/// Who had each slot.
fn users(columns: &Columns) -> Vec<i64> {
    columns.series("slots", "user")
}

#[test]
fn at_once_is_before_the_scheduler_and_nobody_loses_a_turn() {
    let case = Case::failing_in(&[2, 3, 5]).backlogged(3, 576).set("/duration_s", 0.05);
    let case = case.set("/scheduler/kind", "round_robin");
    assert_eq!(users(&by_slots(case.clone(), "at_once", 5).run()), [0, 1, 2, 2, 2, 0, 0, 1, 2, 0]);
    assert_eq!(users(&by_slots(case, "rescheduled", 5).run()), [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]);
}

/// Thresholds 0 and 5 dB; the base station hears of a slot in the next one.
fn reported_late(snr_db: &[f64]) -> Case {
    let rates = json!({ "kind": "table", "name": "custom", "thresholds_db": [0, 5], "rates_bps": [307_200, 921_600] });
    let case = Case::traced_link(snr_db).set("/link/rate", rates).set("/link/report/period_slots", 1);
    case.set("/link/report/delay_slots", 1)
}

#[test]
fn at_once_is_at_the_rate_of_the_first_attempt_and_lost_by_the_truth_of_its_own() {
    // From slot 5 to 7 the link has 2 dB, enough for 192 bytes a slot. What was sent in slot 5, for 10 dB, needs 5 of them.
    let mut snr_db = [GOOD_DB; 200];
    snr_db[5..8].fill(FAIR_DB);
    let sent = |repeats| {
        let columns = by_slots(reported_late(&snr_db).all_at_once(3), repeats, "inf").set("/duration_s", 0.07).run();
        (columns.series("slots", "sent_bytes")[4..13].to_vec(), columns.series("slots", "error")[4..13].to_vec())
    };
    assert_eq!(sent("at_once"), (vec![576, 576, 576, 576, 576, 576, 0, 0, 0], vec![0, 1, 1, 1, 0, 0, 0, 0, 0]));
    // Rescheduled, slot 6 to 8 are sent as reported, 192 bytes each.
    assert_eq!(sent("rescheduled"), (vec![576, 576, 192, 192, 192, 576, 0, 0, 0], vec![0, 1, 0, 0, 0, 0, 0, 0, 0]));
}

#[test]
fn arrivals_during_a_retransmission_wait_for_the_slot_after() {
    // Room for six packets, one there when slot 4 is sent and lost; five more come with it and the next are not in its
    // repetition.
    let case = Case::failing_in(&[4, 5]).all_at_once(1).set("/link/rate/rates_bps", json!([6.0 * 921_600.0]));
    let case = case.and_flows(&[("/start_s", json!(0.001)), ("/traffic/bytes", json!(536))]);
    let times = |repeats| {
        let columns = by_slots(case.clone(), repeats, 5).set("/duration_s", 0.1).run();
        (columns.ended_ms(), columns.series("slots", "sent_bytes")[4..8].to_vec())
    };
    assert_eq!(times("at_once"), (vec![35.0, 40.0], vec![576, 576, 576, 576]));
    assert_eq!(times("rescheduled"), (vec![35.0, 35.0], vec![576, 1152, 1152, 0]));
}

#[test]
fn shares_of_attempts_are_powers_of_the_probability_of_a_loss() {
    let (loss, limit) = (0.3, 2);
    for repeats in ["at_once", "rescheduled"] {
        let case =
            Case::fixed_link().backlogged(1, 576).set("/link/errors/probability", loss).set("/duration_s", 200.0);
        let columns = by_slots(case, repeats, limit).run();
        let count = |name: &str| columns.wholes("users", name)[0] as f64;
        let [sent, lost, given_up] = ["frames_sent", "frame_errors", "frames_given_up"].map(count);
        // Slots that came to their end, arrived or given up: each is given up with p^3, and of all that is sent 1 - p arrives.
        let ended = sent - lost + given_up;
        assert!(fits(lost / sent, loss, sent), "{lost} of {sent}");
        assert!(fits(given_up / ended, loss * loss * loss, ended), "{given_up} of {ended}");
        // A first attempt is followed by a second with p, and by a third with p^2.
        let again = sent - ended;
        let share = (loss + loss * loss) / (1.0 + loss + loss * loss);
        assert!((again / sent - share).abs() < 0.01, "{again} of {sent}");
        assert_eq!(columns.wholes("users", "drops_retry_limit")[0] as f64, given_up);
        assert_eq!(columns.wholes("users", "packets_delivered")[0] as f64, sent - lost);
        let attempts = columns.series("packets", "attempts");
        let counted = |tries: i64| attempts.iter().filter(|&&own| own == tries).count() as f64;
        assert!(fits(counted(1) / ended, 1.0 - loss, ended) && fits(counted(2) / ended, loss * (1.0 - loss), ended));
        if repeats == "at_once" {
            assert!((count("frames_repeated") - again).abs() <= 2.0);
        }
    }
}

#[test]
fn a_block_that_goes_again_is_on_air_and_no_longer_in_the_queue() {
    // 2 packets are limit: with what was never sent alone counted, the second file's packets have room while the first's
    // repeats.
    let case = Case::failing_in(&[4, 5, 6]).all_at_once(2).set("/queue/limit_packets", 1);
    let fates = |counts: &str| {
        let case = case.clone().set("/queue/limit_counts", counts).set("/link/rate/rates_bps", json!([9_216_000]));
        let case = case.and_flows(&[("/start_s", json!(0.003)), ("/traffic/bytes", json!(536))]);
        by_slots(case, "at_once", "inf").set("/duration_s", 0.06).run().fates()[..3].to_vec()
    };
    // The second packet of the first file comes with the first and finds no room; the other file's is sent after 40 ms.
    assert_eq!(fates("unsent"), [DELIVERED, 1, DELIVERED]);
    assert_eq!(fates("held"), [DELIVERED, 1, 1]);
}
