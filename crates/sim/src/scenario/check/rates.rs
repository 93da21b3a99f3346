//! Checks of what rates there are, and of the curve by which code blocks sent at them are lost.

use airlink_model::link::RateTable;

use super::Checks;
use crate::scenario::{EffectiveMargin, ErrorCurve, Errors, HarqKind, Link, McsRates, RateRule};

pub(super) fn check(checks: &mut Checks, link: &Link) {
    match &link.rate {
        RateRule::Table { thresholds_db, rates_bps, .. } => check_table(checks, thresholds_db, rates_bps),
        RateRule::Capacity { bandwidth_hz, gap_db, max_rate_bps } => {
            checks.positive("link.rate.bandwidth_hz", *bandwidth_hz);
            checks.finite("link.rate.gap_db", &[*gap_db]);
            checks.require("link.rate.max_rate_bps", max_rate_bps.0, max_rate_bps.0 > 0.0, "above 0, or \"inf\"");
        }
        RateRule::Mcs(rates) => check_schemes(checks, rates),
        RateRule::Trace {} => {}
    }
    check_curve(checks, link);
    let redundancy = link.harq.kind == HarqKind::IncrementalRedundancy;
    let coded = matches!(link.errors.curve, ErrorCurve::Coded { .. });
    checks.require("link.harq.kind", "incremental_redundancy", coded || !redundancy, "that only with a coded curve");
}

fn check_table(checks: &mut Checks, thresholds_db: &[f64], rates_bps: &[f64]) {
    let (rows, rates) = (thresholds_db.len(), rates_bps.len());
    checks.require("link.rate.thresholds_db", rows, (1..=255).contains(&rows), "1 to 255 rows");
    checks.require("link.rate.rates_bps", rates, rates == rows, "as many as thresholds_db");
    checks.finite("link.rate.thresholds_db", thresholds_db);
    rates_bps.iter().for_each(|rate| checks.positive("link.rate.rates_bps", *rate));
    if let Err(error) = RateTable::new(thresholds_db, rates_bps) {
        let allowed = "both lists strictly increasing, in single precision";
        checks.require("link.rate", format!("{error:?}"), false, allowed);
    }
}

fn check_schemes(checks: &mut Checks, rates: &McsRates) {
    let (schemes, code_rates) = (rates.bits_per_symbol.len(), rates.code_rates.len());
    checks.require("link.rate.bits_per_symbol", schemes, (1..=255).contains(&schemes), "1 to 255 schemes");
    checks.require("link.rate.code_rates", code_rates, code_rates == schemes, "as many as bits_per_symbol");
    for &bits in &rates.bits_per_symbol {
        checks.require("link.rate.bits_per_symbol", bits, matches!(bits, 2 | 4 | 6 | 8), "2, 4, 6 or 8");
    }
    for &rate in &rates.code_rates {
        checks.require("link.rate.code_rates", rate, (0.01..=0.999).contains(&rate), "0.01 to 0.999");
    }
    checks.positive("link.rate.bandwidth_hz", rates.bandwidth_hz);
    let (overhead, gap_db, bits, bler) = (rates.overhead, rates.gap_db, rates.reference_bits, rates.target_bler);
    checks.require("link.rate.overhead", overhead, (0.0..=0.999).contains(&overhead), "0 to 0.999");
    checks.require("link.rate.gap_db", gap_db, (-50.0..=50.0).contains(&gap_db), "-50 to 50");
    checks.require("link.rate.reference_bits", bits, (8.0..=1e7).contains(&bits), "8 to 10000000");
    checks.require("link.rate.target_bler", bler, (1e-9..=0.9).contains(&bler), "1e-9 to 0.9");
}

fn check_curve(checks: &mut Checks, link: &Link) {
    let kind = match &link.errors.curve {
        ErrorCurve::None {} => return,
        ErrorCurve::Logistic { slope_per_db, offset_db } => {
            checks.positive("link.errors.curve.slope_per_db", *slope_per_db);
            checks.finite("link.errors.curve.offset_db", &[*offset_db]);
            let thresholds = link.rate.has_thresholds();
            checks.require("link.errors.curve.kind", "logistic", thresholds, "none where rates have no thresholds");
            "logistic"
        }
        ErrorCurve::Coded { effective, betas } => {
            check_coded(checks, &link.rate, *effective, betas);
            "coded"
        }
    };
    let Errors { probability, threshold_rule, .. } = link.errors;
    let allowed = format!("0 beside a {kind} curve");
    checks.require("link.errors.probability", probability, probability == 0.0, &allowed);
    let allowed = format!("false beside a {kind} curve");
    checks.require("link.errors.threshold_rule", threshold_rule, !threshold_rule, &allowed);
}

fn check_coded(checks: &mut Checks, rate: &RateRule, effective: EffectiveMargin, betas: &[f64]) {
    let RateRule::Mcs(rates) = rate else {
        checks.require("link.errors.curve.kind", "coded", false, "that only with link.rate.kind \"mcs\"");
        return;
    };
    let path = "link.errors.curve.betas";
    betas.iter().for_each(|beta| checks.positive(path, *beta));
    let (count, schemes) = (betas.len(), rates.bits_per_symbol.len());
    let allowed = "one for each scheme, or none";
    checks.require(path, count, count == 0 || count == schemes, allowed);
    checks.require(path, count, count == 0 || effective == EffectiveMargin::Eesm, "none but with eesm");
}
