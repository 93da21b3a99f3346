//! Which coded blocks are lost, and what their receiver keeps of them for the next attempt.
//!
//! A block has b_i bits on subchannel i, at a true SINR of x_i dB, sent by row r_i of the table of rates, which has the
//! threshold t_r. Only the margin x_i - t_(r_i) of a subchannel counts: one number stands for them by a [`Mapping`], for
//! rows of different modulation as if all were sent by the highest row spanned. That margin m has a probability of loss:
//!   logistic  1 / (1 + exp(a (m + c))), at every length of the block;
//!   coded     that of the row at t_r + m ([`CodedRow`]);
//!   table     that of the row's scheme at t_r + m ([`ErrorTable`]);
//!   constant  p, and with the threshold rule 1 where m < 0.
//! Earlier transmissions of the block are added by [`Combining`]. The draw is a function of (seed, user, slot, ordinal of the
//! block among the user's in the slot), so who else is served never shifts it.
//!
//! Left out: errors that stay correlated between the blocks of a slot beyond what their SINRs share, receivers that keep a
//! finite number of soft bits, feedback that is itself lost.

use std::sync::Arc;

use super::effective_snr::{Mapping, Whole};
use super::error_table::ErrorTable;
use super::exponential::{logistic, ratio_of};
use super::mcs::CodedRow;
use crate::types::declare::Section;
use crate::types::{BlockFates, Combining, CounterStream, Purpose, Slot, SoftInformation, SubchannelGrant};

/// A logistic curve over the margin.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "LogisticErrorCurve")]
pub struct LogisticCurve {
    /// Slope.
    #[field(
        unit = "1/dB",
        above = 0,
        at_most = 100,
        default = 2.0,
        source = "airlink default: from 10 % to 1 % within 1.2 dB"
    )]
    pub slope_per_db: f64,
    /// Margin below the threshold at which half is lost.
    #[field(
        unit = "dB",
        at_least = -50,
        at_most = 50,
        default = 1.0986,
        source = "10 % at the threshold, a CQI's (TS 36.213 section 7.2.3): ln 9 / 2 dB; profile W1 of [Kakuda]: 1.472"
    )]
    pub offset_db: f64,
}

/// From margins to losses, shared by all users.
#[derive(Clone, Debug)]
pub struct BlockErrorModel {
    law: Law,
    combining: Combining,
}

#[derive(Clone, Debug)]
enum Law {
    Constant {
        probability: f64,
        thresholds_db: Option<Vec<f64>>,
    },
    /// No block with a margin, sent for the first time, is lost as often as `most`.
    Logistic {
        slope_per_db: f64,
        offset_db: f64,
        thresholds_db: Vec<f64>,
        most: f64,
    },
    Coded {
        rows: Vec<CodedRow>,
        mapping: Mapping,
    },
    Table {
        table: ErrorTable,
        /// The scheme of each row of the table of rates.
        schemes: Vec<usize>,
        thresholds_db: Vec<f64>,
    },
}

impl BlockErrorModel {
    /// Blocks are lost with `probability`, and, where there are `thresholds_db`, also those below theirs.
    pub fn constant(probability: f64, thresholds_db: Option<Vec<f64>>, combining: Combining) -> Self {
        assert!((0.0..=1.0).contains(&probability), "a probability is between 0 and 1");
        Self::new(Law::Constant { probability, thresholds_db }, combining)
    }

    /// Blocks are lost by `curve`.
    pub fn logistic(curve: LogisticCurve, thresholds_db: Vec<f64>, combining: Combining) -> Self {
        let LogisticCurve { slope_per_db, offset_db } = curve;
        assert!(slope_per_db > 0.0, "the more margin, the fewer losses");
        assert!(!thresholds_db.is_empty(), "a margin is over a threshold");
        let at_threshold = f64::from(logistic((slope_per_db * offset_db) as f32));
        // Above all that single precision may add.
        let most = at_threshold * 1.0001;
        Self::new(Law::Logistic { slope_per_db, offset_db, thresholds_db, most }, combining)
    }

    /// Blocks of the schemes `rows`; `mapping` says how their subchannels count together.
    pub fn coded(rows: Vec<CodedRow>, mapping: Mapping, combining: Combining) -> Self {
        assert!(!rows.is_empty(), "a block is sent by some row");
        mapping.check(&rows);
        Self { law: Law::Coded { rows, mapping }, combining }
    }

    /// Blocks are lost as often as `table` has it for the schemes of the rows, which have these thresholds.
    pub fn table(table: ErrorTable, schemes: Vec<usize>, thresholds_db: Vec<f64>, combining: Combining) -> Self {
        assert!(!schemes.is_empty() && schemes.len() == thresholds_db.len(), "a scheme and a threshold for each row");
        Self::new(Law::Table { table, schemes, thresholds_db }, combining)
    }

    fn new(law: Law, combining: Combining) -> Self {
        assert!(combining != Combining::IncrementalRedundancy, "only coded blocks have mutual information to add");
        Self { law, combining }
    }

    /// The probability that a block on `grants` is lost, given the soft information of earlier transmissions.
    pub fn loss_probability(&self, grants: &[SubchannelGrant], earlier: SoftInformation) -> f64 {
        self.probability_of(&self.whole(grants), earlier)
    }

    /// The margin in dB that stands for all of `grants`, over the threshold of the highest row among them.
    pub fn margin_db(&self, grants: &[SubchannelGrant]) -> f64 {
        self.whole(grants).margin_db
    }

    #[inline]
    fn whole(&self, grants: &[SubchannelGrant]) -> Whole {
        match &self.law {
            Law::Constant { thresholds_db: None, .. } => Whole { bits: 0.0, row: 0, margin_db: 0.0 },
            Law::Constant { thresholds_db: Some(thresholds_db), .. }
            | Law::Logistic { thresholds_db, .. }
            | Law::Table { thresholds_db, .. } => Whole::mean(grants, |row| thresholds_db[row]),
            Law::Coded { rows, mapping } => mapping.whole(grants, rows),
        }
    }

    /// What [`BlockErrors::transmit`] returns at this draw.
    #[inline(never)]
    fn decide(&self, draw: f64, grants: &[SubchannelGrant], earlier: SoftInformation) -> (SoftInformation, bool) {
        let whole = self.whole(grants);
        if draw < self.probability_of(&whole, earlier) {
            (self.soft_information(&whole, earlier), true)
        } else {
            (SoftInformation::NONE, false)
        }
    }

    fn probability_of(&self, whole: &Whole, earlier: SoftInformation) -> f64 {
        let Some(margin_db) = self.combined_margin_db(whole, earlier) else { return 0.0 };
        match &self.law {
            Law::Constant { probability, .. } => {
                if margin_db < 0.0 {
                    1.0
                } else {
                    *probability
                }
            }
            Law::Logistic { slope_per_db, offset_db, .. } => {
                // Single precision has more digits than any measured curve.
                f64::from(logistic((slope_per_db * (margin_db + offset_db)) as f32))
            }
            Law::Coded { rows, .. } => {
                let row = &rows[whole.row];
                row.bler(whole.bits, row.threshold_db() + margin_db)
            }
            Law::Table { table, schemes, thresholds_db } => {
                table.bler(schemes[whole.row], whole.bits, thresholds_db[whole.row] + margin_db)
            }
        }
    }

    /// Whether a block surely arrives at this draw, as nearly all do: where no subchannel is below its threshold, the mean is not
    /// either, and neither it nor the probability need be known.
    #[inline]
    fn surely_arrives(&self, draw: f64, grants: &[SubchannelGrant], earlier: SoftInformation) -> bool {
        let Law::Logistic { thresholds_db, most, .. } = &self.law else { return false };
        draw >= *most && earlier == SoftInformation::NONE && grants.iter().all(|grant| has_margin(grant, thresholds_db))
    }

    /// The margin of all that was received; `None` where it is more than a curve has.
    #[inline]
    fn combined_margin_db(&self, whole: &Whole, earlier: SoftInformation) -> Option<f64> {
        if earlier == SoftInformation::NONE || self.combining == Combining::None {
            return Some(whole.margin_db);
        }
        let soft = f64::from(self.soft_information(whole, earlier).0);
        match (&self.law, self.combining) {
            (Law::Coded { rows, .. }, Combining::IncrementalRedundancy) => {
                let row = &rows[whole.row];
                let db = row.information().db_of(soft * row.efficiency())?;
                Some(db + row.gap_db(whole.bits) - row.threshold_db())
            }
            _ => Some(10.0 * libm::log10(soft)),
        }
    }

    /// The receiver's soft information after another transmission.
    fn soft_information(&self, whole: &Whole, earlier: SoftInformation) -> SoftInformation {
        let gained = match (&self.law, self.combining) {
            (_, Combining::None) => return SoftInformation::NONE,
            (Law::Coded { rows, .. }, Combining::IncrementalRedundancy) => {
                let row = &rows[whole.row];
                let snr_db = row.threshold_db() - row.gap_db(whole.bits) + whole.margin_db;
                // Soft information has single precision.
                (row.information().at(snr_db).0 / row.efficiency()) as f32
            }
            _ => ratio_of(whole.margin_db as f32),
        };
        SoftInformation(earlier.0 + gained)
    }
}

/// The block errors of one user.
#[derive(Clone, Debug)]
pub struct BlockErrors {
    model: Arc<BlockErrorModel>,
    draws: CounterStream,
}

impl BlockErrors {
    /// The most blocks of a user in a slot.
    pub const MOST_BLOCKS: u32 = 1 << 16;

    /// Errors of user number `user` in the run of `seed`.
    pub fn new(model: Arc<BlockErrorModel>, seed: u64, user: u64) -> Self {
        Self { model, draws: CounterStream::new(seed, Purpose::BlockError, user) }
    }

    /// Sends block number `ordinal`, from 0, of the user's in `slot`: the soft information afterwards, and whether the block is
    /// lost. A block that arrives keeps none.
    ///
    /// Soft information counts in ratios of SINR to threshold (chase combining) or in shares of the block's information
    /// (incremental redundancy).
    #[inline]
    pub fn transmit(
        &self,
        slot: Slot,
        ordinal: u32,
        grants: &[SubchannelGrant],
        earlier: SoftInformation,
    ) -> (SoftInformation, bool) {
        let draw = self.draw(slot, ordinal);
        if self.model.surely_arrives(draw, grants, earlier) {
            (SoftInformation::NONE, false)
        } else {
            self.model.decide(draw, grants, earlier)
        }
    }

    #[inline]
    fn draw(&self, slot: Slot, ordinal: u32) -> f64 {
        assert!(ordinal < Self::MOST_BLOCKS, "fewer than 65536 blocks of a user in a slot");
        let number = slot.number().wrapping_mul(Self::MOST_BLOCKS.into()).wrapping_add(ordinal.into());
        self.draws.uniform(Slot::new(number))
    }

    /// The errors of `slot`.
    pub fn in_slot(&self, slot: Slot) -> SlotErrors<'_> {
        let (most, thresholds_db) = match &self.model.law {
            Law::Logistic { most, thresholds_db, .. } => (*most, &thresholds_db[..]),
            Law::Constant { .. } | Law::Coded { .. } | Law::Table { .. } => (f64::INFINITY, &[][..]),
        };
        SlotErrors { errors: self, slot, most, thresholds_db }
    }
}

/// The block errors of one user in one slot.
#[derive(Clone, Copy, Debug)]
pub struct SlotErrors<'a> {
    errors: &'a BlockErrors,
    slot: Slot,
    /// A new block with a margin is never lost at this draw or a higher one.
    most: f64,
    thresholds_db: &'a [f64],
}

impl BlockFates for SlotErrors<'_> {
    fn transmit(
        &mut self,
        grants: &[SubchannelGrant],
        earlier: SoftInformation,
        ordinal: u32,
    ) -> (SoftInformation, bool) {
        self.errors.transmit(self.slot, ordinal, grants, earlier)
    }

    #[inline]
    fn arrives_with_margin(&self, ordinal: u32) -> bool {
        self.errors.draw(self.slot, ordinal) >= self.most
    }

    /// Where every margin is at least 0, so is their mean.
    #[inline]
    fn has_margin(&self, grant: &SubchannelGrant) -> bool {
        has_margin(grant, self.thresholds_db)
    }
}

/// Whether the subchannel is at its scheme's threshold or above.
#[inline]
fn has_margin(grant: &SubchannelGrant, thresholds_db: &[f64]) -> bool {
    f64::from(grant.true_db) >= thresholds_db[usize::from(grant.mcs)]
}
