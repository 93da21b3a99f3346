//! What a run has brought its users so far, for whoever judges it step by step.

use super::Simulation;

impl Simulation {
    /// Adds the in-order bytes that each user's applications have received to `goodput_bytes`, which has an element for each, and
    /// returns the packets that were dropped on the way to the users.
    pub(crate) fn tally(&self, goodput_bytes: &mut [u64]) -> u64 {
        for (flow, record) in self.flows.iter().zip(self.recorder.flows.iter()) {
            goodput_bytes[flow.config().user.index()] += record.counts.goodput_bytes;
        }
        let dropped = |user: &crate::record::UserRecord| user.counts.passed.packets_dropped.iter().sum::<u64>();
        self.recorder.users.iter().map(dropped).sum()
    }
}
