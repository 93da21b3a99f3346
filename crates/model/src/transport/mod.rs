//! TCP: a sender and a receiver of one connection, every rule of them under its RFC and with a switch of its own.
//!
//! Loss recovery by duplicate ACKs (RFC 5681, RFC 6582), SACK (RFC 6675) or time (RFC 8985); Tahoe, Reno, NewReno,
//! CUBIC, Westwood+ and Vegas; timers of RFC 6298, timestamps, closed windows, a handshake; a receiver that delays ACKs, reports by SACK and
//! has a finite buffer. The defaults are RFC 5681 Reno and nothing newer.
//!
//! Both ends know no clock and no simulator: time is an argument of their four verbs, and packets go in and out as
//! plain values ([`Segment`], [`Ack`]). Sequence numbers are 64-bit offsets into the stream, so they
//! never wrap. Rules carry the section of the RFC they come from; `docs/models/transport.md` and the pages it names hold
//! the state machine, the equations and every parameter, `docs/rules.toml` the switch and the script of each rule.
//!
//! Left out: FIN and RST, data in both directions, Nagle's algorithm, ECN, PAWS, checksums, and a limit to
//! retransmissions.

mod ack_summary;
mod autotuning;
mod clamp;
mod config;
pub mod congestion;
mod delayed_ack;
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
mod timer;
mod whole_ticks;
mod window_validation;
mod windows;
mod words;

pub use clamp::{ClampConfig, ClampSide};
pub use config::{Rules, Tcp};
pub use congestion::{
    Algorithm, CubicConfig, VegasConfig, VegasDifference, VegasRoundTrip, VegasSlowStart, VegasSlowStartEnd,
    WestwoodConfig, WestwoodSets,
};
pub use delayed_ack::DelayedAck;
pub use pacing::{Pacing, WindowPacing};
pub use reader::{Reader, StallingReader};
pub use receiver::Receiver;
pub use rtt::{Estimator, RtoConfig, RtoEstimator};
pub use segment::{Ack, Segment};
pub use sender::{Limit, Sender, Statistics};
pub use words::{
    Growth, InitialWindow, LostSynWindow, Profile, RateReduction, RecoveryEnd, ReductionOf, RestartAfterIdle, SackPipe,
    SlowStartExit, SpuriousResponse, WindowValidation,
};
