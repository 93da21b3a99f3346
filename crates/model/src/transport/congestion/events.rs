//! What a congestion control hears of its sender.

use crate::types::{Bytes, Duration, Time};

use super::Windows;

/// An ACK, of whatever kind and in whatever phase.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When it came.
    pub now: Time,
    /// Bytes that its number newly covers.
    pub acked: Bytes,
    /// A duplicate (RFC 5681 §2; with SACK, RFC 6675 §2): it shows that a segment has arrived.
    pub is_duplicate: bool,
    /// The round-trip time of the newest segment that its number newly covers, if none of them was sent twice.
    pub rtt: Option<Duration>,
}

impl Arrival {
    /// True if it shows that something has arrived.
    pub fn is_news(&self) -> bool {
        self.is_duplicate || !self.acked.is_zero()
    }
}

/// An ACK of new data.
#[derive(Clone, Copy, Debug)]
pub struct AckEvent {
    /// When it arrived.
    pub now: Time,
    /// Every byte below is acknowledged.
    pub number: u64,
    /// The end of what was ever sent (SND.NXT but after a timeout).
    pub sent_end: u64,
    /// Bytes it newly acknowledges.
    pub acked: Bytes,
    /// Whole segments that it newly acknowledges or, with SACK, newly reports as arrived.
    pub acked_segments: u32,
    /// Bytes still in flight after it.
    pub flight: Bytes,
    /// The exact round-trip time it shows, if it shows one: that of the oldest segment it covers,
    pub rtt: Option<Duration>,
    /// and that of the newest, without the time that an ACK was delayed.
    pub newest_rtt: Option<Duration>,
    /// The smoothed round-trip time, once there is one.
    pub srtt: Option<Duration>,
    /// False when a rule of window validation finds that cwnd was not the limit; true without such a rule.
    pub is_window_limited: bool,
}

/// A loss, as the sender noticed it.
#[derive(Clone, Copy, Debug)]
pub struct LossEvent {
    /// When it was noticed.
    pub now: Time,
    /// FlightSize (RFC 5681 §2) just before: what is sent and not cumulatively acknowledged. In the non-validated phase of
    /// RFC 7661 at least pipeACK.
    pub flight: Bytes,
    /// The window that the receiver offers.
    pub receiver_window: Bytes,
    /// The end of what was ever sent.
    pub sent_end: u64,
    /// True for a timeout when ssthresh was already cut for this window: the timer had expired for this very segment.
    pub is_repeated: bool,
    /// False for a timeout during a recovery that must leave ssthresh at most where it is.
    pub may_raise: bool,
    /// False in the non-validated phase of RFC 7661: whatever else is the rule, `flight` is what the loss cuts.
    pub is_validated: bool,
}

/// A window that went unused.
#[derive(Clone, Copy, Debug)]
pub struct IdleEvent {
    /// When sending goes on, or when the lack of it was noticed.
    pub now: Time,
    /// How long nothing was in flight; zero when something was.
    pub idle: Duration,
    /// What the windows become.
    pub windows: Windows,
}
