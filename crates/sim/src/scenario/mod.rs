//! The scenario as complete data: every field explicit, unknown or missing ones refused, ranges checked.
//!
//! Defaults exist once, in the Python classes; their JSON is what is read here. Infinity is the string "inf".

mod channel;
mod check;
mod flows;
mod link;
mod number;
mod scheduler;
pub mod transport;

pub use channel::{AtEnd, Between, CeilingTarget, Channel, Doppler, Fading, Placement, Quantity, Spacing};
pub use check::Problem;
pub use flows::{FlowUsers, Flows, Traffic};
pub use link::{Link, Queue, RateRule, Rlc};
pub use number::{Count, Extended, PerUser, SlotLength};
pub use scheduler::{Counts, Scheduler, TcpAware, Ties, VacationUnit};
pub use transport::Tcp;

use airlink_model::types::SlotClock;
use serde::Deserialize;

/// One experiment, whole.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The version of this format; only 1 exists.
    pub scenario_version: u32,
    /// A label.
    pub name: String,
    /// Free text.
    pub description: String,
    /// Length of the run, s.
    pub duration_s: f64,
    /// Measurement starts here, s.
    pub warmup_s: f64,
    /// Number of users.
    pub users: usize,
    /// The slot.
    pub slot: Slot,
    /// Signal of each user over time.
    pub channel: Channel,
    /// What the base station knows and does with it.
    pub link: Link,
    /// Segmentation.
    pub rlc: Rlc,
    /// Each user's queue.
    pub queue: Queue,
    /// Who gets the slot.
    pub scheduler: Scheduler,
    /// Who sends what.
    pub flows: Vec<Flows>,
}

/// The slot.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// Its length in ms, as a number or an exact fraction like "5/3".
    pub duration_ms: SlotLength,
}

/// A recorded SNR (dB) or rate (b/s) that users ride, as arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// When each value begins, s, increasing from 0.
    pub times_s: Vec<f64>,
    /// The values.
    pub values: Vec<f64>,
}

impl Scenario {
    /// Reads and checks a scenario; all range mistakes are told together.
    pub fn from_json(text: &str) -> Result<Self, Vec<Problem>> {
        let scenario: Self = serde_json::from_str(text).map_err(|error| vec![Problem::of_json(&error)])?;
        let problems = check::problems(&scenario);
        if problems.is_empty() { Ok(scenario) } else { Err(problems) }
    }

    /// Checks the arrays of the traces that the placement names.
    pub fn check_traces(&self, traces: &[Trace]) -> Result<(), Vec<Problem>> {
        let problems = check::trace_problems(self, traces);
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// The exact slot clock.
    pub fn clock(&self) -> SlotClock {
        let (numerator_ns, denominator) = self.slot.duration_ms.as_ns_ratio().unwrap_or((1, 1));
        SlotClock::new(numerator_ns, denominator)
    }
}
