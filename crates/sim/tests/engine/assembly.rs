//! From a scenario's words to the model's parts: traces, places, rates and reports as the scenario says them.

use airlink_model::types::{Decibel, PowerRatio};
use serde_json::{Value, json};

use super::case::{Case, Columns, fits};

const RATES_BPS: [f64; 8] = [921_600.0, 0.0, 307_200.0, 460_800.0, 16_000.0, 1_600.0, 0.0, 640_000.0];

/// A backlogged user with these replayed rates, one in each slot of 5 ms.
fn replaying(values: &[f64]) -> Case {
    let case = Case::traced_link(values).backlogged(1, 100).set("/channel/placement/quantity", "rate_bps");
    let case = case.set("/link/rate", json!({ "kind": "trace" })).set("/link/report/period_slots", 1);
    case.set("/channel/placement/at_end", "loop").set("/link/errors/threshold_rule", false)
}

fn sent(columns: &Columns) -> Vec<i64> {
    columns.series("slots", "sent_bytes")
}

/// The bytes of 200 slots whose rate in slot n is that of row `row(n)`; `None` is no rate.
fn expected(row: impl Fn(usize) -> Option<usize>) -> Vec<i64> {
    let bytes = [576, 0, 192, 288, 10, 1, 0, 400];
    (0..200).map(|slot| row(slot).map_or(0, |row| bytes[row % 8])).collect()
}

#[test]
fn a_ridden_rate_is_the_rate_of_its_slot_and_starts_again_or_stops() {
    let case = replaying(&RATES_BPS);
    assert_eq!(sent(&case.run()), expected(Some));
    let stops = case.clone().set("/channel/placement/at_end", "stop").run();
    assert_eq!(sent(&stops), expected(|slot| (slot < 8).then_some(slot)));
    let later = case.set("/channel/placement/offset_s", 0.015).run();
    assert_eq!(sent(&later), expected(|slot| Some(slot + 3)));
}

#[test]
fn users_ride_a_trace_each_from_its_own_offset() {
    let case = replaying(&RATES_BPS).set("/users", 2).set("/channel/placement/offset_s", json!([0.0, 0.010]));
    // Round robin: even slots are user 0's, odd ones user 1's.
    let row = |slot: usize| if slot.is_multiple_of(2) { slot } else { slot + 2 };
    assert_eq!(sent(&case.run()), expected(|slot| Some(row(slot))));
}

#[test]
fn a_late_report_of_a_ridden_rate_loses_the_frames_that_were_too_fast() {
    let case = replaying(&RATES_BPS).set("/link/report/delay_slots", 1).set("/link/errors/threshold_rule", true);
    let columns = case.run();
    assert_eq!(sent(&columns), expected(|slot| slot.checked_sub(1)));
    let too_fast = |slot: usize| slot > 0 && RATES_BPS[(slot - 1) % 8] > RATES_BPS[slot % 8];
    let lost: Vec<i64> = (0..200).map(|slot| i64::from(too_fast(slot))).collect();
    assert_eq!(columns.series("slots", "error"), lost);
}

#[test]
fn a_rate_trace_through_its_equivalent_snr_gives_its_rates_back() {
    let capacity = json!({ "kind": "capacity", "bandwidth_hz": 200_000, "gap_db": 0, "max_rate_bps": "inf" });
    let case = replaying(&RATES_BPS).set("/channel/placement/equivalent_bandwidth_hz", 200_000);
    let columns = case.set("/link/rate", capacity).run();
    let rates = columns.0.series["slots"].reals("rate_bps").expect("slots are recorded");
    for (slot, rate) in rates.iter().enumerate() {
        let given = RATES_BPS[slot % 8];
        assert!((rate - given).abs() <= 1e-5 * given, "slot {slot}: {rate} for {given}");
    }
}

fn decibels(ratio: f64) -> f64 {
    PowerRatio::new(ratio).to_db().db()
}

fn ratio(decibels: f64) -> f64 {
    Decibel::new(decibels).to_ratio().value()
}

#[test]
fn users_in_a_disc_have_the_mean_snr_of_their_distance_under_the_ceiling() {
    let columns = Case::k3().set("/duration_s", 0.01).run();
    let [distances, means] = ["distance_m", "mean_snr_db"].map(|name| columns.reals("users", name));
    for (distance_m, mean_db) in distances.into_iter().zip(means) {
        assert!((70.0..=2000.0).contains(&distance_m));
        let signal = ratio(-4.5 - 3.5 * decibels(distance_m / 2000.0));
        let expected_db = decibels(1.0 / (1.0 / signal + 1.0 / 20.0));
        assert!((mean_db - expected_db).abs() < 1e-9, "{distance_m} m: {mean_db} dB, should be {expected_db}");
    }
}

#[test]
fn frames_fail_as_often_as_the_scenario_says_and_flows_start_within_their_spread() {
    let columns = Case::k3().run();
    let [frames, errors] =
        ["frames_sent", "frame_errors"].map(|name| columns.wholes("users", name).iter().sum::<i64>());
    assert!(frames > 2000 && fits(errors as f64 / frames as f64, 0.002, frames as f64), "{errors} of {frames}");
    let starts = columns.reals("flows", "start_s");
    assert!(starts.iter().all(|start| (0.0..5.0).contains(start)));
    let mean = starts.iter().sum::<f64>() / 21.0;
    // A uniform draw over 5 s has a standard deviation of 5 / sqrt(12).
    assert!((mean - 2.5).abs() < 4.5 * 5.0 / (12.0_f64 * 21.0).sqrt(), "{mean}");
}

#[test]
fn the_reported_rate_is_that_of_the_table_after_back_off_and_quantisation() {
    // 6.4 dB: less 2 of back-off 4.4; in steps of 5, first to 5, then less 2: 3.
    let rows = [(0.0, 0.0, 2), (2.0, 0.0, 1), (2.0, 5.0, 1), (0.0, 5.0, 2), (7.0, 0.0, 0)];
    for (backoff_db, step_db, reached) in rows {
        let placement = json!({ "kind": "mean_snr", "mean_snr_db": 6.4 });
        let rate: Value =
            json!({ "kind": "table", "name": "custom", "thresholds_db": [0, 5], "rates_bps": [307_200, 921_600] });
        let case = Case::fixed_link().backlogged(1, 100).set("/channel/placement", placement).set("/link/rate", rate);
        let case = case.set("/link/report/backoff_db", backoff_db).set("/link/report/quantisation_db", step_db);
        assert_eq!(sent(&case.run()), [[0, 192, 576][reached]; 200], "{backoff_db} {step_db}");
    }
}
