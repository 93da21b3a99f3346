//! The states of a connection, as one end sees it (RFC 9293 §3.3.2).

/// Where an end of a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There is no connection.
    Closed,
    /// A SYN of the other end is awaited.
    Listen,
    /// A SYN was sent.
    SynSent,
    /// A SYN was sent and one was received.
    SynReceived,
    /// Data flows.
    Established,
    /// A FIN was sent.
    FinWait1,
    /// A FIN was sent and acknowledged: the other end may go on sending.
    FinWait2,
    /// The other end sent a FIN: this end may go on sending.
    CloseWait,
    /// Both sent a FIN, and the one of this end is not acknowledged.
    Closing,
    /// The other end sent a FIN, then this end did.
    LastAck,
    /// Both FINs are acknowledged; old segments may still be about.
    TimeWait,
}

impl State {
    /// Its name in RFC 9293, in lower case.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Listen => "listen",
            Self::SynSent => "syn-sent",
            Self::SynReceived => "syn-received",
            Self::Established => "established",
            Self::FinWait1 => "fin-wait-1",
            Self::FinWait2 => "fin-wait-2",
            Self::CloseWait => "close-wait",
            Self::Closing => "closing",
            Self::LastAck => "last-ack",
            Self::TimeWait => "time-wait",
        }
    }

    /// True while segments are exchanged and both SYNs have arrived.
    pub const fn is_synchronized(self) -> bool {
        !matches!(self, Self::Closed | Self::Listen | Self::SynSent | Self::SynReceived)
    }

    /// The state after this end's FIN has left.
    pub(super) const fn after_own_fin(self) -> Self {
        match self {
            Self::Established => Self::FinWait1,
            Self::CloseWait => Self::LastAck,
            other => other,
        }
    }

    /// The state after this end's FIN was acknowledged.
    pub(super) const fn after_ack_of_fin(self) -> Self {
        match self {
            Self::FinWait1 => Self::FinWait2,
            Self::Closing => Self::TimeWait,
            Self::LastAck => Self::Closed,
            other => other,
        }
    }

    /// The state after all up to the other end's FIN has arrived.
    pub(super) const fn after_fin_of_peer(self) -> Self {
        match self {
            Self::SynReceived | Self::Established => Self::CloseWait,
            Self::FinWait1 => Self::Closing,
            Self::FinWait2 => Self::TimeWait,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::State::{self, *};

    #[test]
    fn both_orders_of_closing_end_as_the_standard_draws_them() {
        let active = [State::after_own_fin, State::after_ack_of_fin, State::after_fin_of_peer];
        assert_eq!(active.iter().fold(Established, |state, step| step(state)), TimeWait);
        let passive = [State::after_fin_of_peer, State::after_own_fin, State::after_ack_of_fin];
        assert_eq!(passive.iter().fold(Established, |state, step| step(state)), Closed);
        let together = [State::after_own_fin, State::after_fin_of_peer, State::after_ack_of_fin];
        assert_eq!(together.iter().fold(Established, |state, step| step(state)), TimeWait);
    }
}
