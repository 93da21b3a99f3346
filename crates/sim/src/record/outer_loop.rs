//! What an outer loop did to a user's reports, and what it reckoned with.
//!
//! It leaves out: the offset over time.

use airlink_model::probe::SlotRecord;

use super::summary::{Summary, UserRow};

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

/// Declares what only users of cells with an outer loop have.
pub(super) fn outer_loop_columns(users: &mut Summary<'_, UserRow<'_>>) {
    let first = "of the frames lost, those lost when sent for the first time";
    users.count("first_frame_errors", first, |user| user.counts.outer_loop.first_errors);
    let mean = "mean over the slots won of what the outer loop added to reports";
    users.real_or("outer_loop_offset_mean_db", mean, "NaN without any", |user| {
        user.counts.outer_loop.offset_db / user.counts.slots_won as f64
    });
    let end = "what the outer loop added to reports in the last slot of the run";
    users.real("outer_loop_offset_end_db", end, |user| user.end.offset_db.unwrap_or(f64::NAN));
}
