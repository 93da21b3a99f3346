//! Two endpoints, the wires between them and what their applications do: the network of `twoway.tcl`.
//!
//! Server --1 Gb/s--> queue and bottleneck --> client --1 Gb/s--> server. At one nanosecond: what reaches the client, the
//! queue, the server, then timers, then applications.

use std::collections::VecDeque;

use airlink_model::transport::{Endpoint, Segment, Tcp};
use airlink_model::types::{Bytes, Duration, Rate, Time};

use super::table::{End, Sent};

const HEADER: u64 = 40;

/// What an application does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verb {
    Send(u64),
    Close,
}

/// One case of `twoway.py`.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: &'static str,
    /// What the client's application does, and when, s.
    pub client: Vec<(f64, Verb)>,
    pub server: Vec<(f64, Verb)>,
    /// What the server sends when it has a whole request of the client's; 0: `server` says what it sends.
    pub answer: u64,
    pub rate_bps: f64,
    pub back_bps: f64,
    pub limit: usize,
}

/// A queue, a rate and a delay; a packet that comes as another leaves finds it there, as in ns-2 with these wires.
struct Wire {
    rate: Rate,
    delay: Duration,
    limit: usize,
    free_at: Time,
    leaving: VecDeque<Time>,
    flying: VecDeque<(Time, Segment)>,
}

impl Wire {
    fn new(rate_bps: f64, delay_ns: u64, limit: usize) -> Self {
        let (rate, delay) = (Rate::from_bps(rate_bps), Duration::from_nanos(delay_ns));
        Self { rate, delay, limit, free_at: Time::ZERO, leaving: VecDeque::new(), flying: VecDeque::new() }
    }

    fn push(&mut self, now: Time, segment: Segment) {
        while self.leaving.front().is_some_and(|at| *at < now) {
            self.leaving.pop_front();
        }
        if self.leaving.len() < self.limit {
            let bytes = Bytes::new(HEADER + u64::from(segment.length) + sack_option(&segment));
            self.free_at = self.free_at.max(now) + self.rate.time_to_send(bytes);
            self.leaving.push_back(self.free_at);
            self.flying.push_back((self.free_at + self.delay, segment));
        }
    }

    fn next(&self) -> Time {
        self.flying.front().map_or(Time::NEVER, |(at, _)| *at)
    }

    fn pop(&mut self, now: Time) -> Option<Segment> {
        (self.next() <= now).then(|| self.flying.pop_front().expect("one has arrived").1)
    }
}

/// A run of a case.
pub struct Network {
    client: Endpoint,
    server: Endpoint,
    access: Wire,
    bottleneck: Wire,
    back: Wire,
    commands: Vec<(Time, End, Verb)>,
    /// Where the requests end that are not answered, in the client's stream.
    asked: VecDeque<u64>,
    requested: u64,
    answer: u64,
    sent: Vec<Sent>,
}

impl Network {
    pub fn new(case: Case, tcp: &Tcp) -> Self {
        let (mut client, mut server) = (Endpoint::new(*tcp), Endpoint::new(*tcp));
        server.listen();
        client.open(Time::ZERO);
        let of = |end, list: &[(f64, Verb)]| -> Vec<(Time, End, Verb)> {
            list.iter().map(|(at_s, verb)| (Time::ZERO + Duration::from_secs(*at_s), end, *verb)).collect()
        };
        let mut commands = [of(End::Client, &case.client), of(End::Server, &case.server)].concat();
        commands.sort_by_key(|(at, end, _)| (*at, *end));
        Self {
            asked: VecDeque::new(),
            requested: 0,
            answer: case.answer,
            client,
            server,
            access: Wire::new(1e9, 1_000_311, usize::MAX),
            bottleneck: Wire::new(case.rate_bps, 10_013_717, case.limit),
            back: Wire::new(case.back_bps, 10_007_193, usize::MAX),
            commands,
            sent: Vec::new(),
        }
    }

    /// All segments that the ends send until `end`, in the order of their times.
    pub fn run(mut self, end: Time) -> Vec<Sent> {
        self.flush(Time::ZERO, End::Client);
        while let Some(now) = self.next_event().filter(|now| *now <= end) {
            self.step(now);
        }
        self.sent
    }

    fn next_event(&self) -> Option<Time> {
        let timers = [&self.client, &self.server].map(|end| end.poll_timeout().unwrap_or(Time::NEVER));
        let wires = [&self.access, &self.bottleneck, &self.back].map(Wire::next);
        let command = self.commands.first().map_or(Time::NEVER, |(at, ..)| *at);
        timers.into_iter().chain(wires).chain([command]).min().filter(|at| *at < Time::NEVER)
    }

    fn step(&mut self, now: Time) {
        while let Some(segment) = self.bottleneck.pop(now) {
            self.client.handle_packet(now, &segment);
            self.flush(now, End::Client);
        }
        while let Some(segment) = self.access.pop(now) {
            self.bottleneck.push(now, segment);
        }
        while let Some(segment) = self.back.pop(now) {
            self.server.handle_packet(now, &segment);
            self.answer();
            self.flush(now, End::Server);
        }
        for end in [End::Client, End::Server] {
            if self.end(end).poll_timeout().is_some_and(|at| at <= now) {
                self.end(end).handle_timeout(now);
                self.flush(now, end);
            }
        }
        while self.commands.first().is_some_and(|(at, ..)| *at <= now) {
            let (_, end, verb) = self.commands.remove(0);
            self.command(now, end, verb);
            self.flush(now, end);
        }
    }

    fn command(&mut self, now: Time, end: End, verb: Verb) {
        match verb {
            Verb::Send(bytes) => {
                if end == End::Client {
                    self.requested += bytes;
                    self.asked.push_back(self.requested);
                }
                self.end(end).supply(Bytes::new(bytes));
            }
            Verb::Close => self.end(end).close(now),
        }
    }

    /// The server has a whole request: its application answers at once.
    fn answer(&mut self) {
        while self.answer > 0 && self.asked.front().is_some_and(|end| *end <= self.server.goodput().count()) {
            self.asked.pop_front();
            self.server.supply(Bytes::new(self.answer));
        }
    }

    fn end(&mut self, end: End) -> &mut Endpoint {
        match end {
            End::Client => &mut self.client,
            End::Server => &mut self.server,
        }
    }

    fn flush(&mut self, now: Time, end: End) {
        while let Some(segment) = self.end(end).poll_packet(now) {
            self.sent.push(Sent::of(now, end, &segment));
            match end {
                End::Client => self.back.push(now, segment),
                End::Server => self.access.push(now, segment),
            }
        }
    }
}

/// Two bytes, and eight a block.
fn sack_option(segment: &Segment) -> u64 {
    if segment.has_sack() { 2 + 8 * segment.sack().count() as u64 } else { 0 }
}
