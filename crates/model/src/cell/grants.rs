//! Who got which subchannels of a slot, sorted by user: one [`SubchannelGrant`] for each, in order of subchannel.

use std::ops::Range;

use super::on_air::OnAir;
use super::radio::Radio;
use crate::scheduler::{Allocation, UserRow};
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
    /// Subchannels of each user while they are sorted, and 0 between.
    counts: Vec<usize>,
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
            counts: vec![0; users],
            granted: 0,
        }
    }

    /// Makes room for a user at the place `user`.
    pub(super) fn make_room(&mut self, user: usize) {
        self.counts.resize(self.counts.len().max(user + 1), 0);
    }

    /// Sorts `allocation` by user. A subchannel's bits are its rate times `slot_s`.
    pub(super) fn gather(&mut self, allocation: &Allocation, radio: &Radio, slot_s: f64) {
        self.winners.clear();
        self.granted = 0;
        match allocation.owners() {
            [None] => {}
            [Some(row)] => {
                let winner = self.fill(0..1, row.index(), radio, slot_s);
                self.winners.push(winner);
                self.granted = 1;
            }
            _ => self.sort(allocation, radio, slot_s),
        }
    }

    fn sort(&mut self, allocation: &Allocation, radio: &Radio, slot_s: f64) {
        for user in allocation.owners().iter().flatten().map(|owner| owner.index()) {
            if self.counts[user] == 0 {
                self.winners.push(Winner { user, end: 0, rate_bps: 0.0, true_db: f32::NEG_INFINITY });
            }
            self.counts[user] += 1;
        }
        self.winners.sort_unstable_by_key(|winner| winner.user);
        for winner in &self.winners {
            self.granted += std::mem::replace(&mut self.counts[winner.user], self.granted);
        }
        for (subchannel, owner) in (0..).zip(allocation.owners()) {
            let Some(user) = owner.map(UserRow::index) else { continue };
            // Begins are moved on to the ends.
            let place = &mut self.counts[user];
            self.subchannels[*place] = subchannel;
            *place += 1;
        }
        let mut begin = 0;
        for rank in 0..self.winners.len() {
            let user = self.winners[rank].user;
            let end = std::mem::take(&mut self.counts[user]);
            self.winners[rank] = self.fill(begin..end, user, radio, slot_s);
            begin = end;
        }
    }

    /// Fills in what `user` gets on the subchannels that stand at these places.
    #[inline(always)]
    fn fill(&mut self, places: Range<usize>, user: usize, radio: &Radio, slot_s: f64) -> Winner {
        let row = user * radio.subchannels()..(user + 1) * radio.subchannels();
        let (row_bps, row_db) = (&radio.reported_bps()[row.clone()], &radio.reported_db()[row]);
        let true_db = radio.true_db_of(user);
        let grants = self.grants[places.clone()].iter_mut().zip(&self.subchannels[places.clone()]);
        let reports = self.rates_bps[places.clone()].iter_mut().zip(&mut self.reported_db[places.clone()]);
        let mut sums = Sums::default();
        for ((grant, &subchannel), (rate_bps, reported_db)) in grants.zip(reports) {
            let subchannel = subchannel as usize;
            (*rate_bps, *reported_db) = (row_bps[subchannel], row_db[subchannel]);
            let bits = (f64::from(*rate_bps) * slot_s) as f32;
            *grant = SubchannelGrant { bits, true_db: true_db(subchannel), mcs: 0 };
            sums.add(*rate_bps, grant);
        }
        let true_db = match &self.grants[places.clone()] {
            [whole] => whole.true_db,
            all => sums.mean_db(all.len()),
        };
        Winner { user, end: places.end, rate_bps: sums.rate_bps, true_db }
    }

    /// Gives the one subchannel to the user of `block`, with the bits, the report and the rate that it had.
    pub(super) fn repeat(&mut self, block: &OnAir, radio: &Radio) {
        let (user, true_db) = (block.place, radio.true_db(block.place, 0));
        self.winners.clear();
        self.winners.push(Winner { user, end: 1, rate_bps: block.rate_bps.into(), true_db });
        self.granted = 1;
        // A grant has single precision.
        self.grants[0] = SubchannelGrant { bits: block.granted_bits as f32, true_db, mcs: 0 };
        (self.subchannels[0], self.reported_db[0], self.rates_bps[0]) = (0, block.reported_db, block.rate_bps);
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
