//! Each user's service in a slot: sends, repairs, waits, or stalls for feedback.

use super::Cell;
use super::on_air::OnAir;
use crate::probe::{Probe, Service};
use crate::types::{Slot, Time};

impl<P> Cell<P> {
    /// Reports the service of users on air; of all users if feedback is late, since a wait for it ends without an event.
    #[inline(never)]
    pub(super) fn report_service(&self, slot: Slot, start: Time, probe: &mut impl Probe) {
        if self.retransmits_late {
            for place in self.users.places() {
                probe.on_service(start, self.users.ids()[place], self.service(slot, place));
            }
            return;
        }
        for air in &self.on_air {
            probe.on_service(start, air.user, self.service_of(Some(air), slot, air.place));
        }
    }

    /// The service of the user at `place` in `slot`.
    pub(super) fn service(&self, slot: Slot, place: usize) -> Service {
        let on_air = self.on_air.binary_search_by_key(&place, |air| air.place).map(|rank| &self.on_air[rank]);
        self.service_of(on_air.ok(), slot, place)
    }

    /// The same, of what the user has on air.
    #[inline]
    fn service_of(&self, on_air: Option<&OnAir>, slot: Slot, place: usize) -> Service {
        match on_air.filter(|air| !air.filled.sent.is_zero()) {
            Some(air) if self.buffers[place].is_repair(air.lost) => Service::Repairs,
            Some(_) => Service::Sends,
            None => self.service_off_air(slot, place),
        }
    }

    /// The same of a user who has nothing on air.
    pub(super) fn service_off_air(&self, slot: Slot, place: usize) -> Service {
        let buffer = &self.buffers[place];
        match buffer.waiting().packets == 0 || buffer.is_ready(slot) {
            true => Service::Waits,
            false => Service::Stalls,
        }
    }
}
