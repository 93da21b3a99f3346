//! A slot's view as NumPy arrays: their memory is theirs, at the same address all the run; a column is filled when it is read.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use airlink_model::scheduler::SlotView;
use airlink_model::types::Time;
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// What the base station knows at the start of a slot. It may be kept after the slot: columns that were read then stay as they were
/// until the next slot in which they are read, and others can't be read any more.
#[pyclass(frozen, module = "airlink._rust")]
pub(crate) struct View {
    users: usize,
    subchannels: usize,
    slot_s: f64,
    slot: AtomicU64,
    now_ns: AtomicU64,
    /// The slot that is being decided; null at other times.
    shown: AtomicPtr<SlotView<'static>>,
    /// A bit for each column that was filled in this slot.
    filled: AtomicU32,
    rate_bps: Py<PyArray2<f64>>,
    reported_db: Py<PyArray2<f64>>,
    mean_snr_db: Py<PyArray1<f64>>,
    average_bps: Py<PyArray1<f64>>,
    head_of_line_delay_s: Py<PyArray1<f64>>,
    weight: Py<PyArray1<f64>>,
    delay_budget_s: Py<PyArray1<f64>>,
    granted_bits: Py<PyArray1<f64>>,
    sent_bits: Py<PyArray1<f64>>,
    eligible: Py<PyArray1<bool>>,
    backlog_bytes: Py<PyArray1<i64>>,
    retransmit_bytes: Py<PyArray1<i64>>,
    last_won: Py<PyArray1<i64>>,
}

impl View {
    pub(crate) fn new(py: Python<'_>, view: &SlotView<'_>) -> PyResult<Py<Self>> {
        let (users, subchannels) = (view.users, view.subchannels);
        let reals = || zeros::<f64>(py, users);
        let wholes = || zeros::<i64>(py, users);
        let grid = || read_only(PyArray2::<f64>::zeros(py, [users, subchannels], false));
        Py::new(
            py,
            Self {
                users,
                subchannels,
                slot_s: view.slot_s,
                slot: AtomicU64::new(0),
                now_ns: AtomicU64::new(0),
                shown: AtomicPtr::new(ptr::null_mut()),
                filled: AtomicU32::new(0),
                rate_bps: grid(),
                reported_db: grid(),
                mean_snr_db: reals(),
                average_bps: reals(),
                head_of_line_delay_s: reals(),
                weight: reals(),
                delay_budget_s: reals(),
                granted_bits: reals(),
                sent_bits: reals(),
                eligible: zeros(py, users),
                backlog_bytes: wholes(),
                retransmit_bytes: wholes(),
                last_won: wholes(),
            },
        )
    }

    /// Shows `view` until the guard is dropped.
    pub(crate) fn show<'a>(&'a self, view: &'a SlotView<'a>) -> Shown<'a> {
        self.filled.store(0, Ordering::Relaxed);
        self.slot.store(view.slot.number(), Ordering::Relaxed);
        self.now_ns.store(view.now.since(Time::ZERO).as_nanos(), Ordering::Relaxed);
        self.shown.store(ptr::from_ref(view).cast_mut().cast(), Ordering::Relaxed);
        Shown(self)
    }

    /// The column with this bit, filled by `fill` unless it was in this slot.
    fn column<'py, T: Element, D>(
        &self,
        py: Python<'py>,
        bit: u32,
        column: &Py<PyArray<T, D>>,
        fill: impl FnOnce(&SlotView<'_>, &mut [T]),
    ) -> PyResult<Bound<'py, PyArray<T, D>>>
    where
        D: numpy::ndarray::Dimension,
    {
        let array = column.bind(py).clone();
        let filled = self.filled.load(Ordering::Relaxed);
        if filled & (1 << bit) != 0 {
            return Ok(array);
        }
        // SAFETY: it is null or what `show` stored, whose guard ends before the borrow that it was given does; the interpreter is
        // held from there to here.
        let Some(view) = (unsafe { self.shown.load(Ordering::Relaxed).as_ref() }) else {
            return Err(PyRuntimeError::new_err("this view's slot is over: read the column during metric or allocate"));
        };
        // SAFETY: the array is contiguous and its memory its own; Python code sees it read-only, and the interpreter is held.
        fill(view, unsafe { std::slice::from_raw_parts_mut(array.data(), array.len()) });
        self.filled.store(filled | 1 << bit, Ordering::Relaxed);
        Ok(array)
    }
}

/// Ends what a view shows.
pub(crate) struct Shown<'a>(&'a View);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.0.shown.store(ptr::null_mut(), Ordering::Relaxed);
    }
}

fn read_only<T: Element, D: numpy::ndarray::Dimension>(array: Bound<'_, PyArray<T, D>>) -> Py<PyArray<T, D>> {
    drop(array.readwrite().make_nonwriteable());
    array.unbind()
}

fn zeros<T: Element>(py: Python<'_>, users: usize) -> Py<PyArray1<T>> {
    read_only(PyArray1::<T>::zeros(py, [users], false))
}

fn widened(from: &[f32], to: &mut [f64]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = f64::from(from);
    }
}

fn wholes(from: &[u64], to: &mut [i64]) {
    for (to, &from) in to.iter_mut().zip(from) {
        // Bytes in a buffer are far below 2^63.
        *to = from as i64;
    }
}

/// How long each user's oldest packet has waited, in seconds; 0 without one.
pub(crate) fn waits_s(view: &SlotView<'_>, to: &mut [f64]) {
    to.iter_mut().enumerate().for_each(|(user, to)| *to = view.head_of_line_delay_s(user));
}

#[pymethods]
impl View {
    /// Rows of users.
    #[getter]
    fn users(&self) -> usize {
        self.users
    }

    /// Subchannels of the carrier, at least 1.
    #[getter]
    fn subchannels(&self) -> usize {
        self.subchannels
    }

    /// Length of a slot, s.
    #[getter]
    fn slot_s(&self) -> f64 {
        self.slot_s
    }

    /// Number of the slot that is decided, from 0.
    #[getter]
    fn slot(&self) -> u64 {
        self.slot.load(Ordering::Relaxed)
    }

    /// When it starts, s.
    #[getter]
    fn now_s(&self) -> f64 {
        self.now_ns.load(Ordering::Relaxed) as f64 * 1e-9
    }

    #[getter]
    fn rate_bps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.column(py, 0, &self.rate_bps, |view, to| widened(view.rate_bps, to))
    }

    #[getter]
    fn reported_db<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.column(py, 1, &self.reported_db, |view, to| widened(view.reported_db, to))
    }

    #[getter]
    fn mean_snr_db<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.column(py, 2, &self.mean_snr_db, |view, to| to.copy_from_slice(view.mean_snr_db))
    }

    #[getter]
    fn average_bps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.column(py, 3, &self.average_bps, |view, to| to.copy_from_slice(view.average_bps))
    }

    #[getter]
    fn head_of_line_delay_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.column(py, 4, &self.head_of_line_delay_s, waits_s)
    }

    #[getter]
    fn weight<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.column(py, 5, &self.weight, |view, to| to.copy_from_slice(view.weight))
    }

    #[getter]
    fn delay_budget_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.column(py, 6, &self.delay_budget_s, |view, to| to.copy_from_slice(view.delay_budget_s))
    }

    #[getter]
    fn granted_bits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.column(py, 7, &self.granted_bits, |view, to| {
            to.fill(0.0);
            view.served.iter().for_each(|served| to[served.user.index()] = served.granted_bits);
        })
    }

    #[getter]
    fn sent_bits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.column(py, 8, &self.sent_bits, |view, to| {
            to.fill(0.0);
            view.served.iter().for_each(|served| to[served.user.index()] = served.sent_bits);
        })
    }

    #[getter]
    fn eligible<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        self.column(py, 9, &self.eligible, |view, to| to.copy_from_slice(view.eligible))
    }

    #[getter]
    fn backlog_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        self.column(py, 10, &self.backlog_bytes, |view, to| wholes(view.backlog_bytes, to))
    }

    #[getter]
    fn retransmit_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        self.column(py, 11, &self.retransmit_bytes, |view, to| wholes(view.retransmit_bytes, to))
    }

    #[getter]
    fn last_won<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        self.column(py, 12, &self.last_won, |view, to| to.copy_from_slice(view.last_won))
    }
}
