//! What flows, users and the cell have of packets without TCP: losses, delays, deadlines.
//!
//! Events of the measured time count: a packet that was sent before it and arrives in it is among those received.

use super::{FlowRow, Summary, span_columns};
use crate::record::{DatagramCounts, DatagramDelays};

/// The packets without TCP of a flow, or of the flows of a user or cell together.
#[derive(Clone, Debug, Default)]
pub(super) struct WithoutTcp {
    counts: DatagramCounts,
    delays: DatagramDelays,
}

impl WithoutTcp {
    fn add(&mut self, flow: &FlowRow<'_>) {
        self.counts = self.counts.plus(&flow.counts.datagrams);
        if let Some(delays) = &flow.record.delays {
            self.delays.add_all(delays);
        }
    }

    /// Of each flow, of each of so many users, and of all together.
    pub(super) fn of(flows: &[FlowRow<'_>], users: usize) -> [Vec<Self>; 3] {
        let (mut of_flows, mut of_users, mut all) =
            (vec![Self::default(); flows.len()], vec![Self::default(); users], vec![Self::default()]);
        for (own, flow) in of_flows.iter_mut().zip(flows) {
            own.add(flow);
            of_users[flow.end.user].add(flow);
            all[0].add(flow);
        }
        [of_flows, of_users, all]
    }

    /// A share of `part` in `part` + `rest`; not a number of nothing.
    fn share(part: u64, rest: u64) -> f64 {
        if part + rest == 0 { f64::NAN } else { part as f64 / (part + rest) as f64 }
    }
}

/// Declares the columns.
pub(super) fn datagram_columns(table: &mut Summary<'_, WithoutTcp>, has_datagrams: bool) {
    table.only(has_datagrams, "some flow goes over UDP: `constant_rate`, `voice` or `frames`", |table| {
        packet_columns(table);
        let delay = "time from the sending of a packet over UDP to its arrival";
        span_columns(table, "datagram_delay", delay, |own| &own.delays.packets);
        burst_columns(table);
        let delay = "time from the sending of a burst to the arrival of the last of its packets";
        span_columns(table, "burst_delay", delay, |own| &own.delays.bursts);
    });
}

fn packet_columns(table: &mut Summary<'_, WithoutTcp>) {
    table.count("datagrams_sent", "packets sent over UDP", |own| own.counts.sent);
    table.count("datagrams_received", "packets that arrived, each once", |own| own.counts.received);
    table.count("datagrams_lost", "packets that were lost, with all their copies", |own| own.counts.lost);
    table.count("datagrams_doubled", "further copies of packets that arrived", |own| own.counts.repeated);
    table.real_or(
        "datagram_loss_rate",
        "share of packets lost, of those that arrived or were lost",
        "NaN when there were none",
        |own| WithoutTcp::share(own.counts.lost, own.counts.received),
    );
}

fn burst_columns(table: &mut Summary<'_, WithoutTcp>) {
    let bursts = "frames sent, or packets that are each one by themselves";
    table.count("bursts_sent", bursts, |own| own.counts.bursts);
    let on_time = "bursts of which all packets arrived before or at the deadline";
    table.count("bursts_on_time", on_time, |own| own.counts.bursts_on_time);
    let missed = "bursts of which a packet was lost, or had not come at the deadline";
    table.count("deadline_misses", missed, |own| own.counts.bursts_missed);
    table.real_or(
        "deadline_miss_rate",
        "share of bursts that missed their deadline, of those that were on time or did",
        "NaN when there were none",
        |own| WithoutTcp::share(own.counts.bursts_missed, own.counts.bursts_on_time),
    );
}
