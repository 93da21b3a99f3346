//! What a queue's packets need on air, kept in step with what enters and leaves it.
//!
//! Schedulers of many subchannels ask for it in every slot; nobody else does, and then nothing is counted.

use crate::queue::Queue;
use crate::rlc::RlcConfig;
use crate::types::{Bytes, Packet, Time};

/// What the queue's packets need on air, each cut by itself; counted only where somebody asks for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueuedOnAir {
    cut: Option<RlcConfig>,
    bytes: Bytes,
}

impl QueuedOnAir {
    /// Of an empty queue, cut as `rlc` says; without one nothing is counted.
    pub(super) fn new(rlc: Option<RlcConfig>) -> Self {
        Self { cut: rlc, bytes: Bytes::ZERO }
    }

    pub(super) fn bytes(&self) -> Bytes {
        self.bytes
    }

    pub(super) fn add(&mut self, packet: Bytes) {
        if let Some(cut) = &self.cut {
            self.bytes += cut.bytes_on_air(packet);
        }
    }

    fn take(&mut self, packet: Bytes) {
        if let Some(cut) = &self.cut {
            self.bytes -= cut.bytes_on_air(packet);
        }
    }
}

/// The next packet to send; what the queue drops instead is added to `dropped`.
pub(super) fn pull<P>(
    now: Time,
    queue: &mut Queue<P>,
    on_air: &mut QueuedOnAir,
    dropped: &mut Vec<Packet<P>>,
) -> Option<Packet<P>> {
    if on_air.cut.is_none() {
        return queue.pop(now, dropped);
    }
    let kept = dropped.len();
    let packet = queue.pop(now, dropped);
    for left in dropped[kept..].iter().chain(&packet) {
        on_air.take(left.bytes);
    }
    packet
}
