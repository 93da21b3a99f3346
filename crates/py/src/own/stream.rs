//! Draws for the user's code, from streams named (seed, own, index).

use airlink_model::types::{Purpose, RandomStream as Draws};
use pyo3::prelude::*;
use pyo3::types::PyAny;

/// The stream of that name, which `Run.stream` of `airlink.own` gives, too.
pub(super) fn own_draws(seed: u64, index: u64) -> Draws {
    Draws::new(seed, Purpose::Own, index)
}

/// Draws in order; a deep copy goes on from where it is.
#[pyclass(module = "airlink._rust")]
#[derive(Clone)]
pub(crate) struct RandomStream(Draws);

#[pymethods]
impl RandomStream {
    /// The stream named (seed, own, index).
    #[new]
    fn new(seed: u64, index: u64) -> Self {
        Self(own_draws(seed, index))
    }

    /// A number from 0 to below 1.
    fn uniform(&mut self) -> f64 {
        self.0.uniform()
    }

    /// A standard normal number.
    fn normal(&mut self) -> f64 {
        self.0.normal()
    }

    /// An exponential number of this mean.
    fn exponential(&mut self, mean: f64) -> f64 {
        self.0.exponential(mean)
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }
}
