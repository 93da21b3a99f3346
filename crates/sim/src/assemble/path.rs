//! Wires, their impairments, hops and who passes them.

use std::sync::Arc;

use airlink_model::path::{Bottleneck, BottleneckConfig, Impairments, ImpairmentsConfig};
use airlink_model::queue::{Marker, Queue, QueueKind};
use airlink_model::types::UserId;

use crate::hop::{Hop, HopQueue};
use crate::parts::Hops;
use crate::path_hop::PathHop;
use crate::scenario::{self, Flows, Management, Scenario};

/// Which wire of a run: part of the name of its random streams, never to be renumbered.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Bottleneck,
    Downlink {
        flow: u64,
    },
    Uplink {
        flow: u64,
    },
    /// Far beyond the flows, of which there are fewer than 2^32.
    Hop {
        number: u64,
    },
}

impl Place {
    const fn number(self) -> u64 {
        match self {
            Self::Bottleneck => 0,
            Self::Downlink { flow } => 2 * flow + 1,
            Self::Uplink { flow } => 2 * flow + 2,
            Self::Hop { number } => (1 << 40) + number,
        }
    }
}

/// Where the names of queues' draws begin that are no user's: there are at most 100 000 users.
const QUEUES_BEHIND_USERS: usize = 1 << 20;

/// A queue, its wire and what it adds to marks, as written.
struct WrittenHop<'a> {
    queue: &'a BottleneckConfig,
    management: Management,
    marker: Option<Marker>,
    impairments: Option<&'a ImpairmentsConfig>,
    place: Place,
}

impl WrittenHop<'_> {
    fn hop(self, seed: u64) -> Hop {
        let impairments = impairments(self.impairments, seed, self.place);
        let queue = if self.management.kind == QueueKind::DropTail {
            HopQueue::DropTail(Bottleneck::new(self.queue, impairments))
        } else {
            let number = if let Place::Hop { number } = self.place { 1 + number as usize } else { 0 };
            let config = self.management.queue(self.queue);
            let queue = Queue::new(&config, seed, UserId::new(QUEUES_BEHIND_USERS + number));
            HopQueue::Managed(Box::new(crate::managed_hop::ManagedHop::new(queue, self.queue, impairments)))
        };
        Hop::new(queue, self.marker)
    }
}

pub(super) fn bottleneck(written: &scenario::Bottleneck, seed: u64) -> Hop {
    let scenario::Bottleneck { queue, management, price, impairments } = written;
    let impairments = impairments.as_ref();
    WrittenHop { queue, management: *management, marker: Marker::new(price), impairments, place: Place::Bottleneck }
        .hop(seed)
}

/// The hops of `[[hops]]`, then that of `[upstream]`, which is one more of them.
pub(super) fn hops(scenario: &Scenario, seed: u64, flows: usize) -> Hops {
    let mut nodes = Vec::new();
    for (number, written) in scenario.hops.iter().enumerate() {
        let scenario::Hop { queue, management, price, impairments, .. } = written;
        let (impairments, place) = (impairments.as_ref(), Place::Hop { number: number as u64 });
        let hop =
            WrittenHop { queue, management: *management, marker: Marker::new(price), impairments, place }.hop(seed);
        nodes.push(PathHop::new(hop, queue.rate, flows));
    }
    let upstream = scenario.upstream.as_ref().map(|written| {
        let scenario::Upstream { rate, delay, limit_packets, limit_bytes, ref price } = *written;
        let queue = &BottleneckConfig { rate, delay, limit_packets, limit_bytes, ..BottleneckConfig::default() };
        let (management, place) = (Management::default(), Place::Hop { number: nodes.len() as u64 });
        let hop = WrittenHop { queue, management, marker: Marker::new(price), impairments: None, place }.hop(seed);
        nodes.push(PathHop::new(hop, rate, flows));
        nodes.len() - 1
    });
    Hops { nodes, upstream }
}

/// The hops that packets of this group pass on their way to the network, and ACKs on their way back, by number.
pub(super) fn routes(group: &Flows, scenario: &Scenario) -> [Arc<[u8]>; 2] {
    let number = |index: usize| u8::try_from(index).expect("at most 100 hops");
    let of = |name: &String| {
        let place = scenario.hops.iter().position(|hop| hop.name == *name);
        number(place.expect("paths name hops that are there"))
    };
    let upstream = group.path.upstream.then(|| number(scenario.hops.len()));
    [group.path.hops.iter().map(of).chain(upstream).collect(), group.path.uplink_hops.iter().map(of).collect()]
}

pub(super) fn impairments(written: Option<&ImpairmentsConfig>, seed: u64, place: Place) -> Option<Impairments> {
    written.map(|config| Impairments::new(config, seed, place.number()))
}
