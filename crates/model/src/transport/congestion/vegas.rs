//! Vegas ([Brakmo95]): once a round trip it compares the rate it has with the one it expects, cwnd / BaseRTT, and keeps a few
//! segments waiting in the network: alpha to beta of them.
//!
//! What Linux (`tcp_vegas.c`) and ns-2 (`tcp-vegas.cc`) do otherwise has switches in
//! [`VegasConfig`]. As in Linux, what a loss began is Reno's until all that was sent before it is
//! acknowledged, and so is an ACK that ends a round with too few samples.
//!
//! Left out: the finer retransmission of [Brakmo95] (a clock for each segment that is looked at with the first
//! duplicate ACK, and with the first two ACKs after a repair) and what goes with it, a quarter in place of a half; ns-2's
//! growth by 1/cwnd an ACK, its rounding, and its new BaseRTT from a round of one packet; Linux's whole microseconds.

use super::config::{VegasDifference, VegasSlowStart, VegasSlowStartEnd};
use super::vegas_round::{Comparison, VegasRound};
use super::{AckEvent, Arrival, CongestionControl, IdleEvent, LossEvent, Needs, Reno, Windows, fractional};
use crate::transport::{Growth, Tcp, VegasConfig};
use crate::types::Duration;

/// Linux, ns-2: no comparison leaves a smaller window.
const LEAST_SEGMENTS: f64 = 2.0;
/// ns-2 (and the authors' own): what the window gives up when slow start ends.
const EIGHTH: f64 = 0.125;

/// Reno's windows, and what moves them once a round.
#[derive(Clone, Debug)]
pub struct Vegas {
    reno: Reno,
    mss: f64,
    has_whole_segments: bool,
    config: VegasConfig,
    round: VegasRound,
    /// Up to here Reno repairs what was lost.
    repaired_at: Option<u64>,
    /// Slow start every other round: this one is one in which the window grows.
    is_growing: bool,
}

impl Vegas {
    /// At the initial window.
    pub fn new(config: &Tcp) -> Self {
        Self {
            reno: Reno::new(config),
            mss: fractional(config.mss),
            has_whole_segments: config.rules.growth == Growth::WholeSegments,
            config: config.vegas,
            round: VegasRound::default(),
            repaired_at: None,
            is_growing: false,
        }
    }

    fn windows(&self) -> Windows {
        Windows { window: self.reno.window(), slow_start_threshold: self.reno.slow_start_threshold() }
    }

    /// Linux, `tcp_vegas_state`: rounds are counted anew once all that was sent before a loss is acknowledged.
    fn is_repairing(&mut self, ack: &AckEvent) -> bool {
        let Some(point) = self.repaired_at else { return false };
        if ack.number >= point {
            self.repaired_at = None;
            self.round.begin(ack.sent_end);
        }
        ack.number < point
    }

    /// Between the ends of rounds only slow start moves the window.
    fn go_on(&mut self, ack: &AckEvent) {
        let grows = self.is_growing || self.config.slow_start == VegasSlowStart::EveryRound;
        if grows && self.windows().in_slow_start() {
            self.reno.on_ack(ack);
        }
    }

    fn end_round(&mut self, ack: &AckEvent) {
        let comparison = self.round.comparison(&self.config);
        self.round.begin(ack.sent_end);
        match comparison {
            None => self.reno.on_ack(ack),
            Some(comparison) if self.windows().in_slow_start() => self.compare_in_slow_start(&comparison, ack),
            Some(comparison) => self.compare(&comparison, ack.is_window_limited),
        }
    }

    /// Diff of [Brakmo95], in segments: (cwnd / BaseRTT - cwnd / RTT) BaseRTT, what waits in the network. Linux
    /// has cwnd (RTT - BaseRTT) / BaseRTT. In whole segments it is rounded down.
    fn difference(&self, comparison: &Comparison) -> f64 {
        let Comparison { rtt, base_rtt } = *comparison;
        let over = match self.config.difference {
            VegasDifference::OverRtt => rtt,
            VegasDifference::OverBaseRtt => base_rtt,
        };
        let difference = self.reno.window() / self.mss * (rtt - base_rtt) / over;
        if self.has_whole_segments { libm::floor(difference) } else { difference }
    }

    /// [Brakmo95]: one segment more below alpha, one less above beta.
    fn compare(&mut self, comparison: &Comparison, is_window_limited: bool) {
        let difference = self.difference(comparison);
        let window = self.reno.window();
        if difference > self.config.beta_segments {
            self.set_smaller(window - self.mss);
        } else if difference < self.config.alpha_segments && is_window_limited {
            self.reno.set_window(window + self.mss);
        }
    }

    /// [Brakmo95]: above gamma slow start is over. The window is compared after a round in which it stood still.
    fn compare_in_slow_start(&mut self, comparison: &Comparison, ack: &AckEvent) {
        if self.config.slow_start == VegasSlowStart::EveryOtherRound && self.is_growing {
            self.is_growing = false;
            return;
        }
        if self.difference(comparison) > self.config.gamma_segments {
            self.is_growing = false;
            let smaller = self.window_after_slow_start(comparison);
            self.set_smaller(smaller);
        } else {
            self.is_growing = true;
            self.reno.on_ack(ack);
        }
    }

    /// Linux: what the actual rate fills without a queue, and a segment; ns-2: an eighth less.
    fn window_after_slow_start(&self, comparison: &Comparison) -> f64 {
        let window = self.reno.window();
        match self.config.slow_start_end {
            VegasSlowStartEnd::AtActualRate => {
                let filled = window / self.mss * comparison.base_rtt / comparison.rtt;
                let filled = if self.has_whole_segments { libm::floor(filled) } else { filled };
                window.min((filled + 1.0) * self.mss)
            }
            VegasSlowStartEnd::EighthLess => window * (1.0 - EIGHTH),
        }
    }

    /// The window gets smaller without a loss: ssthresh stays at most at it, so that no slow start follows. A window of two
    /// segments or less stays as it is.
    fn set_smaller(&mut self, window: f64) {
        let least = LEAST_SEGMENTS * self.mss;
        if self.reno.window() <= least {
            return;
        }
        let window = window.max(least);
        let slow_start_threshold = self.reno.slow_start_threshold().min(window);
        self.reno.set_windows(Windows { window, slow_start_threshold });
    }

    fn leave_to_reno(&mut self, loss: &LossEvent) {
        self.repaired_at = Some(loss.sent_end);
        self.round.abandon();
        self.is_growing = false;
    }
}

impl CongestionControl for Vegas {
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
        if let Some(rtt) = arrival.rtt {
            self.round.on_sample(rtt);
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckEvent) {
        if self.is_repairing(ack) {
            self.reno.on_ack(ack);
        } else if self.round.is_over(ack.number) {
            self.end_round(ack);
        } else {
            if !self.round.has_begun() {
                self.round.begin(ack.sent_end);
            }
            self.go_on(ack);
        }
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.reno.on_loss(loss);
        self.leave_to_reno(loss);
    }

    fn on_timeout(&mut self, loss: &LossEvent) {
        self.reno.on_timeout(loss);
        self.leave_to_reno(loss);
    }

    /// Linux, `tcp_vegas_cwnd_event`: after a pause even BaseRTT is measured anew.
    fn on_idle(&mut self, idle: &IdleEvent) {
        self.reno.on_idle(idle);
        if idle.idle > Duration::ZERO && self.config.forgets_base_rtt {
            self.round.forget();
        }
    }

    fn set_window(&mut self, window: f64) {
        self.reno.set_window(window);
    }

    /// It was no loss: rounds are counted anew from the next ACK on.
    fn restore(&mut self, windows: Windows) {
        self.reno.restore(windows);
        self.repaired_at = None;
        self.round.abandon();
    }
}
