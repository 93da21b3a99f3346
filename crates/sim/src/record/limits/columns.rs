//! What held flows back, as rows of a series and as columns of the table `flows`.

use airlink_model::types::Time;

use super::{Cause, Shares};
use crate::record::Recorder;
use crate::record::summary::{FlowRow, Summary};

impl Recorder {
    /// Ends the accounts of all flows at `end`, if there are any: each flow's time from `from` on, by cause.
    pub(crate) fn finish_limits(&mut self, from: Time, end: Time) -> Option<Vec<Shares>> {
        let limits = self.limits.take()?;
        Some(limits.finish(from, end, |flow, piece| self.series.on_held_back(flow, piece)))
    }
}

/// Declares the columns of time by cause.
pub(crate) fn limit_columns(flows: &mut Summary<'_, FlowRow<'_>>) {
    let active = "time from its start, or the warm-up's end, to its last byte, or the run's end; of a flow that was \
                  stopped, until everything sent was acknowledged";
    flows.real("active_s", active, |flow| flow.shares.whole.as_secs());
    for cause in Cause::ALL {
        let meaning = format!("of this, time that it was held back by {}", cause.meaning());
        let name = format!("time_{}_s", cause.name());
        flows.real(name, meaning, |flow| flow.shares.by_cause[cause as usize].as_secs());
    }
}
