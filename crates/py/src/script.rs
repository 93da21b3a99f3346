//! Plays a script to one end of a connection.

use airlink_sim::Problem;
use airlink_sim::script::{Mistake, Side, Unplayable, play};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::jobs::refusal;

/// Plays `text` and returns `None`, or `(line, expected, came)` of the first line that did not hold.
///
/// `side` is "sender" or "receiver"; `tcp` is JSON with every field; the first line of `text` has number `first_line`.
#[pyfunction]
#[pyo3(signature = (side, tcp, text, first_line))]
pub(crate) fn play_script(
    py: Python<'_>,
    side: &str,
    tcp: &str,
    text: &str,
    first_line: usize,
) -> PyResult<Option<(usize, String, String)>> {
    let side = match side {
        "sender" => Side::Sender,
        "receiver" => Side::Receiver,
        other => return Err(PyValueError::new_err(format!("there is no side {other:?}"))),
    };
    match play(side, tcp, text, first_line) {
        Ok(difference) => Ok(difference.map(|found| (found.line, found.expected, found.came))),
        Err(Unplayable::Fields(problems)) => Err(refusal(py, &problems)),
        Err(Unplayable::Lines(mistakes)) => {
            let problem =
                |mistake: Mistake| Problem { path: format!("line {}", mistake.line), message: mistake.message };
            Err(refusal(py, &mistakes.into_iter().map(problem).collect::<Vec<_>>()))
        }
    }
}
