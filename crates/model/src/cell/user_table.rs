//! Which user of a cell has which place in the arrays that go by user.
//!
//! A place stays a user's until it leaves, and is the next newcomer's then; without such a place a newcomer stands behind the
//! others. Where names are the places themselves, as in a scenario, finding one is a comparison.

use crate::types::UserId;

/// The users of a cell, by place and by name.
#[derive(Clone, Debug)]
pub(super) struct UserTable {
    /// By place; of a place that nobody has, who had it last.
    ids: Vec<UserId>,
    /// Places in the order of their users' names.
    by_id: Vec<u32>,
    /// Places that nobody has.
    vacant: Vec<u32>,
}

impl UserTable {
    pub(super) fn new(ids: impl Iterator<Item = UserId>) -> Self {
        let mut table = Self { ids: Vec::new(), by_id: Vec::new(), vacant: Vec::new() };
        for id in ids {
            table.add(id);
        }
        table
    }

    /// The names by place.
    pub(super) fn ids(&self) -> &[UserId] {
        &self.ids
    }

    /// The place of `id`, if that is a user of the cell.
    #[inline]
    pub(super) fn find(&self, id: UserId) -> Option<usize> {
        if self.vacant.is_empty() && self.ids.get(id.index()) == Some(&id) {
            return Some(id.index());
        }
        let rank = self.rank(id).ok()?;
        Some(self.by_id[rank] as usize)
    }

    /// The place of `id`, a user of the cell.
    #[inline]
    pub(super) fn place(&self, id: UserId) -> usize {
        self.find(id).expect("the user is in this cell")
    }

    /// The places that somebody has.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> {
        self.by_id.iter().map(|&place| place as usize)
    }

    /// Gives `id` a place.
    pub(super) fn add(&mut self, id: UserId) -> usize {
        let rank = self.rank(id).expect_err("a user is in a cell once");
        // Fewer than 2^32 users.
        let place = self.vacant.pop().unwrap_or(self.ids.len() as u32);
        if place as usize == self.ids.len() {
            self.ids.push(id);
        }
        self.ids[place as usize] = id;
        self.by_id.insert(rank, place);
        place as usize
    }

    /// Takes the place of `id` back; returns it.
    pub(super) fn remove(&mut self, id: UserId) -> Option<usize> {
        let place = self.by_id.remove(self.rank(id).ok()?);
        self.vacant.push(place);
        Some(place as usize)
    }

    fn rank(&self, id: UserId) -> Result<usize, usize> {
        self.by_id.binary_search_by_key(&id, |&place| self.ids[place as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_finds_its_place_whoever_came_and_left_before() {
        let id = UserId::new;
        let mut table = UserTable::new([7, 900, 3].map(id).into_iter());
        let places = |table: &UserTable| [3, 7, 11, 900].map(|name| table.find(id(name)));
        assert_eq!(places(&table), [Some(2), Some(0), None, Some(1)]);
        assert_eq!((table.remove(id(900)), table.remove(id(5))), (Some(1), None));
        assert_eq!(places(&table), [Some(2), Some(0), None, None]);
        assert_eq!(table.places().collect::<Vec<_>>(), [2, 0]);
        assert_eq!((table.add(id(11)), table.add(id(900))), (1, 3));
        assert_eq!(places(&table), [Some(2), Some(0), Some(1), Some(3)]);
        // A place is no name: nobody is called 1.
        assert_eq!(table.find(id(1)), None);
        assert_eq!(UserTable::new([0, 1].map(id).into_iter()).find(id(1)), Some(1));
    }
}
