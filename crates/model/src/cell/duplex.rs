//! Slots without downlink: they pass, and everything that counts slots counts them.
//!
//! Averages decay, reports are measured and grow old, feedback comes and gaps grow as in any idle slot, so all of these stay times.
//! What is due in such a slot waits for the next one with downlink. A special slot grants its share of a slot's bits at the rate of a
//! whole one. A block that is retransmitted at once waits for a slot with at least the share of its own.

use super::Cell;
use crate::probe::Probe;
use crate::scheduler::SlotView;
use crate::types::Slot;

impl<P> Cell<P> {
    /// Whether some slots may carry no downlink.
    pub fn has_uplink_slots(&self) -> bool {
        self.duplex.is_some()
    }

    /// Whether something of the next slot can be given to somebody.
    #[inline]
    pub fn has_downlink(&self) -> bool {
        self.duplex.is_none() || self.has_downlink_in_pattern()
    }

    #[inline(never)]
    fn has_downlink_in_pattern(&self) -> bool {
        let share = self.downlink_share(self.next_slot);
        let needed = self.pending_retransmission.map_or(0.0, |block| self.downlink_share(block.slot));
        share > 0.0 && share >= needed
    }

    /// The share of `slot` that is downlink.
    #[inline]
    pub(super) fn downlink_share(&self, slot: Slot) -> f64 {
        self.duplex.map_or(1.0, |duplex| duplex.downlink_share(slot))
    }

    /// Starts a slot without downlink, in which nobody gets anything.
    #[cold]
    #[inline(never)]
    pub fn pass_slot(&mut self, probe: &mut impl Probe) {
        debug_assert!(!self.has_downlink(), "a slot with downlink is decided");
        let reads_idle_users = self.scheduler.as_deref().is_none_or(|scheduler| scheduler.reads_idle_users());
        self.open_slot(reads_idle_users, probe);
        if let Some(mut scheduler) = self.scheduler.take() {
            scheduler.stand_by(&SlotView { average_bps: &[], ..self.view() });
            self.scheduler = Some(scheduler);
        }
        let pending = self.pending_retransmission.take();
        let mut allocation = std::mem::take(&mut self.allocation);
        allocation.clear();
        probe.on_passed(self.next_slot);
        self.start(&allocation, probe);
        self.allocation = allocation;
        self.pending_retransmission = pending;
    }
}
