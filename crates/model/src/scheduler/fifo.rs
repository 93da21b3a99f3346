//! First come, first served over all users: the oldest packet at the base station goes first, whatever its user's rate.
//!
//! The key of a user is when its oldest packet was queued, until that packet has left; among packets of the same nanosecond
//! the lowest user number goes first. A user whose rate is 0 keeps the slot and wastes it, as a queue with one server does,
//! unless it is to be skipped. Users who may not win (no data, or nothing but a repetition that is not due) are passed over.
//! With empty queues served, a user without a packet comes after all packets. What this leaves out: one memory for all users
//! (each has its own queue and limit), and several users in a slot.

use super::{Allocation, Scheduler, SlotOutcome, SlotView};
use crate::types::UserId;

/// The parameters of first come, first served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FifoConfig {
    /// Pass over users whose rate is 0, who could only waste the slot.
    pub skip_unservable: bool,
}

/// Serves the user whose oldest packet came first.
#[derive(Clone, Debug)]
pub struct Fifo {
    skip_unservable: bool,
}

impl Fifo {
    /// It remembers nothing.
    pub fn new(config: FifoConfig) -> Self {
        Self { skip_unservable: config.skip_unservable }
    }

    fn may_win(&self, view: &SlotView<'_>, subchannel: usize, user: usize) -> bool {
        let rate = view.rate_bps[user * view.subchannels + subchannel];
        view.eligible[user] && (rate > 0.0 || !self.skip_unservable)
    }
}

impl Scheduler for Fifo {
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Allocation) {
        for subchannel in 0..view.subchannels {
            let able = (0..view.users).filter(|&user| self.may_win(view, subchannel, user));
            // Of equal keys the first is taken.
            if let Some(user) = able.min_by_key(|&user| view.head_of_line_since[user]) {
                allocation.grant(subchannel, UserId::new(user));
            }
        }
    }

    fn on_slot_end(&mut self, _outcome: &SlotOutcome<'_>) {}

    fn boxed_clone(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}
