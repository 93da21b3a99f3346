//! The series `idle`.

use airlink_model::probe::SlotRecord;
use airlink_model::types::Time;

use super::{Needs, Pile, Series, columns, count};

/// A slot that nobody got.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdleRow {
    slot: u64,
    start: Time,
}

columns! { IdleRow:
    slot whole |row| count(row.slot) => "number of the slot, from 0";
    time_s real |row| row.start.as_secs() => "start of the slot";
}

impl Series for Pile<IdleRow> {
    const WHAT: &'static str = "every slot that nobody got";
    const NEEDS: Needs = Needs::Radio;
    type Rows = Self;

    #[inline]
    fn on_slot(&mut self, record: &SlotRecord) {
        if record.winner.is_none() {
            self.push(IdleRow { slot: record.slot.number(), start: record.start });
        }
    }
}

#[cfg(test)]
mod tests {
    use airlink_model::types::{Slot, UserId};

    use super::*;

    #[test]
    fn a_row_is_a_slot_that_nobody_got() {
        let mut rows = Pile::<IdleRow>::default();
        let idle = |number| SlotRecord::idle(Slot::new(number), Time::ZERO);
        rows.on_slot(&idle(3));
        rows.on_slot(&SlotRecord { winner: Some(UserId::new(0)), ..idle(4) });
        assert!(rows.pieces().flatten().map(|row| row.slot).eq([3]));
    }
}
