//! The channel of every user in every slot: two numbers each; which slot and user they are of follows from their place.

use airlink_model::types::Slot;

use super::recorded::Rows;
use crate::table::Column;

/// Slot by slot, within one user by user.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChannelRows {
    first_slot: u64,
    users: usize,
    true_db: Vec<f32>,
    reported_bps: Vec<f32>,
}

impl ChannelRows {
    /// Adds a slot; they come one after the other.
    pub(crate) fn push(&mut self, slot: Slot, true_db: impl Iterator<Item = f32>, reported_bps: &[f32]) {
        if self.true_db.is_empty() {
            self.first_slot = slot.number();
            self.users = reported_bps.len();
        }
        self.true_db.extend(true_db);
        self.reported_bps.extend_from_slice(reported_bps);
    }

    fn places(&self) -> impl Iterator<Item = (u64, usize)> {
        let slots = self.true_db.len() / self.users.max(1);
        (self.first_slot..).take(slots).flat_map(|slot| (0..self.users).map(move |user| (slot, user)))
    }
}

impl Rows for ChannelRows {
    fn names(&self) -> Vec<&'static str> {
        vec!["slot", "user", "true_db", "reported_bps"]
    }

    fn column(&self, index: usize) -> Column {
        let reals = |values: &[f32]| Column::Real(values.iter().copied().map(f64::from).collect());
        match index {
            0 => Column::Whole(self.places().map(|(slot, _)| slot as i64).collect()),
            1 => Column::Whole(self.places().map(|(_, user)| user as i64).collect()),
            2 => reals(&self.true_db),
            _ => reals(&self.reported_bps),
        }
    }
}
