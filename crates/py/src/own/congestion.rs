//! Congestion controls in Python: an object for each flow; its windows are read after each event.

use std::fmt;
use std::sync::Arc;

use airlink_model::transport::Tcp;
use airlink_model::transport::congestion::{
    AckEvent, CongestionControl, IdleEvent, LossEvent, LostEvent, Needs, SentEvent, Windows,
};
use airlink_model::types::{FlowId, Rate};
use pyo3::prelude::*;

use super::event::ControlEvent;
use super::failure::{Failure, OwnCodeError, copied};

/// An object of the class `airlink.own.CongestionControl`, and what it answers.
pub(super) struct PythonControl {
    object: Option<Py<PyAny>>,
    flow: usize,
    mss: f64,
    needs: Needs,
    windows: Windows,
    pacing_rate: Option<Rate>,
    failure: Arc<Failure>,
}

impl PythonControl {
    /// What `maker` makes for a flow.
    pub(super) fn make(maker: &Py<PyAny>, tcp: &Tcp, flow: FlowId, failure: &Arc<Failure>) -> Self {
        let mss = tcp.mss.count() as f64;
        let threshold = mss * tcp.initial_ssthresh_segments;
        let windows = Windows { window: tcp.initial_window_bytes(), slow_start_threshold: threshold };
        let flow = flow.index();
        let (needs, pacing_rate, failure) = (Needs::default(), None, Arc::clone(failure));
        let mut control = Self { object: None, flow, mss, needs, windows, pacing_rate, failure };
        Python::attach(|py| {
            let made = maker.bind(py).call1((flow, mss, windows.window, windows.slow_start_threshold));
            let read = made.and_then(|object| {
                control.needs = needs_of(&object)?;
                control.object = Some(object.clone().unbind());
                control.read(&object)
            });
            if let Err(error) = read {
                control.failure.set(py, "a congestion control", error, &format!("made for flow {flow}"));
            }
        });
        control
    }

    /// Tells the object of an event by its method `name`, and reads what it answers.
    fn tell(&mut self, name: &str, event: ControlEvent) {
        if self.failure.is_set() {
            return;
        }
        Python::attach(|py| {
            let Some(object) = self.object.as_ref().map(|object| object.bind(py).clone()) else { return };
            let told = object.call_method1(name, (event,)).and_then(|_| self.read(&object));
            if let Err(error) = told {
                let place = format!("flow {} at {} s", self.flow, event.now_s);
                self.failure.set(py, name, error, &place);
            }
        });
    }

    fn read(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = object.py();
        let window: f64 = object.getattr(pyo3::intern!(py, "window_bytes"))?.extract()?;
        let threshold: f64 = object.getattr(pyo3::intern!(py, "slow_start_threshold_bytes"))?.extract()?;
        let bps: Option<f64> = object.getattr(pyo3::intern!(py, "pacing_rate_bps"))?.extract()?;
        if !window.is_finite() || threshold.is_nan() {
            let told =
                format!("window_bytes is {window}, slow_start_threshold_bytes is {threshold}; they must be numbers");
            return Err(OwnCodeError::new_err(told));
        }
        if bps.is_some_and(|bps| bps.is_nan() || bps <= 0.0) {
            return Err(OwnCodeError::new_err("pacing_rate_bps must be above 0, or None"));
        }
        self.windows = Windows { window: window.max(self.mss), slow_start_threshold: threshold };
        self.pacing_rate = bps.map(Rate::from_bps);
        Ok(())
    }
}

fn needs_of(object: &Bound<'_, PyAny>) -> PyResult<Needs> {
    let names: Vec<String> =
        object.getattr("needs")?.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?;
    let mut needs = Needs::default();
    for name in names {
        match name.as_str() {
            "round_trips" => needs.round_trips = true,
            "rate_samples" => needs.rate_samples = true,
            "pacing" => needs.pacing = true,
            "own_recovery" => needs.own_recovery = true,
            other => {
                let told = format!("needs has {other:?}; it may have round_trips, rate_samples, pacing, own_recovery");
                return Err(OwnCodeError::new_err(told));
            }
        }
    }
    Ok(needs)
}

impl CongestionControl for PythonControl {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn window(&self) -> f64 {
        self.windows.window
    }

    fn slow_start_threshold(&self) -> f64 {
        self.windows.slow_start_threshold
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.pacing_rate
    }

    fn on_sent(&mut self, sent: &SentEvent) {
        self.tell("on_sent", ControlEvent::of_sent(sent));
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        self.tell("on_ack", ControlEvent::of_ack(ack));
    }

    fn on_lost(&mut self, lost: &LostEvent) {
        self.tell("on_lost", ControlEvent::of_lost(lost));
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.tell("on_loss", ControlEvent::of_loss(loss));
    }

    fn on_mark(&mut self, mark: &LossEvent) {
        self.tell("on_mark", ControlEvent::of_loss(mark));
    }

    fn on_recovered(&mut self) {
        self.tell("on_recovered", ControlEvent::NONE);
    }

    fn on_timeout(&mut self, loss: &LossEvent) {
        self.tell("on_timeout", ControlEvent::of_loss(loss));
    }

    fn on_idle(&mut self, idle: &IdleEvent) {
        self.tell("on_idle", ControlEvent::of_idle(idle));
    }

    fn set_window(&mut self, window: f64) {
        let windows = Windows { window: window.max(self.mss), ..self.windows };
        self.tell("on_window_set", ControlEvent::of_windows(windows));
    }

    fn restore(&mut self, windows: Windows) {
        let windows = Windows { window: windows.window.max(self.mss), ..windows };
        self.tell("on_restored", ControlEvent::of_windows(windows));
    }
}

impl Clone for PythonControl {
    fn clone(&self) -> Self {
        Self {
            object: self.object.as_ref().map(|object| copied(object, &self.failure)),
            failure: Arc::clone(&self.failure),
            ..*self
        }
    }
}

impl fmt::Debug for PythonControl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PythonControl").field("flow", &self.flow).field("windows", &self.windows).finish()
    }
}
