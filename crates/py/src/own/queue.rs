//! Queue management in Python: an object for each user's queue, which says of each packet whether it passes.

use std::fmt;
use std::sync::Arc;

use airlink_model::queue::{Header, Occupancy, QueueManagement, Verdict};
use airlink_model::types::{Bytes, Ecn, Time, UserId};
use pyo3::prelude::*;

use super::failure::{Failure, OwnCodeError, copied};

/// A packet that comes to a queue or to its head, and what waits there.
#[pyclass(frozen, get_all, module = "airlink._rust")]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuePacket {
    now_s: f64,
    bytes: f64,
    sent_s: f64,
    queued_s: f64,
    waiting_bytes: f64,
    waiting_packets: f64,
    in_service_bytes: f64,
    in_service_packets: f64,
    flow: i64,
    user: i64,
    takes_marks: bool,
    is_marked: bool,
}

impl QueuePacket {
    /// What stands for a packet where an event has none.
    pub(super) fn none(now_s: f64, user: UserId) -> Self {
        Self {
            now_s,
            bytes: 0.0,
            sent_s: f64::NAN,
            queued_s: f64::NAN,
            waiting_bytes: 0.0,
            waiting_packets: 0.0,
            in_service_bytes: 0.0,
            in_service_packets: 0.0,
            flow: -1,
            user: user.index() as i64,
            takes_marks: false,
            is_marked: false,
        }
    }

    pub(super) fn of(now: Time, packet: &Header, waiting: Occupancy, in_service: Occupancy) -> Self {
        Self {
            now_s: now.as_secs(),
            bytes: packet.bytes.count() as f64,
            sent_s: packet.sent_at.as_secs(),
            queued_s: packet.queued_at.as_secs(),
            waiting_bytes: waiting.bytes.count() as f64,
            waiting_packets: waiting.packets as f64,
            in_service_bytes: in_service.bytes.count() as f64,
            in_service_packets: in_service.packets as f64,
            flow: packet.flow.index() as i64,
            user: packet.user.index() as i64,
            takes_marks: packet.ecn != Ecn::NotEct,
            is_marked: packet.ecn == Ecn::Ce,
        }
    }
}

/// An object of the class `airlink.own.QueueManagement`.
pub(super) struct PythonQueue {
    object: Option<Py<PyAny>>,
    limit: Bytes,
    chooses_drops: bool,
    user: usize,
    failure: Arc<Failure>,
}

impl PythonQueue {
    /// What `maker` makes for a user's queue.
    pub(super) fn make(maker: &Py<PyAny>, user: UserId, failure: &Arc<Failure>) -> Self {
        let user = user.index();
        let (limit, chooses_drops, failure) = (Bytes::UNLIMITED, true, Arc::clone(failure));
        let mut queue = Self { object: None, limit, chooses_drops, user, failure };
        Python::attach(|py| {
            let read = maker.bind(py).call1((user,)).and_then(|object| {
                queue.object = Some(object.clone().unbind());
                queue.chooses_drops = object.getattr("chooses_drops")?.extract()?;
                queue.read(&object)
            });
            if let Err(error) = read {
                queue.failure.set(py, "a queue's management", error, &format!("made for user {user}"));
            }
        });
        queue
    }

    fn ask(&mut self, name: &str, packet: QueuePacket) -> Verdict {
        if self.failure.is_set() {
            return Verdict::Pass;
        }
        Python::attach(|py| {
            let Some(object) = self.object.as_ref().map(|object| object.bind(py).clone()) else { return Verdict::Pass };
            let answer = object.call_method1(name, (packet,)).and_then(|answer| verdict(&answer, name));
            match answer.and_then(|verdict| self.read(&object).map(|()| verdict)) {
                Ok(verdict) => verdict,
                Err(error) => {
                    let place = format!("user {} at {} s", self.user, packet.now_s);
                    self.failure.set(py, name, error, &place);
                    Verdict::Pass
                }
            }
        })
    }

    fn tell(&mut self, name: &str) {
        if self.failure.is_set() {
            return;
        }
        Python::attach(|py| {
            let Some(object) = self.object.as_ref().map(|object| object.bind(py).clone()) else { return };
            if let Err(error) = object.call_method0(name).and_then(|_| self.read(&object)) {
                self.failure.set(py, name, error, &format!("user {}", self.user));
            }
        });
    }

    fn read(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let limit: Option<f64> = object.getattr(pyo3::intern!(object.py(), "limit_bytes"))?.extract()?;
        self.limit = match limit {
            None => Bytes::UNLIMITED,
            Some(bytes) if (0.0..1e18).contains(&bytes) => Bytes::new(bytes as u64),
            Some(bytes) => {
                return Err(OwnCodeError::new_err(format!("limit_bytes is {bytes}; it must be at least 0, or None")));
            }
        };
        Ok(())
    }
}

fn verdict(answer: &Bound<'_, PyAny>, name: &str) -> PyResult<Verdict> {
    match answer.extract::<&str>() {
        Ok("pass") => Ok(Verdict::Pass),
        Ok("mark") => Ok(Verdict::Mark),
        Ok("drop") => Ok(Verdict::Drop),
        _ => Err(OwnCodeError::new_err(format!("{name} returned {answer:?}; it must return 'pass', 'mark' or 'drop'"))),
    }
}

impl QueueManagement for PythonQueue {
    fn limit(&self) -> Bytes {
        self.limit
    }

    fn on_arrival(&mut self, now: Time, packet: &Header, waiting: Occupancy, in_service: Occupancy) -> Verdict {
        self.ask("on_arrival", QueuePacket::of(now, packet, waiting, in_service))
    }

    fn on_refused(&mut self) {
        self.tell("on_refused");
    }

    fn on_head(&mut self, now: Time, packet: &Header, behind: Occupancy) -> Verdict {
        self.ask("on_head", QueuePacket::of(now, packet, behind, Occupancy::default()))
    }

    fn on_empty(&mut self) {
        self.tell("on_empty");
    }

    fn on_idle(&mut self, _now: Time) {
        self.tell("on_idle");
    }

    fn chooses_drops(&self) -> bool {
        self.chooses_drops
    }

    fn boxed_clone(&self) -> Box<dyn QueueManagement> {
        Box::new(Self {
            object: self.object.as_ref().map(|object| copied(object, &self.failure)),
            failure: Arc::clone(&self.failure),
            ..*self
        })
    }
}

impl fmt::Debug for PythonQueue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PythonQueue").field("user", &self.user).finish_non_exhaustive()
    }
}
