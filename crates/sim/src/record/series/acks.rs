//! The series `acks`.

use airlink_model::transport::Segment;
use airlink_model::types::Time;

use super::{Asks, ChunkedVec, Series, columns, count, number};

/// An ACK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckRow {
    flow: u32,
    at: Time,
    number: u64,
    duplicate: bool,
    window_bytes: u64,
}

columns! { AckRow:
    flow whole |row| row.flow.into() => "number of the flow";
    time_s real |row| row.at.as_secs() => "when the ACK reached the sender";
    number whole |row| count(row.number) => "next byte expected";
    duplicate whole |row| row.duplicate.into() => "1 for a duplicate ACK";
    window_bytes whole |row| count(row.window_bytes) => "receiver window that it advertises, from `number` on";
}

impl Series for ChunkedVec<AckRow> {
    const WHAT: &'static str =
        "every ACK that reached a flow's sender (the server's, but of uploads), with the window it advertised";
    const ASKS: &'static [Asks] = &[Asks::Sender];
    type Rows = Self;

    fn on_ack(&mut self, now: Time, flow: usize, ack: &Segment, duplicate: bool) {
        let window_bytes = ack.window.count();
        self.push(AckRow { flow: number(flow), at: now, number: ack.number, duplicate, window_bytes });
    }
}
