//! An offset in dB that moves in steps so that first transmissions fail as often as wanted (as in [Sampath97]).
//!
//! Of the first transmissions that a user got in a slot, a share s is lost. When the base station hears of them, d slots later,
//!   offset <- offset + up (1 - s) - down s,   up = down target / (1 - target),
//! kept within its limits. It stays where it is on average when s is the target on average: over n slots that were heard of,
//! the mean of s is the target to within the way that the offset went, over n (up + down), whatever the channel, the reports'
//! errors and the error model are, as long as no limit is met.
//!
//! Left out: steps that depend on how sure a report is, an offset for each row of the table, retransmissions.

use std::collections::VecDeque;

use crate::types::Slot;
use crate::types::declare::Section;

/// How a user's offset moves.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "OuterLoopSteps")]
pub struct StepsConfig {
    /// Share of first transmissions that may be lost.
    #[field(above = 0, below = 1, default = 0.1, source = "LTE: 10 % of transport blocks (TS 36.213 7.2.3)")]
    pub target_bler: f64,
    /// Decrease of the offset after a slot whose first transmissions are all lost.
    #[field(
        unit = "dB",
        above = 0,
        at_most = 50,
        default = 0.1,
        source = "airlink default: small beside the dB or two over which blocks begin to fail; rule: [Sampath97]"
    )]
    pub step_down_db: f64,
    /// The least offset.
    #[field(unit = "dB", at_least = -50, at_most = 0, default = -20.0, source = "airlink default")]
    pub lowest_db: f64,
    /// The largest offset.
    #[field(unit = "dB", at_least = 0, at_most = 50, default = 20.0, source = "airlink default")]
    pub highest_db: f64,
    /// The offset at the start.
    #[field(unit = "dB", at_least = -50, at_most = 50, default = 0.0, source = "airlink default: none")]
    pub initial_db: f64,
    /// Slots that pass before the base station knows the outcome of a slot (0: in the next slot).
    #[field(
        unit = "slots",
        at_least = 0,
        at_most = 100_000,
        default = 0,
        source = "airlink default, as link.arq; LTE FDD: 7, a round trip of 8 (TS 36.213 section 7)"
    )]
    pub feedback_delay_slots: u64,
}

impl StepsConfig {
    /// What a slot gains whose first transmissions all arrive, in dB.
    pub fn step_up_db(&self) -> f64 {
        self.step_down_db * self.target_bler / (1.0 - self.target_bler)
    }
}

/// The offset of one user.
#[derive(Clone, Debug)]
pub struct Steps {
    config: StepsConfig,
    offset_db: f64,
    /// Slots that the base station has not heard of yet, in their order.
    unheard: VecDeque<Outcome>,
}

#[derive(Clone, Copy, Debug)]
struct Outcome {
    slot: Slot,
    blocks: u32,
    lost: u32,
}

impl Steps {
    /// An offset that nothing has moved yet.
    pub fn new(config: StepsConfig) -> Self {
        assert!(config.target_bler > 0.0 && config.target_bler < 1.0, "a target between 0 and 1");
        assert!(config.step_down_db > 0.0, "a step that moves");
        assert!(
            config.lowest_db <= config.initial_db && config.initial_db <= config.highest_db,
            "a start within the limits"
        );
        Self { config, offset_db: config.initial_db, unheard: VecDeque::new() }
    }

    /// Of `blocks` that were sent to the user for the first time in `slot`, `lost` did not arrive. Slots come in order, each
    /// once; one without first transmissions may be left out.
    pub fn on_slot_end(&mut self, slot: Slot, blocks: u32, lost: u32) {
        assert!(lost <= blocks, "what is lost was sent");
        assert!(self.unheard.back().is_none_or(|last| last.slot < slot), "slots come in order");
        if blocks > 0 {
            self.unheard.push_back(Outcome { slot, blocks, lost });
        }
    }

    /// Hears of what is due before `slot` is decided.
    pub fn advance_to(&mut self, slot: Slot) {
        while let Some(outcome) = self.unheard.front()
            && outcome.slot.number() + self.config.feedback_delay_slots < slot.number()
        {
            let share = f64::from(outcome.lost) / f64::from(outcome.blocks);
            let step_db = self.config.step_up_db() * (1.0 - share) - self.config.step_down_db * share;
            self.offset_db = (self.offset_db + step_db).clamp(self.config.lowest_db, self.config.highest_db);
            self.unheard.pop_front();
        }
    }

    /// The offset now, in dB.
    pub const fn offset_db(&self) -> f64 {
        self.offset_db
    }
}
