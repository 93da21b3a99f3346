//! The parameters of the algorithms that have some: CUBIC, Westwood+ and Vegas. Which algorithm it is, and the rules that all
//! share, are in `../mod.rs`.

use crate::types::Duration;
use crate::types::declare::{Section, Words};

/// CUBIC (RFC 9438); not used by the other algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct CubicConfig {
    /// beta_cubic: the factor by which a loss reduces the window.
    #[field(above = 0, below = 1, default = 0.7, source = "RFC 9438 section 4.6")]
    pub beta: f64,
    /// C: how fast the window grows.
    #[field(unit = "segments/s^3", above = 0, at_most = 1000, default = 0.4, source = "RFC 9438 section 5")]
    pub c: f64,
    /// Fast convergence: a flow that loses below its last maximum reduces W_max further.
    #[field(default = true, source = "RFC 9438 section 4.7")]
    pub fast_convergence: bool,
    /// The window is at least what Reno would have.
    #[field(default = true, source = "RFC 9438 section 4.3")]
    pub reno_friendly: bool,
}

/// Westwood+ ([Grieco04]); not used by the other algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct WestwoodConfig {
    /// alpha: the weight of the old estimate when a sample of the rate arrives.
    #[field(at_least = 0, below = 1, default = 0.9, source = "[Grieco04]; Linux: 7/8")]
    pub filter_memory: f64,
    /// Number of such filters in series.
    #[field(at_least = 1, at_most = 2, default = 1, source = "[Grieco04]: one; Linux: 2")]
    pub filter_stages: u8,
    /// The least length of a sample; it is at least a round trip, too.
    #[field(name = "least_window_ms", unit = "ms", at_least = 0, at_most = 60_000, default = Duration::ZERO, source = "[Grieco04]: a round trip; Linux: 50")]
    pub least_window: Duration,
    /// When a loss makes the windows BWE x RTTmin. at_loss: when the loss is detected; after_recovery: when its recovery is
    /// over, during which windows are Reno's (Linux).
    #[field(default = WestwoodSets::AtLoss, source = "[Grieco04]")]
    pub sets: WestwoodSets,
    /// true: a timeout resets RTTmin (Linux); false: RTTmin is the minimum of the connection.
    #[field(default = false, source = "[Grieco04]")]
    pub forgets_least_rtt: bool,
}

/// When a loss sets the windows to BWE x RTTmin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum WestwoodSets {
    /// When the loss is detected ([Grieco04]).
    AtLoss,
    /// When its recovery is over; until then windows are Reno's (Linux).
    AfterRecovery,
}

/// Vegas ([Brakmo95]); not used by the other algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct VegasConfig {
    /// alpha: with fewer segments waiting in the network the window grows.
    #[field(unit = "MSS", at_least = 0, at_most = 1_000_000, default = 2.0, source = "Linux; ns-2: 1")]
    pub alpha_segments: f64,
    /// beta: with more it shrinks; at least alpha_segments.
    #[field(unit = "MSS", at_least = 0, at_most = 1_000_000, default = 4.0, source = "Linux; ns-2: 3")]
    pub beta_segments: f64,
    /// gamma: with more slow start ends.
    #[field(unit = "MSS", at_least = 0, at_most = 1_000_000, default = 1.0, source = "Linux, ns-2")]
    pub gamma_segments: f64,
    /// When slow start opens the window. every_other_round: in every second round trip, the others
    /// are compared; every_round: in each (Linux).
    #[field(default = VegasSlowStart::EveryOtherRound, source = "[Brakmo95], slow start")]
    pub slow_start: VegasSlowStart,
    /// The window when gamma ends slow start. at_actual_rate: cwnd BaseRTT / RTT and a segment; eighth_less: 7/8 of it
    /// (ns-2).
    #[field(default = VegasSlowStartEnd::AtActualRate, source = "Linux")]
    pub slow_start_end: VegasSlowStartEnd,
    /// How the segments waiting are computed. over_rtt: cwnd (RTT - BaseRTT) / RTT; over_base_rtt: cwnd (RTT - BaseRTT) / BaseRTT
    /// (Linux).
    #[field(default = VegasDifference::OverRtt, source = "[Brakmo95], congestion avoidance")]
    pub difference: VegasDifference,
    /// Which round trip of a round is compared with BaseRTT. least: the minimum, which delayed ACKs do not lengthen; mean:
    /// the mean of all (ns-2).
    #[field(default = VegasRoundTrip::Least, source = "Linux")]
    pub round_trip: VegasRoundTrip,
    /// Least round trips measured in a round for the comparison; with fewer, the round ends as in Reno.
    #[field(at_least = 1, at_most = 1_000_000, default = 3, source = "Linux")]
    pub least_samples: u32,
    /// true: an idle period resets BaseRTT (Linux); false: BaseRTT is the minimum of the connection.
    #[field(default = false, source = "[Brakmo95], congestion avoidance")]
    pub forgets_base_rtt: bool,
}

/// In which rounds slow start opens the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum VegasSlowStart {
    /// Every second round; in the others it is constant and compared ([Brakmo95]).
    EveryOtherRound,
    /// Each, as Reno does (Linux).
    EveryRound,
}

/// The window when gamma ends slow start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum VegasSlowStartEnd {
    /// cwnd BaseRTT / RTT and a segment (Linux).
    AtActualRate,
    /// 7/8 of it (ns-2).
    EighthLess,
}

/// How the segments waiting in the network are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum VegasDifference {
    /// cwnd (RTT - BaseRTT) / RTT ([Brakmo95]).
    OverRtt,
    /// cwnd (RTT - BaseRTT) / BaseRTT (Linux).
    OverBaseRtt,
}

/// Which round trip of a round is compared with the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum VegasRoundTrip {
    /// The minimum, which delayed ACKs do not lengthen (Linux).
    Least,
    /// The mean (ns-2).
    Mean,
}
