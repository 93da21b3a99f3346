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
    let ClampDelayPriceConfig { initial_free_a_bytes: initial, least_free_a_bytes, most_free_a_bytes, .. } = config;
    let holds = least_free_a_bytes <= initial && initial <= most_free_a_bytes;
    let allowed = format!(
        "must be between least_free_a_bytes ({least_free_a_bytes}) and most_free_a_bytes ({most_free_a_bytes})"
    );
    checks.require(&format!("{path}.initial_free_a_bytes"), initial, holds, &allowed);
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

#[cfg(test)]
mod tests {
    use airlink_model::path::ImpairmentsConfig;
    use airlink_model::queue::ClampDelayPriceConfig;
    use airlink_model::types::declare::Section;
    use serde_json::{Value, json};

    use super::PriceConfig;
    use crate::scenario::{Scenario, json as values};

    /// The paths of the mistakes in a wired scenario with this value at `place`.
    fn mistakes(place: &str, value: Value) -> Vec<String> {
        let text = include_str!("../../../../../tests/fixtures/dumbbell.json");
        let mut scenario: Value = serde_json::from_str(text).expect("a fixture is JSON");
        let (table, field) = place.rsplit_once('/').expect("a field of a table");
        scenario.pointer_mut(table).expect("a table of a scenario")[field] = value;
        let found = Scenario::from_json(&scenario.to_string()).err().unwrap_or_default();
        found.into_iter().map(|problem| problem.path).collect()
    }

    #[test]
    fn stretches_of_time_do_not_overlap() {
        let freezes = |second_s: f64| {
            let freeze = |at_s: f64| json!({ "at_s": at_s, "for_s": 2, "in_service": "pauses" });
            mistakes("/bottleneck/freezes", json!([freeze(second_s), freeze(1.0)]))
        };
        assert!(freezes(3.0).is_empty());
        assert_eq!(freezes(2.999), ["bottleneck.freezes.at_s"]);

        let outages = |second_s: f64| {
            let mut impairments = values::of_value(&ImpairmentsConfig::default().to_value());
            let outage = |at_s: f64| json!({ "at_s": at_s, "for_s": 2, "hold": true });
            impairments["outages"] = json!([outage(1.0), outage(second_s)]);
            mistakes("/flows/0/path/uplink_impairments", impairments)
        };
        assert!(outages(3.0).is_empty());
        assert_eq!(outages(2.999), ["flows.0.path.uplink_impairments.outages.at_s"]);
    }

    #[test]
    fn a_price_that_follows_a_wait_begins_within_its_bounds() {
        let begins = |initial_free_a_bytes| {
            let config = ClampDelayPriceConfig { initial_free_a_bytes, ..ClampDelayPriceConfig::default() };
            mistakes("/bottleneck/price", values::of_value(&PriceConfig::ClampDelay(config).to_value()))
        };
        assert!(begins(6e6).is_empty());
        assert_eq!(begins(6.1e6), ["bottleneck.price.initial_free_a_bytes"]);
    }
}
