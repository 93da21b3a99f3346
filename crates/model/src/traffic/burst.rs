//! A burst: what leaves at one moment, cut into packets. It leaves out a sender that spreads them out.

use crate::types::{Bytes, Duration};

/// What leaves at one moment and has one deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// When it leaves, from the flow's start; never before the burst before it.
    pub after: Duration,
    /// How many packets it is cut into; at least 1.
    pub packets: u64,
    /// Each packet but the last, headers included.
    pub full: Bytes,
    /// The last packet, headers included.
    pub last: Bytes,
}

impl Burst {
    /// One packet.
    pub const fn single(after: Duration, bytes: Bytes) -> Self {
        Self { after, packets: 1, full: bytes, last: bytes }
    }

    /// All of its packets together.
    pub fn bytes(&self) -> Bytes {
        Bytes::new(self.full.count() * (self.packets - 1)) + self.last
    }
}
