//! A scheduler's view of a slot, its allocation, and the outcome of the slot.
//!
//! Arrays are contiguous, one element per user; those per subchannel too are user-major, the element of user u
//! and subchannel s at `u * subchannels + s`. The true SNR is not here: truth and knowledge are different types.

use crate::types::{Slot, Time, UserId};

/// What the base station knows at the start of a slot.
#[derive(Clone, Copy, Debug)]
pub struct SlotView<'a> {
    /// The slot to be decided.
    pub slot: Slot,
    /// Its length in seconds.
    pub slot_s: f64,
    /// Users in the cell.
    pub users: usize,
    /// Subchannels of the carrier, at least 1.
    pub subchannels: usize,
    /// The rate that each user's report permits, b/s, per user and subchannel; 0 when it cannot be served.
    pub rate_bps: &'a [f32],
    /// The SNR that each user reported, dB, per user and subchannel.
    pub reported_db: &'a [f32],
    /// Each user's mean SNR, dB.
    pub mean_snr_db: &'a [f64],
    /// Whether a user may win: it has data, or the cell lets users with empty queues compete.
    pub eligible: &'a [bool],
    /// Unsent bytes of each user's queue.
    pub backlog_bytes: &'a [u64],
    /// Bytes on air that would carry a user's backlog: headers, retransmissions that are due and the empty part of a last
    /// segment included. Read with several subchannels only; with one it may be empty.
    pub backlog_on_air_bytes: &'a [u64],
    /// When the packet at the head of each user's queue got there; [`Time::NEVER`] when the queue is empty.
    pub head_of_line_since: &'a [Time],
    /// What no base station knows, for the control schedulers alone.
    pub controls: Controls<'a>,
}

impl SlotView<'_> {
    /// The nominal bits of `subchannel` in this slot if `user` gets it.
    #[inline]
    pub fn bits(&self, user: usize, subchannel: usize) -> f64 {
        f64::from(self.rate_bps[user * self.subchannels + subchannel]) * self.slot_s
    }
}

/// What an [`ExperimentalScheduler`](super::ExperimentalScheduler) may see beside a [`SlotView`]: cumulative counts per user.
///
/// The slices may be empty for every other scheduler.
#[derive(Clone, Copy, Debug, Default)]
pub struct Controls<'a> {
    /// Bytes that TCP receivers have accepted in order, once each.
    pub goodput_bytes: &'a [u64],
    /// Packets that have arrived at the user's queue.
    pub arrived_packets: &'a [u64],
    /// Bytes that have arrived at the user's queue.
    pub arrived_bytes: &'a [u64],
}

/// The owner of each subchannel of a slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    owners: Vec<Option<UserId>>,
}

impl Allocation {
    /// An empty allocation of `subchannels` subchannels.
    pub fn new(subchannels: usize) -> Self {
        Self { owners: vec![None; subchannels] }
    }

    /// Takes every subchannel back, so that the allocation can be used again.
    pub fn clear(&mut self) {
        self.owners.fill(None);
    }

    /// Gives `subchannel` to `user`.
    pub fn grant(&mut self, subchannel: usize, user: UserId) {
        self.owners[subchannel] = Some(user);
    }

    /// Who owns `subchannel`; `None` when it is idle.
    pub fn owner(&self, subchannel: usize) -> Option<UserId> {
        self.owners[subchannel]
    }

    /// The owners in the order of the subchannels.
    pub fn owners(&self) -> &[Option<UserId>] {
        &self.owners
    }
}

/// What became of a slot.
#[derive(Clone, Copy, Debug)]
pub struct SlotOutcome<'a> {
    /// The slot that ended.
    pub slot: Slot,
    /// Its length in seconds.
    pub slot_s: f64,
    /// Every user that won a subchannel, once, also those who had nothing to send.
    pub served: &'a [Served],
}

/// What one user got in a slot, over all the subchannels it won.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Served {
    /// The user.
    pub user: UserId,
    /// Nominal bits of the subchannels it won.
    pub granted_bits: f64,
    /// Bits put on air.
    pub sent_bits: f64,
}
