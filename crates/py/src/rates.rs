//! The table of rates of a scenario.

use airlink_sim::Scenario;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::to_python;
use crate::stream::refusal;

/// Columns of the table by which rates are chosen in `scenario`, which is JSON; `None` where they come from no table.
#[pyfunction]
pub(crate) fn rate_table<'py>(py: Python<'py>, scenario: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
    let scenario = Scenario::from_json(scenario).map_err(|problems| refusal(py, &problems))?;
    let table = scenario.radio().and_then(|radio| airlink_sim::rate_table(&radio.link));
    table.map(|table| to_python(py, &table)).transpose()
}
