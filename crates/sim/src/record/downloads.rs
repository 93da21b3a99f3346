//! Files and pages: when the server has each to send, and when the user has it.
//!
//! Downloads requested in the measured time count, whether they end or not. Downloads requested before it that have not ended
//! as it begins are pending.

use airlink_model::types::{Bytes, Time, UserId};

use super::series::{ChunkedVec, DownloadRow, Recorded, number, recorded_downloads};

/// All downloads of a run.
#[derive(Clone, Debug)]
pub(crate) struct Downloads {
    rows: ChunkedVec<DownloadRow>,
    /// The row of each flow's latest one.
    latest: Vec<Option<usize>>,
    /// The row of the first one that is measured.
    first: usize,
    /// The rows before it that had not ended when the measured time began, in their order.
    pending: Vec<usize>,
    /// Those that have not ended.
    open: usize,
    /// What is requested later is not written down.
    until: Time,
}

impl Downloads {
    pub(crate) fn new(flows: usize) -> Self {
        Self {
            rows: ChunkedVec::default(),
            latest: vec![None; flows],
            first: 0,
            pending: Vec::new(),
            open: 0,
            until: Time::NEVER,
        }
    }

    /// Those so far don't count; of these, those that have not ended are pending.
    pub(super) fn start_measuring(&mut self) {
        let is_open = |(place, row): (usize, &DownloadRow)| (row.completed_at == Time::NEVER).then_some(place);
        self.pending = self.rows().enumerate().filter_map(is_open).collect();
        self.first = self.rows.len();
    }

    /// Requests after `end` don't count.
    pub(crate) fn stop_measuring(&mut self, end: Time) {
        self.until = end;
    }

    /// True if no request counts any more after `now`, and all that do have ended.
    pub(crate) fn is_drained(&self, now: Time) -> bool {
        now > self.until && self.open == 0
    }

    /// When a flow's latest one ended, if it is the `count`th of all and has.
    pub(crate) fn completed_at(&mut self, flow: usize, count: usize) -> Option<Time> {
        let row = self.latest[flow].filter(|&row| row + 1 == count)?;
        self.rows.get_mut(row).map(|row| row.completed_at).filter(|&at| at != Time::NEVER)
    }

    pub(super) fn request(&mut self, now: Time, flow: usize, user: UserId, bytes: Bytes) {
        if now > self.until {
            self.latest[flow] = None;
            return;
        }
        let before = self.latest[flow].and_then(|before| self.rows.get_mut(before));
        let number_in_flow = before.map_or(0, |before| before.number + 1);
        self.latest[flow] = Some(self.rows.len());
        self.open += 1;
        let (flow, user) = (number(flow), number(user.index()));
        let never = Time::NEVER;
        self.rows.push(DownloadRow {
            flow,
            user,
            number: number_in_flow,
            bytes,
            requested_at: now,
            completed_at: never,
        });
    }

    pub(super) fn complete(&mut self, now: Time, flow: usize) {
        let Some(row) = self.latest[flow] else { return };
        self.open -= 1;
        self.rows.get_mut(row).expect("a download is written before it is complete").completed_at = now;
    }

    /// Whether the download of a row counts, and how; nothing if it ended before the measured time.
    pub(super) fn counting(&self, place: usize) -> Option<Requested> {
        match self.pending.binary_search(&place) {
            Ok(_) => Some(Requested::Earlier),
            Err(_) => (place >= self.first).then_some(Requested::Measured),
        }
    }

    /// All of them, in the order of their requests.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &DownloadRow> {
        self.rows.chunks().flatten()
    }

    /// The series.
    pub(crate) fn into_recorded(self) -> Recorded {
        recorded_downloads(self.rows)
    }
}

/// When a download that counts was requested.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Requested {
    /// Before the measured time; it had not ended then.
    Earlier,
    /// In the measured time.
    Measured,
}
