//! Hops: queues with a rate and a wire that flows pass between their own wires and the network.

use airlink_model::path::{BottleneckConfig, ImpairmentsConfig};
use airlink_model::queue::{AdaptiveConfig, CodelConfig, PieConfig, PriceConfig, QueueConfig, QueueKind};
use airlink_model::types::declare::Section;

/// A queue of any kind, first in, first out, and the wire behind it, for the flows whose `path` names it.
#[derive(Clone, Debug, Section)]
pub struct Hop {
    /// Its name, which no other hop has; `path.hops` and `path.uplink_hops` list names.
    #[field(at_least = 1, at_most = 100, source = "chosen by the user, such as \"core\"")]
    pub name: String,
    /// The queue and the wire.
    #[field(group)]
    pub queue: BottleneckConfig,
    /// What keeps the queue short.
    #[field(group)]
    pub management: Management,
    /// The queue's price, which departing packets carry to receivers.
    #[field(default = PriceConfig::None, source = "airlink default: nothing")]
    pub price: PriceConfig,
    /// Impairments of the link after the queue.
    #[field(default = None, source = "airlink default: nothing")]
    pub impairments: Option<ImpairmentsConfig>,
}

/// What keeps a hop's queue short within its limits.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct Management {
    /// What keeps the queue short within its limits. "drop_tail": nothing; "codel": drops at the head once packets have
    /// waited too long; "pie": arrivals are refused at random, the more the longer packets wait; "adaptive": a limit in
    /// bytes that follows the rate at which the queue drains. Only "drop_tail" goes with `arrivals_first`.
    #[field(default = QueueKind::DropTail, source = "airlink default")]
    pub kind: QueueKind,
    /// Whether CoDel and PIE mark packets of senders that take part in ECN (CE, RFC 3168) instead of dropping them. It
    /// takes flows with `tcp.ecn`; all other packets are dropped as without it.
    #[field(default = false, source = "airlink default: none is marked")]
    pub ecn: bool,
    /// Parameters of CoDel.
    #[field(default, source = "airlink default: those of RFC 8289")]
    pub codel: CodelConfig,
    /// Parameters of PIE.
    #[field(default, source = "airlink default: those of RFC 8033")]
    pub pie: PieConfig,
    /// Parameters of the limit that follows the rate.
    #[field(default, source = "airlink default")]
    pub adaptive: AdaptiveConfig,
}

impl Management {
    /// Whether packets for which there is room may be dropped.
    pub(crate) fn chooses_drops(&self) -> bool {
        matches!(self.kind, QueueKind::Codel | QueueKind::Pie)
    }

    /// A queue with this management and the limits of `queue`.
    pub(crate) fn queue(&self, queue: &BottleneckConfig) -> QueueConfig {
        let (Self { kind, ecn, codel, pie, adaptive }, limit_packets) = (*self, queue.limit_packets);
        QueueConfig {
            kind,
            ecn,
            codel,
            pie,
            adaptive,
            limit_packets,
            limit_bytes: queue.limit_bytes,
            mark_above_packets: queue.mark_above_packets,
            mark_above_bytes: queue.mark_above_bytes,
            ..QueueConfig::default()
        }
    }
}
