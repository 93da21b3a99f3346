//! CUBIC (RFC 9438): congestion avoidance follows a cubic function of the time since it began, with its plateau at the
//! window of the last loss; where Reno would have more, it follows an estimate of Reno.
//!
//! Windows are in segments within this file's equations, as in the RFC. A mark (ECN) is answered as a loss (its
//! section 4.6). With growth by whole segments `linux_cubic.rs` takes its place.

use super::reduction::Reduction;
use super::slow_start::SlowStart;
use super::{AckEvent, CongestionControl, IdleEvent, LossEvent, Needs, Windows, fractional};
use crate::transport::{CubicConfig, Growth, Tcp};
use crate::types::{Duration, Time};

/// The windows of RFC 9438.
#[derive(Clone, Debug)]
pub struct Cubic {
    config: CubicConfig,
    mss: f64,
    counts_bytes: bool,
    windows: Windows,
    slow_start: SlowStart,
    reduction: Reduction,
    state: State,
    /// §4.9: what the latest reduction changed.
    before_reduction: State,
}

/// What a spurious reduction takes back (§4.9).
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// W_max: the window at the last loss, or less by fast convergence; none before the first.
    w_max: Option<f64>,
    /// cwnd_prior: the window just before ssthresh was last set.
    cwnd_prior: Option<f64>,
    epoch: Option<Epoch>,
}

/// One stage of congestion avoidance (§4.1.2).
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// t_epoch, moved by as long as the window was not the limit.
    started: Time,
    last_ack: Time,
    /// K, seconds.
    k: f64,
    /// W_max of this stage.
    w_max: f64,
    w_est: f64,
    cwnd_prior: f64,
}

impl Cubic {
    /// At the initial window.
    pub fn new(config: &Tcp) -> Self {
        Self {
            config: config.cubic,
            mss: fractional(config.mss),
            counts_bytes: config.rules.growth != Growth::PerAck,
            windows: Windows::initial(config),
            slow_start: SlowStart::new(config),
            reduction: Reduction::new(config),
            state: State::default(),
            before_reduction: State::default(),
        }
    }

    /// §4.2: congestion avoidance begins. After a timeout (§4.8) and after a slow start that ended without a loss (§4.10)
    /// W_max is the window it begins with, and K is 0.
    fn begin_epoch(&mut self, now: Time) -> Epoch {
        let cwnd = self.windows.window / self.mss;
        let w_max = self.state.w_max.map_or(cwnd, |w_max| w_max.max(cwnd));
        let epoch = Epoch {
            started: now,
            last_ack: now,
            k: self.time_to_plateau(w_max, cwnd),
            w_max,
            w_est: cwnd,
            cwnd_prior: self.state.cwnd_prior.unwrap_or(cwnd),
        };
        // §4.7 compares with what this stage aimed at.
        self.state.w_max = Some(w_max);
        epoch
    }

    /// §4.2 Figure 2: K = cbrt((W_max - cwnd_epoch) / C).
    fn time_to_plateau(&self, w_max: f64, cwnd_epoch: f64) -> f64 {
        libm::cbrt((w_max - cwnd_epoch) / self.config.c)
    }

    /// §4.2 Figure 1: W_cubic(t) = C (t - K)^3 + W_max.
    fn w_cubic(&self, epoch: &Epoch, t: f64) -> f64 {
        let distance = t - epoch.k;
        self.config.c * distance * distance * distance + epoch.w_max
    }

    /// §4.2: the window wanted a round trip from now, not below cwnd and not above 3/2 of it.
    fn target(&self, epoch: &Epoch, t: f64, rtt: f64, cwnd: f64) -> f64 {
        self.w_cubic(epoch, t + rtt).max(cwnd).min(1.5 * cwnd)
    }

    /// §4.3: alpha_cubic = 3 (1 - beta) / (1 + beta), and 1 once the estimate has reached the window before the loss.
    fn alpha(&self, epoch: &Epoch) -> f64 {
        if epoch.w_est >= epoch.cwnd_prior { 1.0 } else { 3.0 * (1.0 - self.config.beta) / (1.0 + self.config.beta) }
    }

    /// §4.3 Figure 4: W_est += alpha_cubic * segments_acked / cwnd.
    fn estimate_reno(&self, epoch: &Epoch, segments_acked: f64, cwnd: f64) -> f64 {
        epoch.w_est + self.alpha(epoch) * segments_acked / cwnd
    }

    /// §4.4, §4.5: cwnd += (target - cwnd) / cwnd for each ACK, or for each segment where bytes are counted.
    fn increment(&self, target: f64, segments_acked: f64, cwnd: f64) -> f64 {
        let times = if self.counts_bytes { segments_acked } else { 1.0 };
        times * (target - cwnd) / cwnd
    }

    fn grow_in_congestion_avoidance(&mut self, ack: &AckEvent) {
        let mut epoch = self.state.epoch.take().unwrap_or_else(|| self.begin_epoch(ack.now));
        let cwnd = self.windows.window / self.mss;
        let segments_acked = fractional(ack.acked) / self.mss;
        let t = ack.now.since(epoch.started).as_secs();
        let rtt = ack.srtt.map_or(0.0, Duration::as_secs);
        epoch.w_est = self.estimate_reno(&epoch, segments_acked, cwnd);
        epoch.last_ack = ack.now;
        let next = if self.config.reno_friendly && self.w_cubic(&epoch, t) < epoch.w_est {
            // §4.3: cwnd = W_est. It looks at W_cubic(t), and cwnd may be on its way to W_cubic(t + RTT): no ACK shrinks it.
            epoch.w_est.max(cwnd)
        } else {
            cwnd + self.increment(self.target(&epoch, t, rtt, cwnd), segments_acked, cwnd)
        };
        self.windows.window = next * self.mss;
        self.state.epoch = Some(epoch);
    }

    /// §4.2, §5.8: time in which the window isn't the limit does not count.
    fn leave_out_time_since_last_ack(&mut self, now: Time) {
        if let Some(epoch) = &mut self.state.epoch {
            epoch.started = (epoch.started + now.since(epoch.last_ack)).min(now);
            epoch.last_ack = now;
        }
    }

    /// §4.6: ssthresh = beta_cubic times what is in flight, cwnd = ssthresh, at least two segments.
    fn decrease(&mut self, loss: &LossEvent) {
        self.state.cwnd_prior = Some(self.windows.window / self.mss);
        self.state.w_max = Some(self.converge());
        self.reduction.cut(&mut self.windows, loss, self.config.beta);
    }

    /// §4.7: W_max = cwnd, or with fast convergence cwnd (1 + beta_cubic) / 2 if the last W_max was not reached.
    fn converge(&self) -> f64 {
        let cwnd = self.windows.window / self.mss;
        let is_behind = self.state.w_max.is_some_and(|w_max| cwnd < w_max);
        if self.config.fast_convergence && is_behind { cwnd * (1.0 + self.config.beta) / 2.0 } else { cwnd }
    }
}

impl CongestionControl for Cubic {
    fn needs(&self) -> Needs {
        Needs { round_trips: true, ..Needs::default() }
    }

    fn window(&self) -> f64 {
        self.windows.window
    }

    fn slow_start_threshold(&self) -> f64 {
        self.windows.slow_start_threshold
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        self.slow_start.on_ack_before_growth(&mut self.windows, ack);
        if !ack.is_window_limited {
            self.leave_out_time_since_last_ack(ack.now);
        } else if self.windows.in_slow_start() {
            self.state.epoch = None;
            self.slow_start.grow(&mut self.windows, ack);
        } else {
            self.grow_in_congestion_avoidance(ack);
        }
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.before_reduction = self.state;
        self.decrease(loss);
        self.state.epoch = None;
        self.slow_start.on_loss();
    }

    /// §4.8: cwnd as Reno, ssthresh by beta_cubic; the next stage of congestion avoidance begins at its own plateau.
    fn on_timeout(&mut self, loss: &LossEvent) {
        if !self.reduction.holds(loss) {
            self.before_reduction = self.state;
            self.decrease(loss);
        }
        self.state.epoch = None;
        self.state.w_max = None;
        self.windows.window = self.mss;
        self.slow_start.on_timeout(loss);
    }

    fn on_idle(&mut self, idle: &IdleEvent) {
        self.leave_out_time_since_last_ack(idle.now);
        self.set_window(idle.windows.window);
        self.windows.slow_start_threshold = idle.windows.slow_start_threshold;
    }

    /// A window made smaller from outside ends the stage: its estimate of Reno's is of another window.
    fn set_window(&mut self, window: f64) {
        if window < self.windows.window {
            self.state.epoch = None;
        }
        self.windows.window = window.max(self.mss);
    }

    /// §4.9: W_max, K, t_epoch, W_est and cwnd_prior are again those of before.
    fn restore(&mut self, windows: Windows) {
        self.windows = windows.at_least(self.mss);
        self.state = self.before_reduction;
    }
}
