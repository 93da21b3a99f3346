//! The offset that makes first transmissions fail as often as wanted. Tolerances are 4.5 standard errors.

use std::sync::Arc;

use airlink_model::link::{
    BlockErrorModel, BlockErrors, LogisticCurve, Margin, MarginConfig, NamedTable, OuterLoop, RateRule, RateTable,
    Steps, StepsConfig,
};
use airlink_model::types::{Blocks, Combining, CounterStream, Purpose, Slot, SoftInformation, SubchannelGrant};

fn steps() -> StepsConfig {
    StepsConfig {
        target_bler: 0.1,
        step_down_db: 0.9,
        lowest_db: -20.0,
        highest_db: 20.0,
        initial_db: 0.0,
        feedback_delay_slots: 0,
        ..StepsConfig::default()
    }
}

fn offsets(config: StepsConfig, outcomes: &[(u32, u32)]) -> Vec<f64> {
    let mut outer = Steps::new(config);
    (0..)
        .zip(outcomes)
        .map(|(slot, (blocks, lost))| {
            outer.advance_to(Slot::new(slot));
            outer.on_slot_end(Slot::new(slot), *blocks, *lost);
            outer.offset_db()
        })
        .collect()
}

fn assert_near(offsets: &[f64], expected: &[f64]) {
    assert_eq!(offsets.len(), expected.len());
    for (place, (offset, expected)) in offsets.iter().zip(expected).enumerate() {
        assert!((offset - expected).abs() < 1e-12, "slot {place}: {offset} for {expected}");
    }
}

#[test]
fn a_lost_slot_lowers_the_offset_nine_times_as_far_as_an_arrival_raises_it() {
    // 0.9 dB down, 0.9 * 0.1 / 0.9 = 0.1 dB up; half lost: 0.05 - 0.45.
    let outcomes = [(1, 0), (7, 0), (1, 1), (0, 0), (4, 2), (3, 3), (1, 0)];
    assert_near(&offsets(steps(), &outcomes), &[0.0, 0.1, 0.2, -0.7, -0.7, -1.1, -2.0]);
}

#[test]
fn the_base_station_hears_late() {
    let late = StepsConfig { feedback_delay_slots: 3, initial_db: 1.0, ..steps() };
    let outcomes = [(1, 1), (1, 0), (0, 0), (1, 0), (1, 0), (1, 0), (1, 0), (1, 0)];
    assert_near(&offsets(late, &outcomes), &[1.0, 1.0, 1.0, 1.0, 0.1, 0.2, 0.2, 0.3]);
}

#[test]
fn the_offset_stays_within_its_limits() {
    let narrow = StepsConfig { lowest_db: -1.0, highest_db: 0.15, ..steps() };
    let outcomes = [(1, 0), (1, 0), (1, 1), (1, 1), (1, 0), (1, 0)];
    assert_near(&offsets(narrow, &outcomes), &[0.0, 0.1, 0.15, -0.75, -1.0, -0.9]);
}

#[test]
fn reports_are_corrected_by_the_offset_and_nothing_stays_nothing() {
    let mut reported_db = [3.0, f32::NEG_INFINITY, -1.5];
    OuterLoop::Steps(Steps::new(StepsConfig { initial_db: -2.25, ..steps() })).correct(&mut reported_db);
    assert_eq!(reported_db, [0.75, f32::NEG_INFINITY, -3.75]);
}

fn margin() -> MarginConfig {
    MarginConfig { gain: 0.05, target_per: 0.1, lowest: -0.1, highest: 0.08, initial: 0.0, ..MarginConfig::default() }
}

fn margins(config: MarginConfig, left: &[(u64, u64)]) -> Vec<f64> {
    let mut margin = Margin::new(config);
    left.iter()
        .map(|&(delivered, dropped)| {
            margin.on_packets(delivered, dropped);
            1.0 - libm::pow(10.0, margin.offset_db() / 10.0)
        })
        .collect()
}

#[test]
fn a_dropped_packet_raises_the_margin_and_every_departure_lowers_it() {
    // 0.05 (0 - 0.1), 0.05 (1 - 0.1), 0, 0.05 (2 - 0.5) up to the limit; then 30 and once more 30 down to the other.
    let left = [(1, 0), (0, 1), (0, 0), (3, 2), (30, 0), (30, 0), (0, 1)];
    assert_near(&margins(margin(), &left), &[-0.005, 0.04, 0.04, 0.08, -0.07, -0.1, -0.055]);
}

#[test]
fn a_margin_of_a_half_takes_half_of_the_reported_ratio() {
    let mut reported_db = [3.0, f32::NEG_INFINITY];
    OuterLoop::Margin(Margin::new(MarginConfig { initial: 0.5, highest: 0.95, ..margin() })).correct(&mut reported_db);
    assert!((reported_db[0] - (3.0 - 3.010_3)).abs() < 1e-5 && reported_db[1] == f32::NEG_INFINITY);
}

#[test]
fn each_kind_hears_of_what_is_its_own() {
    let mut steps = OuterLoop::Steps(Steps::new(steps()));
    let mut margin = OuterLoop::Margin(Margin::new(margin()));
    for outer in [&mut steps, &mut margin] {
        outer.on_packets(0, 1);
        outer.advance_to(Slot::new(1));
    }
    assert!(steps.offset_db() == 0.0 && margin.offset_db() < 0.0);
    let lost = Blocks { sent: 1, retransmitted: 0, lost: 1, first_lost: 1, given_up: 0 };
    let before = margin.offset_db();
    for outer in [&mut steps, &mut margin] {
        outer.on_sent(Slot::new(1), lost);
        outer.advance_to(Slot::new(2));
    }
    assert!(steps.offset_db() == -0.9 && margin.offset_db() == before);
}

/// Lost first transmissions, slots and the last offset of a user at 9 dB whose reports are off by `bias_db` and noise.
fn adapted(config: StepsConfig, bias_db: f32, noise_db: f32, slots: u64) -> (u64, f64) {
    let (thresholds_db, _) = NamedTable::ImtAdvanced.rows();
    let rule = RateRule::Table(RateTable::named(NamedTable::ImtAdvanced));
    let model = BlockErrorModel::logistic(
        LogisticCurve { slope_per_db: 2.0, offset_db: 1.472 },
        thresholds_db.to_vec(),
        Combining::Chase,
    );
    let errors = BlockErrors::new(Arc::new(model), 4, 0);
    let noise = CounterStream::new(4, Purpose::EstimationNoise, 0);
    let mut outer = Steps::new(config);
    let mut lost_slots = 0;
    for slot in (0..slots).map(Slot::new) {
        outer.advance_to(slot);
        let mut normal = [0.0];
        noise.fill_normal(slot, &mut normal);
        let mut reported_db = [9.0 + bias_db + noise_db * normal[0]];
        OuterLoop::Steps(outer.clone()).correct(&mut reported_db);
        let mut mcs = [0];
        rule.fill_mcs(&reported_db, &mut mcs);
        let block = [SubchannelGrant { bits: 336.0, true_db: 9.0, mcs: mcs[0] }];
        let (_, lost) = errors.transmit(slot, 0, &block, SoftInformation::NONE);
        outer.on_slot_end(slot, 1, u32::from(lost));
        lost_slots += u64::from(lost);
    }
    (lost_slots, outer.offset_db())
}

#[test]
fn on_a_constant_channel_the_share_of_losses_is_the_target_whatever_the_reports_are() {
    let slots = 40_000;
    for target_bler in [0.01, 0.1, 0.3] {
        for (bias_db, noise_db) in [(0.0, 0.0), (-3.0, 0.0), (4.0, 1.0)] {
            let config = StepsConfig { target_bler, step_down_db: 0.3, feedback_delay_slots: 4, ..steps() };
            let (lost, offset_db) = adapted(config, bias_db, noise_db, slots);
            let share = lost as f64 / slots as f64;
            let binomial = 4.5 * (target_bler * (1.0 - target_bler) / slots as f64).sqrt();
            // The way to the right offset costs or saves losses that no later ones make good.
            let way = offset_db.abs() / (slots as f64 * (config.step_up_db() + config.step_down_db));
            assert!((share - target_bler).abs() < binomial + way, "{share} for {target_bler}, {bias_db} {noise_db}");
            // To the letter: what went up and down is where it is, but for the slots not yet heard of.
            let heard = |lost: f64, arrived: f64| config.step_up_db() * arrived - config.step_down_db * lost;
            let all = heard(lost as f64, (slots - lost) as f64);
            assert!((all - offset_db).abs() < 5.0 * config.step_down_db + 1e-6, "{all} for {offset_db}");
        }
    }
}
