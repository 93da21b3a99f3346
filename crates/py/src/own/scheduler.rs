//! Schedulers in Python: a metric for the argmax engine, or a whole allocation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use airlink_model::scheduler::{Allocation as Owners, Scheduler, SlotMetric, SlotOutcome, SlotView, UserRow};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, intern};

use super::failure::{Failure, OwnCodeError, copied};
use super::view::View;

/// An object with `metric(view) -> array`.
pub(super) struct PythonMetric {
    object: Py<PyAny>,
    view: Option<Py<View>>,
    failure: Arc<Failure>,
}

impl PythonMetric {
    pub(super) fn new(object: Py<PyAny>, failure: Arc<Failure>) -> Self {
        Self { object, view: None, failure }
    }
}

impl SlotMetric for PythonMetric {
    fn fill(&mut self, view: &SlotView<'_>, metrics: &mut [f64]) {
        if !self.failure.is_set() {
            Python::attach(|py| {
                let answer = shown(py, &mut self.view, view, |shown| {
                    let found = self.object.bind(py).call_method1(intern!(py, "metric"), (shown,))?;
                    take_metrics(&found, view, metrics)
                });
                if let Err(error) = answer {
                    self.failure.set(py, "metric", error, &place(view));
                }
            });
        }
        if self.failure.is_set() {
            metrics.fill(f64::NEG_INFINITY);
        }
    }

    fn boxed_clone(&self) -> Box<dyn SlotMetric> {
        Box::new(Self::new(copied(&self.object, &self.failure), Arc::clone(&self.failure)))
    }
}

/// An object with `allocate(view, allocation)`.
pub(super) struct PythonAllocator {
    object: Py<PyAny>,
    view: Option<Py<View>>,
    failure: Arc<Failure>,
}

impl PythonAllocator {
    pub(super) fn new(object: Py<PyAny>, failure: Arc<Failure>) -> Self {
        Self { object, view: None, failure }
    }

    fn decide(&mut self, py: Python<'_>, view: &SlotView<'_>, owners: &mut Owners) -> PyResult<()> {
        let granted = Py::new(py, Allocation::new(view))?;
        shown(py, &mut self.view, view, |shown| {
            self.object.bind(py).call_method1(intern!(py, "allocate"), (shown, &granted)).map(drop)
        })?;
        granted.get().is_over.store(true, Ordering::Relaxed);
        for (subchannel, owner) in granted.get().owners().iter().enumerate() {
            if let Some(user) = owner {
                owners.grant(subchannel, UserRow::new(*user));
            }
        }
        if let Err(error) = view.check(owners) {
            owners.clear();
            return Err(OwnCodeError::new_err(format!("allocate: {error}")));
        }
        Ok(())
    }
}

impl Scheduler for PythonAllocator {
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Owners) {
        if self.failure.is_set() {
            return;
        }
        Python::attach(|py| {
            if let Err(error) = self.decide(py, view, allocation) {
                self.failure.set(py, "allocate", error, &place(view));
            }
        });
    }

    fn on_slot_end(&mut self, _outcome: &SlotOutcome<'_>) {}

    fn boxed_clone(&self) -> Box<dyn Scheduler> {
        Box::new(Self::new(copied(&self.object, &self.failure), Arc::clone(&self.failure)))
    }
}

/// What `of` answers while the Python view shows `view`.
fn shown<T>(
    py: Python<'_>,
    kept: &mut Option<Py<View>>,
    view: &SlotView<'_>,
    of: impl FnOnce(&Bound<'_, View>) -> PyResult<T>,
) -> PyResult<T> {
    if kept.is_none() {
        *kept = Some(View::new(py, view)?);
    }
    let shown = kept.as_ref().expect("made above").bind(py);
    let _until_the_end = shown.get().show(view);
    of(shown)
}

fn place(view: &SlotView<'_>) -> String {
    format!("slot {} at {} s", view.slot.number(), view.now.as_secs())
}

/// Takes the metrics that were returned: users x subchannels, or with one subchannel a number for each user.
fn take_metrics(found: &Bound<'_, PyAny>, view: &SlotView<'_>, metrics: &mut [f64]) -> PyResult<()> {
    let py = found.py();
    let is_plain = found.get_type().is(PyUntypedArray::type_object(py));
    let Some(array) = found.cast::<PyArrayDyn<f64>>().ok().filter(|_| is_plain) else {
        return take_metrics(&converted(found)?, view, metrics);
    };
    let fits = match *array.shape() {
        [users] => users == view.users && view.subchannels == 1,
        [users, subchannels] => users == view.users && subchannels == view.subchannels,
        _ => false,
    };
    if !fits {
        let shape: Vec<String> = array.shape().iter().map(ToString::to_string).collect();
        let or = if view.subchannels == 1 { format!(" or ({},)", view.users) } else { String::new() };
        return Err(OwnCodeError::new_err(format!(
            "metric returned an array of shape ({}); it must be (users, subchannels) = ({}, {}){or}",
            shape.join(", "),
            view.users,
            view.subchannels,
        )));
    }
    let array = array.readonly();
    match array.as_slice() {
        Ok(values) if array.is_c_contiguous() => metrics.copy_from_slice(values),
        _ => metrics.iter_mut().zip(array.as_array()).for_each(|(to, &from)| *to = from),
    }
    Ok(())
}

/// What is no plain array of float64 as one: other numbers and lists; nothing else, and no masks, which nothing here would see.
fn converted<'py>(found: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = found.py();
    let numpy = py.import("numpy")?;
    if found.is_instance(&numpy.getattr("ma")?.getattr("MaskedArray")?)? {
        return Err(OwnCodeError::new_err(
            "metric returned a masked array; fill it: np.ma.filled(metric.astype(float), -np.inf)",
        ));
    }
    let array = numpy.call_method1("asarray", (found,))?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "f" | "i" | "u" | "b") {
        return Err(OwnCodeError::new_err(format!("metric returned {dtype}; it must return an array of real numbers")));
    }
    array.call_method1("astype", ("float64",))
}

/// Who gets which subchannel: `grant` gives one.
#[pyclass(frozen, module = "airlink._rust")]
pub(crate) struct Allocation {
    users: usize,
    owners: Mutex<Vec<Option<usize>>>,
    /// Its slot has been decided.
    is_over: AtomicBool,
}

impl Allocation {
    fn new(view: &SlotView<'_>) -> Self {
        let owners = Mutex::new(vec![None; view.subchannels]);
        Self { users: view.users, owners, is_over: AtomicBool::new(false) }
    }

    fn owners(&self) -> Vec<Option<usize>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl Allocation {
    /// Gives a subchannel to a user, each once.
    fn grant(&self, subchannel: &Bound<'_, PyAny>, user: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(OwnCodeError::new_err("grant: the slot of this allocation is over: grant during allocate"));
        }
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let subchannel = number_below(owners.len(), subchannel, "subchannel")?;
        let user = number_below(self.users, user, "user")?;
        if let Some(before) = owners[subchannel] {
            let told = format!("grant: subchannel {subchannel} is user {before}'s already, so not user {user}'s");
            return Err(OwnCodeError::new_err(told));
        }
        owners[subchannel] = Some(user);
        Ok(())
    }
}

/// What is granted, or to whom: a number from 0 to below `count`.
fn number_below(count: usize, value: &Bound<'_, PyAny>, what: &str) -> PyResult<usize> {
    value.extract().ok().filter(|&number| number < count).ok_or_else(|| {
        let given = value.repr().map_or_else(|_| "no number".to_owned(), |text| text.to_string());
        let allowed = format!("it must be a whole number from 0 to {}", count.saturating_sub(1));
        OwnCodeError::new_err(format!("grant: {what} is {given}; {allowed}"))
    })
}
