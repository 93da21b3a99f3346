//! Retransmission at once: the user whose slot was lost gets the next slot, without asking the scheduler.
//!
//! The block is the same: the same bytes at the same rate, whatever was reported or has arrived since. Whether it is lost
//! follows from the true SINR of the slot it is in. Averages and records count each of these slots as won by the user, with
//! its bits granted anew.

use super::on_air::{OnAir, Sent};
use super::{Cell, RadioState};
use crate::probe::{CarrierRecord, GrantRecord, Probe};
use crate::types::{Blocks, Slot, Time};

impl<P> Cell<P> {
    /// Sends `block` again in `slot`.
    pub(super) fn retransmit(&mut self, slot: Slot, start: Time, block: OnAir, probe: &mut impl Probe) {
        let OnAir { user, rate_bps, reported_db, granted_bits, filled, .. } = block;
        let index = user.index();
        let grant = self.radio.subchannel_grant(slot, index, reported_db, granted_bits);
        if let RadioState::Row(_) = self.radio {
            probe.on_carrier(&CarrierRecord { granted: 1, ..CarrierRecord::default() });
        }
        if probe.wants_grants() || matches!(self.radio, RadioState::Row(_)) {
            let (grants, reported_db) = (&[grant], &[reported_db]);
            probe.on_grant(&GrantRecord { slot, user, subchannels: &[0], grants, reported_db });
        }
        let lost = self.radio.is_lost_at(slot, index, rate_bps);
        let given_up = lost && self.buffers[index].is_last_attempt();
        let blocks = Blocks { retransmitted: 1, first_lost: 0, ..Blocks::one(filled.sent, lost) }.given_up_if(given_up);
        let sent = Sent { start, subchannels: 1, rate_bps: rate_bps.into(), true_db: grant.true_db, blocks };
        self.put_on_air(OnAir { slot, lost, ..block }, sent, probe);
    }
}
