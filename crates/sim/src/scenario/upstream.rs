//! A queue that some flows pass on their way to the network.

use airlink_model::queue::PriceConfig;
use airlink_model::types::declare::Section;
use airlink_model::types::{Bytes, Duration, Rate};

/// One drop-tail queue, first in, first out, and the wire behind it, for the flows with `path.upstream = true`.
#[derive(Clone, Copy, Debug, Section)]
pub struct Upstream {
    /// Rate at which the queue is sent.
    #[field(
        name = "rate_bps",
        unit = "b/s",
        above = 0,
        at_most = 1e15,
        default = Rate::from_bps(1e7),
        source = "airlink default: 10 Mb/s"
    )]
    pub rate: Rate,
    /// Delay of the wire behind it, which `path.downlink_delay_ms` leads to.
    #[field(
        name = "delay_ms",
        unit = "ms",
        at_least = 0,
        at_most = 1e6,
        default = Duration::ZERO,
        source = "airlink default: none"
    )]
    pub delay: Duration,
    /// A packet that finds this many in the queue, the one in service included, is dropped.
    #[field(
        unit = "packets",
        at_least = 1,
        at_most = 1e9,
        infinite,
        default = u64::MAX,
        source = "airlink default: none"
    )]
    pub limit_packets: u64,
    /// A packet is dropped when the bytes of the queue would exceed this with it; at least the largest packet.
    #[field(
        unit = "bytes",
        at_least = 1,
        at_most = 1e15,
        infinite,
        default = Bytes::UNLIMITED,
        source = "airlink default: none"
    )]
    pub limit_bytes: Bytes,
    /// The queue's price, which departing packets carry to receivers.
    #[field(default = PriceConfig::None, source = "airlink default: nothing")]
    pub price: PriceConfig,
}
