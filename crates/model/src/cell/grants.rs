//! Who got which subchannels of a slot, sorted by user: one [`SubchannelGrant`] for each, in order of subchannel.

use super::row::RadioRow;
use crate::scheduler::Allocation;
use crate::types::{Bytes, SubchannelGrant, UserId};

/// The grants of a slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Grants {
    /// By user, then subchannel; so are the three beside it.
    grants: Vec<SubchannelGrant>,
    subchannels: Vec<u32>,
    reported_db: Vec<f32>,
    mcs: Vec<u16>,
    /// Where each user's part begins; one more for where the last one's ends.
    bounds: Vec<usize>,
    /// Sum of the rates of each user's subchannels, b/s.
    rate_bps: Vec<f64>,
    /// Subchannels that somebody got.
    granted: usize,
}

/// What one user got.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grant<'a> {
    pub(super) grants: &'a [SubchannelGrant],
    pub(super) subchannels: &'a [u32],
    pub(super) reported_db: &'a [f32],
    pub(super) rate_bps: f64,
}

impl Grants {
    pub(super) fn new(users: usize, subchannels: usize) -> Self {
        let nothing = SubchannelGrant { bits: 0.0, true_db: f32::NEG_INFINITY, mcs: 0 };
        Self {
            grants: vec![nothing; subchannels],
            subchannels: vec![0; subchannels],
            reported_db: vec![f32::NEG_INFINITY; subchannels],
            mcs: vec![0; subchannels],
            bounds: vec![0; users + 1],
            rate_bps: vec![0.0; users],
            granted: 0,
        }
    }

    /// Sorts `allocation` by user. A subchannel's bits are its rate times `slot_s`.
    pub(super) fn gather(&mut self, allocation: &Allocation, row: &RadioRow, slot_s: f64) {
        let users = self.rate_bps.len();
        self.bounds.fill(0);
        self.rate_bps.fill(0.0);
        for owner in allocation.owners().iter().flatten() {
            self.bounds[owner.index()] += 1;
        }
        let mut begin = 0;
        for bound in &mut self.bounds {
            begin += std::mem::replace(bound, begin);
        }
        self.granted = begin;
        for (subchannel, owner) in allocation.owners().iter().enumerate() {
            let Some(user) = owner.map(UserId::index) else { continue };
            // Begins are moved on to the ends, which are the next users' begins.
            let place = self.bounds[user];
            self.bounds[user] += 1;
            let rate_bps = f64::from(row.reported_bps_of(user)[subchannel]);
            let bits = (rate_bps * slot_s) as f32;
            self.rate_bps[user] += rate_bps;
            self.grants[place] = SubchannelGrant { bits, true_db: row.true_db_of(user)[subchannel], mcs: 0 };
            // Fewer than 2^32: a scenario has 10000 at most.
            self.subchannels[place] = subchannel as u32;
            self.reported_db[place] = row.reported_db_of(user)[subchannel];
        }
        self.bounds.copy_within(0..users, 1);
        self.bounds[0] = 0;
        self.look_up_mcs(row);
    }

    fn look_up_mcs(&mut self, row: &RadioRow) {
        for (user, bounds) in self.bounds.windows(2).enumerate() {
            let part = bounds[0]..bounds[1];
            if !part.is_empty() {
                row.fill_mcs(user, &self.reported_db[part.clone()], &mut self.mcs[part]);
            }
        }
        for (grant, mcs) in self.grants[..self.granted].iter_mut().zip(&self.mcs) {
            grant.mcs = *mcs;
        }
    }

    /// What `user` got; nothing if it got none.
    pub(super) fn of(&self, user: usize) -> Option<Grant<'_>> {
        let part = self.bounds[user]..self.bounds[user + 1];
        (!part.is_empty()).then(|| Grant {
            grants: &self.grants[part.clone()],
            subchannels: &self.subchannels[part.clone()],
            reported_db: &self.reported_db[part],
            rate_bps: self.rate_bps[user],
        })
    }

    /// Subchannels that somebody got.
    pub(super) fn granted(&self) -> usize {
        self.granted
    }
}

impl Grant<'_> {
    /// The subchannels that carry a frame of `sent` bytes: the first of them, as many as it needs. The others are silent.
    pub(super) fn carrying(&self, sent: Bytes) -> &[u32] {
        let bits = sent.bits() as f64;
        let mut left = bits;
        let needed = self.grants.iter().position(|grant| {
            left -= f64::from(grant.bits);
            // What single precision takes from a sum of whole numbers needs no subchannel more.
            left <= bits * 1e-7
        });
        &self.subchannels[..needed.map_or(self.subchannels.len(), |last| last + 1)]
    }

    /// The true SINR in dB: the mean over the subchannels, weighted by their bits; of a grant without bits the plain mean.
    pub(super) fn true_db(&self) -> f32 {
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
