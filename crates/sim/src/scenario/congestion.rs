//! The parameters of the congestion control algorithms that have some.

use serde::Deserialize;

/// RFC 9438's parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cubic {
    /// beta_cubic.
    pub beta: f64,
    /// C, segments per cubic second.
    pub c: f64,
    /// §4.7.
    pub fast_convergence: bool,
    /// §4.3.
    pub reno_friendly: bool,
}

/// Westwood+'s parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Westwood {
    /// alpha: what a sample leaves of the estimate.
    pub filter_memory: f64,
    /// Filters in a row.
    pub filter_stages: u8,
    /// The least time that a sample is taken over, ms.
    pub least_window_ms: f64,
    /// When a loss sets the windows.
    pub sets: WestwoodSets,
    /// A timeout forgets RTTmin.
    pub forgets_least_rtt: bool,
}

/// When a loss sets the windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WestwoodSets {
    /// When it is noticed.
    AtLoss,
    /// When its recovery is over.
    AfterRecovery,
}

/// Vegas' parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vegas {
    /// alpha.
    pub alpha_segments: f64,
    /// beta.
    pub beta_segments: f64,
    /// gamma.
    pub gamma_segments: f64,
    /// In which rounds slow start opens the window.
    pub slow_start: VegasSlowStart,
    /// What the window is when gamma ends slow start.
    pub slow_start_end: VegasSlowStartEnd,
    /// What counts as waiting.
    pub difference: VegasDifference,
    /// Which round trip is compared with the base.
    pub round_trip: VegasRoundTrip,
    /// Samples that a round needs.
    pub least_samples: u32,
    /// A pause forgets BaseRTT.
    pub forgets_base_rtt: bool,
}

/// In which rounds slow start opens the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VegasSlowStart {
    /// Every second one.
    EveryOtherRound,
    /// Each.
    EveryRound,
}

/// What the window is when gamma ends slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VegasSlowStartEnd {
    /// Linux.
    AtActualRate,
    /// ns-2.
    EighthLess,
}

/// What counts as waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VegasDifference {
    /// The paper.
    OverRtt,
    /// Linux.
    OverBaseRtt,
}

/// Which round trip is compared with the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VegasRoundTrip {
    /// Linux.
    Least,
    /// ns-2.
    Mean,
}
