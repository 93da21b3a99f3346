//! Blocks that are on air in the current slot, and the record of each.

use super::Cell;
use crate::probe::{Probe, SlotRecord};
use crate::rlc::Filled;
use crate::types::{Blocks, Slot, Time, UserId};

/// A user's block that is on air in the current slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnAir {
    pub(super) slot: Slot,
    pub(super) user: UserId,
    pub(super) place: usize,
    /// With one carrier, the SINR that the rate was chosen by, and that rate: a retransmission at once uses it again.
    pub(super) reported_db: f32,
    pub(super) rate_bps: f32,
    pub(super) granted_bits: f64,
    pub(super) filled: Filled,
    pub(super) lost: bool,
}

/// What else is recorded of a block.
pub(super) struct Sent {
    pub(super) start: Time,
    pub(super) subchannels: u32,
    /// On all subchannels together.
    pub(super) rate_bps: f64,
    pub(super) true_db: f32,
    pub(super) blocks: Blocks,
}

impl<P> Cell<P> {
    /// Puts a user's block on air and records it.
    #[inline(always)]
    pub(super) fn put_on_air(&mut self, block: OnAir, sent: Sent, probe: &mut impl Probe) {
        let OnAir { slot, user, place, granted_bits, filled, lost, .. } = block;
        let Sent { start, subchannels, rate_bps, true_db, blocks } = sent;
        let offset_db = if self.has_outer_loops { self.radio.on_sent(slot, place, blocks) } else { 0.0 };
        let gap_slots = self.knowledge.on_won(place, slot);
        let ordinal = self.on_air.len() as u32; // fewer than 2^32 users
        self.on_air.push(block);
        probe.on_slot(&SlotRecord {
            slot,
            start,
            ordinal,
            winner: Some(user),
            subchannels,
            rate_bps,
            granted_bits,
            sent: filled.sent,
            padded: filled.padded,
            true_db,
            lost,
            blocks,
            offset_db,
            gap_slots,
        });
    }
}
