//! Rows in pieces that stay where they are: a recording that grows copies nothing and touches no memory twice.

use std::cell::Cell;

thread_local! {
    static IS_OUT_OF_MEMORY: Cell<bool> = const { Cell::new(false) };
}

/// Whether a recording of this thread found no memory for its rows since it was asked last: some are missing then.
pub(crate) fn take_out_of_memory() -> bool {
    IS_OUT_OF_MEMORY.take()
}

/// Rows of the first piece, and of all others.
const FIRST: usize = 1 << 10;
const NEXT: usize = 1 << 16;

/// Many rows.
#[derive(Clone, Debug)]
pub(crate) struct Pile<R> {
    full: Vec<Vec<R>>,
    /// Where rows are added,
    last: Vec<R>,
    /// as long as it has fewer than this.
    room: usize,
}

impl<R> Default for Pile<R> {
    fn default() -> Self {
        Self { full: Vec::new(), last: Vec::new(), room: FIRST }
    }
}

impl<R> Pile<R> {
    /// Adds a row.
    #[inline]
    pub(crate) fn push(&mut self, row: R) {
        if self.last.len() == self.room {
            self.begin_piece();
        }
        self.last.push(row);
    }

    #[cold]
    fn begin_piece(&mut self) {
        let mut next = Vec::new();
        if next.try_reserve_exact(NEXT).and_then(|()| self.full.try_reserve(1)).is_err() {
            IS_OUT_OF_MEMORY.set(true);
            self.last.clear();
            return;
        }
        self.room = NEXT;
        self.full.push(std::mem::replace(&mut self.last, next));
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.full.iter().map(Vec::len).sum::<usize>() + self.last.len()
    }

    /// The row of that number.
    #[inline]
    pub(crate) fn get_mut(&mut self, row: usize) -> Option<&mut R> {
        let (piece, place) = if row < FIRST { (0, row) } else { (1 + (row - FIRST) / NEXT, (row - FIRST) % NEXT) };
        let is_last = piece == self.full.len();
        let rows = if is_last { &mut self.last } else { self.full.get_mut(piece)? };
        rows.get_mut(place)
    }

    /// All rows in order, piece by piece.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[R]> {
        self.full.iter().chain([&self.last]).map(Vec::as_slice)
    }

    /// Gives back the memory that no row has needed.
    pub(crate) fn close(&mut self) {
        self.last.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_where_they_were_put() {
        let mut pile = Pile::default();
        let rows = FIRST + 2 * NEXT + 1;
        for row in 0..rows {
            assert_eq!(pile.len(), row);
            pile.push(row);
            // A copy has no spare room, and must not need it.
            pile = if row % 1000 == 0 { pile.clone() } else { pile };
        }
        pile.close();
        assert!(pile.pieces().flatten().copied().eq(0..rows));
        for row in [0, FIRST - 1, FIRST, FIRST + NEXT - 1, FIRST + NEXT, FIRST + 2 * NEXT] {
            assert_eq!(pile.get_mut(row), Some(&mut row.clone()));
        }
        assert_eq!(pile.get_mut(rows), None);
        assert_eq!(pile.get_mut(rows + NEXT), None);
    }
}
