//! Which coded blocks are lost. Vectors by hand are in docs/models/link.md; tolerances of draws are 4.5 standard errors.

use std::sync::Arc;

use airlink_model::link::{
    BlockErrorModel, BlockErrors, CodedCurve, CodedRow, EffectiveMargin, ErrorTable, ErrorTableConfig, Input,
    Interpolation, LogisticCurve, Mapping, Mcs, McsConfig, NamedTable, SymbolInput, worth_choosing,
};
use airlink_model::types::{
    Combining, CounterStream, Decibel, Purpose, RandomStream, Slot, SoftInformation, SubchannelGrant,
};

use crate::mcs_sets;

use mcs_sets::{code, schemes};

const GAUSSIAN: McsConfig = code(SymbolInput::Gaussian, 0.0);
const MODULATED: McsConfig = code(SymbolInput::Modulation, 1.5);

fn grant(bits: f32, true_db: f32, mcs: u16) -> SubchannelGrant {
    SubchannelGrant { bits, true_db, mcs }
}

/// Profile W1 of [Kakuda].
fn logistic(combining: Combining) -> BlockErrorModel {
    let (thresholds_db, _) = NamedTable::ImtAdvanced.rows();
    BlockErrorModel::logistic(LogisticCurve { slope_per_db: 2.0, offset_db: 1.472 }, thresholds_db.to_vec(), combining)
}

fn coded(set: &str, config: &McsConfig, betas: Option<&[f64]>, mutual: bool, combining: Combining) -> BlockErrorModel {
    let rows = worth_choosing(&schemes(set), config);
    let mapping = match betas {
        Some(betas) => Mapping::exponential(&rows, config, betas),
        None if mutual => Mapping::MutualInformation,
        None => Mapping::MeanDb,
    };
    BlockErrorModel::coded(rows, mapping, combining)
}

/// One row of Gaussian amplitudes, 1 bit a channel use: capacity says 0 dB.
fn one_row(mapping: impl Fn(&[CodedRow]) -> Mapping, combining: Combining) -> (BlockErrorModel, CodedRow) {
    let rows = vec![CodedRow::new(Mcs { bits_per_symbol: 2, code_rate: 0.5 }, &GAUSSIAN)];
    let row = rows[0];
    let mapping = mapping(&rows);
    (BlockErrorModel::coded(rows, mapping, combining), row)
}

fn mappings() -> Vec<(&'static str, BlockErrorModel)> {
    let none = Combining::None;
    let second_order: Option<&[f64]> = Some(&[]);
    vec![
        ("logistic", logistic(none)),
        ("mean dB", coded("nr-mcs-256qam", &MODULATED, None, false, none)),
        ("exponential", coded("nr-mcs-256qam", &MODULATED, second_order, false, none)),
        ("mutual information", coded("nr-mcs-256qam", &MODULATED, None, true, none)),
        ("exponential, Gaussian", coded("cqi-64qam", &GAUSSIAN, second_order, false, none)),
        ("mutual information, Gaussian", coded("cqi-64qam", &GAUSSIAN, None, true, none)),
    ]
}

#[test]
fn a_block_at_its_threshold_is_lost_one_time_in_twenty_under_profile_w1() {
    let model = logistic(Combining::Chase);
    let at = |db, mcs| model.loss_probability(&[grant(336.0, db, mcs)], SoftInformation::NONE);
    let (thresholds_db, _) = NamedTable::ImtAdvanced.rows();
    for (mcs, threshold_db) in (0..).zip(thresholds_db) {
        assert!((at(*threshold_db as f32, mcs) - 0.05).abs() < 1e-4);
        assert!((at((threshold_db - 1.472) as f32, mcs) - 0.5).abs() < 1e-6);
        // 1 / (1 + e^4.944).
        assert!((at((threshold_db + 1.0) as f32, mcs) - 0.007_076).abs() < 1e-6);
    }
}

#[test]
fn the_margin_of_a_block_is_the_mean_margin_of_its_bits() {
    let model = logistic(Combining::Chase);
    // 100 bits at 1.41 + 3 dB by row 2, 300 bits at 5.72 - 1 dB by row 4: (3 * 100 - 1 * 300) / 400.
    let block = [grant(100.0, 4.41, 2), grant(300.0, 4.72, 4)];
    assert!(model.margin_db(&block).abs() < 1e-6);
    assert!((model.loss_probability(&block, SoftInformation::NONE) - 0.05).abs() < 1e-4);
    let block = [grant(300.0, 4.41, 2), grant(100.0, 4.72, 4)];
    assert!((model.margin_db(&block) - 2.0).abs() < 1e-6);
}

#[test]
fn effective_snrs_are_those_reckoned_by_hand() {
    let halves = |low_db, high_db| [grant(50.0, low_db, 0), grant(50.0, high_db, 0)];
    // beta 1, SNR 1 and 3: -ln((e^-1 + e^-3) / 2) = 1.566219, 1.9485 dB. beta 4: -4 ln((e^-1/4 + e^-3/4) / 2) = 1.876260.
    for (beta, expected_db) in [(1.0, 1.948_52), (4.0, 2.732_93)] {
        let (model, row) = one_row(|rows| Mapping::exponential(rows, &GAUSSIAN, &[beta]), Combining::None);
        let effective_db = row.threshold_db() + model.margin_db(&halves(0.0, 4.771_213));
        assert!((effective_db - expected_db).abs() < 2e-3, "beta {beta}: {effective_db} dB");
    }
    // log2(1 + SNR) of 1 and 3 bits, SNR 1 and 7: 2 bits, SNR 3.
    let (model, row) = one_row(|_| Mapping::MutualInformation, Combining::None);
    let effective_db = row.threshold_db() + model.margin_db(&halves(0.0, 8.450_98));
    assert!((effective_db - 4.771_213).abs() < 1e-3, "{effective_db} dB");
    // A quarter of the bits at SNR 1, three quarters at 7: 2.5 bits, SNR 4.656854.
    let effective_db = row.threshold_db() + model.margin_db(&[grant(25.0, 0.0, 0), grant(75.0, 8.450_98, 0)]);
    assert!((effective_db - 6.680_926).abs() < 1e-3, "{effective_db} dB");
}

#[test]
fn betas_far_above_the_signal_make_the_mean_of_ratios_and_far_below_it_the_least() {
    let halves = [grant(50.0, 0.0, 0), grant(50.0, 10.0, 0)];
    // Ratios 1 and 10: 5.5 on average, less half their variance (20.25) over beta.
    for (beta, expected_db) in [(1e6, 7.403_6), (1e4, 7.402_8), (0.1, 0.291), (1e-3, 0.0), (1e-6, 0.0)] {
        let (model, row) = one_row(|rows| Mapping::exponential(rows, &GAUSSIAN, &[beta]), Combining::None);
        let effective_db = row.threshold_db() + model.margin_db(&halves);
        assert!((effective_db - expected_db).abs() < 5e-3, "beta {beta}: {effective_db} dB");
    }
}

#[test]
fn information_of_signals_far_below_all_curves_adds_up_as_their_energy_does() {
    // log2(1 + SNR) of so little is SNR log2(e): a bit takes ln 2 / SNR transmissions, on one subchannel as on two.
    for db in [-28.0_f32, -35.0, -50.0, -70.0] {
        for parts in [vec![grant(1000.0, db, 0)], vec![grant(700.0, db, 0), grant(300.0, db, 0)]] {
            let (model, _) = one_row(|_| Mapping::MutualInformation, Combining::IncrementalRedundancy);
            let (soft, lost) =
                BlockErrors::new(Arc::new(model), 1, 0).transmit(Slot::ZERO, 0, &parts, SoftInformation::NONE);
            let share = Decibel::new(db.into()).to_ratio().value() * std::f64::consts::LOG2_E;
            assert!(lost);
            assert!((f64::from(soft.0) / share - 1.0).abs() < 1e-3, "{db} dB: {soft:?} for {share}");
        }
    }
}

#[test]
fn equal_margins_give_that_margin() {
    for (name, model) in mappings() {
        for mcs in 0..9 {
            for step in -900..=300_i16 {
                let db = f32::from(step) * 0.1;
                let alone = model.margin_db(&[grant(336.0, db, mcs)]);
                let parts: Vec<SubchannelGrant> = [0.1, 20.0, 123.4, 7.0].map(|bits| grant(bits, db, mcs)).to_vec();
                let together = model.margin_db(&parts);
                assert!((together - alone).abs() < 1e-6, "{name}, row {mcs}, {db} dB: {together} for {alone}");
            }
        }
    }
}

#[test]
fn margins_ignore_order_grow_with_sinr_and_lie_between_the_least_and_largest() {
    let mut draws = RandomStream::new(5, Purpose::Traffic, 0);
    for (name, model) in mappings() {
        for trial in 0..300 {
            let low_db = [-12.0, -80.0][trial % 2];
            let count = 2 + (draws.bits() % 12) as usize;
            // By rows around the signal, as a base station that knows a little would choose.
            let mut block: Vec<SubchannelGrant> = (0..count)
                .map(|_| {
                    let mcs = (draws.bits() % 9) as u16;
                    grant(draws.uniform_in(1.0, 700.0) as f32, draws.uniform_in(low_db, 28.0) as f32, mcs)
                })
                .collect();
            let margin_db = model.margin_db(&block);
            let each: Vec<f64> = block.iter().map(|part| model.margin_db(std::slice::from_ref(part))).collect();
            let least = each.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = each.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert!((least - 1e-9..=largest + 1e-9).contains(&margin_db), "{name}: {margin_db} of {each:?}");
            block.reverse();
            block.rotate_left(count / 2);
            assert!((model.margin_db(&block) - margin_db).abs() < 1e-9, "{name}");
            let better = (draws.bits() as usize) % count;
            block[better].true_db += 1.5;
            assert!(model.margin_db(&block) >= margin_db - 1e-12, "{name}");
        }
    }
}

#[test]
fn eesm_and_miesm_agree_to_second_order_with_the_derived_beta() {
    // With a Gaussian input beta = 1 + SNR at the threshold.
    let rows = worth_choosing(&schemes("cqi-64qam"), &GAUSSIAN);
    let Mapping::Exponential { betas_db } = Mapping::exponential(&rows, &GAUSSIAN, &[]) else {
        panic!("exponential");
    };
    for (row, beta_db) in rows.iter().zip(&betas_db) {
        let expected = 1.0 + libm::pow(10.0, row.threshold_db() / 10.0);
        assert!((libm::pow(10.0, beta_db / 10.0) / expected - 1.0).abs() < 1e-3, "{row:?}");
    }
    // With modulations: SNRs 20 % about the threshold leave third order, a few thousandths of a dB; a beta three times as
    // large or small leaves ten times as much.
    let rows = worth_choosing(&schemes("nr-mcs-256qam"), &MODULATED);
    let Mapping::Exponential { betas_db } = Mapping::exponential(&rows, &MODULATED, &[]) else {
        panic!("exponential");
    };
    let mutual = BlockErrorModel::coded(rows.clone(), Mapping::MutualInformation, Combining::None);
    let with = |factor: f64| {
        let betas: Vec<f64> = betas_db.iter().map(|beta_db| factor * libm::pow(10.0, beta_db / 10.0)).collect();
        let mapping = Mapping::exponential(&rows, &MODULATED, &betas);
        BlockErrorModel::coded(rows.clone(), mapping, Combining::None)
    };
    let worst = |model: &BlockErrorModel| {
        let difference = |(mcs, row): (usize, &CodedRow)| {
            let around = |factor: f64| (row.threshold_db() + 10.0 * libm::log10(factor)) as f32;
            let block = [grant(1.0, around(0.8), mcs as u16), grant(1.0, around(1.2), mcs as u16)];
            (model.margin_db(&block) - mutual.margin_db(&block)).abs()
        };
        rows.iter().enumerate().map(difference).fold(0.0, f64::max)
    };
    let [small, derived, large] = [1.0 / 3.0, 1.0, 3.0].map(|factor| worst(&with(factor)));
    assert!(derived < 0.01, "{derived} dB");
    assert!(small > 10.0 * derived && large > 5.0 * derived, "{small}, {derived}, {large} dB");
}

#[test]
fn chase_combining_adds_ratios_and_incremental_redundancy_adds_information() {
    let (chase, row) = one_row(|_| Mapping::MeanDb, Combining::Chase);
    let (redundancy, _) = one_row(|_| Mapping::MeanDb, Combining::IncrementalRedundancy);
    let at = |snr: f64| grant(1000.0, (10.0 * libm::log10(snr)) as f32, 0);
    let errors = |model: &BlockErrorModel| BlockErrors::new(Arc::new(model.clone()), 1, 0);
    // Far below the threshold the first is lost for certain.
    let (first, lost) = errors(&chase).transmit(Slot::ZERO, 0, &[at(0.3)], SoftInformation::NONE);
    assert!(lost);
    let together = chase.loss_probability(&[at(0.8)], first);
    let alone = chase.loss_probability(&[at(1.1)], SoftInformation::NONE);
    assert!((together / alone - 1.0).abs() < 1e-4, "0.3 and 0.8 are 1.1: {together} for {alone}");
    // log2(1.3) + log2(x) = log2(2.1).
    let (first, lost) = errors(&redundancy).transmit(Slot::ZERO, 0, &[at(0.3)], SoftInformation::NONE);
    assert!(lost);
    assert!((f64::from(first.0) - libm::log2(1.3)).abs() < 1e-4, "the block has one bit a channel use");
    let together = redundancy.loss_probability(&[at(2.1 / 1.3 - 1.0)], first);
    assert!((together / alone - 1.0).abs() < 5e-3, "{together} for {alone}");
    assert!(redundancy.loss_probability(&[at(0.75)], first) < chase.loss_probability(&[at(0.75)], first));
    // Without combining the first is forgotten.
    let (none, _) = one_row(|_| Mapping::MeanDb, Combining::None);
    let (first, _) = errors(&none).transmit(Slot::ZERO, 0, &[at(0.3)], SoftInformation::NONE);
    assert_eq!(first, SoftInformation::NONE);
    assert!((row.bler(1000.0, 0.0) - none.loss_probability(&[at(1.0)], SoftInformation(5.0))).abs() < 1e-6);
}

/// Mean and variance of the number of transmissions, and the share that no transmission saved, when the i-th fails with
/// `fails[i]`.
fn closed_form(fails: &[f64]) -> (f64, f64, f64) {
    let mut reached = 1.0;
    let (mut mean, mut square) = (0.0, 0.0);
    for (number, fail) in (1_u16..).zip(fails) {
        let ends = if usize::from(number) == fails.len() { reached } else { reached * (1.0 - fail) };
        mean += ends * f64::from(number);
        square += ends * f64::from(number) * f64::from(number);
        reached *= fail;
    }
    (mean, square - mean * mean, reached)
}

#[test]
fn transmissions_on_a_constant_channel_match_the_closed_form() {
    let blocks = 20_000_u64;
    let attempts = 4;
    let row = |mapping: Mapping, combining| one_row(move |_| mapping.clone(), combining).0;
    // Loss probabilities 0.6 to 0.05 in the second or third attempt: signals somewhat below the threshold.
    let cases = [
        ("logistic, chase", logistic(Combining::Chase), -8.3, 336.0),
        ("logistic, none", logistic(Combining::None), -6.8, 336.0),
        ("coded, chase", row(Mapping::MeanDb, Combining::Chase), -4.55, 336.0),
        ("coded, information", row(Mapping::MutualInformation, Combining::IncrementalRedundancy), -4.4, 336.0),
        ("coded, none", row(Mapping::MeanDb, Combining::None), 0.1, 336.0),
    ];
    for (name, model, db, bits) in cases {
        let block = [grant(bits, db, 0)];
        // SNRs add: the i-th attempt is one at i times the SNR; information adds: at (1 + SNR)^i - 1; or every one is alike.
        let fail = |number: u16| {
            let (times, snr) = (f64::from(number), libm::pow(10.0, f64::from(db) / 10.0));
            let total = match name {
                "logistic, chase" | "coded, chase" => snr * times,
                "coded, information" => libm::pow(1.0 + snr, times) - 1.0,
                _ => snr,
            };
            let db = 10.0 * libm::log10(total);
            model.loss_probability(&[grant(bits, db as f32, 0)], SoftInformation::NONE)
        };
        let fails: Vec<f64> = (1..=attempts).map(fail).collect();
        let (mean, variance, residual) = closed_form(&fails);
        let errors = BlockErrors::new(Arc::new(model.clone()), 9, 3);
        let (mut transmissions, mut lost_blocks) = (0_u64, 0_u64);
        for number in 0..blocks {
            let mut soft = SoftInformation::NONE;
            for attempt in 0..u64::from(attempts) {
                let slot = Slot::new(number / 50 * 8 + attempt);
                let ordinal = (number % 50) as u32;
                transmissions += 1;
                let (now, lost) = errors.transmit(slot, ordinal, &block, soft);
                soft = now;
                if !lost {
                    break;
                }
                lost_blocks += u64::from(attempt + 1 == u64::from(attempts));
            }
        }
        let count = blocks as f64;
        let measured = transmissions as f64 / count;
        assert!(fails[0] > 0.1, "{name}: {fails:?}");
        assert!((measured - mean).abs() < 4.5 * (variance / count).sqrt() + 1e-9, "{name}: {measured} for {mean}");
        let share = lost_blocks as f64 / count;
        let bound = 4.5 * (residual * (1.0 - residual) / count).sqrt() + 1.0 / count;
        assert!((share - residual).abs() < bound, "{name}: {share} for {residual}, {fails:?}");
    }
}

#[test]
fn blocks_of_a_slot_are_lost_one_by_one_and_by_their_own_draw() {
    let constant = BlockErrorModel::constant(0.3, None, Combining::None);
    let errors = BlockErrors::new(Arc::new(constant.clone()), 1, 0);
    let other = BlockErrors::new(Arc::new(constant), 1, 1);
    let lost = |errors: &BlockErrors, slot, ordinal| {
        errors.transmit(Slot::new(slot), ordinal, &[grant(336.0, 0.0, 0)], SoftInformation::NONE).1
    };
    let (slots, ordinals) = (2_000, 50);
    let share = |value: &dyn Fn(u64, u32) -> bool| {
        let count = |slot| (0..ordinals).filter(|&ordinal| value(slot, ordinal)).count();
        (0..slots).map(count).sum::<usize>() as f64 / (slots * u64::from(ordinals)) as f64
    };
    let bound = |p: f64| 4.5 * (p * (1.0 - p) / (slots * u64::from(ordinals)) as f64).sqrt();
    assert!((share(&|slot, ordinal| lost(&errors, slot, ordinal)) - 0.3).abs() < bound(0.3));
    let both = |a: (u64, u32), b: (u64, u32)| lost(&errors, a.0, a.1) && lost(&errors, b.0, b.1);
    assert!((share(&|slot, n| both((slot, n), (slot, n + 1))) - 0.09).abs() < bound(0.09));
    assert!((share(&|slot, n| both((slot, n), (slot + 1, n))) - 0.09).abs() < bound(0.09));
    let users = share(&|slot, n| lost(&errors, slot, n) && lost(&other, slot, n));
    assert!((users - 0.09).abs() < bound(0.09));
    assert_eq!(lost(&errors, 77, 5), lost(&errors.clone(), 77, 5));
}

#[test]
fn a_block_is_lost_where_its_draw_is_below_its_probability() {
    let (thresholds_db, _) = NamedTable::ImtAdvanced.rows();
    let mut random = RandomStream::new(1, Purpose::Traffic, 0);
    for (slope_per_db, offset_db) in [(2.0, 1.472), (0.5, -1.0), (30.0, 0.1), (1000.0, 0.2)] {
        let model = BlockErrorModel::logistic(
            LogisticCurve { slope_per_db, offset_db, ..LogisticCurve::default() },
            thresholds_db.to_vec(),
            Combining::Chase,
        );
        let errors = BlockErrors::new(Arc::new(model.clone()), 1, 3);
        let draws = CounterStream::new(1, Purpose::BlockError, 3);
        let mut lost_with_margin = 0;
        for number in 0..50_000_u32 {
            let margin_db = random.uniform_in(-0.5, 1.0);
            let block = [grant(336.0, (thresholds_db[4] + margin_db) as f32, 4)];
            let earlier = if number % 4 == 0 { SoftInformation(0.5) } else { SoftInformation::NONE };
            let draw = draws.uniform(Slot::new(u64::from(number)));
            let lost = errors.transmit(Slot::ZERO, number, &block, earlier).1;
            assert_eq!(lost, draw < model.loss_probability(&block, earlier), "{margin_db} dB, {draw}");
            lost_with_margin += u32::from(lost && margin_db > 0.0);
        }
        assert!(lost_with_margin > 0 || slope_per_db == 1000.0);
    }
}

#[test]
fn under_the_threshold_rule_blocks_below_theirs_are_lost_and_those_at_it_are_not() {
    let model = BlockErrorModel::constant(0.0, Some(vec![-5.0, 2.0]), Combining::Chase);
    let at = |db, mcs| model.loss_probability(&[grant(1.0, db, mcs)], SoftInformation::NONE);
    assert_eq!((at(-5.0, 0), at(-5.001, 0), at(2.0, 1), at(1.99, 1)), (0.0, 1.0, 0.0, 1.0));
    // 3 dB below, a second time: SNRs add up to the threshold but for 0.01 dB.
    assert_eq!(model.loss_probability(&[grant(1.0, -1.0, 1)], SoftInformation(0.502)), 0.0);
    assert_eq!(model.loss_probability(&[grant(1.0, -1.0, 1)], SoftInformation(0.498)), 1.0);
}

#[test]
#[should_panic(expected = "only coded blocks")]
fn a_margin_has_no_information_to_add() {
    let _ = logistic(Combining::IncrementalRedundancy);
}

#[test]
fn the_inputs_that_a_row_may_have_are_told_apart() {
    let scheme = Mcs { bits_per_symbol: 8, code_rate: 0.9 };
    assert!(CodedRow::new(scheme, &MODULATED).threshold_db() > CodedRow::new(scheme, &GAUSSIAN).threshold_db() + 1.5);
    assert!(Input::Modulation(8).moments(1e6).0 <= 8.0);
}

#[test]
fn betas_of_a_set_are_those_of_its_schemes_wherever_their_rows_are() {
    let set = schemes("nr-mcs-64qam");
    let config = McsConfig {
        bits_per_symbol: set.iter().map(|mcs| mcs.bits_per_symbol).collect(),
        code_rates: set.iter().map(|mcs| mcs.code_rate).collect(),
        ..MODULATED
    };
    let betas: Vec<f64> = (1..=set.len()).map(|number| number as f64).collect();
    let curve = CodedCurve { effective: EffectiveMargin::Eesm, betas, ..CodedCurve::default() };
    let rows = config.rows();
    assert!(rows.len() < set.len(), "some are not worth choosing");
    let place = |row: &CodedRow| set.iter().position(|mcs| *mcs == row.mcs()).expect("a scheme of the set") + 1;
    let betas_db = rows.iter().map(|row| 10.0 * libm::log10(place(row) as f64)).collect();
    assert_eq!(Mapping::of(&curve, &rows, &config), Mapping::Exponential { betas_db });
    let by_the_rule = CodedCurve { betas: Vec::new(), ..curve };
    assert_eq!(Mapping::of(&by_the_rule, &rows, &config), Mapping::exponential(&rows, &config, &[]));
}

/// Rows (mcs, bits, sinr_db, bler) as a model of the schemes 0, 1, ..., one for each threshold.
fn table(rows: &[(u8, f64, f64, f64)], thresholds_db: Vec<f64>, combining: Combining) -> BlockErrorModel {
    let config = ErrorTableConfig {
        file: String::new(),
        interpolation: Interpolation::LogBler,
        sha256: String::new(),
        mcs: rows.iter().map(|row| row.0).collect(),
        cbs_bits: rows.iter().map(|row| row.1).collect(),
        sinr_db: rows.iter().map(|row| row.2).collect(),
        bler: rows.iter().map(|row| row.3).collect(),
    };
    let schemes = thresholds_db.len();
    let table = ErrorTable::new(&config, schemes).expect("rows of a table");
    BlockErrorModel::table(table, (0..schemes).collect(), thresholds_db, combining)
}

#[test]
fn a_table_of_the_curve_itself_loses_as_many_blocks_as_the_curve() {
    let lengths = [48.0, 336.0, 2000.0];
    for combining in [Combining::None, Combining::Chase] {
        let rows = worth_choosing(&schemes("imt-advanced"), &MODULATED);
        let thresholds_db: Vec<f64> = rows.iter().map(CodedRow::threshold_db).collect();
        let mut sampled = Vec::new();
        for (mcs, row) in (0..).zip(&rows) {
            for bits in lengths {
                let around = |step: i32| row.threshold_db() + 0.02 * f64::from(step);
                sampled.extend((-400..400).map(|step| (mcs, bits, around(step), row.bler(bits, around(step)))));
            }
        }
        let of_table = table(&sampled, thresholds_db, combining);
        let of_curve = BlockErrorModel::coded(rows.clone(), Mapping::MeanDb, combining);
        let mut random = RandomStream::new(8, Purpose::Traffic, 0);
        for (mcs, row) in (0..).zip(&rows) {
            for bits in lengths {
                for _ in 0..200 {
                    let db = (row.threshold_db() + random.uniform_in(-6.0, 4.0)) as f32;
                    let earlier = SoftInformation([0.0, 0.4][usize::from(random.uniform() < 0.5)]);
                    // Half on another subchannel 1 dB better: both have the mean of the margins in dB.
                    let block = [grant(bits as f32 / 2.0, db, mcs), grant(bits as f32 / 2.0, db + 1.0, mcs)];
                    let [read, exact] = [&of_table, &of_curve].map(|model| model.loss_probability(&block, earlier));
                    // A chord of ln BLER over 0.02 dB; the tail's own table is 7e-6 coarse.
                    assert!((read - exact).abs() < 4e-3 * exact + 1e-5, "{mcs}, {bits} bits, {db} dB: {read}, {exact}");
                }
            }
        }
    }
}

#[test]
fn a_table_with_one_step_at_each_threshold_is_the_threshold_rule() {
    let thresholds_db = vec![-5.0, 2.0];
    let steps = [(0, 1.0, -5.0001, 1.0), (0, 1.0, -5.0, 0.0), (1, 1.0, 1.9999, 1.0), (1, 1.0, 2.0, 0.0)];
    for combining in [Combining::None, Combining::Chase] {
        let of_table = table(&steps, thresholds_db.clone(), combining);
        let of_rule = BlockErrorModel::constant(0.0, Some(thresholds_db.clone()), combining);
        let mut random = RandomStream::new(9, Purpose::Traffic, 0);
        let mut lost = 0;
        for number in 0..4000 {
            let mcs = number % 2;
            let db = (thresholds_db[usize::from(mcs)] + random.uniform_in(-5.0, 5.0)) as f32;
            let block = [grant(336.0, db, mcs), grant(100.0, db + random.uniform_in(-3.0, 3.0) as f32, mcs)];
            let earlier = SoftInformation([0.0, 0.6][usize::from(random.uniform() < 0.5)]);
            let [read, exact] = [&of_table, &of_rule].map(|model| model.loss_probability(&block, earlier));
            assert!(read == exact || (0.0 < read && read < 1.0), "{read} for {exact}");
            lost += u32::from(read == exact && read == 1.0);
        }
        assert!((1000..3000).contains(&lost), "{lost} of 4000");
    }
}
