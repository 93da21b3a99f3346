//! The link against a second implementation, `airlink.models`: by another quadrature, without tables.

use airlink_model::link::{BlockErrorModel, CodedRow, Input, Mapping, Mcs, McsConfig, SymbolInput};
use airlink_model::types::{Combining, SubchannelGrant};

use crate::mcs_sets::code;

const CONFIG: McsConfig = code(SymbolInput::Modulation, 0.0);

/// The values of each line of one law.
fn lines(law: &str) -> Vec<Vec<&'static str>> {
    let table = include_str!("../../../tests/fixtures/coded-blocks.csv");
    let of_law = table.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|line| line[0] == law);
    let rest: Vec<Vec<&str>> = of_law.map(|line| line[1..].to_vec()).collect();
    assert!(rest.len() >= 6, "{law}: the table has lines of it");
    rest
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

fn input(bits: &str) -> Input {
    if bits == "0" { Input::Gaussian } else { Input::Modulation(bits.parse().expect("a number of bits")) }
}

fn scheme(bits_per_symbol: &str, rate: &str) -> Mcs {
    Mcs { bits_per_symbol: bits_per_symbol.parse().expect("a number of bits"), code_rate: number(rate) / 1024.0 }
}

fn ratio(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

#[test]
fn moments_of_a_channel_use_agree() {
    for line in lines("moments") {
        let (mean, variance) = input(line[0]).moments(ratio(number(line[1])));
        assert!((mean - number(line[2])).abs() < 2e-5, "{line:?}: {mean}");
        assert!((variance - number(line[3])).abs() < 2e-4, "{line:?}: {variance}");
    }
}

#[test]
fn the_signal_that_an_error_rate_asks_for_agrees_to_a_thousandth_of_a_db() {
    for line in lines("required") {
        let input = if line[0] == "1" { SymbolInput::Gaussian } else { SymbolInput::Modulation };
        let config = code(input, number(line[3]));
        let row = CodedRow::new(scheme(line[1], line[2]), &config);
        let required_db = row.required_db(number(line[4]), number(line[5]));
        assert!((required_db - number(line[6])).abs() < 1.5e-3, "{line:?}: {required_db}");
    }
}

/// The effective SNR in dB over the parts of a line, by the engine.
fn effective_db(row: CodedRow, mapping: Mapping, snrs_db: &str, weights: &str) -> f64 {
    let grant =
        |(db, bits): (&str, &str)| SubchannelGrant { bits: number(bits) as f32, true_db: number(db) as f32, mcs: 0 };
    let grants: Vec<SubchannelGrant> = snrs_db.split(' ').zip(weights.split(' ')).map(grant).collect();
    row.threshold_db() + BlockErrorModel::coded(vec![row], mapping, Combining::None).margin_db(&grants)
}

#[test]
fn effective_snrs_agree_to_a_few_thousandths_of_a_db() {
    for line in lines("exponential") {
        let row = CodedRow::new(Mcs { bits_per_symbol: 4, code_rate: 0.5 }, &CONFIG);
        let mapping = Mapping::exponential(&[row], &CONFIG, &[number(line[0])]);
        let value_db = effective_db(row, mapping, line[1], line[2]);
        assert!((value_db - number(line[3])).abs() < 5e-3, "{line:?}: {value_db}");
    }
    for line in lines("mutual") {
        let (input, bits_per_symbol) =
            if line[0] == "0" { (SymbolInput::Gaussian, "2") } else { (SymbolInput::Modulation, line[0]) };
        let config = code(input, 0.0);
        let row = CodedRow::new(scheme(bits_per_symbol, "512"), &config);
        let value_db = effective_db(row, Mapping::MutualInformation, line[1], line[2]);
        assert!((value_db - number(line[3])).abs() < 5e-3, "{line:?}: {value_db}");
    }
}

#[test]
fn betas_by_the_second_order_rule_agree() {
    for line in lines("beta") {
        let row = CodedRow::new(scheme(line[0], line[1]), &CONFIG);
        let Mapping::Exponential { betas_db } = Mapping::exponential(&[row], &CONFIG, &[]) else {
            panic!("exponential");
        };
        assert!((ratio(betas_db[0]) / number(line[2]) - 1.0).abs() < 2e-3, "{line:?}: {}", ratio(betas_db[0]));
    }
}
