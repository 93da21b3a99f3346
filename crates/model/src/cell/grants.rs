//! Who got which subchannels of a slot, sorted by user: one [`SubchannelGrant`] for each, in order of subchannel.

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

/// A user and where its part of the grants ends; it begins where the part before ends.
#[derive(Clone, Copy, Debug)]
struct Winner {
    user: usize,
    end: usize,
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
                self.winners.push(Winner { user: row.index(), end: 1 });
                self.granted = 1;
                self.put(0, (row.index(), 0), radio, slot_s);
            }
            _ => self.sort(allocation, radio, slot_s),
        }
    }

    fn sort(&mut self, allocation: &Allocation, radio: &Radio, slot_s: f64) {
        for user in allocation.owners().iter().flatten().map(|owner| owner.index()) {
            if self.counts[user] == 0 {
                self.winners.push(Winner { user, end: 0 });
            }
            self.counts[user] += 1;
        }
        self.winners.sort_unstable_by_key(|winner| winner.user);
        for winner in &self.winners {
            self.granted += std::mem::replace(&mut self.counts[winner.user], self.granted);
        }
        for (subchannel, owner) in allocation.owners().iter().enumerate() {
            let Some(user) = owner.map(UserRow::index) else { continue };
            // Begins are moved on to the ends.
            let place = self.counts[user];
            self.counts[user] += 1;
            self.put(place, (user, subchannel), radio, slot_s);
        }
        for winner in &mut self.winners {
            winner.end = std::mem::take(&mut self.counts[winner.user]);
        }
    }

    #[inline(always)]
    fn put(&mut self, place: usize, (user, subchannel): (usize, usize), radio: &Radio, slot_s: f64) {
        let report = user * radio.subchannels() + subchannel;
        let rate_bps = radio.reported_bps()[report];
        let bits = (f64::from(rate_bps) * slot_s) as f32;
        self.grants[place] = SubchannelGrant { bits, true_db: radio.true_db(user, subchannel), mcs: 0 };
        // Fewer than 2^32: a scenario has 10000 at most.
        self.subchannels[place] = subchannel as u32;
        self.reported_db[place] = radio.reported_db()[report];
        self.rates_bps[place] = rate_bps;
    }

    /// Gives the one subchannel to the user of `block`, with the bits, the report and the rate that it had.
    pub(super) fn repeat(&mut self, block: &OnAir, radio: &Radio) {
        let user = block.place;
        self.winners.clear();
        self.winners.push(Winner { user, end: 1 });
        self.granted = 1;
        // A grant has single precision.
        self.grants[0] = SubchannelGrant { bits: block.granted_bits as f32, true_db: radio.true_db(user, 0), mcs: 0 };
        (self.subchannels[0], self.reported_db[0], self.rates_bps[0]) = (0, block.reported_db, block.rate_bps);
    }

    /// Finds the rows of the table of rates that the grants are sent at.
    pub(super) fn look_up_mcs(&mut self, radio: &Radio) {
        let mut begin = 0;
        for &Winner { user, end } in &self.winners {
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
        let Winner { user, end } = self.winners[rank];
        let part = begin..end;
        Grant {
            user,
            grants: &self.grants[part.clone()],
            subchannels: &self.subchannels[part.clone()],
            reported_db: &self.reported_db[part.clone()],
            rates_bps: &self.rates_bps[part],
        }
    }

    /// Subchannels that somebody got.
    pub(super) fn granted(&self) -> usize {
        self.granted
    }
}

impl Grant<'_> {
    /// The rate of all its subchannels together, b/s.
    pub(super) fn rate_bps(&self) -> f64 {
        self.rates_bps.iter().map(|&rate| f64::from(rate)).fold(0.0, |sum, rate| sum + rate)
    }

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

    /// The true SINR in dB: the mean over the subchannels, weighted by their bits; of a grant without bits the plain mean.
    pub(super) fn true_db(&self) -> f32 {
        if let [whole] = self.grants {
            return whole.true_db;
        }
        let (mut bits, mut weighted, mut plain) = (0.0, 0.0, 0.0);
        for grant in self.grants {
            bits += f64::from(grant.bits);
            weighted += f64::from(grant.bits) * f64::from(grant.true_db);
            plain += f64::from(grant.true_db);
        }
        // Single precision is what a channel is known in.
        if bits > 0.0 { (weighted / bits) as f32 } else { (plain / self.grants.len() as f64) as f32 }
    }
}
