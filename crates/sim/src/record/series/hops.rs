//! The series `hops`: a row for each hop between flows' wires and the network, written at the run's end.

use airlink_model::types::DropReason;

use super::{ChunkedVec, Series, columns, count};
use crate::record::passed::Passed;

/// A hop over the measured time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HopRow {
    pub(crate) hop: u32,
    pub(crate) passed: Passed,
    pub(crate) packets_held: u64,
    pub(crate) packets_held_at_start: u64,
    pub(crate) queue_mean_packets: f64,
    pub(crate) queue_mean_bytes: f64,
    pub(crate) wait_mean_s: f64,
    pub(crate) wait_p95_s: f64,
    pub(crate) utilisation: f64,
}

impl HopRow {
    fn dropped(&self, reason: DropReason) -> i64 {
        count(self.passed.packets_dropped[reason as usize])
    }
}

columns! { HopRow:
    hop whole |row| row.hop.into() => "number of the hop in `[[hops]]`, from 0; behind them that of `[upstream]`";
    packets_in whole |row| count(row.passed.packets_in) => "packets that came to its queue";
    bytes_in whole |row| count(row.passed.bytes_in) => "bytes of these packets";
    packets_duplicated whole |row| count(row.passed.packets_duplicated) => "packets that the wire behind the queue duplicated";
    packets_marked whole |row| count(row.passed.packets_marked) =>
        "packets on which the queue wrote a congestion mark (CE)";
    packets_delivered whole |row| count(row.passed.packets_delivered) => "packets that came out of the wire";
    bytes_delivered whole |row| count(row.passed.bytes_delivered) => "bytes of these packets";
    drops_queue_full whole |row| row.dropped(DropReason::QueueFull) => "packets refused by a full queue";
    drops_aqm whole |row| row.dropped(DropReason::Aqm) =>
        "packets dropped by active queue management though there was room";
    drops_wire_loss whole |row| row.dropped(DropReason::WireLoss) => "packets lost on the wire behind the queue";
    drops_outage whole |row| row.dropped(DropReason::Outage) => "packets lost in an outage of that wire";
    packets_held whole |row| count(row.packets_held) => "packets in the queue or on the wire at the end";
    packets_held_at_start whole |row| count(row.packets_held_at_start) =>
        "packets there when measuring began, which left or are held beside those that came since";
    queue_mean_packets real |row| row.queue_mean_packets =>
        "mean over time of the packets that wait or are being sent";
    queue_mean_bytes real |row| row.queue_mean_bytes => "mean over time of the bytes of these packets";
    wait_mean_s real |row| row.wait_mean_s =>
        "mean time from a packet's arrival until its last bit is sent", missing "NaN when none was sent";
    wait_p95_s real |row| row.wait_p95_s => "95th percentile of that time", missing "NaN when none was sent";
    utilisation real |row| row.utilisation => "bits sent / (rate x measured time), 0..1";
}

impl Series for ChunkedVec<HopRow> {
    const WHAT: &'static str = "a row for each hop of `[[hops]]` and `[upstream]`: counts, drops, queue, wait and use";
    const HAS_FEW_ROWS: bool = true;
    type Rows = Self;
}
