//! ARQ by slots: a slot's whole content arrives or is retransmitted as one, and a user's losses in a row are counted.
//!
//! Lost data goes before new data, and feedback has no delay, so data arrives in order. After the last attempt the packets that
//! the slot would have completed are given up. A packet of which it carries a part stays, and that part with it. The count
//! starts anew even if the slot would have completed no packet.
//!
//! A block that is retransmitted at once stays on air between its attempts, and its bytes count as sent.
//!
//! It leaves out: delayed feedback, code blocks.

use super::{Entity, Outcome, Part};
use crate::rlc::PacketHistory;
use crate::types::Slot;

impl<P> Entity<P> {
    /// True if the block on air is retransmitted unchanged in the next slot.
    pub fn holds_block(&self) -> bool {
        !self.on_air.is_empty() && self.config.retransmits_at_once()
    }

    /// True if a loss of this slot gives up what it carries.
    pub fn is_last_attempt(&self) -> bool {
        let limit = self.config.arq.max_retransmissions;
        self.config.retransmits_slots() && limit != u32::MAX && self.lost_in_a_row >= limit
    }

    /// [`Entity::is_repair`] for ARQ by slots: the first slot after a lost one repairs it.
    pub(super) fn is_repair_of_a_slot(&self, lost: bool) -> bool {
        let sends = !self.on_air.is_empty();
        sends && (self.lost_in_a_row > 0 || (lost && !self.is_last_attempt()))
    }

    /// Ends `slot`: all of it arrived, or all was `lost`.
    pub(super) fn finish_whole_slot(
        &mut self,
        slot: Slot,
        lost: bool,
        mut report: impl FnMut(Outcome<P>, PacketHistory),
    ) {
        let mut block = std::mem::take(&mut self.on_air);
        for part in &block {
            let transfer = self.transfer(part.serial);
            transfer.history.add(slot, part.retransmissions + 1);
            transfer.missing -= if lost { 0 } else { part.bytes };
        }
        if lost && !block.is_empty() {
            self.lose_slot(slot, &mut block);
        } else if !block.is_empty() {
            self.lost_in_a_row = 0;
            block.clear();
        }
        self.on_air = block;
        self.report_outcomes(&mut report);
    }

    /// Keeps the lost parts in `block` for a retransmission at once, or takes them back.
    fn lose_slot(&mut self, slot: Slot, block: &mut Vec<Part>) {
        let given_up = self.is_last_attempt();
        self.lost_in_a_row = if given_up { 0 } else { self.lost_in_a_row.saturating_add(1) };
        block.iter_mut().for_each(|part| part.retransmissions += 1);
        if given_up {
            for parts in block.chunk_by(|one, next| one.serial == next.serial) {
                let serial = parts[0].serial;
                if self.transfer(serial).missing == parts.iter().map(|part| part.bytes).sum() {
                    self.give_up(serial);
                }
            }
        } else if self.config.retransmits_at_once() {
            return;
        }
        self.take_back(slot.next(), block);
    }

    /// Leaves a lost block that is held for a retransmission at once to the slot from `next` on that the user is granted.
    pub fn reschedule_block(&mut self, next: Slot) {
        let mut block = std::mem::take(&mut self.on_air);
        self.take_back(next, &mut block);
        self.on_air = block;
    }

    /// Puts the parts that were not given up in front of all that is to be sent; joins parts with as many retransmissions.
    fn take_back(&mut self, ready: Slot, block: &mut Vec<Part>) {
        for part in block.drain(..).rev() {
            if self.transfer(part.serial).damaged.is_some() {
                continue;
            }
            self.bytes_to_retransmit += part.bytes;
            match self.to_retransmit.front_mut() {
                Some(rest) if (rest.serial, rest.retransmissions) == (part.serial, part.retransmissions) => {
                    rest.bytes += part.bytes;
                }
                _ => self.to_retransmit.push_front(Part { ready, ..part }),
            }
        }
    }
}
