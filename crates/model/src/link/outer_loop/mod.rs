//! Outer-loop link adaptation: what is added to a user's reports, in dB, for what became of what was sent at them.
//!
//! One kind goes by the first transmissions that are lost ([`steps`]), one by the packets that the link gives up
//! ([`margin`]). Either moves between slots: what a slot's reports permit is known once the slots before it have ended.

pub mod margin;
pub mod steps;

pub use margin::{Margin, MarginConfig};
pub use steps::{Steps, StepsConfig};

use crate::types::declare::Section;
use crate::types::{Blocks, Slot};

/// Outer-loop link adaptation (OLLA).
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub enum OuterLoopConfig {
    /// Reports are taken as they are, whatever is lost.
    #[section(class = "NoOuterLoop", about = "No outer loop")]
    None,
    /// An offset is added to a user's reports, and moves until first transmissions fail as often as wanted.
    ///
    /// Of the frames or code blocks that a user was sent for the first time in a slot, a share s was lost. When the base
    /// station hears of it, the offset moves by up (1 - s) - step_down s with up = step_down target / (1 - target).
    #[section(class = "OuterLoopSteps", about = "An offset to reports that moves in steps of fixed size")]
    Steps(StepsConfig),
    /// A user's reported SNR is multiplied by 1 - m; m moves until the link drops a share `target_per` of packets.
    ///
    /// After each slot that the user had, m moves by gain (drops - target_per (drops + deliveries)): packets of the user
    /// that the link gave up, and that it handed on, as the slot ended [Robbins51]. [Andrew08] has such a margin and gives
    /// no rule for it.
    #[section(class = "OuterLoopMargin", about = "A margin taken off reports, which moves with packets dropped")]
    Margin(MarginConfig),
}

/// The outer loop of one user.
#[derive(Clone, Debug)]
pub enum OuterLoop {
    /// So many first transmissions shall be lost.
    Steps(Steps),
    /// So many packets shall be dropped.
    Margin(Margin),
}

impl OuterLoop {
    /// The outer loop of a user that nothing has moved yet, if there is one.
    pub fn of(config: &OuterLoopConfig) -> Option<Self> {
        match *config {
            OuterLoopConfig::None => None,
            OuterLoopConfig::Steps(steps) => Some(Self::Steps(Steps::new(steps))),
            OuterLoopConfig::Margin(margin) => Some(Self::Margin(Margin::new(margin))),
        }
    }

    /// What the user was sent in `slot`, and what of it did not arrive; slots come in order, each at most once.
    pub fn on_sent(&mut self, slot: Slot, blocks: Blocks) {
        if let Self::Steps(steps) = self {
            steps.on_slot_end(slot, blocks.first(), blocks.first_lost);
        }
    }

    /// As the user's slot ended, `delivered` packets left for it, and `dropped` were given up by the link.
    pub fn on_packets(&mut self, delivered: u64, dropped: u64) {
        if let Self::Margin(margin) = self {
            margin.on_packets(delivered, dropped);
        }
    }

    /// Hears of what is due before `slot` is decided.
    pub fn advance_to(&mut self, slot: Slot) {
        if let Self::Steps(steps) = self {
            steps.advance_to(slot);
        }
    }

    /// What the base station adds to the user's reports now, in dB.
    pub const fn offset_db(&self) -> f64 {
        match self {
            Self::Steps(steps) => steps.offset_db(),
            Self::Margin(margin) => margin.offset_db(),
        }
    }

    /// Adds the offset to reports.
    pub fn correct(&self, reported_db: &mut [f32]) {
        // Reports are single precision.
        let offset_db = self.offset_db() as f32;
        for value in reported_db {
            *value += offset_db;
        }
    }
}
