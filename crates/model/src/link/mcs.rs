//! Modulation and coding schemes: their thresholds, the rows that are of use, and the error rate of a block sent by one.
//!
//! A block of k bits takes n = k / (m r) channel uses at m bits a symbol and code rate r. By the normal approximation
//! ([Polyanskiy10], with its 1/2 log2 n) the best code of that length fails with
//!   BLER = Q((n C - k + 1/2 log2 n) / (n V)^(1/2)),
//! C and V those of [`Input`] at the SNR less `gap`, which stands for what a real code and receiver lose. That may grow as blocks become
//! short: by `short_block_gap` x 100 / k, a form fitted to codes of NR, not derived. A row's threshold is the SNR at which a block of the
//! reference length has the target BLER.
//!
//! Left out: error floors, how the code is built and punctured, a gap that depends on the row, the loss of demodulating bit by bit.

use super::information::{Information, Input};
use super::normal_tail::normal_tail;
use crate::types::Decibel;
use crate::types::declare::{Section, Words};

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

/// The schemes of a carrier, and the code that their thresholds and error rates are of.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(class = "RateFromMcs")]
pub struct McsConfig {
    /// "custom": the two lists of this table; the others have lists of their own: leave these out.
    #[field(
        default = McsSet::NrMcs64Qam,
        source = "NR where nothing else is configured (TS 38.214 section 5.1.3.1): its first table"
    )]
    pub set: McsSet,
    /// Bandwidth of the whole carrier: so many symbols a second. `[carrier]` does not set it: with other subchannels,
    /// change it, too.
    #[field(unit = "Hz", above = 0, at_most = 1e12, source = "[Kakuda]: 80 MHz")]
    pub bandwidth_hz: f64,
    /// Share of the symbols that carry no data: cyclic prefix, control, reference signals.
    #[field(
        at_least = 0,
        at_most = 0.999,
        default = 0.0,
        source = "airlink default: none; NR: 1 - 14/15 x 0.86 = 0.197 (14 symbols of 12 subcarriers in 0.5 ms x 360 kHz; \
                  14 % of TS 38.306 section 4.1.2)"
    )]
    pub overhead: f64,
    /// SNR that a real code and receiver lose against the normal approximation.
    #[field(
        name = "gap_db",
        unit = "dB",
        at_least = -50,
        at_most = 50,
        default = Decibel::new(1.0),
        source = "airlink default, chosen: 1"
    )]
    pub gap: Decibel,
    /// Added to gap_db for a block of 100 bits; for one of k bits 100 / k of it: real codes lose more where blocks are short.
    #[field(
        name = "short_block_gap_db",
        unit = "dB",
        at_least = 0,
        at_most = 10,
        default = Decibel::new(0.0),
        source = "airlink default: none; 0.15 fits NR's LDPC codes (docs/models/link.md)"
    )]
    pub short_block_gap: Decibel,
    /// What symbols are: "modulation" = points of the scheme's QPSK, 16QAM, 64QAM or 256QAM, "gaussian" = amplitudes
    /// that no modulation reaches.
    #[field(default = SymbolInput::Modulation, source = "airlink default")]
    pub input: SymbolInput,
    /// Information bits of the block that thresholds are for.
    #[field(
        unit = "bits",
        at_least = 8,
        at_most = 1e7,
        default = 8448.0,
        source = "the longest code block of NR (TS 38.212 section 5.2.2)"
    )]
    pub reference_bits: f64,
    /// Probability that such a block is lost at the threshold.
    #[field(
        at_least = 1e-9,
        at_most = 0.9,
        default = 0.1,
        source = "a CQI's 0.1 (TS 36.213 section 7.2.3, TS 38.214 section 5.2.2.1)"
    )]
    pub target_bler: f64,
    /// Bits of a symbol of each scheme: 2, 4, 6 or 8.
    #[field(unit = "bits", at_least = 2, at_most = 8, default, source = "airlink default: those of `set`")]
    pub bits_per_symbol: Vec<u8>,
    /// Information bits per coded bit, as many as bits_per_symbol.
    #[field(at_least = 0.01, at_most = 0.999, default, source = "airlink default: those of `set`")]
    pub code_rates: Vec<f64>,
}

/// Sets of schemes, whose lists a scenario brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum McsSet {
    /// Its own.
    Custom,
    /// Those of [Kakuda].
    #[word("imt-advanced")]
    ImtAdvanced,
    /// TS 38.214 table 5.2.2.1-2.
    #[word("cqi-64qam")]
    Cqi64Qam,
    /// TS 38.214 table 5.2.2.1-3.
    #[word("cqi-256qam")]
    Cqi256Qam,
    /// TS 38.214 table 5.2.2.1-4.
    #[word("cqi-low-efficiency")]
    CqiLowEfficiency,
    /// TS 38.214 table 5.1.3.1-1.
    #[word("nr-mcs-64qam")]
    NrMcs64Qam,
    /// TS 38.214 table 5.1.3.1-2.
    #[word("nr-mcs-256qam")]
    NrMcs256Qam,
    /// TS 38.214 table 5.1.3.1-3.
    #[word("nr-mcs-low-efficiency")]
    NrMcsLowEfficiency,
}

/// What symbols are taken to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum SymbolInput {
    /// Points of the scheme's modulation.
    Modulation,
    /// Gaussian amplitudes.
    Gaussian,
}

impl McsConfig {
    /// The schemes, in the order of the set.
    pub fn schemes(&self) -> impl Iterator<Item = Mcs> {
        let scheme = |(&bits_per_symbol, &code_rate)| Mcs { bits_per_symbol, code_rate };
        self.bits_per_symbol.iter().zip(&self.code_rates).map(scheme)
    }

    /// The schemes worth choosing, as [`worth_choosing`] orders them.
    pub fn rows(&self) -> Vec<CodedRow> {
        worth_choosing(&self.schemes().collect::<Vec<Mcs>>(), self)
    }

    /// The carrier's rate at so many bits a symbol, b/s.
    pub fn bps_of(&self, bits_per_symbol: f64) -> f64 {
        bits_per_symbol * self.bandwidth_hz * (1.0 - self.overhead)
    }
}

/// One scheme as an error model has it.
#[derive(Clone, Copy, Debug)]
pub struct CodedRow {
    mcs: Mcs,
    efficiency: f64,
    gap_db: f64,
    /// dB x bits that a short block loses beside that.
    short_gap_db_bits: f64,
    threshold_db: f64,
    information: &'static Information,
}

impl CodedRow {
    /// The row of `mcs`.
    pub fn new(mcs: Mcs, config: &McsConfig) -> Self {
        assert!(mcs.code_rate > 0.0 && mcs.code_rate < 1.0, "a code rate is between 0 and 1");
        assert!(config.reference_bits >= 8.0, "a block has a byte at least");
        assert!(config.target_bler > 0.0 && config.target_bler < 1.0, "a target between 0 and 1");
        let mut row = Self {
            mcs,
            efficiency: mcs.efficiency(),
            gap_db: config.gap.db(),
            short_gap_db_bits: config.short_block_gap.db() * SHORT_BITS,
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
        let (capacity, inverse_sd) = self.information.at(snr_db - self.gap_db(bits));
        let surplus = capacity - self.efficiency + 0.5 * libm::log2(uses) / uses;
        normal_tail(libm::sqrt(uses) * surplus * inverse_sd)
    }

    /// The SNR in dB at which a block of `bits` fails with probability `bler`, by halving.
    pub fn required_db(&self, bits: f64, bler: f64) -> f64 {
        let gap_db = self.gap_db(bits);
        let (mut low, mut high) = (gap_db - 30.0, gap_db + 42.0);
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

    /// What a block of `bits` loses against the normal approximation, dB.
    #[inline]
    pub(super) fn gap_db(&self, bits: f64) -> f64 {
        self.gap_db + self.short_gap_db_bits / bits
    }

    pub(super) const fn information(&self) -> &'static Information {
        self.information
    }
}

/// The input of a scheme's symbols.
pub(super) const fn input_of(mcs: Mcs, config: &McsConfig) -> Input {
    match config.input {
        SymbolInput::Gaussian => Input::Gaussian,
        SymbolInput::Modulation => Input::Modulation(mcs.bits_per_symbol),
    }
}

/// The length of the block that `short_block_gap` is of.
const SHORT_BITS: f64 = 100.0;
/// Relative to the efficiency.
const EQUALLY_FAST: f64 = 1e-6;

/// The schemes worth choosing, by rising efficiency and rising threshold: each that no other one beats by at least as many
/// bits from an SNR at most as high. Sets that change the modulation between two rows of (almost) equal efficiency, as those of
/// NR do, lose or turn round such rows by this.
pub fn worth_choosing(set: &[Mcs], config: &McsConfig) -> Vec<CodedRow> {
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
