//! The declarations of all tables and drop reasons as JSON, from which results' pages and Python's tables are generated.

use airlink_model::types::DropReason;
use serde::Serialize;

use super::about::AboutTable;
use super::summary::about_tables;

/// The declarations of every table and of the reasons for which packets are dropped, as JSON.
pub fn declarations() -> String {
    let reason = |reason: DropReason| AboutReason {
        name: reason.name(),
        fate: reason.fate(),
        label: reason.label(),
        meaning: reason.meaning(),
    };
    let all = Declarations { tables: about_tables(), drop_reasons: DropReason::ALL.map(reason) };
    serde_json::to_string(&all).expect("names and texts are JSON")
}

#[derive(Serialize)]
struct Declarations {
    tables: Vec<AboutTable>,
    drop_reasons: [AboutReason; DropReason::ALL.len()],
}

#[derive(Serialize)]
struct AboutReason {
    name: &'static str,
    fate: u8,
    label: &'static str,
    meaning: &'static str,
}
