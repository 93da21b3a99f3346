//! The series `acks`.

use airlink_model::types::{Direction, Time};

use super::{AckHeard, Asks, ChunkedVec, Series, columns, count, directions, number};

/// An ACK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckRow {
    flow: u32,
    at: Time,
    number: u64,
    duplicate: bool,
    window_bytes: u64,
    direction: Direction,
    echoes_mark: bool,
}

columns! { AckRow:
    flow whole |row| row.flow.into() => "number of the flow";
    time_s real |row| row.at.as_secs() => "when the ACK reached the sender";
    number whole |row| count(row.number) => "next byte expected";
    duplicate whole |row| row.duplicate.into() => "1 for a duplicate ACK";
    window_bytes whole |row| count(row.window_bytes) => "receiver window that it advertises, from `number` on";
    direction whole |row| row.direction as i64 =>
        "the direction in which the ACK went: up to the server's sender, down to the user's", codes directions;
    ece whole |row| row.echoes_mark.into() => "1 when it echoes a congestion mark (ECE)";
}

impl Series for ChunkedVec<AckRow> {
    const WHAT: &'static str =
        "every ACK that reached a sender of a flow, the server's or the user's, with the window it advertised";
    const ASKS: &'static [Asks] = &[Asks::Sender];
    type Rows = Self;

    fn on_ack(&mut self, now: Time, flow: usize, ack: &AckHeard<'_>) {
        let segment = ack.segment;
        self.push(AckRow {
            flow: number(flow),
            at: now,
            number: segment.number,
            duplicate: ack.is_duplicate,
            window_bytes: segment.window.count(),
            direction: ack.direction,
            // In a SYN the flag only offers ECN (RFC 3168 section 6.1.1).
            echoes_mark: segment.flags.ece() && !segment.flags.syn(),
        });
    }
}
