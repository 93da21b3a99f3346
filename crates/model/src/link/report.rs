//! The user's report of its SINR, as the base station has it in a slot.
//!
//! The user measures in slots 0, p, 2p, ...: z(m) = Q(x(m) + sd g(m)), with x the truth in dB, g standard normal and Q
//! rounding to the nearest multiple of the quantisation step (halves to the even multiple). In slot n the base
//! station has the latest measurement made at or before n - d, less its back-off: z(p floor((n - d) / p)) - back-off.
//! Before slot d it knows nothing: minus infinity.
//!
//! Left out: lost reports, correlated estimation errors, prediction.

use super::{Report, TrueSnr};
use crate::types::declare::{Section, Words};
use crate::types::{BLOCK_SLOTS, CounterStream, Purpose, Slot};

/// The SNR report: error added in dB, then back-off taken off, then rounded, then late.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct ReportConfig {
    /// Standard deviation of a zero-mean Gaussian error in dB, new for every user and report.
    #[field(
        unit = "dB",
        at_least = 0,
        at_most = 50,
        default = 0.0,
        source = "airlink default: none; profile K3 of [Klein04]: 0.707 (variance 0.5 dB, read as dB^2)"
    )]
    pub error_sd_db: f64,
    /// Age of a report when it is used: slot n is scheduled on a report of slot n - delay or before (0: of the slot
    /// itself). Before slot `delay_slots` nothing is known and the rate is 0.
    #[field(
        unit = "slots",
        at_least = 0,
        at_most = 100_000,
        default = 0,
        source = "airlink default; profile K3 of [Klein04]: 0"
    )]
    pub delay_slots: usize,
    /// A report is made every so many slots (0, p, 2p, ...) and used until the next.
    #[field(unit = "slots", at_least = 1, at_most = 100_000, default = 1, source = "airlink default")]
    pub period_slots: u64,
    /// Reports are rounded to the nearest multiple of this; 0 = not rounded.
    #[field(unit = "dB", at_least = 0, at_most = 50, default = 0.0, source = "airlink default")]
    pub quantisation_db: f64,
    /// Taken off every report before a rate is chosen.
    #[field(unit = "dB", at_least = -50, at_most = 50, default = 0.0, source = "airlink default")]
    pub backoff_db: f64,
    /// Adjacent subchannels that share a report; the last group may be smaller. 1 = a report for each, "inf" = one for
    /// the carrier.
    #[field(
        unit = "subchannels",
        at_least = 1,
        at_most = 10_000,
        infinite,
        default = 1,
        source = "airlink default: one for each"
    )]
    pub group_subchannels: usize,
    /// What a report of several subchannels is: "mean_db" = the mean of their SNRs in dB, "mean_capacity" = the SNR
    /// whose log2(1 + SNR) is the mean of theirs.
    #[field(default = EffectiveSnr::MeanDb, source = "airlink default")]
    pub effective: EffectiveSnr,
}

/// The SINR of a group of subchannels; that of a group of one is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum EffectiveSnr {
    /// The mean of the values in dB: the geometric mean of the ratios.
    MeanDb,
    /// The SINR whose capacity log2(1 + SINR) is the mean of the group's.
    MeanCapacity,
}

/// One user's reports.
#[derive(Clone, Debug)]
pub struct ReportedSnr {
    error_sd_db: f32,
    quantisation_db: f32,
    backoff_db: f32,
    period_slots: u64,
    errors: CounterStream,
    held_db: f32,
    delay_slots: usize,
    /// What is on its way: the last `delay_slots` values, then room for a block; empty before the first block.
    in_flight_db: Vec<f32>,
    next: Slot,
}

impl ReportedSnr {
    /// The reports of user number `user` in the run of `seed`.
    pub fn new(config: ReportConfig, seed: u64, user: u64) -> Self {
        assert!(config.period_slots >= 1, "a period is at least a slot");
        Self {
            // Blocks are single precision.
            error_sd_db: config.error_sd_db as f32,
            quantisation_db: config.quantisation_db as f32,
            backoff_db: config.backoff_db as f32,
            period_slots: config.period_slots,
            errors: CounterStream::new(seed, Purpose::EstimationNoise, user),
            held_db: f32::NEG_INFINITY,
            delay_slots: config.delay_slots,
            in_flight_db: Vec::new(),
            next: Slot::ZERO,
        }
    }

    /// The same, of a user whose first block begins with `first`.
    #[must_use]
    pub fn from(self, first: Slot) -> Self {
        Self { next: first, ..self }
    }

    /// The block from which on [`Self::fill`] needs the truth, so that the reports of the block from `first` are right; what is
    /// older is forgotten. It is never before the block that would come next.
    pub fn resume(&mut self, first: Slot) -> Slot {
        if !self.remembers() {
            return first;
        }
        let oldest_used =
            first.number().saturating_sub(self.delay_slots as u64) / self.period_slots * self.period_slots;
        let block = Slot::new(oldest_used / BLOCK_SLOTS as u64 * BLOCK_SLOTS as u64);
        if block > self.next {
            // Of the slots before that measurement nothing is used from `first` on.
            self.next = block;
            self.held_db = f32::NEG_INFINITY;
            self.in_flight_db.clear();
        }
        self.next
    }

    /// Writes what the base station reckons with in the slots from `first`, given the truth in them.
    ///
    /// Blocks come one after the other, or from [`Self::resume`] on; with neither delay nor period they may come in any order.
    pub fn fill(&mut self, first: Slot, truth: &TrueSnr, report: &mut Report) {
        assert!(!self.remembers() || first == self.next, "late or periodic reports need every block");
        self.next = Slot::new(first.number() + BLOCK_SLOTS as u64);
        self.measure(first, &truth.db, &mut report.db);
        if self.period_slots > 1 {
            self.hold(first, &mut report.db);
        }
        if self.delay_slots > 0 {
            self.delay(&mut report.db);
        }
    }

    fn remembers(&self) -> bool {
        self.period_slots > 1 || self.delay_slots > 0
    }

    fn measure(&self, first: Slot, truth_db: &[f32; BLOCK_SLOTS], measured_db: &mut [f32; BLOCK_SLOTS]) {
        measured_db.copy_from_slice(truth_db);
        if self.error_sd_db > 0.0 {
            self.add_errors(first, measured_db);
        }
        if self.quantisation_db > 0.0 {
            for value in measured_db.iter_mut() {
                *value = nearest_integer(*value / self.quantisation_db) * self.quantisation_db;
            }
        }
        // Taking 0 off changes no bit.
        if self.backoff_db.to_bits() != 0 {
            for value in measured_db {
                *value -= self.backoff_db;
            }
        }
    }

    fn add_errors(&self, first: Slot, measured_db: &mut [f32; BLOCK_SLOTS]) {
        let mut normals = [0.0; BLOCK_SLOTS];
        if self.period_slots == 1 {
            self.errors.fill_normal(first, &mut normals);
        } else {
            for offset in measurements(first, self.period_slots) {
                let slot = Slot::new(first.number() + offset as u64);
                self.errors.fill_normal(slot, &mut normals[offset..=offset]);
            }
        }
        for (value, normal) in measured_db.iter_mut().zip(&normals) {
            *value += self.error_sd_db * normal;
        }
    }

    fn hold(&mut self, first: Slot, measured_db: &mut [f32; BLOCK_SLOTS]) {
        let mut from = 0;
        for offset in measurements(first, self.period_slots) {
            let measured = measured_db[offset];
            measured_db[from..offset].fill(self.held_db);
            (self.held_db, from) = (measured, offset);
        }
        measured_db[from..].fill(self.held_db);
    }

    fn delay(&mut self, values_db: &mut [f32; BLOCK_SLOTS]) {
        self.in_flight_db.resize(self.delay_slots + BLOCK_SLOTS, f32::NEG_INFINITY);
        self.in_flight_db[self.delay_slots..].copy_from_slice(values_db);
        values_db.copy_from_slice(&self.in_flight_db[..BLOCK_SLOTS]);
        self.in_flight_db.copy_within(BLOCK_SLOTS.., 0);
    }
}

/// Offsets into the block from `first` at which the user measures.
fn measurements(first: Slot, period_slots: u64) -> impl Iterator<Item = usize> {
    (0..BLOCK_SLOTS).filter(move |&offset| (first.number() + offset as u64).is_multiple_of(period_slots))
}

/// Rounds to the nearest integer, halves to even, for magnitudes below 2^22; larger ones are integers already.
#[inline(always)]
pub(super) fn nearest_integer(value: f32) -> f32 {
    // Beyond 2^23 a single-precision number has no fraction left: adding and taking away 1.5 * 2^23 rounds. A
    // plain loop of this vectorises on every target, `round` does not.
    const SHIFT: f32 = 12_582_912.0;
    if value.abs() < 4_194_304.0 { (value + SHIFT) - SHIFT } else { value }
}
