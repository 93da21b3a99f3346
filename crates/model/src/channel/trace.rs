//! Replay of a measured trace: SNR in dB that a channel varies around, or a rate that is ridden directly.
//!
//! Row k holds from its time until the next row's (hold), or the value runs straight from row to row (linear).
//! The trace is one period long: its last row's time plus the row interval. After that it starts again, or there
//! is no signal. Before its first row the trace holds the first value.
//!
//! Left out: parsing (the caller's), and interpolation across an outage: from or to an infinite value the
//! previous row holds.

use std::sync::Arc;

use crate::types::{BLOCK_SLOTS, Decibel, Duration, Purpose, RandomStream, Slot, SlotClock};

/// What a trace does after its last row's interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// It starts again.
    Loop,
    /// There is no signal any more.
    Stop,
}

/// The value between two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// The earlier row's.
    Hold,
    /// On the straight line; from the last row it runs to the first when the trace loops.
    Linear,
}

/// Why rows make no trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceError {
    /// There are none.
    Empty,
    /// There are more or fewer times than values.
    Lengths,
    /// This row's time is negative, not finite, or not later than its predecessor's by a nanosecond.
    Time(usize),
    /// This row's value is not a number.
    Value(usize),
    /// The row interval is below a nanosecond or not finite.
    Interval,
}

/// The rows of a trace; clones share them.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    times: Arc<[Duration]>,
    values: Arc<[f64]>,
    period: Duration,
}

impl Trace {
    /// The trace of `values` at `times_s` (seconds, increasing), the last of which lasts `row_interval_s`.
    pub fn new(times_s: &[f64], values: &[f64], row_interval_s: f64) -> Result<Self, TraceError> {
        if times_s.is_empty() {
            return Err(TraceError::Empty);
        }
        if times_s.len() != values.len() {
            return Err(TraceError::Lengths);
        }
        if let Some(row) = values.iter().position(|value| value.is_nan()) {
            return Err(TraceError::Value(row));
        }
        let times: Arc<[Duration]> = times_s.iter().map(|&time_s| Duration::from_secs(time_s)).collect();
        let is_wrong =
            |row: usize| !times_s[row].is_finite() || times_s[row] < 0.0 || (row > 0 && times[row] <= times[row - 1]);
        if let Some(row) = (0..times.len()).find(|&row| is_wrong(row)) {
            return Err(TraceError::Time(row));
        }
        let interval = Duration::from_secs(row_interval_s);
        if !row_interval_s.is_finite() || interval == Duration::ZERO {
            return Err(TraceError::Interval);
        }
        let period = times[times.len() - 1] + interval;
        Ok(Self { times, values: values.into(), period })
    }

    /// The same times with every value changed.
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        let values = self.values.iter().map(|&value| change(value)).collect();
        Self { times: Arc::clone(&self.times), values, period: self.period }
    }

    /// A trace of rates in bits per second as the SNR in dB that would carry them: 2^(rate / bandwidth) - 1.
    pub fn equivalent_snr(&self, bandwidth_hz: f64) -> Self {
        let octaves_to_nepers = std::f64::consts::LN_2 / bandwidth_hz;
        self.map(|rate_bps| 10.0 * libm::log10(libm::expm1(rate_bps * octaves_to_nepers)))
    }

    /// How long the trace lasts: the time of its last row plus the row interval.
    pub const fn period(&self) -> Duration {
        self.period
    }

    /// An offset uniform over the trace for user number `user` in the run of `seed`.
    pub fn random_offset(&self, seed: u64, user: u64) -> Duration {
        let share = RandomStream::new(seed, Purpose::TraceOffset, user).uniform();
        Duration::from_secs(share * self.period.as_secs())
    }

    /// The row in force at `into` the trace: the last one not later.
    fn row_at(&self, into: Duration) -> usize {
        self.times.partition_point(|&time| time <= into).saturating_sub(1)
    }

    /// The time of `row`; the row after the last is the first one of the next period.
    fn time_of(&self, row: usize) -> Duration {
        self.times.get(row).copied().unwrap_or(self.period + self.times[0])
    }
}

/// How a user rides a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayConfig {
    /// The rows.
    pub trace: Trace,
    /// What happens after the last row.
    pub at_end: AtEnd,
    /// The value between rows.
    pub between: Between,
    /// How far into the trace the run starts; more than a period wraps around when the trace loops.
    pub offset: Duration,
}

/// One user's ride on a trace.
#[derive(Clone, Debug)]
pub struct Replay {
    config: ReplayConfig,
    clock: SlotClock,
    after_end: f32,
}

impl Replay {
    /// A replay of SNR in dB; after the end it is minus infinity.
    pub fn of_snr_db(config: ReplayConfig, clock: SlotClock) -> Self {
        Self { config, clock, after_end: f32::NEG_INFINITY }
    }

    /// Writes the values at the starts of the slots from `first`. Any block may be asked for.
    pub fn fill(&self, first: Slot, values: &mut [f32; BLOCK_SLOTS]) {
        let trace = &self.config.trace;
        let mut row = trace.row_at(self.place_of(first).unwrap_or(Duration::ZERO));
        for (slot, value) in (first.number()..).zip(values) {
            let Some(into) = self.place_of(Slot::new(slot)) else {
                *value = self.after_end;
                continue;
            };
            if trace.times[row] > into {
                row = 0; // a new period
            }
            while row + 1 < trace.times.len() && trace.times[row + 1] <= into {
                row += 1;
            }
            *value = self.value_at(row, into) as f32; // blocks are single precision
        }
    }

    /// The time average of the power ratio over one period.
    pub(super) fn mean_of_db(&self) -> Decibel {
        let trace = &self.config.trace;
        let mut energy = 0.0;
        for (row, value_db) in trace.values.iter().enumerate() {
            let from = if row == 0 { Duration::ZERO } else { trace.times[row] };
            let until = trace.times.get(row + 1).copied().unwrap_or(trace.period);
            let length = until.as_nanos() - from.as_nanos();
            energy += libm::pow(10.0, value_db / 10.0) * Duration::from_nanos(length).as_secs();
        }
        Decibel::new(10.0 * libm::log10(energy / trace.period.as_secs()))
    }

    /// How far into the trace `slot` starts, or none after its end.
    fn place_of(&self, slot: Slot) -> Option<Duration> {
        // Slots start at whole nanoseconds rounded down and rows at the nearest ones: one nanosecond of grace
        // keeps the k-th row of a trace with one row per slot in the k-th slot.
        let since_start = self.clock.start_of(slot).as_nanos() + 1;
        let into = since_start + self.config.offset.as_nanos();
        let period = self.config.trace.period.as_nanos();
        match self.config.at_end {
            AtEnd::Loop => Some(Duration::from_nanos(into % period)),
            AtEnd::Stop => (into < period).then_some(Duration::from_nanos(into)),
        }
    }

    fn value_at(&self, row: usize, into: Duration) -> f64 {
        let trace = &self.config.trace;
        let held = trace.values[row];
        if self.config.between == Between::Hold || into < trace.times[0] {
            return held;
        }
        let is_last = row + 1 == trace.values.len();
        let next = if is_last { trace.values[0] } else { trace.values[row + 1] };
        let stops = is_last && self.config.at_end == AtEnd::Stop;
        if stops || !held.is_finite() || !next.is_finite() {
            return held;
        }
        let start = trace.times[row].as_nanos();
        // The nanosecond of grace is no part of the line.
        let passed = (into.as_nanos() - start).saturating_sub(1);
        let length = trace.time_of(row + 1).as_nanos() - start;
        held + (next - held) * (passed as f64 / length as f64)
    }
}

/// One user's ride on a trace of rates in bits per second; after the end the rate is 0.
#[derive(Clone, Debug)]
pub struct RateTrace(Replay);

impl RateTrace {
    /// A replay of rates in bits per second.
    pub fn new(config: ReplayConfig, clock: SlotClock) -> Self {
        Self(Replay { config, clock, after_end: 0.0 })
    }

    /// Writes the rates at the starts of the slots from `first`. Any block may be asked for.
    pub fn fill(&self, first: Slot, rate_bps: &mut [f32; BLOCK_SLOTS]) {
        self.0.fill(first, rate_bps);
    }
}
