//! What the base station knows, when, and which frames are lost. Tolerances are 4.5 standard errors.

use airlink_model::link::{
    CapacityRule, EffectiveSnr, FrameErrors, NamedTable, RateRule, RateTable, Report, ReportConfig, ReportedSnr,
    TrueSnr,
};
use airlink_model::types::{BLOCK_SLOTS, Decibel, Rate, Slot};

/// A report of every slot, without error, delay or rounding.
pub fn exact() -> ReportConfig {
    ReportConfig {
        error_sd_db: 0.0,
        delay_slots: 0,
        period_slots: 1,
        quantisation_db: 0.0,
        backoff_db: 0.0,
        group_subchannels: 1,
        effective: EffectiveSnr::MeanDb,
        ..ReportConfig::default()
    }
}

/// The reports of a user whose true SNR in slot n is `truth(n)`.
fn reports(config: ReportConfig, blocks: u64, truth: impl Fn(u64) -> f32) -> Vec<f32> {
    let mut reported = ReportedSnr::new(config, 1, 0);
    let (mut true_snr, mut report) = (TrueSnr::default(), Report::default());
    let mut values = Vec::new();
    for block in 0..blocks {
        let first = block * BLOCK_SLOTS as u64;
        true_snr.db = std::array::from_fn(|slot| truth(first + slot as u64));
        reported.fill(Slot::new(first), &true_snr, &mut report);
        values.extend(report.db);
    }
    values
}

fn slot_number(slot: u64) -> f32 {
    slot as f32
}

#[test]
fn an_exact_report_is_the_truth() {
    for (slot, value) in (0..).zip(reports(exact(), 3, slot_number)) {
        assert_eq!(value, slot_number(slot));
    }
}

#[test]
fn in_each_slot_the_latest_measurement_that_has_arrived_counts() {
    for (delay_slots, period_slots) in [(1, 1), (3, 1), (64, 1), (200, 1), (0, 2), (0, 7), (0, 100), (5, 8), (70, 3)] {
        let config = ReportConfig { delay_slots, period_slots, ..exact() };
        for (slot, value) in (0_u64..).zip(reports(config, 6, slot_number)) {
            let expected = match slot.checked_sub(delay_slots as u64) {
                Some(sent) => slot_number(sent / period_slots * period_slots),
                None => f32::NEG_INFINITY,
            };
            assert_eq!(value, expected, "delay {delay_slots}, period {period_slots}, slot {slot}");
        }
    }
}

#[test]
fn reports_are_rounded_to_the_nearest_step_and_then_backed_off() {
    let truth = |slot: u64| [0.24, 0.26, -0.26, -0.24, 3.0, 0.25, 0.75, -1e9][slot as usize % 8];
    let rounded = reports(ReportConfig { quantisation_db: 0.5, ..exact() }, 1, truth);
    assert_eq!(rounded[..8], [0.0, 0.5, -0.5, 0.0, 3.0, 0.0, 1.0, -1e9]);
    let lower = reports(ReportConfig { quantisation_db: 0.5, backoff_db: 2.0, ..exact() }, 1, truth);
    assert_eq!(lower[..5], [-2.0, -1.5, -2.5, -2.0, 1.0]);
    let silent = reports(ReportConfig { quantisation_db: 0.5, ..exact() }, 1, |_| f32::NEG_INFINITY);
    assert_eq!(silent[0], f32::NEG_INFINITY);
}

#[test]
fn estimation_errors_are_normal_and_independent_between_slots() {
    let config = ReportConfig { error_sd_db: 0.707, ..exact() };
    let errors: Vec<f64> = reports(config, 1_000, |_| 5.0).iter().map(|&value| f64::from(value) - 5.0).collect();
    let count = errors.len() as f64;
    let mean_of = |value: &dyn Fn(usize) -> f64| (0..errors.len() - 1).map(value).sum::<f64>() / count;
    let variance = 0.707 * 0.707;
    assert!(mean_of(&|slot| errors[slot]).abs() < 4.5 * 0.707 / count.sqrt());
    assert!((mean_of(&|slot| errors[slot] * errors[slot]) / variance - 1.0).abs() < 4.5 * (2.0 / count).sqrt());
    assert!(mean_of(&|slot| errors[slot] * errors[slot + 1]).abs() < 4.5 * variance / count.sqrt());
}

#[test]
fn a_late_or_rare_report_carries_the_error_of_the_slot_it_was_measured_in() {
    let noisy = ReportConfig { error_sd_db: 2.0, ..exact() };
    let at_once = reports(noisy, 4, |_| 1.0);
    let late = reports(ReportConfig { delay_slots: 10, period_slots: 6, ..noisy }, 4, |_| 1.0);
    for slot in 10..late.len() {
        assert_eq!(late[slot], at_once[(slot - 10) / 6 * 6], "slot {slot}");
    }
}

#[test]
#[should_panic(expected = "need every block")]
fn a_late_report_notices_a_missing_block() {
    let mut reported = ReportedSnr::new(ReportConfig { delay_slots: 1, ..exact() }, 1, 0);
    reported.fill(Slot::new(64), &TrueSnr::default(), &mut Report::default());
}

fn loss_ratio(errors: &FrameErrors, frames: u64) -> f64 {
    (0..frames).filter(|&slot| errors.is_lost(Slot::new(slot), 0.0, 1e6)).count() as f64 / frames as f64
}

#[test]
fn frames_are_lost_with_the_given_probability_by_a_draw_of_their_own_slot() {
    let frames = 200_000;
    for probability in [0.0, 0.002, 0.5, 1.0] {
        let ratio = loss_ratio(&FrameErrors::new(probability, None, 1, 0), frames);
        let bound = 4.5 * (probability * (1.0 - probability) / frames as f64).sqrt();
        assert!((ratio - probability).abs() <= bound, "{ratio} for {probability}");
    }
    let (one, other) = (FrameErrors::new(0.5, None, 1, 0), FrameErrors::new(0.5, None, 1, 1));
    let lost = |errors: &FrameErrors, slot| errors.is_lost(Slot::new(slot), 0.0, 1e6);
    assert_eq!(lost(&one, 77), lost(&one, 77));
    // Two users agree in half of their slots.
    let agree = (0..frames).filter(|&slot| lost(&one, slot) == lost(&other, slot)).count() as f64 / frames as f64;
    assert!((agree - 0.5).abs() < 4.5 * (0.25 / frames as f64).sqrt(), "{agree}");
}

#[test]
fn under_the_threshold_rule_a_frame_too_fast_for_the_true_channel_is_lost() {
    let table = RateRule::Table(RateTable::named(NamedTable::OneXEvDo));
    let capacity = RateRule::Capacity(CapacityRule::new(1.25e6, Decibel::new(3.0), Rate::UNLIMITED));
    let slot = Slot::new(5);
    let of_table = FrameErrors::new(0.0, Some(table), 1, 0);
    assert!(!of_table.is_lost(slot, 9.5, 2_457_600.0));
    assert!(of_table.is_lost(slot, 9.499, 2_457_600.0));
    assert!(!of_table.is_lost(slot, -20.0, 0.0));
    let of_capacity = FrameErrors::new(0.0, Some(capacity.clone()), 1, 0);
    for step in -200..200 {
        let true_db = step as f32 * 0.1;
        let rate_bps = capacity.rate_bps(true_db);
        assert!(!of_capacity.is_lost(slot, true_db, rate_bps), "an exact report is never too fast: {true_db}");
        assert!(of_capacity.is_lost(slot, true_db - 0.01, rate_bps), "{true_db}");
    }
    assert!(!FrameErrors::new(0.0, None, 1, 0).is_lost(slot, -20.0, 2_457_600.0));
}
