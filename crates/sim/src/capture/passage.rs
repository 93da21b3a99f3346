//! Packets on their way: the header of each is made once, where it sets out, and found again wherever it is seen.

use std::collections::VecDeque;

use airlink_model::types::Ecn;

use super::template::Header;

/// What one end of a flow sent and what has neither arrived nor been lost, by number.
#[derive(Debug, Default)]
pub(super) struct Passage {
    /// The number of the oldest one.
    first: u64,
    packets: VecDeque<Travelling>,
}

#[derive(Debug)]
struct Travelling {
    header: Header,
    /// Copies that are on their way.
    copies: u32,
}

impl Passage {
    /// Packet `number`, the next one, sets out.
    #[inline]
    pub(super) fn set_out(&mut self, number: u64, header: Header) -> &Header {
        assert!(number == self.first + self.packets.len() as u64, "packets are numbered in the order of sending");
        self.packets.push_back(Travelling { header, copies: 1 });
        &self.packets[self.packets.len() - 1].header
    }

    /// There is a further copy of packet `number`.
    pub(super) fn duplicate(&mut self, number: u64) {
        self.travelling(number).copies += 1;
    }

    /// The header of packet `number`, whose ECN field is this by now.
    #[inline]
    pub(super) fn header(&mut self, number: u64, ecn: Ecn) -> &Header {
        let header = &mut self.travelling(number).header;
        header.set_ecn(ecn);
        header
    }

    /// A copy of packet `number` is gone.
    pub(super) fn end(&mut self, number: u64) {
        self.travelling(number).copies -= 1;
        while self.packets.front().is_some_and(|oldest| oldest.copies == 0) {
            self.packets.pop_front();
            self.first += 1;
        }
    }

    #[inline]
    fn travelling(&mut self, number: u64) -> &mut Travelling {
        let place = number.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| self.packets.get_mut(place)).expect("a packet that is seen is on its way")
    }
}
