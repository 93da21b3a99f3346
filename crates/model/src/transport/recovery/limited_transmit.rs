//! Limited transmit (RFC 3042; RFC 6675 §5 step 3): duplicate ACKs that do not show a loss yet let new segments out, so
//! that a small window makes enough of them.
//!
//! By inflation each of the first two lets one segment out beyond cwnd. By pipe the data that they report is no longer in
//! flight, which makes room in cwnd; without the switch it counts until the recovery begins. The RFC lets pipe decide at ACKs that report
//! something new; here, as in Linux, it does for as long as something is reported above a hole.

/// The state of limited transmit.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::transport) struct LimitedTransmit {
    /// New data beyond cwnd since the first of a row of duplicate ACKs.
    bytes: u64,
    /// The latest ACK was a duplicate, and nothing has been sent since.
    answers_duplicate: bool,
}

impl LimitedTransmit {
    /// An ACK moved SND.UNA, or a timeout gave up what is outstanding.
    #[inline]
    pub(in crate::transport) const fn forget(&mut self) {
        self.bytes = 0;
    }

    /// An ACK without a new number came.
    pub(in crate::transport) const fn on_old_number(&mut self, is_duplicate: bool) {
        self.answers_duplicate = is_duplicate;
    }

    /// Something was sent, or the timer expired.
    #[inline]
    pub(in crate::transport) const fn on_answered(&mut self) {
        self.answers_duplicate = false;
    }

    /// `length` new bytes go out beyond cwnd.
    pub(in crate::transport) const fn on_sent(&mut self, length: u64) {
        self.bytes += length;
    }

    /// Bytes that it has let out beyond cwnd.
    pub(in crate::transport) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// True when the next segment would answer a duplicate ACK.
    pub(in crate::transport) const fn answers_duplicate(&self) -> bool {
        self.answers_duplicate
    }
}

/// The state of a sender that has seen duplicate ACKs, all in bytes.
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
