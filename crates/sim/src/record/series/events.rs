//! The series `events`: a timeout's row is completed when it is known whether it was spurious.

use airlink_model::types::{Bytes, Time};

use super::{Asks, ChunkedVec, Series, Setting, columns, count, number};
use crate::record::FlowEvent;
use crate::record::about::Codes;

/// An event of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventRow {
    flow: u32,
    at: Time,
    event: FlowEvent,
    sequence: u64,
    /// Written later, of a timeout alone.
    spurious: Option<bool>,
}

fn events() -> Codes {
    FlowEvent::ALL.into_iter().filter(|event| *event != FlowEvent::Ack).map(FlowEvent::code).collect()
}

columns! { EventRow:
    flow whole |row| row.flow.into() => "number of the flow, one with a transport";
    time_s real |row| row.at.as_secs() => "when it happened; a completion at the receiver of the data, all others at its sender";
    event whole |row| row.event as i64 =>
        "what happened; undone is a recovery or timeout that the sender found spurious and took back, completed is the last byte at the receiver, `hold_timeouts` holds timeouts",
        codes events;
    sequence whole |row| count(row.sequence) => "the oldest byte not acknowledged then";
    spurious whole |row| row.spurious.map_or(-1, i64::from) =>
        "of a timeout: 1 when an earlier copy of the retransmitted segment still arrived, 0 when not",
        missing "-1 of all others";
}

/// All events of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Events {
    rows: ChunkedVec<EventRow>,
    /// The row of each flow's latest timeout.
    timeouts: Vec<usize>,
}

impl From<Events> for ChunkedVec<EventRow> {
    fn from(events: Events) -> Self {
        events.rows
    }
}

impl Series for Events {
    const WHAT: &'static str = "starts, timeouts (spurious or not), recoveries, probes and ends of each flow";
    const ASKS: &'static [Asks] = &[Asks::Sender, Asks::Events];
    type Rows = ChunkedVec<EventRow>;

    fn begin(&mut self, setting: Setting) {
        self.timeouts = vec![0; setting.flows];
    }

    fn on_event(&mut self, now: Time, flow: usize, acknowledged: Bytes, event: FlowEvent) {
        if event == FlowEvent::Timeout {
            self.timeouts[flow] = self.rows.len();
        }
        let sequence = acknowledged.count();
        self.rows.push(EventRow { flow: number(flow), at: now, event, sequence, spurious: None });
    }

    fn on_timeout_settled(&mut self, flow: usize, spurious: bool) {
        let row = self.rows.get_mut(self.timeouts[flow]).expect("a timeout is written before it is settled");
        row.spurious = Some(spurious);
    }
}
