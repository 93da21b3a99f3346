//! The words that fields of [`Tcp`](super::Tcp) hold, where a rule has more than two forms.

use crate::types::declare::Words;

/// The set of defaults that the fields were completed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Profile {
    /// RFC 5681 and RFC 6298, nothing newer.
    Classic,
    /// ns-2.
    Ns2,
    /// What RFCs ask for by now.
    Rfc,
    /// Linux.
    Linux,
}

/// How ACKs make the window grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Growth {
    /// RFC 5681 §3.1 eqs (2), (3): by ACKs, in fractional bytes. For ns-2, "packet counting": whole segments make it so.
    PerAck,
    /// RFC 3465: by bytes acknowledged, in slow start at most `byte_counting_limit_segments` an ACK (its L; one after a timeout).
    ByteCounting,
    /// Linux: whole segments; slow start by segments acknowledged, then one segment per window of them counted.
    WholeSegments,
}

/// How slow start may end before a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum SlowStartExit {
    /// Only at ssthresh or by a loss.
    Loss,
    /// HyStart++ (RFC 9406): a rising RTT leads to conservative slow start, then to congestion avoidance.
    #[word("hystart_plus_plus")]
    HyStartPlusPlus,
    /// HyStart as in Linux's CUBIC: a rising RTT or a long train of ACKs sets ssthresh.
    #[word("hystart")]
    HyStart,
}

/// What a loss makes smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum ReductionOf {
    /// FlightSize (RFC 5681 §3.1 eq. (4)).
    Flight,
    /// The window in force, min(cwnd, receiver window), in whole segments (ns-2, "windowd").
    Window,
    /// cwnd (Linux).
    CongestionWindow,
}

/// What the window is when a recovery by inflation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum RecoveryEnd {
    /// Reno: ssthresh (RFC 5681 §3.2 step 6). NewReno: min(ssthresh, max(FlightSize, SMSS) + SMSS), which sends no burst
    /// (RFC 6582 §3.2 step 3, option 1).
    Flight,
    /// ssthresh (RFC 6582 §3.2 step 3, option 2).
    Threshold,
    /// What is left when the inflation goes; partial ACKs that found too little of it have made the rest smaller (ns-2,
    /// `partial_window_deflation_` without `exit_recovery_fix_`).
    Deflated,
}

/// How a recovery with SACK knows "pipe", and what it repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum SackPipe {
    /// RFC 6675 §4: from the marks of each segment; what has enough SACKed above it is lost.
    Scoreboard,
    /// [Fall96], ns-2 (`Sack1TcpAgent`): a counter, one less for each duplicate ACK, two for a partial one, one more for each
    /// segment sent; whatever lies below the highest block is lost, and repaired once.
    Ns2Sack1,
}

/// Which rule gives the window at the start, and after idling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum InitialWindow {
    /// `initial_window_segments`.
    Segments,
    /// RFC 3390: min(4 MSS, max(2 MSS, 4380 bytes)).
    Rfc3390,
    /// RFC 6928: min(10 MSS, max(2 MSS, 14600 bytes)).
    Rfc6928,
}

/// The initial window of a connection whose SYN had to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum LostSynWindow {
    /// One segment (RFC 5681 §3.1).
    OneSegment,
    /// The usual one after one loss, and after any number that a timestamp shows to be none; else one segment (RFC 6928 §2; Linux).
    ForgivesFirst,
    /// In place of [`InitialWindow::Rfc3390`] and [`InitialWindow::Rfc6928`] `initial_window_segments` after one loss; else one
    /// segment (ns-2, `TcpAgent::timeout`: `windowInit_`).
    FallsBack,
}

/// What happens to the window when nothing was sent for longer than an RTO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum RestartAfterIdle {
    /// Nothing.
    Off,
    /// RFC 5681 §4.1: cwnd = min(initial window, cwnd).
    InitialWindow,
    /// RFC 2861, obsoleted by RFC 7661, as Linux does it: cwnd halves for every RTO idled, not below the initial window;
    /// ssthresh = max(ssthresh, 3/4 cwnd).
    Decay,
}

/// What happens to the window when less than it was in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum WindowValidation {
    /// Nothing: it grows with every ACK.
    Off,
    /// RFC 7661: it grows only while at least half of it is used, and a loss cuts it to what was used.
    Rfc7661,
    /// Linux: it grows only while it is the limit (in slow start: while at least half of it is used).
    Linux,
}

/// How the window comes down during a recovery that estimates "pipe".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum RateReduction {
    /// At once (RFC 6675 §5 step 4).
    Off,
    /// Proportional rate reduction (RFC 9937).
    Proportional,
    /// Proportional rate reduction as Linux has it, which followed RFC 6937, obsoleted by RFC 9937.
    Linux,
}

/// What a spurious recovery or timeout, once shown, gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum SpuriousResponse {
    /// Nothing.
    Off,
    /// The Eifel response (RFC 4015): resume with new data, restore the window, adapt the RTO.
    Eifel,
    /// Linux: cwnd = max(cwnd, cwnd before) and ssthresh before.
    Undo,
}
