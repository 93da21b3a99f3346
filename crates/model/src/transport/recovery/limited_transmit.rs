//! Limited transmit (RFC 3042; RFC 6675 §5 step 3): duplicate ACKs that do not show a loss yet let new segments out, so
//! that a small window makes enough of them.
//!
//! By inflation the first two each let one out, beyond cwnd by as much. By pipe what they report is no longer in flight, and
//! that is all; without the switch it counts until the recovery begins. The RFC lets pipe decide at ACKs that report
//! something new; here, as in Linux, it does for as long as something is reported above a hole.

/// Where a sender stands that has seen duplicate ACKs, all in bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Disorder {
    /// What is in flight as recovery estimates it, if it does.
    pub(in crate::transport) pipe: Option<u64>,
    /// Sent and not acknowledged.
    pub(in crate::transport) outstanding: u64,
    /// cwnd.
    pub(in crate::transport) window: u64,
    /// A full segment.
    pub(in crate::transport) mss: u64,
    /// Duplicate ACKs in a row.
    pub(in crate::transport) duplicates: u32,
}

impl Disorder {
    /// True when `length` new bytes may go beyond cwnd.
    pub(in crate::transport) fn lets_out(&self, length: u64) -> bool {
        match self.pipe {
            Some(pipe) => pipe + length <= self.window,
            // RFC 3042 §2: the amount outstanding stays within cwnd and two segments.
            None => self.outstanding + length <= self.window + u64::from(self.duplicates.min(2)) * self.mss,
        }
    }
}
