//! Code blocks: what is one, which are lost, how often and when they go again.

use std::sync::Arc;

use airlink_model::link::{BlockErrorModel, Combining};
use airlink_model::rlc::{CodedUnit, HarqConfig};

use crate::scenario::{self, Count, ErrorCurve, Harq, HarqKind, Link, RateRule};

/// Which code blocks are lost, if a user's slot is cut into such.
pub(super) fn errors(link: &Link) -> Option<Arc<BlockErrorModel>> {
    let thresholds_db = match &link.rate {
        // In single precision, as the table of rates compares them: a report exactly at a threshold has no margin, not less.
        RateRule::Table { thresholds_db, .. } => {
            Some(thresholds_db.iter().map(|&threshold_db| f64::from(threshold_db as f32)).collect())
        }
        _ => None,
    };
    let combining = match link.harq.kind {
        HarqKind::None => Combining::None,
        HarqKind::Chase => Combining::Chase,
    };
    let model = || match link.errors.curve {
        ErrorCurve::None {} => {
            let thresholds_db = thresholds_db.filter(|_| link.errors.threshold_rule);
            BlockErrorModel::constant(link.errors.probability, thresholds_db, combining)
        }
        ErrorCurve::Logistic { slope_per_db, offset_db } => {
            let thresholds_db = thresholds_db.expect("the scenario was checked: a curve has a table of rates");
            BlockErrorModel::logistic(slope_per_db, offset_db, thresholds_db, combining)
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
        HarqKind::Chase => HarqConfig {
            unit,
            max_retransmissions: count(harq.max_retransmissions),
            round_trip_slots: harq.round_trip_slots,
            processes: count(harq.processes),
        },
    }
}
