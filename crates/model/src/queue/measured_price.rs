//! What a price measures of its queue.

use crate::types::Duration;
use crate::types::declare::Section;

/// What both prices measure of their queue.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct MeasuredPriceConfig {
    /// b: how much a waiting byte counts; above pi / 2 windows swing.
    #[field(above = 0, at_most = 1000, default = 1.0, source = "[Andrew08]: 1")]
    pub gain_b: f64,
    /// Time constant of the mean.
    #[field(
        name = "averaging_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(500),
        source = "[Andrew08] section 4.1: weights exp(-2 I), so 500"
    )]
    pub averaging: Duration,
    /// How much time of service the measured rate of the queue remembers.
    #[field(
        name = "rate_memory_ms",
        unit = "ms",
        at_least = 1e-3,
        at_most = 1e6,
        default = Duration::from_millis(1000),
        source = "airlink default; [Andrew08] does not say"
    )]
    pub rate_memory: Duration,
}
