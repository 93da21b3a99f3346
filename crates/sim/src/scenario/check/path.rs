//! Checks of queues and wires: stretches of time that must not overlap, and bounds of a price.

use airlink_model::path::ImpairmentsConfig;
use airlink_model::queue::{ClampDelayPriceConfig, PriceConfig};
use airlink_model::types::{Duration, Time};

use super::Checks;
use crate::scenario::{Bottleneck, Upstream};

pub(super) fn check_bottleneck(checks: &mut Checks, bottleneck: &Bottleneck) {
    let freezes = bottleneck.queue.freezes.iter().map(|freeze| (freeze.at, freeze.length)).collect();
    check_stretches(checks, "bottleneck.freezes", freezes);
    check_price(checks, "bottleneck.price", &bottleneck.price);
    if let Some(impairments) = &bottleneck.impairments {
        check_impairments(checks, "bottleneck.impairments", impairments);
    }
}

pub(super) fn check_upstream(checks: &mut Checks, upstream: &Upstream) {
    check_price(checks, "upstream.price", &upstream.price);
}

pub(super) fn check_impairments(checks: &mut Checks, path: &str, impairments: &ImpairmentsConfig) {
    let spikes = impairments.delay_spikes.iter().map(|spike| (spike.at, spike.length)).collect();
    check_stretches(checks, &format!("{path}.delay_spikes"), spikes);
    let outages = impairments.outages.iter().map(|outage| (outage.at, outage.length)).collect();
    check_stretches(checks, &format!("{path}.outages"), outages);
}

/// An a that follows a wait begins within its bounds.
pub(super) fn check_price(checks: &mut Checks, path: &str, price: &PriceConfig) {
    let PriceConfig::ClampDelay(config) = price else { return };
    let ClampDelayPriceConfig { initial_free_bytes: initial, least_free_bytes, most_free_bytes, .. } = config;
    let holds = least_free_bytes <= initial && initial <= most_free_bytes;
    let allowed =
        format!("must be between least_free_bytes ({least_free_bytes}) and most_free_bytes ({most_free_bytes})");
    checks.require(&format!("{path}.initial_free_bytes"), initial, holds, &allowed);
}

/// Each ends before the next begins.
fn check_stretches(checks: &mut Checks, path: &str, mut stretches: Vec<(Time, Duration)>) {
    stretches.sort_by_key(|(at, _)| *at);
    for pair in stretches.windows(2) {
        let apart = pair[0].0 + pair[0].1 <= pair[1].0;
        let at_s = pair[1].0.as_secs();
        checks.require(&format!("{path}.at_s"), at_s, apart, "not before the one in front of it ends");
    }
}
