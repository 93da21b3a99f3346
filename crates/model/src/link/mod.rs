//! What the base station knows of a user's signal, the rate it chooses from that, and which frames are lost.
//!
//! Truth and knowledge are different types: the rate is chosen from a [`Report`], and only [`FrameErrors`] meets
//! the truth again.
//!
//! Left out: HARQ combining gain, outer-loop adaptation, reports on a channel that loses them.

pub mod capacity;
pub mod error;
pub mod rate;
mod registers;
pub mod report;
pub mod report_row;

pub use capacity::CapacityRule;
pub use error::FrameErrors;
pub use rate::{NamedTable, RateRule, RateTable, RateTableError};
pub use report::{ReportConfig, ReportedSnr};
pub use report_row::{EffectiveSnr, Granularity, ReportRow};

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
