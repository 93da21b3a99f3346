//! The series `limits`.

use airlink_model::types::{Direction, Time};

use super::{ChunkedVec, Series, columns, directions, number};
use crate::record::about::Codes;
use crate::record::limits::{Cause, Piece};

/// Time that one cause held a flow back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitRow {
    flow: u32,
    from: Time,
    to: Time,
    cause: Cause,
    direction: Direction,
}

pub(super) fn causes() -> Codes {
    Cause::ALL.map(|cause| (cause as u8, cause.name())).to_vec()
}

columns! { LimitRow:
    flow whole |row| row.flow.into() => "number of the flow";
    from_s real |row| row.from.as_secs() =>
        "when an interval begins; each flow's follow one another from its start on without gaps";
    to_s real |row| row.to.as_secs() => "when it ends";
    cause whole |row| row.cause as i64 => "what held the flow back", codes causes;
    direction whole |row| row.direction as i64 =>
        "the direction of the data that was waited for: up while a user uploads or asks, else down", codes directions;
}

impl Series for ChunkedVec<LimitRow> {
    const WHAT: &'static str =
        "what held each flow back, interval by interval, and its time by cause in the table `flows`";
    type Rows = Self;

    fn on_held_back(&mut self, flow: usize, piece: &Piece) {
        let Piece { from, to, cause, direction } = *piece;
        self.push(LimitRow { flow: number(flow), from, to, cause, direction });
    }
}
