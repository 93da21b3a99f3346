//! A set of places that changes often and is read in rising order once a slot: bits, and the list that follows from them.

/// Places in rising order.
#[derive(Clone, Debug, Default)]
pub(super) struct PlaceList {
    bits: Vec<u64>,
    list: Vec<u32>,
    is_stale: bool,
}

impl PlaceList {
    /// Puts `place` on the list, or takes it off; [`PlaceList::renew`] shows it.
    #[inline]
    pub(super) fn toggle(&mut self, place: usize) {
        let word = place / 64;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] ^= 1 << (place % 64);
        self.is_stale = true;
    }

    /// Makes the list what it has become.
    #[inline]
    pub(super) fn renew(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            self.list.clear();
            for (word, &bits) in self.bits.iter().enumerate() {
                let mut left = bits;
                while left != 0 {
                    // Fewer than 2^32 places.
                    self.list.push(word as u32 * 64 + left.trailing_zeros());
                    left &= left - 1;
                }
            }
        }
    }

    /// The places as of the latest renewal.
    #[inline]
    pub(super) fn places(&self) -> &[u32] {
        &self.list
    }

    /// The list itself, for whoever fills it anew in each slot and toggles nothing.
    pub(super) fn filled_by_slot(&mut self) -> &mut Vec<u32> {
        &mut self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_in_rising_order_and_go_when_they_are_toggled_again() {
        let mut list = PlaceList::default();
        [200, 3, 64, 63, 3, 0].into_iter().for_each(|place| list.toggle(place));
        assert!(list.places().is_empty(), "nothing shows before the renewal");
        list.renew();
        assert_eq!(list.places(), [0, 63, 64, 200]);
        list.toggle(63);
        list.renew();
        assert_eq!(list.places(), [0, 64, 200]);
    }
}
