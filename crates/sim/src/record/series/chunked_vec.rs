//! Rows in chunks that never move: a recording that grows copies nothing and touches no memory twice.

use std::cell::Cell;

thread_local! {
    static IS_OUT_OF_MEMORY: Cell<bool> = const { Cell::new(false) };
}

/// True if a recording of this thread ran out of memory since the last call, so that rows are missing.
pub(crate) fn take_out_of_memory() -> bool {
    IS_OUT_OF_MEMORY.take()
}

/// Rows of the first chunk, and of each later one.
const FIRST: usize = 1 << 10;
const NEXT: usize = 1 << 16;

/// A vector in chunks that never move.
#[derive(Clone, Debug)]
pub(crate) struct ChunkedVec<R> {
    full: Vec<Vec<R>>,
    /// The chunk to which rows are added.
    last: Vec<R>,
    /// The most rows of that chunk.
    room: usize,
}

impl<R> Default for ChunkedVec<R> {
    fn default() -> Self {
        Self { full: Vec::new(), last: Vec::new(), room: FIRST }
    }
}

impl<R> ChunkedVec<R> {
    /// Adds a row.
    #[inline]
    pub(crate) fn push(&mut self, row: R) {
        if self.last.len() == self.room {
            self.begin_chunk();
        }
        self.last.push(row);
    }

    #[cold]
    fn begin_chunk(&mut self) {
        let mut next = Vec::new();
        if next.try_reserve_exact(NEXT).and_then(|()| self.full.try_reserve(1)).is_err() {
            IS_OUT_OF_MEMORY.set(true);
            self.last.clear();
            return;
        }
        self.room = NEXT;
        self.full.push(std::mem::replace(&mut self.last, next));
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.full.iter().map(Vec::len).sum::<usize>() + self.last.len()
    }

    /// The row with that number.
    #[inline]
    pub(crate) fn get_mut(&mut self, row: usize) -> Option<&mut R> {
        let (chunk, place) = if row < FIRST { (0, row) } else { (1 + (row - FIRST) / NEXT, (row - FIRST) % NEXT) };
        let is_last = chunk == self.full.len();
        let rows = if is_last { &mut self.last } else { self.full.get_mut(chunk)? };
        rows.get_mut(place)
    }

    /// All rows in order, by chunk.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = &[R]> {
        self.full.iter().chain([&self.last]).map(Vec::as_slice)
    }

    /// Frees the memory that no row uses.
    pub(crate) fn close(&mut self) {
        self.last.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_where_they_were_put() {
        let mut vec = ChunkedVec::default();
        let rows = FIRST + 2 * NEXT + 1;
        for row in 0..rows {
            assert_eq!(vec.len(), row);
            vec.push(row);
            // A copy has no spare room, and must not need it.
            vec = if row % 1000 == 0 { vec.clone() } else { vec };
        }
        vec.close();
        assert!(vec.chunks().flatten().copied().eq(0..rows));
        for row in [0, FIRST - 1, FIRST, FIRST + NEXT - 1, FIRST + NEXT, FIRST + 2 * NEXT] {
            assert_eq!(vec.get_mut(row), Some(&mut row.clone()));
        }
        assert_eq!(vec.get_mut(rows), None);
        assert_eq!(vec.get_mut(rows + NEXT), None);
    }
}
