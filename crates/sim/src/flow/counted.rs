//! What a flow has counted, and whether it adds up: no packet is lost silently.

use airlink_model::transport::{Sender, Statistics};

use super::RunningFlow;
use crate::record::FlowRecord;

impl RunningFlow {
    /// The counts so far of the data's sender.
    pub(crate) fn statistics(&self) -> Statistics {
        self.ends.sender().map_or_else(Statistics::default, Sender::statistics)
    }

    /// The counts so far of the sender at the user; nothing in a flow with data to the user alone.
    pub(crate) fn user_statistics(&self) -> Statistics {
        self.ends.user_sender().map_or_else(Statistics::default, Sender::statistics)
    }

    /// Packets of this flow that have reached the network, by what was sent, duplicated and lost on the way, and what is
    /// upstream of it.
    pub(crate) fn arrived(&self, record: &FlowRecord, upstream: u64) -> u64 {
        let counts = &record.counts.down;
        self.ends.check_sent([counts.sent, record.counts.up.sent]);
        counts.sent + counts.duplicated + self.filler_packets - counts.lost() - self.downlink.len() as u64 - upstream
    }

    /// Packets sent by the user + duplicated = arrived + lost + still on the wire or, so many, in hops and without a grant.
    pub(crate) fn check_acks(&self, record: &FlowRecord, in_hops: u64) {
        let up = &record.counts.up;
        let on_wire = (self.uplink.len() + self.leaving.len()) as u64;
        let (came, went) = (up.sent + up.duplicated, up.arrived + up.lost() + on_wire + in_hops);
        assert!(came == went, "of {came} packets from the user {went} are accounted for");
    }
}
