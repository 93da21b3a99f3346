//! A wired bottleneck instead of a cell.

use serde::Deserialize;

use super::check::Checks;
use super::{Count, Impairments, Price};

/// One queue, shared by all flows, and the wire behind it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bottleneck {
    /// Of the wire, b/s.
    pub rate_bps: f64,
    /// Of the wire, ms.
    pub delay_ms: f64,
    /// Most packets in the queue.
    pub limit_packets: Count,
    /// Most bytes in the queue.
    pub limit_bytes: Count,
    /// Whether the packet that is being sent counts against the limits.
    pub in_service_counts: bool,
    /// Whether a packet that comes when another leaves finds it still there.
    pub arrivals_first: bool,
    /// What its packets carry.
    pub price: Price,
    /// Of the wire.
    pub impairments: Option<Impairments>,
}

impl Bottleneck {
    pub(super) fn check(&self, checks: &mut Checks) {
        checks.positive("bottleneck.rate_bps", self.rate_bps);
        checks.not_negative("bottleneck.delay_ms", self.delay_ms);
        checks.require("bottleneck.limit_packets", 0, self.limit_packets.0 > 0, "at least 1, or \"inf\"");
        checks.require("bottleneck.limit_bytes", 0, self.limit_bytes.0 > 0, "at least 1, or \"inf\"");
        self.price.check(checks, "bottleneck.price");
        if let Some(impairments) = &self.impairments {
            impairments.check(checks, "bottleneck.impairments");
        }
    }
}
