//! Every expiry of a retransmission timer, and what each flow had of them in its initial slow start.
//!
//! A timeout is *initial* if it strikes in the initial slow start: the connection is open, cwnd is below ssthresh, and
//! ssthresh is at its initial value. It is *repeated* if the timeout before it was for the same segment. It leaves out:
//! timers that are no retransmission timers.

use airlink_model::types::{Duration, Time};

use super::pile::Pile;
use super::recorded::{Read, Row, real, whole};
use crate::table::Table;

/// An expiry; of a timeout it is written later whether it was spurious.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpiryRow {
    pub(crate) flow: u32,
    pub(crate) at: Time,
    /// The oldest byte not acknowledged; none of a SYN.
    pub(crate) sequence: Option<u64>,
    /// What has run out.
    pub(crate) rto: Duration,
    pub(crate) in_initial_slow_start: bool,
    /// Timeouts for the same segment right before it; known when it is pushed.
    pub(crate) repeated: u32,
    pub(crate) is_held: bool,
    pub(crate) spurious: Option<bool>,
}

impl Row for ExpiryRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("flow", whole!(|row| row.flow.into())),
        ("time_s", real!(|row| row.at.as_secs())),
        ("sequence", whole!(|row| row.sequence.map_or(-1, |byte| i64::try_from(byte).unwrap_or(i64::MAX)))),
        ("rto_s", real!(|row| row.rto.as_secs())),
        ("initial", whole!(|row| row.in_initial_slow_start.into())),
        ("repeated", whole!(|row| row.repeated.into())),
        ("held", whole!(|row| row.is_held.into())),
        ("spurious", whole!(|row| row.spurious.map_or(-1, i64::from))),
    ];
}

/// All of a run.
#[derive(Clone, Debug)]
pub(crate) struct Expiries {
    rows: Pile<ExpiryRow>,
    /// Each flow's latest timeout: its row.
    latest: Vec<Option<usize>>,
}

/// What a flow had of them, after the warm-up.
#[derive(Clone, Copy, Debug, Default)]
struct Startup {
    first: Option<Time>,
    initial: u64,
    spurious: u64,
    /// Timeouts for the same segment after one of the initial ones.
    repeated: u64,
    /// The latest timeout was initial, or for the same segment after one that was.
    goes_on: bool,
}

impl Expiries {
    pub(super) fn new(flows: usize) -> Self {
        Self { rows: Pile::default(), latest: vec![None; flows] }
    }

    /// Adds an expiry, and finds out whether it repeats a timeout.
    pub(super) fn push(&mut self, mut row: ExpiryRow) {
        let latest = &mut self.latest[row.flow as usize];
        let before = latest.and_then(|place| self.rows.get_mut(place)).filter(|before| before.sequence == row.sequence);
        row.repeated = before.map_or(0, |before| before.repeated + 1);
        if !row.is_held {
            *latest = Some(self.rows.len());
        }
        self.rows.push(row);
    }

    /// Whether a flow's latest timeout was spurious.
    pub(super) fn settle(&mut self, flow: usize, spurious: bool) {
        if let Some(row) = self.latest[flow].and_then(|place| self.rows.get_mut(place)) {
            row.spurious = Some(spurious);
        }
    }

    pub(super) fn into_rows(self) -> Pile<ExpiryRow> {
        self.rows
    }

    /// Adds the columns of each flow's timeouts in its initial slow start. What struck until `from` is left out.
    pub(crate) fn add_columns(&self, flows: &mut Table, from: Time) {
        let mut startups = vec![Startup::default(); self.latest.len()];
        for row in self.rows.pieces().flatten().filter(|row| !row.is_held) {
            startups[row.flow as usize].on_timeout(row, row.at > from);
        }
        let first = |startup: &Startup| startup.first.map_or(f64::NAN, |at| at.as_secs());
        flows.real("first_timeout_s", startups.iter().map(first).collect());
        flows.count("initial_timeouts", startups.iter().map(|startup| startup.initial));
        flows.count("initial_timeouts_spurious", startups.iter().map(|startup| startup.spurious));
        flows.count("initial_timeouts_repeated", startups.iter().map(|startup| startup.repeated));
    }
}

impl Startup {
    fn on_timeout(&mut self, row: &ExpiryRow, counts: bool) {
        let is_repetition = self.goes_on && row.repeated > 0 && !row.in_initial_slow_start;
        self.goes_on = row.in_initial_slow_start || is_repetition;
        if !counts {
            return;
        }
        self.first = self.first.or(Some(row.at));
        self.initial += u64::from(row.in_initial_slow_start);
        self.spurious += u64::from(row.in_initial_slow_start && row.spurious == Some(true));
        self.repeated += u64::from(is_repetition);
    }
}
