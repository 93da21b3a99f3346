//! The flows' configurations, and when each starts.
//!
//! Flows are numbered in the order of their groups, then of their users. Files that arrive at random come after all of
//! them, in the order in which they arrive: their draws are named by process and place in it, not by flow, so neither moves
//! the other's.

use std::sync::Arc;

use airlink_model::path::LinkConfig;
use airlink_model::traffic::{Browser, Source, Traffic};
use airlink_model::transport::Tcp;
use airlink_model::types::{Direction, FlowId, Purpose, RandomStream, Time, UserId};

use super::path::{Place, impairments, routes};
use super::{at, traffic};
use crate::browsing::{Connection, UserBrowser};
use crate::components::Components;
use crate::flow::{FlowConfig, Hold};
use crate::record::FlowTraits;
use crate::scenario::{Flows, Scenario};

/// The flows of a run.
pub(super) struct AllFlows {
    /// All up to `drain_end`, by number.
    pub(super) configs: Vec<FlowConfig>,
    /// How many there are of them up to `end`.
    pub(super) until_end: usize,
    /// The browsers of users who load pages.
    pub(super) browsers: Vec<UserBrowser>,
}

/// All flows up to `drain_end`.
pub(super) fn flows(scenario: &Scenario, components: &Components, seed: u64, end: Time, drain_end: Time) -> AllFlows {
    let (mut configs, mut browsers) = (Vec::new(), Vec::new());
    let (mut files, mut processes) = (Vec::new(), 0);
    let shared: Vec<Shared> = scenario.flows.iter().map(|group| Shared::of(group, scenario)).collect();
    for (number, group) in scenario.flows.iter().enumerate() {
        for user in group.user_numbers(scenario.users) {
            let own = components.source(number, FlowId::new(configs.len()));
            if own.is_none() && matches!(group.traffic, Traffic::Poisson { .. }) {
                let arrivals = traffic::arrivals(group, processes, seed, drain_end);
                files.extend(arrivals.into_iter().map(|arrival| (arrival, number, user)));
                processes += 1;
                continue;
            }
            let flow = configs.len() as u64;
            let draw = RandomStream::new(seed, Purpose::FlowStart, flow).uniform();
            let start = at(group.start_s + group.start_spread_s * draw);
            let config = flow_of(group, &shared[number], number, user, seed, flow);
            let pages = group.traffic.pages(seed, flow).filter(|_| own.is_none());
            let source = own.map_or_else(|| config.source.clone(), Source::Own);
            configs.push(FlowConfig { source, start, ..config });
            if let Some(pages) = pages {
                let (browser, stop) = (browsers.len(), at(group.stop_s));
                browsers.push(UserBrowser { first_flow: configs.len() - 1, start, stop, browser: Browser::new(pages) });
                for connection in 0..pages.connections {
                    if connection > 0 {
                        let flow = configs.len() as u64;
                        configs.push(FlowConfig { start, ..flow_of(group, &shared[number], number, user, seed, flow) });
                    }
                    let own = configs.len() - 1;
                    configs[own].connection = Some(Connection { browser, number: connection });
                }
            }
        }
    }
    // Stable: files of the same nanosecond stay in the order of their groups and users.
    files.sort_by_key(|(arrival, ..)| arrival.at);
    let until_end = configs.len() + files.iter().filter(|(arrival, ..)| arrival.at < end).count();
    for (arrival, number, user) in files {
        let config = flow_of(&scenario.flows[number], &shared[number], number, user, seed, configs.len() as u64);
        let source = Source::File(arrival.size);
        configs.push(FlowConfig { source, start: arrival.at, stop: Time::NEVER, ..config });
    }
    for (flow, config) in configs.iter_mut().enumerate() {
        config.hold = scenario.experimental.hold;
        config.asks_for_grants = scenario.uplink.is_some();
        config.control = components.control(config.group, &config.tcp, FlowId::new(flow));
    }
    AllFlows { configs, until_end, browsers }
}

/// What flows of this scenario may do, whether or not any file arrives.
pub(super) fn traits(scenario: &Scenario, components: &Components) -> FlowTraits {
    let mut traits = FlowTraits::default();
    for (number, group) in scenario.flows.iter().enumerate() {
        let shared = Shared::of(group, scenario);
        let config = flow_of(group, &shared, number, 0, 0, 0);
        let own = components.source(number, FlowId::default());
        traits.has_two_ways |= own.is_none() && (config.has_two_ways() || config.direction == Direction::Up);
        traits.has_impaired_paths |= config.has_impaired_path();
        traits.has_newer_rules |= config.has_newer_rules();
        traits.has_ecn |= config.has_ecn();
        traits.has_arrivals |= own.is_none() && matches!(group.traffic, Traffic::Poisson { .. });
        traits.has_datagrams |= own.is_none() && group.traffic.is_datagrams();
        traits.has_downloads |= own.map_or(config.source, Source::Own).has_downloads();
        traits.has_upstream |= !config.hops.is_empty();
        traits.has_uplink_hops |= !config.uplink_hops.is_empty();
    }
    traits.has_impaired_paths |= scenario.hops.iter().any(|hop| hop.impairments.is_some());
    traits.has_managed_hops = scenario.hops.iter().any(|hop| hop.management.chooses_drops());
    traits.has_uplink = scenario.uplink.is_some();
    traits.has_held_timeouts = scenario.experimental.hold != Hold::Off;
    traits
}

/// What the flows of a group share.
struct Shared {
    tcp: Arc<Tcp>,
    hops: Arc<[u8]>,
    uplink_hops: Arc<[u8]>,
}

impl Shared {
    fn of(group: &Flows, scenario: &Scenario) -> Self {
        let [hops, uplink_hops] = routes(group, scenario);
        Self { tcp: Arc::new(group.tcp), hops, uplink_hops }
    }
}

fn flow_of(group: &Flows, shared: &Shared, number: usize, user: usize, seed: u64, flow: u64) -> FlowConfig {
    let path = &group.path;
    FlowConfig {
        group: number,
        user: UserId::new(user),
        source: group.traffic.source(path.uplink_delay, seed, flow),
        direction: group.direction,
        start: at(group.start_s),
        stop: at(group.stop_s),
        downlink: LinkConfig { rate: path.downlink_rate, delay: path.downlink_delay },
        uplink: LinkConfig { rate: path.uplink_rate, delay: path.uplink_delay },
        hops: Arc::clone(&shared.hops),
        uplink_hops: Arc::clone(&shared.uplink_hops),
        asks_for_grants: false,
        downlink_impairments: impairments(path.downlink_impairments.as_ref(), seed, Place::Downlink { flow })
            .map(Box::new),
        uplink_impairments: impairments(path.uplink_impairments.as_ref(), seed, Place::Uplink { flow }).map(Box::new),
        connection: None,
        hold: Hold::Off,
        goes_ahead: false,
        tcp: Arc::clone(&shared.tcp),
        control: None,
    }
}
