//! What an outer loop did to a user's reports, and what it reckoned with.
//!
//! It leaves out: the offset over time.

use airlink_model::probe::SlotRecord;

use super::Recorder;
use crate::table::Table;

/// Counters of a user that can be subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct OuterLoopCounts {
    first_errors: u64,
    /// Sum over the slots won, dB.
    offset_db: f64,
}

impl OuterLoopCounts {
    pub(super) fn on_slot(&mut self, record: &SlotRecord) {
        self.first_errors += u64::from(record.blocks.first_lost);
        self.offset_db += record.offset_db;
    }

    pub(super) fn minus(&self, before: &Self) -> Self {
        Self { first_errors: self.first_errors - before.first_errors, offset_db: self.offset_db - before.offset_db }
    }
}

impl Recorder {
    /// Adds what only cells with an outer loop have to the table `users`; `offsets_db` are those at the end.
    pub(crate) fn add_user_offsets(&self, table: &mut Table, offsets_db: Vec<f64>) {
        let counts = || self.users.iter().map(|user| user.counts.minus(&user.before_warmup));
        table.count("first_frame_errors", counts().map(|count| count.outer_loop.first_errors));
        // Not a number where no slot was won.
        let means_db = counts().map(|count| count.outer_loop.offset_db / count.slots_won as f64);
        table.real("outer_loop_offset_mean_db", means_db.collect());
        table.real("outer_loop_offset_end_db", offsets_db);
    }
}
