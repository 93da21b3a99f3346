//! Code blocks: what is one, which are lost, how often and when they go again.

use std::sync::Arc;

use airlink_model::link::{BlockErrorModel, Combining};
use airlink_model::rlc::{CodedUnit, HarqConfig};

use super::rates;
use crate::scenario::{self, Count, ErrorCurve, Harq, HarqKind, Link, RateRule};

/// Which code blocks are lost, if a user's slot is cut into such.
pub(super) fn errors(link: &Link) -> Option<Arc<BlockErrorModel>> {
    let combining = match link.harq.kind {
        HarqKind::None => Combining::None,
        HarqKind::Chase => Combining::Chase,
        HarqKind::IncrementalRedundancy => Combining::IncrementalRedundancy,
    };
    let thresholds_db = || rates::thresholds_db(&link.rate);
    let model = || match (&link.errors.curve, &link.rate) {
        (ErrorCurve::Coded { .. }, RateRule::Mcs(rates)) => {
            let mapping = rates::mapping(link).expect("there is a coded curve");
            BlockErrorModel::coded(rates::coded_rows(rates), mapping, combining)
        }
        (ErrorCurve::Logistic { slope_per_db, offset_db }, _) => {
            let thresholds_db = thresholds_db().expect("the scenario was checked: a curve has thresholds");
            BlockErrorModel::logistic(*slope_per_db, *offset_db, thresholds_db, combining)
        }
        (ErrorCurve::None {} | ErrorCurve::Coded { .. }, _) => {
            // As the table of rates compares them: a report exactly at a threshold has no margin, not less.
            let thresholds_db = thresholds_db().filter(|_| link.errors.threshold_rule);
            BlockErrorModel::constant(link.errors.probability, thresholds_db, combining)
        }
    };
    link.has_code_blocks().then(model).map(Arc::new)
}

/// What is a code block and how often and when it is sent again.
pub(super) fn harq(harq: &Harq) -> HarqConfig {
    let unit = match harq.unit {
        scenario::CodedUnit::Pdu => CodedUnit::Pdu,
        scenario::CodedUnit::Block => CodedUnit::Block,
    };
    let count = |count: Count| u32::try_from(count.0).unwrap_or(u32::MAX);
    match harq.kind {
        HarqKind::None => HarqConfig { unit, ..HarqConfig::NONE },
        HarqKind::Chase | HarqKind::IncrementalRedundancy => HarqConfig {
            unit,
            max_retransmissions: count(harq.max_retransmissions),
            round_trip_slots: harq.round_trip_slots,
            processes: count(harq.processes),
        },
    }
}
