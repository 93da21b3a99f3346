//! What a sender remembers of a segment that it has sent.

use crate::types::Time;

/// One segment, as last sent, and what is known of it. It takes half a cache line: a packet's time is spent on memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// Offset of its first byte in the stream.
    pub(super) sequence: u64,
    /// The number of its last transmission.
    pub(super) transmission: u64,
    /// When it was last sent.
    pub(super) sent_at: Time,
    /// Bytes of the stream.
    pub(super) length: u32,
    /// Sent more than once.
    pub(super) retransmission: bool,
    /// A SACK block has covered it.
    pub(super) sacked: bool,
    /// A transmission of it is given up for lost; never one that is SACKed.
    pub(super) lost: bool,
    /// Sent again, and that transmission counts as in flight; never one that is SACKed.
    pub(super) resent: bool,
}

/// Segments of one kind, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) segments: u64,
    pub(super) bytes: u64,
}

impl Sum {
    pub(super) const fn add(&mut self, bytes: u32) {
        self.segments += 1;
        self.bytes += bytes as u64;
    }

    pub(super) const fn remove(&mut self, bytes: u32) {
        self.segments -= 1;
        self.bytes -= bytes as u64;
    }
}

impl Sent {
    /// Offset of the first byte after it.
    pub(super) const fn end(&self) -> u64 {
        self.sequence + self.length as u64
    }

    /// True when it is lost and was not sent again since.
    pub(super) const fn is_waiting(&self) -> bool {
        self.lost && !self.resent
    }
}
