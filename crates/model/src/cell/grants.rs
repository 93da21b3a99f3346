//! Who got which subchannels of a slot, sorted by user: one [`SubchannelGrant`] for each, in order of subchannel.

use super::radio::Radio;
use crate::scheduler::Allocation;
use crate::types::{Bytes, SubchannelGrant};

/// The grants of a slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Grants {
    /// By user, then subchannel; so are the four beside it.
    grants: Vec<SubchannelGrant>,
    subchannels: Vec<u32>,
    reported_db: Vec<f32>,
    rates_bps: Vec<f32>,
    mcs: Vec<u16>,
    /// Who got any, by place.
    winners: Vec<Winner>,
    /// The first subchannel of nobody and then of each user while they are sorted; the number of all stands for none.
    first: Vec<u32>,
    /// Behind each subchannel the next one of the same owner, or none.
    next: Vec<u32>,
    /// Subchannels that somebody got.
    granted: usize,
}

/// A user with what its part of the grants is together.
#[derive(Clone, Copy, Debug)]
struct Winner {
    user: usize,
    /// Where its part ends; it begins where the part before ends.
    end: usize,
    rate_bps: f64,
    true_db: f32,
}

/// What one user got.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grant<'a> {
    pub(super) user: usize,
    pub(super) grants: &'a [SubchannelGrant],
    pub(super) subchannels: &'a [u32],
    pub(super) reported_db: &'a [f32],
    /// The rate used on each, b/s.
    pub(super) rates_bps: &'a [f32],
    /// The rate of all its subchannels together, b/s.
    pub(super) rate_bps: f64,
    /// The true SINR in dB: the mean over the subchannels, weighted by their bits; of a grant without bits the plain mean.
    pub(super) true_db: f32,
}

impl Grants {
    pub(super) fn new(users: usize, subchannels: usize) -> Self {
        let nothing = SubchannelGrant { bits: 0.0, true_db: f32::NEG_INFINITY, mcs: 0 };
        Self {
            grants: vec![nothing; subchannels],
            subchannels: vec![0; subchannels],
            reported_db: vec![f32::NEG_INFINITY; subchannels],
            rates_bps: vec![0.0; subchannels],
            mcs: vec![0; subchannels],
            winners: Vec::with_capacity(users.min(subchannels)),
            first: vec![subchannels as u32; users + 1], // fewer than 2^32
            next: vec![subchannels as u32; subchannels],
            granted: 0,
        }
    }

    /// Makes room for a user at the place `user`.
    pub(super) fn make_room(&mut self, user: usize) {
        self.first.resize(self.first.len().max(user + 2), self.next.len() as u32);
    }

    /// Sorts `allocation` by user; a subchannel's bits are its rate times `slot_s`. From the last subchannel to the first, each
    /// goes before those that its owner has already.
    pub(super) fn gather(&mut self, allocation: &Allocation, radio: &Radio, slot_s: f64) {
        let Self { winners, first, next, .. } = self;
        let (first, none) = (&mut first[..], next.len() as u32);
        winners.clear();
        // Nobody counts as a user before the first who has something already, so that idle subchannels bring no branch.
        first[0] = 0;
        for ((subchannel, next), owner) in next.iter_mut().enumerate().zip(allocation.owners()).rev() {
            let number = owner.map_or(0, |row| row.index() + 1);
            *next = std::mem::replace(&mut first[number], subchannel as u32); // fewer than 2^32
            if *next == none {
                winners.push(Winner { user: number - 1, end: 0, rate_bps: 0.0, true_db: f32::NEG_INFINITY });
            }
        }
        winners.sort_unstable_by_key(|winner| winner.user);
        self.granted = 0;
        for rank in 0..self.winners.len() {
            let user = self.winners[rank].user;
            let first = std::mem::replace(&mut self.first[user + 1], none);
            self.winners[rank] = self.fill(first, user, radio, slot_s);
            self.granted = self.winners[rank].end;
        }
    }

    /// Puts what `user` gets behind what is there, from its first subchannel on.
    #[inline(always)]
    fn fill(&mut self, first: u32, user: usize, radio: &Radio, slot_s: f64) -> Winner {
        let (all, begin) = (radio.subchannels(), self.granted);
        let (row_bps, row_db) = (&radio.reported_bps()[user * all..][..all], &radio.reported_db()[user * all..][..all]);
        let (true_db, next) = (radio.true_db_of(user), &self.next[..all]);
        let grants = self.grants[begin..].iter_mut().zip(&mut self.subchannels[begin..]);
        let reports = self.rates_bps[begin..].iter_mut().zip(&mut self.reported_db[begin..]);
        let (mut sums, mut end, mut left) = (Sums::default(), begin, first);
        for ((grant, granted), (rate_bps, reported_db)) in grants.zip(reports) {
            let subchannel = left as usize;
            if subchannel >= all {
                break;
            }
            (*granted, left) = (left, next[subchannel]);
            let rate = row_bps[subchannel];
            (*rate_bps, *reported_db) = (rate, row_db[subchannel]);
            let bits = (f64::from(rate) * slot_s) as f32;
            *grant = SubchannelGrant { bits, true_db: true_db(subchannel), mcs: 0 };
            sums.add(rate, grant);
            end += 1;
        }
        let true_db = match &self.grants[begin..end] {
            [whole] => whole.true_db,
            all => sums.mean_db(all.len()),
        };
        Winner { user, end, rate_bps: sums.rate_bps, true_db }
    }

    /// Finds the rows of the table of rates that the grants are sent at.
    pub(super) fn look_up_mcs(&mut self, radio: &Radio) {
        let mut begin = 0;
        for &Winner { user, end, .. } in &self.winners {
            radio.fill_mcs(user, &self.reported_db[begin..end], &mut self.mcs[begin..end]);
            begin = end;
        }
        for (grant, mcs) in self.grants[..self.granted].iter_mut().zip(&self.mcs) {
            grant.mcs = *mcs;
        }
    }

    /// Users who got any.
    pub(super) fn winners(&self) -> usize {
        self.winners.len()
    }

    /// What the winner of rank `rank` in the order of users got.
    #[inline]
    pub(super) fn of(&self, rank: usize) -> Grant<'_> {
        let begin = if rank == 0 { 0 } else { self.winners[rank - 1].end };
        let Winner { user, end, rate_bps, true_db } = self.winners[rank];
        let part = begin..end;
        Grant {
            user,
            grants: &self.grants[part.clone()],
            subchannels: &self.subchannels[part.clone()],
            reported_db: &self.reported_db[part.clone()],
            rates_bps: &self.rates_bps[part],
            rate_bps,
            true_db,
        }
    }

    /// Subchannels that somebody got.
    pub(super) fn granted(&self) -> usize {
        self.granted
    }
}

impl Grant<'_> {
    /// How many subchannels carry a frame of `sent` bytes: the first of them, as many as it needs. The others are silent.
    pub(super) fn carrying(&self, sent: Bytes) -> usize {
        let bits = sent.bits() as f64;
        let mut left = bits;
        let needed = self.grants.iter().position(|grant| {
            left -= f64::from(grant.bits);
            // What single precision takes from a sum of whole numbers needs no subchannel more.
            left <= bits * 1e-7
        });
        needed.map_or(self.grants.len(), |last| last + 1)
    }
}

/// Sums over the subchannels of a grant, in their order.
#[derive(Default)]
struct Sums {
    rate_bps: f64,
    bits: f64,
    weighted_db: f64,
    plain_db: f64,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, rate_bps: f32, grant: &SubchannelGrant) {
        self.rate_bps += f64::from(rate_bps);
        self.bits += f64::from(grant.bits);
        self.weighted_db += f64::from(grant.bits) * f64::from(grant.true_db);
        self.plain_db += f64::from(grant.true_db);
    }

    /// The mean SINR in dB of so many subchannels; single precision is what a channel is known in.
    fn mean_db(&self, subchannels: usize) -> f32 {
        let has_bits = self.bits > 0.0;
        (if has_bits { self.weighted_db / self.bits } else { self.plain_db / subchannels as f64 }) as f32
    }
}
