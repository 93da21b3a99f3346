//! Replay of a measured trace: an SNR in dB that a channel varies around, of a carrier or of each subchannel, or a rate.
//!
//! Row k holds from its time until the next row's (hold), or the value runs straight from row to row (linear).
//! The trace is one period long: its last row's time plus the row interval. After that it starts again, or there
//! is no signal. Before its first row the trace holds the first value.
//!
//! Left out: parsing (the caller's), and interpolation across an outage: from or to an infinite value the
//! previous row holds.

use std::sync::{Arc, OnceLock};

use crate::types::declare::Words;
use crate::types::{BLOCK_SLOTS, Decibel, Duration, Purpose, RandomStream, Slot, SlotClock};

const NANOSECOND_S: f64 = 1e-9;

/// Slots start at whole nanoseconds, rounded down; a row that begins with a slot may therefore seem to begin up to
/// a nanosecond after it. This much later keeps row k of a trace with one row per slot in slot k.
const GRACE_NS: f64 = 1.0;

/// What a trace does after its last row's interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum AtEnd {
    /// It starts again.
    Loop,
    /// There is no signal any more.
    Stop,
}

/// The value between two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
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
    /// There is not one value for each time, or for each time and subchannel.
    Lengths,
    /// This row's time is negative, not finite, or not later than its predecessor's by a nanosecond.
    Time(usize),
    /// This row's value is not a number.
    Value(usize),
    /// The row interval is below a nanosecond or not finite.
    Interval,
}

/// The rows of a trace; clones share them.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Not rounded to whole nanoseconds: a looped row of 5/3 ms must not drift.
    times_ns: Arc<[f64]>,
    /// Row by row, in each subchannel by subchannel.
    values: Arc<[f64]>,
    width: usize,
    period_ns: f64,
    /// The mean power of values in dB, found when it is first asked for: 10^6 rows take longer than many a run.
    mean: Arc<OnceLock<Decibel>>,
}

impl Trace {
    /// The trace of `values` at `times_s` (seconds, increasing), the last of which lasts `row_interval_s`.
    pub fn new(times_s: &[f64], values: &[f64], row_interval_s: f64) -> Result<Self, TraceError> {
        Self::of_subchannels(times_s, values, 1, row_interval_s)
    }

    /// The trace of rows of `width` values, one for each subchannel, that stand in `values` one after the other.
    pub fn of_subchannels(
        times_s: &[f64],
        values: &[f64],
        width: usize,
        row_interval_s: f64,
    ) -> Result<Self, TraceError> {
        if times_s.is_empty() {
            return Err(TraceError::Empty);
        }
        if width == 0 || times_s.len().checked_mul(width) != Some(values.len()) {
            return Err(TraceError::Lengths);
        }
        if let Some(place) = values.iter().position(|value| value.is_nan()) {
            return Err(TraceError::Value(place / width));
        }
        let is_wrong = |row: usize| {
            let earliest_s = if row == 0 { 0.0 } else { times_s[row - 1] + NANOSECOND_S };
            !times_s[row].is_finite() || times_s[row] < earliest_s
        };
        if let Some(row) = (0..times_s.len()).find(|&row| is_wrong(row)) {
            return Err(TraceError::Time(row));
        }
        if !row_interval_s.is_finite() || row_interval_s < NANOSECOND_S {
            return Err(TraceError::Interval);
        }
        let times_ns: Arc<[f64]> = times_s.iter().map(|time_s| time_s / NANOSECOND_S).collect();
        let period_ns = (times_s[times_s.len() - 1] + row_interval_s) / NANOSECOND_S;
        Ok(Self { times_ns, values: values.into(), width, period_ns, mean: Arc::default() })
    }

    /// The values of a row: 1, or one for each subchannel.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The same times with every value changed.
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        let values = self.values.iter().map(|&value| change(value)).collect();
        Self { values, mean: Arc::default(), ..self.clone() }
    }

    /// A trace of rates in bits per second as the SNR in dB that would carry them: 2^(rate / bandwidth) - 1.
    pub fn equivalent_snr(&self, bandwidth_hz: f64) -> Self {
        let octaves_to_nepers = std::f64::consts::LN_2 / bandwidth_hz;
        self.map(|rate_bps| 10.0 * libm::log10(libm::expm1(rate_bps * octaves_to_nepers)))
    }

    /// How long the trace lasts: the time of its last row plus the row interval.
    pub fn period(&self) -> Duration {
        Duration::from_secs(self.period_ns * NANOSECOND_S)
    }

    /// An offset uniform over the trace for user number `user` in the run of `seed`.
    pub fn random_offset(&self, seed: u64, user: u64) -> Duration {
        let share = RandomStream::new(seed, Purpose::TraceOffset, user).uniform();
        Duration::from_secs(share * self.period_ns * NANOSECOND_S)
    }

    /// The row in force `into_ns` into the trace: the last one not later.
    fn row_at(&self, into_ns: f64) -> usize {
        self.times_ns.partition_point(|&time_ns| time_ns <= into_ns).saturating_sub(1)
    }

    /// The same, searched onwards from a row that was in force before; a new period begins at the first row.
    fn row_from(&self, mut row: usize, into_ns: f64) -> usize {
        if self.times_ns[row] > into_ns {
            row = 0;
        }
        while row + 1 < self.times_ns.len() && self.times_ns[row + 1] <= into_ns {
            row += 1;
        }
        row
    }

    /// The average of the power ratio of values in dB over the time of one period, and over the subchannels.
    fn mean_of_db(&self) -> Decibel {
        *self.mean.get_or_init(|| {
            let mut mean = 0.0;
            for column in 0..self.width {
                let mut energy = 0.0;
                for (row, value_db) in self.values[column..].iter().step_by(self.width).enumerate() {
                    let from_ns = if row == 0 { 0.0 } else { self.times_ns[row] };
                    let until_ns = self.end_of(row).min(self.period_ns);
                    energy += libm::pow(10.0, value_db / 10.0) * (until_ns - from_ns);
                }
                // Moved step by step, so that equal columns have exactly the mean of one.
                mean += (energy - mean) / (column + 1) as f64;
            }
            Decibel::new(10.0 * libm::log10(mean / self.period_ns))
        })
    }

    /// When `row` ends: at the next row, which after the last is the first one of the next period.
    fn end_of(&self, row: usize) -> f64 {
        self.times_ns.get(row + 1).copied().unwrap_or(self.period_ns + self.times_ns[0])
    }
}

/// How a user replays a trace.
#[derive(Clone, Debug)]
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

/// One user's replay of a trace.
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

    /// Writes the values at the starts of the slots from `first`. Any block may be asked for of a trace of a carrier.
    pub fn fill(&self, first: Slot, values: &mut [f32; BLOCK_SLOTS]) {
        assert!(self.config.trace.width == 1, "a trace of subchannels has no value for all of them");
        let trace = &self.config.trace;
        let mut row = trace.row_at(self.place_of(first).unwrap_or(0.0));
        for (slot, value) in (first.number()..).zip(values) {
            let Some(into_ns) = self.place_of(Slot::new(slot)) else {
                *value = self.after_end;
                continue;
            };
            row = trace.row_from(row, into_ns);
            *value = self.value_on(self.line_at(row, into_ns), row, 0) as f32; // blocks are single precision
        }
    }

    /// Writes the value of each subchannel at the start of `slot`. `row` is where the slot before was found; any other
    /// only takes longer.
    pub(super) fn fill_row(&self, slot: Slot, row: &mut usize, values: &mut [f32]) {
        let trace = &self.config.trace;
        assert!(values.len() == trace.width, "a value for every subchannel");
        let Some(into_ns) = self.place_of(slot) else {
            values.fill(self.after_end);
            return;
        };
        *row = trace.row_from(*row, into_ns);
        let line = self.line_at(*row, into_ns);
        for (column, value) in values.iter_mut().enumerate() {
            *value = self.value_on(line, *row, column) as f32; // rows are single precision
        }
    }

    /// The values of a row: 1, or one for each subchannel.
    pub(super) fn width(&self) -> usize {
        self.config.trace.width
    }

    /// The average of the power ratio over the time of one period, and over the subchannels.
    pub(super) fn mean_of_db(&self) -> Decibel {
        self.config.trace.mean_of_db()
    }

    /// How far into the trace `slot` starts, in nanoseconds, or none after its end.
    fn place_of(&self, slot: Slot) -> Option<f64> {
        let into = self.clock.start_of(slot) + self.config.offset;
        // Double precision keeps tenths of a nanosecond for 10^6 s, the longest run.
        let into_ns = into.as_nanos() as f64 + GRACE_NS;
        let period_ns = self.config.trace.period_ns;
        match self.config.at_end {
            AtEnd::Loop => Some((into_ns - libm::floor(into_ns / period_ns) * period_ns).max(0.0)),
            AtEnd::Stop => (into_ns < period_ns).then_some(into_ns),
        }
    }

    /// The row that `row` runs to in a straight line, and how far it has come, from 0 to 1; none where it holds.
    fn line_at(&self, row: usize, into_ns: f64) -> Option<(usize, f64)> {
        let (trace, start_ns) = (&self.config.trace, self.config.trace.times_ns[row]);
        let is_last = row + 1 == trace.times_ns.len();
        let stops = is_last && self.config.at_end == AtEnd::Stop;
        if self.config.between == Between::Hold || into_ns < start_ns || stops {
            return None;
        }
        // The nanosecond of grace is no part of the line.
        let share = (into_ns - GRACE_NS - start_ns).max(0.0) / (trace.end_of(row) - start_ns);
        Some((if is_last { 0 } else { row + 1 }, share))
    }

    fn value_on(&self, line: Option<(usize, f64)>, row: usize, column: usize) -> f64 {
        let trace = &self.config.trace;
        let held = trace.values[row * trace.width + column];
        let Some((next_row, share)) = line else { return held };
        let next = trace.values[next_row * trace.width + column];
        if held.is_finite() && next.is_finite() { held + (next - held) * share } else { held }
    }
}

/// One user's replay of a trace of rates in bits per second; after the end the rate is 0.
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
