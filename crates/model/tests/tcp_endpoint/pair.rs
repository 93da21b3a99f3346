//! Two endpoints and a wire each way, whose packets each have a fate.

use airlink_model::transport::{Endpoint, Flags, Segment};
use airlink_model::types::{Duration, Time};

/// What becomes of a segment: when each of its copies arrives; lost without one.
pub type Fate = Vec<Duration>;

/// Counts of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub sent: u64,
    pub duplicated: u64,
    pub lost: u64,
    pub arrived: u64,
}

/// Both ends, by number.
pub struct Pair {
    pub ends: [Endpoint; 2],
    pub now: Time,
    /// Time of arrival, a number that orders equal ones, the end it goes to, and the segment.
    flying: Vec<(Time, u64, usize, Segment)>,
    placed: u64,
    pub counts: [Counts; 2],
    /// All that left: when, from which end, and what.
    pub log: Vec<(Time, usize, Segment)>,
}

impl Pair {
    pub fn new(first: Endpoint, second: Endpoint) -> Self {
        Self {
            ends: [first, second],
            now: Time::ZERO,
            flying: Vec::new(),
            placed: 0,
            counts: Default::default(),
            log: Vec::new(),
        }
    }

    /// Lets everything out that an end has to send.
    pub fn send(&mut self, end: usize, fate: &mut impl FnMut(usize, &Segment) -> Fate) {
        while let Some(segment) = self.ends[end].poll_packet(self.now) {
            self.log.push((self.now, end, segment));
            let copies = fate(end, &segment);
            let counts = &mut self.counts[end];
            counts.sent += 1;
            counts.lost += u64::from(copies.is_empty());
            counts.duplicated += copies.len().saturating_sub(1) as u64;
            for delay in copies {
                self.flying.push((self.now + delay, self.placed, 1 - end, segment));
                self.placed += 1;
            }
        }
    }

    fn next_event(&self) -> Time {
        let arrival = self.flying.iter().map(|(at, ..)| *at).min().unwrap_or(Time::NEVER);
        let timers = self.ends.iter().filter_map(Endpoint::poll_timeout).min().unwrap_or(Time::NEVER);
        arrival.min(timers)
    }

    /// Handles the next event before `until`; returns false if there is none.
    pub fn step(&mut self, until: Time, fate: &mut impl FnMut(usize, &Segment) -> Fate) -> bool {
        let next = self.next_event();
        if next > until {
            return false;
        }
        self.now = self.now.max(next);
        let first = (0..self.flying.len()).min_by_key(|&index| (self.flying[index].0, self.flying[index].1));
        match first.filter(|&index| self.flying[index].0 <= self.now) {
            Some(index) => {
                let (_, _, end, segment) = self.flying.swap_remove(index);
                self.counts[1 - end].arrived += 1;
                self.ends[end].handle_packet(self.now, &segment);
                self.send(end, fate);
            }
            None => {
                for end in 0..2 {
                    if self.ends[end].poll_timeout().is_some_and(|due| due <= self.now) {
                        self.ends[end].handle_timeout(self.now);
                        self.send(end, fate);
                    }
                }
            }
        }
        true
    }

    /// Runs over wires that lose nothing, with `delay` each way.
    pub fn run(&mut self, until: Time, delay: Duration) {
        let mut fate = |_: usize, _: &Segment| vec![delay];
        (0..2).for_each(|end| self.send(end, &mut fate));
        while self.step(until, &mut fate) {}
        self.now = until;
    }

    pub fn check_conservation(&self) {
        for (end, counts) in self.counts.iter().enumerate() {
            let waiting = self.flying.iter().filter(|(_, _, to, _)| *to == 1 - end).count() as u64;
            assert_eq!(counts.sent, self.ends[end].segments_sent());
            assert_eq!(counts.sent + counts.duplicated, counts.arrived + counts.lost + waiting);
        }
    }

    /// What left, in words: milliseconds, end, flags, range of bytes, number acknowledged.
    pub fn words(&self) -> Vec<String> {
        self.log.iter().map(|(at, end, segment)| words(*at, *end, segment)).collect()
    }
}

fn words(at: Time, end: usize, segment: &Segment) -> String {
    let names = [(Flags::SYN, " syn"), (Flags::FIN, " fin"), (Flags::RST, " rst")];
    let flags: String = names.iter().filter(|(flag, _)| segment.flags.has(*flag)).map(|(_, name)| *name).collect();
    let ack = if segment.flags.ack() { format!(" ack {}", segment.number) } else { String::new() };
    let end = if end == 0 { "A" } else { "B" };
    format!("{} {end}{flags} {}..{}{ack}", at.as_nanos() / 1_000_000, segment.sequence, segment.end())
}
