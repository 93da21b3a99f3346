//! A user leaves a cell with all that waits for it, and comes to another, between two slots.
//!
//! With it go its queue with what drops packets in it, the packet that was begun, parts and code blocks that wait for a
//! retransmission, what the receiver already has, sequence numbers, and when it won last. A lost block that was to be sent again at
//! once is sent again when the user is scheduled in the new cell, at the rate of then. What is on air has ended before: a user moves
//! after a slot's end and before the next is observed.
//!
//! It leaves out: an outer loop and reports, which belong to a link and start anew; cumulative counts for the control schedulers;
//! users of a shared queue; cells of another slot clock, other RLC, or one with several subchannels beside one with one.

use super::buffer::UserBuffer;
use super::knowledge::Carried;
use super::radio::UserRadio;
use super::{Cell, Waiting};
use crate::rlc::RlcConfig;
use crate::scheduler::UserRow;
use crate::types::{CellId, Slot, SlotClock, UserId};

/// A user that has left a cell, with all that waits for it there.
#[derive(Debug)]
pub struct MovedUser<P> {
    id: UserId,
    from: CellId,
    slot: Slot,
    kind: Kind,
    carried: Carried,
    buffer: UserBuffer<P>,
}

/// What two cells between which a user moves have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kind {
    pub(super) clock: SlotClock,
    pub(super) rlc: RlcConfig,
    pub(super) has_subchannels: bool,
}

impl<P> MovedUser<P> {
    /// Who it is.
    pub const fn id(&self) -> UserId {
        self.id
    }

    /// The cell that it left.
    pub const fn from(&self) -> CellId {
        self.from
    }

    /// What it takes along.
    pub fn waiting(&self) -> Waiting {
        self.buffer.waiting()
    }
}

impl<P> Cell<P> {
    /// Takes a user out, after a slot's end and before the next slot is observed; none if it is not in the cell.
    pub fn remove_user(&mut self, id: UserId) -> Option<MovedUser<P>> {
        assert!(self.is_between_slots(), "a user moves between two slots");
        assert!(self.shared_fifo.is_none(), "users of a shared queue do not move");
        let place = self.users.remove(id)?;
        let mut buffer = std::mem::replace(&mut self.buffers[place], self.maker.buffer(id));
        if self.pending_retransmission.take_if(|block| block.user == id).is_some() {
            buffer.reschedule_block(self.next_slot);
        }
        let carried = self.knowledge.vacate(place);
        self.radio.vacate(place);
        let row = UserRow::new(place);
        self.served.retain(|served| served.user != row);
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.on_user_removed(row);
        }
        Some(MovedUser { id, from: self.id, slot: self.next_slot, kind: self.kind(), carried, buffer })
    }

    /// Takes a user in, over its radio in this cell, after a slot's end and before the next slot is observed.
    pub fn add_user(&mut self, user: MovedUser<P>, radio: UserRadio) {
        assert!(self.is_between_slots(), "a user moves between two slots");
        assert!(self.shared_fifo.is_none(), "users of a shared queue do not move");
        assert!(user.kind == self.kind(), "both cells have one slot clock, one RLC, and one or several subchannels");
        assert!(user.slot <= self.next_slot, "a user moves forward in time");
        let place = self.users.add(user.id);
        self.knowledge.occupy(place, user.carried, radio.mean_snr_db);
        self.has_outer_loops |= radio.outer_loop.is_some();
        self.radio.occupy(place, radio, self.next_slot);
        self.grants.make_room(place);
        if place == self.buffers.len() {
            self.buffers.push(user.buffer);
        } else {
            self.buffers[place] = user.buffer;
        }
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.on_user_added(UserRow::new(place), self.next_slot);
        }
        self.refresh(place);
    }

    fn is_between_slots(&self) -> bool {
        self.on_air.is_empty() && !self.is_open
    }

    fn kind(&self) -> Kind {
        Kind { clock: self.clock, rlc: self.maker.rlc, has_subchannels: self.radio.subchannels() > 1 }
    }
}
