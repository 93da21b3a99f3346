//! A sender whose peer sends any ACKs, called in any order at any time; then an honest receiver that has what it
//! acknowledged and no more.

use airlink_model::transport::{Reader, Receiver, Segment, Sender, Tcp};
use airlink_model::types::{Bytes, Duration, Time};

use super::any_segments::Arrivals;
use super::case::Case;
use super::draw::Draw;
use super::end_to_end::Run;
use super::watch::Watch;

/// An endless stream only in windows of so many segments.
const MOST_SEGMENTS: u64 = 300;

pub fn run(case: &Case) -> u64 {
    let mut peer = Peer::new(case);
    for _ in 0..case.steps {
        peer.step();
    }
    peer.end_honestly()
}

struct Peer<'a> {
    case: &'a Case,
    sender: Sender,
    watch: Watch,
    draw: Draw,
    now: Time,
    largest_window: u64,
    window: u64,
    latest: Option<Segment>,
}

impl<'a> Peer<'a> {
    fn new(case: &'a Case) -> Self {
        let mut draw = Draw::new(case.seed, "peer");
        let mss = case.tcp.mss.count();
        let is_endless = draw.coin() && mss <= 2000 && case.tcp.first_window().count() <= MOST_SEGMENTS * mss;
        let bytes = if is_endless { Bytes::UNLIMITED } else { Bytes::new(case.bytes()) };
        let segments = if is_endless { MOST_SEGMENTS } else { bytes.count().div_ceil(mss) };
        let mut peer = Self {
            case,
            sender: Sender::new(case.tcp),
            watch: Watch::new(&case.tcp, 2 * segments),
            draw,
            now: Time::ZERO,
            largest_window: if is_endless { MOST_SEGMENTS * mss } else { u64::MAX },
            window: case.tcp.first_window().count(),
            latest: None,
        };
        peer.watch.on_supply(bytes);
        peer.sender.supply(bytes);
        if peer.draw.chance(0.9) {
            peer.open();
        }
        peer
    }

    fn open(&mut self) {
        self.sender.open(self.now);
        self.watch.on_open();
    }

    fn step(&mut self) {
        match self.draw.below(20) {
            0..6 => self.wait(),
            6..14 => self.acknowledge(),
            14..16 => self.sender.handle_timeout(self.now),
            16 => self.poll(1),
            17 => self.open(),
            _ => self.poll(u64::MAX),
        }
        if self.draw.chance(0.8) {
            self.poll(u64::MAX);
        }
    }

    fn wait(&mut self) {
        let bell = self.sender.poll_timeout().unwrap_or(self.now).as_nanos();
        let sooner = self.draw.times(self.case.round_trip(), 1e-3, 3.0);
        let nanoseconds = match self.draw.below(8) {
            0 => bell.saturating_sub(1),
            1 | 2 => bell,
            3 => bell.saturating_add(1),
            4 => (self.now + self.case.tcp.rto.max * 2).as_nanos(),
            _ => (self.now + sooner).as_nanos(),
        };
        // A timer that never rings is not waited for.
        let most = (self.now + self.case.tcp.rto.max * 3).as_nanos();
        self.now = self.now.max(Time::from_nanos(nanoseconds.min(most)));
        if self.draw.chance(0.8) {
            self.sender.handle_timeout(self.now);
        }
    }

    fn poll(&mut self, most: u64) {
        for _ in 0..most {
            let before = self.sender.statistics();
            let Some(segment) = self.sender.poll_packet(self.now) else {
                self.watch.at_rest(&self.sender);
                return;
            };
            self.watch.on_sent(self.now, &segment, &self.sender, &before);
            self.latest = Some(segment);
        }
    }

    fn acknowledge(&mut self) {
        let number = self.any_offset();
        self.window = self.any_window();
        let mut ack = Segment::ack(number, Bytes::new(self.window));
        for _ in 0..self.draw.below(6) {
            let (start, end) = (self.any_offset(), self.any_offset());
            ack.push_sack(if self.draw.chance(0.9) { start.min(end)..start.max(end) } else { start..end });
        }
        ack.echo = self.any_time().into();
        ack.timestamp = self.any_time().into();
        self.watch.on_ack(&ack);
        self.sender.handle_packet(self.now, &ack);
        self.watch.after_ack(&self.sender);
        let _ = self.sender.take_rtt_sample();
    }

    fn any_offset(&mut self) -> u64 {
        let (start, end, mss) = (self.watch.acknowledged, self.watch.sent, self.case.tcp.mss.count());
        let whole = start + self.draw.below((end - start) / mss + 1) * mss;
        match self.draw.below(16) {
            0..4 => start,
            4..6 => end,
            6..11 => whole.min(end),
            11 => self.latest.map_or(0, |segment| segment.sequence),
            12 => self.draw.within(start, end),
            13 => start.saturating_sub(self.draw.size(1, 10 * mss)),
            14 => end + self.draw.size(1, 10 * mss),
            _ => self.draw.pick(&[0, u64::MAX, 1 << 40]),
        }
    }

    fn any_window(&mut self) -> u64 {
        let mss = self.case.tcp.mss.count();
        let (offered, any) = (self.case.tcp.first_window().count(), self.draw.size(1, 1000 * mss));
        let window = match self.draw.below(12) {
            0..5 => self.window,
            5 | 6 => offered,
            7 => any,
            _ => self.draw.pick(&[0, 1, mss - 1, mss, mss + 1, 10 * mss, u64::MAX]),
        };
        window.min(self.largest_window)
    }

    fn any_time(&mut self) -> Option<Time> {
        let now = self.now.as_nanos();
        match self.draw.below(8) {
            0 => None,
            1 => Some(Time::from_nanos(self.draw.below(now + 1))),
            2 => Some(self.draw.pick(&[Time::ZERO, self.now, self.now + Duration::from_nanos(1), Time::NEVER])),
            _ => self.latest.and_then(|segment| segment.timestamp.get()),
        }
    }

    /// The rest goes to a receiver that holds every byte acknowledged, and nothing of what was SACKed.
    fn end_honestly(mut self) -> u64 {
        if self.watch.supplied == u64::MAX || self.draw.chance(0.1) {
            self.sender.stop(self.now);
            self.watch.on_stop();
        }
        self.open();
        let config = Tcp { reader: Reader::Immediate, ..self.case.tcp };
        let mut receiver = Receiver::new(&config);
        let start = self.watch.acknowledged;
        while receiver.goodput().count() < start {
            let sequence = receiver.goodput().count();
            let length = (start - sequence).min(config.largest_window().count()).min(1 << 30) as u32;
            receiver.handle_packet(self.now, &Segment { sequence, length, ..Segment::default() });
            receiver.end_burst();
            let _ = receiver.poll_packet(self.now);
        }
        let arrivals = Arrivals::new(&config, start, self.watch.supplied);
        let mut case = self.case.clone();
        case.network.heals_at = Time::ZERO;
        let mut run = Run::new(&case, self.sender, receiver, self.watch, arrivals, self.now);
        run.run_to_the_end();
        run.ends.digest
    }
}
