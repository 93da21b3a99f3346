//! Many subchannels against one carrier: alone on a flat carrier a user cannot tell them apart; several share a slot.

use serde_json::json;

use super::case::{Case, Columns, DEAF_DB, FAIR_DB, GOOD_DB};

/// Every number of what packets and their sender went through.
fn journey(columns: &Columns) -> String {
    ["packets", "acks", "cwnd", "rtt", "queue", "gaps", "events", "limits", "snr"]
        .map(|kind| format!("{:?}", columns.0.series[kind]))
        .concat()
}

/// The same on so many subchannels; 921.6 kb/s are a whole number of b/s on each of 4, 16 and 400. Who wins takes all, as
/// on one carrier.
fn on(case: &Case, subchannels: usize) -> Columns {
    case.clone().set("/scheduler/release_satisfied_users", false).set("/carrier/subchannels", subchannels).run()
}

#[test]
fn alone_on_a_flat_carrier_a_user_cannot_tell_400_subchannels_from_one() {
    let up_and_down: Vec<f64> = (0..200).map(|slot| [GOOD_DB, FAIR_DB, GOOD_DB, DEAF_DB][slot / 7 % 4]).collect();
    let rates = json!({
        "kind": "table", "name": "custom", "thresholds_db": [0, 5], "rates_bps": [460_800, 921_600],
    });
    let traced = Case::traced_link(&up_and_down).set("/link/rate", rates).set("/link/report/period_slots", 1);
    let lossy = json!({ "probability": 0.1, "threshold_rule": true, "curve": { "kind": "none" } });
    let arq = json!({ "max_retransmissions": 3, "feedback_delay_slots": 4, "unit": "part", "repeats": "rescheduled" });
    let repeated = traced.clone().set("/link/errors", lossy).set("/link/arq", arq).all_at_once(40);
    let late = repeated.clone().set("/link/report/delay_slots", 3);
    let by_slots = late.clone().set("/link/arq/feedback_delay_slots", 0).set("/link/arq/unit", "slot");
    let cut = late.clone().set("/rlc/segment_bytes", 50).set("/rlc/carry_fraction", true);
    for case in [Case::fixed_link().all_at_once(40), traced, repeated, late, by_slots, cut] {
        let one = on(&case, 1);
        assert!(one.cell("slots") > one.cell("slots_idle"));
        for subchannels in [4, 400] {
            let many = on(&case, subchannels);
            assert!(journey(&many) == journey(&one), "{subchannels} of {case:?}");
            assert_eq!(many.wholes("users", "slots_won"), one.wholes("users", "slots_won"));
            assert_eq!(many.reals("users", "granted_bytes"), one.reals("users", "granted_bytes"));
            let granted = many.wholes("users", "slots_won")[0] * subchannels as i64;
            assert_eq!(many.wholes("users", "subchannels_won"), [granted]);
        }
    }
}

#[test]
fn a_frame_is_lost_if_any_subchannel_that_it_needs_is_too_fast() {
    // Messages far smaller than a grant, on late reports of a channel that differs over frequency.
    let rates =
        json!({ "kind": "table", "name": "custom", "thresholds_db": [0, 6, 12], "rates_bps": [4e5, 8e5, 1.6e6] });
    let fading = json!({
        "kind": "tapped_delay_line", "profile": "custom", "delay_spread_ns": 0, "delays_ns": [0, 2000],
        "powers_db": [0, 0], "terms": 8, "doppler_hz": 4, "amplitudes": "equal",
    });
    let rate_of = |db: f64| [0.0, 6.0, 12.0].iter().filter(|&&threshold| db >= threshold).count();
    let stream = json!({ "kind": "stream", "rate_bps": 40_000, "message_bytes": 50 });
    let case = Case::fixed_link().set("/link/rate", rates).set("/channel/fading", fading).set("/duration_s", 4);
    let case = case.set("/link/report/delay_slots", 3).set("/link/errors/threshold_rule", true);
    let case = case.set("/flows/0/traffic", stream).set("/flows/0/tcp/mss_bytes", 50);
    let columns = on(&case.set("/link/arq/max_retransmissions", "inf"), 16);
    let real = |kind: &str, name: &str| columns.0.series[kind].reals(name).expect("it is real").to_vec();
    let (granted, truth) = (real("grants", "granted_bytes"), real("grants", "true_db"));
    let (reported, slots) = (real("grants", "reported_db"), columns.series("grants", "slot"));
    let (sent, lost) = (columns.series("slots", "sent_bytes"), columns.series("slots", "error"));
    let (mut spared, mut all_lost) = (0, 0);
    for (row, slot) in columns.series("slots", "slot").into_iter().enumerate().filter(|&(row, _)| sent[row] > 0) {
        let mine: Vec<usize> = (0..slots.len()).filter(|&grant| slots[grant] == slot).collect();
        let too_fast = |&grant: &usize| rate_of(truth[grant]) < rate_of(reported[grant]);
        let mut room = 0.0;
        let needed = mine.iter().take_while(|&&grant| {
            let needs = room + 1e-3 < sent[row] as f64;
            room += granted[grant];
            needs
        });
        let expected = needed.into_iter().any(too_fast);
        assert_eq!(lost[row] == 1, expected, "slot {slot}");
        all_lost += lost[row];
        spared += i64::from(!expected && mine.iter().any(too_fast));
    }
    assert!(all_lost > 20 && spared > 20, "{all_lost} lost, {spared} spared");
}

#[test]
fn two_users_in_turn_share_every_slot_equally() {
    // 16 subchannels of 36 bytes in 200 slots.
    let case = Case::fixed_link().backlogged(2, 576).set("/link/arq/max_retransmissions", 0);
    let (one, many) = (on(&case, 1), on(&case, 16));
    for columns in [&one, &many] {
        assert_eq!(columns.wholes("users", "sent_bytes"), [100 * 576; 2]);
    }
    assert_eq!(one.wholes("users", "slots_won"), [100; 2]);
    assert_eq!(many.wholes("users", "slots_won"), [200; 2]);
    assert_eq!(many.wholes("users", "subchannels_won"), [8 * 200; 2]);
    assert_eq!(many.reals("users", "gap_max_slots"), [1.0; 2]);
    assert_eq!((many.cell("slots"), many.cell("slots_idle")), (200, 0));
    assert_eq!((many.cell("subchannel_slots"), many.cell("subchannels_granted")), (3200, 3200));
    let rows: Vec<(i64, i64)> = many.series("slots", "slot").into_iter().zip(many.series("slots", "user")).collect();
    assert_eq!(rows, (0..200).flat_map(|slot| [(slot, 0), (slot, 1)]).collect::<Vec<_>>());
    assert_eq!(many.series("slots", "subchannels"), [8; 400]);
    let owners: Vec<i64> = (0..200).flat_map(|_| [0; 8].into_iter().chain([1; 8])).collect();
    assert_eq!(many.series("grants", "user"), owners);
    // Turns go on from subchannel to subchannel: the first user has the even ones.
    let first: Vec<i64> = (0..8).map(|turn| 2 * turn).chain((0..8).map(|turn| 2 * turn + 1)).collect();
    assert_eq!(many.series("grants", "subchannel")[..16], first);
}

#[test]
fn idle_subchannels_are_counted_by_why() {
    // Ten packets in a burst need ten slots; in the first ten slots nothing can be sent.
    let snr_db: Vec<f64> = (0..200).map(|slot| if slot < 10 { DEAF_DB } else { GOOD_DB }).collect();
    let case = Case::traced_link(&snr_db).all_at_once(10).set("/link/report/period_slots", 1);
    let case = case.set("/scheduler/skip_unservable", true);
    let many = on(&case.set("/flows/0/path/downlink_delay_ms", 0), 16);
    let count = |name: &str| many.cell(name);
    assert_eq!(count("subchannel_slots"), 200 * 16);
    assert_eq!(count("subchannels_idle_no_rate"), 10 * 16);
    assert_eq!(count("subchannels_granted"), 10 * 16);
    assert_eq!(count("subchannels_idle_no_data"), 180 * 16);
    assert_eq!(count("subchannels_idle_covered"), 0);
    assert_eq!(count("slots_idle"), 190);
    // The packets were there from the start to the end of slot 19, which is at 100 ms.
    assert_eq!(many.reals("users", "backlogged_s"), [0.1]);
}

#[test]
fn a_grant_with_room_and_no_data_is_padded() {
    // One packet of 576 bytes on a grant of 1152: half of it is empty.
    let rates = json!({ "kind": "table", "name": "custom", "thresholds_db": [0], "rates_bps": [1_843_200] });
    let case = Case::fixed_link().set("/link/rate", rates).set("/flows/0/traffic/bytes", 536);
    let many = on(&case, 16);
    assert_eq!(many.reals("users", "padded_bytes"), [576.0]);
    assert_eq!(many.reals("cell", "padded_bps"), [8.0 * 576.0]);
    assert_eq!(many.wholes("users", "slots_padded"), [1]);
}

#[test]
fn a_covered_user_leaves_what_it_cannot_fill() {
    // 16 subchannels of 72 bytes, and a packet of 576: eight of them, or nine with 15 segments of 40 and their headers of 2.
    let rates = json!({ "kind": "table", "name": "custom", "thresholds_db": [0], "rates_bps": [1_843_200] });
    let case = Case::fixed_link().set("/link/rate", rates).set("/flows/0/traffic/bytes", 536);
    let case = case.set("/carrier/subchannels", 16).set("/scheduler/release_satisfied_users", true);
    let cut = case.clone().set("/rlc/segment_bytes", 40).set("/rlc/segment_header_bytes", 2);
    for (case, needed) in [(case, 8), (cut, 9)] {
        let columns = case.run();
        assert_eq!(columns.wholes("users", "slots_won"), [1]);
        assert_eq!(columns.wholes("users", "subchannels_won"), [needed]);
        assert_eq!(columns.cell("subchannels_idle_covered"), 16 - needed);
        assert_eq!(columns.wholes("users", "packets_delivered"), [1]);
    }
}

#[test]
fn the_series_of_rows_of_the_table_counts_every_grant_of_the_measured_time() {
    let snr_db: Vec<f64> = (0..200).map(|slot| if slot % 4 == 0 { GOOD_DB } else { FAIR_DB }).collect();
    let rates = json!({
        "kind": "table", "name": "custom", "thresholds_db": [0, 5], "rates_bps": [460_800, 921_600],
    });
    let case = Case::traced_link(&snr_db).set("/link/rate", rates).set("/link/report/period_slots", 1);
    let case = case.backlogged(1, 576).set("/warmup_s", 0.5);
    for subchannels in [1, 4] {
        let many = on(&case, subchannels);
        assert_eq!(many.series("mcs", "mcs"), [0, 1]);
        assert_eq!(many.series("mcs", "grants"), [75, 25].map(|slots| slots * subchannels as i64));
        assert_eq!(many.0.series["mcs"].reals("granted_bytes").expect("real"), [75.0 * 288.0, 25.0 * 576.0]);
    }
}

#[test]
fn reports_of_a_slot_ago_are_wrong_by_what_has_changed_since() {
    let snr_db: Vec<f64> = (0..200).map(|slot| if slot % 2 == 0 { GOOD_DB } else { FAIR_DB }).collect();
    let case = Case::traced_link(&snr_db).backlogged(1, 576).set("/link/report/period_slots", 1);
    let exact = on(&case, 4);
    assert_eq!(exact.reals("users", "report_error_mean_db"), [0.0]);
    let late = on(&case.set("/link/report/delay_slots", 1), 4);
    assert_eq!(late.reals("users", "report_error_mean_db"), [GOOD_DB - FAIR_DB]);
}

#[test]
fn subchannels_that_share_a_report_are_known_to_be_alike() {
    let case = Case::fixed_link().backlogged(1, 576).set("/link/report/error_sd_db", 1.0);
    let case = case.set(
        "/link/rate",
        json!({
            "kind": "table", "name": "custom", "thresholds_db": [-90], "rates_bps": [921_600],
        }),
    );
    for (group, reports) in [(json!(1), 12), (json!(5), 3), (json!(12), 1), (json!("inf"), 1)] {
        let many = on(&case.clone().set("/link/report/group_subchannels", group.clone()), 12);
        let known = many.0.series["grants"].reals("reported_db").expect("real").to_vec();
        for slot in known.chunks(12) {
            let mut different: Vec<u64> = slot.iter().map(|db| db.to_bits()).collect();
            different.sort_unstable();
            different.dedup();
            assert_eq!(different.len(), reports, "groups of {group}: {slot:?}");
        }
    }
    // All are alike: whatever the mean is of, it is that.
    let exact = case.set("/link/report/error_sd_db", 0).set("/link/report/group_subchannels", "inf");
    for effective in ["mean_db", "mean_capacity"] {
        let many = on(&exact.clone().set("/link/report/effective", effective), 12);
        assert!(many.reals("users", "report_error_mean_db")[0] < 1e-5, "{effective}");
    }
}
