//! Each user's queue.

use airlink_model::queue::{
    AdaptiveConfig, CodelConfig, FreeConfig, LimitCounts, Management, PieConfig, PriceConfig, QueueConfig,
    WaitTargetConfig,
};
use airlink_model::types::{Bytes, Duration};

use crate::scenario::{self, Adaptive, Pie, Price, Queue, QueueKind};

pub(super) fn config(queue: &Queue, seed: u64) -> QueueConfig {
    QueueConfig {
        limit_packets: queue.limit_packets.0,
        limit_bytes: Bytes::new(queue.limit_bytes.0),
        limit_counts: match queue.limit_counts {
            scenario::LimitCounts::Held => LimitCounts::Held,
            scenario::LimitCounts::Unsent => LimitCounts::Unsent,
        },
        management: management(queue, seed),
        price: price(&queue.price),
    }
}

fn management(queue: &Queue, seed: u64) -> Management {
    match queue.kind {
        QueueKind::DropTail => Management::DropTail,
        QueueKind::Codel => Management::Codel(CodelConfig {
            target: milliseconds(queue.codel.target_ms),
            interval: milliseconds(queue.codel.interval_ms),
        }),
        QueueKind::Pie => Management::Pie(pie(&queue.pie, seed)),
        QueueKind::Adaptive => Management::Adaptive(adaptive(&queue.adaptive)),
    }
}

fn pie(pie: &Pie, seed: u64) -> PieConfig {
    PieConfig {
        seed,
        target: milliseconds(pie.target_ms),
        update: milliseconds(pie.update_ms),
        burst: milliseconds(pie.burst_ms),
        alpha: pie.alpha_hz,
        beta: pie.beta_hz,
        mean_packet: Bytes::new(pie.mean_packet_bytes),
        derandomise: pie.derandomise,
        cap_steps: pie.cap_steps,
    }
}

fn adaptive(adaptive: &Adaptive) -> AdaptiveConfig {
    AdaptiveConfig {
        target: milliseconds(adaptive.target_ms),
        memory: milliseconds(adaptive.memory_ms),
        floor: Bytes::new(adaptive.floor_bytes),
    }
}

/// What packets tell receivers of a queue.
pub(super) fn price(price: &Price) -> Option<PriceConfig> {
    match *price {
        Price::None {} => None,
        Price::Clamp { reactivity, averaging_ms, rate_memory_ms, .. }
        | Price::ClampDelay { reactivity, averaging_ms, rate_memory_ms, .. } => Some(PriceConfig {
            free: free(price)?,
            reactivity,
            averaging: milliseconds(averaging_ms),
            rate_memory: milliseconds(rate_memory_ms),
        }),
    }
}

/// What has no price in a queue that tells one.
fn free(price: &Price) -> Option<FreeConfig> {
    Some(match *price {
        Price::None {} => return None,
        Price::Clamp { free_bytes: bytes, per_flow_bytes: 0.0, .. } => FreeConfig::Constant { bytes },
        Price::Clamp { free_bytes: bytes, per_flow_bytes, flow_memory_ms, .. } => {
            FreeConfig::PerFlow { bytes, per_flow_bytes, memory: milliseconds(flow_memory_ms) }
        }
        Price::ClampDelay {
            target_ms,
            speed_hz,
            initial_free_bytes,
            least_free_bytes,
            most_free_bytes,
            hold_ms,
            ..
        } => FreeConfig::WaitTarget(WaitTargetConfig {
            target: milliseconds(target_ms),
            speed_hz,
            initial_bytes: initial_free_bytes,
            least_bytes: least_free_bytes,
            most_bytes: most_free_bytes,
            hold: milliseconds(hold_ms),
        }),
    })
}

fn milliseconds(milliseconds: f64) -> Duration {
    Duration::from_secs(milliseconds / 1e3)
}
