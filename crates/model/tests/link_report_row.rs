//! What the base station knows of each subchannel, and the rates and rows of the table that it chooses. Tolerances are 4.5
//! standard errors.

use airlink_model::link::{
    CapacityRule, EffectiveSnr, NamedTable, RateRule, RateTable, Report, ReportConfig, ReportRow, ReportedSnr, TrueSnr,
};
use airlink_model::types::{BLOCK_SLOTS, Decibel, Rate, Slot};

use super::link_report::exact;

/// The reports of a user whose true SINR in slot n on subchannel s of `subchannels` is `truth(n, s)`, slot by slot.
fn rows(config: ReportConfig, subchannels: usize, slots: u64, truth: impl Fn(u64, usize) -> f32) -> Vec<Vec<f32>> {
    let mut reports = ReportRow::new(config, subchannels, 1, 0);
    let advance = |slot| {
        let true_db: Vec<f32> = (0..subchannels).map(|s| truth(slot, s)).collect();
        let mut reported_db = vec![f32::NAN; subchannels];
        reports.advance(Slot::new(slot), &true_db, &mut reported_db);
        reported_db
    };
    (0..slots).map(advance).collect()
}

fn wavy(slot: u64, subchannel: usize) -> f32 {
    ((slot * 37 + subchannel as u64 * 101) % 331) as f32 * 0.1 - 15.0
}

#[test]
fn a_carrier_of_one_subchannel_is_reported_with_the_bits_of_a_carrier() {
    let noisy = ReportConfig { error_sd_db: 0.7, quantisation_db: 0.5, backoff_db: 0.3, ..exact() };
    for (delay_slots, period_slots) in [(0, 1), (3, 1), (0, 7), (5, 8), (70, 3), (130, 1), (3, 100)] {
        for config in [exact(), noisy].map(|config| ReportConfig { delay_slots, period_slots, ..config }) {
            let mut narrow = ReportedSnr::new(config, 1, 0);
            let mut expected = Vec::new();
            for block in 0..5 {
                let first = block * BLOCK_SLOTS as u64;
                let truth = TrueSnr { db: std::array::from_fn(|offset| wavy(first + offset as u64, 0)) };
                let mut report = Report::default();
                narrow.fill(Slot::new(first), &truth, &mut report);
                expected.extend(report.db.map(f32::to_bits));
            }
            let row = rows(config, 1, 5 * BLOCK_SLOTS as u64, wavy);
            assert_eq!(row.iter().map(|row| row[0].to_bits()).collect::<Vec<_>>(), expected, "{config:?}");
        }
    }
}

#[test]
fn each_subchannel_has_the_latest_measurement_of_its_own_that_has_arrived() {
    for (delay_slots, period_slots) in [(0, 1), (1, 1), (3, 1), (0, 7), (5, 8), (8, 5), (20, 3)] {
        let config = ReportConfig { delay_slots, period_slots, ..exact() };
        for (slot, row) in (0_u64..).zip(rows(config, 5, 60, wavy)) {
            for (subchannel, value) in row.into_iter().enumerate() {
                let sent = slot.checked_sub(delay_slots as u64);
                let expected =
                    sent.map_or(f32::NEG_INFINITY, |sent| wavy(sent / period_slots * period_slots, subchannel));
                assert_eq!(value, expected, "delay {delay_slots}, period {period_slots}, slot {slot}");
            }
        }
    }
}

#[test]
fn a_group_is_reported_as_one_and_the_last_may_be_smaller() {
    let truth = |_, subchannel: usize| [0.0, 10.0, 2.0, 4.0, 6.0, -8.0, 1.5][subchannel];
    let of = |group_subchannels, effective| {
        rows(ReportConfig { group_subchannels, effective, ..exact() }, 7, 1, truth).remove(0)
    };
    assert_eq!(of(1, EffectiveSnr::MeanDb), [0.0, 10.0, 2.0, 4.0, 6.0, -8.0, 1.5]);
    assert_eq!(of(3, EffectiveSnr::MeanDb)[2..], [4.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 1.5]);
    assert_eq!(of(7, EffectiveSnr::MeanDb), [15.5 / 7.0; 7]);
    assert_eq!(of(1000, EffectiveSnr::MeanDb), [15.5 / 7.0; 7]);
    // 1 and 11 times the noise: the mean of log2 2 and log2 11, so 1 + SINR = sqrt(22).
    let capacity = of(2, EffectiveSnr::MeanCapacity)[0];
    assert!((capacity - 10.0 * libm::log10f(22.0_f32.sqrt() - 1.0)).abs() < 1e-5, "{capacity}");
    assert_eq!(of(2, EffectiveSnr::MeanCapacity)[6], 1.5);
}

#[test]
fn equal_subchannels_are_reported_as_what_they_are() {
    for subchannels in [2, 3, 7, 100, 400, 3300] {
        for value in [-379.3_f32, -0.1, 0.3, 7.7, 21.1] {
            let of = |effective| {
                let wideband = ReportConfig { group_subchannels: subchannels, effective, ..exact() };
                rows(wideband, subchannels, 1, |_, _| value).remove(0)[0]
            };
            assert_eq!(of(EffectiveSnr::MeanDb), value);
            if value > -100.0 {
                assert!((of(EffectiveSnr::MeanCapacity) - value).abs() < 1e-5, "{value}");
            }
        }
    }
}

#[test]
fn one_report_has_one_error_and_errors_of_groups_and_slots_are_independent() {
    let (subchannels, slots) = (40, 3_000);
    let noisy = ReportConfig { error_sd_db: 0.707, ..exact() };
    let as_one = ReportConfig { group_subchannels: usize::MAX, ..noisy };
    let wideband = rows(as_one, subchannels, 5, |_, _| 5.0);
    assert!(wideband.iter().all(|row| row.iter().all(|value| *value == row[0])));
    let errors = rows(noisy, subchannels, slots, |_, _| 5.0);
    let error = |slot: usize, subchannel: usize| f64::from(errors[slot][subchannel]) - 5.0;
    let count = f64::from(u32::try_from(slots).unwrap()) * subchannels as f64;
    let mean_of = |value: &dyn Fn(usize, usize) -> f64| {
        (0..errors.len() - 1).flat_map(|slot| (0..subchannels - 1).map(move |s| value(slot, s))).sum::<f64>() / count
    };
    let variance = 0.707 * 0.707;
    assert!(mean_of(&error).abs() < 4.5 * 0.707 / count.sqrt());
    // What the last row and column would add is within the bound's last digit.
    let squares = mean_of(&|n, s| error(n, s) * error(n, s)) * count / ((slots - 1) as f64 * (subchannels - 1) as f64);
    assert!((squares / variance - 1.0).abs() < 4.5 * (2.0 / count).sqrt());
    for (later, further) in [(0, 1), (1, 0), (1, 1)] {
        let product = mean_of(&|n, s| error(n, s) * error(n + later, s + further));
        assert!(product.abs() < 4.5 * variance / count.sqrt(), "{later} slots, {further} subchannels: {product}");
    }
    let shifted = mean_of(&|n, s| error(n, s + 1) * error(n + 1, s));
    assert!(shifted.abs() < 4.5 * variance / count.sqrt(), "the next slot has not this one's errors: {shifted}");
    // The end of a row and the start of the next are neighbours of the stream.
    let seam = (0..errors.len() - 1).map(|n| error(n, subchannels - 1) * error(n + 1, 0)).sum::<f64>();
    assert!(seam.abs() < 4.5 * variance * (slots as f64).sqrt());
}

#[test]
#[should_panic(expected = "need every slot")]
fn a_late_report_notices_a_missing_slot() {
    let mut reports = ReportRow::new(ReportConfig { delay_slots: 1, ..exact() }, 1, 1, 0);
    reports.advance(Slot::new(1), &[0.0], &mut [0.0]);
}

#[test]
fn a_row_of_rates_has_each_subchannels_rate_and_row_of_the_table() {
    let reported_db: Vec<f32> = (0..411).map(|s| wavy(5, s)).chain([f32::NEG_INFINITY, -12.5, -6.5]).collect();
    let table = RateRule::Table(RateTable::named(NamedTable::OneXEvDo));
    let capacity = RateRule::Capacity(CapacityRule::new(1.25e6, Decibel::new(3.0), Rate::from_bps(3e6)));
    let (_, rates_bps) = NamedTable::OneXEvDo.rows();
    for rule in [&table, &capacity] {
        let mut row = vec![f32::NAN; reported_db.len()];
        rule.fill_row(&reported_db, &mut row);
        for (rate_bps, snr_db) in row.iter().zip(&reported_db) {
            assert_eq!(rate_bps.to_bits(), rule.rate_bps(*snr_db).to_bits(), "{snr_db} dB");
        }
    }
    let mut mcs = vec![99; reported_db.len()];
    table.fill_mcs(&reported_db, &mut mcs);
    for (mcs, snr_db) in mcs.iter().zip(&reported_db) {
        let chosen = f64::from(table.rate_bps(*snr_db));
        let expected = rates_bps.iter().rposition(|rate| (*rate as f32) <= chosen as f32).unwrap_or(0);
        assert_eq!(usize::from(*mcs), expected, "{snr_db} dB");
    }
    capacity.fill_mcs(&reported_db, &mut mcs);
    assert!(mcs.iter().all(|mcs| *mcs == 0));
}
