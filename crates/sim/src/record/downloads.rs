//! Files and pages: when the server has each to send, and when the user has it.
//!
//! It leaves out: the way of a page's request, which comes before.

use airlink_model::types::{Bytes, Time, UserId};

use super::series::{DownloadRow, number};
use super::summary::span_columns;
use super::{Distribution, FlowEnd, Log, Recorder};
use crate::table::Table;

/// The pages of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Pages {
    requested_at: Time,
    /// From each request to the last byte.
    pub(super) times: Distribution,
}

impl Log<'_> {
    /// The server has a file or page to send.
    pub(crate) fn on_requested(&mut self, now: Time, user: UserId, bytes: Bytes) {
        let (flow, user) = (number(self.flow), number(user.index()));
        let row = DownloadRow { flow, user, number: 0, bytes, requested_at: now, completed_at: Time::NEVER };
        self.series.push_download(row);
    }

    /// What it has is a page.
    pub(crate) fn on_page_requested(&mut self, now: Time) {
        self.record.pages.get_or_insert_default().requested_at = now;
    }

    /// All of a page is there.
    pub(crate) fn on_page_completed(&mut self, now: Time) {
        self.series.complete_download(self.flow, now);
        if let Some(pages) = &mut self.record.pages {
            pages.times.add(now.since(pages.requested_at));
        }
    }
}

/// Which group a flow is of, and the size of its file; not a number of all other flows.
pub(super) fn file_columns(table: &mut Table, flows: &[FlowEnd]) {
    table.count("group", flows.iter().map(|flow| flow.group as u64));
    table.real("file_bytes", flows.iter().map(|flow| flow.file_bytes).collect());
}

/// How long pages took.
pub(super) fn page_columns(table: &mut Table, recorder: &Recorder) {
    let none = Distribution::default();
    let times = recorder.flows.iter().map(|flow| flow.pages.as_ref().map_or(&none, |pages| &pages.times));
    span_columns(table, "page_time", times);
}
