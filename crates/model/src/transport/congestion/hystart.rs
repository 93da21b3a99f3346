//! HyStart as Linux has it in its CUBIC (`tcp_cubic.c`, `hystart_update`; [Ha08] describes the original): slow start ends,
//! by ssthresh = cwnd, when the round-trip time of a round rises or when a train of closely spaced ACKs gets as long
//! as half the least round-trip time.
//!
//! Left out: the microsecond clock (times here are exact).

use super::{AckEvent, Windows, fractional};
use crate::transport::{Pacing, Tcp};
use crate::types::{Duration, Time};

/// `hystart_low_window`: nothing is judged below so many segments.
const LOW_WINDOW_SEGMENTS: f64 = 16.0;
/// `HYSTART_MIN_SAMPLES`: samples of a round before its delay is judged.
const MIN_SAMPLES: u32 = 8;
/// `HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`: bounds of the increase that counts; between them 1/8 of the least delay.
const DELAY_MIN: Duration = Duration::from_millis(4);
const DELAY_MAX: Duration = Duration::from_millis(16);
/// `hystart_ack_delta_us`: ACKs of a train are no further apart.
const ACK_DELTA: Duration = Duration::from_millis(2);
/// `hystart_ack_delay`: a cushion for segmentation offload, four of its largest units at the pacing rate and at most
/// this.
const MOST_ACK_DELAY: Duration = Duration::from_millis(1);
const FOUR_LARGEST_UNITS: f64 = 4.0 * 65_536.0;
/// `sysctl_tcp_pacing_ss_ratio`, `sysctl_tcp_pacing_ca_ratio`: the rate is kept whether or not it paces.
const SLOW_START_RATIO: f64 = 2.0;
const AVOIDANCE_RATIO: f64 = 1.2;

/// The rounds of slow starts.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    mss: f64,
    is_paced: bool,
    /// The exit of this slow start is found.
    is_found: bool,
    /// The least round-trip time, since the last timeout.
    least_delay: Option<Duration>,
    round_start: Time,
    round_end: u64,
    /// The latest ACK of the train.
    last_ack: Time,
    round_delay: Duration,
    samples: u32,
    /// SRTT when the pacing rate was last computed, at the ACK before.
    srtt: Option<Duration>,
}

impl HyStart {
    pub(super) fn new(config: &Tcp) -> Self {
        Self {
            mss: fractional(config.mss),
            is_paced: config.pacing != Pacing::Off,
            is_found: false,
            least_delay: None,
            round_start: Time::ZERO,
            round_end: 0,
            last_ack: Time::ZERO,
            round_delay: Duration::FOREVER,
            samples: 0,
            srtt: None,
        }
    }

    /// A timeout forgets all (`bictcp_reset`, `bictcp_hystart_reset`).
    pub(super) fn restart(&mut self, now: Time, sent_end: u64) {
        self.is_found = false;
        self.least_delay = None;
        self.begin_round(now, sent_end);
    }

    /// An ACK, before the window moves; true when slow start is to end here.
    pub(super) fn on_ack(&mut self, ack: &AckEvent, windows: &Windows) -> bool {
        let srtt = std::mem::replace(&mut self.srtt, ack.srtt);
        let Some(delay) = ack.newest_rtt else { return false };
        let least = self.least_delay.map_or(delay, |least| least.min(delay));
        self.least_delay = Some(least);
        if self.is_found || !windows.in_slow_start() {
            return false;
        }
        if ack.number > self.round_end {
            self.begin_round(ack.now, ack.sent_end);
        }
        if windows.window < LOW_WINDOW_SEGMENTS * self.mss {
            return false;
        }
        let is_long = self.train_is_long(ack.now, least, || ack_delay(srtt, windows));
        let is_late = self.delay_has_risen(delay, least);
        self.is_found = is_long || is_late;
        self.is_found
    }

    fn begin_round(&mut self, now: Time, sent_end: u64) {
        self.round_start = now;
        self.last_ack = now;
        self.round_end = sent_end;
        self.round_delay = Duration::FOREVER;
        self.samples = 0;
    }

    /// The train since the round began is longer than half of the least delay; paced senders spread it over all of it.
    fn train_is_long(&mut self, now: Time, least: Duration, ack_delay: impl FnOnce() -> Duration) -> bool {
        if now.since(self.last_ack) > ACK_DELTA {
            return false;
        }
        self.last_ack = now;
        let threshold = least + ack_delay();
        let threshold = if self.is_paced { threshold } else { Duration::from_nanos(threshold.as_nanos() / 2) };
        now.since(self.round_start) > threshold
    }

    /// After eight samples: the least delay of the round exceeds that of the connection by 1/8 of it, bounded.
    fn delay_has_risen(&mut self, delay: Duration, least: Duration) -> bool {
        self.round_delay = self.round_delay.min(delay);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        let increase = Duration::from_nanos(least.as_nanos() / 8).max(DELAY_MIN).min(DELAY_MAX);
        self.round_delay > least + increase
    }
}

/// Four units of 64 KiB at the pacing rate, ratio * cwnd / SRTT.
fn ack_delay(srtt: Option<Duration>, windows: &Windows) -> Duration {
    let Some(srtt) = srtt else { return Duration::ZERO };
    let is_early = windows.window < windows.slow_start_threshold / 2.0;
    let ratio = if is_early { SLOW_START_RATIO } else { AVOIDANCE_RATIO };
    let nanoseconds = FOUR_LARGEST_UNITS * srtt.as_nanos() as f64 / (ratio * windows.window);
    // The cast saturates, and the bound is below.
    Duration::from_nanos(nanoseconds as u64).min(MOST_ACK_DELAY)
}
