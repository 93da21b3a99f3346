//! A slot of several subchannels: each user's grant is filled and its fate is drawn, in order of user number.

use super::grants::Grant;
use super::on_air::{OnAir, Sent};
use super::{Cell, RadioState};
use crate::probe::{CarrierRecord, GrantRecord, Probe, SlotRecord};
use crate::scheduler::SlotOutcome;
use crate::types::{Blocks, Slot, Time, UserId};

/// A user's turn in a slot.
#[derive(Clone, Copy)]
struct Turn {
    slot: Slot,
    start: Time,
    user: UserId,
}

impl<P> Cell<P> {
    /// Sends what the allocation of `slot` grants, or stays idle.
    pub(super) fn share_out(&mut self, slot: Slot, start: Time, probe: &mut impl Probe) {
        let RadioState::Row(row) = &self.radio else { unreachable!("one carrier has one winner") };
        self.grants.gather(&self.allocation, row, self.clock.slot_secs());
        // Before anything is sent: who had data is what the scheduler saw.
        probe.on_carrier(&self.carrier_record());
        if self.grants.granted() == 0 {
            self.scheduler.on_slot_end(&SlotOutcome { slot, slot_s: self.clock.slot_secs(), served: &[] });
            return probe.on_slot(&SlotRecord::idle(slot, start));
        }
        let grants = std::mem::take(&mut self.grants);
        for index in 0..self.buffers.len() {
            if let Some(grant) = grants.of(index) {
                self.transmit_grant(Turn { slot, start, user: UserId::new(index) }, grant, probe);
            }
        }
        self.grants = grants;
    }

    /// Fills `user`'s block and draws whether it is lost; reported at the slot's end.
    fn transmit_grant(&mut self, turn: Turn, grant: Grant<'_>, probe: &mut impl Probe) {
        let RadioState::Row(row) = &self.radio else { unreachable!("one carrier has one winner") };
        let Turn { slot, start, user } = turn;
        let index = user.index();
        let Grant { subchannels, grants, reported_db, rate_bps } = grant;
        probe.on_grant(&GrantRecord { slot, user, subchannels, grants, reported_db });
        let granted_bits = self.clock.bits_in_slot(rate_bps);
        let errors = row.block_errors(index);
        let filled = match errors {
            None => {
                let may_pull = || self.shared_fifo.as_mut().is_none_or(|fifo| fifo.take_turn(user));
                self.buffers[index].fill(start, slot, granted_bits, may_pull)
            }
            Some(errors) => self.buffers[index].fill_code_blocks(start, slot, grants, |grants, earlier, ordinal| {
                errors.transmit(slot, ordinal, grants, earlier)
            }),
        };
        self.buffers[index].report_dropped(start, slot, &mut self.dropped, probe);
        let blocks = match errors {
            Some(_) => filled.blocks,
            None => {
                let lost = row.is_lost(slot, index, grant.carrying(filled.sent));
                Blocks::one(filled.sent, lost).given_up_if(self.buffers[index].is_last_attempt())
            }
        };
        let (reported_db, first_bps) = (reported_db[0], row.reported_bps_of(index)[0]);
        let block = OnAir { slot, user, reported_db, rate_bps: first_bps, granted_bits, filled, lost: blocks.lost > 0 };
        // Fewer than 2^32 subchannels.
        let subchannels = subchannels.len() as u32;
        self.put_on_air(block, Sent { start, subchannels, rate_bps, true_db: grant.true_db(), blocks }, probe);
        self.refresh(index);
    }

    /// Counts the subchannels of the slot that were granted, and the idle ones by reason.
    fn carrier_record(&self) -> CarrierRecord {
        let RadioState::Row(row) = &self.radio else { unreachable!("one carrier has one winner") };
        let (all, granted) = (row.subchannels(), self.grants.granted());
        let mut record = CarrierRecord { granted: granted as u64, ..CarrierRecord::default() };
        if granted == all {
            return record;
        }
        if !self.eligible.contains(&true) {
            record.idle_no_data = (all - granted) as u64;
            return record;
        }
        for (subchannel, owner) in self.allocation.owners().iter().enumerate() {
            if owner.is_none() {
                let mut candidates = self.eligible.iter().enumerate().filter(|(_, eligible)| **eligible);
                let has_rate = candidates.any(|(user, _)| row.reported_bps_of(user)[subchannel] > 0.0);
                record.idle_covered += u64::from(has_rate);
                record.idle_no_rate += u64::from(!has_rate);
            }
        }
        record
    }
}
