//! What a run recorded, as Python holds it: rows as they came, until somebody looks.

use airlink_sim::{Columns, Replica};
use pyo3::exceptions::{PyKeyError, PyMemoryError};
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

    /// The digest of every number that was recorded.
    fn digest(&self, py: Python<'_>) -> String {
        py.detach(|| self.replica.digest())
    }
}
