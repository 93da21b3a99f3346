//! Round robin: the next user in the cycle gets the next subchannel.
//!
//! Users who may not win (no data) are passed over. A user whose rate is 0 keeps its turn and wastes the slot, as
//! [EvdoTcp]'s round robin does, unless it is to be skipped. The cycle goes on over subchannels and slots, and a user that
//! left the slot loses its turn. What this leaves out: weights, deficits.

use super::demand::Demand;
use super::{Allocation, Scheduler, SlotOutcome, SlotView, UserRow};
use crate::types::declare::Section;

/// Users in turn, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Section)]
#[section(about = "Users in turn", facts("serves users in turn", "channel_blind", "fair_in_slots"))]
pub struct RoundRobinConfig {
    /// true: users whose rate is 0 lose their turn to the next; false: they waste it.
    #[field(
        default = true,
        source = "TS 36.213, table 7.2.3-1: CQI 0 is out of range, and ns-3 skips it; [EvdoTcp], Fig. 2: wasted"
    )]
    pub skip_unservable: bool,
}

/// Serves users in a cycle that starts with user 0.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    skip_unservable: bool,
    next: usize,
    demand: Demand,
}

impl RoundRobin {
    /// A cycle before its first turn.
    pub fn new(config: RoundRobinConfig, releases_satisfied: bool) -> Self {
        Self { skip_unservable: config.skip_unservable, next: 0, demand: Demand::new(releases_satisfied) }
    }

    fn may_win(&self, view: &SlotView<'_>, subchannel: usize, user: usize) -> bool {
        let rate = view.rate_bps[user * view.subchannels + subchannel];
        !self.demand.has_left(user) && (rate > 0.0 || !self.skip_unservable)
    }
}

impl Scheduler for RoundRobin {
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Allocation) {
        self.demand.start(view);
        for subchannel in 0..view.subchannels {
            let (before, from_next) =
                view.candidates.split_at(view.candidates.partition_point(|&user| (user as usize) < self.next));
            let mut cycle = from_next.iter().chain(before).map(|&user| user as usize);
            if let Some(user) = cycle.find(|&user| self.may_win(view, subchannel, user)) {
                allocation.grant(subchannel, UserRow::new(user));
                self.demand.on_grant(view, subchannel, user);
                self.next = (user + 1) % view.users;
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
