//! First come, first served over all users: the oldest packet at the base station goes first, whatever its user's rate.
//!
//! The key of a user is when its oldest packet was queued, until that packet has left; among packets of the same nanosecond the
//! lowest user number goes first. A user whose rate is 0 keeps the slot and wastes it, as a queue with one server does, unless
//! it is to be skipped. Users who may not win (no data, or nothing but a retransmission that is not due) are passed over. With
//! empty queues served, a user without a packet comes after all packets. What this leaves out: how the packets behind a user's
//! oldest stand to those of others: of several subchannels the user gets all, until its whole backlog is covered if it then
//! leaves.

use super::demand::Demand;
use super::{Allocation, Scheduler, SlotOutcome, SlotView, UserRow};
use crate::types::declare::Section;

/// First come, first served: the user whose oldest packet came first to the base station, whatever its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Section)]
#[section(
    about = "The oldest packet of all users",
    facts("serves the oldest packet of all users", "channel_blind", "weighs_queue")
)]
pub struct FifoConfig {
    /// true: while a user's rate is 0 the slot goes to the next oldest packet; false: it waits, wasting the slot.
    #[field(
        default = false,
        source = "airlink default: what one queue for all would do ([Choi05], Fig. 4, does not say)"
    )]
    pub skip_unservable: bool,
}

/// Serves the user whose oldest packet came first.
#[derive(Clone, Debug)]
pub struct Fifo {
    skip_unservable: bool,
    demand: Demand,
}

impl Fifo {
    /// It remembers nothing.
    pub fn new(config: FifoConfig, releases_satisfied: bool) -> Self {
        Self { skip_unservable: config.skip_unservable, demand: Demand::new(releases_satisfied) }
    }

    fn may_win(&self, view: &SlotView<'_>, subchannel: usize, user: usize) -> bool {
        let rate = view.rate_bps[user * view.subchannels + subchannel];
        !self.demand.has_left(user) && (rate > 0.0 || !self.skip_unservable)
    }
}

impl Scheduler for Fifo {
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Allocation) {
        self.demand.start(view);
        for subchannel in 0..view.subchannels {
            let candidates = view.candidates.iter().map(|&user| user as usize);
            let able = candidates.filter(|&user| self.may_win(view, subchannel, user));
            // Of equal keys the first is taken.
            if let Some(user) = able.min_by_key(|&user| view.head_of_line_since[user]) {
                allocation.grant(subchannel, UserRow::new(user));
                self.demand.on_grant(view, subchannel, user);
            }
        }
    }

    fn on_slot_end(&mut self, _outcome: &SlotOutcome<'_>) {}

    fn reads_idle_users(&self) -> bool {
        false
    }

    fn boxed_clone(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}
