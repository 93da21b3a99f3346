//! What the base station knows, which rates there are, what is lost and repeated.

use airlink_model::link::Mcs;
use serde::Deserialize;

use super::{Count, Extended};

/// Reports, rates, errors and repetition.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// From the truth to what is known.
    pub report: Report,
    /// From a reported SNR to a rate.
    pub rate: RateRule,
    /// What is added to reports for how much was lost.
    pub outer_loop: OuterLoop,
    /// Which frames are lost.
    pub errors: Errors,
    /// What is repeated.
    pub arq: Arq,
    /// What is coded as one, and repeated as it is.
    pub harq: Harq,
}

/// From the truth to what is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Standard deviation of the estimate, dB.
    pub error_sd_db: f64,
    /// Age of a report when it is used, slots.
    pub delay_slots: u64,
    /// A report every so many slots.
    pub period_slots: u64,
    /// Step of a report, dB; 0 for none.
    pub quantisation_db: f64,
    /// Subtracted before a rate is chosen, dB.
    pub backoff_db: f64,
    /// Adjacent subchannels that share a report.
    pub group_subchannels: Count,
    /// What the report of several subchannels is.
    pub effective: EffectiveSnr,
}

/// What the report of several subchannels is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectiveSnr {
    /// The mean of their SNRs in dB.
    MeanDb,
    /// The SNR that has their mean capacity.
    MeanCapacity,
}

/// What is added to reports for how much was lost.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum OuterLoop {
    /// Nothing.
    None {},
    /// An offset that moves in steps.
    Steps {
        /// The share of first transmissions that may be lost.
        target_bler: f64,
        /// What a slot costs that is lost, dB.
        step_down_db: f64,
        /// The least offset, dB.
        lowest_db: f64,
        /// The largest offset, dB.
        highest_db: f64,
        /// The offset at the start, dB.
        initial_db: f64,
        /// Slots until a loss is known.
        feedback_delay_slots: u64,
    },
    /// A margin that moves with the packets that the link drops.
    Margin {
        /// How far a dropped packet moves it.
        gain: f64,
        /// The share of packets that may be dropped.
        target_per: f64,
        /// The least margin.
        lowest: f64,
        /// The largest margin.
        highest: f64,
        /// The margin at the start.
        initial: f64,
    },
}

/// From a reported SNR to a rate.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum RateRule {
    /// The highest rate whose threshold is met.
    Table {
        /// The table's name, for the record.
        name: String,
        /// Thresholds, dB, increasing.
        thresholds_db: Vec<f64>,
        /// Rates, b/s, increasing.
        rates_bps: Vec<f64>,
    },
    /// min(W log2(1 + SNR/gap), max).
    Capacity {
        /// W, Hz.
        bandwidth_hz: f64,
        /// Gap to capacity, dB.
        gap_db: f64,
        /// Upper limit, b/s.
        max_rate_bps: Extended,
    },
    /// The schemes of a set that are worth choosing, each from the SNR at which blocks of it are lost so often.
    Mcs(McsRates),
    /// The replayed rate itself.
    Trace {},
}

/// The most bits per second and Hz that a link is taken to have.
const MOST_BITS_PER_HZ: f64 = 100.0;

impl RateRule {
    /// The highest rate of the carrier, b/s; 0 where a trace has it.
    pub fn top_bps(&self) -> f64 {
        match self {
            Self::Table { rates_bps, .. } => rates_bps.iter().copied().fold(0.0, f64::max),
            Self::Capacity { bandwidth_hz, max_rate_bps, .. } => max_rate_bps.0.min(MOST_BITS_PER_HZ * bandwidth_hz),
            Self::Mcs(rates) => rates.bps_of(rates.schemes().map(Mcs::efficiency).fold(0.0, f64::max)),
            Self::Trace {} => 0.0,
        }
    }

    /// Whether a rate has an SNR that it asks for.
    pub fn has_thresholds(&self) -> bool {
        matches!(self, Self::Table { .. } | Self::Mcs(_))
    }
}

/// Modulation and coding schemes on a carrier.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McsRates {
    /// The set's name, for the record.
    pub set: String,
    /// Bits of a symbol of each scheme: 2, 4, 6 or 8.
    pub bits_per_symbol: Vec<u8>,
    /// Information bits per coded bit of each scheme.
    pub code_rates: Vec<f64>,
    /// The carrier's bandwidth, symbols per second, Hz.
    pub bandwidth_hz: f64,
    /// The share of symbols that carry no data.
    pub overhead: f64,
    /// What a real code loses against the normal approximation, dB.
    pub gap_db: f64,
    /// What symbols are taken to be.
    pub input: SymbolInput,
    /// Bits of the block that thresholds are for.
    pub reference_bits: f64,
    /// Its error rate at a threshold.
    pub target_bler: f64,
}

/// What symbols are taken to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolInput {
    /// Points of the scheme's modulation.
    Modulation,
    /// Gaussian amplitudes.
    Gaussian,
}

impl McsRates {
    /// The schemes, in the order of the set.
    pub fn schemes(&self) -> impl Iterator<Item = Mcs> {
        let scheme = |(&bits_per_symbol, &code_rate)| Mcs { bits_per_symbol, code_rate };
        self.bits_per_symbol.iter().zip(&self.code_rates).map(scheme)
    }

    /// The carrier's rate at so many bits a symbol, b/s.
    pub fn bps_of(&self, bits_per_symbol: f64) -> f64 {
        bits_per_symbol * self.bandwidth_hz * (1.0 - self.overhead)
    }
}

/// Which frames are lost.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Errors {
    /// Of any frame.
    pub probability: f64,
    /// Also those whose true SNR is below what the chosen rate needs.
    pub threshold_rule: bool,
    /// How losses of code blocks depend on the SNR instead.
    pub curve: ErrorCurve,
}

/// How losses of code blocks depend on the SNR.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ErrorCurve {
    /// As the other fields say.
    None {},
    /// 1 / (1 + exp(slope (margin + offset))), the margin over the threshold of the table's row.
    Logistic {
        /// Slope, 1/dB.
        slope_per_db: f64,
        /// Offset, dB.
        offset_db: f64,
    },
    /// The normal approximation of the row's scheme, at the SNR that stands for all that a block lies on.
    Coded {
        /// Which SNR stands for several.
        effective: EffectiveMargin,
        /// A ratio for each scheme of the set, for the exponential mean; none: those that follow from the schemes.
        betas: Vec<f64>,
    },
}

/// Which margin stands for those of all the subchannels that a block lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectiveMargin {
    /// The mean in dB.
    MeanDb,
    /// Exponential effective SNR mapping.
    Eesm,
    /// Mean mutual information.
    Miesm,
}

/// What is repeated.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arq {
    /// Repetitions of a part; 0 leaves errors to TCP.
    pub max_retransmissions: Count,
    /// Slots until a loss is known.
    pub feedback_delay_slots: u64,
    /// What is repeated as one.
    pub unit: ArqUnit,
    /// When, and at which rate.
    pub repeats: ArqRepeats,
}

/// What ARQ repeats as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArqUnit {
    /// A part of a packet.
    Part,
    /// All that a user's slot carried.
    Slot,
}

/// When ARQ repeats, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArqRepeats {
    /// When the user is served again, at the rate of then.
    Rescheduled,
    /// In the next slot, as it was.
    AtOnce,
}

/// What is coded as one, and repeated as it is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harq {
    /// What becomes of earlier transmissions.
    pub kind: HarqKind,
    /// What a code block is.
    pub unit: CodedUnit,
    /// Slots' worth of new data in flight.
    pub processes: Count,
    /// Slots from a transmission to its repetition.
    pub round_trip_slots: u64,
    /// Repetitions of a block.
    pub max_retransmissions: Count,
}

/// What becomes of earlier transmissions of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HarqKind {
    /// There are no others.
    None,
    /// Their signals are added.
    Chase,
    /// Each has new coded bits: their information is added.
    IncrementalRedundancy,
}

/// What is lost as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodedUnit {
    /// A segment with its headers.
    Pdu,
    /// All that a user sends anew in a slot.
    Block,
}

impl Link {
    /// Whether a user's slot is cut into code blocks that have fates of their own.
    pub fn has_code_blocks(&self) -> bool {
        let has_curve = !matches!(self.errors.curve, ErrorCurve::None {});
        has_curve || self.harq.kind != HarqKind::None || self.harq.unit == CodedUnit::Pdu
    }

    /// Whether what is lost moves later reports, so that a slot depends on those before it.
    pub fn has_outer_loop(&self) -> bool {
        !matches!(self.outer_loop, OuterLoop::None {})
    }
}

/// Segmentation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rlc {
    /// Payload of a segment.
    pub segment_bytes: u64,
    /// Header of each segment.
    pub segment_header_bytes: u64,
    /// Header of each block.
    pub block_header_bytes: u64,
    /// Keep fractions of a segment for the next grant.
    pub carry_fraction: bool,
    /// Deliver in order.
    pub in_order: bool,
}
