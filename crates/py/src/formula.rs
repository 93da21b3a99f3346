//! What a formula of a scheduler may be made of, and what is wrong with one.

use airlink_sim::formula::{Formula, formula_names};
use pyo3::prelude::*;

/// Kind, name, unit, what it has a value each for, and meaning of each column, operator, function and constant.
#[pyfunction(name = "formula_names")]
pub(crate) fn names() -> Vec<(&'static str, String, &'static str, &'static str, &'static str)> {
    formula_names().into_iter().map(|each| (each.kind, each.name, each.unit, each.per, each.meaning)).collect()
}

/// What is wrong with a formula, in one sentence; `None` if nothing is.
#[pyfunction]
pub(crate) fn formula_refusal(text: &str) -> Option<String> {
    Formula::refusal(text)
}
