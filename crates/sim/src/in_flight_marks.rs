//! The marks of packets in flight on a hop's wire: each packet has the mark of its departure from the queue.
//!
//! The wire holds the packets and may lose, duplicate and reorder them; marks are found by a packet's direction and number, as
//! each direction of a flow has numbers of its own. Packets with the same number are copies. Copies made by this wire share one mark; copies that came to the queue have a mark each.

use std::collections::BTreeMap;

use airlink_model::types::{Direction, FlowId, Packet};

/// A packet by its flow, whether it goes up, and its number among those.
pub(crate) type Key = (FlowId, bool, u64);

/// The key of `packet`.
pub(crate) fn key_of<P>(packet: &Packet<P>) -> Key {
    (packet.flow, packet.direction == Direction::Up, packet.id)
}

/// Marks by packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlightMarks(BTreeMap<Key, Copies>);

/// Copies of one packet on the wire that have the same mark.
#[derive(Clone, Debug)]
struct Copies {
    mark: f32,
    /// Copies in flight with this mark; negative if they came out before their departure was recorded.
    count: i32,
    /// Copies that left later, with another mark; rare.
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

impl InFlightMarks {
    /// Adds `count` copies of a packet, which leave the queue together with `mark`. Returns the mark that they carry: the
    /// earlier one if a copy has come out already.
    pub(crate) fn on_departure(&mut self, packet: Key, count: i32, mark: f32) -> f32 {
        let held = self.0.entry(packet).or_insert(Copies { mark, count: 0, later: None });
        if held.count > 0 {
            held.append(Copies { mark, count, later: None });
            return mark;
        }
        let mark = held.mark;
        held.count += count;
        if held.count == 0 {
            self.0.remove(&packet);
        }
        mark
    }

    /// Takes out one copy, which comes out of the wire or is lost on it, and returns its mark: `mark` if its departure is not
    /// recorded yet.
    pub(crate) fn take(&mut self, packet: Key, mark: f32) -> f32 {
        let held = self.0.entry(packet).or_insert(Copies { mark, count: 0, later: None });
        let mark = held.mark;
        held.count -= 1;
        if held.count == 0 {
            match held.later.take() {
                Some(later) => *held = *later,
                None => drop(self.0.remove(&packet)),
            }
        }
        mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet() -> Key {
        (FlowId::new(3), false, 7)
    }

    #[test]
    fn copies_that_left_with_different_marks_keep_their_own() {
        let mut marks = InFlightMarks::default();
        assert_eq!(
            [(2, 1.0), (1, 5.0), (1, 6.0)].map(|(count, mark)| marks.on_departure(packet(), count, mark)),
            [1.0, 5.0, 6.0]
        );
        assert_eq!([9.0; 4].map(|now| marks.take(packet(), now)), [1.0, 1.0, 5.0, 6.0]);
        assert!(marks.0.is_empty());
        assert_eq!(marks.on_departure(packet(), 1, 7.0), 7.0);
    }

    #[test]
    fn a_packet_that_comes_out_as_it_leaves_has_the_mark_of_that_moment() {
        let mut marks = InFlightMarks::default();
        assert_eq!(marks.take(packet(), 2.0), 2.0);
        assert_eq!(marks.on_departure(packet(), 2, 3.0), 2.0);
        assert_eq!(marks.take(packet(), 4.0), 2.0);
        assert!(marks.0.is_empty());
    }
}
