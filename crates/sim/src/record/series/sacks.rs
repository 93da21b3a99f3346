//! The series `sacks`.

use airlink_model::types::{Direction, Time};

use super::{AckHeard, Asks, ChunkedVec, Series, columns, count, directions, number};

/// A SACK block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SackRow {
    flow: u32,
    at: Time,
    start: u64,
    end: u64,
    duplicate: bool,
    direction: Direction,
}

columns! { SackRow:
    flow whole |row| row.flow.into() => "number of the flow";
    time_s real |row| row.at.as_secs() => "when the ACK that carries the block reached the sender";
    start whole |row| count(row.start) => "first byte that the block reports";
    end whole |row| count(row.end) => "the byte after its last";
    duplicate whole |row| row.duplicate.into() => "1 when the block reports what arrived twice (DSACK)";
    direction whole |row| row.direction as i64 => "the direction in which the ACK went", codes directions;
}

impl Series for ChunkedVec<SackRow> {
    const WHAT: &'static str = "every SACK block that reached a sender";
    const ASKS: &'static [Asks] = &[Asks::Sender];
    type Rows = Self;

    fn on_ack(&mut self, now: Time, flow: usize, ack: &AckHeard<'_>) {
        let (segment, direction) = (ack.segment, ack.direction);
        let reports_duplicate = segment.duplicate_block().is_some();
        for (index, block) in segment.sack().enumerate() {
            let duplicate = index == 0 && reports_duplicate;
            self.push(SackRow {
                flow: number(flow),
                at: now,
                start: block.start,
                end: block.end,
                duplicate,
                direction,
            });
        }
    }
}
