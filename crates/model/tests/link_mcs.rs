//! Sets of modulation and coding schemes, and the error rate of a block. The efficiencies are those that the standards print.

use airlink_model::link::{CodedRow, Input, Mcs, McsConfig, NamedTable, RateTable, SymbolInput, worth_choosing};

use airlink_model::types::Decibel;

use crate::mcs_sets;

use mcs_sets::{code, schemes};

const NAMES: [&str; 7] = [
    "imt-advanced",
    "cqi-64qam",
    "cqi-256qam",
    "cqi-low-efficiency",
    "nr-mcs-64qam",
    "nr-mcs-256qam",
    "nr-mcs-low-efficiency",
];

const CONFIG: McsConfig = code(SymbolInput::Modulation, 1.0);

#[rustfmt::skip]
const PRINTED: [(&str, &[f64]); 6] = [
    ("cqi-64qam", &[
        0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023, 4.5234, 5.1152, 5.5547,
    ]),
    ("cqi-256qam", &[
        0.1523, 0.3770, 0.8770, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023, 4.5234, 5.1152, 5.5547, 6.2266, 6.9141, 7.4063,
    ]),
    ("cqi-low-efficiency", &[
        0.0586, 0.0977, 0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023, 4.5234,
    ]),
    ("nr-mcs-64qam", &[
        0.2344, 0.3066, 0.3770, 0.4902, 0.6016, 0.7402, 0.8770, 1.0273, 1.1758, 1.3262, 1.3281, 1.4766, 1.6953, 1.9141, 2.1602,
        2.4063, 2.5703, 2.5664, 2.7305, 3.0293, 3.3223, 3.6094, 3.9023, 4.2129, 4.5234, 4.8164, 5.1152, 5.3320, 5.5547,
    ]),
    ("nr-mcs-256qam", &[
        0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.6953, 1.9141, 2.1602, 2.4063, 2.5703, 2.7305, 3.0293, 3.3223, 3.6094,
        3.9023, 4.2129, 4.5234, 4.8164, 5.1152, 5.3320, 5.5547, 5.8906, 6.2266, 6.5703, 6.9141, 7.1602, 7.4063,
    ]),
    ("nr-mcs-low-efficiency", &[
        0.0586, 0.0781, 0.0977, 0.1250, 0.1523, 0.1934, 0.2344, 0.3066, 0.3770, 0.4902, 0.6016, 0.7402, 0.8770, 1.0273, 1.1758,
        1.3281, 1.4766, 1.6953, 1.9141, 2.1602, 2.4063, 2.5664, 2.7305, 3.0293, 3.3223, 3.6094, 3.9023, 4.2129, 4.5234,
    ]),
];

#[test]
fn bits_of_a_symbol_times_code_rate_are_the_efficiencies_that_the_standards_print() {
    for (set, printed) in PRINTED {
        let schemes = schemes(set);
        assert_eq!(schemes.len(), printed.len(), "{set:?}");
        for (row, (scheme, printed)) in schemes.iter().zip(printed).enumerate() {
            assert!((scheme.efficiency() - printed).abs() <= 0.5e-4 + 1e-9, "{set:?} row {row}");
        }
    }
}

#[test]
fn efficiencies_rise_except_from_16qam_to_64qam_of_nr() {
    for set in NAMES {
        let schemes = schemes(set);
        let back: Vec<usize> =
            (1..schemes.len()).filter(|&row| schemes[row].efficiency() <= schemes[row - 1].efficiency()).collect();
        let expected: &[usize] = if set == "nr-mcs-64qam" { &[17] } else { &[] };
        assert_eq!(back, expected, "{set:?}");
    }
}

#[test]
fn rows_of_the_cqi_tables_are_rows_of_the_mcs_tables() {
    let rows_in = |cqi: &str, mcs: &str| {
        let all = schemes(mcs);
        schemes(cqi).iter().map(|scheme| all.iter().position(|other| other == scheme)).collect::<Vec<_>>()
    };
    let every_second = |first| (first..).step_by(2).map(Some);
    assert_eq!(
        rows_in("cqi-256qam", "nr-mcs-256qam"),
        std::iter::once(None).chain(every_second(1)).take(15).collect::<Vec<_>>()
    );
    let low = rows_in("cqi-low-efficiency", "nr-mcs-low-efficiency");
    assert_eq!(low, every_second(0).take(15).collect::<Vec<_>>());
    let plain = rows_in("cqi-64qam", "nr-mcs-64qam");
    let expected = [0, 2, 4, 6, 8, 11, 13, 15, 18, 20, 22, 24, 26, 28].map(Some);
    assert_eq!(plain, std::iter::once(None).chain(expected).collect::<Vec<_>>());
}

#[test]
fn the_kakuda_table_is_shannon_plus_3_db_with_24_percent_overhead() {
    let (thresholds_db, rates_bps) = NamedTable::ImtAdvanced.rows();
    for ((scheme, rate_bps), threshold_db) in schemes("imt-advanced").iter().zip(rates_bps).zip(thresholds_db) {
        let share = rate_bps / 80e6 / scheme.efficiency();
        assert!((share - 0.76).abs() < 0.004, "{scheme:?}: {share}");
        let shannon_db = 10.0 * libm::log10(libm::exp2(rate_bps / 80e6) - 1.0);
        assert!((threshold_db - (shannon_db + 3.0)).abs() <= 0.005 + 1e-9, "{rate_bps}: {shannon_db}");
    }
    RateTable::new(thresholds_db, rates_bps).expect("a table");
}

/// The formula as it is written, with libm alone.
fn normal_approximation(mcs: Mcs, input: Input, bits: f64, snr_db: f64) -> f64 {
    let (capacity, variance) = input.moments(libm::pow(10.0, snr_db / 10.0));
    let uses = bits / mcs.efficiency();
    let x = (uses * capacity - bits + 0.5 * libm::log2(uses)) / libm::sqrt(uses * variance);
    0.5 * libm::erfc(x / std::f64::consts::SQRT_2)
}

#[test]
fn the_curve_of_a_row_is_the_normal_approximation_to_a_thousandth_of_a_db() {
    for set in ["cqi-low-efficiency", "nr-mcs-256qam"] {
        for scheme in schemes(set) {
            let modulation = (SymbolInput::Modulation, Input::Modulation(scheme.bits_per_symbol));
            for (symbols, input) in [modulation, (SymbolInput::Gaussian, Input::Gaussian)] {
                let row = CodedRow::new(scheme, &McsConfig { input: symbols, ..CONFIG });
                for bits in [40.0, 336.0, 8448.0] {
                    for target in [0.5, 0.1, 1e-3] {
                        let read_db = row.required_db(bits, target);
                        let at = |offset_db| normal_approximation(scheme, input, bits, read_db - 1.0 + offset_db);
                        let (worse, better) = (at(-1.5e-3), at(1.5e-3));
                        assert!(better < target && target < worse, "{scheme:?}, {bits} bits: {worse} to {better}");
                    }
                }
            }
        }
    }
}

#[test]
fn error_rates_fall_with_the_signal_and_are_the_target_at_the_threshold() {
    for scheme in schemes("nr-mcs-64qam") {
        let row = CodedRow::new(scheme, &CONFIG);
        assert!((row.bler(1000.0, row.threshold_db()) - 0.1).abs() < 1e-6);
        for bits in [8.0, 336.0, 8448.0] {
            let mut last = 1.0;
            for step in -2_900..4_300_i32 {
                let bler = row.bler(bits, f64::from(step) * 0.01);
                assert!((0.0..=last).contains(&bler), "{scheme:?}, {bits} bits at {} dB", f64::from(step) * 0.01);
                last = bler;
            }
            assert_eq!(last, 0.0);
        }
    }
}

#[test]
fn longer_blocks_are_closer_to_capacity_and_a_gap_moves_the_curve() {
    let scheme = Mcs { bits_per_symbol: 4, code_rate: 0.5 };
    let at = |gap_db, input| CodedRow::new(scheme, &code(input, gap_db));
    let (gaussian, modulation) = (SymbolInput::Gaussian, SymbolInput::Modulation);
    let capacity_db = 10.0 * libm::log10(3.0);
    let required: Vec<f64> = [100.0, 1e3, 1e4, 1e6].map(|bits| at(0.0, gaussian).required_db(bits, 0.1)).to_vec();
    assert!(required.is_sorted_by(|a, b| a > b), "{required:?}");
    assert!((0.0..0.02).contains(&(required[3] - capacity_db)), "{required:?}");
    assert!((at(2.5, gaussian).threshold_db() - at(0.0, gaussian).threshold_db() - 2.5).abs() < 1e-9);
    assert!(
        at(0.0, modulation).threshold_db() > at(0.0, gaussian).threshold_db(),
        "16 points are less than a Gaussian"
    );
}

#[test]
fn a_gap_of_short_blocks_moves_each_length_by_100_over_its_bits() {
    let scheme = Mcs { bits_per_symbol: 4, code_rate: 0.6 };
    let row = |short_db| CodedRow::new(scheme, &McsConfig { short_block_gap: Decibel::new(short_db), ..CONFIG });
    let (constant, growing) = (row(0.0), row(0.15));
    for bits in [24.0, 100.0, 500.0, 8448.0] {
        for bler in [0.5, 0.1, 1e-4] {
            let more_db = growing.required_db(bits, bler) - constant.required_db(bits, bler);
            assert!((more_db - 15.0 / bits).abs() < 1e-9, "{bits} bits: {more_db} dB");
        }
    }
    assert!((growing.threshold_db() - constant.threshold_db() - 0.015).abs() < 1e-9, "1000 bits by reference");
}

#[test]
fn the_schemes_worth_choosing_make_a_table_and_are_beaten_by_no_other() {
    for set in NAMES {
        for &input in SymbolInput::ALL {
            let config = McsConfig { input, ..CONFIG };
            let all: Vec<CodedRow> = schemes(set).into_iter().map(|mcs| CodedRow::new(mcs, &config)).collect();
            let chosen = worth_choosing(&schemes(set), &config);
            let thresholds_db: Vec<f64> = chosen.iter().map(CodedRow::threshold_db).collect();
            let rates_bps: Vec<f64> = chosen.iter().map(|row| row.mcs().efficiency() * 1e6).collect();
            RateTable::new(&thresholds_db, &rates_bps).expect("thresholds and rates rise");
            for row in &all {
                let beaten = chosen.iter().any(|other| {
                    other.mcs().efficiency() >= row.mcs().efficiency() && other.threshold_db() <= row.threshold_db()
                });
                assert!(beaten, "{:?} is no better than one of the chosen, or one of them", row.mcs());
            }
        }
    }
    // Of two rows 0.002 bit apart the 16QAM one asks for less than the QPSK one; 64QAM at 2.5664 bit asks for less than 16QAM
    // at
    // 2.5703 bit, so both stay, in this order.
    let set = schemes("nr-mcs-64qam");
    let chosen: Vec<Mcs> = worth_choosing(&set, &CONFIG).iter().map(CodedRow::mcs).collect();
    let numbers: Vec<usize> = chosen.iter().filter_map(|mcs| set.iter().position(|other| other == mcs)).collect();
    assert_eq!(numbers, (0..9).chain(10..16).chain([17, 16]).chain(18..29).collect::<Vec<_>>());
}

#[test]
fn of_two_equally_fast_schemes_the_one_with_the_lower_threshold_is_chosen() {
    let third = |bits_per_symbol, thirds: f64| Mcs { bits_per_symbol, code_rate: thirds / 3.0 };
    let (sixteen, four) = (third(4, 1.0), third(2, 2.0 - 1e-15));
    let (sixteen_above, four_above) = (third(4, 1.0 + 1e-15), third(2, 2.0));
    for set in [[sixteen, four], [four, sixteen_above], [four_above, sixteen_above]] {
        let asks_for_less = set
            .into_iter()
            .map(|mcs| CodedRow::new(mcs, &CONFIG))
            .min_by(|a, b| a.threshold_db().total_cmp(&b.threshold_db()));
        let chosen: Vec<Mcs> = worth_choosing(&set, &CONFIG).iter().map(CodedRow::mcs).collect();
        assert_eq!(chosen, asks_for_less.map(|row| row.mcs()).into_iter().collect::<Vec<_>>());
    }
}
