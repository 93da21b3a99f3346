//! The series `queue`.

use airlink_model::types::{Bytes, Time, UserId};

use super::{ChunkedVec, Series, columns, count, number};

/// A queue after a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueRow {
    at: Time,
    user: u32,
    /// Fewer than 2^32, or memory would have ended first.
    packets: u32,
    bytes: u64,
}

columns! { QueueRow:
    time_s real |row| row.at.as_secs() => "when the queue changed";
    user whole |row| row.user.into() =>
        "whose queue; a bottleneck has one for all, and this is the user whose packet came or left";
    packets whole |row| row.packets.into() => "packets in it";
    bytes whole |row| count(row.bytes) => "bytes in it";
}

impl Series for ChunkedVec<QueueRow> {
    const WHAT: &'static str = "queue length of each user at every change";
    type Rows = Self;

    #[inline]
    fn on_queue(&mut self, now: Time, user: UserId, packets: u64, bytes: Bytes) {
        let (user, packets, bytes) = (number(user.index()), packets as u32, bytes.count());
        self.push(QueueRow { at: now, user, packets, bytes });
    }
}
