//! Packets on their way: the header of each is made once, where it sets out, and found again wherever it is seen.

use std::collections::VecDeque;

use airlink_model::types::Ecn;

use super::remark::Name;
use super::template::Header;

/// What one end of a flow sent and what has neither arrived nor been lost, by number.
#[derive(Debug, Default)]
pub(super) struct Passage {
    /// The number of the oldest one.
    first: u64,
    packets: VecDeque<Travelling>,
}

/// A packet on its way.
#[derive(Debug)]
pub(super) struct Travelling {
    pub(super) header: Header,
    /// None of a pure ACK.
    pub(super) name: Name,
    /// Copies that are on their way.
    copies: u32,
}

impl Passage {
    /// Packet `number`, the next one, sets out.
    #[inline]
    pub(super) fn set_out(&mut self, number: u64, header: Header, name: Name) -> &Travelling {
        assert!(number == self.first + self.packets.len() as u64, "packets are numbered in the order of sending");
        self.packets.push_back(Travelling { header, name, copies: 1 });
        &self.packets[self.packets.len() - 1]
    }

    /// There is a further copy of packet `number`.
    pub(super) fn duplicate(&mut self, number: u64) {
        self.travelling(number).copies += 1;
    }

    /// Packet `number`, whose ECN field is this by now.
    #[inline]
    pub(super) fn seen(&mut self, number: u64, ecn: Ecn) -> &Travelling {
        let travelling = self.travelling(number);
        travelling.header.set_ecn(ecn);
        travelling
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
