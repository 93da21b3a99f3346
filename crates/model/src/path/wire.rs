//! A wire: a rate and a constant delay, first in, first out, that may lose, duplicate, delay or hold what it carries.
//!
//! A packet of B bytes that enters at t leaves the sender at d = max(t, d_previous) + 8B/rate and arrives at
//! d + delay. Nothing overtakes, so the wire is a ring: pushing and popping cost a few nanoseconds.
//!
//! With impairments, what arrives in order still goes through a ring; what may be overtaken waits in a heap beside it, ordered
//! by (time, order of sending), and what is lost waits until the moment of its loss, so that a driver hears of it then.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::freezes::Freezes;
use super::{Freeze, Impairments, Verdict};
use crate::types::{Bytes, DropReason, Duration, Rate, Time};

/// A link's rate and one-way delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkConfig {
    /// Serialisation rate; [`Rate::UNLIMITED`] takes no time.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Duration,
}

/// A link with or without impairments.
#[derive(Clone, Debug)]
pub struct Wire<T> {
    link: Link<T>,
    /// When something next arrives or is lost: asked for far more often than it changes.
    next_at: Time,
    impaired: Option<Box<Impaired<T>>>,
}

/// Something that a wire lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost<T> {
    /// When.
    pub at: Time,
    /// What.
    pub item: T,
    /// Why.
    pub reason: DropReason,
}

/// What travels under impairments.
#[derive(Clone, Debug)]
struct Impaired<T> {
    impairments: Impairments,
    delay: Duration,
    /// Counts what was put on its way: among equal times the first goes first.
    order: u64,
    /// When the last item in the ring begins the constant delay.
    last_in_order: Time,
    /// When the item pushed last begins the constant delay or is lost.
    held_until: Time,
    in_order: VecDeque<Travelling<T>>,
    aside: BinaryHeap<Reverse<Travelling<T>>>,
    lost: VecDeque<Lost<T>>,
}

/// An item on its way; compared by when it arrives.
#[derive(Clone, Debug)]
struct Travelling<T> {
    arrival: Time,
    order: u64,
    item: T,
}

impl<T: Clone> Wire<T> {
    /// An idle wire.
    pub fn new(config: LinkConfig, impairments: Option<Impairments>) -> Self {
        let impaired = impairments.map(|impairments| Box::new(Impaired::new(impairments, config.delay)));
        Self { link: Link::new(config), next_at: Time::NEVER, impaired }
    }

    /// The same wire, whose sender stands still in these times.
    pub fn with_freezes(mut self, freezes: Vec<Freeze>) -> Self {
        self.link.freezes = Freezes::new(freezes);
        self
    }

    /// Sends an item of `bytes` at `now`; true if it will be duplicated.
    #[inline(always)]
    pub fn push(&mut self, now: Time, bytes: Bytes, item: T) -> bool {
        match &mut self.impaired {
            None => {
                let arrival = self.link.push(now, bytes, item);
                // Nothing overtakes: what is on its way arrives before.
                self.next_at = self.next_at.min(arrival);
                false
            }
            Some(impaired) => {
                let sent_at = self.link.send(now, bytes);
                let duplicated = impaired.push(self.link.begun_at, sent_at, item);
                self.next_at = impaired.next_at();
                duplicated
            }
        }
    }

    /// The rate at which its sender sends.
    pub const fn rate(&self) -> Rate {
        self.link.config.rate
    }

    /// True if it may lose or duplicate what it carries.
    #[inline]
    pub const fn is_impaired(&self) -> bool {
        self.impaired.is_some()
    }

    /// True if its sender stands still at `now`.
    pub(super) fn is_frozen(&self, now: Time) -> bool {
        self.link.freezes.holds(now)
    }

    /// When the sending of an item that comes at `now` can begin.
    pub fn ready_at(&self, now: Time) -> Time {
        self.link.ready_at(now)
    }

    /// When the sending of the item pushed last begins.
    pub fn begun_at(&self) -> Time {
        self.link.begun_at
    }

    /// When the last bit of everything pushed so far leaves the sender.
    pub fn free_at(&self) -> Time {
        self.link.free_at
    }

    /// Until when the item pushed last is sent, held or late; after that comes the constant delay, or nothing if it is lost.
    pub fn held_until(&self) -> Time {
        match &self.impaired {
            None => self.link.free_at,
            Some(impaired) => impaired.held_until,
        }
    }

    /// When the next item arrives or is lost.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Time> {
        (self.next_at != Time::NEVER).then_some(self.next_at)
    }

    /// The next item that has arrived by `now`.
    #[inline(always)]
    pub fn poll_packet(&mut self, now: Time) -> Option<T> {
        if self.next_at > now {
            return None;
        }
        match &mut self.impaired {
            None => {
                let item = self.link.pop();
                self.next_at = self.link.next_at();
                item
            }
            Some(impaired) => {
                let item = impaired.poll_packet(now);
                self.next_at = impaired.next_at();
                item
            }
        }
    }

    /// Gives memory back that nothing needs now; an item that comes later gets some again.
    pub fn release(&mut self) {
        self.link.release();
    }

    /// The next item that was lost by `now`.
    #[inline]
    pub fn poll_lost(&mut self, now: Time) -> Option<Lost<T>> {
        let impaired = self.impaired.as_mut()?;
        if impaired.lost.front()?.at > now {
            return None;
        }
        let lost = impaired.lost.pop_front();
        self.next_at = impaired.next_at();
        lost
    }

    /// The items on their way that will arrive, in no order.
    pub fn travelling(&self) -> impl Iterator<Item = &T> {
        let impaired = self.impaired.as_deref().into_iter();
        let beside = impaired.flat_map(|impaired| {
            let in_order = impaired.in_order.iter().map(|next| &next.item);
            in_order.chain(impaired.aside.iter().map(|Reverse(next)| &next.item))
        });
        self.link.travelling.iter().map(|(_, item)| item).chain(beside)
    }

    /// The items on their way that will be lost, in no order.
    pub fn losing(&self) -> impl Iterator<Item = &T> {
        self.impaired.as_deref().into_iter().flat_map(|impaired| impaired.lost.iter().map(|lost| &lost.item))
    }

    /// Items that have neither arrived nor been lost.
    pub fn len(&self) -> usize {
        match &self.impaired {
            None => self.link.travelling.len(),
            Some(impaired) => impaired.in_order.len() + impaired.aside.len() + impaired.lost.len(),
        }
    }

    /// True if nothing is on its way.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The rate, the delay and what is on its way, as long as nothing impairs it.
#[derive(Clone, Debug)]
struct Link<T> {
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
    fn new(config: LinkConfig) -> Self {
        let last_sent = (Bytes::ZERO, Duration::ZERO);
        let (free_at, begun_at, freezes) = (Time::ZERO, Time::ZERO, Freezes::default());
        Self { config, free_at, begun_at, freezes, last_sent, travelling: VecDeque::new() }
    }

    /// Sends an item of `bytes` at `now`, and returns when it arrives.
    #[inline(always)]
    fn push(&mut self, now: Time, bytes: Bytes, item: T) -> Time {
        let arrival = self.send(now, bytes) + self.config.delay;
        self.travelling.push_back((arrival, item));
        arrival
    }

    /// Takes the sender for `bytes` from `now` on, and tells when the last bit leaves.
    #[inline]
    fn send(&mut self, now: Time, bytes: Bytes) -> Time {
        if bytes != self.last_sent.0 {
            self.last_sent = (bytes, self.config.rate.time_to_send(bytes));
        }
        self.begun_at = self.freezes.begin(self.free_at.max(now));
        self.free_at = self.freezes.end(self.begun_at, self.last_sent.1);
        self.free_at
    }

    /// When the sending of an item that comes at `now` can begin.
    fn ready_at(&self, now: Time) -> Time {
        self.freezes.begin(self.free_at.max(now))
    }

    /// When the next item arrives; never without one.
    #[inline]
    fn next_at(&self) -> Time {
        self.travelling.front().map_or(Time::NEVER, |(arrival, _)| *arrival)
    }

    /// The next item, whenever it arrives.
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.travelling.pop_front().map(|(_, item)| item)
    }

    /// Gives its memory back, if nothing is on its way.
    fn release(&mut self) {
        if self.travelling.is_empty() {
            self.travelling = VecDeque::new();
        }
    }
}

impl<T: Clone> Impaired<T> {
    fn new(impairments: Impairments, delay: Duration) -> Self {
        Self {
            impairments,
            delay,
            order: 0,
            last_in_order: Time::ZERO,
            held_until: Time::ZERO,
            in_order: VecDeque::new(),
            aside: BinaryHeap::new(),
            lost: VecDeque::new(),
        }
    }

    // Kept out of line: an unimpaired wire pays for a test and nothing else.
    /// Takes over an item whose first and last bits leave the sender at these times.
    #[inline(never)]
    fn push(&mut self, begun_at: Time, sent_at: Time, item: T) -> bool {
        match self.impairments.judge(begun_at, sent_at) {
            Verdict::Lost { at, reason } => {
                self.held_until = at;
                self.lost.push_back(Lost { at, item, reason });
                false
            }
            Verdict::Passes { at, extra, overtaken, duplicated } => {
                if duplicated {
                    self.carry(at + extra, overtaken, item.clone());
                }
                self.carry(at + extra, overtaken, item);
                duplicated
            }
        }
    }

    fn carry(&mut self, late_until: Time, overtaken: bool, item: T) {
        let order = self.order;
        self.order += 1;
        if overtaken {
            self.held_until = late_until;
            self.aside.push(Reverse(Travelling { arrival: late_until + self.delay, order, item }));
            return;
        }
        // Behind what a spike made late, where order is kept.
        self.last_in_order = self.last_in_order.max(late_until);
        self.held_until = self.last_in_order;
        self.in_order.push_back(Travelling { arrival: self.held_until + self.delay, order, item });
    }

    #[inline(never)]
    fn next_at(&self) -> Time {
        let lost_at = self.lost.front().map(|lost| lost.at);
        [self.next_arrival(), lost_at].into_iter().flatten().min().unwrap_or(Time::NEVER)
    }

    fn next_arrival(&self) -> Option<Time> {
        let in_order = self.in_order.front().map(|next| next.arrival);
        let aside = self.aside.peek().map(|Reverse(next)| next.arrival);
        [in_order, aside].into_iter().flatten().min()
    }

    #[inline(never)]
    fn poll_packet(&mut self, now: Time) -> Option<T> {
        if self.next_arrival()? > now {
            return None;
        }
        let aside_first = match (self.in_order.front(), self.aside.peek()) {
            (Some(in_order), Some(Reverse(aside))) => aside < in_order,
            (in_order, _) => in_order.is_none(),
        };
        let next = if aside_first { self.aside.pop().map(|Reverse(next)| next) } else { self.in_order.pop_front() };
        next.map(|next| next.item)
    }
}

impl<T> PartialEq for Travelling<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.arrival, self.order) == (other.arrival, other.order)
    }
}

impl<T> Eq for Travelling<T> {}

impl<T> PartialOrd for Travelling<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Travelling<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.arrival, self.order).cmp(&(other.arrival, other.order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ack_of_40_bytes_takes_5_ms_at_64_kbps_and_the_next_waits_for_it() {
        let config = LinkConfig { rate: Rate::from_bps(64_000.0), delay: Duration::from_millis(20) };
        let mut wire = Wire::new(config, None);
        wire.push(Time::ZERO, Bytes::new(40), 'a');
        wire.push(Time::ZERO, Bytes::new(40), 'b');
        assert_eq!(wire.poll_timeout(), Some(Time::from_nanos(25_000_000)));
        assert_eq!(wire.poll_packet(Time::from_nanos(24_999_999)), None);
        assert_eq!(wire.poll_packet(Time::from_nanos(25_000_000)), Some('a'));
        assert_eq!(wire.poll_timeout(), Some(Time::from_nanos(30_000_000)));
    }

    #[test]
    fn an_unlimited_wire_only_delays() {
        let mut wire = Wire::new(LinkConfig { rate: Rate::UNLIMITED, delay: Duration::from_millis(3) }, None);
        wire.push(Time::from_nanos(7), Bytes::new(1_000_000), ());
        assert_eq!(wire.poll_timeout(), Some(Time::from_nanos(3_000_007)));
    }
}
