//! TCP: ends of a connection, each a sender and a receiver, each rule with its RFC and a switch.
//!
//! Loss recovery by duplicate ACKs (RFC 5681, RFC 6582), SACK (RFC 6675) or time (RFC 8985); Tahoe, Reno, NewReno,
//! CUBIC, Westwood+ and Vegas; timers of RFC 6298, timestamps, closed windows, a handshake; a receiver that delays ACKs, reports by SACK and
//! has a finite buffer. The defaults are RFC 5681 Reno and nothing newer.
//!
//! An [`Endpoint`] is a whole end, with data and ACKs on the same segments; a [`Sender`] and a [`Receiver`] alone are enough for a
//! stream in one direction. None of them has a clock or a simulator: time is an argument of their four verbs, and packets go in and out as plain
//! values ([`Segment`]). Sequence numbers are 64-bit offsets into the stream, so they never wrap. Rules carry
//! the section of the RFC they come from; `docs/models/transport.md` and the pages it names hold the state machine, the
//! equations and every parameter, `docs/rules.toml` the switch and the script of each rule.
//!
//! [`Tcp`] is the one declaration of TCP: both ends of a connection are built from it. Every rule has a named switch of its own,
//! and a profile is only a set of values. Parts with several fields stand beside the code that uses them.
//!
//! Left out: Nagle's algorithm, urgent data, PAWS, checksums, and a limit to retransmissions.

mod ack_summary;
mod autotuning;
mod clamp;
pub mod congestion;
mod delayed_ack;
mod delivery_rate;
mod ecn;
mod endpoint;
mod idle;
mod largest_deviation;
mod pacing;
mod reader;
mod reassembly;
mod receiver;
mod recovery;
mod rtt;
mod sack_list;
mod scoreboard;
mod segment;
mod sender;
mod sent;
mod ticks;
mod timer;
mod whole_ticks;
mod window_validation;
mod windows;
mod words;

pub use clamp::{ClampConfig, ClampSide};
pub use congestion::{
    Algorithm, CubicConfig, VegasConfig, VegasDifference, VegasRoundTrip, VegasSlowStart, VegasSlowStartEnd,
    WestwoodConfig, WestwoodSets,
};
pub use delayed_ack::DelayedAck;
pub use ecn::EcnMode;
pub use endpoint::{Endpoint, State};
pub use pacing::{Pacing, WindowPacing};
pub use reader::{Reader, StallingReader};
pub use receiver::Receiver;
pub use rtt::{Estimator, RtoConfig, RtoEstimator};
pub use segment::{Acknowledgment, Blocks, Flags, Piece, Segment, Stamp};
pub use sender::{Limit, Sender, Statistics};
pub use words::{
    Growth, InitialWindow, LostSynWindow, Profile, RateReduction, RecoveryEnd, ReductionOf, RestartAfterIdle, SackPipe,
    SlowStartExit, SpuriousResponse, WindowValidation,
};

use crate::types::declare::Section;
use crate::types::{Bytes, Duration};

use clamp::ReceiverClamp;

/// A TCP connection from the server to the user; bytes are counted from 0.
///
/// Every rule has a switch. A `profile` sets the default of each field that is not given.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct Tcp {
    /// Where the fields that aren't given take their values from: classic, the defaults below; the others as under
    /// "Profiles of TCP". When it is changed by an override, fields that hold the value of the old profile take that of
    /// the new one; others stay.
    #[field(default = Profile::Classic, source = "airlink default: RFC 5681 and RFC 6298, nothing newer")]
    pub profile: Profile,
    /// The algorithm that sets the window.
    #[field(default = Algorithm::Reno, meaning = Algorithm::MEANINGS, source = "RFC 5681")]
    pub congestion_control: Algorithm,
    /// Payload of a full segment.
    #[field(
        name = "mss_bytes",
        unit = "bytes",
        at_least = 1,
        at_most = 65_495,
        default = Bytes::new(1460),
        source = "Ethernet less 40; [EvdoTcp]: 472 (inferred); [Klein04]: 536",
    )]
    pub mss: Bytes,
    /// TCP and IP header of every segment, options included: on the wire, in the queue and on air.
    #[field(
        name = "header_bytes",
        unit = "bytes",
        at_least = 0,
        at_most = 1000,
        default = Bytes::new(40),
        source = "TCP and IPv4: 20 + 20; with timestamps 12 more",
    )]
    pub header: Bytes,
    /// Size of an ACK without SACK blocks.
    #[field(
        name = "ack_bytes",
        unit = "bytes",
        at_least = 1,
        at_most = 65_535,
        default = Bytes::new(40),
        source = "TCP and IPv4; with timestamps 12 more",
    )]
    pub ack: Bytes,
    /// true: a SYN and its ACK come first, and give the first RTT; false: the connection is open when the
    /// flow starts.
    #[field(default = false, source = "airlink default (RFC 9293 section 3.5)")]
    pub handshake: bool,
    /// true: the end that has no more to send closes its direction by a FIN behind its last byte, and the other end answers with its own
    /// when it has got that; false: connections stay open.
    #[field(default = false, source = "airlink default (RFC 9293 section 3.6)")]
    pub close: bool,
    /// Congestion window at the start: segments, `initial_window_segments`; rfc3390, min(4 MSS, max(2 MSS, 4380
    /// bytes)); rfc6928, min(10 MSS, max(2 MSS, 14600 bytes)).
    #[field(default = InitialWindow::Rfc3390, source = "RFC 5681 section 3.1")]
    pub initial_window: InitialWindow,
    /// Congestion window at the start, in MSS; giving it alone sets `initial_window` to "segments".
    #[field(
        unit = "MSS",
        at_least = 1,
        at_most = 1e9,
        default = 10,
        source = "RFC 6928 section 2; profile K3 of [Klein04]: 1"
    )]
    pub initial_window_segments: u32,
    /// Slow-start threshold at the start, in MSS.
    #[field(
        unit = "MSS",
        at_least = 1,
        at_most = 1e9,
        infinite,
        default = f64::INFINITY,
        source = "RFC 5681 section 3.1: arbitrarily high; [EvdoTcp]: 20",
    )]
    pub initial_ssthresh_segments: f64,
    /// Parameters of CUBIC.
    #[field(default)]
    pub cubic: CubicConfig,
    /// Parameters of Westwood+.
    #[field(default)]
    pub westwood: WestwoodConfig,
    /// Parameters of Vegas.
    #[field(default)]
    pub vegas: VegasConfig,
    /// After more than an RTO without sending. initial_window: cwnd = min(initial window, cwnd), RFC 5681; decay: cwnd
    /// halves for each RTO, as in Linux.
    #[field(default = RestartAfterIdle::Off, source = "airlink default (RFC 5681 section 4.1: initial_window)")]
    pub restart_after_idle: RestartAfterIdle,
    /// How segments are spaced.
    #[field(default = Pacing::Off, source = "airlink default: not at all")]
    pub pacing: Pacing,
    /// Duplicate ACKs (with `sack`: segments reported above) that show a loss.
    #[field(at_least = 1, at_most = 1000, default = 3, source = "RFC 5681 section 3.2")]
    pub duplicate_ack_threshold: u32,
    /// The sender follows SACK blocks and repairs by RFC 6675; the receiver sends at most `sack_blocks`.
    #[field(default = false, source = "airlink default (RFC 2018, RFC 6675)")]
    pub sack: bool,
    /// Segments and ACKs carry times, each ACK of new data gives a sample; their 12 bytes are
    /// part of `header_bytes` and `ack_bytes`.
    #[field(default = false, source = "airlink default (RFC 7323)")]
    pub timestamps: bool,
    /// Explicit congestion notification: off, packets cannot be marked; rfc3168, new data can be marked (ECT(0)), the
    /// receiver echoes marks until the sender has answered, which reduces its window once a round trip. Both ends have it.
    #[field(default = EcnMode::Off, source = "airlink default (RFC 3168)")]
    pub ecn: EcnMode,
    /// The retransmission timer.
    #[field(default)]
    pub rto: RtoConfig,
    /// The receiver's buffer, and so the most payload in flight that it allows; at least one MSS and at most 1e6.
    #[field(
        name = "receiver_window_bytes",
        unit = "bytes",
        at_least = 1,
        at_most = 1_073_741_824,
        default = Bytes::new(65_535),
        source = "largest window of RFC 9293 without scaling; [Klein04]: 64 kB",
    )]
    pub receiver_window: Bytes,
    /// true: windows above 65535 bytes are advertised in the smallest sufficient unit of 2^shift bytes, rounded down;
    /// false: never more than 65535.
    #[field(default = true, source = "RFC 7323 section 2")]
    pub window_scaling: bool,
    /// true: the window begins at 65160 bytes (with 1448 a segment) and grows with the flow up to
    /// `receiver_window_bytes`; each segment with which it grows renews quick ACKs (Linux: tcp_grow_window,
    /// tcp_rcvbuf_grow). false: it is `receiver_window_bytes` from the start.
    #[field(default = false, source = "airlink default")]
    pub receive_autotuning: bool,
    /// How the application reads what has arrived.
    #[field(default = Reader::Immediate, source = "airlink default: at once")]
    pub reader: Reader,
    /// A window that follows the price of the queue (CLAMP); without this table there is none.
    #[field(default = None, source = "airlink default: none")]
    pub clamp: Option<ClampConfig>,
    /// When the receiver sends ACKs.
    #[field(default)]
    pub delayed_ack: DelayedAck,
    /// Switches of single rules, each by itself.
    #[field(default)]
    pub rules: Rules,
}

/// The rules of TCP one by one: what a `profile` sets, and what a study turns.
///
/// Every field is a rule, or a number of one, that can be changed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct Rules {
    /// An ACK with n SACK blocks is `option_header_bytes` + 8 n bytes longer.
    #[field(default = false, source = "airlink default (RFC 2018 section 3)")]
    pub count_option_bytes: bool,
    /// What a SACK option adds beside its blocks: kind, length and two bytes of padding (ns-2: 0).
    #[field(
        unit = "bytes",
        at_least = 0,
        at_most = 8,
        default = 4,
        source = "RFC 2018 section 3; RFC 9293 section 3.1: padded to 4"
    )]
    pub option_header_bytes: u64,
    /// Congestion window at the start after a SYN was retransmitted. one_segment: 1 MSS; forgives_first: as without a
    /// loss after one, or when a timestamp shows that none was lost, else 1 MSS (RFC 6928 section 2, Linux);
    /// falls_back: in place of rfc3390 and rfc6928 `initial_window_segments` after one, else 1 MSS (ns-2).
    #[field(default = LostSynWindow::OneSegment, source = "RFC 5681 section 3.1")]
    pub initial_window_after_lost_syn: LostSynWindow,
    /// How ACKs make the window grow. per_ack: RFC 5681 eqs (2), (3), an ACK at a time;
    /// byte_counting: RFC 3465; whole_segments: Linux, by segments acknowledged, one at a time.
    #[field(default = Growth::PerAck, source = "RFC 5681 section 3.1")]
    pub growth: Growth,
    /// With byte_counting: in slow start an ACK counts at most so much (L); 1 after a timeout.
    #[field(unit = "MSS", at_least = 1, at_most = 1_000_000, default = 2, source = "RFC 3465 section 2.3: 1 or 2")]
    pub byte_counting_limit_segments: u32,
    /// How slow start may end before a loss. loss: only at ssthresh; hystart_plus_plus: RFC 9406; hystart: as in
    /// Linux's CUBIC.
    #[field(default = SlowStartExit::Loss, source = "RFC 5681 section 3.1")]
    pub slow_start_exit: SlowStartExit,
    /// What a loss reduces. flight: what is in flight; window: min(cwnd, receiver's window) in whole segments (ns-2);
    /// congestion_window: cwnd (Linux).
    #[field(default = ReductionOf::Flight, source = "RFC 5681 section 3.1 eq. (4)")]
    pub reduction_of: ReductionOf,
    /// A loss leaves whole segments, rounded down (ns-2 before 2006).
    #[field(default = false, source = "RFC 5681: no rounding")]
    pub reduction_in_whole_segments: bool,
    /// true: a timeout lowers ssthresh unless the timer had already resent that segment; false: nor in a recovery,
    /// which has lowered it already (Linux).
    #[field(default = true, source = "RFC 5681 section 3.1")]
    pub timeout_in_recovery_reduces: bool,
    /// false: a timeout in a recovery leaves ssthresh at most where the recovery set it; true: eq. (4) literally, which
    /// counts the data that duplicate ACKs let out and may raise it.
    #[field(default = false, source = "RFC 5681 section 3.1: no more than eq. (4)")]
    pub timeout_raises_threshold: bool,
    /// What happens to a window that is not fully used. off: it grows nevertheless; rfc7661: it grows only while half
    /// of it is used, and a loss cuts it to what was used; linux: it grows only while it is the limit.
    #[field(default = WindowValidation::Off, source = "airlink default (RFC 7661)")]
    pub window_validation: WindowValidation,
    /// After a timeout, duplicate ACKs of what was sent before it don't start fast retransmit (ns-2:
    /// "bugFix").
    #[field(default = true, source = "RFC 6582 section 3.2, steps 2 and 4; profile K3 of [Klein04]: false")]
    pub careful_fast_retransmit: bool,
    /// For Reno and Tahoe, too: once a recovery is over, duplicates of what was sent before it don't start another
    /// (ns-2: "bugFix").
    #[field(default = false, source = "RFC 6582 section 3.2, step 2: of NewReno only")]
    pub guard_after_recovery: bool,
    /// Duplicates of exactly what was sent before that timeout or recovery may start fast retransmit, too, which RFC
    /// 2582 section 5, before RFC 6582, calls Less Careful (ns-2: lessCareful_); not of Reno and Tahoe.
    #[field(default = false, source = "RFC 6582 section 3.2 step 2: only those beyond it")]
    pub less_careful: bool,
    /// Duplicates of what NewReno's recovery covered may start another (ns-2).
    #[field(default = false, source = "RFC 6582: no")]
    pub forgets_recovery_point: bool,
    /// None of these guards holds while nothing is acknowledged but the SYN or, without `handshake`, one segment (ns-2:
    /// bugfix_ss_).
    #[field(default = false, source = "RFC 6582 section 3.2 knows no exception")]
    pub first_loss_unguarded: bool,
    /// A timeout does not reset Tahoe's count of duplicate ACKs, so that the third may arrive after it (ns-2).
    #[field(default = false, source = "RFC 5681: no; not used by the other algorithms")]
    pub timeout_keeps_duplicates: bool,
    /// true: only the first partial ACK of a recovery restarts the timer; false: each does.
    #[field(default = true, source = "RFC 6582 section 3.2 step 3")]
    pub impatient: bool,
    /// A fast retransmit restarts the timer (ns-2, Linux).
    #[field(default = false, source = "RFC 6298 section 5: only ACKs do")]
    pub restart_timer_on_retransmission: bool,
    /// Window at the end of a recovery without `sack`. flight: Reno ssthresh, NewReno min(ssthresh, flight + MSS);
    /// threshold: ssthresh; deflated: what the partial ACKs left (ns-2).
    #[field(
        default = RecoveryEnd::Flight,
        source = "RFC 5681 section 3.2 step 6; RFC 6582 section 3.2 step 3, option 1",
    )]
    pub recovery_end: RecoveryEnd,
    /// The ACK that ends such a recovery makes the window grow, too (ns-2).
    #[field(default = false, source = "RFC 5681: no")]
    pub growth_at_recovery_end: bool,
    /// What a partial ACK takes from the window. true: what it acknowledges, less a segment; false: all
    /// that duplicates have added (ns-2: partial_window_deflation_ 0).
    #[field(default = true, source = "RFC 6582 section 3.2 step 3")]
    pub partial_window_deflation: bool,
    /// Segments that one ACK may let out in such a recovery beside the repair; 0 = any number (ns-2,
    /// NewReno: 2).
    #[field(unit = "segments", at_least = 0, at_most = 1_000_000, default = 0, source = "RFC 6582: no limit")]
    pub recovery_burst_segments: u32,
    /// Segments that one ACK, timeout or piece of new data may let out, fast retransmits apart; 0 = any
    /// number (ns-2: maxburst_).
    #[field(unit = "segments", at_least = 0, at_most = 1_000_000, default = 0, source = "RFC 5681: no limit")]
    pub max_burst_segments: u32,
    /// Each of the first duplicate ACKs lets a new segment be sent.
    #[field(default = false, source = "airlink default (RFC 3042)")]
    pub limited_transmit: bool,
    /// After a timeout, limited transmit sends the next segment to be retransmitted (ns-2); needs `limited_transmit`.
    #[field(default = false, source = "RFC 3042: new segments only")]
    pub limited_transmit_resends: bool,
    /// SACK blocks in an ACK at most; with `timestamps` at most 3, without `sack` none are sent.
    #[field(at_least = 1, at_most = 4, default = 3, source = "RFC 2018 section 3")]
    pub sack_blocks: u8,
    /// The receiver reports duplicates in the first block.
    #[field(default = false, source = "airlink default (RFC 2883)")]
    pub dsack: bool,
    /// What is in flight in a recovery with `sack`. scoreboard: by RFC 6675, from the marks of each segment; ns2_sack1: a
    /// counter, and all below the highest block is lost, as in ns-2 [Fall96].
    #[field(default = SackPipe::Scoreboard, source = "RFC 6675 section 4")]
    pub sack_pipe: SackPipe,
    /// The SACK blocks of an ACK that came late, below one that came before it, count; with sack_pipe =
    /// "ns2_sack1" in a recovery alone (ns-2).
    #[field(default = false, source = "airlink default (RFC 6675 section 5: those of any ACK count)")]
    pub sack_of_old_acks: bool,
    /// A timeout forgets what was reported.
    #[field(default = false, source = "RFC 6675 section 5.1: it may remember; RFC 2018: forgets")]
    pub forget_sack_on_timeout: bool,
    /// Once in a recovery the last segment is retransmitted when nothing else may be sent.
    #[field(default = false, source = "RFC 6675 section 4, rule 4")]
    pub sack_rescue: bool,
    /// How the window is reduced in a recovery. off: at once; proportional: RFC 9937; linux: as in Linux, which
    /// followed RFC 6937, obsoleted by RFC 9937.
    #[field(default = RateReduction::Off, source = "RFC 6675 section 5, step 4")]
    pub prr: RateReduction,
    /// The least window that an echoed mark leaves. 1: a window of two segments or less becomes one, and one that is one already sends
    /// new data after an RTO; 2: as after a loss (Linux).
    #[field(unit = "MSS", at_least = 1, at_most = 2, default = 1, source = "RFC 3168 section 6.1.2")]
    pub ecn_least_window_segments: u32,
    /// The receiver acknowledges the first mark and the answer to it (CWR) at once (Linux).
    #[field(default = false, source = "RFC 3168 section 6.1.3: with the next ACK")]
    pub ecn_acks_at_once: bool,
    /// Losses are detected by time of sending; needs `sack`.
    #[field(default = false, source = "airlink default (RFC 8985 section 6)")]
    pub rack: bool,
    /// A probe is sent when the last segments stay unacknowledged; needs `sack` and `rack`.
    #[field(default = false, source = "airlink default (RFC 8985 section 7)")]
    pub tail_loss_probe: bool,
    /// Delay that a probe allows for the ACK of a lone segment (TLP.max_ack_delay).
    #[field(
        name = "tlp_max_ack_delay_ms",
        unit = "ms",
        at_least = 0,
        at_most = 10_000,
        default = Duration::from_millis(200),
        source = "RFC 8985 section 7.2"
    )]
    pub tlp_max_ack_delay: Duration,
    /// Added to RACK's reordering timer and, with more than one segment out, to that of a probe (Linux: 2).
    #[field(name = "timer_slack_ms", unit = "ms", at_least = 0, at_most = 10_000, default = Duration::ZERO, source = "RFC 8985: none")]
    pub timer_slack: Duration,
    /// After a timeout, two ACKs show whether it was spurious.
    #[field(default = false, source = "airlink default (RFC 5682)")]
    pub frto: bool,
    /// As in Linux, with `frto`: one newly reported segment from before the timeout is enough, a repeated timeout is tested too, and
    /// a real one leaves the window to slow start.
    #[field(default = false, source = "RFC 5682 section 3.1")]
    pub frto_at_once: bool,
    /// An echoed time from before the retransmission shows that it was spurious; needs `timestamps`.
    #[field(default = false, source = "airlink default (RFC 3522)")]
    pub eifel_detection: bool,
    /// Duplicates reported for every retransmission of a recovery show it to be spurious; needs `sack` and `dsack`.
    #[field(default = false, source = "airlink default (RFC 3708)")]
    pub dsack_detection: bool,
    /// What a recovery shown to be spurious gives back. eifel: RFC 4015; undo: as Linux, cwnd and ssthresh from before.
    #[field(default = SpuriousResponse::Off, source = "airlink default")]
    pub spurious_response: SpuriousResponse,
    /// How long an end that closed first stays in TIME-WAIT: twice the longest life of a segment.
    #[field(
        name = "time_wait_ms",
        unit = "ms",
        at_least = 0,
        at_most = 3_600_000,
        default = Duration::from_millis(240_000),
        source = "RFC 9293 section 3.4.2: MSL is 2 minutes; Linux: 60000"
    )]
    pub time_wait: Duration,
    /// true: an end that has closed still receives; false: it answers new data by a reset, as an application that has
    /// gone does.
    #[field(default = true, source = "RFC 9293 section 3.6; false: RFC 1122 section 4.2.2.13")]
    pub half_close: bool,
    /// An RST within the window, but not at its left edge, and any SYN are answered by an ACK; false: they end the
    /// connection.
    #[field(
        default = true,
        source = "RFC 5961 sections 3.2 and 4.2; false: RFC 793 section 3.9 (RFC 9293: RFC 5961 or this)"
    )]
    pub challenge_acks: bool,
}

impl Tcp {
    /// The congestion window of a connection that begins, bytes.
    pub fn initial_window_bytes(&self) -> f64 {
        self.window_by(self.initial_window)
    }

    /// The congestion window that `rule` gives, bytes.
    fn window_by(&self, rule: InitialWindow) -> f64 {
        let mss = self.mss.count() as f64;
        match rule {
            InitialWindow::Segments => mss * f64::from(self.initial_window_segments),
            InitialWindow::Rfc3390 => (4.0 * mss).min((2.0 * mss).max(4380.0)),
            InitialWindow::Rfc6928 => (10.0 * mss).min((2.0 * mss).max(14_600.0)),
        }
    }

    /// The shift by which the window is advertised (RFC 7323 §2.3), 0 without `window_scaling`.
    pub fn window_shift(&self) -> u8 {
        if self.window_scaling { reader::window_shift(self.receiver_window) } else { 0 }
    }

    /// The largest window that the receiver advertises, rounded as the shift demands.
    pub fn largest_window(&self) -> Bytes {
        reader::offered(self.receiver_window, self.window_shift())
    }

    /// The window that the receiver advertises first.
    pub fn first_window(&self) -> Bytes {
        let largest = reader::first_window(self);
        self.receiver_clamp().map_or(largest, |_| {
            largest.min(Bytes::new(ReceiverClamp::first_window(self.mss, 1 << self.window_shift())))
        })
    }

    /// How the window advertised follows what queues add to marks, if it does.
    const fn receiver_clamp(&self) -> Option<ClampConfig> {
        match self.clamp {
            Some(config) if matches!(config.side, ClampSide::Receiver) => Some(config),
            _ => None,
        }
    }

    /// How a window of the sender's follows it, if one does.
    const fn sender_clamp(&self) -> Option<ClampConfig> {
        match self.clamp {
            Some(config) if matches!(config.side, ClampSide::Sender) => Some(config),
            _ => None,
        }
    }
}
