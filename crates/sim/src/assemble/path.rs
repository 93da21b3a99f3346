//! Wires, what befalls packets on them, and the bottleneck.

use airlink_model::path::{
    Bottleneck, BottleneckConfig, DelaySpike, Freeze, Impairments, ImpairmentsConfig, LinkConfig, Loss, Moment, Outage,
};
use airlink_model::types::{Bytes, Duration, Rate};

use super::at;
use crate::flow::Payload;
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

pub(super) fn link(rate_bps: f64, delay_ms: f64) -> LinkConfig {
    LinkConfig { rate: Rate::from_bps(rate_bps), delay: Duration::from_secs(delay_ms / 1e3) }
}

pub(super) fn bottleneck(written: &scenario::Bottleneck, seed: u64) -> Bottleneck<Payload> {
    let config = BottleneckConfig {
        link: link(written.rate_bps, written.delay_ms),
        limit_packets: written.limit_packets.0,
        limit_bytes: Bytes::new(written.limit_bytes.0),
        in_service_counts: written.in_service_counts,
        arrivals_first: written.arrivals_first,
    };
    let freeze = |freeze: &scenario::Freeze| Freeze {
        at: at(freeze.at_s),
        length: Duration::from_secs(freeze.for_s),
        pauses: freeze.in_service == scenario::InService::Pauses,
    };
    let impairments = impairments(written.impairments.as_ref(), seed, Place::Bottleneck);
    Bottleneck::new(config, impairments).frozen(written.freezes.iter().map(freeze).collect())
}

pub(super) fn upstream(written: &scenario::Upstream) -> Bottleneck<Payload> {
    let config = BottleneckConfig {
        link: link(written.rate_bps, written.delay_ms),
        limit_packets: written.limit_packets.0,
        limit_bytes: Bytes::new(written.limit_bytes.0),
        in_service_counts: true,
        arrivals_first: false,
    };
    Bottleneck::new(config, None)
}

pub(super) fn impairments(written: Option<&scenario::Impairments>, seed: u64, place: Place) -> Option<Impairments> {
    let written = written?;
    let seconds = |seconds: f64| Duration::from_secs(seconds);
    let spike = |spike: &scenario::DelaySpike| DelaySpike {
        at: at(spike.at_s),
        length: seconds(spike.for_s),
        extra: seconds(spike.extra_ms / 1e3),
        keep_order: spike.keep_order,
        moment: match spike.moment {
            scenario::Moment::Sent => Moment::Sent,
            scenario::Moment::Begun => Moment::Begun,
        },
    };
    let outage =
        |outage: &scenario::Outage| Outage { at: at(outage.at_s), length: seconds(outage.for_s), hold: outage.hold };
    let config = ImpairmentsConfig {
        drop_numbers: written.drop_numbers.clone(),
        duplicate_numbers: written.duplicate_numbers.clone(),
        reorder_numbers: written.reorder_numbers.clone(),
        reorder_extra: seconds(written.reorder_extra_ms / 1e3),
        drop_at: written.drop_at_s.iter().map(|&time_s| at(time_s)).collect(),
        loss: match written.loss {
            scenario::Loss::None {} => Loss::None,
            scenario::Loss::Random { p } => Loss::Random { probability: p },
            scenario::Loss::GilbertElliott { p, r, loss_good, loss_bad } => {
                Loss::GilbertElliott { to_bad: p, to_good: r, loss_good, loss_bad }
            }
        },
        reorder_probability: written.reorder_probability,
        duplicate_probability: written.duplicate_probability,
        delay_spikes: written.delay_spikes.iter().map(spike).collect(),
        outages: written.outages.iter().map(outage).collect(),
    };
    Some(Impairments::new(config, seed, place.number()))
}
