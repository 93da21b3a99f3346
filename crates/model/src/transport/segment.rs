//! What travels: data segments one way, acknowledgments the other. Headers and their sizes are the driver's.

use crate::types::Bytes;

/// A piece of the stream on its way to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Offset of its first byte in the stream.
    pub sequence: u64,
    /// Bytes of the stream it carries, without headers.
    pub length: u32,
    /// Running number of this transmission among all segments its sender ever sent, from 0: two
    /// transmissions of the same bytes are told apart by it.
    pub transmission: u64,
    /// True when its bytes had been sent before.
    pub retransmission: bool,
}

impl Segment {
    /// Offset of the first byte after it.
    pub fn end(&self) -> u64 {
        self.sequence + u64::from(self.length)
    }
}

/// What the receiver tells the sender. SACK blocks (RFC 2018) and timestamps (RFC 7323) have their place here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Acknowledgment {
    /// Cumulative: every byte below this offset has arrived (RFC 9293 §3.4).
    pub number: u64,
    /// The window advertised, counted from `number`.
    pub window: Bytes,
}

impl Acknowledgment {
    /// Acknowledges every byte below `number` and offers `window` bytes more.
    pub const fn new(number: u64, window: Bytes) -> Self {
        Self { number, window }
    }
}
