//! CUBIC as Linux computes it (`tcp_cubic.c`): the cubic function of RFC 9438 in whole segments and scaled integers, once a
//! jiffy at most, as a number of ACKed segments for one segment of growth.
//!
//! What differs from RFC 9438: the origin is the window of the last loss even where that is forgotten after a timeout,
//! time includes the least round-trip time instead of the smoothed one, Reno's estimate counts by a scaled factor
//! (15/8 for beta = 717/1024), growth is at most a segment for two ACKed, and an undone reduction gives back the windows
//! only. Left out: the kernel's own cube root, of which 0.2 % is missing now and then (here it is exact), and the 32-bit
//! limits of its integers.

use super::reduction::Reduction;
use super::reno::{SegmentCounter, segments};
use super::slow_start::SlowStart;
use super::{AckEvent, CongestionControl, IdleEvent, LossEvent, Needs, Windows, fractional};
use crate::transport::Tcp;
use crate::transport::ticks::TickCount;
use crate::types::{Duration, Time};

/// `BICTCP_BETA_SCALE`: beta and C are in 1/1024.
const SCALE: u64 = 1024;
/// `BICTCP_HZ`: time is in 2^-10 s, so its cube in 2^-30.
const TIME_SHIFT: u32 = 10;
/// `bictcp_update`: the function is scaled by 2^40: 2^30 of the time, 2^10 of C.
const CUBE_SHIFT: u32 = 10 + 3 * TIME_SHIFT;
/// The function is that of a round trip of 100 ms: C counts ten times.
const ROUND_TRIPS_PER_SECOND: u64 = 10;
/// A jiffy where the scenario gives none (HZ = 250).
const JIFFY: Duration = Duration::from_millis(4);

/// The windows of Linux's CUBIC.
#[derive(Clone, Debug)]
pub struct LinuxCubic {
    mss: f64,
    parameters: Parameters,
    windows: Windows,
    slow_start: SlowStart,
    reduction: Reduction,
    /// `snd_cwnd_cnt`.
    counter: SegmentCounter,
    jiffies: TickCount,
    state: State,
}

#[derive(Clone, Copy, Debug)]
struct Parameters {
    /// `beta`: 717.
    beta: u64,
    /// `cube_rtt_scale`: 410.
    cube_scale: u64,
    /// `beta_scale`: 15.
    reno_scale: u64,
    fast_convergence: bool,
    reno_friendly: bool,
    jiffy: u64,
    jiffies_per_second: u64,
}

/// `struct bictcp`, which a timeout clears.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// `cnt`: segments ACKed for one segment of growth.
    every: u64,
    last_max: u64,
    last_cwnd: u64,
    last_time: u64,
    origin: u64,
    k: u64,
    least_delay: Option<Duration>,
    /// In jiffies.
    epoch: Option<u64>,
    acked: u64,
    reno_cwnd: u64,
}

impl Parameters {
    fn new(config: &Tcp) -> Self {
        let scaled = |factor: f64| libm::round(factor * SCALE as f64) as u64;
        let beta = scaled(config.cubic.beta).min(SCALE - 1);
        let jiffy = if config.rto.timer_tick == Duration::ZERO { JIFFY } else { config.rto.timer_tick };
        Self {
            beta,
            // `bic_scale` is C in 1/1024 for a tenth of a second, rounded: 41.
            cube_scale: scaled(config.cubic.c / ROUND_TRIPS_PER_SECOND as f64).max(1) * ROUND_TRIPS_PER_SECOND,
            reno_scale: 8 * (SCALE + beta) / 3 / (SCALE - beta),
            fast_convergence: config.cubic.fast_convergence,
            reno_friendly: config.cubic.reno_friendly,
            jiffy: jiffy.as_nanos(),
            jiffies_per_second: 1_000_000_000 / jiffy.as_nanos(),
        }
    }

    const fn jiffies(&self, now: Time) -> u64 {
        now.as_nanos() / self.jiffy
    }

    /// Jiffies as 2^-10 s.
    fn scaled_time(&self, jiffies: u64) -> u64 {
        let scaled = ((u128::from(jiffies) * u128::from(self.jiffy)) << TIME_SHIFT) / 1_000_000_000;
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }

    /// K = cbrt((W_max - cwnd) / C), in 2^-10 s.
    fn time_to_origin(&self, distance: u64) -> u64 {
        libm::cbrt(distance as f64 * (1_u64 << CUBE_SHIFT) as f64 / self.cube_scale as f64) as u64
    }

    /// C |t - K|^3, in segments.
    fn offset(&self, time: u64, k: u64) -> u64 {
        let distance = u128::from(time.abs_diff(k).min(1 << 20));
        let cube = u128::from(self.cube_scale) * distance * distance * distance;
        u64::try_from(cube >> CUBE_SHIFT).unwrap_or(u64::MAX)
    }
}

impl LinuxCubic {
    /// At the initial window.
    pub fn new(config: &Tcp) -> Self {
        let parameters = Parameters::new(config);
        Self {
            mss: fractional(config.mss),
            parameters,
            windows: Windows::initial(config),
            slow_start: SlowStart::new(config),
            reduction: Reduction::new(config),
            counter: SegmentCounter::default(),
            jiffies: TickCount::new(Duration::from_nanos(parameters.jiffy)),
            state: State::default(),
        }
    }

    fn cwnd(&self) -> u64 {
        u64::from(segments(self.windows.window, self.mss))
    }

    /// `cubictcp_acked`: round-trip times within a second of an epoch's begin are not heard.
    fn hear_delay(&mut self, now: u64, ack: &AckEvent) {
        let Some(delay) = ack.newest_rtt else { return };
        if self.state.epoch.is_some_and(|epoch| now - epoch < self.parameters.jiffies_per_second) {
            return;
        }
        self.state.least_delay = Some(self.state.least_delay.map_or(delay, |least| least.min(delay)));
        self.slow_start.on_ack_before_growth(&mut self.windows, ack);
    }

    /// `cubictcp_cong_avoid` after slow start.
    fn grow_in_congestion_avoidance(&mut self, now: u64, acked: u32) {
        self.update(now, self.cwnd(), u64::from(acked));
        let every = u32::try_from(self.state.every).unwrap_or(u32::MAX);
        self.windows.window += f64::from(self.counter.count(every, acked)) * self.mss;
    }

    /// `bictcp_update`: recomputed when the window has moved or 1/32 s has passed, the cubic part once a jiffy.
    fn update(&mut self, now: u64, cwnd: u64, acked: u64) {
        self.state.acked += acked;
        let is_recent = now.saturating_sub(self.state.last_time) <= self.parameters.jiffies_per_second / 32;
        if self.state.last_cwnd == cwnd && is_recent {
            return;
        }
        if self.state.epoch.is_none() || now != self.state.last_time {
            self.state.last_cwnd = cwnd;
            self.state.last_time = now;
            let epoch = self.state.epoch.unwrap_or_else(|| self.begin_epoch(now, cwnd, acked));
            self.state.every = self.every_by_cubic(now - epoch, cwnd);
        }
        if self.parameters.reno_friendly {
            self.follow_reno(cwnd);
        }
        // At most a segment for two ACKed.
        self.state.every = self.state.every.max(2);
    }

    fn begin_epoch(&mut self, now: u64, cwnd: u64, acked: u64) -> u64 {
        let distance = self.state.last_max.saturating_sub(cwnd);
        self.state.epoch = Some(now);
        self.state.acked = acked;
        self.state.reno_cwnd = cwnd;
        self.state.k = if distance == 0 { 0 } else { self.parameters.time_to_origin(distance) };
        self.state.origin = self.state.last_max.max(cwnd);
        now
    }

    /// Segments ACKed for one of growth such that the window is on the curve a least round trip later.
    fn every_by_cubic(&self, since_epoch: u64, cwnd: u64) -> u64 {
        let delay = self.state.least_delay.map_or(0, |delay| delay.as_nanos().div_ceil(self.parameters.jiffy));
        let time = self.parameters.scaled_time(since_epoch + delay);
        let offset = self.parameters.offset(time, self.state.k);
        let target =
            if time < self.state.k { self.state.origin.saturating_sub(offset) } else { self.state.origin + offset };
        let every = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        // While no loss has shown how much there is, at least 5 % a round trip.
        if self.state.last_max == 0 { every.min(20) } else { every }
    }

    /// Reno's window grows by a segment for `reno_scale` eighths of a window; CUBIC's is at least as fast.
    fn follow_reno(&mut self, cwnd: u64) {
        let window = (cwnd * self.parameters.reno_scale) >> 3;
        if window > 0 && self.state.acked > window {
            let grown = (self.state.acked - 1) / window;
            self.state.acked -= grown * window;
            self.state.reno_cwnd += grown;
        }
        if self.state.reno_cwnd > cwnd {
            self.state.every = self.state.every.min(cwnd / (self.state.reno_cwnd - cwnd));
        }
    }

    /// `cubictcp_recalc_ssthresh`.
    fn decrease(&mut self, loss: &LossEvent) {
        let cwnd = self.cwnd();
        let is_behind = cwnd < self.state.last_max;
        self.state.epoch = None;
        self.state.last_max = if self.parameters.fast_convergence && is_behind {
            cwnd * (SCALE + self.parameters.beta) / (2 * SCALE)
        } else {
            cwnd
        };
        self.reduction.cut(&mut self.windows, loss, self.parameters.beta as f64 / SCALE as f64);
        self.counter = SegmentCounter::default();
    }
}

impl CongestionControl for LinuxCubic {
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
        let now = self.jiffies.at(ack.now);
        self.hear_delay(now, ack);
        if !ack.is_window_limited {
            return;
        }
        let mut left = ack.acked_segments;
        if self.windows.in_slow_start() {
            left = self.slow_start.grow(&mut self.windows, ack);
        }
        if left > 0 {
            self.grow_in_congestion_avoidance(now, left);
        }
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        self.decrease(loss);
        self.slow_start.on_loss();
    }

    /// A timeout forgets all but ssthresh (`cubictcp_state`).
    fn on_timeout(&mut self, loss: &LossEvent) {
        if !self.reduction.holds(loss) {
            self.decrease(loss);
        }
        self.state = State::default();
        self.counter = SegmentCounter::default();
        self.windows.window = self.mss;
        self.slow_start.on_timeout(loss);
    }

    /// `cubictcp_cwnd_event`: the epoch moves by the time nothing was in flight.
    fn on_idle(&mut self, idle: &IdleEvent) {
        let (now, parameters) = (self.parameters.jiffies(idle.now), self.parameters);
        let since = Time::from_nanos(idle.now.as_nanos().saturating_sub(idle.idle.as_nanos()));
        if let Some(epoch) = &mut self.state.epoch {
            *epoch = (*epoch + now - parameters.jiffies(since)).min(now);
        }
        self.windows = idle.windows.at_least(self.mss);
    }

    fn set_window(&mut self, window: f64) {
        self.windows.window = window.max(self.mss);
    }

    /// `tcp_reno_undo_cwnd`: of CUBIC's own state nothing comes back.
    fn restore(&mut self, windows: Windows) {
        self.windows = windows.at_least(self.mss);
    }
}
