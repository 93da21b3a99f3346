//! From a scenario to the parts of a simulation: the one place that knows both vocabularies.

mod flows;
mod radio;
mod scheduler;
mod transport;

use airlink_model::cell::CellConfig;
use airlink_model::queue::QueueConfig;
use airlink_model::rlc::RlcConfig;
use airlink_model::scheduler::{Scheduler, build};
use airlink_model::transport::{ReceiverConfig, SenderConfig};
use airlink_model::types::{Bytes, Duration, Time};

use crate::flow::FlowConfig;
use crate::scenario::{Scenario, Tcp, Trace};

/// Everything a simulation starts from.
pub(crate) struct Parts {
    pub(crate) cell: CellConfig,
    pub(crate) scheduler: Box<dyn Scheduler>,
    pub(crate) flows: Vec<FlowConfig>,
    pub(crate) places: Vec<UserPlace>,
    pub(crate) warmup: Time,
    pub(crate) end: Time,
}

/// Where a user is, for the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserPlace {
    pub(crate) distance_m: f64,
    pub(crate) mean_snr_db: f64,
}

/// The parts of `scenario` under `seed`.
pub(crate) fn assemble(scenario: &Scenario, traces: &[Trace], seed: u64) -> Parts {
    let clock = scenario.clock();
    let users = radio::users(scenario, traces, seed);
    let places = users.iter().map(|user| user.place).collect();
    let cell = CellConfig {
        clock,
        radios: users.into_iter().map(|user| user.radio).collect(),
        rlc: rlc(scenario),
        queue: QueueConfig {
            limit_packets: scenario.queue.limit_packets.0,
            limit_bytes: Bytes::new(scenario.queue.limit_bytes.0),
        },
        serve_empty_queues: scenario.scheduler.common().serve_empty_queues,
    };
    Parts {
        cell,
        scheduler: build(&scheduler::config(&scenario.scheduler), scenario.users, 1, seed),
        flows: flows::flows(scenario, seed),
        places,
        warmup: at(scenario.warmup_s),
        end: at(scenario.duration_s),
    }
}

/// The two ends of a connection.
pub(crate) fn ends(tcp: &Tcp) -> (SenderConfig, ReceiverConfig) {
    (transport::sender(tcp), transport::receiver(tcp))
}

fn rlc(scenario: &Scenario) -> RlcConfig {
    let (rlc, arq) = (&scenario.rlc, &scenario.link.arq);
    RlcConfig {
        segment: Bytes::new(rlc.segment_bytes),
        segment_header: Bytes::new(rlc.segment_header_bytes),
        block_header: Bytes::new(rlc.block_header_bytes),
        carry_fraction: rlc.carry_fraction,
        in_order: rlc.in_order,
        max_retransmissions: u32::try_from(arq.max_retransmissions.0).unwrap_or(u32::MAX),
        feedback_delay_slots: arq.feedback_delay_slots,
    }
}

/// The moment `seconds` after the start.
fn at(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}
