//! What a slot puts on air: each winner's grant is filled and its fate is drawn, in order of user number.
//!
//! A retransmission at once takes the whole slot: the user whose slot was lost gets the next slot, without a decision. The
//! block is the same: the same bytes at the same rate, whatever was reported or has arrived since. Whether it is lost follows
//! from the true SINR of the slot it is in. Averages and records count each of these slots as won by the user, with its bits
//! granted anew.

use super::Cell;
use super::grants::Grant;
use super::on_air::{OnAir, Sent};
use crate::probe::{CarrierRecord, GrantRecord, Probe, SlotRecord};
use crate::rlc::Filled;
use crate::scheduler::{Allocation, SlotOutcome};
use crate::types::{Blocks, Bytes, Slot, SubchannelGrant, Time};

/// A slot that starts.
#[derive(Clone, Copy)]
pub(super) struct Starting {
    pub(super) slot: Slot,
    pub(super) start: Time,
    /// How much of it is downlink.
    pub(super) share: f64,
}

impl<P> Cell<P> {
    /// Sends the block that is retransmitted at once, or else what `allocation` grants, or stays idle.
    #[inline(always)]
    pub(super) fn transmit_all(&mut self, starting: Starting, allocation: &Allocation, probe: &mut impl Probe) {
        if self.radio.subchannels() > 1 {
            return self.transmit_by_subchannel(starting, allocation, probe);
        }
        if self.pending_retransmission.is_some() || probe.wants_grants() || self.has_code_blocks() {
            return self.transmit_carrier(starting, allocation, probe);
        }
        match allocation.owner(0) {
            Some(row) => self.transmit_block(starting, row.index(), probe),
            None => self.stay_idle(starting, probe),
        }
    }

    /// The same of one carrier whose slot is one block, filled anew, while nobody looks at grants.
    #[inline(always)]
    fn transmit_block(&mut self, starting: Starting, place: usize, probe: &mut impl Probe) {
        let Starting { slot, start, share } = starting;
        let (user, rate_bps) = (self.users.ids()[place], self.radio.reported_bps()[place]);
        let (reported_db, true_db) = (self.radio.reported_db()[place], self.radio.true_db(place, 0));
        let granted_bits = self.clock.bits_in_slot(rate_bps.into()) * share;
        let may_pull = || self.shared_fifo.as_mut().is_none_or(|fifo| fifo.take_turn(place));
        let buffer = &mut self.buffers[place];
        let filled = buffer.fill(start, slot, granted_bits, may_pull);
        if buffer.has_to_report() {
            buffer.report_marked(start, user, probe);
            buffer.report_dropped(start, slot, &mut self.dropped, probe);
        }
        let lost =
            self.radio.may_lose() && !filled.sent.is_zero() && self.is_carrier_lost(slot, place, true_db, rate_bps);
        let given_up = lost && self.buffers[place].is_last_attempt();
        let blocks = Blocks::one(filled.sent, lost).given_up_if(given_up);
        let block = OnAir { slot, user, place, reported_db, rate_bps, granted_bits, filled, lost };
        let sent = Sent { start, subchannels: 1, rate_bps: rate_bps.into(), true_db, blocks };
        self.put_on_air(block, sent, probe);
    }

    /// The same of one carrier in any case.
    #[inline(never)]
    fn transmit_carrier(&mut self, starting: Starting, allocation: &Allocation, probe: &mut impl Probe) {
        let again = self.pending_retransmission.take();
        let (user, bits, reported_db, rate_bps) = match (&again, allocation.owner(0)) {
            // A grant has single precision.
            (Some(block), _) => (block.place, block.granted_bits as f32, block.reported_db, block.rate_bps),
            (None, Some(row)) => {
                let (rate_bps, user) = (self.radio.reported_bps()[row.index()], row.index());
                let bits = (f64::from(rate_bps) * (self.slot_s * starting.share)) as f32;
                (user, bits, self.radio.reported_db()[user], rate_bps)
            }
            (None, None) => return self.stay_idle(starting, probe),
        };
        let (true_db, mut mcs) = (self.radio.true_db(user, 0), [0]);
        if probe.wants_grants() || self.has_code_blocks() {
            self.radio.fill_mcs(user, &[reported_db], &mut mcs);
        }
        let whole = Grant {
            user,
            grants: &[SubchannelGrant { bits, true_db, mcs: mcs[0] }],
            subchannels: &[0],
            reported_db: &[reported_db],
            rates_bps: &[rate_bps],
            rate_bps: rate_bps.into(),
            true_db,
        };
        self.transmit(starting, &whole, again.map(|block| block.filled), probe);
    }

    /// The same where several users may have some of the slot, and nothing is retransmitted at once.
    #[inline(never)]
    fn transmit_by_subchannel(&mut self, starting: Starting, allocation: &Allocation, probe: &mut impl Probe) {
        let mut grants = std::mem::take(&mut self.grants);
        grants.gather(allocation, &self.radio, self.slot_s * starting.share);
        // Before anything is sent: who had data is what the decision saw.
        probe.on_carrier(&self.carrier_record(allocation, grants.granted(), starting.share));
        if grants.granted() == 0 {
            self.stay_idle(starting, probe);
        }
        if probe.wants_grants() || self.has_code_blocks() {
            grants.look_up_mcs(&self.radio);
        }
        for rank in 0..grants.winners() {
            self.transmit(starting, &grants.of(rank), None, probe);
        }
        self.grants = grants;
    }

    /// Nobody has anything of the slot.
    #[inline(never)]
    fn stay_idle(&mut self, Starting { slot, start, .. }: Starting, probe: &mut impl Probe) {
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.on_slot_end(&SlotOutcome { slot, slot_s: self.slot_s, served: &[] });
        }
        probe.on_slot(&SlotRecord::idle(slot, start));
    }

    fn wants_grants(&self, probe: &impl Probe) -> bool {
        self.radio.subchannels() > 1 || probe.wants_grants()
    }

    /// Fills the block of a winner, or sends what is in it `again`, and draws whether it is lost; reported at the slot's end.
    #[inline(always)]
    fn transmit(&mut self, starting: Starting, grant: &Grant<'_>, again: Option<Filled>, probe: &mut impl Probe) {
        let Starting { slot, start, share } = starting;
        let wants_grants = self.wants_grants(probe);
        let (index, user, rate_bps) = (grant.user, self.users.ids()[grant.user], grant.rate_bps);
        if wants_grants {
            let (subchannels, grants, reported_db) = (grant.subchannels, grant.grants, grant.reported_db);
            probe.on_grant(&GrantRecord { slot, user, subchannels, grants, reported_db });
        }
        let granted_bits = self.clock.bits_in_slot(rate_bps) * share;
        let buffer = &mut self.buffers[index];
        let errors = if self.radio.has_code_blocks() { self.radio.block_errors(index) } else { None };
        let filled = match (again, errors) {
            (Some(filled), _) => filled,
            (None, None) => {
                let may_pull = || self.shared_fifo.as_mut().is_none_or(|fifo| fifo.take_turn(index));
                buffer.fill(start, slot, granted_bits, may_pull)
            }
            (None, Some(errors)) => buffer.fill_code_blocks(start, slot, grant.grants, errors.in_slot(slot)),
        };
        if buffer.has_to_report() {
            buffer.report_marked(start, user, probe);
            buffer.report_dropped(start, slot, &mut self.dropped, probe);
        }
        let blocks = match errors {
            Some(_) => filled.blocks,
            None => {
                let lost = self.radio.may_lose() && !filled.sent.is_zero() && self.is_lost(slot, grant, filled.sent);
                let given_up = lost && self.buffers[index].is_last_attempt();
                let blocks = Blocks::one(filled.sent, lost).given_up_if(given_up);
                if again.is_some() { Blocks { retransmitted: 1, first_lost: 0, ..blocks } } else { blocks }
            }
        };
        let (reported_db, first_bps) = (grant.reported_db[0], grant.rates_bps[0]);
        let block = OnAir {
            slot,
            user,
            place: index,
            reported_db,
            rate_bps: first_bps,
            granted_bits,
            filled,
            lost: blocks.lost > 0,
        };
        // Fewer than 2^32 subchannels.
        let subchannels = grant.subchannels.len() as u32;
        let sent = Sent { start, subchannels, rate_bps, true_db: grant.true_db, blocks };
        // What is known of the user follows at the slot's end: nobody asks before.
        self.put_on_air(block, sent, probe);
    }

    /// Whether a block that is a whole carrier's is lost, where that may be; nobody asks for its bits.
    #[inline(never)]
    fn is_carrier_lost(&self, slot: Slot, place: usize, true_db: f32, rate_bps: f32) -> bool {
        self.radio.is_lost(slot, place, &[SubchannelGrant { bits: 0.0, true_db, mcs: 0 }], &[rate_bps])
    }

    /// Whether a block of `sent` bytes is lost, where that may be.
    #[inline(never)]
    fn is_lost(&self, slot: Slot, grant: &Grant<'_>, sent: Bytes) -> bool {
        let carrying = if self.radio.may_be_too_fast(grant.user) { grant.carrying(sent) } else { 0 };
        self.radio.is_lost(slot, grant.user, &grant.grants[..carrying], &grant.rates_bps[..carrying])
    }

    /// Counts the subchannels of the slot that were granted, and the idle ones by reason.
    fn carrier_record(&self, allocation: &Allocation, granted: usize, share: f64) -> CarrierRecord {
        let all = self.radio.subchannels();
        let mut record = CarrierRecord { granted: granted as u64, ..CarrierRecord::default() };
        if share == 0.0 {
            record.idle_uplink = all as u64;
            return record;
        }
        if granted == all {
            return record;
        }
        let candidates = self.knowledge.candidates();
        if candidates.is_empty() {
            record.idle_no_data = (all - granted) as u64;
            return record;
        }
        let reported_bps = self.radio.reported_bps();
        for (subchannel, owner) in allocation.owners().iter().enumerate() {
            if owner.is_none() {
                let has_rate = candidates.iter().any(|&user| reported_bps[user as usize * all + subchannel] > 0.0);
                record.idle_covered += u64::from(has_rate);
                record.idle_no_rate += u64::from(!has_rate);
            }
        }
        record
    }
}
