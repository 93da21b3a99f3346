//! Plays a script to one end of a connection.

use airlink_sim::Problem;
use airlink_sim::script::{Mistake, Side, Unplayable, answers, play};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::stream::refusal;

/// Plays `text` and returns `None`, or `(line, expected, came)` of the first line that did not hold.
///
/// `side` is "sender", "receiver" or "endpoint"; `tcp` is JSON with every field; the first line of `text` has number `first_line`.
#[pyfunction]
#[pyo3(signature = (side, tcp, text, first_line))]
pub(crate) fn play_script(
    py: Python<'_>,
    side: &str,
    tcp: &str,
    text: &str,
    first_line: usize,
) -> PyResult<Option<(usize, String, String)>> {
    let difference = play(side_named(side)?, tcp, text, first_line).map_err(|reason| refused(py, reason))?;
    Ok(difference.map(|found| (found.line, found.expected, found.came)))
}

/// What comes out or is shown when the inputs of `text` go in, whatever it expects: `(nanoseconds, words)` of each.
#[pyfunction]
#[pyo3(signature = (side, tcp, text, first_line))]
pub(crate) fn answer_script(
    py: Python<'_>,
    side: &str,
    tcp: &str,
    text: &str,
    first_line: usize,
) -> PyResult<Vec<(u64, String)>> {
    answers(side_named(side)?, tcp, text, first_line).map_err(|reason| refused(py, reason))
}

fn side_named(name: &str) -> PyResult<Side> {
    match name {
        "sender" => Ok(Side::Sender),
        "receiver" => Ok(Side::Receiver),
        "endpoint" => Ok(Side::Endpoint),
        other => Err(PyValueError::new_err(format!("there is no side {other:?}"))),
    }
}

fn refused(py: Python<'_>, reason: Unplayable) -> PyErr {
    match reason {
        Unplayable::Fields(problems) => refusal(py, &problems),
        Unplayable::Lines(mistakes) => {
            let problem =
                |mistake: Mistake| Problem { path: format!("line {}", mistake.line), message: mistake.message };
            refusal(py, &mistakes.into_iter().map(problem).collect::<Vec<_>>())
        }
    }
}
