//! What the base station knows, which rates there are, what is lost and repeated.

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
    /// The replayed rate itself.
    Trace {},
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
}

/// What is repeated.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arq {
    /// Repetitions of a part; 0 leaves errors to TCP.
    pub max_retransmissions: Count,
    /// Slots until a loss is known.
    pub feedback_delay_slots: u64,
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
        matches!(self.outer_loop, OuterLoop::Steps { .. })
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
