//! What the base station knows of a user's signal, the rate it chooses from that, and which frames are lost.
//!
//! Truth and knowledge are different types: the rate is chosen from a [`Report`], and only [`FrameErrors`] meets
//! the truth again. Over several subchannels they are a [`ReportRow`] and [`BlockErrors`].
//!
//! Left out: reports on a channel that loses them, several antennas.

pub mod block_errors;
pub mod capacity;
pub mod effective_snr;
pub mod error;
pub mod error_table;
mod exponential;
pub mod information;
pub mod mcs;
mod normal_tail;
pub mod outer_loop;
pub mod rate;
pub mod report;
pub mod report_row;

pub use block_errors::{BlockErrorModel, BlockErrors, LogisticCurve};
pub use capacity::{CapacityConfig, CapacityRule};
pub use effective_snr::{CodedCurve, EffectiveMargin, Mapping};
pub use error::{ErrorCurve, ErrorsConfig, FrameErrors};
pub use error_table::{ErrorTable, ErrorTableConfig, ErrorTableError, Interpolation};
pub use information::Input;
pub use mcs::{CodedRow, Mcs, McsConfig, McsSet, SymbolInput, worth_choosing};
pub use outer_loop::{Margin, MarginConfig, OuterLoop, OuterLoopConfig, Steps, StepsConfig};
pub use rate::{NamedTable, RateConfig, RateRule, RateTable, RateTableError, TableConfig};
pub use report::{EffectiveSnr, ReportConfig, ReportedSnr};
pub use report_row::ReportRow;

use crate::types::BLOCK_SLOTS;

/// The SINR that a user really has, in dB, in the slots of a block.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(64))]
pub struct TrueSnr {
    /// One value per slot.
    pub db: [f32; BLOCK_SLOTS],
}

/// The SINR that the base station reckons with, in dB, in the slots of a block; minus infinity while it knows
/// nothing of the user.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(64))]
pub struct Report {
    /// One value per slot.
    pub db: [f32; BLOCK_SLOTS],
}

impl Default for TrueSnr {
    /// No signal.
    fn default() -> Self {
        Self { db: [f32::NEG_INFINITY; BLOCK_SLOTS] }
    }
}

impl Default for Report {
    /// Nothing known.
    fn default() -> Self {
        Self { db: [f32::NEG_INFINITY; BLOCK_SLOTS] }
    }
}
