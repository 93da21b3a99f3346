//! An uplink on which users ask before they send: scheduling requests, grants and buffer status, as in LTE and NR.
//!
//! A user with data and no grant sends a request in the slot of its next opportunity. User u of n has one each period P, at
//! u P/n + k P; its slot is the first uplink slot that begins then or later. With s(r) the start of that slot, the grant is one of the
//! first uplink slot from s(r) + grant delay + transmit delay on (TS 36.213 section 8: 4 ms from grant to PUSCH; NR: K2 of TS 38.214
//! section 6.1.2.1). It carries what the user had at that slot's start, up to so many bytes; what it carries whole is there at
//! the slot's end, all at one moment. With it goes the buffer status (TS 36.321 section 5.4.5): if something waits, there is another
//! grant in the first uplink slot from the grant period on, counted from slot start to slot start; if nothing does, what comes later
//! needs a new request. All users share the bytes of a slot, in turn, each at most its grant; who is left over has a grant of the
//! next uplink slot.
//!
//! With both delays 0 each opportunity is a grant that needs no request (a configured grant, TS 38.214 section 6.1.2.3).
//!
//! It leaves out: blocks that are lost on air and their HARQ, requests that are lost or collide, the size of headers and of the
//! buffer status, rates that follow the channel, several grants of one user under way at a time.

use std::collections::{BTreeSet, VecDeque};

use crate::types::declare::Section;
use crate::types::{Bytes, Duration, Slot, SlotClock, TddPattern, Time};

/// Requests and grants of the users' uplink. Without this section what users send leaves at once.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "Uplink")]
pub struct UplinkConfig {
    /// Time between two opportunities of a user to ask for a grant; the users' opportunities are spread evenly over it.
    #[field(
        name = "request_period_ms",
        unit = "ms",
        at_least = 0.01,
        at_most = 1e6,
        default = Duration::from_millis(10),
        source = "TS 36.213 table 10.1.5-1: 5, 10, 20, 40 or 80 ms; airlink default: 10"
    )]
    pub request_period: Duration,
    /// From a request to its grant, both at their slots' starts.
    #[field(
        name = "grant_delay_ms",
        unit = "ms",
        at_least = 0,
        at_most = 1e6,
        default = Duration::from_millis(4),
        source = "airlink default: as long as from grant to transmission"
    )]
    pub grant_delay: Duration,
    /// From a grant to what is sent with it.
    #[field(
        name = "transmit_delay_ms",
        unit = "ms",
        at_least = 0,
        at_most = 1e6,
        default = Duration::from_millis(4),
        source = "TS 36.213 section 8: 4 ms; NR: K2 slots (TS 38.214 section 6.1.2.1)"
    )]
    pub transmit_delay: Duration,
    /// From what is sent with one grant to what is sent with the next, while the user's buffer status says that more waits.
    #[field(
        name = "grant_period_ms",
        unit = "ms",
        at_least = 0,
        at_most = 1e6,
        default = Duration::from_millis(8),
        source = "airlink default: buffer status, grant and transmission, 4 + 4 ms"
    )]
    pub grant_period: Duration,
    /// The most bytes of one grant.
    #[field(
        unit = "bytes",
        at_least = 1,
        at_most = 1e15,
        infinite,
        default = Bytes::new(1500),
        source = "airlink default: one large packet, or 37 ACKs of 40 bytes"
    )]
    pub grant_bytes: Bytes,
    /// The most bytes of one slot, of all users together.
    #[field(
        unit = "bytes",
        at_least = 1,
        at_most = 1e15,
        infinite,
        default = Bytes::UNLIMITED,
        source = "airlink default: unlimited"
    )]
    pub slot_bytes: Bytes,
}

/// The uplink of a cell: what its users wait to send, and their grants.
#[derive(Clone, Debug)]
pub struct Uplink<T> {
    config: UplinkConfig,
    clock: SlotClock,
    pattern: TddPattern,
    users: Vec<User<T>>,
    /// Users with a request or a grant, by the slot from which on they may send.
    due: BTreeSet<(Slot, usize)>,
    /// Slots before this one are over.
    next: Slot,
    /// Whose turn it is first, where users share a slot.
    turn: usize,
    /// What has come out and is not taken yet.
    out: VecDeque<(Time, T)>,
}

/// What one user waits to send.
#[derive(Clone, Debug)]
struct User<T> {
    /// Of its first opportunity.
    offset: Duration,
    waiting: VecDeque<Item<T>>,
    /// Of the first item, what earlier grants have carried.
    carried: Bytes,
}

#[derive(Clone, Debug)]
struct Item<T> {
    entered_at: Time,
    bytes: Bytes,
    item: T,
}

impl UplinkConfig {
    /// When user `user` of `users` has its first opportunity to ask.
    pub fn offset(&self, user: usize, users: usize) -> Duration {
        let spread = u128::from(self.request_period.as_nanos()) * user as u128 / users as u128;
        Duration::from_nanos(spread as u64) // less than a period
    }
}

impl<T> Uplink<T> {
    /// An uplink on which nobody waits, with a user for each of `offsets`.
    pub fn new(
        config: UplinkConfig,
        clock: SlotClock,
        pattern: TddPattern,
        offsets: impl IntoIterator<Item = Duration>,
    ) -> Self {
        assert!(pattern.has_uplink(), "without an uplink slot nothing is ever sent");
        let user = |offset| User { offset, waiting: VecDeque::new(), carried: Bytes::ZERO };
        let users = offsets.into_iter().map(user).collect();
        Self { config, clock, pattern, users, due: BTreeSet::new(), next: Slot::ZERO, turn: 0, out: VecDeque::new() }
    }

    /// User `user` has `bytes` more to send from `now` on.
    pub fn push(&mut self, now: Time, user: usize, bytes: Bytes, item: T) {
        let waiting = &mut self.users[user].waiting;
        let asks = waiting.is_empty();
        waiting.push_back(Item { entered_at: now, bytes, item });
        if asks {
            self.ask(now, user);
        }
    }

    /// When something comes out next.
    pub fn poll_timeout(&self) -> Option<Time> {
        let taken_late = self.out.front().map(|(at, _)| *at);
        taken_late.or_else(|| self.next_used().map(|slot| self.clock.start_of(slot.next())))
    }

    /// The next item that has come out by `now`.
    pub fn poll_packet(&mut self, now: Time) -> Option<T> {
        while self.out.is_empty() {
            let slot = self.next_used().filter(|slot| self.clock.start_of(slot.next()) <= now)?;
            self.use_slot(slot);
        }
        self.out.pop_front().map(|(_, item)| item)
    }

    /// The items that wait, in no order.
    pub fn waiting(&self) -> impl Iterator<Item = &T> {
        let waiting = self.users.iter().flat_map(|user| user.waiting.iter().map(|item| &item.item));
        waiting.chain(self.out.iter().map(|(_, item)| item))
    }

    /// User `user`, who has had data since `since` and no grant, asks for one.
    fn ask(&mut self, since: Time, user: usize) {
        let asked_at = self.clock.start_of(self.request_slot(since, self.users[user].offset));
        let sends_at = asked_at + self.config.grant_delay + self.config.transmit_delay;
        self.due.insert((self.uplink_from(sends_at), user));
    }

    /// The first slot, from `since` on, of an opportunity of a user whose first one is at `offset`.
    fn request_slot(&self, since: Time, offset: Duration) -> Slot {
        let period = self.config.request_period.as_nanos();
        let number = since.since(Time::ZERO + offset).as_nanos().div_ceil(period);
        let slot_of = |number: u64| self.uplink_from(Time::ZERO + offset + Duration::from_nanos(period) * number);
        // The slot of the one before may not have begun.
        let before = number.checked_sub(1).map(slot_of).filter(|&slot| self.clock.start_of(slot) >= since);
        before.unwrap_or_else(|| slot_of(number))
    }

    /// The first uplink slot that begins at `time` or later.
    fn uplink_from(&self, time: Time) -> Slot {
        self.pattern.uplink_from(self.clock.first_at_or_after(time))
    }

    /// The next slot in which somebody may send.
    fn next_used(&self) -> Option<Slot> {
        let (slot, _) = *self.due.first()?;
        Some(if slot >= self.next { slot } else { self.pattern.uplink_from(self.next) })
    }

    /// Sends what `slot` carries.
    fn use_slot(&mut self, slot: Slot) {
        self.next = slot.next();
        let mut senders: Vec<(usize, Slot)> =
            self.due.iter().take_while(|(due, _)| *due <= slot).map(|&(due, user)| (user, due)).collect();
        senders.sort_unstable();
        let first = senders.partition_point(|(user, _)| *user < self.turn);
        senders.rotate_left(first);
        let mut left = self.config.slot_bytes;
        for (user, due) in senders {
            if left.is_zero() {
                break;
            }
            self.due.remove(&(due, user));
            let sent = self.send(slot, user, left.min(self.config.grant_bytes));
            if left != Bytes::UNLIMITED {
                left -= sent;
                self.turn = user + 1;
            }
        }
    }

    /// User `user` sends what it had at the start of `slot`, up to `grant`, and tells what it has left; returns the bytes sent.
    fn send(&mut self, slot: Slot, user: usize, grant: Bytes) -> Bytes {
        let (began_at, ended_at) = (self.clock.start_of(slot), self.clock.start_of(slot.next()));
        let User { waiting, carried, .. } = &mut self.users[user];
        let mut room = grant;
        while waiting.front().is_some_and(|first| first.entered_at <= began_at) {
            let rest = waiting[0].bytes - *carried;
            if rest > room {
                *carried += room;
                room = Bytes::ZERO;
                break;
            }
            room -= rest;
            *carried = Bytes::ZERO;
            self.out.extend(waiting.pop_front().map(|first| (ended_at, first.item)));
        }
        match waiting.front().map(|first| first.entered_at) {
            Some(entered_at) if entered_at > began_at => self.ask(entered_at, user),
            Some(_) => {
                let again =
                    self.uplink_from(began_at + self.config.grant_period).max(self.pattern.uplink_from(self.next));
                self.due.insert((again, user));
            }
            None => {}
        }
        grant - room
    }
}
