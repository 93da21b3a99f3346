//! The events of a flow.

/// An event of a flow, as the column `event` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowEvent {
    /// An ACK without any of the events below.
    Ack = 0,
    /// It starts.
    Started = 1,
    /// A recovery began before the timer expired.
    FastRetransmit = 2,
    /// The retransmission timer expired.
    Timeout = 3,
    /// A recovery is over.
    Recovered = 4,
    /// A recovery or timeout was found to be spurious and taken back.
    Undone = 5,
    /// A probe for the loss of a tail went out.
    TailLossProbe = 6,
    /// A probe of a closed window went out.
    WindowProbe = 7,
    /// It sends no new data from now on.
    Stopped = 8,
    /// Its last byte has arrived.
    Completed = 9,
    /// The retransmission timer expired and was armed again instead of a timeout.
    TimeoutHeld = 10,
    /// An echoed mark reduced the window.
    EcnReduction = 11,
}

impl FlowEvent {
    /// All events, by their numbers.
    pub(crate) const ALL: [Self; 12] = [
        Self::Ack,
        Self::Started,
        Self::FastRetransmit,
        Self::Timeout,
        Self::Recovered,
        Self::Undone,
        Self::TailLossProbe,
        Self::WindowProbe,
        Self::Stopped,
        Self::Completed,
        Self::TimeoutHeld,
        Self::EcnReduction,
    ];

    /// Its number in results and what it stands for.
    pub(crate) const fn code(self) -> (u8, &'static str) {
        let label = match self {
            Self::Ack => "ACK",
            Self::Started => "started",
            Self::FastRetransmit => "fast retransmit",
            Self::Timeout => "timeout",
            Self::Recovered => "recovered",
            Self::Undone => "undone",
            Self::TailLossProbe => "tail loss probe",
            Self::WindowProbe => "window probe",
            Self::Stopped => "stopped",
            Self::Completed => "completed",
            Self::TimeoutHeld => "timeout held",
            Self::EcnReduction => "ECN reduction",
        };
        (self as u8, label)
    }
}
