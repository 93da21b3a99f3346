//! Checks of queues and wires: stretches of time that must not overlap.

use airlink_model::path::ImpairmentsConfig;
use airlink_model::queue::QueueKind;
use airlink_model::types::{Duration, Time};

use super::Checks;
use crate::scenario::{Bottleneck, Hold, Hop, Management, Path, Scenario, Traffic};

/// Packets count the hops behind them in a byte.
const MOST_HOPS: usize = 100;

pub(super) fn check_bottleneck(checks: &mut Checks, bottleneck: &Bottleneck) {
    let freezes = bottleneck.queue.freezes.iter().map(|freeze| (freeze.at, freeze.length)).collect();
    check_stretches(checks, "bottleneck.freezes", freezes);
    check_management(checks, "bottleneck", &bottleneck.management, bottleneck.queue.arrivals_first);
    if let Some(impairments) = &bottleneck.impairments {
        check_impairments(checks, "bottleneck.impairments", impairments);
    }
}

/// A queue that decides at its head decides before what comes at the same nanosecond.
fn check_management(checks: &mut Checks, path: &str, management: &Management, arrivals_first: bool) {
    let holds = management.kind == QueueKind::DropTail || !arrivals_first;
    checks.require(&format!("{path}.arrivals_first"), true, holds, "only with kind drop_tail");
}

/// Each hop is sound and has a name of its own, and paths name what is there.
pub(super) fn check_hops(checks: &mut Checks, scenario: &Scenario) {
    let hops = &scenario.hops;
    checks.require("hops", hops.len(), hops.len() <= MOST_HOPS, "at most 100 of them");
    for (index, hop) in hops.iter().enumerate() {
        let path = format!("hops.{index}");
        let is_first = hops[..index].iter().all(|other| other.name != hop.name);
        checks.require(&format!("{path}.name"), &hop.name, is_first, "a name that no other hop has");
        check_hop(checks, &path, hop);
    }
    for (index, group) in scenario.flows.iter().enumerate() {
        let holds = group.path.uplink_hops.is_empty() || scenario.experimental.hold == Hold::Off;
        let path = format!("flows.{index}.path.uplink_hops");
        checks.require(&path, group.path.uplink_hops.join(", "), holds, "none with experimental.hold_timeouts");
        let Path { hops: down, uplink_hops: up, .. } = &group.path;
        for (field, listed) in [("hops", down), ("uplink_hops", up)] {
            let path = format!("flows.{index}.path.{field}");
            let has_transport = listed.is_empty() || !matches!(group.traffic, Traffic::Backlogged { .. });
            checks.require(&path, listed.join(", "), has_transport, "none without TCP, which paces what is sent");
            for (place, name) in listed.iter().enumerate() {
                let is_there = hops.iter().any(|hop| hop.name == *name);
                checks.require(&path, name, is_there, "the name of one of [[hops]]");
                checks.require(&path, name, !listed[..place].contains(name), "each hop once");
            }
        }
    }
}

fn check_hop(checks: &mut Checks, path: &str, hop: &Hop) {
    let freezes = hop.queue.freezes.iter().map(|freeze| (freeze.at, freeze.length)).collect();
    check_stretches(checks, &format!("{path}.freezes"), freezes);
    check_management(checks, path, &hop.management, hop.queue.arrivals_first);
    if let Some(impairments) = &hop.impairments {
        check_impairments(checks, &format!("{path}.impairments"), impairments);
    }
}

pub(super) fn check_impairments(checks: &mut Checks, path: &str, impairments: &ImpairmentsConfig) {
    let spikes = impairments.delay_spikes.iter().map(|spike| (spike.at, spike.length)).collect();
    check_stretches(checks, &format!("{path}.delay_spikes"), spikes);
    let outages = impairments.outages.iter().map(|outage| (outage.at, outage.length)).collect();
    check_stretches(checks, &format!("{path}.outages"), outages);
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
    use airlink_model::types::declare::Section;
    use serde_json::{Value, json};

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
}
