//! What passed a queue and the wire behind it, of a user or of a hop: packets and bytes in, copied, marked, out and dropped.

use airlink_model::types::{Bytes, DropReason};

/// By reason, as many as there are.
pub(super) type ByReason = [u64; DropReason::ALL.len()];

/// Counters of a queue and its wire.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Passed {
    pub(crate) packets_in: u64,
    pub(crate) bytes_in: u64,
    /// Packets that the wire behind the queue duplicated.
    pub(crate) packets_duplicated: u64,
    pub(crate) bytes_duplicated: u64,
    /// Packets on which the queue has written a congestion mark (CE).
    pub(crate) packets_marked: u64,
    pub(crate) packets_delivered: u64,
    pub(crate) bytes_delivered: u64,
    pub(crate) packets_dropped: ByReason,
    pub(crate) bytes_dropped: ByReason,
}

impl Passed {
    pub(crate) fn on_arrival(&mut self, bytes: Bytes) {
        self.packets_in += 1;
        self.bytes_in += bytes.count();
    }

    pub(crate) fn on_duplicated(&mut self, bytes: Bytes) {
        self.packets_duplicated += 1;
        self.bytes_duplicated += bytes.count();
    }

    pub(crate) fn on_delivery(&mut self, bytes: Bytes) {
        self.packets_delivered += 1;
        self.bytes_delivered += bytes.count();
    }

    pub(crate) fn on_drop(&mut self, bytes: Bytes, reason: DropReason) {
        // The enum's order is that of `DropReason::ALL`.
        self.packets_dropped[reason as usize] += 1;
        self.bytes_dropped[reason as usize] += bytes.count();
    }

    /// Packets and bytes that came in and have not left.
    pub(crate) fn waiting(&self) -> (u64, u64) {
        let packets_gone = self.packets_delivered + self.packets_dropped.iter().sum::<u64>();
        let bytes_gone = self.bytes_delivered + self.bytes_dropped.iter().sum::<u64>();
        let packets = self.packets_in + self.packets_duplicated - packets_gone;
        let bytes = self.bytes_in + self.bytes_duplicated - bytes_gone;
        (packets, bytes)
    }

    pub(crate) fn minus(&self, before: &Self) -> Self {
        Self {
            packets_in: self.packets_in - before.packets_in,
            bytes_in: self.bytes_in - before.bytes_in,
            packets_duplicated: self.packets_duplicated - before.packets_duplicated,
            bytes_duplicated: self.bytes_duplicated - before.bytes_duplicated,
            packets_marked: self.packets_marked - before.packets_marked,
            packets_delivered: self.packets_delivered - before.packets_delivered,
            bytes_delivered: self.bytes_delivered - before.bytes_delivered,
            packets_dropped: less(&self.packets_dropped, &before.packets_dropped),
            bytes_dropped: less(&self.bytes_dropped, &before.bytes_dropped),
        }
    }
}

pub(super) fn less(now: &ByReason, then: &ByReason) -> ByReason {
    std::array::from_fn(|reason| now[reason] - then[reason])
}
