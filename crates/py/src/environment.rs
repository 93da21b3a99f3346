//! Environments whose steps fill arrays of Python's, with the interpreter free for others.

use std::sync::{Mutex, MutexGuard, PoisonError};

use airlink_sim::Duration;
use airlink_sim::environment::{
    Decision, EnvironmentConfig, Environments as Crew, Invalid, Out, Part, Refusal, Shown, SlotAction, Written,
};
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::recording::Recording;
use crate::stream::{Scenarios, kind_of};

/// What is declared of a part: decision, what it is a part of, name, unit, bounds, what has one each, meaning.
type Declared = (&'static str, &'static str, &'static str, &'static str, f64, f64, &'static str, &'static str);

/// Every part of which observations, actions and rewards are composed, in the order in which the engine numbers them.
#[pyfunction]
pub(crate) fn environment_parts() -> Vec<Declared> {
    let mut parts = Vec::new();
    for decision in Decision::ALL {
        let mut add = |of: &'static str, part: &Part| {
            let Part { name, unit, low, high, of: each, meaning } = *part;
            parts.push((decision.name(), of, name, unit, low, high, each.name(), meaning));
        };
        decision.observations().iter().for_each(|part| add("observation", part));
        decision.actions().iter().for_each(|part| add("action", part));
        decision.rewards().for_each(|part| add("reward", part));
    }
    parts
}

/// What environments are built from, as a dictionary of Python's.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Setting {
    decision: String,
    count: usize,
    threads: usize,
    observation: Vec<(usize, f64, f64)>,
    scaled: bool,
    slot_action: String,
    invalid: String,
    action: Vec<usize>,
    reward: Vec<(usize, f64)>,
    step_s: f64,
    group: usize,
    results: Option<Vec<String>>,
}

impl Setting {
    fn config(&self) -> PyResult<EnvironmentConfig> {
        let results = self.results.as_ref().map(|kinds| kinds.iter().map(|kind| kind_of(kind)).collect());
        Ok(EnvironmentConfig {
            decision: word(&self.decision, Decision::ALL.map(|decision| (decision.name(), decision)))?,
            observation: self.observation.iter().map(|&(part, low, high)| Shown { part, low, high }).collect(),
            scaled: self.scaled,
            slot_action: word(
                &self.slot_action,
                [("user", SlotAction::User), ("priorities", SlotAction::Priorities), ("weights", SlotAction::Weights)],
            )?,
            invalid: word(&self.invalid, [("idle", Invalid::Idle), ("best", Invalid::Best)])?,
            action: self.action.clone(),
            reward: self.reward.clone(),
            step: Duration::from_secs(self.step_s),
            group: self.group,
            results: results.transpose()?,
        })
    }
}

fn word<T: Copy, const COUNT: usize>(word: &str, words: [(&str, T); COUNT]) -> PyResult<T> {
    let found = words.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    found
        .ok_or_else(|| PyValueError::new_err(format!("{word:?} is none of {}", words.map(|(name, _)| name).join(", "))))
}

/// Environments of one scenario, on threads of their own.
#[pyclass(frozen, module = "airlink._rust")]
pub(crate) struct Environments {
    open: Mutex<Option<Crew>>,
    process: u32,
}

/// The arrays that a step fills: observations, masks, rewards, their parts, what has ended.
type Arrays<'py> = (
    Bound<'py, PyAny>,
    PyReadwriteArray2<'py, i8>,
    PyReadwriteArray1<'py, f64>,
    PyReadwriteArray2<'py, f64>,
    PyReadwriteArray1<'py, bool>,
);

/// An episode that has ended: its seed, the numbers of the cell, and what was recorded.
type Finished<'py> = (u64, Option<Bound<'py, PyAny>>, Recording);

#[pymethods]
impl Environments {
    /// Environments of the first of `scenarios`, before their first reset.
    #[new]
    fn new(py: Python<'_>, scenarios: &Scenarios, setting: Setting) -> PyResult<Self> {
        let config = setting.config()?;
        let prepared = scenarios.first();
        let made = py.detach(|| Crew::new(&prepared, &config, setting.count, setting.threads));
        Ok(Self { open: Mutex::new(Some(made.map_err(refused)?)), process: std::process::id() })
    }

    /// How many numbers each environment has: of its observation, action, mask and parts of the reward; what an action is for, and
    /// subchannels.
    fn sizes(&self) -> PyResult<(usize, usize, usize, usize, usize, usize)> {
        let open = self.open();
        let sizes = open.as_ref().ok_or_else(closed)?.sizes();
        Ok((sizes.observation, sizes.action, sizes.mask, sizes.reward, sizes.deciders, sizes.subchannels))
    }

    /// Starts an episode in each, with these seeds, and fills the arrays.
    fn reset(&self, py: Python<'_>, seeds: Vec<u64>, seed_step: u64, arrays: Arrays<'_>) -> PyResult<()> {
        self.fill(py, arrays, |crew, written| crew.reset(&seeds, seed_step, written)).map(|_| ())
    }

    /// Takes a row of `actions` in each, and fills the arrays; or changes nothing and returns the place of a number that is not allowed.
    fn step(&self, py: Python<'_>, actions: PyReadonlyArray2<'_, f64>, arrays: Arrays<'_>) -> PyResult<Option<usize>> {
        let actions = actions.as_slice().map_err(|_| PyTypeError::new_err("actions are not contiguous"))?;
        self.fill(py, arrays, |crew, written| crew.step(actions, written))
    }

    /// The seed of each environment's episode.
    fn seeds(&self) -> PyResult<Vec<u64>> {
        Ok(self.open().as_ref().ok_or_else(closed)?.seeds())
    }

    /// Seed, numbers of the cell and recording of the episode that each ended last, once; `None` without one.
    fn take_results<'py>(&self, py: Python<'py>) -> PyResult<Vec<Option<Finished<'py>>>> {
        let results = self.open().as_ref().ok_or_else(closed)?.take_results();
        let of = |replica: airlink_sim::Replica| {
            let cell = replica.tables.get("cell").map(|table| crate::arrays::first_row(py, table)).transpose()?;
            Ok((replica.seed, cell.map(Bound::into_any), Recording::new(replica)))
        };
        results.into_iter().map(|replica| replica.map(of).transpose()).collect()
    }

    /// Ends the threads and forgets the runs.
    fn close(&self, py: Python<'_>) {
        if !self.is_of_parent() {
            py.detach(|| drop(self.open().take()));
        }
    }
}

impl Environments {
    /// A child process has a copy, but none of its threads: to end them, it would wait forever.
    fn is_of_parent(&self) -> bool {
        std::process::id() != self.process
    }

    fn open(&self) -> MutexGuard<'_, Option<Crew>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fill(
        &self,
        py: Python<'_>,
        arrays: Arrays<'_>,
        work: impl FnOnce(&mut Crew, Written<'_>) -> Result<(), Refusal> + Send,
    ) -> PyResult<Option<usize>> {
        if self.is_of_parent() {
            return Err(PyRuntimeError::new_err("environments can't be used in a child process: make them there"));
        }
        let (observations, mut masks, mut rewards, mut parts, mut truncated) = arrays;
        let (mut single, mut double);
        let observations = if let Ok(array) = observations.cast::<PyArray2<f32>>() {
            single = array.try_readwrite()?;
            Out::Single(contiguous(single.as_slice_mut())?)
        } else {
            double = observations.cast::<PyArray2<f64>>()?.try_readwrite()?;
            Out::Double(contiguous(double.as_slice_mut())?)
        };
        let written = Written {
            observations,
            masks: contiguous(masks.as_slice_mut())?,
            rewards: contiguous(rewards.as_slice_mut())?,
            parts: contiguous(parts.as_slice_mut())?,
            truncated: contiguous(truncated.as_slice_mut())?,
        };
        let done = py.detach(|| self.open().as_mut().map(|crew| work(crew, written)));
        match done.ok_or_else(closed)? {
            Ok(()) => Ok(None),
            Err(Refusal::Action(place)) => Ok(Some(place)),
            Err(refusal) => Err(refused(refusal)),
        }
    }
}

fn refused(refusal: Refusal) -> PyErr {
    match refusal {
        Refusal::Action(place) => PyValueError::new_err(format!("the number at {place} of the actions is not allowed")),
        Refusal::NothingToDecide(seed) => {
            PyValueError::new_err(format!("the run with seed {seed} ends before there is anything to decide"))
        }
        Refusal::Failure(text) => PyRuntimeError::new_err(text),
    }
}

impl Drop for Environments {
    fn drop(&mut self) {
        if self.is_of_parent() {
            std::mem::forget(self.open.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

fn closed() -> PyErr {
    PyRuntimeError::new_err("the environments are closed")
}

fn contiguous<T, E>(slice: Result<T, E>) -> PyResult<T> {
    slice.map_err(|_| PyTypeError::new_err("an array is not contiguous"))
}
