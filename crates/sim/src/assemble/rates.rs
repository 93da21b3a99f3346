//! What rates there are: the rule of one part of the carrier, the schemes behind it, and its rows as people read them.

use airlink_model::link::{CapacityRule, CodedRow, ErrorCurve, Mapping, McsConfig, RateConfig, RateRule, RateTable};
use airlink_model::types::{Decibel, Rate};

use crate::scenario::Link;
use crate::table::Table;

/// An SNR above any that a scenario can set, dB.
const HIGHEST_DB: f32 = 300.0;

/// The rule of one of so many equal parts of the carrier; all users have the same.
#[derive(Clone, Debug)]
pub(super) struct PartRates {
    pub(super) rule: RateRule,
    /// The highest rate that it can give, b/s.
    pub(super) peak_bps: f64,
}

impl PartRates {
    /// `None` if rates are replayed.
    pub(super) fn of(rate: &RateConfig, parts: f64) -> Option<Self> {
        if let RateConfig::Capacity(capacity) = rate {
            let most = Rate::from_bps(capacity.max_rate.bps() / parts);
            let rule = RateRule::Capacity(CapacityRule::new(capacity.bandwidth_hz / parts, capacity.gap, most));
            let peak_bps = f64::from(rule.rate_bps(HIGHEST_DB));
            return Some(Self { rule, peak_bps });
        }
        let rows = Rows::of(rate)?;
        let rates_bps: Vec<f64> = rows.rates_bps.iter().map(|rate_bps| rate_bps / parts).collect();
        let table = RateTable::new(&rows.thresholds_db, &rates_bps).expect("the scenario was checked");
        Some(Self { rule: RateRule::Table(table), peak_bps: rates_bps.last().copied().unwrap_or(0.0) })
    }
}

/// The thresholds of the carrier's rates, as they are compared: in single precision. `None` where there are none.
pub(super) fn thresholds_db(rate: &RateConfig) -> Option<Vec<f64>> {
    let rows = Rows::of(rate)?;
    Some(rows.thresholds_db.iter().map(|&threshold_db| f64::from(threshold_db as f32)).collect())
}

/// The scheme of each row of the table of rates: its number in the set, or the row's own.
pub(super) fn schemes(rate: &RateConfig) -> Vec<usize> {
    match rate {
        RateConfig::Mcs(rates) => rates.rows().iter().map(|row| place(rates, row)).collect(),
        _ => (0..rate.schemes()).collect(),
    }
}

fn place(rates: &McsConfig, row: &CodedRow) -> usize {
    rates.schemes().position(|mcs| mcs == row.mcs()).expect("rows are schemes of the set")
}

/// The rows of the table of rates of `link`: of a set of schemes those worth choosing. `None` where rates come from no table.
pub fn rate_table(link: &Link) -> Option<Table> {
    let rows = Rows::of(&link.rate)?;
    let mut table = Table::default();
    table.count("mcs", 0..rows.rates_bps.len() as u64);
    if let RateConfig::Mcs(rates) = &link.rate {
        let coded = rates.rows();
        table.count("scheme", coded.iter().map(|row| place(rates, row) as u64));
        table.count("bits_per_symbol", coded.iter().map(|row| row.mcs().bits_per_symbol.into()));
        table.real("code_rate", coded.iter().map(|row| row.mcs().code_rate).collect());
    }
    table.real("threshold_db", rows.thresholds_db);
    table.real("rate_bps", rows.rates_bps);
    if let Some(Mapping::Exponential { betas_db }) = mapping(link) {
        table.real("beta", betas_db.iter().map(|db| Decibel::new(*db).to_ratio().value()).collect());
    }
    Some(table)
}

/// Thresholds and rates of the whole carrier.
struct Rows {
    thresholds_db: Vec<f64>,
    rates_bps: Vec<f64>,
}

impl Rows {
    fn of(rate: &RateConfig) -> Option<Self> {
        match rate {
            RateConfig::Table(table) => {
                Some(Self { thresholds_db: table.thresholds_db.clone(), rates_bps: table.rates_bps.clone() })
            }
            RateConfig::Mcs(rates) => {
                let coded = rates.rows();
                let thresholds_db = coded.iter().map(CodedRow::threshold_db).collect();
                let rates_bps = coded.iter().map(|row| rates.bps_of(row.mcs().efficiency())).collect();
                Some(Self { thresholds_db, rates_bps })
            }
            RateConfig::Capacity(_) | RateConfig::Trace => None,
        }
    }
}

/// How the subchannels that a coded block lies on count together. `None` without a coded curve.
pub(super) fn mapping(link: &Link) -> Option<Mapping> {
    match (&link.errors.curve, &link.rate) {
        (ErrorCurve::Coded(curve), RateConfig::Mcs(rates)) => Some(Mapping::of(curve, &rates.rows(), rates)),
        _ => None,
    }
}
