//! The outer loop in a cell: a case by hand, and the share of first transmissions that it holds whatever is reported late or
//! wrong.

use serde_json::{Value, json};

use super::case::{Case, Columns, FAIR_DB, GOOD_DB};

fn steps(target_bler: f64, step_down_db: f64, feedback_delay_slots: u64) -> Value {
    json!({
        "kind": "steps", "target_bler": target_bler, "step_down_db": step_down_db, "lowest_db": -50, "highest_db": 50,
        "initial_db": 0, "feedback_delay_slots": feedback_delay_slots,
    })
}

/// What a user of whom a slot's 10 dB are reported for good gets at 2 dB, with 3 dB down and 1 dB up; thresholds are 0 and 5
/// dB.
fn after_reports_of_a_better_link(feedback_delay_slots: u64, slots: usize) -> Columns {
    let mut snr_db = vec![FAIR_DB; slots];
    snr_db[0] = GOOD_DB;
    let rates = json!({ "kind": "table", "name": "custom", "thresholds_db": [0, 5], "rates_bps": [460_800, 921_600] });
    let case = Case::traced_link(&snr_db).backlogged(1, 576).set("/link/rate", rates);
    let case = case.set("/link/outer_loop", steps(0.25, 3.0, feedback_delay_slots));
    case.set("/duration_s", slots as f64 * 0.005).run()
}

fn rates_and_losses(columns: &Columns) -> Vec<(i64, i64)> {
    let rates = columns.0.series["slots"].reals("rate_bps").expect("slots have a rate");
    rates.iter().map(|&bps| (bps / 460_800.0) as i64).zip(columns.series("slots", "error")).collect()
}

#[test]
fn one_carrier_is_sent_at_what_the_offset_allows_as_by_hand() {
    // Reported 10, 11, 8, 5 dB at the high rate: the first slot arrives, three are lost. Then 2, 3, 4 at the low one, 5 again.
    let columns = after_reports_of_a_better_link(0, 12);
    let [arrives, lost, low] = [(2, 0), (2, 1), (1, 0)];
    let expected = [arrives, lost, lost, lost, low, low, low, lost, low, low, low, lost];
    assert_eq!(rates_and_losses(&columns), expected);
    // Offsets 0, 1, -2, -5, -8, -7, -6, -5, -8, -7, -6, -5.
    assert_eq!(columns.reals("users", "outer_loop_offset_mean_db"), [-58.0 / 12.0]);
    assert_eq!(columns.reals("users", "outer_loop_offset_end_db"), [-5.0]);
    assert_eq!(columns.wholes("users", "first_frame_errors"), [5]);
    // Heard two slots late, two more are lost before the first loss tells: offsets 0, 0, 0, 1, -2, -5, -8, -11, -14, -13.
    let columns = after_reports_of_a_better_link(2, 10);
    assert_eq!(rates_and_losses(&columns), [arrives, lost, lost, lost, lost, lost, low, (0, 0), (0, 0), (0, 0)]);
    assert_eq!(columns.reals("users", "outer_loop_offset_end_db"), [-13.0]);
}

#[test]
fn of_many_pdus_in_a_slot_as_many_are_lost_as_wanted() {
    // A constant 10 dB; rows 1 dB apart differ by 3 % in rate, so the mean over slots and that over PDUs are nearly one.
    let thresholds: Vec<f64> = (0..24).map(f64::from).collect();
    let rates: Vec<f64> = std::iter::successors(Some(1e6), |rate| Some(1.03 * rate)).take(24).collect();
    let table = json!({ "kind": "table", "name": "custom", "thresholds_db": thresholds, "rates_bps": rates });
    let curve = json!({ "kind": "logistic", "slope_per_db": 2, "offset_db": 1.472 });
    let errors = json!({ "probability": 0, "threshold_rule": false, "curve": curve });
    let chase =
        json!({ "kind": "chase", "unit": "pdu", "processes": "inf", "round_trip_slots": 1, "max_retransmissions": 10 });
    let case = Case::fixed_link().backlogged(1, 576).set("/link/rate", table).set("/link/errors", errors);
    let case = case.set("/link/harq", chase).set("/rlc/segment_bytes", 24).set("/duration_s", 20);
    for subchannels in [1, 16] {
        for (target, bias_db, logit) in [(0.1, 3.0, 2.1972), (0.3, -3.0, 0.8473)] {
            let case = case.clone().set("/carrier/subchannels", subchannels).set("/link/report/backoff_db", -bias_db);
            let columns = case.set("/link/outer_loop", steps(target, 0.5, 2)).run();
            let [(share, sent, _)] = shares(&columns)[..] else { panic!("it is one user") };
            let mean_db = columns.reals("users", "outer_loop_offset_mean_db")[0];
            assert!(sent > 80_000.0 && (share / target - 1.0).abs() < 0.06, "{share} of {sent} for {target}");
            // The margin at which the curve has the target, ln(1 / target - 1) given as the logit, from the bias on; rows are
            // half a dB below reports in the mean.
            let margin_db = logit / 2.0 - 1.472;
            assert!((mean_db + bias_db + margin_db - 0.5).abs() < 0.6, "{mean_db} dB against {bias_db}");
        }
    }
}

/// Three users in fading, each alone on its own link's average, whose reports are `bias_db` too high and `delay` slots late.
fn fading(bias_db: f64, delay_slots: u64) -> Case {
    let thresholds: Vec<f64> = (0..16).map(|row| -4.0 + 2.0 * f64::from(row)).collect();
    let rates: Vec<f64> = (0..16).map(|row| 115_200.0 * f64::from(row + 1)).collect();
    let table = json!({ "kind": "table", "name": "custom", "thresholds_db": thresholds, "rates_bps": rates });
    let fading = json!({ "kind": "rayleigh", "terms": 8, "doppler_hz": 5, "amplitudes": "equal" });
    let case = Case::fixed_link().backlogged(3, 576).set("/link/rate", table).set("/channel/fading", fading);
    let case = case.set("/channel/placement/mean_snr_db", 12).set("/link/report/backoff_db", -bias_db);
    case.set("/link/report/delay_slots", delay_slots).set("/link/errors/threshold_rule", true).set("/duration_s", 60)
}

/// The share of first transmissions that are lost, how many there are, and the last offset, for each user.
fn shares(columns: &Columns) -> Vec<(f64, f64, f64)> {
    let sent = columns.wholes("users", "frames_sent");
    let repeated = columns.0.tables["users"].wholes("frames_repeated").map_or(vec![0; sent.len()], <[i64]>::to_vec);
    let ends =
        columns.0.tables["users"].reals("outer_loop_offset_end_db").map_or(vec![0.0; sent.len()], <[f64]>::to_vec);
    let lost = columns.0.tables["users"]
        .wholes("first_frame_errors")
        .unwrap_or(&columns.wholes("users", "frame_errors"))
        .to_vec();
    let of = |user: usize| {
        let first = (sent[user] - repeated[user]) as f64;
        (lost[user] as f64 / first, first, ends[user])
    };
    (0..sent.len()).map(of).collect()
}

#[test]
fn the_loss_rate_meets_the_target_within_the_range_of_the_offset() {
    let chase =
        json!({ "kind": "chase", "unit": "block", "processes": 8, "round_trip_slots": 8, "max_retransmissions": 3 });
    let curve = json!({ "kind": "logistic", "slope_per_db": 2, "offset_db": 1.472 });
    let curved = json!({ "probability": 0, "threshold_rule": false, "curve": curve });
    let frames = |case: Case| case;
    let blocks = |case: Case| case.set("/link/errors", curved.clone()).set("/link/harq", chase.clone());
    let wide = |case: Case| case.set("/carrier/subchannels", 4);
    type Change<'a> = &'a dyn Fn(Case) -> Case;
    let links: [(&str, Change<'_>); 4] =
        [("frames", &frames), ("blocks", &blocks), ("wide frames", &wide), ("wide blocks", &|case| wide(blocks(case)))];
    for (name, link) in links {
        for (target, bias_db, delay) in [(0.1, 0.0, 4), (0.02, 3.0, 0), (0.3, -4.0, 1)] {
            let (down, feedback) = (0.5, 3);
            let up = down * target / (1.0 - target);
            let columns = link(fading(bias_db, delay)).set("/link/outer_loop", steps(target, down, feedback)).run();
            let unheard = (feedback + 1) as f64 * (up + down);
            for (share, slots, end_db) in shares(&columns) {
                // Only slots that have been heard of have moved the offset, and each by as much as its loss says.
                let off = (share - target) * slots * (up + down);
                assert!((off + end_db).abs() <= unheard + 1e-6, "{name} {target}: {off} dB for {end_db}");
                let way = (end_db.abs() + unheard) / (slots * (up + down));
                assert!(slots > 3000.0 && (share - target).abs() <= way, "{name} {target}: {share} in {slots}");
                assert!(way < 0.01, "{name} {target}: an offset of {end_db} dB");
            }
            // Without the loop it is another one.
            for (share, ..) in shares(&link(fading(bias_db, delay)).run()) {
                assert!((share - target).abs() > 0.03, "{name} {target}: {share} without a loop");
            }
        }
    }
}
