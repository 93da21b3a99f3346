//! Whether the congestion window is used: one that is not used says nothing about the network, so it must not grow, and a
//! loss must not leave half of what was never there.
//!
//! RFC 7661 measures pipeACK, the most that was acknowledged in a round trip of late; while it is below half of cwnd the
//! window is not validated. Linux (`tcp_cwnd_validate`) remembers for each window of data whether cwnd was the limit.
//! Left out: RFC 7661 §4.4.2's control of bursts.

use std::collections::VecDeque;

use crate::types::{Bytes, Duration, Time};

use super::idle::remembered_threshold;
use super::windows::Windows;
use super::{RestartAfterIdle, Tcp, WindowValidation};

/// RFC 7661 §4.4.3: how long a window that is not validated is kept.
const NON_VALIDATED_PERIOD: Duration = Duration::from_millis(300_000);
/// RFC 7661 §4.2: pipeACK is the largest sample of max(3 RTT, 1 s).
const SAMPLED_ROUND_TRIPS: u64 = 3;
const LEAST_SAMPLING_PERIOD: Duration = Duration::from_millis(1000);

/// The use that a sender makes of its window.
#[derive(Clone, Debug)]
pub(super) enum Usage {
    /// Nobody asks.
    Ignored,
    /// RFC 7661.
    PipeAck(PipeAck),
    /// Linux.
    Linux(LinuxUsage),
}

/// What is outstanding when a sender has sent all it may.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub(super) now: Time,
    /// SND.UNA and SND.NXT.
    pub(super) start: u64,
    pub(super) end: u64,
    /// Bytes in flight.
    pub(super) flight: Bytes,
    /// Segments not acknowledged.
    pub(super) segments_out: usize,
    /// The application has no more.
    pub(super) is_drained: bool,
    pub(super) rto: Duration,
}

impl Usage {
    pub(super) fn new(config: &Tcp) -> Self {
        match config.rules.window_validation {
            WindowValidation::Off => Self::Ignored,
            WindowValidation::Rfc7661 => Self::PipeAck(PipeAck::new(config)),
            WindowValidation::Linux => Self::Linux(LinuxUsage::new(config)),
        }
    }

    /// May an ACK open the window? `flight` is what was in flight before it.
    pub(super) fn may_grow(&self, windows: Windows, flight: Bytes) -> bool {
        match self {
            Self::Ignored => true,
            Self::PipeAck(pipe) => pipe.may_grow(windows.window, flight),
            Self::Linux(usage) => usage.is_limited(windows),
        }
    }

    /// An ACK has moved SND.UNA to `number`. Answers the windows if they must shrink.
    pub(super) fn on_ack(
        &mut self,
        now: Time,
        number: u64,
        end: u64,
        srtt: Option<Duration>,
        windows: Windows,
    ) -> Option<Windows> {
        match self {
            Self::PipeAck(pipe) => pipe.on_ack(now, number, end, srtt, windows),
            _ => None,
        }
    }

    /// Nothing more may be sent for now. Answers the windows if they must shrink.
    #[inline]
    pub(super) fn on_burst_end(&mut self, burst: &Burst, windows: Windows) -> Option<Windows> {
        match self {
            Self::Linux(usage) => usage.on_burst_end(burst, windows),
            _ => None,
        }
    }

    /// What a loss cuts in place of FlightSize `flight`, if the window is not validated (RFC 7661 §4.4.1).
    pub(super) fn unvalidated_flight(&self, window: f64, flight: Bytes) -> Option<Bytes> {
        match self {
            Self::PipeAck(pipe) if !pipe.is_validated(window) => {
                Some(pipe.latest().map_or(flight, |used| used.max(flight)))
            }
            _ => None,
        }
    }

    /// A recovery or a timeout is over: what was measured before says nothing about the window after.
    pub(super) fn restart(&mut self, now: Time, number: u64, end: u64) {
        match self {
            Self::Ignored => {}
            Self::PipeAck(pipe) => pipe.restart(number, end),
            Self::Linux(usage) => usage.used_since = now,
        }
    }
}

/// RFC 7661's measure.
#[derive(Clone, Debug)]
pub(super) struct PipeAck {
    mss: f64,
    initial_window: f64,
    /// Samples of the sampling period, each larger than all after it.
    samples: VecDeque<(Time, u64)>,
    /// The round trip being measured: SND.UNA at its begin, and the end of what was sent then.
    round: Option<(u64, u64)>,
    not_validated_since: Option<Time>,
}

impl PipeAck {
    fn new(config: &Tcp) -> Self {
        Self {
            mss: config.mss.count() as f64,
            initial_window: config.initial_window_bytes(),
            samples: VecDeque::new(),
            round: None,
            not_validated_since: None,
        }
    }

    /// pipeACK; none while it is undefined.
    fn latest(&self) -> Option<Bytes> {
        self.samples.front().map(|sample| Bytes::new(sample.1))
    }

    /// §4.3: validated while pipeACK is at least half of cwnd, or undefined.
    fn is_validated(&self, window: f64) -> bool {
        self.latest().is_none_or(|used| used.count() as f64 >= 0.5 * window)
    }

    /// §4.4: in the non-validated phase the window grows only while all of it is used.
    fn may_grow(&self, window: f64, flight: Bytes) -> bool {
        self.is_validated(window) || flight.count() as f64 + self.mss > window
    }

    fn on_ack(
        &mut self,
        now: Time,
        number: u64,
        end: u64,
        srtt: Option<Duration>,
        windows: Windows,
    ) -> Option<Windows> {
        let (start, round_end) = *self.round.get_or_insert((number, end));
        if number >= round_end && number > start {
            self.take_sample(now, number - start, srtt);
            self.round = Some((number, end));
        }
        self.end_non_validated_period(now, windows)
    }

    /// §4.2: one sample a round trip; those older than the sampling period are forgotten.
    fn take_sample(&mut self, now: Time, acked: u64, srtt: Option<Duration>) {
        let period = srtt.map_or(LEAST_SAMPLING_PERIOD, |srtt| (srtt * SAMPLED_ROUND_TRIPS).max(LEAST_SAMPLING_PERIOD));
        while self.samples.back().is_some_and(|sample| sample.1 <= acked) {
            self.samples.pop_back();
        }
        self.samples.push_back((now, acked));
        while self.samples.front().is_some_and(|sample| now.since(sample.0) > period) {
            self.samples.pop_front();
        }
    }

    /// §4.4.3: after five minutes ssthresh = max(ssthresh, 3/4 cwnd), cwnd = max(cwnd / 2, IW).
    fn end_non_validated_period(&mut self, now: Time, windows: Windows) -> Option<Windows> {
        if self.is_validated(windows.window) {
            self.not_validated_since = None;
            return None;
        }
        let since = *self.not_validated_since.get_or_insert(now);
        if now.since(since) < NON_VALIDATED_PERIOD {
            return None;
        }
        self.not_validated_since = None;
        Some(Windows {
            window: (windows.window / 2.0).max(self.initial_window),
            slow_start_threshold: remembered_threshold(windows, 0.0),
        })
    }

    fn restart(&mut self, number: u64, end: u64) {
        self.samples.clear();
        self.round = Some((number, end));
        self.not_validated_since = None;
    }
}

/// Linux's memory of the last window of data.
#[derive(Clone, Debug)]
pub(super) struct LinuxUsage {
    mss: f64,
    initial_window: f64,
    /// `sysctl_tcp_slow_start_after_idle`: a window that isn't used decays.
    decays: bool,
    /// `is_cwnd_limited`, `max_packets_out` and the end of the window they were seen in, `cwnd_usage_seq`.
    is_limited: bool,
    most_out: usize,
    window_end: u64,
    /// `snd_cwnd_used`, `snd_cwnd_stamp`: the most outstanding since the window was last used, and when that was.
    used: usize,
    used_since: Time,
}

impl LinuxUsage {
    fn new(config: &Tcp) -> Self {
        Self {
            mss: config.mss.count() as f64,
            initial_window: config.initial_window_bytes(),
            decays: config.restart_after_idle == RestartAfterIdle::Decay,
            is_limited: false,
            most_out: 0,
            window_end: 0,
            used: 0,
            used_since: Time::ZERO,
        }
    }

    /// `tcp_is_cwnd_limited`: in slow start also while more than half of the window is out.
    fn is_limited(&self, windows: Windows) -> bool {
        self.is_limited || (windows.in_slow_start() && windows.window < 2.0 * self.most_out as f64 * self.mss)
    }

    /// `tcp_cwnd_validate`.
    #[inline]
    fn on_burst_end(&mut self, burst: &Burst, windows: Windows) -> Option<Windows> {
        let is_limited = burst.flight.count() as f64 + self.mss > windows.window;
        let is_new_window = burst.start >= self.window_end;
        if is_new_window || is_limited || (!self.is_limited && burst.segments_out > self.most_out) {
            self.is_limited = is_limited;
            self.most_out = burst.segments_out;
            self.window_end = burst.end;
        }
        if self.is_limited(windows) {
            self.used = 0;
            self.used_since = burst.now;
            return None;
        }
        self.used = self.used.max(burst.segments_out);
        let is_due = burst.now.since(self.used_since) >= burst.rto;
        if self.decays && is_due { self.decay(burst, windows) } else { None }
    }

    /// `tcp_cwnd_application_limited`: halfway to what was used, if the application has no more.
    #[cold]
    fn decay(&mut self, burst: &Burst, windows: Windows) -> Option<Windows> {
        self.used_since = burst.now;
        if !burst.is_drained {
            return None;
        }
        let used = (self.used as f64 * self.mss).max(self.initial_window);
        self.used = 0;
        let window = libm::floor((windows.window + used) / (2.0 * self.mss)) * self.mss;
        let slow_start_threshold = remembered_threshold(windows, self.mss);
        (used < windows.window).then_some(Windows { window, slow_start_threshold })
    }
}
