//! What held flows back, as rows of a series and as columns of the table `flows`.

use airlink_model::types::Time;

use super::{Cause, Piece, Shares};
use crate::record::{RecordKind, Recorder};
use crate::table::Table;

impl Recorder {
    /// Ends the accounts of all flows at `end`, if there are any: each flow's time from `from` on, by cause.
    pub(crate) fn finish_limits(&mut self, from: Time, end: Time) -> Option<Vec<Shares>> {
        let limits = self.limits.take()?;
        let series = &mut self.series;
        Some(limits.finish(from, end, |flow, piece| series.push(RecordKind::Limits, || row(flow, piece))))
    }
}

fn row(flow: usize, piece: &Piece) -> [f64; 4] {
    [flow as f64, piece.from.as_secs(), piece.to.as_secs(), f64::from(piece.cause as u8)]
}

/// Adds the columns of time by cause.
pub(crate) fn limit_columns(flows: &mut Table, shares: &[Shares]) {
    flows.real("active_s", shares.iter().map(|share| share.whole.as_secs()).collect());
    for cause in Cause::ALL {
        let times = shares.iter().map(|share| share.by_cause[cause as usize].as_secs());
        flows.real(&format!("time_{}_s", cause.name()), times.collect());
    }
}
