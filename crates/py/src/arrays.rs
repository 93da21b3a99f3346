//! Tables to NumPy arrays and back.

use airlink_sim::{Column, Columns, Table};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Columns that are made one by one, as a dictionary of arrays.
pub(crate) fn columns_to_python<'py>(py: Python<'py>, made: &impl Columns) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    for (index, name) in made.names().into_iter().enumerate() {
        columns.set_item(name, array(py, py.detach(|| made.column(index)).into_owned()))?;
    }
    Ok(columns)
}

/// A table as a dictionary of arrays by column, which are not copied.
pub(crate) fn table_to_python(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let columns = PyDict::new(py);
    for (name, column) in table.into_columns() {
        columns.set_item(name, array(py, column))?;
    }
    Ok(columns)
}

fn array(py: Python<'_>, column: Column) -> Bound<'_, PyAny> {
    match column {
        Column::Real(values) => values.into_pyarray(py).into_any(),
        Column::Whole(values) => values.into_pyarray(py).into_any(),
    }
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
