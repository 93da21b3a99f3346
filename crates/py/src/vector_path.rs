//! How wide the engine's loops run: a choice of the process.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Takes "portable" or "avx2" for runs from now on; "" leaves it to the CPU. Raises `ValueError` for what is neither, or
/// not possible on this CPU.
#[pyfunction]
pub(crate) fn choose_vector_path(name: &str) -> PyResult<()> {
    airlink_sim::choose_vector_path(name).map_err(PyValueError::new_err)
}

/// "portable" or "avx2".
#[pyfunction]
pub(crate) fn vector_path() -> &'static str {
    airlink_sim::vector_path()
}
