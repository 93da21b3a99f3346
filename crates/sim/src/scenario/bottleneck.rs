//! A wired bottleneck instead of a cell.

use serde::Deserialize;

use super::check::Checks;
use super::impairments::check_stretches;
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
    /// Times in which it sends nothing.
    pub freezes: Vec<Freeze>,
    /// What its packets carry.
    pub price: Price,
    /// Of the wire.
    pub impairments: Option<Impairments>,
}

/// A time in which nothing is sent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Freeze {
    /// When, s.
    pub at_s: f64,
    /// How long, s.
    pub for_s: f64,
    /// What becomes of the packet that is being sent.
    pub in_service: InService,
}

/// What a freeze does to the packet that is being sent.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum InService {
    /// The rest of it goes afterwards.
    Pauses,
    /// Nothing.
    Ends,
}

impl Bottleneck {
    pub(super) fn check(&self, checks: &mut Checks) {
        checks.positive("bottleneck.rate_bps", self.rate_bps);
        checks.not_negative("bottleneck.delay_ms", self.delay_ms);
        checks.require("bottleneck.limit_packets", 0, self.limit_packets.0 > 0, "at least 1, or \"inf\"");
        checks.require("bottleneck.limit_bytes", 0, self.limit_bytes.0 > 0, "at least 1, or \"inf\"");
        let freezes = self.freezes.iter().map(|freeze| (freeze.at_s, freeze.for_s)).collect();
        check_stretches(checks, "bottleneck.freezes", freezes);
        self.price.check(checks, "bottleneck.price");
        if let Some(impairments) = &self.impairments {
            impairments.check(checks, "bottleneck.impairments");
        }
    }
}
