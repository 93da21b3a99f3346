//! What is recorded of packets without TCP: counts, and how long packets and bursts took.

use airlink_model::traffic::Burst;
use airlink_model::types::{Duration, Packet, Time};

use super::{Distribution, FlowRecorder};
use crate::payload::Payload;

/// Counters of a flow without TCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DatagramCounts {
    pub(crate) sent: u64,
    /// Each once.
    pub(crate) received: u64,
    /// All copies of it.
    pub(crate) lost: u64,
    /// Further copies that arrived.
    pub(crate) repeated: u64,
    pub(crate) bursts: u64,
    pub(crate) bursts_on_time: u64,
    pub(crate) bursts_missed: u64,
}

impl DatagramCounts {
    pub(super) fn minus(&self, before: &Self) -> Self {
        Self {
            sent: self.sent - before.sent,
            received: self.received - before.received,
            lost: self.lost - before.lost,
            repeated: self.repeated - before.repeated,
            bursts: self.bursts - before.bursts,
            bursts_on_time: self.bursts_on_time - before.bursts_on_time,
            bursts_missed: self.bursts_missed - before.bursts_missed,
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            sent: self.sent + other.sent,
            received: self.received + other.received,
            lost: self.lost + other.lost,
            repeated: self.repeated + other.repeated,
            bursts: self.bursts + other.bursts,
            bursts_on_time: self.bursts_on_time + other.bursts_on_time,
            bursts_missed: self.bursts_missed + other.bursts_missed,
        }
    }
}

/// How long packets and bursts of a flow took.
#[derive(Clone, Debug, Default)]
pub(crate) struct DatagramDelays {
    pub(super) packets: Distribution,
    pub(super) bursts: Distribution,
}

impl DatagramDelays {
    pub(super) fn clear(&mut self) {
        self.packets.clear();
        self.bursts.clear();
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        self.packets.add_all(&other.packets);
        self.bursts.add_all(&other.bursts);
    }
}

impl FlowRecorder<'_> {
    fn delays(&mut self) -> &mut DatagramDelays {
        self.record.delays.get_or_insert_default()
    }

    /// A burst leaves, with so long until its deadline.
    pub(crate) fn on_burst_sent(&mut self, now: Time, number: u64, burst: &Burst, deadline: Duration) {
        self.asked.series.on_burst_sent(now, self.flow, number, burst, deadline);
    }

    /// All of a burst is there.
    pub(crate) fn on_burst_complete(&mut self, now: Time, number: u64, after: Duration) {
        self.delays().bursts.add(after);
        self.asked.series.on_burst_complete(now, self.flow, number);
    }

    /// A packet has come, this copy of it or another one before.
    pub(crate) fn on_datagram_ended(&mut self, now: Time) {
        if let Some(limits) = &mut self.asked.limits {
            limits.on_ended(self.flow, now);
        }
    }

    /// A packet has come for the first time, so long after it left.
    pub(crate) fn on_datagram_arrived(&mut self, after: Duration) {
        self.delays().packets.add(after);
    }

    /// A packet leaves.
    pub(crate) fn on_datagram_sent(&mut self, now: Time, packet: &Packet<Payload>) {
        self.on_packet_sent(now, packet, false);
        self.on_data_sent(now, packet.direction);
    }

    /// A packet reached the server.
    pub(crate) fn on_datagram_came_up(&mut self, now: Time, packet: &Packet<Payload>) {
        self.on_packet_comes_up(now, packet);
        self.on_datagram_ended(now);
    }
}
