//! The rate chosen for a reported SINR.

use airlink_model::link::{CapacityRule, NamedTable, RateRule, RateTable, RateTableError, Report};
use airlink_model::types::{BLOCK_SLOTS, Decibel, Rate};

fn rates(rule: &RateRule, snr_db: f32) -> f32 {
    let mut rate_bps = [f32::NAN; BLOCK_SLOTS];
    rule.fill(&Report { db: [snr_db; BLOCK_SLOTS] }, &mut rate_bps);
    assert!(rate_bps.iter().all(|rate| rate.to_bits() == rate_bps[0].to_bits()));
    assert_eq!(rate_bps[0].to_bits(), rule.rate_bps(snr_db).to_bits(), "one value and a block agree at {snr_db} dB");
    rate_bps[0]
}

fn capacity(gap_db: f64, max_rate: Rate) -> RateRule {
    RateRule::Capacity(CapacityRule::new(1.25e6, Decibel::new(gap_db), max_rate))
}

#[test]
fn the_highest_rate_whose_threshold_is_reached_is_chosen() {
    for name in [NamedTable::OneXEvDo, NamedTable::Klein2004] {
        let rule = RateRule::Table(RateTable::named(name));
        let (thresholds_db, rates_bps) = name.rows();
        let mut below = 0.0;
        for (&threshold_db, &rate_bps) in thresholds_db.iter().zip(rates_bps) {
            let (threshold, rate) = (threshold_db as f32, rate_bps as f32);
            assert_eq!(rates(&rule, threshold), rate);
            assert_eq!(rates(&rule, threshold.next_down()), below);
            assert_eq!(rule.required_db(rate), threshold);
            below = rate;
        }
        assert_eq!(rates(&rule, 1e9), below);
        assert_eq!(rates(&rule, f32::NEG_INFINITY), 0.0);
        assert_eq!(rule.required_db(below.next_up()), f32::INFINITY);
        assert_eq!(rule.required_db(0.0), f32::NEG_INFINITY);
    }
}

#[test]
fn slots_of_a_block_are_chosen_for_one_by_one() {
    let rule = RateRule::Table(RateTable::named(NamedTable::OneXEvDo));
    let report = Report { db: std::array::from_fn(|slot| slot as f32 * 0.5 - 16.0) };
    let mut rate_bps = [f32::NAN; BLOCK_SLOTS];
    rule.fill(&report, &mut rate_bps);
    for (rate, snr_db) in rate_bps.into_iter().zip(report.db) {
        assert_eq!(rate, rule.rate_bps(snr_db), "{snr_db} dB");
    }
}

#[test]
fn the_tables_are_those_of_the_papers() {
    // 1xEV-DO: 8-byte segments in slots of 5/3 ms are 38.4 kb/s each.
    let (_, ev_do) = NamedTable::OneXEvDo.rows();
    let segments: Vec<f64> = ev_do.iter().map(|rate| rate / 38_400.0).collect();
    let expected = [1.0, 2.0, 4.0, 16.0 / 3.0, 8.0, 16.0, 24.0, 32.0, 48.0, 64.0];
    assert!(segments.iter().zip(expected).all(|(segments, expected)| (segments - expected).abs() < 1e-12));
    // [Klein04]: bytes in slots of 5 ms, and Shannon's thresholds for 1.25 MHz to a tenth of a dB.
    let (thresholds_db, klein) = NamedTable::Klein2004.rows();
    let bytes: Vec<f64> = klein.iter().map(|rate| rate * 5e-3 / 8.0).collect();
    assert_eq!(bytes, [200.0, 300.0, 400.0, 800.0, 1_200.0, 1_600.0]);
    for (threshold_db, rate_bps) in thresholds_db.iter().zip(klein) {
        let shannon_db = 10.0 * libm::log10(libm::exp2(rate_bps / 1.25e6) - 1.0);
        assert!((threshold_db - shannon_db).abs() <= 0.05 + 1e-9, "{rate_bps}: {shannon_db}");
    }
}

#[test]
fn the_capacity_rule_gives_shannons_rate_over_the_gap_up_to_its_limit() {
    let plain = capacity(0.0, Rate::UNLIMITED);
    assert_eq!(rates(&plain, 0.0), 1.25e6);
    for snr_db in [-30.0_f32, -7.1, 3.0, 17.3, 40.0] {
        let ratio = libm::pow(10.0, f64::from(snr_db) / 10.0);
        let exact = 1.25e6 * libm::log2(1.0 + ratio);
        assert!((f64::from(rates(&plain, snr_db)) / exact - 1.0).abs() < 2e-6, "{snr_db}");
        assert_eq!(rates(&capacity(3.0, Rate::UNLIMITED), snr_db + 3.0), rates(&plain, (snr_db + 3.0) - 3.0));
    }
    let limited = capacity(0.0, Rate::from_bps(2e6));
    assert_eq!(rates(&limited, 30.0), 2e6);
    assert_eq!(rates(&limited, 0.0), 1.25e6);
    assert_eq!(limited.required_db(3e6), f32::INFINITY);
    assert_eq!(rates(&plain, f32::NEG_INFINITY), 0.0);
}

#[test]
fn what_a_rate_requires_is_the_inverse_of_the_capacity_rule() {
    let rule = capacity(2.0, Rate::UNLIMITED);
    for snr_db in [-20.0_f32, -3.0, 0.0, 12.0, 25.0] {
        assert!((rule.required_db(rule.rate_bps(snr_db)) - snr_db).abs() < 2e-5, "{snr_db}");
    }
}

#[test]
fn rows_that_make_no_table_are_refused_with_the_reason() {
    let refused = |thresholds_db: &[f64], rates_bps: &[f64]| RateTable::new(thresholds_db, rates_bps).unwrap_err();
    assert_eq!(refused(&[], &[]), RateTableError::Empty);
    assert_eq!(refused(&[1.0], &[1.0, 2.0]), RateTableError::Lengths);
    assert_eq!(refused(&[1.0, 1.0], &[1.0, 2.0]), RateTableError::Threshold(1));
    assert_eq!(refused(&[f64::NAN], &[1.0]), RateTableError::Threshold(0));
    assert_eq!(refused(&[1.0, 2.0], &[2.0, 2.0]), RateTableError::Rate(1));
    assert_eq!(refused(&[1.0], &[0.0]), RateTableError::Rate(0));
}
