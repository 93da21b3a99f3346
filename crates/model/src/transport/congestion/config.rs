//! The parameters of the algorithms that have some: CUBIC, Westwood+ and Vegas. Which algorithm it is, and the rules that all
//! share, are in `../config.rs`.

use crate::types::Duration;

/// The parameters of CUBIC (RFC 9438).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicConfig {
    /// beta_cubic (§4.6: 0.7).
    pub beta: f64,
    /// C, segments per cubic second (§5: 0.4).
    pub c: f64,
    /// Fast convergence (§4.7).
    pub fast_convergence: bool,
    /// The Reno-friendly region (§4.3).
    pub reno_friendly: bool,
}

/// The parameters of Westwood+ ([Grieco04]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WestwoodConfig {
    /// alpha of its filter, at least 0 and below 1: what a sample leaves of the estimate ([Grieco04]: 0.9; Linux: 7/8).
    pub filter_memory: f64,
    /// Filters in a row, 1 or 2 ([Grieco04]: 1; Linux: 2).
    pub filter_stages: u8,
    /// The least time that a sample is taken over; a round trip in any case ([Grieco04]: nothing more; Linux: 50 ms).
    pub least_window: Duration,
    /// When a loss that showed before the timer expired sets the windows.
    pub sets: WestwoodSets,
    /// True: after a timeout RTTmin is measured anew (Linux). False: it is the least of the connection ([Grieco04]).
    pub forgets_least_rtt: bool,
}

/// When a loss sets the windows to BWE x RTTmin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WestwoodSets {
    /// When it is noticed ([Grieco04]).
    AtLoss,
    /// When its recovery is over; until then they are Reno's (Linux).
    AfterRecovery,
}

/// The parameters of Vegas ([Brakmo95]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VegasConfig {
    /// alpha: with fewer segments waiting in the network the window grows, at least 0 (Linux: 2; ns-2: 1).
    pub alpha_segments: f64,
    /// beta: with more it shrinks, at least alpha (Linux: 4; ns-2: 3).
    pub beta_segments: f64,
    /// gamma: with more slow start ends, at least 0 (Linux, ns-2: 1).
    pub gamma_segments: f64,
    /// In which rounds slow start opens the window.
    pub slow_start: VegasSlowStart,
    /// What the window is when gamma ends slow start.
    pub slow_start_end: VegasSlowStartEnd,
    /// What counts as waiting.
    pub difference: VegasDifference,
    /// Which round trip of a round is compared with the base.
    pub round_trip: VegasRoundTrip,
    /// Samples that a round needs to be compared; the ACK that ends one with fewer is Reno's (Linux: 3).
    pub least_samples: u32,
    /// True: after a pause BaseRTT is measured anew (Linux). False: it is the least of the connection ([Brakmo95]).
    pub forgets_base_rtt: bool,
}

/// In which rounds slow start opens the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VegasSlowStart {
    /// Every second one; in between it stands still and is compared ([Brakmo95]).
    EveryOtherRound,
    /// Each, as Reno does (Linux).
    EveryRound,
}

/// What the window is when gamma ends slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VegasSlowStartEnd {
    /// cwnd BaseRTT / RTT and a segment (Linux).
    AtActualRate,
    /// 7/8 of it (ns-2).
    EighthLess,
}

/// What counts as waiting in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VegasDifference {
    /// cwnd (RTT - BaseRTT) / RTT ([Brakmo95]).
    OverRtt,
    /// cwnd (RTT - BaseRTT) / BaseRTT (Linux).
    OverBaseRtt,
}

/// Which round trip of a round is compared with the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VegasRoundTrip {
    /// The least, which no delayed ACK made longer (Linux).
    Least,
    /// The mean (ns-2).
    Mean,
}

impl Default for CubicConfig {
    /// The values of RFC 9438.
    fn default() -> Self {
        Self { beta: 0.7, c: 0.4, fast_convergence: true, reno_friendly: true }
    }
}

impl Default for WestwoodConfig {
    /// The values of [Grieco04].
    fn default() -> Self {
        Self {
            filter_memory: 0.9,
            filter_stages: 1,
            least_window: Duration::ZERO,
            sets: WestwoodSets::AtLoss,
            forgets_least_rtt: false,
        }
    }
}

impl Default for VegasConfig {
    /// [Brakmo95] with the numbers of Linux, and Linux where that paper leaves it open.
    fn default() -> Self {
        Self {
            alpha_segments: 2.0,
            beta_segments: 4.0,
            gamma_segments: 1.0,
            slow_start: VegasSlowStart::EveryOtherRound,
            slow_start_end: VegasSlowStartEnd::AtActualRate,
            difference: VegasDifference::OverRtt,
            round_trip: VegasRoundTrip::Least,
            least_samples: 3,
            forgets_base_rtt: false,
        }
    }
}
