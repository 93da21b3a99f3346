//! A scheduler's view of a slot, its allocation, and the outcome of the slot.
//!
//! Users stand in rows, and who stands where is a column. Arrays are contiguous, one element per user; those per subchannel too are user-major, the element of user u
//! and subchannel s at `u * subchannels + s`. The true SNR is not here: truth and knowledge are different types.

use std::num::NonZeroU32;

use crate::types::{Slot, Time, UserId};

/// A user's row in the columns of a view: its index + 1, so that a row or none is one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UserRow(NonZeroU32);

impl UserRow {
    /// Row `index`.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index + 1).ok().and_then(NonZeroU32::new).expect("fewer than 2^32 - 1 users"))
    }

    /// The index of its element in a column.
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What the base station knows at the start of a slot.
///
/// Columns are contiguous and have the same length and order from slot to slot; the table of them is in docs/models/cell.md.
/// A view that [`Default`] gives has no users and no columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotView<'a> {
    /// When the slot starts.
    pub now: Time,
    /// The slot to be decided.
    pub slot: Slot,
    /// Its length in seconds.
    pub slot_s: f64,
    /// Rows of users. A row whose user has left is no candidate until another user comes to it.
    pub users: usize,
    /// Subchannels of the carrier, at least 1.
    pub subchannels: usize,
    /// The user whose lost block takes the whole slot, retransmitted at once: there is nothing to decide.
    pub taken_by: Option<UserRow>,
    /// The user in each row; in one that nobody has, who had it last.
    pub ids: &'a [UserId],
    /// The rate that each user's report permits, b/s, per user and subchannel; 0 when it cannot be served.
    pub rate_bps: &'a [f32],
    /// The SNR that each user reported, dB, per user and subchannel.
    pub reported_db: &'a [f32],
    /// Each user's mean SNR, dB.
    pub mean_snr_db: &'a [f64],
    /// The averaged rate that the cell's own scheduler keeps of each user, b/s; empty if it keeps none, and for itself.
    pub average_bps: &'a [f64],
    /// What the slot before gave, in order of user; empty if it was idle.
    pub served: &'a [Served],
    /// The users who may win, in rising order: those that have data to send now, or all if the cell lets users with empty queues
    /// compete. Every other user is passed over, so a decision needs to look at these alone.
    pub candidates: &'a [u32],
    /// The users who have packets here, in rising order: nobody else has a backlog.
    pub occupied: &'a [u32],
    /// Whether a user may win: whether it is among `candidates`.
    pub eligible: &'a [bool],
    /// Unsent bytes of each user's queue, with those to be retransmitted; not what is on air.
    pub backlog_bytes: &'a [u64],
    /// Bytes on air that would carry a user's backlog: headers, retransmissions that are due and the empty part of a last
    /// segment included. Read with several subchannels only; with one it may be empty.
    pub backlog_on_air_bytes: &'a [u64],
    /// Bytes of each user's backlog that were lost and are to be retransmitted by ARQ or HARQ, whether or not they are due. Counted
    /// for whoever looks at all users ([`reads_idle_users`](super::Scheduler::reads_idle_users)).
    pub retransmit_bytes: &'a [u64],
    /// When the packet at the head of each user's queue got there; [`Time::NEVER`] when the queue is empty.
    pub head_of_line_since: &'a [Time],
    /// The number of the last slot in which each user won; -1 before the first time.
    pub last_won: &'a [i64],
    /// Each user's `scheduler.weight`.
    pub weight: &'a [f64],
    /// Each user's `scheduler.delay_budget_ms`, in seconds.
    pub delay_budget_s: &'a [f64],
    /// What no base station knows, for the control schedulers alone.
    pub controls: Controls<'a>,
}

impl SlotView<'_> {
    /// Whether `allocation` gives every subchannel to a candidate whose rate on it is above 0, or to nobody.
    pub fn check(&self, allocation: &Allocation) -> Result<(), AllocationError> {
        let (has, needs) = (allocation.owners.len(), self.subchannels);
        if has != needs {
            return Err(AllocationError::Length { has, needs });
        }
        for (subchannel, owner) in allocation.owners.iter().enumerate() {
            let Some(user) = *owner else { continue };
            if let Some(taker) = self.taken_by {
                return Err(AllocationError::Taken(taker));
            }
            match self.eligible.get(user.index()) {
                None => return Err(AllocationError::UnknownRow(user)),
                Some(false) => return Err(AllocationError::NoCandidate(user)),
                Some(true) if self.bits(user.index(), subchannel) > 0.0 => {}
                Some(true) => return Err(AllocationError::NoRate(user, subchannel)),
            }
        }
        Ok(())
    }

    /// The slots since `user` won last; everybody counts as having won in the slot before the first.
    pub fn gap_slots(&self, user: usize) -> u64 {
        // The slot comes after that one.
        (self.slot.number() as i64 - self.last_won[user]) as u64
    }

    /// How long the packet at the head of `user`'s queue has waited, s; 0 without one.
    #[inline]
    pub fn head_of_line_delay_s(&self, user: usize) -> f64 {
        // Never lies ahead of now, so the span from it is zero.
        self.now.since(self.head_of_line_since[user]).as_secs()
    }

    /// The nominal bits of `subchannel` in this slot if `user` gets it.
    #[inline]
    pub fn bits(&self, user: usize, subchannel: usize) -> f64 {
        f64::from(self.rate_bps[user * self.subchannels + subchannel]) * self.slot_s
    }
}

/// What an [`ExperimentalScheduler`](super::ExperimentalScheduler) may see beside a [`SlotView`]: cumulative counts per user.
///
/// The slices may be empty for every other scheduler, and goodput is ([`Cell::show_goodput`](crate::cell::Cell::show_goodput)).
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
    owners: Vec<Option<UserRow>>,
}

impl Allocation {
    /// An empty allocation of `subchannels` subchannels.
    pub fn new(subchannels: usize) -> Self {
        Self { owners: vec![None; subchannels] }
    }

    /// Takes every subchannel back, so that the allocation can be used again.
    #[inline]
    pub fn clear(&mut self) {
        match &mut self.owners[..] {
            // Of one carrier a call would cost more than the write.
            [owner] => *owner = None,
            all => all.fill(None),
        }
    }

    /// Gives `subchannel` to `user`.
    pub fn grant(&mut self, subchannel: usize, user: UserRow) {
        self.owners[subchannel] = Some(user);
    }

    /// Gives the subchannels from `first` to the rows of these indices + 1, and those with a 0 to nobody.
    #[inline]
    pub(super) fn grant_all(&mut self, first: usize, numbers: &[u32]) {
        for (owner, &number) in self.owners[first..].iter_mut().zip(numbers) {
            *owner = NonZeroU32::new(number).map(UserRow);
        }
    }

    /// Who owns `subchannel`; `None` when it is idle.
    pub fn owner(&self, subchannel: usize) -> Option<UserRow> {
        self.owners[subchannel]
    }

    /// The owners in the order of the subchannels.
    pub fn owners(&self) -> &[Option<UserRow>] {
        &self.owners
    }
}

/// Why an allocation cannot be applied; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationError {
    /// No slot is open.
    NothingObserved,
    /// It has more or fewer subchannels than the carrier.
    Length {
        /// Of the allocation.
        has: usize,
        /// Of the carrier.
        needs: usize,
    },
    /// Something is granted in a slot that this user's retransmission takes.
    Taken(UserRow),
    /// The cell has no such row.
    UnknownRow(UserRow),
    /// This user is not among the candidates.
    NoCandidate(UserRow),
    /// This user's rate is 0 on this subchannel.
    NoRate(UserRow, usize),
}

impl std::fmt::Display for AllocationError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NothingObserved => write!(formatter, "no slot waits for a decision: observe before apply"),
            Self::Length { has, needs } => {
                write!(formatter, "the allocation has {has} subchannels, and the carrier has {needs}")
            }
            Self::Taken(user) => {
                let row = user.index();
                write!(formatter, "the slot is taken by a retransmission of the user in row {row}: grant nothing in it")
            }
            Self::UnknownRow(user) => write!(formatter, "the cell has no row {}", user.index()),
            Self::NoCandidate(user) => {
                write!(formatter, "the user in row {} is no candidate, for it has nothing to send now", user.index())
            }
            Self::NoRate(user, subchannel) => {
                write!(formatter, "the user in row {} has rate 0 on subchannel {subchannel}", user.index())
            }
        }
    }
}

impl std::error::Error for AllocationError {}

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
    pub user: UserRow,
    /// Nominal bits of the subchannels it won.
    pub granted_bits: f64,
    /// Bits put on air.
    pub sent_bits: f64,
}
