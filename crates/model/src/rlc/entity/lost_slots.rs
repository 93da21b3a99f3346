//! ARQ by slots: all that a slot carried arrives, or goes back as one, and losses of the user in a row are counted.
//!
//! Nothing new is sent before what was lost, and feedback is at once, so what has arrived is always the beginning of what
//! came. After the last attempt the packets that the slot would have completed are given up. The one that it carries a part
//! of stays, and that part with it; the count starts anew, also where the slot completed nothing.
//!
//! A block that goes again at once stays on air between its attempts, and what is counted as sent with it.
//!
//! It leaves out: feedback that comes late, code blocks.

use super::{Entity, Outcome, Part};
use crate::rlc::Carried;
use crate::types::Slot;

impl<P> Entity<P> {
    /// True if the block on air goes again as it is, in the slot that comes next.
    pub fn holds_block(&self) -> bool {
        !self.on_air.is_empty() && self.config.repeats_at_once()
    }

    /// True if what the slot carries is given up should it be lost.
    pub fn is_last_attempt(&self) -> bool {
        let limit = self.config.arq.max_retransmissions;
        self.config.repeats_slots() && limit != u32::MAX && self.lost_in_a_row >= limit
    }

    /// The same as [`Entity::is_repair`], where slots are repeated: the first after a lost one is there to repair it.
    pub(super) fn is_repair_of_a_slot(&self, lost: bool) -> bool {
        let sends = !self.on_air.is_empty();
        sends && (self.lost_in_a_row > 0 || (lost && !self.is_last_attempt()))
    }

    /// Ends `slot`: all of it arrived, or nothing did.
    pub(super) fn finish_whole_slot(&mut self, slot: Slot, lost: bool, mut tell: impl FnMut(Outcome<P>, Carried)) {
        let mut block = std::mem::take(&mut self.on_air);
        for part in &block {
            let transfer = self.transfer(part.serial);
            transfer.carried.last_slot = slot;
            transfer.carried.attempts = transfer.carried.attempts.max(part.repetitions + 1);
            transfer.missing -= if lost { 0 } else { part.bytes };
        }
        if lost && !block.is_empty() {
            self.lose_slot(slot, &mut block);
        } else if !block.is_empty() {
            self.lost_in_a_row = 0;
            block.clear();
        }
        self.on_air = block;
        self.tell_outcomes(&mut tell);
    }

    /// What was lost stays in `block` to go again, or leaves it.
    fn lose_slot(&mut self, slot: Slot, block: &mut Vec<Part>) {
        let given_up = self.is_last_attempt();
        self.lost_in_a_row = if given_up { 0 } else { self.lost_in_a_row.saturating_add(1) };
        block.iter_mut().for_each(|part| part.repetitions += 1);
        if given_up {
            for parts in block.chunk_by(|one, next| one.serial == next.serial) {
                let serial = parts[0].serial;
                if self.transfer(serial).missing == parts.iter().map(|part| part.bytes).sum() {
                    self.give_up(serial);
                }
            }
        } else if self.config.repeats_at_once() {
            return;
        }
        self.take_back(slot, block);
    }

    /// Puts what was sent and not given up before all that is to be sent; parts that were sent as often are one again.
    fn take_back(&mut self, slot: Slot, block: &mut Vec<Part>) {
        for part in block.drain(..).rev() {
            if self.transfer(part.serial).damaged.is_some() {
                continue;
            }
            self.bytes_to_send += part.bytes;
            match self.to_repeat.front_mut() {
                Some(rest) if (rest.serial, rest.repetitions) == (part.serial, part.repetitions) => {
                    rest.bytes += part.bytes;
                }
                _ => self.to_repeat.push_front(Part { ready: slot.next(), ..part }),
            }
        }
    }
}
