//! The TCP of a group of flows: one named field for every rule of the model's two ends.

use serde::Deserialize;

use super::congestion::{Cubic, Vegas, Westwood};
use super::{Count, Extended};

/// The transport.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// The set of defaults that the other fields were completed from: a label by now, every field is here.
    pub profile: String,
    /// The algorithm.
    pub congestion_control: CongestionControl,
    /// Payload of a full segment.
    pub mss_bytes: u64,
    /// Headers of a data packet.
    pub header_bytes: u64,
    /// Size of an ACK.
    pub ack_bytes: u64,
    /// SACK blocks make ACKs longer.
    pub count_option_bytes: bool,
    /// By so much beside the blocks.
    pub option_header_bytes: u64,
    /// A SYN goes first.
    pub handshake: bool,
    /// Which rule gives the initial window.
    pub initial_window: InitialWindow,
    /// Initial window of the rule that counts segments.
    pub initial_window_segments: u32,
    /// The initial window after a SYN was sent again.
    pub initial_window_after_lost_syn: LostSynWindow,
    /// Initial ssthresh.
    pub initial_ssthresh_segments: Extended,
    /// How ACKs make the window grow.
    pub growth: Growth,
    /// L of RFC 3465.
    pub byte_counting_limit_segments: u32,
    /// How slow start may end before a loss.
    pub slow_start_exit: SlowStartExit,
    /// What a loss makes smaller.
    pub reduction_of: ReductionOf,
    /// A loss leaves whole segments.
    pub reduction_in_whole_segments: bool,
    /// CUBIC's parameters.
    pub cubic: Cubic,
    /// Westwood+'s parameters.
    pub westwood: Westwood,
    /// Vegas' parameters.
    pub vegas: Vegas,
    /// A timeout in a recovery lowers ssthresh again.
    pub timeout_in_recovery_reduces: bool,
    /// A timeout during a recovery may raise ssthresh (RFC 5681 §3.1 eq. (4) taken literally).
    pub timeout_raises_threshold: bool,
    /// The window after idling.
    pub restart_after_idle: RestartAfterIdle,
    /// A window of which less is in flight.
    pub window_validation: WindowValidation,
    /// How segments are spaced.
    pub pacing: Pacing,
    /// Duplicates that start fast retransmit.
    pub duplicate_ack_threshold: u32,
    /// RFC 6582's guard against fast retransmit after a timeout.
    pub guard_after_timeout: bool,
    /// The same after a recovery, for Reno and Tahoe.
    pub guard_after_recovery: bool,
    /// The Less Careful variant of these guards.
    pub less_careful: bool,
    /// `NewReno` forgets what its recovery covered.
    pub forgets_recovery_point: bool,
    /// The guards spare the first loss of all.
    pub first_loss_unguarded: bool,
    /// A timeout does not end Tahoe's row of duplicate ACKs.
    pub timeout_keeps_duplicates: bool,
    /// RFC 6582 §3.2 step 3: only the first partial ACK restarts the timer.
    pub impatient: bool,
    /// A fast retransmit restarts the timer.
    pub restart_timer_on_retransmission: bool,
    /// The window at the end of a recovery by inflation.
    pub recovery_end: RecoveryEnd,
    /// The ACK that ends it makes the window grow.
    pub growth_at_recovery_end: bool,
    /// A partial ACK takes what it acknowledges from the window.
    pub partial_window_deflation: bool,
    /// Segments that an ACK may let out in it; 0 is any number.
    pub recovery_burst_segments: u32,
    /// Segments that an ACK may let out at all; 0 is any number.
    pub max_burst_segments: u32,
    /// RFC 3042.
    pub limited_transmit: bool,
    /// The same for what a timeout resends.
    pub limited_transmit_resends: bool,
    /// RFC 2018 at both ends, RFC 6675 at the sender.
    pub sack: bool,
    /// Blocks in an ACK at most.
    pub sack_blocks: u8,
    /// RFC 2883.
    pub dsack: bool,
    /// How "pipe" is known.
    pub sack_pipe: SackPipe,
    /// Whether an ACK below SND.UNA may report.
    pub sack_of_old_acks: bool,
    /// RFC 2018 §8.
    pub forget_sack_on_timeout: bool,
    /// RFC 6675 §4 rule 4.
    pub rescue_retransmission: bool,
    /// How the window comes down in a recovery.
    pub rate_reduction: RateReduction,
    /// RFC 8985 §6.
    pub rack: bool,
    /// RFC 8985 §7.
    pub tail_loss_probe: bool,
    /// TLP.max_ack_delay of RFC 8985 §7.2, ms.
    pub probe_ack_allowance_ms: f64,
    /// Added to the timers of RACK and its probe, ms.
    pub timer_slack_ms: f64,
    /// RFC 7323 at both ends.
    pub timestamps: bool,
    /// RFC 5682.
    pub forward_rto: bool,
    /// With SACK, one new block is enough for that.
    pub forward_rto_at_once: bool,
    /// RFC 3522.
    pub eifel_detection: bool,
    /// RFC 3708.
    pub dsack_detection: bool,
    /// What a spurious recovery gives back.
    pub spurious_response: SpuriousResponse,
    /// The retransmission timer.
    pub rto: Rto,
    /// Receiver's window.
    pub receiver_window_bytes: u64,
    /// RFC 7323 §2.
    pub window_scaling: bool,
    /// The window begins small and grows with the flow.
    pub receive_autotuning: bool,
    /// How the application reads.
    pub reader: Reader,
    /// Which end's window follows the price of the queue, if any.
    pub clamp: Clamp,
    /// Delayed ACK.
    pub delayed_ack: DelayedAck,
}

/// The algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CongestionControl {
    /// Slow start after every loss.
    Tahoe,
    /// RFC 5681.
    Reno,
    /// RFC 6582.
    NewReno,
    /// RFC 9438.
    Cubic,
    /// Westwood+.
    Westwood,
    /// Vegas.
    Vegas,
}

/// Which rule gives the initial window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitialWindow {
    /// `initial_window_segments`.
    Segments,
    /// RFC 3390.
    Rfc3390,
    /// RFC 6928.
    Rfc6928,
}

/// The initial window after a SYN was sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LostSynWindow {
    /// RFC 5681 §3.1.
    OneSegment,
    /// RFC 6928 §2, Linux.
    ForgivesFirst,
    /// ns-2: `initial_window_segments` in place of another rule.
    FallsBack,
}

/// How ACKs make the window grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// RFC 5681 eqs (2), (3).
    PerAck,
    /// RFC 3465.
    ByteCounting,
    /// Linux.
    WholeSegments,
}

/// How slow start may end before a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlowStartExit {
    /// Only by one, or at ssthresh.
    Loss,
    /// RFC 9406.
    HystartPlusPlus,
    /// Linux's CUBIC.
    Hystart,
}

/// What a loss makes smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReductionOf {
    /// FlightSize.
    Flight,
    /// min(cwnd, receiver's window).
    Window,
    /// cwnd.
    CongestionWindow,
}

/// The window at the end of a recovery by inflation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryEnd {
    /// Reno: ssthresh; NewReno: no burst.
    Flight,
    /// ssthresh.
    Threshold,
    /// ns-2.
    Deflated,
}

/// How "pipe" is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SackPipe {
    /// RFC 6675.
    Scoreboard,
    /// ns-2.
    Counted,
}

/// The window after idling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestartAfterIdle {
    /// As it was.
    Off,
    /// RFC 5681 §4.1.
    InitialWindow,
    /// Linux.
    Decay,
}

/// A window of which less is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowValidation {
    /// It grows all the same.
    Off,
    /// RFC 7661.
    Rfc7661,
    /// Linux.
    Linux,
}

/// How segments are spaced.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Pacing {
    /// Not at all.
    Off {},
    /// At gain x cwnd / SRTT.
    Window {
        /// In slow start.
        slow_start_gain: f64,
        /// After it.
        avoidance_gain: f64,
    },
}

/// How the window comes down in a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateReduction {
    /// At once.
    Off,
    /// RFC 9937.
    Proportional,
    /// Linux.
    Linux,
}

/// What a spurious recovery gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpuriousResponse {
    /// Nothing.
    Off,
    /// RFC 4015.
    Eifel,
    /// Linux.
    Undo,
}

/// RFC 6298's parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rto {
    /// Arithmetic of SRTT and RTTVAR.
    pub estimator: Estimator,
    /// Minimum, ms.
    pub min_ms: f64,
    /// The minimum is that of the variance term.
    pub min_bounds_variance: bool,
    /// Before any sample, ms.
    pub initial_ms: f64,
    /// Maximum, ms.
    pub max_ms: f64,
    /// Clock tick, ms; 0 is exact.
    pub tick_ms: f64,
    /// That clock's lead over the run's, ms.
    pub tick_offset_ms: f64,
    /// Multiple at which the timer expires, ms; 0 is exact.
    pub timer_tick_ms: f64,
    /// The timer expires on a tick of `tick_ms`.
    pub next_tick: bool,
    /// Factor of each back-off.
    pub backoff_factor: f64,
    /// Karn's rule.
    pub karn: bool,
    /// max(G, 4 RTTVAR).
    pub variance_floor: bool,
    /// A sample of every ACK.
    pub sample_every_ack: bool,
}

/// Arithmetic of SRTT and RTTVAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// RFC 6298 §2.
    Rfc6298,
    /// Linux.
    Linux,
    /// ns-2.
    Ns2,
}

/// Which end's window follows the price of the queue, if any.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Clamp {
    /// Neither.
    Off {},
    /// The receiver's.
    On(ClampWindow),
    /// The sender's.
    Sender(ClampWindow),
}

/// How it follows.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClampWindow {
    /// tau, bytes.
    pub additive_bytes: f64,
    /// alpha.
    pub rate_packets: usize,
    /// beta.
    pub delay_weight: f64,
    /// What an arrival adds at most, bytes.
    pub most_increase_bytes: u64,
    /// Where slow start does not go on, bytes.
    pub slow_start_threshold_bytes: Count,
}

/// How the application reads.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Reader {
    /// At once.
    Immediate {},
    /// At a rate, with a pause.
    Stalling {
        /// The rate, b/s.
        rate_bps: Extended,
        /// It stops so long after the first segment, s,
        stall_after_s: Extended,
        /// and goes on so much later, s.
        stall_for_s: f64,
    },
}

/// Delayed ACK.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayedAck {
    /// An ACK every so many segments; 1 is off.
    pub every: u32,
    /// Longest delay, ms.
    pub timer_ms: f64,
    /// What it adapts down to, ms; infinite is fixed.
    pub least_timer_ms: Extended,
    /// Segments acknowledged one by one at the start.
    pub quick_segments: u32,
    /// Segments out of order, or that fill a gap, are acknowledged at once.
    pub immediate_on_gap: bool,
    /// A segment that repeats the last one in order waits like a new one.
    pub repetition_waits: bool,
    /// A wait that is over when a segment arrives ends before it.
    pub timer_first: bool,
    /// Bytes of one moment that have one ACK.
    pub merge_bytes: u32,
}
