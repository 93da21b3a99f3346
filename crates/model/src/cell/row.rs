//! Channel and link of all users on every subchannel, computed slot by slot.
//!
//! Per user: signal -> SINR -> report -> rate, each over a row of subchannels, so that loops run over frequency. Rows
//! lie one after the other, by user.

use super::sinr;
use crate::channel::UserChannel;
use crate::link::{BlockErrors, FrameErrors, OuterLoop, RateRule, ReportRow};
use crate::probe::Probe;
use crate::types::{PowerRatio, Slot, SubchannelGrant};

/// Channel and link of one user of a carrier with subchannels.
#[derive(Clone, Debug)]
pub struct SubchannelRadio {
    /// The signal over time and frequency.
    pub channel: UserChannel,
    /// From the SINR reported of a subchannel to that subchannel's rate.
    pub rule: RateRule,
    /// What the base station learns of the SINR.
    pub reports: ReportRow,
    /// What it adds to all of these for how much was lost.
    pub outer_loop: Option<OuterLoop>,
    /// Which frames are lost, where all that a user has of a slot is one.
    pub errors: FrameErrors,
    /// Which code blocks are lost, where each has a fate of its own.
    pub blocks: Option<BlockErrors>,
    /// Mean SNR in dB, as a scheduler may know it.
    pub mean_snr_db: f64,
    /// The highest rate of all subchannels together, b/s; the most that a slot could carry.
    pub peak_bps: f64,
    /// Interference relative to thermal noise; 0 for a cell of its own.
    pub interference: PowerRatio,
}

/// The current slot of every user.
#[derive(Clone, Debug)]
pub(super) struct RadioRow {
    subchannels: usize,
    radios: Vec<SubchannelRadio>,
    true_db: Vec<f32>,
    reported_db: Vec<f32>,
    reported_bps: Vec<f32>,
    /// For probes: each user's rate on all subchannels together, b/s.
    totals_bps: Vec<f32>,
}

impl RadioRow {
    pub(super) fn new(subchannels: usize, radios: Vec<SubchannelRadio>) -> Self {
        assert!(subchannels > 0, "a carrier has at least one subchannel");
        let (users, cells) = (radios.len(), radios.len() * subchannels);
        Self {
            subchannels,
            radios,
            true_db: vec![f32::NEG_INFINITY; cells],
            reported_db: vec![f32::NEG_INFINITY; cells],
            reported_bps: vec![0.0; cells],
            totals_bps: vec![0.0; users],
        }
    }

    pub(super) fn subchannels(&self) -> usize {
        self.subchannels
    }

    /// Makes `slot` readable; slots come in order.
    pub(super) fn advance_to(&mut self, slot: Slot, probe: &mut impl Probe) {
        let truths = self.true_db.chunks_exact_mut(self.subchannels);
        let reports = self.reported_db.chunks_exact_mut(self.subchannels);
        let rates = self.reported_bps.chunks_exact_mut(self.subchannels);
        for (((radio, truth_db), reported_db), rate_bps) in self.radios.iter_mut().zip(truths).zip(reports).zip(rates) {
            radio.channel.fill_subchannels(slot, truth_db);
            sinr::lower_by(radio.interference, truth_db);
            radio.reports.advance(slot, truth_db, reported_db);
            if let Some(outer_loop) = &mut radio.outer_loop {
                outer_loop.advance_to(slot);
                outer_loop.correct(reported_db);
            }
            radio.rule.fill_row(reported_db, rate_bps, 1.0);
        }
        if probe.wants_channel() {
            self.tell(slot, probe);
        }
    }

    /// A probe gets each user's mean SINR in dB and the sum of the rates.
    fn tell(&mut self, slot: Slot, probe: &mut impl Probe) {
        let rows = self.reported_bps.chunks_exact(self.subchannels);
        for (total, row) in self.totals_bps.iter_mut().zip(rows) {
            // Single precision is what rates are known in.
            *total = row.iter().map(|&rate| f64::from(rate)).sum::<f64>() as f32;
        }
        let mean = |row: &[f32]| (row.iter().map(|&db| f64::from(db)).sum::<f64>() / row.len() as f64) as f32;
        probe.on_channel(slot, self.true_db.chunks_exact(self.subchannels).map(mean), &self.totals_bps);
    }

    fn row(&self, user: usize) -> std::ops::Range<usize> {
        user * self.subchannels..(user + 1) * self.subchannels
    }

    /// The rate in b/s that each user's report permits on each subchannel.
    pub(super) fn reported_bps(&self) -> &[f32] {
        &self.reported_bps
    }

    /// The SINR in dB that each user has reported of each subchannel.
    pub(super) fn reported_db(&self) -> &[f32] {
        &self.reported_db
    }

    /// Those of one user.
    pub(super) fn reported_bps_of(&self, user: usize) -> &[f32] {
        &self.reported_bps[self.row(user)]
    }

    /// Those of one user.
    pub(super) fn reported_db_of(&self, user: usize) -> &[f32] {
        &self.reported_db[self.row(user)]
    }

    /// The true SINR in dB of `user` on each subchannel.
    pub(super) fn true_db_of(&self, user: usize) -> &[f32] {
        &self.true_db[self.row(user)]
    }

    /// Writes the rows of the table of rates that reports of `user` permit.
    pub(super) fn fill_mcs(&self, user: usize, reported_db: &[f32], mcs: &mut [u16]) {
        self.radios[user].rule.fill_mcs(reported_db, mcs);
    }

    /// The highest rate that a slot of `user` could have.
    pub(super) fn peak_bps(&self, user: usize) -> f64 {
        self.radios[user].peak_bps
    }

    /// Which code blocks of `user` are lost, if it has any.
    pub(super) fn block_errors(&self, user: usize) -> Option<&BlockErrors> {
        self.radios[user].blocks.as_ref()
    }

    /// What is added to the reports of `user`, if anything is.
    pub(super) fn outer_loop(&self, user: usize) -> Option<&OuterLoop> {
        self.radios[user].outer_loop.as_ref()
    }

    /// Mutable access to the user's outer loop.
    pub(super) fn outer_loop_mut(&mut self, user: usize) -> Option<&mut OuterLoop> {
        self.radios[user].outer_loop.as_mut()
    }

    /// The grant of the only subchannel: `bits`, at the rate that `reported_db` permits.
    pub(super) fn subchannel_grant(&self, user: usize, reported_db: f32, bits: f64) -> SubchannelGrant {
        let mut mcs = [0];
        self.fill_mcs(user, &[reported_db], &mut mcs);
        // A grant has single precision.
        SubchannelGrant { bits: bits as f32, true_db: self.true_db_of(user)[0], mcs: mcs[0] }
    }

    /// Whether what `user` is sent in `slot` over the one subchannel at `rate_bps` is lost.
    pub(super) fn is_lost_at(&self, slot: Slot, user: usize, rate_bps: f32) -> bool {
        self.radios[user].errors.is_lost(slot, self.true_db_of(user)[0], rate_bps)
    }

    /// Whether what `user` is sent in `slot` over `subchannels` is lost: if one of them is sent too fast, or by the draw.
    pub(super) fn is_lost(&self, slot: Slot, user: usize, subchannels: &[u32]) -> bool {
        let errors = &self.radios[user].errors;
        let (true_db, rate_bps) = (self.true_db_of(user), self.reported_bps_of(user));
        let too_fast = |&subchannel: &u32| {
            let place = subchannel as usize;
            errors.is_too_fast(true_db[place], rate_bps[place])
        };
        subchannels.iter().any(too_fast) || errors.is_drawn(slot)
    }
}
