//! The series of a run, as Python holds them: rows as they came, until somebody looks.

use std::collections::BTreeMap;

use airlink_sim::{Columns, Recorded};
use pyo3::exceptions::{PyKeyError, PyMemoryError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{columns_to_python, from_python};

/// The series of one run, the columns of each made when they are asked for.
#[pyclass(frozen, module = "airlink._rust")]
pub(crate) struct Recording {
    series: BTreeMap<String, Recorded>,
}

impl Recording {
    pub(crate) fn new(series: BTreeMap<String, Recorded>) -> Self {
        Self { series }
    }

    pub(crate) fn columns_by_kind(&self) -> impl Iterator<Item = (&str, &dyn Columns)> {
        self.series.iter().map(|(kind, recorded)| (kind.as_str(), recorded as &dyn Columns))
    }
}

#[pymethods]
impl Recording {
    /// The kinds of series that were recorded.
    fn kinds(&self) -> Vec<&str> {
        self.series.keys().map(String::as_str).collect()
    }

    /// Rows and bytes of each kind, as they lie in memory.
    fn sizes(&self) -> Vec<(&str, usize, usize)> {
        self.series.iter().map(|(kind, recorded)| (kind.as_str(), recorded.rows(), recorded.bytes())).collect()
    }

    /// New arrays by column; `MemoryError` if there is no room for them.
    fn columns<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyDict>> {
        let recorded = self.series.get(kind).ok_or_else(|| PyKeyError::new_err(kind.to_owned()))?;
        let numbers = recorded.rows() * recorded.names().len();
        Vec::<f64>::new().try_reserve_exact(numbers).map_err(|_| {
            PyMemoryError::new_err(format!("the columns of {kind} need {:.1} GB", numbers as f64 * 8e-9))
        })?;
        columns_to_python(py, recorded)
    }
}

/// The digest of tables (dictionaries, by name, of arrays by column) and of what was recorded beside them.
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
    let series = recording.into_iter().flat_map(Recording::columns_by_kind);
    let by_name = tables.chain(series).collect();
    Ok(py.detach(|| airlink_sim::digest(&by_name)))
}
