//! The prices of packets on a wire: each carries that of the moment in which it left the queue.
//!
//! The wire holds the packets, and may lose, double and overtake; prices are found again by a packet's number. Packets of
//! one number are copies: those that the wire doubled have one price, those that came to the queue doubled each their own.

use std::collections::BTreeMap;

use airlink_model::types::FlowId;

/// A packet by its flow and its number there.
pub(crate) type Key = (FlowId, u64);

/// Prices by packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stamps(BTreeMap<Key, Copies>);

/// Copies of one packet on the wire.
#[derive(Clone, Debug)]
struct Copies {
    price: f32,
    /// How many are there with that price. Below 0: so many came out as they left, before that was told.
    count: i32,
    /// Those that left later; hardly ever there are any.
    later: Option<Box<Copies>>,
}

impl Copies {
    fn append(&mut self, copies: Self) {
        match &mut self.later {
            Some(later) => later.append(copies),
            None => self.later = Some(Box::new(copies)),
        }
    }
}

impl Stamps {
    /// So many copies of a packet leave together while the price is `price`: what they carry, which is the price of before if
    /// one has come out already.
    pub(crate) fn leave(&mut self, packet: Key, count: i32, price: f32) -> f32 {
        let held = self.0.entry(packet).or_insert(Copies { price, count: 0, later: None });
        if held.count > 0 {
            held.append(Copies { price, count, later: None });
            return price;
        }
        let price = held.price;
        held.count += count;
        if held.count == 0 {
            self.0.remove(&packet);
        }
        price
    }

    /// A packet comes out of the wire, or is lost on it: what it carries, `price` if it leaves in this moment.
    pub(crate) fn take(&mut self, packet: Key, price: f32) -> f32 {
        let held = self.0.entry(packet).or_insert(Copies { price, count: 0, later: None });
        let price = held.price;
        held.count -= 1;
        if held.count == 0 {
            match held.later.take() {
                Some(later) => *held = *later,
                None => drop(self.0.remove(&packet)),
            }
        }
        price
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet() -> Key {
        (FlowId::new(3), 7)
    }

    #[test]
    fn copies_that_left_at_different_prices_carry_each_its_own() {
        let mut stamps = Stamps::default();
        assert_eq!(
            [(2, 1.0), (1, 5.0), (1, 6.0)].map(|(count, price)| stamps.leave(packet(), count, price)),
            [1.0, 5.0, 6.0]
        );
        assert_eq!([9.0; 4].map(|now| stamps.take(packet(), now)), [1.0, 1.0, 5.0, 6.0]);
        assert!(stamps.0.is_empty());
        assert_eq!(stamps.leave(packet(), 1, 7.0), 7.0);
    }

    #[test]
    fn what_comes_out_as_it_leaves_has_the_price_of_that_moment_and_so_has_its_copy() {
        let mut stamps = Stamps::default();
        assert_eq!(stamps.take(packet(), 2.0), 2.0);
        assert_eq!(stamps.leave(packet(), 2, 3.0), 2.0);
        assert_eq!(stamps.take(packet(), 4.0), 2.0);
        assert!(stamps.0.is_empty());
    }
}
