//! Each user's queue, and what keeps it short.

use serde::Deserialize;

use super::check::Checks;
use super::{Count, Price};

/// Each user's queue. What its kind does not use is there all the same.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// What keeps it short within its limits.
    pub kind: QueueKind,
    /// Whose it is.
    pub scope: QueueScope,
    /// Most packets.
    pub limit_packets: Count,
    /// Most bytes.
    pub limit_bytes: Count,
    /// What these count.
    pub limit_counts: LimitCounts,
    /// Of kind "codel".
    pub codel: Codel,
    /// Of kind "pie".
    pub pie: Pie,
    /// Of kind "adaptive".
    pub adaptive: Adaptive,
    /// What its packets carry.
    pub price: Price,
}

/// Whose a queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueScope {
    /// Each user has one.
    User,
    /// All users share one.
    Cell,
}

/// What limits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitCounts {
    /// All that has not left.
    Held,
    /// What was never sent.
    Unsent,
}

/// What keeps a queue short within its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueKind {
    /// Nothing.
    DropTail,
    /// Drops at the head.
    Codel,
    /// Refusals at random.
    Pie,
    /// A limit that sizes itself.
    Adaptive,
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

/// PIE.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pie {
    /// The delay to hold, ms.
    pub target_ms: f64,
    /// Time between updates of the probability, ms.
    pub update_ms: f64,
    /// How long nothing is refused after calm, ms.
    pub burst_ms: f64,
    /// Weight of the deviation, 1/s.
    pub alpha_hz: f64,
    /// Weight of the change, 1/s.
    pub beta_hz: f64,
    /// With at most two of these waiting nothing is refused.
    pub mean_packet_bytes: u64,
    /// Refusals neither too close nor too far apart.
    pub derandomise: bool,
    /// Small steps of a high probability.
    pub cap_steps: bool,
}

/// The limit that sizes itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adaptive {
    /// What a full queue should take to drain, ms.
    pub target_ms: f64,
    /// How much time of service the rate remembers, ms.
    pub memory_ms: f64,
    /// The least limit.
    pub floor_bytes: u64,
}

impl Queue {
    pub(super) fn check(&self, checks: &mut Checks) {
        checks.require("queue.limit_packets", 0, self.limit_packets.0 > 0, "at least 1, or \"inf\"");
        checks.require("queue.limit_bytes", 0, self.limit_bytes.0 > 0, "at least 1, or \"inf\"");
        checks.milliseconds("queue.codel.target_ms", self.codel.target_ms);
        checks.milliseconds("queue.codel.interval_ms", self.codel.interval_ms);
        checks.milliseconds("queue.pie.target_ms", self.pie.target_ms);
        checks.milliseconds("queue.pie.update_ms", self.pie.update_ms);
        checks.not_negative("queue.pie.burst_ms", self.pie.burst_ms);
        checks.not_negative("queue.pie.alpha_hz", self.pie.alpha_hz);
        checks.not_negative("queue.pie.beta_hz", self.pie.beta_hz);
        let mean_packet = self.pie.mean_packet_bytes;
        checks.require("queue.pie.mean_packet_bytes", mean_packet, (1..=65_535).contains(&mean_packet), "1 to 65535");
        checks.milliseconds("queue.adaptive.target_ms", self.adaptive.target_ms);
        checks.milliseconds("queue.adaptive.memory_ms", self.adaptive.memory_ms);
        self.price.check(checks, "queue.price");
        let floor = self.adaptive.floor_bytes;
        let allowed = "1 to 1000000000000000";
        checks.require("queue.adaptive.floor_bytes", floor, (1..=1_000_000_000_000_000).contains(&floor), allowed);
    }
}
