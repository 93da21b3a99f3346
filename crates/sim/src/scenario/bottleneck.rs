//! A wired bottleneck instead of a cell.

use airlink_model::path::{BottleneckConfig, ImpairmentsConfig};
use airlink_model::queue::PriceConfig;
use airlink_model::types::declare::Section;

use super::hops::Management;

/// One queue that all flows share, first in, first out, and the wire behind it, in the cell's place.
#[derive(Clone, Debug, Section)]
pub struct Bottleneck {
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
