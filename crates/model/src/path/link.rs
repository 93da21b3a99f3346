//! A link with a rate and a constant delay, first in, first out.
//!
//! A packet of B bytes that enters at t leaves the sender at d = max(t, d_previous) + 8B/rate and arrives at
//! d + delay. Nothing overtakes, so the link is a ring: pushing and popping cost a few nanoseconds.

use std::collections::VecDeque;

use super::freezes::Freezes;
use crate::types::{Bytes, Duration, Rate, Time};

/// A link's rate and one-way delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkConfig {
    /// Serialisation rate; [`Rate::UNLIMITED`] takes no time.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Duration,
}

/// Room from the first item on: a ring that grows moves what it holds.
const USUAL_LENGTH: usize = 32;

/// A wire that carries items of type `T`.
#[derive(Clone, Debug)]
pub struct Link<T> {
    config: LinkConfig,
    free_at: Time,
    /// When the item pushed last began.
    begun_at: Time,
    freezes: Freezes,
    /// The last size and how long it takes: packets and ACKs mostly have one.
    last_sent: (Bytes, Duration),
    travelling: VecDeque<(Time, T)>,
}

impl<T> Link<T> {
    /// An idle link.
    pub fn new(config: LinkConfig) -> Self {
        let last_sent = (Bytes::ZERO, Duration::ZERO);
        let (free_at, begun_at, freezes) = (Time::ZERO, Time::ZERO, Freezes::default());
        Self { config, free_at, begun_at, freezes, last_sent, travelling: VecDeque::new() }
    }

    /// From now on its sender stands still in these times.
    pub(super) fn freeze(&mut self, freezes: Freezes) {
        self.freezes = freezes;
    }

    /// Sends an item of `bytes` at `now`, and returns when it arrives.
    #[inline(always)]
    pub fn push(&mut self, now: Time, bytes: Bytes, item: T) -> Time {
        let arrival = self.send(now, bytes) + self.config.delay;
        if self.travelling.capacity() == 0 {
            self.travelling.reserve(USUAL_LENGTH);
        }
        self.travelling.push_back((arrival, item));
        arrival
    }

    /// Takes the sender for `bytes` from `now` on, and tells when the last bit leaves.
    #[inline]
    pub(super) fn send(&mut self, now: Time, bytes: Bytes) -> Time {
        if bytes != self.last_sent.0 {
            self.last_sent = (bytes, self.config.rate.time_to_send(bytes));
        }
        self.begun_at = self.freezes.begin(self.free_at.max(now));
        self.free_at = self.freezes.end(self.begun_at, self.last_sent.1);
        self.free_at
    }

    /// When the sending of the item pushed last begins.
    pub(super) fn begun_at(&self) -> Time {
        self.begun_at
    }

    /// True if the sender stands still at `now`.
    pub(super) fn is_frozen(&self, now: Time) -> bool {
        self.freezes.holds(now)
    }

    /// When the sending of an item that comes at `now` can begin.
    pub(super) fn ready_at(&self, now: Time) -> Time {
        self.freezes.begin(self.free_at.max(now))
    }

    /// When the last bit of everything pushed so far leaves the sender.
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// When the next item arrives.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.travelling.front().map(|(arrival, _)| *arrival)
    }

    /// The next item that has arrived by `now`.
    #[inline(always)]
    pub fn poll_packet(&mut self, now: Time) -> Option<T> {
        if self.poll_timeout()? > now {
            return None;
        }
        self.pop()
    }

    /// The next item, whenever it arrives.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<T> {
        self.travelling.pop_front().map(|(_, item)| item)
    }

    /// The items on their way, in the order in which they will arrive.
    pub fn travelling(&self) -> impl Iterator<Item = &T> {
        self.travelling.iter().map(|(_, item)| item)
    }

    /// Gives its memory back, if nothing is on its way.
    pub fn release(&mut self) {
        if self.is_empty() {
            self.travelling = VecDeque::new();
        }
    }

    /// Items on their way.
    pub fn len(&self) -> usize {
        self.travelling.len()
    }

    /// True if nothing is on its way.
    pub fn is_empty(&self) -> bool {
        self.travelling.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ack_of_40_bytes_takes_5_ms_at_64_kbps_and_the_next_waits_for_it() {
        let config = LinkConfig { rate: Rate::from_bps(64_000.0), delay: Duration::from_millis(20) };
        let mut link = Link::new(config);
        link.push(Time::ZERO, Bytes::new(40), 'a');
        link.push(Time::ZERO, Bytes::new(40), 'b');
        assert_eq!(link.poll_timeout(), Some(Time::from_nanos(25_000_000)));
        assert_eq!(link.poll_packet(Time::from_nanos(24_999_999)), None);
        assert_eq!(link.poll_packet(Time::from_nanos(25_000_000)), Some('a'));
        assert_eq!(link.poll_timeout(), Some(Time::from_nanos(30_000_000)));
    }

    #[test]
    fn an_unlimited_link_only_delays() {
        let mut link = Link::new(LinkConfig { rate: Rate::UNLIMITED, delay: Duration::from_millis(3) });
        link.push(Time::from_nanos(7), Bytes::new(1_000_000), ());
        assert_eq!(link.poll_timeout(), Some(Time::from_nanos(3_000_007)));
    }
}
