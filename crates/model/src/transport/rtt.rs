//! The retransmission timeout of RFC 6298, from samples of the round-trip time.
//!
//! SRTT and RTTVAR are held as 8 SRTT and 4 RTTVAR in whole nanoseconds (Jacobson's form), so the estimate is
//! integer arithmetic that rounds by less than a nanosecond. A clock with a coarse tick is part of the model:
//! systems of the papers' day measured a round trip as the number of tick boundaries crossed.
//!
//! Left out: the option of RFC 6298 §5 to forget SRTT after several back-offs, but for ns-2's arithmetic
//! ([`WholeTicks`]), which does.

use crate::types::declare::{Section, Words};
use crate::types::{Duration, Time};

use super::largest_deviation::{Extent, LargestDeviation};
use super::ticks::WholeSpan;
use super::whole_ticks::WholeTicks;

/// The retransmission timer: SRTT and RTTVAR by RFC 6298, every number of it a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct RtoConfig {
    /// Arithmetic of SRTT and RTTVAR: rfc6298, to the nanosecond; linux, the largest deviation of a round trip, falling
    /// slowly; ns2, in whole ticks of `tick_ms`.
    #[field(default = Estimator::Rfc6298, source = "RFC 6298 section 2; others: docs/models/tcp-profiles.md")]
    pub estimator: Estimator,
    /// Smallest RTO (with `min_bounds_variance`: of its variance term).
    #[field(name = "min_ms", unit = "ms", at_least = 0.1, at_most = 600_000, default = Duration::from_millis(1000), source = "RFC 6298 section 2.4; profile K3 of [Klein04]: 250")]
    pub min: Duration,
    /// true: RTO = SRTT + max(min, 4 RTTVAR), as Linux has it; false: RTO is at least `min_ms`.
    #[field(default = false, source = "RFC 6298 section 2.4")]
    pub min_bounds_variance: bool,
    /// RTO before the first measurement.
    #[field(name = "initial_ms", unit = "ms", at_least = 0.1, at_most = 600_000, default = Duration::from_millis(1000), source = "RFC 6298 section 2.1; profile K3 of [Klein04]: 3000")]
    pub initial: Duration,
    /// Largest RTO, backed off or not; at least `min_ms` and `initial_ms`.
    #[field(
        name = "max_ms",
        unit = "ms",
        at_least = 0.1,
        at_most = 3_600_000,
        default = Duration::from_millis(60_000),
        source = "RFC 6298 section 2.5: at least 60 s",
    )]
    pub max: Duration,
    /// Clock granularity G: the RTT is counted in boundaries of this clock crossed, at least 1; 0 = exact.
    #[field(
        name = "tick_ms",
        unit = "ms",
        at_least = 0.1,
        at_most = 10_000,
        or_zero,
        default = Duration::ZERO,
        source = "airlink default: exact; [Klein04], given: 200",
    )]
    pub tick: Duration,
    /// How far that clock is ahead of the time of the run.
    #[field(
        name = "tick_offset_ms",
        unit = "ms",
        at_least = 0,
        at_most = 10_000,
        default = Duration::ZERO,
        source = "airlink default (ns-2 draws it: \"boot_time_\")",
    )]
    pub tick_offset: Duration,
    /// Tick of the timer wheel (Linux: a jiffy): never early, 1 tick late, from 63 ticks on up to 8; 0 = exact.
    #[field(name = "timer_tick_ms", unit = "ms", at_least = 0.1, at_most = 10_000, or_zero, default = Duration::ZERO, source = "airlink default: exactly")]
    pub timer_tick: Duration,
    /// true: the timer expires at the first tick of that clock (`tick_ms`) after the RTO is over; false: exactly.
    #[field(
        default = false,
        source = "airlink default: exactly; profile K3 of [Klein04]: true, as OPNET does (docs/models/transport.md)"
    )]
    pub next_tick: bool,
    /// The RTO grows by this at every timeout until a new measurement.
    #[field(at_least = 1, at_most = 10, default = 2.0, source = "RFC 6298 section 5.5")]
    pub backoff_factor: f64,
    /// Segments that were sent twice are not timed, and a backed-off RTO is kept until one that was sent once is
    /// acknowledged.
    #[field(default = true, source = "RFC 6298 section 3")]
    pub karn: bool,
    /// true: RTO = SRTT + max(G, 4 RTTVAR); false: SRTT + 4 RTTVAR.
    #[field(default = true, source = "RFC 6298 section 2.3")]
    pub variance_floor: bool,
    /// true: every ACK of new data gives a sample; false: one segment is timed at a time.
    #[field(default = false, source = "airlink default (RFC 6298 section 3: at least once per RTT)")]
    pub sample_every_ack: bool,
}

/// Which arithmetic keeps SRTT and RTTVAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Estimator {
    /// RFC 6298 §2, to the nanosecond.
    Rfc6298,
    /// Linux: the largest deviation of a round trip, which falls slowly ("mdev_max").
    Linux,
    /// ns-2: whole ticks.
    Ns2,
}

/// SRTT, RTTVAR and the RTO in force.
#[derive(Clone, Debug)]
pub struct RtoEstimator {
    config: RtoConfig,
    smoothed: Option<Smoothed>,
    /// What stands for `smoothed` in ns-2's arithmetic.
    whole_ticks: WholeTicks,
    /// And in Linux's.
    deviation: LargestDeviation,
    extent: Extent,
    /// Linux counts its timeout in ticks of the timer, rounded up (`usecs_to_jiffies`).
    jiffies: Option<WholeSpan>,
    rto: Duration,
}

/// 8 SRTT and 4 RTTVAR, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Smoothed {
    eight_srtt: u64,
    four_variance: u64,
}

impl RtoEstimator {
    /// An estimator without a sample.
    pub fn new(config: RtoConfig) -> Self {
        assert!(config.min <= config.max, "the smallest RTO is at most the largest");
        assert!(config.backoff_factor >= 1.0, "a timeout never shortens the RTO");
        assert!(config.estimator != Estimator::Ns2 || config.tick > Duration::ZERO, "ns-2 counts ticks");
        let counts_jiffies = config.estimator == Estimator::Linux && config.timer_tick > Duration::ZERO;
        Self {
            config,
            smoothed: None,
            whole_ticks: WholeTicks::default(),
            deviation: LargestDeviation::default(),
            extent: Extent::default(),
            jiffies: counts_jiffies.then(|| WholeSpan::new(config.timer_tick)),
            rto: config.initial.min(config.max),
        }
    }

    /// The timeout in force, back-off included.
    pub const fn rto(&self) -> Duration {
        self.rto
    }

    /// The smoothed round-trip time, once there is a sample.
    pub fn srtt(&self) -> Option<Duration> {
        match self.config.estimator {
            Estimator::Rfc6298 => self.smoothed.map(Smoothed::srtt),
            Estimator::Linux => self.deviation.srtt().map(microseconds),
            Estimator::Ns2 => self.whole_ticks.srtt().map(|ticks| self.config.tick * ticks),
        }
    }

    /// Which arithmetic it is.
    pub const fn estimator(&self) -> Estimator {
        self.config.estimator
    }

    /// What it was made of.
    pub(super) const fn config(&self) -> &RtoConfig {
        &self.config
    }

    /// How far the connection is: Linux's spread falls once in a round trip.
    pub const fn set_extent(&mut self, acknowledged: u64, sent: u64) {
        self.extent = Extent { start: acknowledged, end: sent };
    }

    /// Takes the time from `sent_at` to `now` as a sample, as this clock sees it.
    pub fn on_sample(&mut self, sent_at: Time, now: Time) {
        match self.config.estimator {
            Estimator::Rfc6298 => {
                let sample = self.measured(sent_at, now).as_nanos();
                let first_or_next = |smoothed: Smoothed| smoothed.updated(sample);
                self.smoothed = Some(self.smoothed.map_or(Smoothed::first(sample), first_or_next));
            }
            Estimator::Linux => {
                let sample = (now.as_nanos() / 1000).saturating_sub(sent_at.as_nanos() / 1000);
                self.deviation.on_sample(sample, self.least_spread().as_nanos() / 1000, self.extent);
            }
            Estimator::Ns2 => {
                let sample = self.measured(sent_at, now).as_nanos();
                self.whole_ticks.on_sample(sample / self.config.tick.as_nanos());
            }
        }
        self.rto = self.computed();
    }

    /// SRTT and RTTVAR, once there is a sample.
    pub fn smoothed(&self) -> Option<(Duration, Duration)> {
        if self.config.estimator == Estimator::Linux {
            return self.srtt().map(|srtt| (srtt, microseconds(self.deviation.spread() / 4)));
        }
        self.smoothed.map(|smoothed| (smoothed.srtt(), Duration::from_nanos(smoothed.four_variance / 4)))
    }

    /// Replaces SRTT and RTTVAR, and the RTO follows (RFC 4015 §3.1 step 10).
    pub fn set_smoothed(&mut self, srtt: Duration, variance: Duration) {
        self.smoothed = Some(Smoothed { eight_srtt: 8 * srtt.as_nanos(), four_variance: 4 * variance.as_nanos() });
        if self.config.estimator == Estimator::Linux {
            self.deviation.set(srtt.as_nanos() / 1000, variance.as_nanos() / 250);
        }
        self.rto = self.computed();
    }

    /// Without a sample so far, the timeout is at least `least` (RFC 6298 §5.7).
    pub fn start_again(&mut self, least: Duration) {
        self.config.initial = self.config.initial.max(least);
        self.rto = self.computed();
    }

    /// RFC 6298 §5.5: RTO <- RTO x factor, at most `max`.
    pub fn back_off(&mut self) {
        // Whole nanoseconds times the factor, to the nearest one: by way of seconds it could miss by one.
        let nanoseconds = self.rto.as_nanos() as f64 * self.config.backoff_factor + 0.5;
        let longer = if nanoseconds < u64::MAX as f64 { nanoseconds as u64 } else { u64::MAX };
        self.rto = Duration::from_nanos(longer).min(self.config.max);
        self.whole_ticks.on_back_off();
    }

    /// Ends the back-off without a sample; only where Karn's rule is off.
    pub fn end_back_off(&mut self) {
        self.whole_ticks.end_back_off();
        self.rto = self.computed();
    }

    /// Tick boundaries crossed between the two moments, at least one; exact without a tick.
    fn measured(&self, sent_at: Time, now: Time) -> Duration {
        let tick = self.config.tick.as_nanos();
        if tick == 0 {
            return now.since(sent_at);
        }
        let offset = self.config.tick_offset;
        let crossed = (now + offset).as_nanos() / tick - (sent_at + offset).as_nanos() / tick;
        self.config.tick * crossed.max(1)
    }

    /// RFC 6298 §2.1-2.5: RTO = SRTT + max(G, 4 RTTVAR) within its bounds.
    fn computed(&mut self) -> Duration {
        let estimate = match self.config.estimator {
            Estimator::Ns2 => return self.computed_in_ticks(),
            Estimator::Linux => self.deviation.timeout().map(microseconds),
            Estimator::Rfc6298 => self.smoothed.map(|smoothed| {
                let floor = if self.config.variance_floor { self.config.tick } else { Duration::ZERO };
                let spread = Duration::from_nanos(smoothed.four_variance).max(floor);
                smoothed.srtt() + spread.max(self.least_spread())
            }),
        };
        let least = if self.config.min_bounds_variance { Duration::ZERO } else { self.config.min };
        let timeout = match (estimate, &mut self.jiffies) {
            (None, _) => self.config.initial,
            (Some(estimate), None) => estimate.max(least),
            (Some(estimate), Some(jiffies)) => jiffies.rounded_up(estimate).max(least),
        };
        timeout.min(self.config.max)
    }

    /// What SRTT is at least exceeded by: `min`, where it bounds the spread and not the timeout.
    const fn least_spread(&self) -> Duration {
        if self.config.min_bounds_variance { self.config.min } else { Duration::ZERO }
    }

    /// ns-2.35, `TcpAgent::rtt_timeout`: whole ticks, at least two, within the bounds.
    fn computed_in_ticks(&self) -> Duration {
        let estimate = self.whole_ticks.timeout().map_or(self.config.initial, |ticks| self.config.tick * ticks);
        estimate.max(self.config.min).min(self.config.max).max(self.config.tick * 2)
    }
}

const fn microseconds(count: u64) -> Duration {
    Duration::from_nanos(count.saturating_mul(1000))
}

impl Smoothed {
    /// RFC 6298 §2.2: SRTT <- R, RTTVAR <- R/2.
    const fn first(sample: u64) -> Self {
        Self { eight_srtt: 8 * sample, four_variance: 2 * sample }
    }

    /// RFC 6298 §2.3: RTTVAR <- 3/4 RTTVAR + 1/4 |SRTT - R|, then SRTT <- 7/8 SRTT + 1/8 R.
    const fn updated(self, sample: u64) -> Self {
        let srtt = self.eight_srtt / 8;
        Self {
            four_variance: self.four_variance - self.four_variance / 4 + srtt.abs_diff(sample),
            eight_srtt: self.eight_srtt - srtt + sample,
        }
    }

    const fn srtt(self) -> Duration {
        Duration::from_nanos(self.eight_srtt / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn loose() -> RtoConfig {
        RtoConfig { min: Duration::ZERO, ..RtoConfig::default() }
    }

    #[test]
    fn the_first_two_samples_give_the_rto_computed_by_hand() {
        let mut estimator = RtoEstimator::new(loose());
        assert_eq!(estimator.rto(), Duration::from_millis(1000));
        estimator.on_sample(after(0), after(80));
        // SRTT 80, RTTVAR 40: 80 + 160.
        assert_eq!(estimator.rto(), Duration::from_millis(240));
        estimator.on_sample(after(100), after(220));
        // RTTVAR 3/4 x 40 + 1/4 x 40 = 40, SRTT 7/8 x 80 + 1/8 x 120 = 85: 85 + 160.
        assert_eq!(estimator.srtt(), Some(Duration::from_millis(85)));
        assert_eq!(estimator.rto(), Duration::from_millis(245));
    }

    #[test]
    fn a_coarse_clock_counts_boundaries_crossed_and_at_least_one() {
        let config = RtoConfig { tick: Duration::from_millis(200), ..loose() };
        let sample = |from, to| RtoEstimator::new(config).measured(after(from), after(to));
        assert_eq!(sample(10, 190), Duration::from_millis(200));
        assert_eq!(sample(199, 201), Duration::from_millis(200));
        assert_eq!(sample(199, 401), Duration::from_millis(400));
        assert_eq!(sample(200, 599), Duration::from_millis(200));
        assert_eq!(sample(200, 600), Duration::from_millis(400));
    }

    #[test]
    fn a_clock_that_is_ahead_ticks_earlier() {
        let tick = Duration::from_millis(10);
        let config = RtoConfig { tick, tick_offset: Duration::from_millis(7), ..loose() };
        let sample = |from, to| RtoEstimator::new(config).measured(after(from), after(to));
        // Its boundaries lie at 3, 13, 23 ms.
        assert_eq!(sample(1, 14), Duration::from_millis(20));
        assert_eq!(sample(4, 12), Duration::from_millis(10));
    }

    #[test]
    fn the_arithmetic_of_ns_2_gives_whole_ticks_within_the_bounds() {
        let tick = Duration::from_millis(10);
        let min = Duration::from_millis(200);
        let mut estimator = RtoEstimator::new(RtoConfig { tick, min, estimator: Estimator::Ns2, ..loose() });
        estimator.on_sample(after(0), after(42));
        // 4 ticks: 4 + 4 x 2 = 12 ticks, below the bound.
        assert_eq!((estimator.srtt(), estimator.rto()), (Some(tick * 4), min));
        estimator.on_sample(after(100), after(355));
        // 25 ticks: 4 RTTVAR = 8 + 21 - 2 = 27, 8 SRTT = 32 + 21 = 53: 27 + 6 ticks.
        assert_eq!((estimator.srtt(), estimator.rto()), (Some(tick * 6), tick * 33));
        (0..4).for_each(|_| estimator.back_off());
        assert_eq!((estimator.srtt(), estimator.rto()), (None, tick * 528));
        estimator.end_back_off();
        assert_eq!(estimator.rto(), tick * 33);
        estimator.on_sample(after(1000), after(1300));
        assert_eq!(estimator.rto(), tick * 90);
    }

    #[test]
    fn the_variance_floor_keeps_one_tick_above_a_steady_rtt() {
        let steady = |variance_floor| {
            let tick = Duration::from_millis(100);
            let mut estimator = RtoEstimator::new(RtoConfig { tick, variance_floor, ..loose() });
            (0..400).for_each(|n| estimator.on_sample(after(1000 * n), after(1000 * n + 300)));
            estimator.rto().as_secs()
        };
        assert!((steady(true) - 0.4).abs() < 1e-8);
        assert!((steady(false) - 0.3).abs() < 1e-8);
    }

    #[test]
    fn linux_adds_at_least_the_floor_to_srtt_and_counts_whole_ticks() {
        // 81 ms of 8 SRTT: 81 + 200 ms, in ticks of 4 ms; then twice that.
        let config = RtoConfig {
            min: Duration::from_millis(200),
            estimator: Estimator::Linux,
            min_bounds_variance: true,
            timer_tick: Duration::from_millis(4),
            ..RtoConfig::default()
        };
        let mut estimator = RtoEstimator::new(config);
        estimator.on_sample(after(0), after(81));
        assert_eq!((estimator.srtt(), estimator.rto()), (Some(Duration::from_millis(81)), Duration::from_millis(284)));
        estimator.back_off();
        assert_eq!(estimator.rto(), Duration::from_millis(568));
    }

    #[test]
    fn a_least_spread_lies_above_srtt_where_a_least_timeout_would_not_show() {
        let min = Duration::from_millis(200);
        let rto = |min_bounds_variance| {
            let mut estimator = RtoEstimator::new(RtoConfig { min, min_bounds_variance, ..RtoConfig::default() });
            // SRTT 80 ms, 4 RTTVAR 160 ms.
            estimator.on_sample(after(0), after(80));
            estimator.rto()
        };
        assert_eq!((rto(true), rto(false)), (Duration::from_millis(280), Duration::from_millis(240)));
    }

    #[test]
    fn the_bounds_hold_for_computed_and_backed_off_timeouts() {
        let max = Duration::from_millis(3000);
        let mut estimator = RtoEstimator::new(RtoConfig { max, ..RtoConfig::default() });
        estimator.on_sample(after(0), after(10));
        assert_eq!(estimator.rto(), Duration::from_millis(1000));
        estimator.back_off();
        assert_eq!(estimator.rto(), Duration::from_millis(2000));
        estimator.back_off();
        assert_eq!(estimator.rto(), max);
        // RTTVAR 3/4 x 5 + 1/4 x 1990 = 501.25, SRTT 7/8 x 10 + 1/8 x 2000 = 258.75; the back-off is over.
        estimator.on_sample(after(0), after(2000));
        assert_eq!(estimator.rto(), Duration::from_nanos(2_263_750_000));
    }
}
