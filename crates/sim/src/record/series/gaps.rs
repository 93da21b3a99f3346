//! The series `gaps`.

use airlink_model::probe::SlotRecord;

use super::{ChunkedVec, Needs, Series, columns, count, number};

/// A gap between two slots won.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GapRow {
    user: u32,
    slot: u64,
    gap_slots: u64,
}

columns! { GapRow:
    user whole |row| row.user.into() => "who";
    slot whole |row| count(row.slot) => "the slot won that ends the gap";
    gap_slots whole |row| count(row.gap_slots) => "slots since the slot won before";
}

impl Series for ChunkedVec<GapRow> {
    const WHAT: &'static str = "every gap between two successive slots of a user";
    const NEEDS: Needs = Needs::Radio;
    type Rows = Self;

    #[inline]
    fn on_slot(&mut self, record: &SlotRecord) {
        if let (Some(user), Some(gap_slots)) = (record.winner, record.gap_slots) {
            self.push(GapRow { user: number(user.index()), slot: record.slot.number(), gap_slots });
        }
    }
}
