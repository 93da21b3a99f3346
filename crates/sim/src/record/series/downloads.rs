//! The series `downloads`, whose rows are always recorded (`record::downloads`), requested or not.

use airlink_model::types::{Bytes, Time};

use super::{ChunkedVec, Series, columns, count, if_ever};

/// A file or page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DownloadRow {
    pub(crate) flow: u32,
    pub(crate) user: u32,
    /// Number of the download in its flow.
    pub(crate) number: u64,
    pub(crate) bytes: Bytes,
    pub(crate) requested_at: Time,
    /// Never, until the download is complete.
    pub(crate) completed_at: Time,
}

columns! { DownloadRow:
    flow whole |row| row.flow.into() => "number of the flow: its file, or one of its pages";
    user whole |row| row.user.into() => "whose file or page it is";
    number whole |row| count(row.number) => "number of the file or page in its flow, from 0";
    bytes whole |row| count(row.bytes.count()) => "its size";
    requested_s real |row| row.requested_at.as_secs() =>
        "when its sender had it to send: the flow's start, or the arrival of the request for a page; of `requests` and `pages`, when the user asked";
    completed_s real |row| if_ever(row.completed_at) =>
        "when its last byte had arrived in order, at the user or, of an upload, at the server, up to the end of `drain_s`", missing "NaN when it was not";
}

impl Series for ChunkedVec<DownloadRow> {
    const WHAT: &'static str =
        "every file and page: size, request, end; `users` and `flows` get the slowdown against the same download alone";
    const HAS_FEW_ROWS: bool = true;
    type Rows = Self;
}
