//! What becomes of packets that nobody acknowledges: which arrived, which were lost, which bursts were on time.
//!
//! The packets of a flow are numbered from 0 in the order of sending, and a burst is a run of such numbers with one deadline
//! (a frame of a video, or one packet). Of a packet that was duplicated the first copy that arrives counts; it is lost when
//! all of its copies are. A burst is *on time* if its last packet arrives at its deadline or before, and *missed* once that
//! is impossible: when one of its packets is lost, or with the first nanosecond after the deadline.
//!
//! This is the truth, not what a receiver sees: from the numbers of RTP (RFC 3550) it learns of a loss when a later packet
//! arrives, and it never learns of the last ones. Memory grows with what is on its way, not with what was sent. It leaves out:
//! a playout buffer, packets that come late but are still of use, what a decoder makes of an incomplete frame.

use std::collections::VecDeque;

use crate::types::{Duration, Time};

/// What of a flow is on its way.
#[derive(Clone, Debug, Default)]
pub struct Outstanding {
    /// From the oldest on; those in the middle may have ended.
    bursts: VecDeque<Open>,
    /// The number of the first of them.
    first: u64,
    /// The first burst whose deadline is still ahead, and which is neither complete nor missed.
    next_due: u64,
    /// The number of the next packet.
    next_packet: u64,
    /// Packets of which there is or was more than one copy, until all have ended.
    copies: Vec<Copies>,
}

/// A burst on its way.
#[derive(Clone, Copy, Debug)]
struct Open {
    first_packet: u64,
    sent_at: Time,
    deadline: Time,
    /// Packets that have neither arrived nor been lost.
    left: u64,
    is_missed: bool,
    /// All of its packets have arrived or been lost.
    has_ended: bool,
}

/// A packet and how many copies of it are on their way.
#[derive(Clone, Copy, Debug)]
struct Copies {
    number: u64,
    left: u32,
    has_arrived: bool,
}

/// What an event meant for a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// All of it was there in time, so long after it left.
    OnTime(Duration),
    /// All of it is there, but its deadline was missed before.
    Late(Duration),
    /// It misses its deadline.
    Missed,
}

/// What the arrival or loss of a packet meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The packet's own fate is known by it; false for a copy that was not the one that counts.
    pub counts: bool,
    /// Which burst it is of.
    pub burst: u64,
    /// What it meant for that, if anything.
    pub fate: Option<Fate>,
}

impl Outstanding {
    /// A burst of `packets` leaves at `now`; returns its number and that of its first packet.
    pub fn send(&mut self, now: Time, packets: u64, deadline: Duration) -> (u64, u64) {
        let (number, first_packet) = (self.first + self.bursts.len() as u64, self.next_packet);
        let deadline = now + deadline;
        self.bursts.push_back(Open {
            first_packet,
            sent_at: now,
            deadline,
            left: packets,
            is_missed: false,
            has_ended: false,
        });
        self.next_packet += packets;
        (number, first_packet)
    }

    /// True if all that was sent has ended.
    pub fn is_empty(&self) -> bool {
        self.bursts.is_empty()
    }

    /// There is another copy of a packet that is on its way.
    #[cold]
    pub fn duplicate(&mut self, number: u64) {
        match self.copies.iter_mut().find(|copies| copies.number == number) {
            Some(copies) => copies.left += 1,
            None => self.copies.push(Copies { number, left: 2, has_arrived: false }),
        }
    }

    /// A packet arrives.
    pub fn on_arrival(&mut self, now: Time, number: u64) -> Ended {
        let counts = self.copies.is_empty() || self.on_copy(number, true);
        let burst = self.burst_of(number);
        if !counts {
            return Ended { counts, burst, fate: None };
        }
        let open = &mut self.bursts[(burst - self.first) as usize];
        open.left -= 1;
        let after = now.since(open.sent_at);
        let misses = now > open.deadline && !open.is_missed;
        open.is_missed |= misses;
        let fate = match (open.left, open.is_missed) {
            (0, false) => Some(Fate::OnTime(after)),
            (0, true) if !misses && !open.has_ended => Some(Fate::Late(after)),
            _ => misses.then_some(Fate::Missed),
        };
        open.has_ended |= open.left == 0;
        self.advance();
        Ended { counts, burst, fate }
    }

    /// A packet is lost.
    pub fn on_loss(&mut self, number: u64) -> Ended {
        let counts = self.copies.is_empty() || self.on_copy(number, false);
        let burst = self.burst_of(number);
        if !counts {
            return Ended { counts, burst, fate: None };
        }
        let open = &mut self.bursts[(burst - self.first) as usize];
        open.left -= 1;
        // A burst without one of its packets is never complete.
        open.has_ended = true;
        let fate = (!open.is_missed).then_some(Fate::Missed);
        open.is_missed = true;
        self.advance();
        Ended { counts, burst, fate }
    }

    /// When the next deadline is missed if nothing arrives: the nanosecond after it.
    pub fn poll_timeout(&self) -> Time {
        let place = (self.next_due - self.first) as usize;
        self.bursts.get(place).map_or(Time::NEVER, |open| open.deadline + Duration::from_nanos(1))
    }

    /// Takes note of the next burst whose deadline has passed by `now`, which is missed; false if there is none.
    pub fn expire(&mut self, now: Time) -> bool {
        let place = (self.next_due - self.first) as usize;
        let Some(open) = self.bursts.get_mut(place).filter(|open| open.deadline < now) else { return false };
        open.is_missed = true;
        self.advance();
        true
    }

    /// Counts an arrival or loss of a copy; true if the fate of its packet is known by it.
    #[cold]
    fn on_copy(&mut self, number: u64, arrives: bool) -> bool {
        let Some(place) = self.copies.iter().position(|copies| copies.number == number) else { return true };
        let copies = &mut self.copies[place];
        copies.left -= 1;
        let counts = !copies.has_arrived && (arrives || copies.left == 0);
        copies.has_arrived |= arrives;
        if copies.left == 0 {
            self.copies.swap_remove(place);
        }
        counts
    }

    /// The burst of a packet that was sent: found by halving, as packets are numbered in order.
    fn burst_of(&self, number: u64) -> u64 {
        let after = self.bursts.partition_point(|open| open.first_packet <= number);
        self.first + after.saturating_sub(1) as u64
    }

    fn advance(&mut self) {
        let is_over = |open: &Open| open.is_missed || open.left == 0;
        while self.bursts.get((self.next_due - self.first) as usize).is_some_and(is_over) {
            self.next_due += 1;
        }
        while self.bursts.front().is_some_and(|open| open.left == 0) {
            self.bursts.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(nanoseconds: u64) -> Time {
        Time::from_nanos(nanoseconds)
    }

    const fn span(nanoseconds: u64) -> Duration {
        Duration::from_nanos(nanoseconds)
    }

    #[test]
    fn a_burst_is_on_time_at_its_deadline_and_misses_it_by_a_nanosecond() {
        for (arrival, fate) in [(110, Fate::OnTime(span(100))), (111, Fate::Missed)] {
            let mut sent = Outstanding::default();
            assert_eq!(sent.send(at(10), 2, span(100)), (0, 0));
            assert_eq!(sent.on_arrival(at(50), 0), Ended { counts: true, burst: 0, fate: None });
            assert_eq!(sent.poll_timeout(), at(111));
            assert_eq!(sent.on_arrival(at(arrival), 1), Ended { counts: true, burst: 0, fate: Some(fate) });
            assert_eq!(sent.poll_timeout(), Time::NEVER);
        }
    }

    #[test]
    fn deadlines_pass_one_by_one_and_what_is_complete_later_is_late() {
        let mut sent = Outstanding::default();
        sent.send(at(0), 1, span(100));
        sent.send(at(50), 1, span(100));
        assert_eq!([at(100), at(101), at(101)].map(|now| sent.expire(now)), [false, true, false]);
        assert_eq!(sent.poll_timeout(), at(151));
        assert_eq!(sent.on_arrival(at(120), 0).fate, Some(Fate::Late(span(120))));
        assert_eq!(sent.on_arrival(at(150), 1).fate, Some(Fate::OnTime(span(100))));
        assert_eq!((sent.expire(at(1000)), sent.is_empty()), (false, true));
    }

    #[test]
    fn a_burst_that_lost_a_packet_is_missed_once_and_never_late() {
        let mut sent = Outstanding::default();
        sent.send(at(0), 3, span(100));
        let fates = [sent.on_arrival(at(1), 0).fate, sent.on_loss(1).fate, sent.on_arrival(at(2), 2).fate];
        assert_eq!(fates, [None, Some(Fate::Missed), None]);
        assert_eq!((sent.poll_timeout(), sent.expire(at(500))), (Time::NEVER, false));
        let (burst, first) = sent.send(at(3), 1, span(100));
        assert_eq!((burst, first, sent.on_loss(3).burst), (1, 3, 1));
    }

    #[test]
    fn bursts_may_end_in_any_order() {
        let mut sent = Outstanding::default();
        for _ in 0..4 {
            sent.send(at(0), 2, span(100));
        }
        for number in [7, 5, 4, 6] {
            assert_eq!(sent.on_arrival(at(10), number).burst, number / 2);
        }
        assert_eq!(sent.bursts.len(), 4);
        assert_eq!((sent.on_loss(0).fate, sent.on_arrival(at(20), 1).fate), (Some(Fate::Missed), None));
        assert_eq!(sent.on_arrival(at(20), 3).fate, None);
        assert_eq!(sent.on_arrival(at(20), 2).fate, Some(Fate::OnTime(span(20))));
        assert_eq!(sent.bursts.len(), 0);
    }

    #[test]
    fn of_copies_the_first_arrival_counts_and_the_last_loss() {
        let deliver = |sent: &mut Outstanding| sent.on_arrival(at(1), 0).counts;
        let lose = |sent: &mut Outstanding| sent.on_loss(0).counts;
        type Step = fn(&mut Outstanding) -> bool;
        let cases: [([Step; 2], [bool; 2]); 4] = [
            ([deliver, deliver], [true, false]),
            ([deliver, lose], [true, false]),
            ([lose, deliver], [false, true]),
            ([lose, lose], [false, true]),
        ];
        for (steps, counts) in cases {
            let mut sent = Outstanding::default();
            sent.send(at(0), 1, span(100));
            sent.duplicate(0);
            assert_eq!(steps.map(|step| step(&mut sent)), counts);
            assert!(sent.copies.is_empty());
        }
    }

    #[test]
    fn without_a_deadline_nothing_is_ever_due() {
        let mut sent = Outstanding::default();
        sent.send(at(5), 1, Duration::FOREVER);
        assert_eq!((sent.poll_timeout(), sent.expire(at(1 << 60))), (Time::NEVER, false));
        assert_eq!(sent.on_arrival(at(9), 0).fate, Some(Fate::OnTime(span(4))));
    }
}
