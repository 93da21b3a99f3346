//! What a run has brought its users so far, for whoever judges it step by step.

use airlink_model::cell::Cell;

use super::Simulation;
use crate::record::UserRecord;

impl Simulation {
    /// Adds the in-order bytes that each user's applications have received to `goodput_bytes`, which has an element for each.
    pub(crate) fn add_goodput(&self, goodput_bytes: &mut [u64]) {
        for (flow, record) in self.flows.iter().zip(self.recorder.flows.iter()) {
            goodput_bytes[flow.config().user.index()] += record.counts.goodput_bytes;
        }
    }

    /// By user, the in-order bytes of its applications, if the cell shows them: users of a run stay in their places.
    pub(crate) fn goodput_shown(&self) -> Option<&[u64]> {
        self.network.cell().and_then(Cell::goodput_shown)
    }

    /// The packets that were dropped on the way to the users, behind their flows' own wires and hops.
    pub(crate) fn dropped_packets(&self) -> u64 {
        let dropped = |user: &UserRecord| user.counts.passed.packets_dropped.iter().sum::<u64>();
        self.recorder.users.iter().map(dropped).sum()
    }
}
