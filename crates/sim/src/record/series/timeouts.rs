//! The series `timeouts`: every expiry of a retransmission timer, and what each flow had of them in its initial slow start.
//!
//! A timeout is *initial* if it strikes in the initial slow start: the connection is open, cwnd is below ssthresh, and
//! ssthresh is at its initial value. It is *repeated* if the timeout before it was for the same segment. It leaves out:
//! timers that are no retransmission timers.

use airlink_model::transport::Sender;
use airlink_model::types::{Duration, Time};

use super::{Asks, ChunkedVec, Series, Setting, columns, number};

/// An expiry; of a timeout it is written later whether it was spurious.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpiryRow {
    flow: u32,
    at: Time,
    /// The oldest byte not acknowledged; none of a SYN.
    sequence: Option<u64>,
    /// What has run out.
    rto: Duration,
    in_initial_slow_start: bool,
    /// Timeouts for the same segment right before it; known when it is pushed.
    repeated: u32,
    is_held: bool,
    spurious: Option<bool>,
}

columns! { ExpiryRow:
    flow whole |row| row.flow.into() => "number of the flow";
    time_s real |row| row.at.as_secs() => "when its retransmission timer expired";
    sequence whole |row| row.sequence.map_or(-1, |byte| i64::try_from(byte).unwrap_or(i64::MAX)) =>
        "the oldest byte not acknowledged then", missing "-1 while the connection opens";
    rto_s real |row| row.rto.as_secs() => "the retransmission timeout that had run out, before it is backed off";
    initial whole |row| row.in_initial_slow_start.into() =>
        "1 in the initial slow start: cwnd below ssthresh, and ssthresh as it was at the start";
    repeated whole |row| row.repeated.into() => "timeouts for the same segment right before it";
    held whole |row| row.is_held.into() =>
        "1 when the timer was armed again instead of a timeout (see `experimental.hold_timeouts`)";
    spurious whole |row| row.spurious.map_or(-1, i64::from) =>
        "of a timeout: 1 when an earlier copy of the retransmitted segment still arrived, 0 when not",
        missing "-1 of those held";
}

/// All of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expiries {
    rows: ChunkedVec<ExpiryRow>,
    /// Each flow's latest timeout: its row.
    latest: Vec<Option<usize>>,
}

impl From<Expiries> for ChunkedVec<ExpiryRow> {
    fn from(expiries: Expiries) -> Self {
        expiries.rows
    }
}

impl Series for Expiries {
    const WHAT: &'static str =
        "every expiry of each flow's retransmission timer; the table `flows` counts those at start-up";
    const ASKS: &'static [Asks] = &[Asks::Expiries];
    const HAS_FEW_ROWS: bool = true;
    type Rows = ChunkedVec<ExpiryRow>;

    fn begin(&mut self, setting: Setting) {
        self.latest = vec![None; setting.flows];
    }

    fn on_expiry(&mut self, now: Time, flow: usize, sender: &Sender, is_held: bool) {
        let sequence = sender.oldest_outstanding().map(|segment| segment.sequence);
        let latest = &mut self.latest[flow];
        let before = latest.and_then(|place| self.rows.get_mut(place)).filter(|before| before.sequence == sequence);
        let repeated = before.map_or(0, |before| before.repeated + 1);
        if !is_held {
            *latest = Some(self.rows.len());
        }
        self.rows.push(ExpiryRow {
            flow: number(flow),
            at: now,
            sequence,
            rto: sender.rto(),
            in_initial_slow_start: sender.in_initial_slow_start(),
            repeated,
            is_held,
            spurious: None,
        });
    }

    fn on_timeout_settled(&mut self, flow: usize, spurious: bool) {
        if let Some(row) = self.latest[flow].and_then(|place| self.rows.get_mut(place)) {
            row.spurious = Some(spurious);
        }
    }
}

/// What a flow had of them, after the warm-up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Startup {
    pub(in crate::record) first: Option<Time>,
    pub(in crate::record) initial: u64,
    pub(in crate::record) spurious: u64,
    /// Timeouts for the same segment after one of the initial ones.
    pub(in crate::record) repeated: u64,
    /// The latest timeout was initial, or for the same segment after one that was.
    goes_on: bool,
}

impl Expiries {
    /// Each flow's timeouts in its initial slow start. What struck until `from` is left out.
    pub(crate) fn startups(&self, from: Time) -> Vec<Startup> {
        let mut startups = vec![Startup::default(); self.latest.len()];
        for row in self.rows.chunks().flatten().filter(|row| !row.is_held) {
            startups[row.flow as usize].on_timeout(row, row.at > from);
        }
        startups
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
