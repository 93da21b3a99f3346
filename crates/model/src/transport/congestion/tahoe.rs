//! Tahoe ([Jacobson88], [Fall96]): Reno without fast recovery. Whatever shows a loss, slow start begins from one segment, and
//! the sender goes back to the oldest segment.

use super::{AckEvent, CongestionControl, IdleEvent, LossEvent, Needs, Reno, Windows};
use crate::transport::Tcp;

/// Reno's windows; what differs is where a loss leads.
#[derive(Clone, Debug)]
pub struct Tahoe(Reno);

impl Tahoe {
    /// At the initial window.
    pub fn new(config: &Tcp) -> Self {
        Self(Reno::new(config))
    }
}

impl CongestionControl for Tahoe {
    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn window(&self) -> f64 {
        self.0.window()
    }

    fn slow_start_threshold(&self) -> f64 {
        self.0.slow_start_threshold()
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckEvent) {
        self.0.on_ack(ack);
    }

    /// A loss shown by duplicate ACKs is answered like one shown by the timer: ssthresh halves, cwnd = one segment.
    fn on_loss(&mut self, loss: &LossEvent) {
        self.0.on_timeout(loss);
    }

    fn on_timeout(&mut self, loss: &LossEvent) {
        self.0.on_timeout(loss);
    }

    fn on_idle(&mut self, idle: &IdleEvent) {
        self.0.on_idle(idle);
    }

    fn set_window(&mut self, window: f64) {
        self.0.set_window(window);
    }

    fn restore(&mut self, windows: Windows) {
        self.0.restore(windows);
    }
}
