//! Tables to NumPy arrays and back.

use airlink_sim::{Column, Columns, Table};
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// A table as a dictionary of read-only arrays by column; columns that are made here are not copied.
pub(crate) fn to_python<'py>(py: Python<'py>, table: &impl Columns) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (index, name) in table.names().into_iter().enumerate() {
        columns.set_item(PyString::intern(py, name), array(py, py.detach(|| table.column(index)).into_owned()))?;
    }
    Ok(columns)
}

fn array(py: Python<'_>, column: Column) -> Bound<'_, PyAny> {
    match column {
        Column::Real(values) => read_only(py, values),
        Column::Whole(values) => read_only(py, values),
    }
}

fn read_only<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyAny> {
    let array = values.into_pyarray(py);
    drop(array.readwrite().make_nonwriteable());
    array.into_any()
}

/// A table of one row as a dictionary of numbers by column.
pub(crate) fn first_row<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in table.columns() {
        match column {
            Column::Real(values) => columns.set_item(PyString::intern(py, name), values.first())?,
            Column::Whole(values) => columns.set_item(PyString::intern(py, name), values.first())?,
        }
    }
    Ok(columns)
}

/// Real numbers from an array of Python's.
pub(crate) fn reals(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    Ok(array.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec())
}

/// A table from a dictionary of arrays by column.
pub(crate) fn from_python(columns: &Bound<'_, PyDict>) -> PyResult<Table> {
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
