//! Gentle: Reno that grows by every other ACK.

use super::{AckEvent, CongestionControl, IdleEvent, LossEvent, Reno, Windows};
use crate::transport::Tcp;

/// Reno's windows, and whether the next ACK counts.
#[derive(Clone, Debug)]
pub struct Gentle(Reno, bool);

impl Gentle {
    /// At the initial window.
    pub fn new(config: &Tcp) -> Self {
        Self(Reno::new(config), true)
    }
}

impl CongestionControl for Gentle {
    fn window(&self) -> f64 {
        self.0.window()
    }

    fn slow_start_threshold(&self) -> f64 {
        self.0.slow_start_threshold()
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckEvent) {
        if self.1 {
            self.0.on_ack(ack);
        }
        self.1 = !self.1;
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.0.on_loss(loss);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Bytes, Time};

    #[test]
    fn every_other_ack_counts() {
        let mut gentle = Gentle::new(&Tcp::default());
        let ack = |number| AckEvent {
            now: Time::ZERO,
            number,
            sent_end: number,
            acked: Bytes::new(1460),
            acked_segments: 1,
            flight: Bytes::new(1460),
            rtt: None,
            newest_rtt: None,
            srtt: None,
            is_window_limited: true,
            rate: None,
        };
        let windows = [1460, 2920, 4380].map(|number| {
            gentle.on_ack(&ack(number));
            gentle.window()
        });
        assert_eq!(windows, [2920.0, 2920.0, 4380.0]);
    }
}
