//! The series `snr`: two numbers of every user in every slot; which slot and user they are of follows from their place.

use airlink_model::types::Slot;

use super::{Asks, Needs, Rows, Series};
use crate::record::about::About;
use crate::table::Column;

const COLUMNS: [About; 4] = [
    About::whole("slot", "number of the slot"),
    About::whole("user", "whose channel"),
    About::real("true_db", "true SNR; over several subchannels the mean of dB"),
    About::real("reported_bps", "rate that the base station believes it can use; on all subchannels together"),
];

/// Slots of a piece: pieces stay where they are, as in `chunked_vec.rs`.
const PIECE_SLOTS: usize = 1 << 13;

/// Slot by slot, within one user by user.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChannelRows {
    first_slot: u64,
    slots: usize,
    users: usize,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Piece {
    true_db: Vec<f32>,
    reported_bps: Vec<f32>,
}

impl Series for ChannelRows {
    const WHAT: &'static str = "true SNR and reported rate of every user in every slot";
    const NEEDS: Needs = Needs::Radio;
    const ASKS: &'static [Asks] = &[Asks::Channel];
    type Rows = Self;

    /// Slots come one after the other.
    fn on_channel(&mut self, slot: Slot, true_db: impl Iterator<Item = f32> + Clone, reported_bps: &[f32]) {
        if self.slots.is_multiple_of(PIECE_SLOTS) {
            self.begin_chunk(slot, reported_bps.len());
        }
        self.slots += 1;
        if let Some(piece) = self.pieces.last_mut() {
            piece.true_db.extend(true_db);
            piece.reported_bps.extend_from_slice(reported_bps);
        }
    }
}

impl ChannelRows {
    #[cold]
    fn begin_chunk(&mut self, slot: Slot, users: usize) {
        if self.slots == 0 {
            self.first_slot = slot.number();
            self.users = users;
        }
        let room = || Vec::with_capacity(users * PIECE_SLOTS);
        self.pieces.push(Piece { true_db: room(), reported_bps: room() });
    }

    fn places(&self) -> impl Iterator<Item = (u64, usize)> {
        (self.first_slot..).take(self.slots).flat_map(|slot| (0..self.users).map(move |user| (slot, user)))
    }

    fn reals(&self, of: impl Fn(&Piece) -> &[f32]) -> Column {
        let mut column = Vec::with_capacity(self.slots * self.users);
        self.pieces.iter().for_each(|piece| column.extend(of(piece).iter().copied().map(f64::from)));
        Column::Real(column)
    }
}

impl Rows for ChannelRows {
    fn about(&self) -> Vec<About> {
        COLUMNS.to_vec()
    }

    fn column(&self, index: usize) -> Column {
        match index {
            0 => Column::Whole(self.places().map(|(slot, _)| slot as i64).collect()),
            1 => Column::Whole(self.places().map(|(_, user)| user as i64).collect()),
            2 => self.reals(|piece| &piece.true_db),
            _ => self.reals(|piece| &piece.reported_bps),
        }
    }

    fn len(&self) -> usize {
        self.slots * self.users
    }

    fn bytes(&self) -> usize {
        self.len() * 2 * size_of::<f32>()
    }

    fn close(&mut self) {
        if let Some(piece) = self.pieces.last_mut() {
            piece.true_db.shrink_to_fit();
            piece.reported_bps.shrink_to_fit();
        }
    }
}
