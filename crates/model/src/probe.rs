//! What can be observed of a cell, as typed records. A probe that does not override a method pays nothing for it.

use crate::types::{Blocks, Bytes, DropReason, FlowId, MarkRecord, Packet, Slot, SubchannelGrant, Time, UserId};

/// What one user had of a slot, or a slot that nobody had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlotRecord {
    /// The slot.
    pub slot: Slot,
    /// When it starts.
    pub start: Time,
    /// The number of earlier records of the same slot: several users may have subchannels of it.
    pub ordinal: u32,
    /// Who won it; nobody in an idle slot.
    pub winner: Option<UserId>,
    /// Subchannels that the winner got; 1 where the carrier has one.
    pub subchannels: u32,
    /// The winner's rate in bits per second, on all these together; 0 in an idle slot.
    pub rate_bps: f64,
    /// Nominal bits of the slot at that rate (the granted amount).
    pub granted_bits: f64,
    /// Bytes put on air (the sent amount).
    pub sent: Bytes,
    /// True if more would have fitted.
    pub padded: bool,
    /// The winner's true SINR in dB, over several subchannels the mean weighted by their bits; what no scheduler sees.
    pub true_db: f32,
    /// True if the frame was lost, or one of its code blocks.
    pub lost: bool,
    /// The code blocks; all of the slot is one where nothing else is said.
    pub blocks: Blocks,
    /// What an outer loop had added to the winner's reports, dB; 0 without one.
    pub offset_db: f64,
    /// Slots since the winner won before; `None` the first time.
    pub gap_slots: Option<u64>,
}

impl SlotRecord {
    /// A slot that nobody got.
    pub const fn idle(slot: Slot, start: Time) -> Self {
        Self {
            slot,
            start,
            ordinal: 0,
            winner: None,
            subchannels: 0,
            rate_bps: 0.0,
            granted_bits: 0.0,
            sent: Bytes::ZERO,
            padded: false,
            true_db: f32::NEG_INFINITY,
            lost: false,
            blocks: Blocks { sent: 0, retransmitted: 0, lost: 0, first_lost: 0, given_up: 0 },
            offset_db: 0.0,
            gap_slots: None,
        }
    }
}

/// The subchannels that one user got of a slot, in order; arrays have an element for each.
#[derive(Clone, Copy, Debug)]
pub struct GrantRecord<'a> {
    /// The slot.
    pub slot: Slot,
    /// Who got them.
    pub user: UserId,
    /// Their numbers.
    pub subchannels: &'a [u32],
    /// The bits and the true SINR of each; its row of the table of rates as well, where blocks are coded or
    /// [`Probe::wants_grants`].
    pub grants: &'a [SubchannelGrant],
    /// The SINR that each was reported to have, dB.
    pub reported_db: &'a [f32],
}

/// How many subchannels of a slot were granted, and why others were not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CarrierRecord {
    /// Granted to some user.
    pub granted: u64,
    /// Idle because nobody had data.
    pub idle_no_data: u64,
    /// Idle because none of those who had data had a rate.
    pub idle_no_rate: u64,
    /// Idle although somebody with data had a rate: the scheduler held its backlog for covered.
    pub idle_covered: u64,
    /// Idle because the slot has no downlink.
    pub idle_uplink: u64,
}

/// What the base station does for a user in a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Service {
    /// Nothing: it has no data, or waits for its turn.
    #[default]
    Waits,
    /// Nothing: its data cannot be sent yet, for it waits for feedback or for an earlier packet in order.
    Stalls,
    /// It sends new data, which the link will not have to retransmit.
    Sends,
    /// Most of what it sends is a retransmission, or is lost and will be retransmitted.
    Repairs,
}

/// A packet that left the base station, delivered or dropped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// When it left.
    pub at: Time,
    /// When it entered the queue.
    pub queued_at: Time,
    /// When it became the oldest packet of its user.
    pub head_at: Time,
    /// Why it was dropped; `None` when delivered.
    pub dropped: Option<DropReason>,
    /// The largest number of transmissions of any part.
    pub attempts: u32,
    /// The last slot that carried a part of it.
    pub last_slot: Slot,
}

/// Watches a cell.
pub trait Probe {
    /// True if [`Probe::on_channel`] is wanted.
    fn wants_channel(&self) -> bool {
        false
    }
    /// Each user's true SINR in dB and reported rate in `slot`.
    fn on_channel(&mut self, _slot: Slot, _true_db: impl Iterator<Item = f32> + Clone, _reported_bps: &[f32]) {}
    /// A user's part of a slot went on air, or a slot that nobody got began.
    fn on_slot(&mut self, _record: &SlotRecord) {}
    /// The slot that starts has no downlink; called before its [`Probe::on_slot`].
    fn on_passed(&mut self, _slot: Slot) {}
    /// True if [`Probe::on_grant`] is wanted where there is one subchannel, too, and with the row of the table of rates of each.
    fn wants_grants(&self) -> bool {
        false
    }
    /// A user got these subchannels; called before its [`Probe::on_slot`], and always with several subchannels.
    fn on_grant(&mut self, _grant: &GrantRecord<'_>) {}
    /// The use of all subchannels of a slot, before its other events; only with several subchannels.
    fn on_carrier(&mut self, _record: &CarrierRecord) {}
    /// True if [`Probe::on_service`] is wanted.
    fn wants_service(&self) -> bool {
        false
    }
    /// The user's service state from `now` on; reported at a slot's start and end, at least when it changes. A user without a
    /// report or without data waits.
    fn on_service(&mut self, _now: Time, _user: UserId, _service: Service) {}
    /// True if [`Probe::on_mark_added`] is wanted.
    fn wants_marks_added(&self) -> bool {
        false
    }
    /// A packet left a queue that added to its marks; a cell reports only delivered packets, before their
    /// [`Probe::on_departure`].
    fn on_mark_added(&mut self, _record: &MarkRecord) {}
    /// A queue wrote a congestion mark (CE) on a packet that had none.
    fn on_marked(&mut self, _now: Time, _user: UserId, _flow: FlowId) {}
    /// A packet entered the queue of its user, which now holds so many packets and bytes.
    fn on_queued<P>(&mut self, _now: Time, _packet: &Packet<P>, _packets: u64, _bytes: Bytes) {}
    /// A packet was refused at the queue.
    fn on_refused<P>(&mut self, _now: Time, _packet: &Packet<P>, _reason: DropReason) {}
    /// A packet left; its user's queue now holds so many packets and bytes.
    fn on_departure<P>(&mut self, _packet: &Packet<P>, _departure: &Departure, _packets: u64, _bytes: Bytes) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Probe for Unobserved {}
