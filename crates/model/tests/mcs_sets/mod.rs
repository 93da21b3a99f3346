//! Sets of modulation and coding schemes that have a name, as scenarios hold them.

use airlink_model::link::{Mcs, McsConfig, McsSet, SymbolInput};
use airlink_model::types::Decibel;

/// A code with thresholds for blocks of 1000 bits, on a carrier that is of no interest.
pub(crate) const fn code(input: SymbolInput, gap_db: f64) -> McsConfig {
    McsConfig {
        set: McsSet::Custom,
        bandwidth_hz: 1.0,
        overhead: 0.0,
        gap: Decibel::new(gap_db),
        short_block_gap: Decibel::new(0.0),
        input,
        reference_bits: 1000.0,
        target_bler: 0.1,
        bits_per_symbol: Vec::new(),
        code_rates: Vec::new(),
    }
}

/// The schemes of the set `name`, in its order.
pub(crate) fn schemes(name: &str) -> Vec<Mcs> {
    let table = include_str!("../../../../tests/fixtures/mcs-sets.csv");
    let lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|line| line[0] == name);
    let scheme = |line: Vec<&str>| Mcs {
        bits_per_symbol: line[1].parse().expect("bits of a symbol"),
        code_rate: line[2].parse().expect("a code rate"),
    };
    let schemes: Vec<Mcs> = lines.map(scheme).collect();
    assert!(!schemes.is_empty(), "there is a set {name}");
    schemes
}
