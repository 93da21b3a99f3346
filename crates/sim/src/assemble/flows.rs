//! The flows' configurations, and when each starts.

use airlink_model::path::LinkConfig;
use airlink_model::traffic::Source;
use airlink_model::types::{Bytes, Duration, Purpose, RandomStream, Rate, UserId};

use super::{at, transport};
use crate::flow::FlowConfig;
use crate::scenario::{Flows, Scenario, Traffic};

pub(super) fn flows(scenario: &Scenario, seed: u64) -> Vec<FlowConfig> {
    let mut configs = Vec::new();
    for group in &scenario.flows {
        for user in group.user_numbers(scenario.users) {
            let flow = configs.len() as u64;
            let draw = RandomStream::new(seed, Purpose::FlowStart, flow).uniform();
            configs.push(flow_of(group, user, group.start_s + group.start_spread_s * draw));
        }
    }
    configs
}

fn flow_of(group: &Flows, user: usize, start_s: f64) -> FlowConfig {
    let (downlink_s, uplink_s) = group.path.delays_s();
    let link = |rate_bps: f64, delay_s: f64| LinkConfig {
        rate: Rate::from_bps(rate_bps),
        delay: Duration::from_secs(delay_s),
    };
    FlowConfig {
        user: UserId::new(user),
        source: match group.traffic {
            Traffic::Greedy {} => Source::Greedy,
            Traffic::File { bytes } => Source::File(Bytes::new(bytes)),
            Traffic::Backlogged { packet_bytes } => Source::Backlogged(Bytes::new(packet_bytes)),
        },
        start: at(start_s),
        stop: at(group.stop_s.0),
        downlink: link(group.path.downlink_rate_bps.0, downlink_s),
        uplink: link(group.path.uplink_rate_bps.0, uplink_s),
        header: Bytes::new(group.tcp.header_bytes),
        ack: Bytes::new(group.tcp.ack_bytes),
        count_option_bytes: group.tcp.count_option_bytes,
        sender: transport::sender(&group.tcp),
        receiver: transport::receiver(&group.tcp),
    }
}
