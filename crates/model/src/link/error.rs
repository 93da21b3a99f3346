//! Which frames are lost on air.
//!
//! A frame is lost with a constant probability, and, under the threshold rule, always when the rate chosen for it
//! is higher than what the rate rule would give for the true SINR. The draw is a function of (seed, user, slot), so
//! who else is served never shifts it.
//!
//! Left out: block error curves, errors that depend on the frame's length, combining of retransmitted frames.

use super::{CodedCurve, ErrorTableConfig, LogisticCurve, RateRule};
use crate::types::declare::Section;
use crate::types::{CounterStream, Purpose, Slot};

/// Frame errors: everything sent in a slot is lost or arrives together.
#[derive(Clone, Debug, PartialEq, Section)]
pub struct ErrorsConfig {
    /// A frame (all that one slot carries) is lost with this probability.
    #[field(at_least = 0, at_most = 1, default = 0.0, source = "airlink default: 0; profile K3 of [Klein04]: 0.002")]
    pub probability: f64,
    /// Also lose a frame when the true SNR (with rate traces: the true rate) is below what the rate sent needs.
    #[field(default = false, source = "airlink default")]
    pub threshold_rule: bool,
    /// How losses of code blocks (link.harq.unit) depend on the SNR.
    #[field(default = ErrorCurve::None, source = "airlink default")]
    pub curve: ErrorCurve,
}

/// How losses of code blocks depend on the SNR.
#[derive(Clone, Debug, PartialEq, Section)]
pub enum ErrorCurve {
    /// Losses do not depend on the SNR beyond `threshold_rule`.
    #[section(class = "NoErrorCurve", about = "No curve: `probability` and `threshold_rule` say what is lost")]
    None,
    /// A block is lost with probability 1 / (1 + exp(slope (m + offset))) at a margin of m dB.
    ///
    /// The margin is the mean, over the bits of the block, of what its subchannels have above the threshold of their rate.
    #[section(class = "LogisticErrorCurve", about = "A logistic curve over the margin; needs rates with thresholds")]
    Logistic(LogisticCurve),
    /// A block is lost as often as one of its length and scheme, by the normal approximation.
    ///
    /// The scheme is that of `link.rate`; of a block over several, the highest. One effective SNR stands for those of all
    /// the subchannels that the block lies on, each relative to the threshold of the scheme sent there.
    #[section(
        class = "CodedErrorCurve",
        about = "The normal approximation of the scheme; needs link.rate.kind = \"mcs\""
    )]
    Coded(CodedCurve),
    /// A block is lost as often as a table has it for its scheme, its SINR and its length.
    ///
    /// The SINR is the threshold of the scheme plus the mean margin of `logistic`: on one subchannel, or with one scheme on all, the mean of
    /// its SINRs in dB over the bits of the block. The scheme of a block over several is the highest.
    #[section(class = "TableErrorCurve", about = "A table by scheme and SINR from a file; needs rates with thresholds")]
    Table(ErrorTableConfig),
}

/// The frame errors of one user.
#[derive(Clone, Debug)]
pub struct FrameErrors {
    probability: f64,
    threshold_rule: Option<RateRule>,
    draws: CounterStream,
}

impl FrameErrors {
    /// Errors of user number `user` in the run of `seed`: of `probability` in [0, 1], and with a `threshold_rule`
    /// also where that rule gives less than the chosen rate.
    pub fn new(probability: f64, threshold_rule: Option<RateRule>, seed: u64, user: u64) -> Self {
        assert!((0.0..=1.0).contains(&probability), "a probability is between 0 and 1");
        Self { probability, threshold_rule, draws: CounterStream::new(seed, Purpose::FrameError, user) }
    }

    /// Whether a frame sent at `rate_bps` in `slot` is lost when the user's SINR is `true_db`.
    pub fn is_lost(&self, slot: Slot, true_db: f32, rate_bps: f32) -> bool {
        self.is_too_fast(true_db, rate_bps) || self.is_drawn(slot)
    }

    /// Whether the draw of `slot` loses what the user is sent in it.
    #[inline]
    pub fn is_drawn(&self, slot: Slot) -> bool {
        self.probability > 0.0 && self.draws.uniform(slot) < self.probability
    }

    /// Whether any frame may be lost.
    pub fn may_lose(&self) -> bool {
        self.probability > 0.0 || self.has_threshold_rule()
    }

    /// Whether there is a threshold rule.
    #[inline]
    pub const fn has_threshold_rule(&self) -> bool {
        self.threshold_rule.is_some()
    }

    /// Whether `rate_bps` is more than the threshold rule, if there is one, gives at `true_db`.
    pub fn is_too_fast(&self, true_db: f32, rate_bps: f32) -> bool {
        // Asking the rule itself, not its inverse, keeps an exact report free of errors by rounding.
        self.threshold_rule.as_ref().is_some_and(|rule| rule.rate_bps(true_db) < rate_bps)
    }
}
