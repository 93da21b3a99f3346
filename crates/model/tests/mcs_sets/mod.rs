//! Sets of modulation and coding schemes that have a name, as scenarios hold them.

use airlink_model::link::Mcs;

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
