//! Congestion control: how much may be in flight. When to retransmit is the sender's business.
//!
//! An algorithm hears what happened and keeps two numbers, cwnd and ssthresh, in bytes. How cwnd moves during a
//! recovery is not its affair: by inflation it is [`FastRecovery`]'s, by an estimate of "pipe" the sender's, and both
//! set it from outside.

mod acked_bandwidth;
mod config;
mod cubic;
mod fast_recovery;
mod hystart;
mod hystart_plus_plus;
mod linux_cubic;
mod new_reno;
mod reduction;
mod reno;
mod slow_start;
mod tahoe;
mod vegas;
mod vegas_round;
mod westwood;

pub use config::{
    CubicConfig, VegasConfig, VegasDifference, VegasRoundTrip, VegasSlowStart, VegasSlowStartEnd, WestwoodConfig,
    WestwoodSets,
};
pub use cubic::Cubic;
pub use fast_recovery::{FastRecovery, RecoveryStep};
pub use linux_cubic::LinuxCubic;
pub use reno::Reno;
pub use tahoe::Tahoe;
pub use vegas::Vegas;
pub use westwood::Westwood;

use crate::types::declare::Words;
use crate::types::{Bytes, Duration, Time};

pub use super::windows::Windows;
use super::{Growth, Tcp};

/// What a congestion control algorithm does with the events of a sender.
pub trait CongestionControl {
    /// The congestion window cwnd, in bytes, at least one segment.
    fn window(&self) -> f64;

    /// The slow start threshold ssthresh, in bytes; may be infinite.
    fn slow_start_threshold(&self) -> f64;

    /// Any ACK, before anything follows from it: told only to an algorithm that listens
    /// ([`Algorithm::hears_every_ack`]).
    fn on_arrival(&mut self, _arrival: &Arrival) {}

    /// New data was acknowledged outside recovery.
    fn on_ack(&mut self, ack: &AckEvent);

    /// A loss was detected before the timer expired: ssthresh follows the algorithm's law, and cwnd becomes ssthresh (or
    /// less), which is where a recovery leads.
    fn on_loss(&mut self, loss: &LossEvent);

    /// The recovery that a loss began is over, and not because it was spurious.
    fn on_recovered(&mut self) {}

    /// The retransmission timer expired: ssthresh follows the law, cwnd becomes one segment.
    fn on_timeout(&mut self, loss: &LossEvent);

    /// The window went unused, and the sender's rule for that moves it.
    fn on_idle(&mut self, idle: &IdleEvent);

    /// Sets cwnd, during or at the end of a recovery; never less than a segment.
    fn set_window(&mut self, window: f64);

    /// The latest loss or timeout was none: the windows become these, and whatever else it changed is taken back.
    fn restore(&mut self, windows: Windows);
}

impl Windows {
    fn initial(config: &Tcp) -> Self {
        let window = config.initial_window_bytes();
        Self { window, slow_start_threshold: fractional(config.mss) * config.initial_ssthresh_segments }
    }

    fn at_least(self, mss: f64) -> Self {
        Self { window: self.window.max(mss), ..self }
    }
}

/// An ACK, of whatever kind and in whatever phase.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When it came.
    pub now: Time,
    /// Bytes that its number newly covers.
    pub acked: Bytes,
    /// A duplicate (RFC 5681 §2; with SACK, RFC 6675 §2): it shows that a segment has arrived.
    pub is_duplicate: bool,
    /// The round-trip time of the newest segment that its number newly covers, if none of them was sent twice.
    pub rtt: Option<Duration>,
}

impl Arrival {
    /// True if it shows that something has arrived.
    pub fn is_news(&self) -> bool {
        self.is_duplicate || !self.acked.is_zero()
    }
}

/// An ACK of new data.
#[derive(Clone, Copy, Debug)]
pub struct AckEvent {
    /// When it arrived.
    pub now: Time,
    /// Every byte below is acknowledged.
    pub number: u64,
    /// The end of what was ever sent (SND.NXT but after a timeout).
    pub sent_end: u64,
    /// Bytes it newly acknowledges.
    pub acked: Bytes,
    /// Whole segments that it newly acknowledges or, with SACK, newly reports as arrived.
    pub acked_segments: u32,
    /// Bytes still in flight after it.
    pub flight: Bytes,
    /// The exact round-trip time it shows, if it shows one: that of the oldest segment it covers,
    pub rtt: Option<Duration>,
    /// and that of the newest, without the time that an ACK was delayed.
    pub newest_rtt: Option<Duration>,
    /// The smoothed round-trip time, once there is one.
    pub srtt: Option<Duration>,
    /// False when a rule of window validation finds that cwnd was not the limit; true without such a rule.
    pub is_window_limited: bool,
}

/// A loss, as the sender noticed it.
#[derive(Clone, Copy, Debug)]
pub struct LossEvent {
    /// When it was noticed.
    pub now: Time,
    /// FlightSize (RFC 5681 §2) just before: what is sent and not cumulatively acknowledged. In the non-validated phase of
    /// RFC 7661 at least pipeACK.
    pub flight: Bytes,
    /// The window that the receiver offers.
    pub receiver_window: Bytes,
    /// The end of what was ever sent.
    pub sent_end: u64,
    /// True for a timeout when ssthresh was already cut for this window: the timer had expired for this very segment.
    pub is_repeated: bool,
    /// False for a timeout during a recovery that must leave ssthresh at most where it is.
    pub may_raise: bool,
    /// False in the non-validated phase of RFC 7661: whatever else is the rule, `flight` is what the loss cuts.
    pub is_validated: bool,
}

/// A window that went unused.
#[derive(Clone, Copy, Debug)]
pub struct IdleEvent {
    /// When sending goes on, or when the lack of it was noticed.
    pub now: Time,
    /// How long nothing was in flight; zero when something was.
    pub idle: Duration,
    /// What the windows become.
    pub windows: Windows,
}

/// The algorithms by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Algorithm {
    /// [Jacobson88]: slow start from one segment after every loss.
    Tahoe,
    /// RFC 5681: recovery ends with the first ACK of new data.
    Reno,
    /// RFC 6582: recovery lasts until everything sent before it is acknowledged.
    NewReno,
    /// RFC 9438; with growth by whole segments, as Linux computes it. Its recovery without SACK is NewReno's.
    Cubic,
    /// [Grieco04]: Westwood+. Its recovery without SACK is NewReno's.
    Westwood,
    /// [Brakmo95]. Its recovery without SACK is NewReno's.
    Vegas,
}

impl Algorithm {
    /// True if it hears of every ACK, and so of more than those of new data outside recoveries.
    pub const fn hears_every_ack(self) -> bool {
        matches!(self, Self::Westwood | Self::Vegas)
    }
}

/// Any of the algorithms, held in place so that a sender stays one plain value.
#[derive(Clone, Debug)]
pub enum Controller {
    /// [Jacobson88].
    Tahoe(Tahoe),
    /// RFC 5681, and RFC 6582 outside a recovery.
    Reno(Reno),
    /// RFC 9438.
    Cubic(Cubic),
    /// RFC 9438 as Linux computes it.
    LinuxCubic(LinuxCubic),
    /// [Grieco04].
    Westwood(Westwood),
    /// [Brakmo95].
    Vegas(Vegas),
}

impl Controller {
    /// The algorithm that `config` names, at its initial window.
    pub fn new(config: &Tcp) -> Self {
        match config.congestion_control {
            Algorithm::Tahoe => Self::Tahoe(Tahoe::new(config)),
            // NewReno is Reno outside a recovery; within one `FastRecovery` tells them apart.
            Algorithm::Reno | Algorithm::NewReno => Self::Reno(Reno::new(config)),
            Algorithm::Cubic if config.rules.growth == Growth::WholeSegments => {
                Self::LinuxCubic(LinuxCubic::new(config))
            }
            Algorithm::Cubic => Self::Cubic(Cubic::new(config)),
            Algorithm::Westwood => Self::Westwood(Westwood::new(config)),
            Algorithm::Vegas => Self::Vegas(Vegas::new(config)),
        }
    }
}

macro_rules! each_algorithm {
    ($self:ident, $control:ident => $answer:expr) => {
        match $self {
            Self::Tahoe($control) => $answer,
            Self::Reno($control) => $answer,
            Self::Cubic($control) => $answer,
            Self::LinuxCubic($control) => $answer,
            Self::Westwood($control) => $answer,
            Self::Vegas($control) => $answer,
        }
    };
}

impl CongestionControl for Controller {
    #[inline]
    fn window(&self) -> f64 {
        each_algorithm!(self, control => control.window())
    }

    fn slow_start_threshold(&self) -> f64 {
        each_algorithm!(self, control => control.slow_start_threshold())
    }

    fn on_arrival(&mut self, arrival: &Arrival) {
        each_algorithm!(self, control => control.on_arrival(arrival));
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckEvent) {
        each_algorithm!(self, control => control.on_ack(ack));
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        each_algorithm!(self, control => control.on_loss(loss));
    }

    fn on_recovered(&mut self) {
        each_algorithm!(self, control => control.on_recovered());
    }

    fn on_timeout(&mut self, loss: &LossEvent) {
        each_algorithm!(self, control => control.on_timeout(loss));
    }

    fn on_idle(&mut self, idle: &IdleEvent) {
        each_algorithm!(self, control => control.on_idle(idle));
    }

    fn set_window(&mut self, window: f64) {
        each_algorithm!(self, control => control.set_window(window));
    }

    fn restore(&mut self, windows: Windows) {
        each_algorithm!(self, control => control.restore(windows));
    }
}

/// Bytes as the windows count them; exact, because no window comes near 2^53 bytes.
fn fractional(bytes: Bytes) -> f64 {
    bytes.count() as f64
}
