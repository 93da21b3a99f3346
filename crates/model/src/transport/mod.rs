//! TCP: a sender that recovers losses by Reno or NewReno rules, and a receiver that reassembles and acknowledges.
//!
//! Both know no clock and no simulator: time is an argument of their four verbs, and packets go in and out as
//! plain values ([`Segment`], [`Acknowledgment`]). Sequence numbers are 64-bit offsets into the stream, so they
//! never wrap. Rules carry the section of the RFC they come from; `docs/models/transport.md` holds the state
//! machine, the equations and every parameter.
//!
//! Left out: the SYN and FIN handshakes (a connection is open when its owner says so), data in both
//! directions, Nagle's algorithm, SACK, limited transmit, timestamps, the persist timer, restart after idle,
//! ECN, PAWS and checksums.

mod ack_summary;
mod config;
pub mod congestion;
mod delayed_ack;
mod delivery_rate;
mod idle;
mod largest_deviation;
mod pacing;
mod persist;
mod reader;
mod reassembly;
mod receiver;
mod recovery;
mod rtt;
mod sack_list;
mod scoreboard;
mod segment;
mod sender;
mod timer;
mod whole_ticks;
mod window_validation;

pub use config::{
    CubicConfig, DelayedAck, Growth, InitialWindowRule, Pacing, RateReduction, Reader, ReceiverConfig, RecoveryEnd,
    ReductionOf, RestartAfterIdle, SackPipe, SenderConfig, SlowStartExit, SpuriousResponse, WindowValidation,
};
pub use congestion::Algorithm;
pub use delivery_rate::RateSample;
pub use receiver::Receiver;
pub use rtt::{Estimator, RtoConfig, RtoEstimator};
pub use segment::{Acknowledgment, Segment};
pub use sender::{Sender, Statistics};
