//! Both ends over wires that lose, reorder and duplicate: both streams arrive whole and in order, and both ends close.

use airlink_model::transport::{DelayedAck, Endpoint, Profile, Rules, Segment, State, Tcp};
use airlink_model::types::{Bytes, Time};

use super::pair::{Fate, Pair};
use crate::tcp_fuzz::draw::Draw;

const CASES: u64 = 3000;
/// Twice the life of a segment is 240 s; all else is over long before.
const END: Time = Time::from_nanos(4_000 * 1_000_000_000);
const MOST_EVENTS: usize = 200_000;

fn any_tcp(draw: &mut Draw) -> Tcp {
    let sack = draw.coin();
    let receiver_window = Bytes::new(draw.size(2000, 200_000));
    Tcp {
        mss: Bytes::new(1000),
        handshake: draw.chance(0.8),
        sack,
        timestamps: draw.coin(),
        receiver_window,
        rules: Rules {
            rack: sack && draw.coin(),
            dsack: sack && draw.coin(),
            limited_transmit: draw.coin(),
            ..Rules::default()
        },
        delayed_ack: DelayedAck { every: draw.within(1, 4) as u32, ..DelayedAck::default() },
        profile: Profile::Classic,
        ..Tcp::default()
    }
}

/// Wires whose losses stop after a while, so that the run has an end.
struct Wires {
    draw: Draw,
    lossy: f64,
    doubling: f64,
    late: f64,
    left: u64,
}

impl Wires {
    fn fate(&mut self, _end: usize, _segment: &Segment) -> Fate {
        self.left = self.left.saturating_sub(1);
        if self.left > 0 && self.draw.chance(self.lossy) {
            return Vec::new();
        }
        let copies = 1 + usize::from(self.draw.chance(self.doubling));
        (0..copies)
            .map(|_| {
                let most = if self.draw.chance(self.late) { 400.0 } else { 20.0 };
                self.draw.milliseconds(10.0, most)
            })
            .collect()
    }
}

struct Case {
    pair: Pair,
    wires: Wires,
    streams: [u64; 2],
    /// What each end supplies later, and when.
    later: Vec<(Time, usize, u64)>,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut draw = Draw::new(seed, "two ends");
        let tcp = any_tcp(&mut draw);
        let mut pair = Pair::new(Endpoint::new(tcp), Endpoint::new(tcp));
        pair.ends[0].open(Time::ZERO);
        match draw.below(4) {
            0 => pair.ends[1].open(Time::ZERO),
            _ => pair.ends[1].listen(),
        }
        let mut later = Vec::new();
        let mut streams = [0, 0];
        for (end, stream) in streams.iter_mut().enumerate() {
            for _ in 0..draw.below(5) {
                let bytes = draw.size(1, 30_000);
                *stream += bytes;
                later.push((Time::ZERO + draw.milliseconds(1.0, 3000.0), end, bytes));
            }
        }
        later.sort_by_key(|(at, ..)| *at);
        let (lossy, doubling) = (draw.uniform(0.0, 0.3), draw.uniform(0.0, 0.2));
        let late = draw.uniform(0.0, 0.2);
        let wires = Wires { draw: Draw::new(seed, "wires"), lossy, doubling, late, left: draw.size(1, 2000) };
        Self { pair, wires, streams, later }
    }

    fn run(&mut self, seed: u64) {
        let wires = &mut self.wires;
        let mut fate = |end: usize, segment: &Segment| wires.fate(end, segment);
        self.pair.send(0, &mut fate);
        self.pair.send(1, &mut fate);
        for &(at, end, bytes) in &self.later {
            while self.pair.step(at, &mut fate) {}
            self.pair.now = at;
            self.pair.ends[end].supply(Bytes::new(bytes));
            self.pair.send(end, &mut fate);
        }
        // Before both are open a close would only abandon the connection.
        let is_open = |pair: &Pair| pair.ends.iter().all(|end| end.state().is_synchronized());
        for _ in 0..MOST_EVENTS {
            if is_open(&self.pair) || !self.pair.step(END, &mut fate) {
                break;
            }
        }
        assert!(is_open(&self.pair), "seed {seed}: {:?}", self.pair.words());
        for end in 0..2 {
            self.pair.ends[end].close(self.pair.now);
            self.pair.send(end, &mut fate);
        }
        let mut events = 0;
        while self.pair.step(END, &mut fate) {
            events += 1;
            assert!(
                events < MOST_EVENTS,
                "seed {seed}: the ends go in circles: {:?}",
                self.pair.words().split_off(events)
            );
        }
    }

    fn check(&self, seed: u64) {
        for end in 0..2 {
            let (own, other) = (&self.pair.ends[end], &self.pair.ends[1 - end]);
            assert_eq!(own.goodput().count(), self.streams[1 - end], "seed {seed}: what end {end} received");
            let acknowledged = own.sender().map_or(0, |sender| sender.acknowledged().count());
            assert_eq!(acknowledged, self.streams[end], "seed {seed}: what is acknowledged to end {end}");
            assert_eq!(own.state(), State::Closed, "seed {seed}: end {end}");
            // A segment that comes after the last ACK is answered by a reset, which ends a TIME-WAIT early (RFC 1337).
            assert!(own.has_received_all(), "seed {seed}: end {end}");
            assert_eq!(other.goodput().count(), acknowledged);
        }
        self.pair.check_conservation();
    }
}

#[test]
fn two_streams_arrive_whole_over_any_wires_and_both_ends_close() {
    for seed in 0..CASES {
        let mut case = Case::new(seed);
        case.run(seed);
        case.check(seed);
    }
}
