//! A receiver that gets any segments at any time, against a map of every byte; [`Arrivals`] is that map.

use std::ops::Range;

use airlink_model::transport::{Flags, Reader, Receiver, Segment, StallingReader, Stamp, Tcp};
use airlink_model::types::{Bytes, Duration, Time};

use super::case::Case;
use super::draw::Draw;

/// How far an arbitrary segment within the window may reach.
const STREAM: u64 = 300_000;

/// Which bytes have arrived within the window, and what the receiver has promised.
pub struct Arrivals {
    config: Tcp,
    /// The byte that the map begins with: all before have arrived.
    start: u64,
    arrived: Vec<bool>,
    next: u64,
    /// The end of the highest byte taken.
    highest: u64,
    /// The right edge, the furthest that an ACK has offered.
    edge: u64,
    first_at: Option<Time>,
    /// The blocks of the latest ACK: what was true stays true.
    known: Vec<Range<u64>>,
    echo: Stamp,
}

impl Arrivals {
    pub fn new(config: &Tcp, start: u64, end: u64) -> Self {
        Self {
            config: *config,
            start,
            arrived: vec![false; (end - start) as usize],
            next: start,
            highest: start,
            edge: start + config.first_window().count(),
            first_at: None,
            known: Vec::new(),
            echo: Stamp::NONE,
        }
    }

    /// The end of what may arrive: a window that follows the reader at once has moved with the data, told or not.
    fn edge(&self) -> u64 {
        match self.config.reader {
            Reader::Immediate => self.next + self.config.largest_window().count(),
            Reader::Stalling(_) => self.edge,
        }
    }

    /// `segment` is about to be given to the receiver.
    pub fn take(&mut self, now: Time, segment: &Segment, receiver: &Receiver) {
        assert_eq!(receiver.goodput().count(), self.next);
        self.first_at.get_or_insert(now);
        let (from, to) = (segment.sequence.max(self.start), segment.end().min(self.edge()));
        if from < to {
            self.arrived[(from - self.start) as usize..(to - self.start) as usize].fill(true);
            self.highest = self.highest.max(to);
        }
        let rest = &self.arrived[(self.next - self.start) as usize..];
        self.next += rest.iter().position(|has_arrived| !has_arrived).unwrap_or(rest.len()) as u64;
    }

    pub fn check(&self, receiver: &Receiver) {
        assert_eq!(receiver.goodput().count(), self.next, "each byte once, in order, none beyond the window");
    }

    pub fn check_ack(&mut self, now: Time, ack: &Segment) {
        assert_eq!(ack.number, self.next, "the number is the first byte missing");
        let (edge, unit) = (ack.number + ack.window.count(), 1 << self.config.window_shift());
        // RFC 7323 §2.4: a scaled window may show less than was offered, by less than its unit.
        assert!(edge + unit > self.edge, "the right edge never moves back");
        assert!(ack.window.count().is_multiple_of(unit) && ack.window <= self.config.largest_window());
        self.edge = self.edge.max(edge);
        // What the reader has had time for; the scaled window may round up by less than a unit.
        let room = self.config.largest_window().count() + unit - 1;
        let held = self.edge - self.next.min(self.start + self.readable(now));
        assert!(held <= room, "{held} bytes promised or held, room for {room}");
        assert!(ack.echo >= self.echo, "the time echoed never goes back");
        self.echo = ack.echo;
        let blocks: Vec<Range<u64>> = ack.sack().collect();
        assert!(blocks.len() <= if self.config.sack { self.config.rules.sack_blocks.into() } else { 0 });
        for block in blocks.iter().filter(|block| !self.known.contains(block)) {
            let (from, to) = (block.start.max(self.start), block.end);
            let mut bytes = self.arrived[(from - self.start) as usize..(to.max(from) - self.start) as usize].iter();
            assert!(bytes.all(|has_arrived| *has_arrived), "only what has arrived is reported");
        }
        self.known = blocks;
    }

    /// More than an application reads until `now`.
    fn readable(&self, now: Time) -> u64 {
        let Reader::Stalling(StallingReader { rate, stall_after, stall_for, .. }) = self.config.reader else {
            return u64::MAX - self.start;
        };
        let bytes_per_second = rate.bps() / 8.0;
        let Some(first) = self.first_at else { return 0 };
        let (stall, all) = (first + stall_after, now.since(first));
        let stalled = now.since(stall).min(stall_for);
        let is_reading = now < stall || now >= stall + stall_for || all > stalled;
        if bytes_per_second.is_infinite() {
            return if is_reading { u64::MAX - self.start } else { 0 };
        }
        let seconds = Duration::from_nanos(all.as_nanos() - stalled.as_nanos()).as_secs();
        if seconds > 0.0 { (seconds * bytes_per_second) as u64 + 1 } else { 0 }
    }
}

pub fn run(case: &Case) -> u64 {
    let mut peer = Peer {
        receiver: Receiver::new(&case.tcp),
        arrivals: Arrivals::new(&case.tcp, 0, STREAM),
        draw: Draw::new(case.seed, "segments"),
        case,
        now: Time::ZERO,
        digest: 0,
    };
    for _ in 0..case.steps {
        peer.step();
    }
    peer.come_to_rest();
    peer.digest
}

struct Peer<'a> {
    case: &'a Case,
    receiver: Receiver,
    arrivals: Arrivals,
    draw: Draw,
    now: Time,
    digest: u64,
}

impl Peer<'_> {
    fn step(&mut self) {
        match self.draw.below(10) {
            0..3 => self.wait(),
            3 => self.receiver.handle_timeout(self.now),
            4 => self.take_ack(),
            _ => self.put_segment(),
        }
        if self.draw.chance(0.8) {
            self.take_ack();
        }
    }

    fn wait(&mut self) {
        let bell = self.receiver.poll_timeout().unwrap_or(self.now);
        let bell = bell.min(self.now + Duration::from_millis(1_000_000)).as_nanos();
        let span = self.draw.milliseconds(1e-3, 1e4);
        self.now = self.now.max(match self.draw.below(6) {
            0 => Time::from_nanos(bell.saturating_sub(1)),
            1 | 2 => Time::from_nanos(bell),
            _ => self.now + span,
        });
        if self.draw.chance(0.8) {
            self.receiver.handle_timeout(self.now);
        }
    }

    fn put_segment(&mut self) {
        let sequence = self.any_offset();
        let (mss, any) = (self.case.tcp.mss.count(), self.draw.size(1, 65_535));
        let mut length = self.draw.pick(&[mss, mss, mss, mss, 1, 0, 2 * mss, any]);
        let edge = self.arrivals.edge();
        if sequence < edge && sequence.saturating_add(length).min(edge) > STREAM {
            length = STREAM.saturating_sub(sequence); // beyond that nobody keeps the map
        }
        if sequence < edge && sequence > STREAM {
            return;
        }
        let segment = Segment {
            sequence,
            length: length as u32,
            transmission: self.draw.below(100),
            retransmission: self.draw.coin(),
            timestamp: self.any_time().into(),
            echo: self.any_time().into(),
            flags: if length == 0 && self.draw.coin() { Flags::SYN } else { Flags::NONE },
            ..Segment::default()
        };
        self.arrivals.take(self.now, &segment, &self.receiver);
        self.receiver.handle_packet(self.now, &segment);
        self.receiver.end_burst();
        self.arrivals.check(&self.receiver);
    }

    fn any_offset(&mut self) -> u64 {
        let (next, highest, edge) = (self.arrivals.next, self.arrivals.highest, self.arrivals.edge());
        let mss = self.case.tcp.mss.count();
        let some = self.draw.size(1, 10) * mss;
        match self.draw.below(16) {
            0..5 => next,
            5..8 => next + some,
            8..10 => highest,
            10 => highest + some,
            11 => next.saturating_sub(some),
            12 => next.saturating_sub(self.draw.size(1, mss)),
            13 => self.draw.below(edge.min(STREAM)),
            14 => edge.saturating_sub(self.draw.below(2 * mss)),
            _ => self.draw.pick(&[0, edge, edge + some, 1 << 50]),
        }
    }

    fn any_time(&mut self) -> Option<Time> {
        let now = self.now.as_nanos();
        match self.draw.below(6) {
            0 => None,
            1 => Some(Time::from_nanos(self.draw.below(now + 1))),
            2 => Some(self.draw.pick(&[Time::ZERO, Time::NEVER])),
            _ => Some(self.now),
        }
    }

    fn take_ack(&mut self) {
        if let Some(ack) = self.receiver.poll_packet(self.now) {
            self.arrivals.check_ack(self.now, &ack);
            self.digest = self.digest.wrapping_mul(31).wrapping_add(ack.number + 7 * ack.window.count());
            assert!(self.receiver.poll_packet(self.now).is_none(), "one ACK at a time");
        }
    }

    /// Nothing arrives any more: what waits is acknowledged, what is in order is read, and the window opens.
    fn come_to_rest(&mut self) {
        self.take_ack();
        for _ in 0..10_000 {
            let Some(bell) = self.receiver.poll_timeout() else { break };
            self.now = self.now.max(bell);
            self.receiver.handle_timeout(self.now);
            self.take_ack();
        }
        assert!(self.receiver.poll_timeout().is_none(), "timers come to an end");
        let offered = Bytes::new(self.arrivals.edge - self.arrivals.next).count();
        assert!(2 * offered >= self.case.tcp.first_window().count(), "the window opens when all is read");
    }
}
