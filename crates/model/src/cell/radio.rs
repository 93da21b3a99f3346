//! Channel and link of all users, computed a block of slots at a time.
//!
//! Per user: signal -> SINR -> report -> rate, each over [`BLOCK_SLOTS`] slots, so that loops run over time. What a
//! scheduler reads in a slot is contiguous over users; what only the winner needs stays per user. An outer loop moves
//! between slots, so with one reports are corrected and rates found slot by slot; all before that stays in blocks.

use super::sinr;
use crate::channel::{RateTrace, UserChannel};
use crate::link::{FrameErrors, OuterLoop, RateRule, Report, ReportedSnr, TrueSnr};
use crate::probe::Probe;
use crate::types::{BLOCK_SLOTS, PowerRatio, Slot, SubchannelGrant};

/// The source of a user's rate.
#[derive(Clone, Debug)]
pub enum RateSource {
    /// A signal: the rate follows from its reported SINR.
    Signal {
        /// The signal over time.
        channel: UserChannel,
        /// The rate for a reported SINR.
        rule: RateRule,
    },
    /// A replayed trace of rates.
    Trace(RateTrace),
}

/// Channel and link of one user.
#[derive(Clone, Debug)]
pub struct RadioConfig {
    /// The signal or the rate over time.
    pub source: RateSource,
    /// The base station's reports of it; with a replayed rate, they report the rate instead of the SNR.
    pub reports: ReportedSnr,
    /// Outer-loop link adaptation (signals only).
    pub outer_loop: Option<OuterLoop>,
    /// Which frames are lost.
    pub errors: FrameErrors,
    /// Frames whose rate is above the replayed one are lost (replayed rates only; signals have it in `errors`).
    pub lost_above_trace: bool,
    /// Mean SNR in dB, as a scheduler may know it.
    pub mean_snr_db: f64,
    /// The highest rate that the link has, b/s; the most that a slot could carry.
    pub peak_bps: f64,
    /// Interference relative to thermal noise; 0 for a cell of its own.
    pub interference: PowerRatio,
}

/// The current block of slots of every user.
#[derive(Clone, Debug)]
pub(super) struct RadioBlock {
    radios: Vec<RadioConfig>,
    /// The slots before this one are computed.
    computed_until: u64,
    /// By slot of the block, then user.
    reported_bps: Vec<f32>,
    reported_db: Vec<f32>,
    /// By user, then slot of the block: the true SINR, or the true rate of a replayed trace.
    truth: Vec<TrueSnr>,
}

impl RadioBlock {
    pub(super) fn new(radios: Vec<RadioConfig>) -> Self {
        let users = radios.len();
        Self {
            radios,
            computed_until: 0,
            reported_bps: vec![0.0; users * BLOCK_SLOTS],
            reported_db: vec![f32::NEG_INFINITY; users * BLOCK_SLOTS],
            truth: vec![TrueSnr { db: [f32::NEG_INFINITY; BLOCK_SLOTS] }; users],
        }
    }

    /// Makes `slot` readable; slots come in order.
    pub(super) fn advance_to(&mut self, slot: Slot, probe: &mut impl Probe) {
        if slot.number() >= self.computed_until {
            self.computed_until += BLOCK_SLOTS as u64;
            for user in 0..self.radios.len() {
                self.compute(slot, user);
            }
        }
        self.correct(slot);
        if probe.wants_channel() {
            let true_db = self.truth.iter().map(|truth| truth.db[offset(slot)]);
            probe.on_channel(slot, true_db, self.reported_bps(slot));
        }
    }

    fn compute(&mut self, first: Slot, user: usize) {
        let radio = &mut self.radios[user];
        let truth = &mut self.truth[user];
        let mut report = Report { db: [f32::NEG_INFINITY; BLOCK_SLOTS] };
        let mut rate_bps = [0.0; BLOCK_SLOTS];
        match &mut radio.source {
            RateSource::Signal { channel, rule } => {
                let mut signal_db = [0.0; BLOCK_SLOTS];
                channel.fill(first, &mut signal_db);
                sinr::form(&signal_db, radio.interference, truth);
                radio.reports.fill(first, truth, &mut report);
                if radio.outer_loop.is_none() {
                    rule.fill(&report, &mut rate_bps);
                }
            }
            RateSource::Trace(trace) => {
                trace.fill(first, &mut truth.db);
                radio.reports.fill(first, truth, &mut report);
                for (rate, reported) in rate_bps.iter_mut().zip(&report.db) {
                    *rate = reported.max(0.0);
                }
            }
        }
        let users = self.truth.len();
        for (offset, (rate, db)) in rate_bps.iter().zip(&report.db).enumerate() {
            self.reported_bps[offset * users + user] = *rate;
            self.reported_db[offset * users + user] = *db;
        }
    }

    /// Adds to the reports of `slot` what outer loops have come to by now, and finds the rates that this permits.
    fn correct(&mut self, slot: Slot) {
        let row = self.row(slot);
        let reports = self.reported_db[row.clone()].iter_mut().zip(&mut self.reported_bps[row]);
        for (radio, (reported_db, rate_bps)) in self.radios.iter_mut().zip(reports) {
            if let (Some(outer_loop), RateSource::Signal { rule, .. }) = (&mut radio.outer_loop, &radio.source) {
                outer_loop.advance_to(slot);
                outer_loop.correct(std::slice::from_mut(reported_db));
                *rate_bps = rule.rate_bps(*reported_db);
            }
        }
    }

    fn row(&self, slot: Slot) -> std::ops::Range<usize> {
        let first = offset(slot) * self.truth.len();
        first..first + self.truth.len()
    }

    /// Each user's reported rate in `slot`, b/s.
    pub(super) fn reported_bps(&self, slot: Slot) -> &[f32] {
        &self.reported_bps[self.row(slot)]
    }

    /// Each user's reported SINR in `slot`, dB.
    pub(super) fn reported_db(&self, slot: Slot) -> &[f32] {
        &self.reported_db[self.row(slot)]
    }

    /// The true SINR in dB (with a replayed rate: the true rate in b/s).
    pub(super) fn true_db(&self, slot: Slot, user: usize) -> f32 {
        self.truth[user].db[offset(slot)]
    }

    /// The whole carrier as one subchannel that grants `bits`, at the rate that `reported_db` permits.
    pub(super) fn subchannel_grant(&self, slot: Slot, user: usize, reported_db: f32, bits: f64) -> SubchannelGrant {
        let mut mcs = [0];
        if let RateSource::Signal { rule, .. } = &self.radios[user].source {
            rule.fill_mcs(&[reported_db], &mut mcs);
        }
        // A grant has single precision.
        SubchannelGrant { bits: bits as f32, true_db: self.true_db(slot, user), mcs: mcs[0] }
    }

    /// What is added to the reports of `user`, if anything is.
    pub(super) fn outer_loop(&self, user: usize) -> Option<&OuterLoop> {
        self.radios[user].outer_loop.as_ref()
    }

    /// Mutable access to the user's outer loop.
    pub(super) fn outer_loop_mut(&mut self, user: usize) -> Option<&mut OuterLoop> {
        self.radios[user].outer_loop.as_mut()
    }

    /// The highest rate that a slot of `user` could have.
    pub(super) fn peak_bps(&self, user: usize) -> f64 {
        self.radios[user].peak_bps
    }

    /// Whether the frame of `user` in `slot`, sent at `rate_bps`, is lost.
    pub(super) fn is_lost(&self, slot: Slot, user: usize, rate_bps: f32) -> bool {
        let (radio, truth) = (&self.radios[user], self.true_db(slot, user));
        let above_trace = radio.lost_above_trace && matches!(radio.source, RateSource::Trace(_)) && rate_bps > truth;
        above_trace || radio.errors.is_lost(slot, truth, rate_bps)
    }
}

/// A slot's place in its block.
fn offset(slot: Slot) -> usize {
    // Below BLOCK_SLOTS, so it fits.
    (slot.number() % BLOCK_SLOTS as u64) as usize
}
