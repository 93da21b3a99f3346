//! Streams of finished runs: Python waits for them, for Ctrl-C too, with the interpreter free for others.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use airlink_sim::batch::{Batch, ComponentsOf, Ending, Job, Prepared, Stream as Runs, Taken, stream};
use airlink_sim::{CaptureError, Captures, Problem, RecordKind, Replica, Scenario, Trace};
use pyo3::exceptions::{PyRuntimeError, PyStopIteration, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyRange};

use crate::ScenarioError;
use crate::arrays::{first_row, reals};
use crate::memory;
use crate::own::Compiled;
use crate::recording::Recording;

/// How long one call waits; signals are looked at after it.
const POLL: Duration = Duration::from_millis(100);

/// So long compiled code of the user's may take to come back once its run is to end.
const PATIENCE: Duration = Duration::from_millis(700);

/// Scenarios that the engine has read and checked.
#[pyclass(frozen, module = "airlink._rust")]
pub(crate) struct Scenarios(Arc<[Prepared]>);

impl Scenarios {
    /// The scenario at `index`.
    pub(crate) fn get(&self, index: usize) -> Option<&Prepared> {
        self.0.get(index)
    }
}

#[pymethods]
impl Scenarios {
    /// `texts` are JSON with every field; `traces` holds, for each, a dictionary with the lists of arrays `times_s` and
    /// `values`, or an empty one.
    #[new]
    fn new(py: Python<'_>, texts: Vec<String>, traces: Vec<Bound<'_, PyDict>>) -> PyResult<Self> {
        if texts.len() != traces.len() {
            return Err(PyValueError::new_err("as many traces as scenarios are needed"));
        }
        let of = |(text, arrays): (&String, &Bound<'_, PyDict>)| {
            let traces = traces_of(arrays)?;
            let scenario = Scenario::from_json(text).map_err(|problems| refusal(py, &problems))?;
            scenario.check_traces(&traces).map_err(|problems| refusal(py, &problems))?;
            Ok(Prepared { scenario, traces })
        };
        Ok(Self(texts.iter().zip(&traces).map(of).collect::<PyResult<_>>()?))
    }
}

impl Scenarios {
    /// The first of them.
    pub(crate) fn first(&self) -> Arc<Prepared> {
        Arc::new(self.0[0].clone())
    }
}

/// Finished runs, in the order in which they end. No lock is held while Python runs: the handler of a signal may close
/// the stream.
#[pyclass(frozen, module = "airlink._rust")]
pub(crate) struct Stream {
    open: Mutex<Option<Open>>,
    /// What was taken when a signal came.
    kept: Mutex<Option<Py<PyAny>>>,
    ending: Arc<Ending>,
    process: u32,
    /// Whether compiled code of the user's runs, which nothing can end; and when it was asked to end.
    may_hang: bool,
    ended_at: Mutex<Option<Instant>>,
}

struct Open {
    runs: Runs,
    /// Free once nothing runs any more: what had finished is stored then.
    _reserve: Vec<u8>,
}

#[pymethods]
impl Stream {
    /// Begins to run every scenario with every one of `seeds`, a range or a list, on so many threads.
    ///
    /// `record` names kinds of series. Packets are captured in the folder `capture`, which exists, with `snap` bytes of
    /// each (`None`: headers only). `compiled` has, for each scenario, the addresses of the user's functions.
    #[new]
    #[pyo3(signature = (scenarios, seeds, record, threads, capture=None, snap=None, compiled=None))]
    fn new(
        scenarios: &Scenarios,
        seeds: Seeds,
        record: Vec<String>,
        threads: usize,
        capture: Option<PathBuf>,
        snap: Option<u32>,
        compiled: Option<Vec<Compiled>>,
    ) -> PyResult<Self> {
        let may_hang = compiled.is_some();
        let components = compiled.unwrap_or_default().into_iter().map(components_of).collect();
        let record = record.iter().map(|name| kind_of(name)).collect::<PyResult<_>>()?;
        let captures = capture.map(|folder| Captures { folder, snap });
        let prepared = Arc::clone(&scenarios.0);
        let jobs = seeds.jobs(prepared.len());
        let reserve = memory::reserve();
        let runs = stream(
            Batch { record, captures, components, is_memory_short: memory::is_short, ..Batch::new(prepared) },
            jobs,
            threads,
        )
        .map_err(PyRuntimeError::new_err)?;
        let ending = Arc::clone(runs.ending());
        let open = Mutex::new(Some(Open { runs, _reserve: reserve }));
        let process = std::process::id();
        Ok(Self { open, kept: Mutex::default(), ending, process, may_hang, ended_at: Mutex::default() })
    }

    /// `(index, seed, cell, recording, capture error)` of the next run that ends; `None` if none did for a tenth of a
    /// second; `StopIteration` after the last. An index is that of a scenario times the number of seeds, plus that of a
    /// seed. A capture that could not be written is `(errno, message, file)`.
    ///
    /// A signal's exception takes nothing away: what has finished meanwhile comes with the next call.
    fn take(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let kept = of(&self.kept).take();
        let found = match kept {
            Some(kept) => Some(kept),
            None => match py.detach(|| self.taken()) {
                Taken::Finished(index, replica) => Some(item(py, index, *replica)?),
                Taken::Waiting => None,
                Taken::Ended => return Err(PyStopIteration::new_err(())),
                Taken::Failed => return Err(PyRuntimeError::new_err("a run failed its own checks; see above")),
            },
        };
        if let Err(signal) = py.check_signals() {
            *of(&self.kept) = found;
            return Err(signal);
        }
        Ok(found)
    }

    /// Ends the runs in hand; those that have finished can still be taken.
    fn cancel(&self) {
        of(&self.ended_at).get_or_insert_with(Instant::now);
        self.ending.cancel();
    }

    /// Ends the runs in hand and their threads, and forgets what has finished.
    fn close(&self, py: Python<'_>) {
        self.cancel();
        let kept = of(&self.kept).take();
        drop(kept);
        py.detach(|| {
            while self.may_hang && matches!(self.taken(), Taken::Finished(..) | Taken::Waiting) {}
            drop(of(&self.open).take());
        });
    }

    /// Whether memory was the reason for an end.
    fn is_out_of_memory(&self) -> bool {
        self.ending.is_out_of_memory()
    }
}

impl Stream {
    fn taken(&self) -> Taken {
        let mut open = of(&self.open);
        let taken = open.as_mut().map_or(Taken::Ended, |open| open.runs.wait(POLL));
        let is_late = || of(&self.ended_at).is_some_and(|at| at.elapsed() > PATIENCE);
        if self.may_hang && matches!(taken, Taken::Waiting) && is_late() {
            // The threads are left to themselves: compiled code does not come back.
            std::mem::forget(open.take());
            return Taken::Ended;
        }
        if matches!(taken, Taken::Ended | Taken::Failed) {
            *open = None;
        }
        taken
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // A child process has a copy of the stream, but none of its threads: it would wait for them forever.
        if std::process::id() != self.process
            && let Ok(open) = self.open.get_mut()
        {
            std::mem::forget(open.take());
        }
    }
}

/// What makes the parts of a run of compiled code.
fn components_of(compiled: Compiled) -> Option<ComponentsOf> {
    Some(Arc::new(move |seed| compiled.components(seed)))
}

/// What a mutex holds; a panic elsewhere leaves it whole.
fn of<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What Python calls seeds: a range is not written out.
pub(crate) enum Seeds {
    Range { first: u64, step: i64, count: usize },
    List(Vec<u64>),
}

impl<'py> FromPyObject<'_, 'py> for Seeds {
    type Error = PyErr;

    fn extract(seeds: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if seeds.cast::<PyRange>().is_err() {
            return Ok(Self::List(seeds.extract()?));
        }
        let (count, step) = (seeds.len()?, seeds.getattr("step")?.extract()?);
        Ok(Self::Range { first: seeds.getattr("start")?.extract()?, step, count })
    }
}

impl Seeds {
    /// Every scenario with every seed.
    fn jobs(self, scenarios: usize) -> impl ExactSizeIterator<Item = Job> + Send + 'static {
        let count = match &self {
            Self::Range { count, .. } => *count,
            Self::List(seeds) => seeds.len(),
        };
        let seed = move |place: usize| match &self {
            Self::Range { first, step, .. } => first.wrapping_add_signed(step.wrapping_mul(place as i64)),
            Self::List(seeds) => seeds[place],
        };
        (0..scenarios * count).map(move |index| Job { scenario: index / count, seed: seed(index % count) })
    }
}

pub(crate) fn item(py: Python<'_>, index: usize, mut replica: Replica) -> PyResult<Py<PyAny>> {
    let cell = replica.tables.get("cell").map(|table| first_row(py, table)).transpose()?;
    let failure = replica.capture_error.take().map(|CaptureError { number, message, path }| (number, message, path));
    Ok((index, replica.seed, cell, Recording::new(replica), failure).into_pyobject(py)?.into_any().unbind())
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

pub(crate) fn kind_of(name: &str) -> PyResult<RecordKind> {
    let known = RecordKind::ALL.map(RecordKind::name).join(", ");
    RecordKind::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("nothing to record is called {name:?}: {known}")))
}
