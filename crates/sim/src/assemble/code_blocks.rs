//! Which code blocks are lost.

use std::sync::Arc;

use airlink_model::link::{BlockErrorModel, ErrorCurve, ErrorTable, Mapping, RateConfig};

use super::rates;
use crate::scenario::Link;

/// Which code blocks are lost, if a user's slot is cut into such.
pub(super) fn errors(link: &Link) -> Option<Arc<BlockErrorModel>> {
    let combining = link.harq.combining;
    let thresholds_db = || rates::thresholds_db(&link.rate);
    let model = || match (&link.errors.curve, &link.rate) {
        (ErrorCurve::Coded(curve), RateConfig::Mcs(rates)) => {
            let rows = rates.rows();
            let mapping = Mapping::of(curve, &rows, rates);
            BlockErrorModel::coded(rows, mapping, combining)
        }
        (ErrorCurve::Logistic(curve), _) => {
            let thresholds_db = thresholds_db().expect("the scenario was checked: a curve has thresholds");
            BlockErrorModel::logistic(*curve, thresholds_db, combining)
        }
        (ErrorCurve::Table(config), rate) => {
            let table = ErrorTable::new(config, rate.schemes()).expect("the scenario was checked");
            let thresholds_db = thresholds_db().expect("the scenario was checked: a table has schemes");
            BlockErrorModel::table(table, rates::schemes(rate), thresholds_db, combining)
        }
        (ErrorCurve::None | ErrorCurve::Coded(_), _) => {
            // As the table of rates compares them: a report exactly at a threshold has no margin, not less.
            let thresholds_db = thresholds_db().filter(|_| link.errors.threshold_rule);
            BlockErrorModel::constant(link.errors.probability, thresholds_db, combining)
        }
    };
    link.has_code_blocks().then(model).map(Arc::new)
}
