//! The flows' configurations, and when each starts.

use airlink_model::traffic::{Source, Stream};
use airlink_model::types::{Bytes, Purpose, RandomStream, Rate, UserId};

use super::path::{Place, impairments, link};
use super::{at, transport};
use crate::flow::FlowConfig;
use crate::scenario::{Flows, Scenario, Traffic};

pub(super) fn flows(scenario: &Scenario, seed: u64) -> Vec<FlowConfig> {
    let mut configs = Vec::new();
    for group in &scenario.flows {
        for user in group.user_numbers(scenario.users) {
            let flow = configs.len() as u64;
            let draw = RandomStream::new(seed, Purpose::FlowStart, flow).uniform();
            let config = flow_of(group, user, group.start_s + group.start_spread_s * draw);
            configs.push(FlowConfig {
                downlink_impairments: impairments(
                    group.path.downlink_impairments.as_ref(),
                    seed,
                    Place::Downlink { flow },
                ),
                uplink_impairments: impairments(group.path.uplink_impairments.as_ref(), seed, Place::Uplink { flow }),
                ..config
            });
        }
    }
    configs
}

fn flow_of(group: &Flows, user: usize, start_s: f64) -> FlowConfig {
    FlowConfig {
        user: UserId::new(user),
        source: match group.traffic {
            Traffic::Greedy {} => Source::Greedy,
            Traffic::File { bytes } => Source::File(Bytes::new(bytes)),
            Traffic::Stream { rate_bps, message_bytes } => {
                Source::Stream(Stream::new(Bytes::new(message_bytes), Rate::from_bps(rate_bps)))
            }
            Traffic::Backlogged { packet_bytes } => Source::Backlogged(Bytes::new(packet_bytes)),
        },
        start: at(start_s),
        stop: at(group.stop_s.0),
        downlink: link(group.path.downlink_rate_bps.0, group.path.downlink_delay_ms),
        uplink: link(group.path.uplink_rate_bps.0, group.path.uplink_delay_ms),
        downlink_impairments: None,
        uplink_impairments: None,
        header: Bytes::new(group.tcp.header_bytes),
        ack: Bytes::new(group.tcp.ack_bytes),
        count_option_bytes: group.tcp.count_option_bytes,
        sender: transport::sender(&group.tcp),
        receiver: transport::receiver(&group.tcp),
    }
}
