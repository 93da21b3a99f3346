//! The results of one run.

use std::collections::BTreeMap;

use crate::capture::CaptureError;
use crate::record::Recorded;
use crate::table::{Columns, Table, digest};

/// The results of one run.
#[derive(Clone, Debug)]
pub struct Replica {
    /// Its seed.
    pub seed: u64,
    /// `users`, `flows`, `cell`.
    pub tables: BTreeMap<String, Table>,
    /// By kind, those that were recorded.
    pub series: BTreeMap<String, Recorded>,
    /// What ended its captures early.
    pub capture_error: Option<CaptureError>,
}

impl Replica {
    /// Bytes of memory that its numbers take.
    pub fn bytes(&self) -> usize {
        let columns = self.tables.values().flat_map(Table::columns);
        columns.map(|(_, column)| 8 * column.len()).sum::<usize>()
            + self.series.values().map(Recorded::bytes).sum::<usize>()
    }

    /// The digest of every number that was recorded.
    pub fn digest(&self) -> String {
        let tables = self.tables.iter().map(|(name, table)| (name.as_str(), table as &dyn Columns));
        let series = self.series.iter().map(|(name, recorded)| (name.as_str(), recorded as &dyn Columns));
        digest(&tables.chain(series).collect())
    }
}
