//! The first thing that went wrong in the user's code in a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

pyo3::create_exception!(
    _rust,
    OwnCodeError,
    pyo3::exceptions::PyRuntimeError,
    "The user's code in a run has failed; its cause is the exception that it raised, if it raised one."
);

/// The first failure, until the run asks for it.
#[derive(Debug)]
pub(crate) struct Failure {
    seed: u64,
    has_failed: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Failure {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, has_failed: AtomicBool::new(false), error: Mutex::new(None) }
    }

    /// The seed of the run.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether anything has failed: the user's code is not asked any more.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Keeps `error`, which came in `what` at `place`, unless something has failed before.
    #[cold]
    pub(crate) fn set(&self, py: Python<'_>, what: &str, error: PyErr, place: &str) {
        let seed = self.seed;
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            return self.keep(error);
        }
        let words = error.value(py).str().map_or_else(|_| String::new(), |text| text.to_string());
        if error.is_instance_of::<OwnCodeError>(py) {
            return self.keep(OwnCodeError::new_err(format!("{words} ({place}, seed {seed})")));
        }
        let kind = error.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
        let told = OwnCodeError::new_err(format!("{what} raised {kind}: {words} ({place}, seed {seed})"));
        told.set_cause(py, Some(error));
        self.keep(told);
    }

    fn keep(&self, error: PyErr) {
        if !self.has_failed.swap(true, Ordering::Relaxed) {
            *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }

    /// What has failed.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A deep copy of an object of the user's; a failure to copy it is kept, and the object itself goes on.
pub(crate) fn copied(object: &Py<PyAny>, failure: &Failure) -> Py<PyAny> {
    Python::attach(|py| {
        let copy = py.import("copy").and_then(|module| module.call_method1("deepcopy", (object,)));
        match copy {
            Ok(copy) => copy.unbind(),
            Err(error) => {
                failure.set(
                    py,
                    "copying an object of the run",
                    error,
                    "a run that is simulated twice from a moment on",
                );
                object.clone_ref(py)
            }
        }
    })
}
