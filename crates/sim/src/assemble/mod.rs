//! From a scenario to the parts of a simulation: the one place that knows both vocabularies.

mod code_blocks;
mod fading;
mod flows;
mod path;
mod radio;
mod rates;
mod traffic;

use airlink_model::cell::{Cell, CellConfig, CellUser, UserRadio};
use airlink_model::rlc::RlcConfig;
use airlink_model::scheduler::{ExperimentalScheduler, SchedulerConfig, build, build_experimental};
use airlink_model::types::{CellId, Duration, Time, UserId};

use crate::components::Components;
use crate::network::{Network, Origin};
use crate::parts::{AloneParts, Parts, UserPlace};
use crate::scenario::{self, Radio, Scenario, Trace};
use crate::uplink::UplinkOrigin;
use crate::wired_bottleneck::WiredBottleneck;

pub use rates::rate_table;

/// The parts of `scenario` under `seed`; `components` take the place of its own.
pub(crate) fn assemble(scenario: &Scenario, traces: &[Trace], seed: u64, components: &Components) -> Parts {
    assemble_coupled(false, scenario, traces, seed, components)
}

/// The parts of `scenario`; `coupled`: the cell is computed as one that others interfere with, slot by slot.
fn assemble_coupled(coupled: bool, scenario: &Scenario, traces: &[Trace], seed: u64, components: &Components) -> Parts {
    let traits = flows::traits(scenario, components);
    let (network, origin, places) = match &scenario.network {
        scenario::Network::Radio(radio) => {
            let (fading, blocks) = (fading::CellFading::of(radio, seed), code_blocks::errors(&radio.link));
            let (users, blocks, subchannels) = (scenario.users, blocks.as_ref(), radio.carrier.subchannels);
            let slot_s = radio.clock().slot_secs();
            let slots = ((scenario.warmup_s / slot_s).ceil() as u64, (scenario.duration_s / slot_s).floor() as u64);
            let rates = rates::PartRates::of(&radio.link.rate, subchannels as f64);
            let setting = radio::Setting { radio, users, slots, fading: &fading, rates: rates.as_ref(), blocks };
            let (radios, places) = radio::radios(setting, traces, seed);
            let own = || {
                let control = scenario.experimental.scheduler;
                build_experimental(control, &radio.scheduler, scenario.users, subchannels, seed)
                    .unwrap_or_else(|| build(&radio.scheduler, scenario.users, subchannels, seed))
            };
            let queue_management = components.queues.clone();
            let config = CellConfig { coupled, queue_management, ..cell(radio, radios, seed) };
            let outside = components.scheduler_of(&radio.scheduler, scenario.users, subchannels, seed);
            let scheduler = outside.unwrap_or_else(own);
            let origin = traits.has_downloads.then(|| Origin::of_cell(config.clone()));
            let mut cell = Cell::new(config, Some(scheduler));
            if scenario.experimental.scheduler != ExperimentalScheduler::None {
                cell.show_goodput();
            }
            (Network::of_cell(cell), origin, places)
        }
        scenario::Network::Bottleneck(bottleneck) => {
            assert!(!components.is_for_cells(), "a wired bottleneck has neither a scheduler nor queues to manage");
            let wired = WiredBottleneck::new(path::bottleneck(bottleneck, seed));
            let origin = traits.has_downloads.then(|| Origin::of_wired(&wired));
            (Network::of_wired(wired), origin, vec![UserPlace::NOWHERE; scenario.users])
        }
    };
    let (warmup, end, drain_end) = (at(scenario.warmup_s), at(scenario.duration_s), at(scenario.longest_s()));
    let flows::AllFlows { configs: flows, until_end: window_flows, browsers } =
        flows::flows(scenario, components, seed, end, drain_end);
    let hops = path::hops(scenario, seed, flows.len());
    let uplink = uplink(scenario);
    let of = |network| {
        Box::new(AloneParts {
            network,
            hops: hops.clone(),
            uplink,
            flows: flows.clone(),
            browsers: browsers.clone(),
            end: drain_end + drain_end.since(Time::ZERO),
        })
    };
    let alone = origin.map(of);
    let uplink = uplink.map(|origin| origin.of_all(flows.len()));
    Parts {
        network,
        hops,
        uplink,
        flows,
        browsers,
        flow_traits: traits,
        places,
        warmup,
        end,
        drain_end,
        window_flows,
        alone,
    }
}

fn uplink(scenario: &Scenario) -> Option<UplinkOrigin> {
    let (config, radio) = (scenario.uplink?, scenario.radio()?);
    Some(UplinkOrigin { config, clock: radio.clock(), pattern: radio.slot.tdd, users: scenario.users })
}

fn cell(radio: &Radio, radios: Vec<UserRadio>, seed: u64) -> CellConfig {
    let SchedulerConfig { weight, delay_budget_ms, .. } = &radio.scheduler;
    let user = |(user, radio)| CellUser {
        id: UserId::new(user),
        radio,
        weight: weight.of(user),
        delay_budget_s: delay_budget_ms.of(user) / 1e3,
    };
    CellConfig {
        id: CellId::default(),
        clock: radio.clock(),
        duplex: radio.slot.duplex(),
        subchannels: radio.carrier.subchannels,
        users: radios.into_iter().enumerate().map(user).collect(),
        coupled: false,
        rlc: RlcConfig { segmentation: radio.rlc, arq: radio.link.arq, harq: radio.link.harq },
        queue: radio.queue,
        queue_management: None,
        seed,
        serve_empty_queues: radio.scheduler.serve_empty_queues,
    }
}

/// The moment `seconds` after the start.
fn at(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RecordKind;
    use crate::simulation::Simulation;
    use serde_json::{Value, json};

    /// Fading, late noisy reports, losses and retransmission in [Klein04]'s cell.
    fn scenario(changes: &[(&str, Value)]) -> Scenario {
        let mut scenario: Value =
            serde_json::from_str(include_str!("../../../../tests/fixtures/k3.json")).expect("a fixture is JSON");
        let own = [
            ("/duration_s", json!(4.0)),
            ("/link/report/delay_slots", json!(2)),
            ("/link/report/period_slots", json!(3)),
            ("/link/report/quantisation_db", json!(0.5)),
            ("/link/errors/probability", json!(0.05)),
            ("/link/errors/threshold_rule", json!(true)),
            ("/link/arq/max_retransmissions", json!(4)),
        ];
        for (pointer, value) in own.iter().chain(changes) {
            *scenario.pointer_mut(pointer).expect("a field of a scenario") = value.clone();
        }
        Scenario::from_json(&scenario.to_string()).expect("the scenario is valid")
    }

    #[test]
    fn one_subchannel_computed_as_such_is_the_carrier_bit_by_bit() {
        let steps = json!({
            "kind": "steps", "target_bler": 0.2, "step_down_db": 0.6, "lowest_db": -9, "highest_db": 3, "initial_db": -1,
            "feedback_delay_slots": 2,
        });
        let margin = json!({
            "kind": "margin", "target_per": 0.05, "gain": 0.3, "lowest": -4, "highest": 0.9, "initial": 0.2,
        });
        let exact = vec![("/link/report/error_sd_db", json!(0.0)), ("/rlc/carry_fraction", json!(true))];
        let late = |outer_loop| vec![("/link/outer_loop", outer_loop), ("/link/arq/max_retransmissions", json!(1))];
        let by_slots = vec![("/link/arq/unit", json!("slot")), ("/link/arq/repeats", json!("at_once"))];
        let moved_at_once = [by_slots.clone(), late(margin.clone())].concat();
        for changes in [vec![], exact, by_slots, late(steps), late(margin), moved_at_once] {
            let scenario = scenario(&changes);
            let digest = |coupled: bool| {
                let parts = assemble_coupled(coupled, &scenario, &[], 5, &Components::default());
                let mut simulation = Simulation::from_parts(parts, &RecordKind::ALL);
                simulation.advance_until(Time::NEVER);
                simulation.into_replica(5).digest()
            };
            assert_eq!(digest(true), digest(false));
        }
    }
}
