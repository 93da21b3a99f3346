//! Congestion control: how much may be in flight. When to retransmit is the sender's business.
//!
//! An algorithm hears what happened and keeps a window. Windows are fractional bytes, so that congestion
//! avoidance needs no counter. Left out: pacing and rate samples, for which [`AckEvent`] has room.

mod new_reno;
mod reno;

pub use new_reno::NewReno;
pub use reno::Reno;

use crate::types::{Bytes, Duration, Time};

/// What a congestion control algorithm does with the events of a sender.
pub trait CongestionControl {
    /// The congestion window cwnd, in bytes, at least one segment.
    fn window(&self) -> f64;

    /// The slow start threshold ssthresh, in bytes; may be infinite.
    fn slow_start_threshold(&self) -> f64;

    /// New data was acknowledged outside recovery.
    fn on_ack(&mut self, ack: &AckEvent);

    /// Duplicate ACKs showed a loss; recovery begins.
    fn on_fast_retransmit(&mut self, loss: &LossEvent);

    /// One more duplicate ACK arrived during recovery: a segment has left the network.
    fn on_duplicate_ack(&mut self);

    /// New data was acknowledged during recovery; the answer says how recovery goes on.
    fn on_recovery_ack(&mut self, ack: &AckEvent) -> RecoveryStep;

    /// The retransmission timer expired.
    fn on_timeout(&mut self, loss: &LossEvent);
}

/// An acknowledgment of new data.
#[derive(Clone, Copy, Debug)]
pub struct AckEvent {
    /// When it arrived.
    pub now: Time,
    /// Bytes it newly acknowledges.
    pub acked: Bytes,
    /// Bytes still in flight after it.
    pub flight: Bytes,
    /// The exact round-trip time it shows, if it shows one.
    pub rtt: Option<Duration>,
    /// In recovery: true when everything sent before recovery began is acknowledged.
    pub is_full: bool,
}

/// A loss, as the sender noticed it.
#[derive(Clone, Copy, Debug)]
pub struct LossEvent {
    /// When it was noticed.
    pub now: Time,
    /// FlightSize (RFC 5681 §2) just before.
    pub flight: Bytes,
    /// True when the timer had already expired for this very segment.
    pub is_repeated: bool,
}

/// How recovery goes on after an ACK of new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryStep {
    /// It is over, and the next duplicate ACKs may start another (RFC 5681 §3.2).
    Leave,
    /// It is over, and another starts only beyond what had been sent when this one began (RFC 6582 §3.2 step 2).
    Complete,
    /// It goes on: the next hole is retransmitted at once (RFC 6582 §3.2 step 3).
    Retransmit,
}

/// The algorithms by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RFC 5681: recovery ends with the first ACK of new data.
    Reno,
    /// RFC 6582: recovery lasts until everything sent before it is acknowledged.
    NewReno,
}

/// Where a connection's windows start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitialWindow {
    /// Sender maximum segment size (SMSS), bytes.
    pub mss: f64,
    /// cwnd, bytes.
    pub window: f64,
    /// ssthresh, bytes; may be infinite.
    pub slow_start_threshold: f64,
    /// Duplicate ACKs that show a loss; each stands for a segment that left the network.
    pub duplicate_threshold: u32,
}

/// Any of the algorithms, held in place so that a sender stays one plain value.
#[derive(Clone, Debug)]
pub(super) enum Controller {
    Reno(Reno),
    NewReno(NewReno),
}

impl Controller {
    pub(super) fn new(algorithm: Algorithm, initial: InitialWindow) -> Self {
        match algorithm {
            Algorithm::Reno => Self::Reno(Reno::new(initial)),
            Algorithm::NewReno => Self::NewReno(NewReno::new(initial)),
        }
    }
}

macro_rules! each_algorithm {
    ($self:ident, $control:ident => $answer:expr) => {
        match $self {
            Self::Reno($control) => $answer,
            Self::NewReno($control) => $answer,
        }
    };
}

impl CongestionControl for Controller {
    fn window(&self) -> f64 {
        each_algorithm!(self, control => control.window())
    }

    fn slow_start_threshold(&self) -> f64 {
        each_algorithm!(self, control => control.slow_start_threshold())
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        each_algorithm!(self, control => control.on_ack(ack));
    }

    fn on_fast_retransmit(&mut self, loss: &LossEvent) {
        each_algorithm!(self, control => control.on_fast_retransmit(loss));
    }

    fn on_duplicate_ack(&mut self) {
        each_algorithm!(self, control => control.on_duplicate_ack());
    }

    fn on_recovery_ack(&mut self, ack: &AckEvent) -> RecoveryStep {
        each_algorithm!(self, control => control.on_recovery_ack(ack))
    }

    fn on_timeout(&mut self, loss: &LossEvent) {
        each_algorithm!(self, control => control.on_timeout(loss));
    }
}

/// Bytes as the windows count them; exact, because no window comes near 2^53 bytes.
fn fractional(bytes: Bytes) -> f64 {
    bytes.count() as f64
}
