//! A queue that some flows pass on their way to the network.

use serde::Deserialize;

use super::check::Checks;
use super::{Count, Price};

/// One drop-tail queue, and the wire behind it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upstream {
    /// Of the wire, b/s.
    pub rate_bps: f64,
    /// Of the wire, ms.
    pub delay_ms: f64,
    /// Most packets in the queue.
    pub limit_packets: Count,
    /// Most bytes in the queue.
    pub limit_bytes: Count,
    /// What its packets carry.
    pub price: Price,
}

impl Upstream {
    pub(super) fn check(&self, checks: &mut Checks) {
        checks.positive("upstream.rate_bps", self.rate_bps);
        checks.not_negative("upstream.delay_ms", self.delay_ms);
        checks.require("upstream.limit_packets", 0, self.limit_packets.0 > 0, "at least 1, or \"inf\"");
        checks.require("upstream.limit_bytes", 0, self.limit_bytes.0 > 0, "at least 1, or \"inf\"");
        self.price.check(checks, "upstream.price");
    }
}
