//! The flows' configurations, and when each starts.

use airlink_model::path::LinkConfig;
use airlink_model::traffic::Source;
use airlink_model::transport::{Algorithm, DelayedAck, InitialWindowRule, ReceiverConfig, RtoConfig, SenderConfig};
use airlink_model::types::{Bytes, Duration, Purpose, RandomStream, Rate, UserId};

use super::at;
use crate::flow::FlowConfig;
use crate::scenario::{CongestionControl, Flows, Scenario, Tcp, Traffic};

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
        sender: sender(&group.tcp),
        receiver: receiver(&group.tcp),
    }
}

pub(super) fn receiver(tcp: &Tcp) -> ReceiverConfig {
    ReceiverConfig {
        mss: Bytes::new(tcp.mss_bytes),
        delayed_ack: DelayedAck {
            every: tcp.delayed_ack.every,
            timer: milliseconds(tcp.delayed_ack.timer_ms),
            ..DelayedAck::default()
        },
        window: Bytes::new(tcp.receiver_window_bytes),
        window_shift: ReceiverConfig::window_shift_for(Bytes::new(tcp.receiver_window_bytes)),
        ..ReceiverConfig::default()
    }
}

pub(super) fn sender(tcp: &Tcp) -> SenderConfig {
    SenderConfig {
        mss: Bytes::new(tcp.mss_bytes),
        congestion_control: match tcp.congestion_control {
            CongestionControl::Reno => Algorithm::Reno,
            CongestionControl::NewReno => Algorithm::NewReno,
        },
        initial_window: InitialWindowRule::Segments(tcp.initial_window_segments),
        initial_ssthresh_segments: tcp.initial_ssthresh_segments.0,
        receiver_window: Bytes::new(tcp.receiver_window_bytes),
        duplicate_ack_threshold: tcp.duplicate_ack_threshold,
        guard_after_timeout: tcp.guard_after_timeout,
        rto: RtoConfig {
            min: milliseconds(tcp.rto.min_ms),
            initial: milliseconds(tcp.rto.initial_ms),
            max: milliseconds(tcp.rto.max_ms),
            tick: milliseconds(tcp.rto.tick_ms),
            backoff_factor: tcp.rto.backoff_factor,
            karn: tcp.rto.karn,
            variance_floor: tcp.rto.variance_floor,
            sample_every_ack: tcp.rto.sample_every_ack,
            ..RtoConfig::default()
        },
        ..SenderConfig::default()
    }
}

fn milliseconds(value: f64) -> Duration {
    Duration::from_secs(value / 1e3)
}
