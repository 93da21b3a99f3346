//! What became of the congestion marks (CE) of a flow's packets, and where they are.

use airlink_model::types::Marks;

use super::RunningFlow;
use crate::record::MarkCounts;

/// Marks that have left the network.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MarkFates {
    received: u64,
    lost: u64,
}

impl MarkFates {
    /// The receiver has a packet with these marks.
    #[inline]
    pub(super) fn on_received(&mut self, marks: Marks) {
        self.received += u64::from(marks.has_ce());
    }

    /// A packet with these marks was lost.
    pub(super) fn on_lost(&mut self, marks: Marks) {
        self.lost += u64::from(marks.has_ce());
    }
}

impl RunningFlow {
    /// The counts of marks so far; those set and duplicated are counted where queues are, in `recorded`.
    pub(super) fn mark_counts(&self, recorded: &MarkCounts) -> MarkCounts {
        let MarkFates { received, lost } = self.marks;
        MarkCounts { received, lost, ..*recorded }
    }

    /// Its marked packets on its own wires.
    pub(super) fn marked_on_wires(&self) -> u64 {
        let packets =
            [&self.downlink, &self.uplink].into_iter().flat_map(|wire| wire.travelling().chain(wire.losing()));
        packets.filter(|packet| packet.marks.has_ce()).count() as u64
    }
}
