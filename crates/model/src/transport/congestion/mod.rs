//! Congestion control: how much may be in flight, and how fast it leaves. When to retransmit is the sender's business.
//!
//! An algorithm hears what happened ([`CongestionControl`]) and answers with a window, in bytes, and perhaps a rate. Most
//! leave the window of a recovery to the sender: by inflation it is [`FastRecovery`]'s, by an estimate of "pipe" the
//! sender's, and both set cwnd from outside. An algorithm whose recovery is its own hears every ACK, and nobody else
//! moves its window.
//!
//! `registry.rs` has the table of algorithms; one from outside the crate is [`Controller::Boxed`].

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
pub use events::{AckEvent, Arrival, IdleEvent, LossEvent};
pub use fast_recovery::{FastRecovery, RecoveryStep};
pub use linux_cubic::LinuxCubic;
pub use registry::{Algorithm, Controller, Repair};
pub use reno::Reno;
pub use tahoe::Tahoe;
pub use vegas::Vegas;
pub use westwood::Westwood;

use std::fmt::Debug;

use crate::types::Bytes;

use super::Tcp;
pub use super::windows::Windows;

/// What a congestion control algorithm does with the events of a sender, and what it answers.
pub trait CongestionControl: BoxedClone + Debug + Send + Sync {
    /// What the sender must do for it. Asked once, when a connection is made.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The congestion window cwnd, in bytes, at least one segment.
    fn window(&self) -> f64;

    /// The slow start threshold ssthresh, in bytes; infinite if there is none.
    fn slow_start_threshold(&self) -> f64;

    /// Any ACK, before anything follows from it: told only to an algorithm that asks ([`Needs::every_ack`]).
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

/// What a sender does only for an algorithm that asks for it: the others don't pay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The round-trip times of [`AckEvent`]; without it they may be left out.
    pub round_trips: bool,
    /// Every ACK as an [`Arrival`].
    pub every_ack: bool,
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
