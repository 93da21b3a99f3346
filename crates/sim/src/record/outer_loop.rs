//! The offsets of an outer loop, and the losses that move it.
//!
//! It leaves out: the offset over time.

use airlink_model::probe::SlotRecord;

/// Counters of a user that can be subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct OuterLoopCounts {
    pub(super) first_errors: u64,
    /// Sum over the slots won, dB.
    pub(super) offset_db: f64,
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
