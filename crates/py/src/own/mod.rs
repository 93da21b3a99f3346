//! The user's code in a run: schedulers, congestion controls and queues in Python or compiled.
//!
//! What is compiled is an address of a C function and runs on the engine's threads. What is Python runs in the thread that asks for
//! the run, which holds the interpreter all the time, so that Ctrl-C gets in as in any Python code. The first failure is kept and
//! ends the run; until the end of its step the parts answer something harmless.

mod compiled;
mod compiled_queue;
mod congestion;
mod event;
mod failure;
mod kind;
mod queue;
mod scheduler;
mod stream;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use airlink_model::types::{FlowId, UserId};
use airlink_sim::Components;
use pyo3::prelude::*;

pub(crate) use compiled::Compiled;
pub(crate) use event::ControlEvent;
pub(crate) use failure::{Failure, OwnCodeError};
pub(crate) use queue::QueuePacket;
pub(crate) use scheduler::Allocation;
pub(crate) use stream::RandomStream;
pub(crate) use view::View;

use congestion::PythonControl;
use queue::PythonQueue;
use scheduler::{PythonAllocator, PythonMetric};

/// What takes the place of a scenario's own parts in one run.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Own {
    /// An object with `metric` or `allocate`.
    scheduler: Option<Py<PyAny>>,
    /// By group of flows, what makes the object of a flow, given (flow, MSS, window, ssthresh).
    controls: BTreeMap<usize, Py<PyAny>>,
    /// What makes the object of a user's queue, given the user.
    queue: Option<Py<PyAny>>,
    compiled: Compiled,
}

impl Own {
    /// The parts of a run; what goes wrong in them is left in `failure`.
    pub(crate) fn components(&self, py: Python<'_>, failure: &Arc<Failure>) -> PyResult<Components> {
        let mut components = self.compiled.components(failure.seed());
        if let Some(scheduler) = &self.scheduler {
            let (scheduler, failure) = (scheduler.clone_ref(py), Arc::clone(failure));
            // The object is the run's own: nothing is copied unless the run itself is.
            let object = move || Python::attach(|py| scheduler.clone_ref(py));
            components = if object().bind(py).hasattr("allocate")? {
                components.scheduler(move || Box::new(PythonAllocator::new(object(), Arc::clone(&failure))))
            } else {
                components.metric(move || Box::new(PythonMetric::new(object(), Arc::clone(&failure))))
            };
        }
        for (&group, maker) in &self.controls {
            let (maker, failure) = (maker.clone_ref(py), Arc::clone(failure));
            components = components.congestion_control(group, move |tcp, flow: FlowId| {
                Box::new(PythonControl::make(&maker, tcp, flow, &failure))
            });
        }
        if let Some(maker) = &self.queue {
            let (maker, failure) = (maker.clone_ref(py), Arc::clone(failure));
            components = components.queues(move |user: UserId| Box::new(PythonQueue::make(&maker, user, &failure)));
        }
        Ok(components)
    }
}
