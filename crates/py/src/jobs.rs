//! Runs jobs on threads of their own while this one waits for them, for progress and for Ctrl-C.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use airlink_sim::batch::{Job, Prepared, Progress, run_jobs as run_batch};
use airlink_sim::{CaptureError, Captures, Problem, RecordKind, Replica, Scenario, Trace};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::ScenarioError;
use crate::arrays::{first_row, reals, to_python};
use crate::memory;
use crate::recording::Recording;

/// How often signals are polled and progress is reported.
const POLL: Duration = Duration::from_millis(100);

/// Runs each job `(scenario index, seed)` and returns `(results, interrupted, out of memory, capture errors)`; a job cut
/// short by Ctrl-C or for want of memory is `None`.
///
/// `scenarios` are JSON with every field; `traces` holds, for each, a dictionary with the lists of arrays `times_s` and
/// `values`, or an empty one; `record` names kinds of series; `threads` 0 means one per core; `on_progress` is called
/// with the number of finished jobs. Packets are captured in the folder `capture`, which exists, with `snap` bytes of each
/// (`None`: headers only); a capture that could not be written is reported as `(seed, errno, message, file)`.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // Python's own, most of them by name
#[pyo3(signature = (scenarios, traces, jobs, record, threads, on_progress, capture=None, snap=None))]
pub(crate) fn run_jobs<'py>(
    py: Python<'py>,
    scenarios: Vec<String>,
    traces: Vec<Bound<'py, PyDict>>,
    jobs: Vec<(usize, u64)>,
    record: Vec<String>,
    threads: usize,
    on_progress: Option<Bound<'py, PyAny>>,
    capture: Option<PathBuf>,
    snap: Option<u32>,
) -> PyResult<Outcome<'py>> {
    let prepared = prepare(py, &scenarios, &traces)?;
    let record = record.iter().map(|name| kind_of(name)).collect::<PyResult<Vec<_>>>()?;
    let jobs: Vec<Job> = jobs.into_iter().map(|(scenario, seed)| Job { scenario, seed }).collect();
    if let Some(job) = jobs.iter().find(|job| job.scenario >= prepared.len()) {
        return Err(PyValueError::new_err(format!("there is no scenario {}", job.scenario)));
    }
    let captures = capture.map(|folder| Captures { folder, snap });
    let reserve = memory::reserve();
    let progress = Arc::new(Progress::default());
    let shared = Arc::clone(&progress);
    let worker = std::thread::spawn(move || run_batch(&prepared, &jobs, &record, threads, captures.as_ref(), &shared));
    let mut interruption = None;
    while !worker.is_finished() {
        py.detach(|| wait_for(&worker));
        if memory::is_short() {
            progress.cancel_for_memory();
        }
        if interruption.is_none()
            && let Err(error) = py.check_signals().and_then(|()| report_progress(on_progress.as_ref(), &progress))
        {
            progress.cancel();
            interruption = Some(error);
        }
    }
    drop(reserve);
    let finished = worker.join().map_err(|_| PyRuntimeError::new_err("a run failed its own checks; see above"))?;
    let replicas = finished.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let interrupted = match interruption {
        Some(error) if !error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) => return Err(error),
        interruption => interruption.is_some(),
    };
    if !interrupted {
        report_progress(on_progress.as_ref(), &progress)?;
    }
    let results = PyList::empty(py);
    let errors = replicas.iter().flatten().filter_map(capture_failure).collect();
    for replica in replicas {
        results.append(replica.map(|replica| result_of(py, replica)).transpose()?)?;
    }
    Ok((results, interrupted, progress.is_out_of_memory(), errors))
}

/// Each job's result, whether Ctrl-C or memory cut some short, and whose captures ended early.
type Outcome<'py> = (Bound<'py, PyList>, bool, bool, Vec<Failure>);

/// A replica's seed, and the number, words and file of what ended its captures.
type Failure = (u64, i32, String, String);

fn capture_failure(replica: &Replica) -> Option<Failure> {
    let CaptureError { number, message, path } = replica.capture_error.clone()?;
    Some((replica.seed, number, message, path.to_string_lossy().into_owned()))
}

/// Waits until the worker is done, but not longer than one poll.
fn wait_for<T>(worker: &std::thread::JoinHandle<T>) {
    let mut waited = Duration::ZERO;
    let step = Duration::from_millis(1);
    while waited < POLL && !worker.is_finished() {
        std::thread::sleep(step);
        waited += step;
    }
}

fn report_progress(on_progress: Option<&Bound<'_, PyAny>>, progress: &Progress) -> PyResult<()> {
    on_progress.map_or(Ok(()), |callback| callback.call1((progress.finished(),)).map(|_| ()))
}

fn prepare(py: Python<'_>, scenarios: &[String], traces: &[Bound<'_, PyDict>]) -> PyResult<Vec<Prepared>> {
    if scenarios.len() != traces.len() {
        return Err(PyValueError::new_err("as many traces as scenarios are needed"));
    }
    let of = |(text, arrays): (&String, &Bound<'_, PyDict>)| {
        let traces = traces_of(arrays)?;
        let scenario = Scenario::from_json(text).map_err(|problems| refusal(py, &problems))?;
        scenario.check_traces(&traces).map_err(|problems| refusal(py, &problems))?;
        Ok(Prepared { scenario, traces })
    };
    scenarios.iter().zip(traces).map(of).collect()
}

pub(crate) fn refusal(py: Python<'_>, problems: &[Problem]) -> PyErr {
    let pairs: Vec<(String, String)> =
        problems.iter().map(|problem| (problem.path.clone(), problem.message.clone())).collect();
    let error = ScenarioError::new_err((pairs.clone(),));
    match error.value(py).setattr("problems", pairs) {
        Ok(()) => error,
        Err(other) => other,
    }
}

fn traces_of(arrays: &Bound<'_, PyDict>) -> PyResult<Vec<Trace>> {
    let (Some(times), Some(values)) = (arrays.get_item("times_s")?, arrays.get_item("values")?) else {
        return Ok(Vec::new());
    };
    let pairs = times.try_iter()?.zip(values.try_iter()?);
    pairs.map(|(times, values)| Ok(Trace { times_s: reals(&times?)?, values: reals(&values?)? })).collect()
}

fn kind_of(name: &str) -> PyResult<RecordKind> {
    let known = RecordKind::ALL.map(RecordKind::name).join(", ");
    RecordKind::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("nothing to record is called {name:?}: {known}")))
}

fn result_of(py: Python<'_>, replica: Replica) -> PyResult<Bound<'_, PyDict>> {
    let result = PyDict::new(py);
    result.set_item("seed", replica.seed)?;
    for (name, table) in &replica.tables {
        let columns = if name == "cell" { first_row(py, table)? } else { to_python(py, table)? };
        result.set_item(name, columns)?;
    }
    result.set_item("recording", Recording::new(replica))?;
    Ok(result)
}
