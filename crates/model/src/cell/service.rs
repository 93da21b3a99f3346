//! Each user's service in a slot: sends, repairs, waits, or stalls for feedback.

use super::Cell;
use crate::probe::{Probe, Service};
use crate::types::{Slot, Time, UserId};

impl<P> Cell<P> {
    /// Reports the service of users on air; of all users if feedback is late, since a wait for it ends without an event.
    pub(super) fn report_service(&self, slot: Slot, start: Time, probe: &mut impl Probe) {
        if self.buffers[0].retransmits_late() {
            for user in 0..self.buffers.len() {
                probe.on_service(start, UserId::new(user), self.service(slot, user));
            }
            return;
        }
        for air in &self.on_air {
            probe.on_service(start, air.user, self.service(slot, air.user.index()));
        }
    }

    /// The service of `user` in `slot`.
    pub(super) fn service(&self, slot: Slot, user: usize) -> Service {
        let buffer = &self.buffers[user];
        let on_air = self.on_air.binary_search_by_key(&user, |air| air.user.index()).map(|place| &self.on_air[place]);
        match on_air.ok().filter(|air| !air.filled.sent.is_zero()) {
            Some(air) if buffer.is_repair(air.lost) => Service::Repairs,
            Some(_) => Service::Sends,
            None if buffer.waiting().packets == 0 || buffer.is_ready(slot) => Service::Waits,
            None => Service::Stalls,
        }
    }
}
