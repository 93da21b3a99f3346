//! What a congestion control hears of its sender.

use crate::types::{Bytes, Duration, Rate, Time};

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

/// A segment that leaves, new or again.
#[derive(Clone, Copy, Debug)]
pub struct SentEvent {
    /// When.
    pub now: Time,
    /// Its bytes.
    pub bytes: Bytes,
    /// Bytes in flight before it.
    pub in_flight: Bytes,
    /// Its bytes had been sent before.
    pub is_retransmission: bool,
    /// The application had nothing more to send at some moment of the last round trip ([`RateSample::is_app_limited`]).
    pub is_app_limited: bool,
}

/// An ACK of new data; any ACK, for a control whose recovery is its own.
#[derive(Clone, Copy, Debug)]
pub struct AckEvent {
    /// When it arrived.
    pub now: Time,
    /// Every byte below is acknowledged.
    pub number: u64,
    /// The end of what was ever sent (SND.NXT but after a timeout).
    pub sent_end: u64,
    /// Bytes that its number newly acknowledges.
    pub acked: Bytes,
    /// Bytes that it shows to have arrived and no ACK before it did (DeliveredData of RFC 9937 §6.2); with SACK not the same.
    pub delivered: Bytes,
    /// Among the bytes that have arrived, those that it newly reports to have come marked (CE, RFC 3168).
    pub marked: Bytes,
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
    /// The delivery rate that it shows; only for a control that asks ([`Needs::rate_samples`](super::Needs::rate_samples)).
    pub rate: Option<RateSample>,
}

/// A delivery rate sample ([Cardwell26], "Delivery Rate Samples"): what was delivered between the sending of a segment
/// and its ACK. The segment, P, is the last one sent of those that the ACK newly shows to have arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// RS.delivery_rate; none if nothing that is certain was delivered, or in less than the least round-trip time.
    pub rate: Option<Rate>,
    /// RS.delivered: bytes delivered in the interval.
    pub delivered: Bytes,
    /// RS.prior_delivered: C.delivered when P was sent.
    pub prior_delivered: Bytes,
    /// C.delivered: all bytes delivered so far, this ACK included.
    pub total_delivered: Bytes,
    /// RS.send_elapsed: how long the flight that ends with P took to send.
    pub send_elapsed: Duration,
    /// RS.ack_elapsed: how long it took to be acknowledged.
    pub ack_elapsed: Duration,
    /// RS.is_app_limited: the application, not the network, may have set the rate.
    pub is_app_limited: bool,
    /// RS.tx_in_flight: bytes in flight right after P was sent.
    pub in_flight_at_send: Bytes,
    /// RS.lost: bytes declared lost between the sending of P and now.
    pub lost: Bytes,
    /// RS.newly_lost: bytes declared lost by this ACK.
    pub newly_lost: Bytes,
    /// RS.rtt: since P was sent, if it was sent once.
    pub rtt: Option<Duration>,
}

impl RateSample {
    /// RS.interval: the longer of the two spans.
    pub fn interval(&self) -> Duration {
        self.send_elapsed.max(self.ack_elapsed)
    }
}

/// A transmission that the sender gives up for lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostEvent {
    /// When it was given up.
    pub now: Time,
    /// Its bytes.
    pub bytes: Bytes,
    /// When it was sent.
    pub sent_at: Time,
    /// P.tx_in_flight: bytes in flight right after it was sent.
    pub in_flight_at_send: Bytes,
    /// C.lost - P.lost: bytes declared lost since it was sent, its own included.
    pub lost: Bytes,
    /// P.is_app_limited.
    pub is_app_limited: bool,
}

/// A loss, as the sender noticed it, or a congestion mark.
#[derive(Clone, Copy, Debug)]
pub struct LossEvent {
    /// When it was noticed.
    pub now: Time,
    /// FlightSize (RFC 5681 §2) just before: what is sent and not cumulatively acknowledged. In the non-validated phase of
    /// RFC 7661 at least pipeACK.
    pub flight: Bytes,
    /// Bytes in flight just after, without what is given up: "pipe" (RFC 6675 §4).
    pub in_flight: Bytes,
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
