//! Wires, their impairments, and the bottleneck.

use airlink_model::path::{Bottleneck, BottleneckConfig, Impairments, ImpairmentsConfig};

use crate::hop::Hop;
use crate::scenario;

/// Which wire of a run: part of the name of its random streams, never to be renumbered.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Bottleneck,
    Downlink { flow: u64 },
    Uplink { flow: u64 },
}

impl Place {
    const fn number(self) -> u64 {
        match self {
            Self::Bottleneck => 0,
            Self::Downlink { flow } => 2 * flow + 1,
            Self::Uplink { flow } => 2 * flow + 2,
        }
    }
}

pub(super) fn bottleneck(written: &scenario::Bottleneck, seed: u64) -> Hop {
    let impairments = impairments(written.impairments.as_ref(), seed, Place::Bottleneck);
    Hop::new(Bottleneck::new(&written.queue, impairments), &written.price)
}

pub(super) fn upstream(written: &scenario::Upstream) -> Hop {
    let scenario::Upstream { rate, delay, limit_packets, limit_bytes, price } = *written;
    let config = BottleneckConfig { rate, delay, limit_packets, limit_bytes, ..BottleneckConfig::default() };
    Hop::new(Bottleneck::new(&config, None), &price)
}

pub(super) fn impairments(written: Option<&ImpairmentsConfig>, seed: u64, place: Place) -> Option<Impairments> {
    written.map(|config| Impairments::new(config, seed, place.number()))
}
