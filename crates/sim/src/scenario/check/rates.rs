//! Checks of what rates there are, and of the curve by which code blocks sent at them are lost.

use airlink_model::link::{
    CodedCurve, EffectiveMargin, ErrorCurve, ErrorTable, ErrorsConfig, McsConfig, RateConfig, RateTable, TableConfig,
};
use airlink_model::types::Combining;

use super::Checks;
use crate::scenario::Link;

pub(super) fn check(checks: &mut Checks, link: &Link) {
    match &link.rate {
        RateConfig::Table(table) => check_table(checks, table),
        RateConfig::Mcs(rates) => check_schemes(checks, rates),
        RateConfig::Capacity(_) | RateConfig::Trace => {}
    }
    check_curve(checks, link);
    let redundancy = link.harq.combining == Combining::IncrementalRedundancy;
    let coded = matches!(link.errors.curve, ErrorCurve::Coded(_));
    checks.require("link.harq.kind", "incremental_redundancy", coded || !redundancy, "that only with a coded curve");
}

fn check_table(checks: &mut Checks, table: &TableConfig) {
    let (rows, rates) = (table.thresholds_db.len(), table.rates_bps.len());
    checks.require("link.rate.thresholds_db", rows, (1..=255).contains(&rows), "1 to 255 rows");
    checks.require("link.rate.rates_bps", rates, rates == rows, "as many as thresholds_db");
    if let Err(error) = RateTable::new(&table.thresholds_db, &table.rates_bps) {
        let allowed = "both lists strictly increasing, in single precision";
        checks.require("link.rate", format!("{error:?}"), false, allowed);
    }
}

fn check_schemes(checks: &mut Checks, rates: &McsConfig) {
    let (schemes, code_rates) = (rates.bits_per_symbol.len(), rates.code_rates.len());
    checks.require("link.rate.bits_per_symbol", schemes, (1..=255).contains(&schemes), "1 to 255 schemes");
    checks.require("link.rate.code_rates", code_rates, code_rates == schemes, "as many as bits_per_symbol");
    for &bits in &rates.bits_per_symbol {
        checks.require("link.rate.bits_per_symbol", bits, matches!(bits, 2 | 4 | 6 | 8), "2, 4, 6 or 8");
    }
}

fn check_curve(checks: &mut Checks, link: &Link) {
    let kind = link.errors.curve.kind_name();
    match &link.errors.curve {
        ErrorCurve::None => return,
        ErrorCurve::Logistic(_) => {
            let thresholds = link.rate.has_thresholds();
            checks.require("link.errors.curve.kind", kind, thresholds, "none where rates have no thresholds");
        }
        ErrorCurve::Coded(curve) => check_coded(checks, &link.rate, curve),
        ErrorCurve::Table(table) => {
            let thresholds = link.rate.has_thresholds();
            checks.require("link.errors.curve.kind", kind, thresholds, "none where rates have no thresholds");
            if let Err(error) = ErrorTable::new(table, link.rate.schemes()) {
                let allowed =
                    "rows by rising mcs, cbs_bits and sinr_db with rates that never rise, for each scheme of link.rate";
                checks.require("link.errors.curve", error, !thresholds, allowed);
            }
        }
    }
    let ErrorsConfig { probability, threshold_rule, .. } = link.errors;
    let allowed = format!("0 beside a {kind} curve");
    checks.require("link.errors.probability", probability, probability == 0.0, &allowed);
    let allowed = format!("false beside a {kind} curve");
    checks.require("link.errors.threshold_rule", threshold_rule, !threshold_rule, &allowed);
}

fn check_coded(checks: &mut Checks, rate: &RateConfig, curve: &CodedCurve) {
    let RateConfig::Mcs(rates) = rate else {
        checks.require("link.errors.curve.kind", "coded", false, "that only with link.rate.kind \"mcs\"");
        return;
    };
    let path = "link.errors.curve.betas";
    let (count, schemes) = (curve.betas.len(), rates.bits_per_symbol.len());
    checks.require(path, count, count == 0 || count == schemes, "one for each scheme, or none");
    checks.require(path, count, count == 0 || curve.effective == EffectiveMargin::Eesm, "none but with eesm");
}
