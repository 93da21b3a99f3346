//! One run with Python code in it, in the thread that asks for it.

use std::path::PathBuf;
use std::sync::Arc;

use airlink_sim::{Captures, Simulation};
use pyo3::exceptions::{PyIndexError, PyMemoryError};
use pyo3::prelude::*;

use crate::memory;
use crate::own::{Failure, Own};
use crate::stream::{Scenarios, item, kind_of};

/// User-slots between two looks at signals and memory.
const USER_SLOTS_BETWEEN_LOOKS: usize = 1 << 14;

/// Runs the scenario at `index` with `seed` and the user's code; `(0, seed, cell, recording, capture error)`.
///
/// The interpreter is held all the time: what the user's code raises comes out as soon as its step is over.
#[pyfunction]
#[pyo3(signature = (scenarios, index, seed, record, own, capture=None, snap=None))]
#[expect(clippy::too_many_arguments, reason = "Python's arguments")]
pub(crate) fn run_own(
    py: Python<'_>,
    scenarios: &Scenarios,
    index: usize,
    seed: u64,
    record: Vec<String>,
    own: Own,
    capture: Option<PathBuf>,
    snap: Option<u32>,
) -> PyResult<Py<PyAny>> {
    let prepared = scenarios.get(index).ok_or_else(|| PyIndexError::new_err(index))?;
    let record: Vec<_> = record.iter().map(|name| kind_of(name)).collect::<PyResult<_>>()?;
    let failure = Arc::new(Failure::new(seed));
    let components = own.components(py, &failure)?;
    let scenario = &prepared.scenario;
    let mut simulation = Simulation::with_components(scenario, &prepared.traces, seed, &record, &components);
    if let Some(folder) = capture {
        simulation = simulation.with_captures(&Captures { folder, snap }, scenario, seed);
    }
    let steps_between_looks = (USER_SLOTS_BETWEEN_LOOKS / scenario.users / simulation.events_a_step()).max(1);
    while !simulation.is_finished() && !failure.is_set() {
        for _ in 0..steps_between_looks {
            simulation.step();
            if failure.is_set() {
                break;
            }
        }
        py.check_signals()?;
        if memory::is_short() {
            return Err(PyMemoryError::new_err("memory was about to run out"));
        }
        simulation.flush_captures();
    }
    if let Some(error) = failure.take() {
        return Err(error);
    }
    let replica = simulation.into_replica_unless(seed, &|| failure.is_set());
    match (failure.take(), replica) {
        (None, Some(replica)) => item(py, 0, replica),
        (Some(error), _) => Err(error),
        (None, None) => unreachable!("only a failure ends it"),
    }
}
