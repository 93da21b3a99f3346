//! What held flows back, as rows of a series and as columns of the table `flows`.

use airlink_model::types::Time;

use super::{Cause, Piece, Shares};
use crate::record::Recorder;
use crate::record::series::{LimitRow, number};
use crate::table::Table;

impl Recorder {
    /// Ends the accounts of all flows at `end`, if there are any: each flow's time from `from` on, by cause.
    pub(crate) fn finish_limits(&mut self, from: Time, end: Time) -> Option<Vec<Shares>> {
        let limits = self.limits.take()?;
        let mut rows = self.series.limits.as_mut();
        Some(limits.finish(from, end, |flow, piece| rows.iter_mut().for_each(|rows| rows.push(row(flow, piece)))))
    }
}

fn row(flow: usize, piece: &Piece) -> LimitRow {
    LimitRow { flow: number(flow), from: piece.from, to: piece.to, cause: piece.cause as u8 }
}

/// Adds the columns of time by cause.
pub(crate) fn limit_columns(flows: &mut Table, shares: &[Shares]) {
    flows.real("active_s", shares.iter().map(|share| share.whole.as_secs()).collect());
    for cause in Cause::ALL {
        let times = shares.iter().map(|share| share.by_cause[cause as usize].as_secs());
        flows.real(&format!("time_{}_s", cause.name()), times.collect());
    }
}
