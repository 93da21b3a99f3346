//! Modulation and coding schemes: their thresholds, the rows that are of use, and the error rate of a block sent by one.
//!
//! A block of k bits takes n = k / (m r) channel uses at m bits a symbol and code rate r. By the normal approximation
//! ([Polyanskiy10], with its 1/2 log2 n) the best code of that length fails with
//!   BLER = Q((n C - k + 1/2 log2 n) / (n V)^(1/2)),
//! C and V those of [`Input`] at the SNR less `gap`, which stands for what a real code and receiver lose. A row's threshold is
//! the SNR at which a block of the reference length has the target BLER.
//!
//! Left out: error floors, how the code is built and punctured, a gap that depends on the row.

use super::information::{Information, Input};
use super::normal_tail::normal_tail;
use crate::types::Decibel;

/// One modulation and coding scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mcs {
    /// Bits of a symbol: 2, 4, 6 or 8.
    pub bits_per_symbol: u8,
    /// Information bits per coded bit, above 0 and below 1.
    pub code_rate: f64,
}

impl Mcs {
    /// Information bits of a channel use.
    pub fn efficiency(self) -> f64 {
        f64::from(self.bits_per_symbol) * self.code_rate
    }
}

/// From SNR and length to the error rate of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodeConfig {
    /// Whether symbols have Gaussian amplitudes or those of the row's modulation.
    pub gaussian_input: bool,
    /// The SNR that a real code loses against the normal approximation.
    pub gap: Decibel,
    /// Information bits of the block that thresholds are for, at least 8.
    pub reference_bits: f64,
    /// The error rate at a threshold, between 0 and 1.
    pub target_bler: f64,
}

/// One scheme as an error model has it.
#[derive(Clone, Copy, Debug)]
pub struct CodedRow {
    mcs: Mcs,
    efficiency: f64,
    gap_db: f64,
    threshold_db: f64,
    information: &'static Information,
}

impl CodedRow {
    /// The row of `mcs`.
    pub fn new(mcs: Mcs, config: &CodeConfig) -> Self {
        assert!(mcs.code_rate > 0.0 && mcs.code_rate < 1.0, "a code rate is between 0 and 1");
        assert!(config.reference_bits >= 8.0, "a block has a byte at least");
        assert!(config.target_bler > 0.0 && config.target_bler < 1.0, "a target between 0 and 1");
        let mut row = Self {
            mcs,
            efficiency: mcs.efficiency(),
            gap_db: config.gap.db(),
            threshold_db: 0.0,
            information: input_of(mcs, config).table(),
        };
        row.threshold_db = row.required_db(config.reference_bits, config.target_bler);
        row
    }

    /// The scheme.
    pub const fn mcs(&self) -> Mcs {
        self.mcs
    }

    /// The SNR in dB from which a block of the reference length fails at most as often as the target says.
    pub const fn threshold_db(&self) -> f64 {
        self.threshold_db
    }

    /// The error rate of a block of `bits` at `snr_db`.
    #[inline]
    pub fn bler(&self, bits: f64, snr_db: f64) -> f64 {
        let uses = bits / self.efficiency;
        let (capacity, inverse_sd) = self.information.at(snr_db - self.gap_db);
        let surplus = capacity - self.efficiency + 0.5 * libm::log2(uses) / uses;
        normal_tail(libm::sqrt(uses) * surplus * inverse_sd)
    }

    /// The SNR in dB at which a block of `bits` fails with probability `bler`, by halving.
    pub fn required_db(&self, bits: f64, bler: f64) -> f64 {
        let (mut low, mut high) = (self.gap_db - 30.0, self.gap_db + 42.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let too_low = self.bler(bits, middle) > bler;
            (low, high) = if too_low { (middle, high) } else { (low, middle) };
        }
        high
    }

    pub(super) const fn efficiency(&self) -> f64 {
        self.efficiency
    }

    pub(super) const fn gap_db(&self) -> f64 {
        self.gap_db
    }

    pub(super) const fn information(&self) -> &'static Information {
        self.information
    }
}

/// The input of a scheme's symbols.
pub(super) const fn input_of(mcs: Mcs, config: &CodeConfig) -> Input {
    if config.gaussian_input { Input::Gaussian } else { Input::Modulation(mcs.bits_per_symbol) }
}

/// Relative to the efficiency.
const EQUALLY_FAST: f64 = 1e-6;

/// The schemes worth choosing, by rising efficiency and rising threshold: each that no other one beats by at least as many
/// bits from an SNR at most as high. Sets that change the modulation between two rows of (almost) equal efficiency, as those of
/// NR do, lose or turn round such rows by this.
pub fn worth_choosing(set: &[Mcs], config: &CodeConfig) -> Vec<CodedRow> {
    let mut rows: Vec<CodedRow> = set.iter().map(|mcs| CodedRow::new(*mcs, config)).collect();
    rows.sort_by(|a, b| a.efficiency.total_cmp(&b.efficiency).then(b.threshold_db.total_cmp(&a.threshold_db)));
    let mut chosen: Vec<CodedRow> = Vec::with_capacity(rows.len());
    for row in rows.into_iter().rev() {
        // From the highest down: what asks for as much as a faster one is of no use. Tables are single precision.
        if chosen.last().is_none_or(|faster| (row.threshold_db as f32) < faster.threshold_db as f32) {
            // Two that are equally fast but for a rounding are one rate in single precision.
            chosen.pop_if(|faster| faster.efficiency < row.efficiency * (1.0 + EQUALLY_FAST));
            chosen.push(row);
        }
    }
    chosen.reverse();
    chosen
}
