//! The series `rtt`.

use airlink_model::transport::Sender;
use airlink_model::types::{Duration, Time};

use super::{Asks, ChunkedVec, Series, columns, number};

/// A round trip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTripRow {
    flow: u32,
    at: Time,
    rtt: Duration,
    srtt_s: f64,
    rto: Duration,
}

columns! { RoundTripRow:
    flow whole |row| row.flow.into() => "number of the flow";
    time_s real |row| row.at.as_secs() => "arrival of an ACK of new data that covers no retransmitted segment";
    rtt_s real |row| row.rtt.as_secs() =>
        "exact time since the oldest covered segment was sent; the timer's own samples may be fewer and in clock ticks";
    srtt_s real |row| row.srtt_s => "the timer's smoothed round-trip time then", missing "NaN before its first sample";
    rto_s real |row| row.rto.as_secs() => "the timer's retransmission timeout then";
}

impl Series for ChunkedVec<RoundTripRow> {
    const WHAT: &'static str = "every round-trip sample, smoothed RTT and RTO";
    const ASKS: &'static [Asks] = &[Asks::Sender];
    type Rows = Self;

    fn on_round_trip(&mut self, now: Time, flow: usize, rtt: Duration, sender: &Sender) {
        let srtt_s = sender.srtt().map_or(f64::NAN, |srtt| srtt.as_secs());
        self.push(RoundTripRow { flow: number(flow), at: now, rtt, srtt_s, rto: sender.rto() });
    }
}
