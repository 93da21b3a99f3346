//! CLAMP: the bounds of queues' prices, and that a window which follows a price passes a queue that has one.

use airlink_model::queue::{ClampDelayPriceConfig, PriceConfig};

use super::Checks;
use crate::scenario::{Flows, Network, Scenario};

pub(super) fn check(checks: &mut Checks, scenario: &Scenario) {
    let (path, price) = match &scenario.network {
        Network::Radio(radio) => ("queue.price", &radio.queue.price),
        Network::Bottleneck(bottleneck) => ("bottleneck.price", &bottleneck.price),
    };
    check_price(checks, path, price);
    if let Some(upstream) = &scenario.upstream {
        check_price(checks, "upstream.price", &upstream.price);
    }
    for (index, hop) in scenario.hops.iter().enumerate() {
        check_price(checks, &format!("hops.{index}.price"), &hop.price);
    }
    for (index, group) in scenario.flows.iter().enumerate() {
        let Some(clamp) = group.tcp.clamp else { continue };
        let side = format!("{:?}", clamp.side).to_lowercase();
        let holds = *price != PriceConfig::None || has_price_before(group, scenario);
        checks.require(&format!("flows.{index}.tcp.clamp.side"), side, holds, "only where a queue has a price");
    }
}

/// Whether a queue that this group passes before the network has a price.
fn has_price_before(group: &Flows, scenario: &Scenario) -> bool {
    let upstream = scenario.upstream.as_ref().filter(|_| group.path.upstream).map(|upstream| &upstream.price);
    let hops = scenario.hops.iter().filter(|hop| group.path.hops.contains(&hop.name)).map(|hop| &hop.price);
    upstream.into_iter().chain(hops).any(|price| *price != PriceConfig::None)
}

/// An a that follows a wait begins within its bounds.
fn check_price(checks: &mut Checks, path: &str, price: &PriceConfig) {
    let PriceConfig::ClampDelay(config) = price else { return };
    let ClampDelayPriceConfig { initial_free_a_bytes: initial, least_free_a_bytes, most_free_a_bytes, .. } = config;
    let holds = least_free_a_bytes <= initial && initial <= most_free_a_bytes;
    let allowed = format!(
        "must be between least_free_a_bytes ({least_free_a_bytes}) and most_free_a_bytes ({most_free_a_bytes})"
    );
    checks.require(&format!("{path}.initial_free_a_bytes"), initial, holds, &allowed);
}

#[cfg(test)]
mod tests {
    use airlink_model::types::declare::Section;
    use serde_json::{Value, json};

    use super::*;
    use crate::scenario::json as values;

    /// The paths of the mistakes in a wired scenario with these tables added.
    fn mistakes(tables: &[(&str, &str, Value)]) -> Vec<String> {
        let text = include_str!("../../../../../tests/fixtures/dumbbell.json");
        let mut scenario: Value = serde_json::from_str(text).expect("a fixture is JSON");
        for (table, field, value) in tables {
            scenario.pointer_mut(table).expect("a table of a scenario")[*field] = value.clone();
        }
        let found = Scenario::from_json(&scenario.to_string()).err().unwrap_or_default();
        found.into_iter().map(|problem| problem.path).collect()
    }

    /// A price that follows a wait, from so many bytes on.
    fn follows_wait(initial_free_a_bytes: f64) -> Value {
        let config = ClampDelayPriceConfig { initial_free_a_bytes, ..ClampDelayPriceConfig::default() };
        values::of_value(&PriceConfig::ClampDelay(config).to_value())
    }

    #[test]
    fn a_price_that_follows_a_wait_begins_within_its_bounds() {
        let upstream = |initial| {
            let wire = json!({ "rate_bps": 1e7, "delay_ms": 0.0, "limit_packets": "inf", "limit_bytes": "inf" });
            let mut upstream = wire;
            upstream["price"] = follows_wait(initial);
            mistakes(&[("", "upstream", upstream)])
        };
        let bottleneck = |initial| mistakes(&[("/bottleneck", "price", follows_wait(initial))]);
        assert!(bottleneck(6e6).is_empty() && upstream(6e6).is_empty());
        assert_eq!(bottleneck(6.1e6), ["bottleneck.price.initial_free_a_bytes"]);
        assert_eq!(upstream(6.1e6), ["upstream.price.initial_free_a_bytes"]);
    }

    #[test]
    fn a_window_that_follows_a_price_passes_a_queue_with_one() {
        let clamp = values::of_value(&airlink_model::transport::ClampConfig::default().to_value());
        let clamp = ("/flows/0/tcp", "clamp", clamp);
        assert_eq!(mistakes(std::slice::from_ref(&clamp)), ["flows.0.tcp.clamp.side"]);
        assert!(mistakes(&[clamp, ("/bottleneck", "price", follows_wait(0.0))]).is_empty());
    }
}
