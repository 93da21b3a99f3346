//! The series `waits`: flows over UDP, which pace themselves, have no sender that is held back; their packets wait all the same.

use airlink_model::types::{Direction, Time};

use super::limits::causes;
use super::{ChunkedVec, Series, columns, directions, number};
use crate::record::limits::{Cause, Piece};

/// Time that packets of a flow over UDP were at one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitRow {
    flow: u32,
    from: Time,
    to: Time,
    cause: Cause,
    direction: Direction,
}

columns! { WaitRow:
    flow whole |row| row.flow.into() => "number of the flow, one over UDP";
    from_s real |row| row.from.as_secs() =>
        "when an interval begins; each flow's follow one another from its start on without gaps";
    to_s real |row| row.to.as_secs() => "when it ends";
    cause whole |row| row.cause as i64 =>
        "where packets of the flow were, as the causes of `limits`; wire is all of the path but the base station and \
         grants, application means that none was under way", codes causes;
    direction whole |row| row.direction as i64 => "the direction of the flow", codes directions;
}

impl Series for ChunkedVec<WaitRow> {
    const WHAT: &'static str = "where packets of each flow over UDP waited or were on their way, interval by interval";
    type Rows = Self;

    fn on_waited(&mut self, flow: usize, piece: &Piece) {
        let Piece { from, to, cause, direction } = *piece;
        self.push(WaitRow { flow: number(flow), from, to, cause, direction });
    }
}
