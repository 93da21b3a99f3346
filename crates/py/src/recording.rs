//! What a run recorded, as Python holds it: tables, and rows of series as they came.

use std::collections::BTreeMap;

use airlink_sim::{Columns, Replica};
use pyo3::exceptions::{PyKeyError, PyMemoryError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{from_python, to_python};

/// The tables and series of one run.
#[pyclass(frozen, module = "airlink._rust")]
pub(crate) struct Recording {
    replica: Replica,
}

impl Recording {
    pub(crate) fn new(replica: Replica) -> Self {
        Self { replica }
    }
}

#[pymethods]
impl Recording {
    /// A table as new arrays by column: who keeps one column keeps nothing else of the run.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let table = self.replica.tables.get(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        to_python(py, table)
    }

    /// The kinds of series that were recorded.
    fn kinds(&self) -> Vec<&str> {
        self.replica.series.keys().map(String::as_str).collect()
    }

    /// Rows and bytes of each kind, as they lie in memory.
    fn sizes(&self) -> Vec<(&str, usize, usize)> {
        self.replica.series.iter().map(|(kind, recorded)| (kind.as_str(), recorded.rows(), recorded.bytes())).collect()
    }

    /// New arrays by column; `MemoryError` if there is no room for them.
    fn columns<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyDict>> {
        let recorded = self.replica.series.get(kind).ok_or_else(|| PyKeyError::new_err(kind.to_owned()))?;
        let numbers = recorded.rows() * recorded.names().len();
        Vec::<f64>::new().try_reserve_exact(numbers).map_err(|_| {
            PyMemoryError::new_err(format!("the columns of {kind} need {:.1} GB", numbers as f64 * 8e-9))
        })?;
        to_python(py, recorded)
    }
}

/// The digest of tables (dictionaries, by name, of arrays by column) and of the series of a recording.
#[pyfunction]
#[pyo3(signature = (tables, recording=None))]
pub(crate) fn digest(
    py: Python<'_>,
    tables: BTreeMap<String, Bound<'_, PyDict>>,
    recording: Option<&Recording>,
) -> PyResult<String> {
    let mut converted = BTreeMap::new();
    for (name, columns) in tables {
        converted.insert(name, from_python(&columns)?);
    }
    let tables = converted.iter().map(|(name, table)| (name.as_str(), table as &dyn Columns));
    let series = recording.into_iter().flat_map(|recording| &recording.replica.series);
    let by_name = tables.chain(series.map(|(kind, recorded)| (kind.as_str(), recorded as &dyn Columns))).collect();
    Ok(py.detach(|| airlink_sim::digest(&by_name)))
}
