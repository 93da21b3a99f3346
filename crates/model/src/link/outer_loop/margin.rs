//! A margin m between a report and what is made of it, as in [Andrew08]: a ratio (1 - m) to the reported SNR, which moves
//! until as many packets are dropped by the link as wanted. The paper leaves the rule open; this is stochastic
//! approximation with a constant gain [Robbins51].
//!
//! After each slot that the user had,
//!   m <- m + gain (drops - target (drops + deliveries)),
//! kept within its limits; drops are packets that the link gave up as the slot ended, deliveries those that it handed on.
//! It stays where it is on average when that share of the packets that leave is dropped: over N packets the share is the
//! target to within the way that m went, over gain N, as long as no limit is met.
//!
//! Left out: what fails and is sent again, which drops no packet; drops by the queue; an age of what is heard, for the base
//! station itself hands on and gives up.

use crate::types::declare::Section;

/// How a user's margin moves.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "OuterLoopMargin")]
pub struct MarginConfig {
    /// How far a dropped packet moves the margin.
    #[field(above = 0, at_most = 10, default = 0.05, source = "profile C1 of [Andrew08]")]
    pub gain: f64,
    /// Share of packets that the link may drop.
    #[field(above = 0, below = 1, default = 1e-3, source = "[Andrew08], given")]
    pub target_per: f64,
    /// The least margin; below 0 more is sent than is reported.
    #[field(at_least = -1e6, at_most = 0, default = -20.0, source = "profile C1 of [Andrew08]")]
    pub lowest: f64,
    /// The largest margin.
    #[field(at_least = 0, at_most = 0.999999, default = 0.95, source = "profile C1 of [Andrew08]")]
    pub highest: f64,
    /// The margin at the start.
    #[field(at_least = -1e6, at_most = 0.999999, default = 0.0, source = "profile C1 of [Andrew08]")]
    pub initial: f64,
}

/// The margin of one user.
#[derive(Clone, Debug)]
pub struct Margin {
    config: MarginConfig,
    margin: f64,
    offset_db: f64,
}

impl Margin {
    /// A margin that nothing has moved yet.
    pub fn new(config: MarginConfig) -> Self {
        let MarginConfig { gain, target_per, lowest, highest, initial } = config;
        assert!(gain > 0.0, "a gain that moves");
        assert!(target_per > 0.0 && target_per < 1.0, "a target between 0 and 1");
        assert!(highest < 1.0, "a margin leaves something of the report");
        assert!(lowest <= initial && initial <= highest, "a start within the limits");
        Self { config, margin: initial, offset_db: offset_db(initial) }
    }

    /// As the user's slot ended, `delivered` packets left for it, and `dropped` were given up.
    pub fn on_packets(&mut self, delivered: u64, dropped: u64) {
        if delivered + dropped == 0 {
            return;
        }
        let MarginConfig { gain, target_per, lowest, highest, .. } = self.config;
        // Far fewer than 2^53 in a slot.
        let (dropped, left) = (dropped as f64, (delivered + dropped) as f64);
        self.margin = (self.margin + gain * (dropped - target_per * left)).clamp(lowest, highest);
        self.offset_db = offset_db(self.margin);
    }

    /// 10 log10 (1 - m), in dB.
    pub const fn offset_db(&self) -> f64 {
        self.offset_db
    }
}

fn offset_db(margin: f64) -> f64 {
    10.0 * libm::log10(1.0 - margin)
}
