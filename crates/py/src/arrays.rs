//! Tables to NumPy arrays and back.

use std::collections::BTreeMap;

use airlink_sim::{Column, Columns, Table};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// A table as a dictionary of arrays by column; columns that are made here are not copied.
pub(crate) fn to_python<'py>(py: Python<'py>, table: &(impl Columns + Sync)) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (index, name) in table.names().into_iter().enumerate() {
        match py.detach(|| table.column(index)).into_owned() {
            Column::Real(values) => columns.set_item(name, values.into_pyarray(py))?,
            Column::Whole(values) => columns.set_item(name, values.into_pyarray(py))?,
        }
    }
    Ok(columns)
}

/// A table of one row as a dictionary of numbers by column.
pub(crate) fn first_row<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in table.columns() {
        match column {
            Column::Real(values) => columns.set_item(name, values.first())?,
            Column::Whole(values) => columns.set_item(name, values.first())?,
        }
    }
    Ok(columns)
}

/// Real numbers from an array of Python's.
pub(crate) fn reals(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    Ok(array.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec())
}

/// The digest of stored tables: dictionaries, by name, of arrays by column.
#[pyfunction]
pub(crate) fn digest(tables: BTreeMap<String, Bound<'_, PyDict>>) -> PyResult<String> {
    let mut converted = BTreeMap::new();
    for (name, columns) in tables {
        converted.insert(name, from_python(&columns)?);
    }
    let by_name = converted.iter().map(|(name, table)| (name.as_str(), table as &dyn Columns)).collect();
    Ok(airlink_sim::digest(&by_name))
}

fn from_python(columns: &Bound<'_, PyDict>) -> PyResult<Table> {
    let mut table = Table::default();
    for (name, array) in columns {
        let name = name.cast::<PyString>()?.to_cow()?.into_owned();
        if let Ok(values) = array.cast::<PyArray1<f64>>() {
            table.real(&name, values.readonly().as_array().to_vec());
        } else if let Ok(values) = array.cast::<PyArray1<i64>>() {
            table.whole(&name, values.readonly().as_array().to_vec());
        } else {
            return Err(PyTypeError::new_err(format!("column {name} is neither float64 nor int64 in one dimension")));
        }
    }
    Ok(table)
}
