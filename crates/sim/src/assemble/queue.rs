//! Each user's queue.

use airlink_model::queue::{CodelConfig, Management, QueueConfig};
use airlink_model::types::{Bytes, Duration};

use crate::scenario::{Queue, QueueKind};

pub(super) fn config(queue: &Queue) -> QueueConfig {
    QueueConfig {
        limit_packets: queue.limit_packets.0,
        limit_bytes: Bytes::new(queue.limit_bytes.0),
        management: management(queue),
    }
}

fn management(queue: &Queue) -> Management {
    match queue.kind {
        QueueKind::DropTail => Management::DropTail,
        QueueKind::Codel => Management::Codel(CodelConfig {
            target: milliseconds(queue.codel.target_ms),
            interval: milliseconds(queue.codel.interval_ms),
        }),
    }
}

fn milliseconds(milliseconds: f64) -> Duration {
    Duration::from_secs(milliseconds / 1e3)
}
