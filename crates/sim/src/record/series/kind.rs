//! Which series there are.

/// A kind of series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordKind {
    /// Every slot: who won it and what it carried.
    Slots,
    /// Every data packet from the server on.
    Packets,
    /// Every acknowledgment as it reaches the server.
    Acks,
    /// Every SACK block as it reaches the server.
    Sacks,
    /// Every change of a user's queue.
    Queue,
    /// Window, threshold, flight and timer of each sender at each event.
    Cwnd,
    /// Every unambiguous round-trip sample.
    Rtt,
    /// What befell each flow beside ACKs: its start, losses, probes, its end.
    Events,
    /// Every user's true SINR and reported rate in every slot.
    Snr,
    /// Every gap between two slots that a user won.
    Gaps,
    /// What held each flow back, interval by interval.
    Limits,
    /// Every file and page.
    Downloads,
    /// Every expiry of each flow's retransmission timer.
    Timeouts,
    /// Every subchannel that a user got in a slot.
    Grants,
    /// How often each user was sent at each row of the table of rates.
    Mcs,
    /// The price of a queue as each packet leaves it.
    Prices,
}

impl RecordKind {
    /// All kinds.
    pub const ALL: [Self; 16] = [
        Self::Slots,
        Self::Packets,
        Self::Acks,
        Self::Sacks,
        Self::Queue,
        Self::Cwnd,
        Self::Rtt,
        Self::Events,
        Self::Snr,
        Self::Gaps,
        Self::Limits,
        Self::Downloads,
        Self::Timeouts,
        Self::Grants,
        Self::Mcs,
        Self::Prices,
    ];

    /// The kind's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slots => "slots",
            Self::Packets => "packets",
            Self::Acks => "acks",
            Self::Sacks => "sacks",
            Self::Queue => "queue",
            Self::Cwnd => "cwnd",
            Self::Rtt => "rtt",
            Self::Events => "events",
            Self::Snr => "snr",
            Self::Gaps => "gaps",
            Self::Limits => "limits",
            Self::Downloads => "downloads",
            Self::Timeouts => "timeouts",
            Self::Grants => "grants",
            Self::Mcs => "mcs",
            Self::Prices => "prices",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
