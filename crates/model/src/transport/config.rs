//! What the two ends of a connection are built from: one named switch for every rule, so that each can be turned
//! off by itself and a profile is only a set of values.
//!
//! `docs/models/transport.md` tells what each rule does; `docs/rules.toml` lists them with their RFC sections and the
//! script that shows each. Scenario fields have the same names.

use crate::types::{Bytes, Duration};

use super::clamp::{ClampConfig, ReceiverClamp};
use super::congestion::{Algorithm, CubicConfig, VegasConfig, WestwoodConfig};
use super::rtt::RtoConfig;

/// What a sender is built from. The default is RFC 5681 with RFC 6298 and nothing newer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderConfig {
    /// Sender maximum segment size: bytes of the stream in a full segment, headers not counted; at least 1.
    pub mss: Bytes,
    /// Which algorithm keeps the congestion window.
    pub congestion_control: Algorithm,
    /// How acknowledgments make the window grow.
    pub growth: Growth,
    /// How slow start may end before a loss.
    pub slow_start_exit: SlowStartExit,
    /// What a loss makes smaller.
    pub reduction_of: ReductionOf,
    /// True: it leaves a whole number of segments, rounded down (ns-2, `precisionReduce_ false`, its default until January 2006).
    pub reduction_in_whole_segments: bool,
    /// The parameters of CUBIC.
    pub cubic: CubicConfig,
    /// The parameters of Westwood+.
    pub westwood: WestwoodConfig,
    /// The parameters of Vegas.
    pub vegas: VegasConfig,
    /// The window at the start.
    pub initial_window: InitialWindowRule,
    /// The window at the start when the SYN had to be sent again.
    pub initial_window_after_lost_syn: LostSynWindow,
    /// Initial ssthresh in segments, above 0; may be infinite (RFC 5681 §3.1: "arbitrarily high").
    pub initial_ssthresh_segments: f64,
    /// The receiver's window until its first ACK says otherwise; at least one segment.
    pub receiver_window: Bytes,
    /// What happens to the window when nothing was sent for long.
    pub restart_after_idle: RestartAfterIdle,
    /// What happens to the window when less than it was in flight.
    pub window_validation: WindowValidation,
    /// Duplicate ACKs in a row (with SACK: segments SACKed above) that show a loss, at least 1 (RFC 5681 §3.2: 3).
    pub duplicate_ack_threshold: u32,
    /// True: duplicate ACKs of data sent before a timeout do not start a fast retransmit (RFC 6582 §3.2 steps 2
    /// and 4, the careful variant; "bugFix" of ns-2). False: they may, again and again.
    pub guard_after_timeout: bool,
    /// True: nor do duplicate ACKs of data sent before a fast retransmit, once its recovery is over, start another
    /// (RFC 6582 §3.2 step 2). NewReno keeps to this anyway; for Reno and Tahoe it is "bugFix_" of ns-2.
    pub guard_after_recovery: bool,
    /// True: duplicate ACKs of exactly what these guards remember may start a fast retransmit (RFC 2582 §5, the variant called Less
    /// Careful; ns-2, `lessCareful_`). False: only those beyond it. Not of Reno and Tahoe, nor with SACK.
    pub less_careful: bool,
    /// True: what a recovery of NewReno covered is forgotten once it is over (ns-2, `bugFix_` false). False: it stays, so that its
    /// duplicates start no other (RFC 6582 §3.2 step 2).
    pub forgets_recovery_point: bool,
    /// True: no guard holds while nothing is acknowledged but the SYN or, without a handshake, one segment (ns-2, `bugfix_ss_`).
    pub first_loss_unguarded: bool,
    /// True: a timeout does not end Tahoe's row of duplicate ACKs, so that the third may come after it (ns-2,
    /// `TcpAgent::timeout`; its other senders count anew). False: it does.
    pub timeout_keeps_duplicates: bool,
    /// True: only the first partial ACK of a recovery restarts the timer (RFC 6582 §3.2 step 3, the variant called impatient). False: each does
    /// (slow but steady).
    pub impatient: bool,
    /// True: a fast retransmit restarts the timer (ns-2, `TcpAgent::reset_rtx_timer`; Linux). False: it leaves it alone.
    pub restart_timer_on_retransmission: bool,
    /// What the window is when a recovery by inflation ends.
    pub recovery_end: RecoveryEnd,
    /// True: the ACK that ends a recovery by inflation also makes the window grow (ns-2, `TcpAgent::recv_newack_helper`).
    pub growth_at_recovery_end: bool,
    /// True: a partial ACK takes from the window what it acknowledges, but a segment (RFC 6582 §3.2 step 3). False: it takes what
    /// duplicate ACKs have added (ns-2, `partial_window_deflation_ 0`).
    pub partial_window_deflation: bool,
    /// New segments that one ACK may let out during a recovery by inflation that goes on after partial ACKs; 0: any number
    /// (ns-2, `NewRenoTcpAgent::recv`: 2).
    pub recovery_burst_segments: u32,
    /// Segments that one ACK, one timeout or new data may let out; 0: any number (ns-2, `maxburst_`). Fast retransmits and what
    /// partial ACKs send again don't count.
    pub max_burst_segments: u32,
    /// True: the first duplicate ACKs each let a new segment out (RFC 3042).
    pub limited_transmit: bool,
    /// True: after a timeout that is also the next segment to be sent again (ns-2, `TcpAgent::send_one`). Needs
    /// `limited_transmit`.
    pub limited_transmit_resends: bool,
    /// True: the scoreboard follows SACK blocks, and recovery is that of RFC 6675 with its estimate "pipe".
    pub sack: bool,
    /// How "pipe" is known, and what counts as lost.
    pub sack_pipe: SackPipe,
    /// True: the SACK blocks of an ACK below SND.UNA count (RFC 6675 §5: those of any ACK); with a counted pipe in a recovery
    /// alone (ns-2, `Sack1TcpAgent::recv`).
    pub sack_of_old_acks: bool,
    /// True: a timeout forgets what was SACKed (RFC 2018 §8, SHOULD; RFC 6675 §5.1 allows to remember).
    pub forget_sack_on_timeout: bool,
    /// True: RFC 6675 §4 NextSeg rule 4, one rescue retransmission in a recovery.
    pub rescue_retransmission: bool,
    /// How the window comes down during a recovery that estimates "pipe".
    pub rate_reduction: RateReduction,
    /// True: losses are detected by time of sending (RFC 8985 §6).
    pub rack: bool,
    /// True: a probe is sent when a tail of segments goes unanswered (RFC 8985 §7). Needs `sack` and `rack`.
    pub tail_loss_probe: bool,
    /// The longest that a probe allows the receiver to delay the ACK of a lone segment (RFC 8985 §7.2: TLP.max_ack_delay).
    pub probe_ack_allowance: Duration,
    /// What is added to RACK's reordering timer and, with more than one segment out, to the probe's (Linux: 2 ms,
    /// TCP_TIMEOUT_MIN_US; RFC 8985: nothing).
    pub timer_slack: Duration,
    /// True: segments and ACKs carry times (RFC 7323 §3), and each ACK of new data is a sample (§4).
    pub timestamps: bool,
    /// True: after a timeout, two ACKs tell whether it was spurious (RFC 5682).
    pub forward_rto: bool,
    /// True: with SACK, one newly reported segment of before the timeout is enough for that (Linux).
    pub forward_rto_at_once: bool,
    /// True: a timestamp from before the retransmission shows a spurious one (RFC 3522). Needs `timestamps`.
    pub eifel_detection: bool,
    /// True: DSACKs that cover all retransmissions of a recovery show that it was spurious (RFC 2883, RFC 3708).
    pub dsack_detection: bool,
    /// What a spurious recovery or timeout, once shown, gives back.
    pub spurious_response: SpuriousResponse,
    /// True: a SYN and its answer open the connection and give the first sample (RFC 9293 §3.5). False: it is open at once.
    pub handshake: bool,
    /// True: a timeout lowers ssthresh unless the timer had already resent that segment (RFC 5681 §3.1). False: nor during
    /// a recovery, which has lowered it for this window (Linux).
    pub timeout_in_recovery_reduces: bool,
    /// False: a timeout during a recovery leaves ssthresh at most where that recovery set it; RFC 5681 §3.1 bounds it from
    /// above alone. True: the law is taken literally. FlightSize counts the new data that duplicate ACKs let out, so it may
    /// exceed what it was when the loss showed, and the timeout raises ssthresh. Of a timeout that does not lower ssthresh
    /// it changes nothing.
    pub timeout_raises_threshold: bool,
    /// How segments are spaced.
    pub pacing: Pacing,
    /// True: each ACK yields a sample of the delivery rate, for an algorithm that reads it. None does yet.
    pub delivery_rate: bool,
    /// How the window follows the price that ACKs echo, if it does.
    pub clamp: Option<ClampConfig>,
    /// What a packet has beside its part of the stream: prices are of whole packets.
    pub header: Bytes,
    /// The retransmission timeout.
    pub rto: RtoConfig,
}

/// How acknowledgments make the window grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// RFC 5681 §3.1 eqs (2), (3): by ACKs, in fractional bytes. For ns-2, "packet counting": whole segments make it so.
    PerAck,
    /// RFC 3465: by bytes acknowledged, in slow start at most so many segments an ACK (its L; one after a timeout).
    ByteCounting {
        /// L, at least 1.
        limit_segments: u32,
    },
    /// Linux: whole segments; slow start by segments acknowledged, then one segment per window of them counted.
    WholeSegments,
}

/// How slow start may end before a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStartExit {
    /// Only at ssthresh or by a loss.
    Loss,
    /// HyStart++ (RFC 9406): a rising RTT leads to conservative slow start, then to congestion avoidance.
    HyStartPlusPlus,
    /// HyStart as in Linux's CUBIC: a rising RTT or a long train of ACKs sets ssthresh.
    HyStart,
}

/// What a loss makes smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionOf {
    /// FlightSize (RFC 5681 §3.1 eq. (4)).
    Flight,
    /// The window in force, min(cwnd, receiver window), in whole segments (ns-2, "windowd").
    Window,
    /// cwnd (Linux).
    CongestionWindow,
}

/// What the window is when a recovery by inflation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryEnd {
    /// Reno: ssthresh (RFC 5681 §3.2 step 6). NewReno: min(ssthresh, max(FlightSize, SMSS) + SMSS), which sends no burst
    /// (RFC 6582 §3.2 step 3, option 1).
    Flight,
    /// ssthresh (RFC 6582 §3.2 step 3, option 2).
    Threshold,
    /// What is left when the inflation goes; partial ACKs that found too little of it have made the rest smaller (ns-2,
    /// `partial_window_deflation_` without `exit_recovery_fix_`).
    Deflated,
}

/// How a recovery with SACK knows "pipe", and what it repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SackPipe {
    /// RFC 6675 §4: from the marks of each segment; what has enough SACKed above it is lost.
    Scoreboard,
    /// [Fall96], ns-2 (`Sack1TcpAgent`): a counter, one less for each duplicate ACK, two for a partial one, one more for each
    /// segment sent; whatever lies below the highest block is lost, and repaired once.
    Counted,
}

/// The window at the start, and after idling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialWindowRule {
    /// So many segments, at least 1.
    Segments(u32),
    /// RFC 3390: min(4 MSS, max(2 MSS, 4380 bytes)).
    Rfc3390,
    /// RFC 6928: min(10 MSS, max(2 MSS, 14600 bytes)).
    Rfc6928,
}

/// The initial window of a connection whose SYN had to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostSynWindow {
    /// One segment (RFC 5681 §3.1).
    OneSegment,
    /// The usual one after one loss, and after any number that a timestamp shows to be none; else one segment (RFC 6928 §2; Linux).
    ForgivesFirst,
    /// In place of [`InitialWindowRule::Rfc3390`] and [`InitialWindowRule::Rfc6928`] so many segments after one loss; else one
    /// segment (ns-2, `TcpAgent::timeout`: `windowInit_`).
    FallsBack(u32),
}

/// What happens to the window when nothing was sent for longer than an RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestartAfterIdle {
    /// Nothing.
    Off,
    /// RFC 5681 §4.1: cwnd = min(initial window, cwnd).
    InitialWindow,
    /// RFC 2861, obsoleted by RFC 7661, as Linux does it: cwnd halves for every RTO idled, not below the initial window;
    /// ssthresh = max(ssthresh, 3/4 cwnd).
    Decay,
}

/// What happens to the window when less than it was in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowValidation {
    /// Nothing: it grows with every ACK.
    Off,
    /// RFC 7661: it grows only while at least half of it is used, and a loss cuts it to what was used.
    Rfc7661,
    /// Linux: it grows only while it is the limit (in slow start: while at least half of it is used).
    Linux,
}

/// How the window comes down during a recovery that estimates "pipe".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateReduction {
    /// At once (RFC 6675 §5 step 4).
    Off,
    /// Proportional rate reduction (RFC 9937).
    Proportional,
    /// Proportional rate reduction as Linux has it, which followed RFC 6937, obsoleted by RFC 9937.
    Linux,
}

/// What a spurious recovery or timeout, once shown, gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpuriousResponse {
    /// Nothing.
    Off,
    /// The Eifel response (RFC 4015): resume with new data, restore the window, adapt the RTO.
    Eifel,
    /// Linux: cwnd = max(cwnd, cwnd before) and ssthresh before.
    Undo,
}

/// How segments are spaced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pacing {
    /// Not at all.
    Off,
    /// At gain x cwnd / SRTT, one gain in slow start and another after it.
    Window {
        /// Gain in slow start, above 0 (Linux: 2).
        slow_start_gain: f64,
        /// Gain in congestion avoidance, above 0 (Linux: 1.2).
        avoidance_gain: f64,
    },
}

/// What a receiver is built from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverConfig {
    /// Sender maximum segment size as the receiver knows it; at least 1.
    pub mss: Bytes,
    /// When an ACK may wait.
    pub delayed_ack: DelayedAck,
    /// The buffer, and so the largest window advertised; at least one segment.
    pub window: Bytes,
    /// Window scaling (RFC 7323 §2): the window advertised is rounded down to a multiple of 2^shift and below 2^(16 +
    /// shift). At most 14.
    pub window_shift: u8,
    /// True: the window begins small and grows with the flow, up to `window` (Linux). False: it is `window` from the start.
    pub autotuning: bool,
    /// How the application reads.
    pub reader: Reader,
    /// SACK blocks in an ACK at most (RFC 2018 §3: 4, with timestamps 3); 0: no SACK.
    pub sack_blocks: u8,
    /// True: the first block reports a duplicate (RFC 2883).
    pub dsack: bool,
    /// True: ACKs echo the segment's time (RFC 7323 §4.3).
    pub timestamps: bool,
    /// How the window follows the price that packets carry, if it does.
    pub clamp: Option<ClampConfig>,
}

/// When an ACK of data in order may wait. Data out of order or filling a gap is acknowledged at once (RFC 5681 §4.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelayedAck {
    /// An ACK for every so many full segments in order, at least 1; 1: no delayed ACKs (RFC 5681 §4.2: at most 2).
    pub every: u32,
    /// A segment in order waits at most this long for its ACK (RFC 5681 §4.2: under 500 ms).
    pub timer: Duration,
    /// True: a segment that fills a part of a gap is acknowledged at once (RFC 5681 §4.2). False: it waits like new data (ns-2,
    /// `RFC2581_immediate_ack_` false). One out of order, or that fills all of a gap, never waits.
    pub immediate_on_gap: bool,
    /// True: a segment that repeats the last one in order waits like a new one (ns-2, `DelAckSink::recv`). False: it is
    /// acknowledged at once (RFC 9293 §3.10.7.4).
    pub repetition_waits: bool,
    /// True: a wait that is over at the nanosecond at which a segment arrives ends first, with an ACK of its own (ns-2,
    /// whose scheduler takes the older event). False: that segment's arrival ends it.
    pub timer_first: bool,
    /// Segments acknowledged each at the start of a connection (Linux: up to 16, quick ACKs); 0: none.
    pub quick_segments: u32,
    /// The least that the timer adapts down to when segments arrive faster (Linux: 40 ms, "ato"); `timer` itself: fixed.
    pub least_timer: Duration,
    /// Segments that follow one another and arrive in one moment have one ACK, up to so many bytes (Linux: generic receive
    /// offload hands them up as one); 0: each is acknowledged by itself.
    pub merge_bytes: u32,
}

/// How the application takes what has arrived in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reader {
    /// At once.
    Immediate,
    /// At a rate, and not at all between two moments.
    Stalling {
        /// Bytes per second it reads; may be infinite.
        bytes_per_second: f64,
        /// Since the connection's first segment: it stops here,
        stall_after: Duration,
        /// and goes on so much later.
        stall_for: Duration,
    },
}

impl Default for SenderConfig {
    /// RFC 5681 Reno with RFC 6298's timer, from one segment, and nothing newer.
    fn default() -> Self {
        Self {
            mss: Bytes::new(1460),
            congestion_control: Algorithm::Reno,
            growth: Growth::PerAck,
            slow_start_exit: SlowStartExit::Loss,
            reduction_of: ReductionOf::Flight,
            reduction_in_whole_segments: false,
            cubic: CubicConfig::default(),
            westwood: WestwoodConfig::default(),
            vegas: VegasConfig::default(),
            initial_window: InitialWindowRule::Segments(1),
            initial_window_after_lost_syn: LostSynWindow::OneSegment,
            initial_ssthresh_segments: f64::INFINITY,
            receiver_window: Bytes::new(65_535),
            restart_after_idle: RestartAfterIdle::Off,
            window_validation: WindowValidation::Off,
            duplicate_ack_threshold: 3,
            guard_after_timeout: true,
            guard_after_recovery: false,
            less_careful: false,
            forgets_recovery_point: false,
            first_loss_unguarded: false,
            timeout_keeps_duplicates: false,
            impatient: true,
            restart_timer_on_retransmission: false,
            recovery_end: RecoveryEnd::Flight,
            growth_at_recovery_end: false,
            partial_window_deflation: true,
            recovery_burst_segments: 0,
            max_burst_segments: 0,
            limited_transmit: false,
            limited_transmit_resends: false,
            sack: false,
            sack_pipe: SackPipe::Scoreboard,
            sack_of_old_acks: false,
            forget_sack_on_timeout: false,
            rescue_retransmission: false,
            rate_reduction: RateReduction::Off,
            rack: false,
            tail_loss_probe: false,
            probe_ack_allowance: Duration::from_millis(200),
            timer_slack: Duration::ZERO,
            timestamps: false,
            forward_rto: false,
            forward_rto_at_once: false,
            eifel_detection: false,
            dsack_detection: false,
            spurious_response: SpuriousResponse::Off,
            handshake: false,
            timeout_in_recovery_reduces: true,
            timeout_raises_threshold: false,
            pacing: Pacing::Off,
            delivery_rate: false,
            clamp: None,
            header: Bytes::ZERO,
            rto: RtoConfig::default(),
        }
    }
}

impl InitialWindowRule {
    /// The initial window of a connection whose segments carry `mss` bytes.
    pub(super) fn bytes(self, mss: Bytes) -> f64 {
        let mss = mss.count() as f64;
        match self {
            Self::Segments(segments) => mss * f64::from(segments),
            Self::Rfc3390 => (4.0 * mss).min((2.0 * mss).max(4380.0)),
            Self::Rfc6928 => (10.0 * mss).min((2.0 * mss).max(14_600.0)),
        }
    }
}

impl ReceiverConfig {
    /// The smallest shift with which `window` can be advertised (RFC 7323 §2.3), up to 14.
    pub fn window_shift_for(window: Bytes) -> u8 {
        super::reader::window_shift(window)
    }

    /// The largest window that it advertises, rounded as the shift demands.
    pub fn largest_window(&self) -> Bytes {
        super::reader::offered(self.window, self.window_shift)
    }

    /// The window that it advertises first.
    pub fn first_window(&self) -> Bytes {
        let largest = super::reader::first_window(self);
        self.clamp
            .map_or(largest, |_| largest.min(Bytes::new(ReceiverClamp::first_window(self.mss, 1 << self.window_shift))))
    }
}

impl Default for ReceiverConfig {
    /// An ACK for every segment, 65535 bytes of window, an application that reads at once, and no options.
    fn default() -> Self {
        Self {
            mss: Bytes::new(1460),
            delayed_ack: DelayedAck::default(),
            window: Bytes::new(65_535),
            window_shift: 0,
            autotuning: false,
            reader: Reader::Immediate,
            sack_blocks: 0,
            dsack: false,
            timestamps: false,
            clamp: None,
        }
    }
}

impl Default for DelayedAck {
    /// Not delayed.
    fn default() -> Self {
        let timer = Duration::from_millis(200);
        Self {
            every: 1,
            timer,
            immediate_on_gap: true,
            repetition_waits: false,
            timer_first: false,
            quick_segments: 0,
            least_timer: timer,
            merge_bytes: 0,
        }
    }
}
