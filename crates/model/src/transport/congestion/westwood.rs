//! Westwood+ ([Mascolo01], [Grieco04]): Reno, but a loss leaves the window that the measured rate fills without a queue, BWE x
//! RTTmin, instead of half of it.
//!
//! [`AckedBandwidth`] measures the rate. Where Linux (`tcp_westwood.c`) differs, [`WestwoodConfig`] has a switch: two stages of
//! another filter, windows of at least 50 ms, half of the window until a recovery is over, a new RTTmin after a timeout.
//! Before the first sample BWE is 0, and a loss leaves two segments.
//!
//! Left out: the first Westwood's sample for every ACK [Mascolo01], which ACK compression inflates, and later variants
//! (agile probing, combined rate estimates).

use super::acked_bandwidth::AckedBandwidth;
use super::reduction::Reduction;
use super::{AckEvent, Arrival, CongestionControl, IdleEvent, LossEvent, Needs, Reno, Windows, fractional};
use crate::transport::{Tcp, WestwoodConfig, WestwoodSets};
use crate::types::Duration;

/// [Grieco04]: ssthresh is two segments at least.
const LEAST_SEGMENTS: f64 = 2.0;

/// Reno's windows; only the reduction at a loss differs.
#[derive(Clone, Debug)]
pub struct Westwood {
    reno: Reno,
    mss: f64,
    config: WestwoodConfig,
    reduction: Reduction,
    bandwidth: AckedBandwidth,
    /// RTTmin.
    least_rtt: Option<Duration>,
}

impl Westwood {
    /// The state at the initial window.
    pub fn new(config: &Tcp) -> Self {
        let mss = fractional(config.mss);
        Self {
            reno: Reno::new(config),
            mss,
            config: config.westwood,
            reduction: Reduction::new(config),
            bandwidth: AckedBandwidth::new(config.westwood, mss),
            least_rtt: None,
        }
    }

    /// max(2, BWE x RTTmin / MSS), in bytes.
    fn filled(&self) -> f64 {
        let least_rtt = self.least_rtt.map_or(0.0, Duration::as_secs);
        let bytes = self.bandwidth.bytes_per_second() * least_rtt;
        self.reduction.rounded(bytes).max(LEAST_SEGMENTS * self.mss)
    }

    /// ssthresh after `loss`, from `before`: at most the used part of a window that is not validated (RFC 7661
    /// §4.4.1), and at most `before` if this loss may not raise it.
    fn threshold(&self, loss: &LossEvent, before: f64) -> f64 {
        let used =
            if loss.is_validated { f64::INFINITY } else { fractional(loss.flight).max(LEAST_SEGMENTS * self.mss) };
        let most = if loss.may_raise { f64::INFINITY } else { before };
        self.filled().min(used).min(most)
    }
}

impl CongestionControl for Westwood {
    fn needs(&self) -> Needs {
        Needs { every_ack: true, ..Needs::default() }
    }

    fn window(&self) -> f64 {
        self.reno.window()
    }

    fn slow_start_threshold(&self) -> f64 {
        self.reno.slow_start_threshold()
    }

    fn on_arrival(&mut self, arrival: &Arrival) {
        self.bandwidth.on_arrival(arrival);
        if let Some(rtt) = arrival.rtt {
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckEvent) {
        self.reno.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        let threshold = self.threshold(loss, self.reno.slow_start_threshold());
        self.reno.on_loss(loss);
        if self.config.sets == WestwoodSets::AtLoss {
            self.reno.set_windows(Windows { window: threshold, slow_start_threshold: threshold });
        }
    }

    /// Linux, `tcp_westwood_event`: cwnd = ssthresh = BWE x RTTmin when the recovery is over; the estimate then includes
    /// all ACKs of the recovery.
    fn on_recovered(&mut self) {
        if self.config.sets == WestwoodSets::AfterRecovery {
            let filled = self.filled();
            self.reno.set_windows(Windows { window: filled, slow_start_threshold: filled });
        }
    }

    /// [Grieco04]: the same ssthresh, and cwnd = one segment.
    fn on_timeout(&mut self, loss: &LossEvent) {
        let threshold = self.threshold(loss, self.reno.slow_start_threshold());
        self.reno.on_timeout(loss);
        if !self.reduction.holds(loss) {
            self.reno.set_windows(Windows { window: self.mss, slow_start_threshold: threshold });
            if self.config.forgets_least_rtt {
                self.least_rtt = None;
            }
        }
    }

    fn on_idle(&mut self, idle: &IdleEvent) {
        self.reno.on_idle(idle);
    }

    fn set_window(&mut self, window: f64) {
        self.reno.set_window(window);
    }

    fn restore(&mut self, windows: Windows) {
        self.reno.restore(windows);
    }
}
