//! What a sender counts.

/// What a sender has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Segments sent again, for whatever reason.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Expiries that the driver held ([`Sender::hold_timeout`](super::Sender::hold_timeout)); not among the timeouts.
    pub timeouts_held: u64,
    /// Recoveries started before the timer expired.
    pub fast_retransmits: u64,
    /// Among the retransmissions, those that a scoreboard with SACK chose.
    pub sack_retransmissions: u64,
    /// New segments that duplicate ACKs let out beyond cwnd (RFC 3042).
    pub limited_transmits: u64,
    /// Duplicate ACKs received (RFC 5681 §2).
    pub duplicate_acks: u64,
    /// ACKs received, duplicate and outdated ones included.
    pub acks_received: u64,
    /// Probes for the loss of a tail (RFC 8985 §7).
    pub tail_loss_probes: u64,
    /// Probes of a closed window (RFC 9293 §3.8.6.1).
    pub window_probes: u64,
    /// Recoveries and timeouts found spurious and undone.
    pub undone: u64,
    /// Reductions of the window that echoed marks asked for (RFC 3168 §6.1.2).
    pub ecn_reductions: u64,
}

impl Statistics {
    /// What has been added since `before`.
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            segments_sent: self.segments_sent - before.segments_sent,
            retransmissions: self.retransmissions - before.retransmissions,
            timeouts: self.timeouts - before.timeouts,
            timeouts_held: self.timeouts_held - before.timeouts_held,
            fast_retransmits: self.fast_retransmits - before.fast_retransmits,
            sack_retransmissions: self.sack_retransmissions - before.sack_retransmissions,
            limited_transmits: self.limited_transmits - before.limited_transmits,
            duplicate_acks: self.duplicate_acks - before.duplicate_acks,
            acks_received: self.acks_received - before.acks_received,
            tail_loss_probes: self.tail_loss_probes - before.tail_loss_probes,
            window_probes: self.window_probes - before.window_probes,
            undone: self.undone - before.undone,
            ecn_reductions: self.ecn_reductions - before.ecn_reductions,
        }
    }
}
