//! Each user's queue, and what keeps it short.

use serde::Deserialize;

use super::Count;
use super::check::Checks;

/// Each user's queue. What its kind does not use is there all the same.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// What keeps it short within its limits.
    pub kind: QueueKind,
    /// Most packets.
    pub limit_packets: Count,
    /// Most bytes.
    pub limit_bytes: Count,
    /// Of kind "codel".
    pub codel: Codel,
}

/// What keeps a queue short within its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueKind {
    /// Nothing.
    DropTail,
    /// Drops at the head.
    Codel,
}

/// CoDel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codel {
    /// The delay that may stay, ms.
    pub target_ms: f64,
    /// How long it may be exceeded, ms.
    pub interval_ms: f64,
}

impl Queue {
    pub(super) fn check(&self, checks: &mut Checks) {
        checks.require("queue.limit_packets", 0, self.limit_packets.0 > 0, "at least 1, or \"inf\"");
        checks.require("queue.limit_bytes", 0, self.limit_bytes.0 > 0, "at least 1, or \"inf\"");
        checks.milliseconds("queue.codel.target_ms", self.codel.target_ms);
        checks.milliseconds("queue.codel.interval_ms", self.codel.interval_ms);
    }
}
