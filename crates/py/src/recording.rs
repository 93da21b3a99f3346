//! What a run recorded, as Python holds it: rows as they came, until somebody looks.

use airlink_sim::Replica;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::to_python;

/// The series of one run and the digest of all its numbers, each made when it is asked for.
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
    /// The kinds of series that were recorded.
    fn kinds(&self) -> Vec<&str> {
        self.replica.series.keys().map(String::as_str).collect()
    }

    /// New arrays by column.
    fn columns<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyDict>> {
        let recorded = self.replica.series.get(kind).ok_or_else(|| PyKeyError::new_err(kind.to_owned()))?;
        to_python(py, recorded)
    }

    /// The digest of every number that was recorded.
    fn digest(&self, py: Python<'_>) -> String {
        py.detach(|| self.replica.digest())
    }
}
