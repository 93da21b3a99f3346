//! Congestion control: how much may be in flight, and how fast it leaves. When to retransmit is the sender's business.
//!
//! An algorithm hears what happened ([`CongestionControl`]) and answers with a window, in bytes, and perhaps a rate. Most
//! leave the window of a recovery to the sender: by inflation it is [`FastRecovery`]'s, by an estimate of "pipe" the
//! sender's, and both set cwnd from outside. An algorithm whose recovery is its own hears every ACK, and nobody else
//! moves its window.
//!
//! Below is the table of algorithms; one from outside the crate is [`Controller::Boxed`].

mod acked_bandwidth;
mod config;
mod cubic;
mod events;
mod fast_recovery;
mod hystart;
mod hystart_plus_plus;
mod linux_cubic;
mod new_reno;
mod reduction;
mod registry;
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
pub use events::{AckEvent, Arrival, IdleEvent, LossEvent, LostEvent, RateSample, SentEvent};
pub use fast_recovery::{FastRecovery, RecoveryStep};
pub use linux_cubic::LinuxCubic;
pub use reno::Reno;
pub use tahoe::Tahoe;
pub use vegas::Vegas;
pub use westwood::Westwood;

use std::fmt::Debug;

use crate::types::declare::Words;
use crate::types::{Bytes, Rate};

pub use super::windows::Windows;
use super::{Growth, Tcp};
use registry::algorithms;

// Variant, word and meaning in a scenario, how losses are repaired, type; perhaps the type that takes its place at times.
algorithms! {
    Tahoe: "tahoe", "after a loss, slow start from one segment", StartOver, Tahoe;
    Reno: "reno", "RFC 5681", UntilAnyAck, Reno;
    NewReno: "new_reno", "RFC 6582 (partial ACKs stay in fast recovery)", UntilAllAcked, Reno;
    Cubic: "cubic", "RFC 9438, with whole_segments as Linux computes it", UntilAllAcked, Cubic,
        LinuxCubic if |config: &Tcp| config.rules.growth == Growth::WholeSegments;
    Westwood: "westwood", "Westwood+ [Grieco04], NewReno with windows set to the measured rate after a loss",
        UntilAllAcked, Westwood;
    Vegas: "vegas", "[Brakmo95], which keeps a few segments waiting and otherwise is NewReno", UntilAllAcked, Vegas;
}

/// What a congestion control algorithm does with the events of a sender, and what it answers.
pub trait CongestionControl: BoxedClone + Debug + Send {
    /// What the sender must do for it. Asked once, when a connection is made.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The congestion window cwnd, in bytes, at least one segment.
    fn window(&self) -> f64;

    /// The slow start threshold ssthresh, in bytes; infinite if there is none.
    fn slow_start_threshold(&self) -> f64;

    /// The rate at which segments leave, in bits of payload per second; without one the sender's own rule holds (`pacing`).
    /// Asked before each segment, if [`Needs::pacing`] is.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// A segment leaves: told with [`Needs::rate_samples`].
    fn on_sent(&mut self, _sent: &SentEvent) {}

    /// Any ACK, before anything follows from it: told only to an algorithm that asks ([`Needs::every_ack`]).
    fn on_arrival(&mut self, _arrival: &Arrival) {}

    /// New data was acknowledged outside recovery; if recovery is its own, any ACK in any phase, after the losses that it shows.
    fn on_ack(&mut self, ack: &AckEvent);

    /// A transmission is given up for lost, by whatever rule: told with [`Needs::rate_samples`].
    fn on_lost(&mut self, _lost: &LostEvent) {}

    /// A loss was detected before the timer expired: ssthresh follows the algorithm's law, and cwnd becomes ssthresh (or
    /// less), which is where a recovery leads.
    fn on_loss(&mut self, loss: &LossEvent);

    /// An ACK reported congestion marks, and no mark or loss of this round trip was answered yet. Without a law of its own
    /// the algorithm reduces as for a loss (RFC 3168 §6.1.2).
    fn on_mark(&mut self, mark: &LossEvent) {
        self.on_loss(mark);
        self.set_window(self.slow_start_threshold());
    }

    /// The recovery that a loss began is over, and not because it was spurious.
    fn on_recovered(&mut self) {}

    /// The retransmission timer expired: ssthresh follows the law, cwnd becomes one segment.
    fn on_timeout(&mut self, loss: &LossEvent);

    /// The window went unused, and the sender's rule for that moves it.
    fn on_idle(&mut self, idle: &IdleEvent);

    /// Sets cwnd, during or at the end of a recovery that is the sender's, or when a lost SYN leaves a smaller first window;
    /// never less than a segment.
    fn set_window(&mut self, window: f64);

    /// The latest loss or timeout was none: the windows become these, at least a segment, and whatever else it changed is
    /// taken back.
    fn restore(&mut self, windows: Windows);
}

/// What a sender does only for an algorithm that asks for it: the others don't pay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The round-trip times of [`AckEvent`]; without it they may be left out.
    pub round_trips: bool,
    /// Every ACK as an [`Arrival`].
    pub every_ack: bool,
    /// Delivery rates ([`AckEvent::rate`]), and each segment that leaves or is lost.
    pub rate_samples: bool,
    /// Segments are spaced by [`CongestionControl::pacing_rate`].
    pub pacing: bool,
    /// Recovery is its own: the sender detects losses and sends again, and sends whatever it sends only while less than the
    /// window is in flight; it does not move the window.
    pub own_recovery: bool,
}

/// A copy behind a box: simulations are cloned with their senders. Whatever is `Clone` has it.
pub trait BoxedClone {
    /// The copy.
    fn boxed_clone(&self) -> Box<dyn CongestionControl>;
}

impl<T: CongestionControl + Clone + 'static> BoxedClone for T {
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn CongestionControl> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// How losses are repaired where duplicate ACKs inflate the window (`rules.prr = "off"`, no SACK).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// As after a timeout: slow start from the oldest segment.
    StartOver,
    /// RFC 5681 §3.2: a recovery lasts until the next ACK of new data.
    UntilAnyAck,
    /// RFC 6582 §3.2: a recovery lasts until all that was sent before it is acknowledged.
    UntilAllAcked,
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

/// Bytes as the windows count them; exact, because no window comes near 2^53 bytes.
fn fractional(bytes: Bytes) -> f64 {
    bytes.count() as f64
}
