//! The series `cwnd`.

use airlink_model::transport::Sender;
use airlink_model::types::{Duration, Time};

use super::{Asks, ChunkedVec, Series, columns, count, number};
use crate::record::FlowEvent;
use crate::record::about::Codes;

/// A sender's window and timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowRow {
    at: Time,
    flow: u32,
    window: f64,
    threshold: f64,
    flight_bytes: u64,
    rto: Duration,
    event: FlowEvent,
}

fn events() -> Codes {
    [FlowEvent::Ack, FlowEvent::FastRetransmit, FlowEvent::Timeout, FlowEvent::Recovered].map(FlowEvent::code).to_vec()
}

columns! { WindowRow:
    time_s real |row| row.at.as_secs() =>
        "when an ACK came (duplicates too), a timeout occurred, or waiting for late segments ended in recovery";
    flow whole |row| row.flow.into() => "number of the flow";
    cwnd_bytes real |row| row.window => "congestion window after it, before anything is sent in answer";
    ssthresh_bytes real |row| row.threshold => "slow start threshold", missing "inf before the first loss";
    flight_bytes whole |row| count(row.flight_bytes) =>
        "bytes sent and not acknowledged; after a timeout, only what was retransmitted since; with SACK or a reduction of the rate, the estimate of what is in flight (pipe)";
    rto_s real |row| row.rto.as_secs() => "retransmission timeout";
    event whole |row| row.event as i64 => "what happened", codes events;
}

impl Series for ChunkedVec<WindowRow> {
    const WHAT: &'static str = "congestion window, ssthresh, flight and RTO of each flow";
    const ASKS: &'static [Asks] = &[Asks::Sender];
    type Rows = Self;

    fn on_window(&mut self, now: Time, flow: usize, sender: &Sender, event: FlowEvent) {
        self.push(WindowRow {
            at: now,
            flow: number(flow),
            window: sender.cwnd(),
            threshold: sender.ssthresh(),
            flight_bytes: sender.flight().count(),
            rto: sender.rto(),
            event,
        });
    }
}
