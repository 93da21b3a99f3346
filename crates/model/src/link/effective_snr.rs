//! One margin for all subchannels that a block lies on.
//!
//! Subchannel i with b_i bits has the margin m_i over the threshold of its row. With weights w_i = b_i / sum of b,
//!   mean dB              m = sum w_i m_i;
//!   exponential          SNR = -beta ln sum w_i exp(-SNR_i / beta)  (EESM);
//!   mutual information   C(SNR) = sum w_i C(SNR_i)  (MIESM);
//! the last two ([Brueninghaus05]) in SNRs, less the code's gap, of the highest row spanned: SNR_i is that row's threshold and
//! m_i. Equal margins
//! give that margin, the order of subchannels changes no more than a rounding, more SINR anywhere is never less, and the result is
//! between the least and the largest margin. Curves are those of [`information`](super::information), 1/8 dB apart from -30 to
//! 42 dB (for EESM about beta) and as the SNR itself further down, and their inverses invert them exactly; where every subchannel
//! carries all that its symbols can, the least margin is taken, from which such means hardly differ.
//!
//! Betas that are not given: both are means f^-1(sum w f(SNR_i)). For SNRs close to their mean u a mean by f is
//! u + f''(u) / (2 f'(u)) times their variance; f''/f' is -1 / beta for EESM, so it agrees with MIESM to second order where
//! beta = -C'(u) / C''(u), here at the threshold, where errors are decided. A Gaussian input has beta = 1 + SNR.
//!
//! Left out: correlation between the symbols of a subchannel, one code word on several antennas.

use std::sync::OnceLock;

use super::information::{Curve, Input, Place, ratio};
use super::mcs::{CodedRow, McsConfig, input_of};
use crate::types::SubchannelGrant;
use crate::types::declare::{Section, Words};

/// How the subchannels of a block count together.
#[derive(Clone, Debug, PartialEq)]
pub enum Mapping {
    /// The mean of the margins in dB.
    MeanDb,
    /// Exponential effective SNR with a beta (a ratio of powers) for each row, in dB.
    Exponential {
        /// 10 log10 of each row's beta.
        betas_db: Vec<f64>,
    },
    /// Mean mutual information of the row's input.
    MutualInformation,
}

/// The curve of coded blocks.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(class = "CodedErrorCurve")]
pub struct CodedCurve {
    /// Which SNR stands for several, weighted by bits: "mean_db" = their mean in dB, "eesm" = by the mean of exp(-SNR /
    /// beta), "miesm" = by the mean of their mutual information.
    #[field(
        default = EffectiveMargin::Miesm,
        source = "airlink default: exact for long codes, and without parameters"
    )]
    pub effective: EffectiveMargin,
    /// With "eesm": a ratio for each scheme of the set, in its order; none: those that agree with "miesm" to second
    /// order at the threshold.
    #[field(above = 0, at_most = 1e6, default, source = "airlink default: computed, models/link.md")]
    pub betas: Vec<f64>,
}

/// Which margin stands for those of all the subchannels that a block lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum EffectiveMargin {
    /// The mean in dB.
    MeanDb,
    /// Exponential effective SNR mapping.
    Eesm,
    /// Mean mutual information.
    Miesm,
}

/// A block as if it lay on one subchannel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    /// Its bits.
    pub(super) bits: f64,
    /// The highest row that it spans.
    pub(super) row: usize,
    /// Its margin over that row's threshold, dB.
    pub(super) margin_db: f64,
}

impl Whole {
    /// By the mean of the margins in dB. Products and sums are in double precision: equal margins give that margin.
    #[inline]
    pub(super) fn mean(grants: &[SubchannelGrant], threshold_db: impl Fn(usize) -> f64) -> Self {
        if let [alone] = grants {
            let row = usize::from(alone.mcs);
            let margin_db = f64::from(alone.true_db) - threshold_db(row);
            return Self { bits: f64::from(alone.bits), row, margin_db };
        }
        assert!(!grants.is_empty(), "a block lies somewhere");
        let (mut bits, mut sum, mut row) = (0.0, 0.0, 0);
        for grant in grants {
            let own_row = usize::from(grant.mcs);
            let own_bits = f64::from(grant.bits);
            bits += own_bits;
            sum += own_bits * (f64::from(grant.true_db) - threshold_db(own_row));
            row = row.max(own_row);
        }
        Self { bits, row, margin_db: sum / bits }
    }
}

impl Mapping {
    /// The mapping of `rows`, which are schemes of `config`.
    pub fn of(curve: &CodedCurve, rows: &[CodedRow], config: &McsConfig) -> Self {
        match curve.effective {
            EffectiveMargin::MeanDb => Self::MeanDb,
            EffectiveMargin::Miesm => Self::MutualInformation,
            EffectiveMargin::Eesm if curve.betas.is_empty() => Self::exponential(rows, config, &[]),
            EffectiveMargin::Eesm => {
                let place = |row: &CodedRow| config.schemes().position(|mcs| mcs == row.mcs());
                let given = |row| curve.betas[place(row).expect("rows are schemes of the set")];
                Self::exponential(rows, config, &rows.iter().map(given).collect::<Vec<f64>>())
            }
        }
    }

    /// The exponential mapping of `rows` with a beta for each; none: agreement with mutual information to second order at
    /// each row's threshold.
    pub fn exponential(rows: &[CodedRow], config: &McsConfig, betas: &[f64]) -> Self {
        let betas: Vec<f64> = if betas.is_empty() {
            rows.iter().map(|row| second_order_beta(row, config)).collect()
        } else {
            betas.to_vec()
        };
        assert!(betas.iter().all(|beta| *beta > 0.0), "a beta is above 0");
        Self::Exponential { betas_db: betas.iter().map(|beta| 10.0 * libm::log10(*beta)).collect() }
    }

    pub(super) fn check(&self, rows: &[CodedRow]) {
        if let Self::Exponential { betas_db } = self {
            assert!(betas_db.len() == rows.len(), "a beta for each row");
        }
    }

    #[inline]
    pub(super) fn whole(&self, grants: &[SubchannelGrant], rows: &[CodedRow]) -> Whole {
        let of_margins = Whole::mean(grants, |row| rows[row].threshold_db());
        if grants.len() == 1 {
            return of_margins;
        }
        let row = &rows[of_margins.row];
        let reduced_db = row.threshold_db() - row.gap_db(of_margins.bits);
        let margin_db = match self {
            Self::MeanDb => return of_margins,
            Self::Exponential { betas_db } => {
                mean_by(exponential_curve(), reduced_db - betas_db[of_margins.row], grants, rows)
            }
            Self::MutualInformation => mean_by(row.information().shortfall(), reduced_db, grants, rows),
        };
        Whole { margin_db, ..of_margins }
    }
}

/// The margin whose place on `curve`, `from_db` further up, is the mean over the bits of those of the subchannels; the least where
/// nothing is short of the curve's end.
#[inline]
fn mean_by(curve: &Curve, from_db: f64, grants: &[SubchannelGrant], rows: &[CodedRow]) -> f64 {
    let (mut bits, mut sum) = (0.0, 0.0);
    let (mut lowest, mut highest) = (Place::LAST, Place::FIRST);
    for grant in grants {
        let snr_db = from_db + margin_of(grant, rows);
        let place = Place::of(snr_db);
        let own_bits = f64::from(grant.bits);
        bits += own_bits;
        sum += own_bits * curve.at(snr_db, place);
        (lowest, highest) = (lowest.min(place), highest.max(place));
    }
    let mean = sum / bits;
    if curve.is_weak(mean) {
        weak_mean_by(curve, from_db, grants, rows)
    } else if sum != 0.0 {
        curve.inverse_between(mean, lowest, highest) - from_db
    } else {
        grants.iter().map(|grant| margin_of(grant, rows)).fold(f64::INFINITY, f64::min)
    }
}

/// [`mean_by`] for a mean so small that only the differences of the curve from 0 keep its digits.
#[cold]
fn weak_mean_by(curve: &Curve, from_db: f64, grants: &[SubchannelGrant], rows: &[CodedRow]) -> f64 {
    let (mut bits, mut sum) = (0.0, 0.0);
    for grant in grants {
        bits += f64::from(grant.bits);
        sum += f64::from(grant.bits) * curve.rise(from_db + margin_of(grant, rows));
    }
    curve.db_of_rise(sum / bits) - from_db
}

fn margin_of(grant: &SubchannelGrant, rows: &[CodedRow]) -> f64 {
    f64::from(grant.true_db) - rows[usize::from(grant.mcs)].threshold_db()
}

/// -exp(-SNR), which rises.
fn exponential_curve() -> &'static Curve {
    static CURVE: OnceLock<Curve> = OnceLock::new();
    CURVE.get_or_init(|| Curve::shortfall(-1.0, |db| -libm::exp(-ratio(db))))
}

/// beta = -C' / C'' at the row's threshold less the gap, by differences of 1 % of the SNR.
fn second_order_beta(row: &CodedRow, config: &McsConfig) -> f64 {
    let snr = ratio(row.threshold_db() - row.gap_db(config.reference_bits));
    let input: Input = input_of(row.mcs(), config);
    let step = 0.01 * snr;
    let [below, here, above] = [snr - step, snr, snr + step].map(|snr| input.moments(snr).0);
    let (first, second) = ((above - below) / (2.0 * step), (above - 2.0 * here + below) / (step * step));
    -first / second
}
