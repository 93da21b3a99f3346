//! The receive buffer, the window that it leaves, and the application that empties it.
//!
//! Everything between what the application has read and the right edge of the window has room in the buffer, so data
//! out of order needs none of its own. The right edge never moves back (RFC 9293 §3.8.6), but for less than a unit of a
//! scaled window that would outgrow the buffer (RFC 7323 §2.4), and moves in steps worth a segment when the application
//! is slow (§3.8.6.2.2). An application that reads at once leaves the window as it is, or lets it grow (`autotuning.rs`).
//!
//! Left out: memory that packets need beside their bytes.

use std::ops::Range;

use crate::types::declare::Section;
use crate::types::{Bytes, Duration, Rate, Time};

use super::autotuning::{self, Tuned};
use super::reassembly::Reassembly;
use super::{Piece, Tcp};

/// The largest number that the header's window field holds (RFC 9293 §3.1).
const LARGEST_FIELD: u64 = 65_535;
/// The largest shift (RFC 7323 §2.3).
const LARGEST_SHIFT: u8 = 14;

/// How the application takes what has arrived in order.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub enum Reader {
    /// The application takes what is in order at once: the buffer holds nothing but what is out of order.
    #[section(class = "Immediate", about = "Reads at once")]
    Immediate,
    /// The application reads at a rate, and for a while not at all: the advertised window shrinks, and may close.
    #[section(class = "Stalling", about = "Reads at a rate, with a pause")]
    Stalling(StallingReader),
}

/// When and how fast the application reads.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "Stalling")]
pub struct StallingReader {
    /// Rate at which it reads.
    #[field(name = "rate_bps", unit = "b/s", above = 0, at_most = 1e15, infinite, default = Rate::UNLIMITED, source = "airlink default: no limit")]
    pub rate: Rate,
    /// Time from the arrival of the flow's first segment until the application stops reading.
    #[field(name = "stall_after_s", unit = "s", at_least = 0, at_most = 1e6, infinite, default = Duration::FOREVER, source = "airlink default: never")]
    pub stall_after: Duration,
    /// Length of the pause, after which the application reads on.
    #[field(name = "stall_for_s", unit = "s", at_least = 0, at_most = 1e6, default = Duration::ZERO, source = "airlink default")]
    pub stall_for: Duration,
}

/// What may arrive, and what is offered.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    /// The largest window that can be offered.
    largest: u64,
    unit: u64,
    slow: Option<Box<SlowReader>>,
    tuned: Option<Box<Tuned>>,
}

/// What may be offered: `window` bytes beyond the first one missing, and `bound` beyond what was read.
#[derive(Clone, Copy, Debug)]
struct Room {
    window: u64,
    bound: u64,
}

/// An application that leaves data in the buffer.
#[derive(Clone, Debug)]
struct SlowReader {
    /// The right edge offered so far: RCV.NXT + RCV.WND at the last ACK.
    edge: u64,
    /// It moves by at least this: min(buffer / 2, Eff.snd.MSS), RFC 9293 §3.8.6.2.2, or what the window can show.
    least_move: u64,
    /// Bytes read since the start.
    read: u64,
    /// Part of a byte that it had time for already, and more only while something waits.
    credit: f64,
    bytes_per_second: f64,
    /// Until when `read` is known.
    now: Time,
    stall_after: Duration,
    stall_for: Duration,
    /// It reads nothing from the first of these to the second.
    stall: (Time, Time),
    has_started: bool,
    update_at: Time,
}

/// The smallest shift with which `window` can be offered (RFC 7323 §2.3), up to 14.
pub(super) fn window_shift(window: Bytes) -> u8 {
    (0..LARGEST_SHIFT).find(|&shift| window.count() >> shift <= LARGEST_FIELD).unwrap_or(LARGEST_SHIFT)
}

/// What of `window` can be offered with `shift`: a multiple of 2^shift that fits the field.
pub(super) fn offered(window: Bytes, shift: u8) -> Bytes {
    assert!(shift <= LARGEST_SHIFT, "the window's shift is at most 14");
    Bytes::new((window.count() >> shift).min(LARGEST_FIELD) << shift)
}

/// The window that a receiver offers first.
pub(super) fn first_window(tcp: &Tcp) -> Bytes {
    let largest = tcp.largest_window();
    if !tcp.receive_autotuning {
        return largest;
    }
    Bytes::new(autotuning::first_window(tcp.mss.count(), 1 << tcp.window_shift(), largest.count()))
}

impl Buffer {
    pub(super) fn new(tcp: &Tcp) -> Self {
        let (largest, unit) = (tcp.largest_window().count(), 1 << tcp.window_shift());
        let first = first_window(tcp).count();
        let slow = match tcp.reader {
            Reader::Immediate => None,
            Reader::Stalling(StallingReader { rate, stall_after, stall_for, .. }) => Some(Box::new(SlowReader {
                edge: first,
                least_move: (first / 2).min(tcp.mss.count()).max(unit),
                read: 0,
                credit: 0.0,
                bytes_per_second: rate.bps() / 8.0,
                now: Time::ZERO,
                stall_after,
                stall_for,
                stall: (Time::NEVER, Time::NEVER),
                has_started: false,
                update_at: Time::NEVER,
            })),
        };
        let tuned = (first < largest).then(|| Box::new(Tuned::new(tcp.mss, first, largest)));
        Self { largest, unit, slow, tuned }
    }

    fn room(&self) -> Room {
        self.tuned.as_ref().map_or(Room { window: self.largest, bound: self.largest }, |tuned| Room {
            window: tuned.window(),
            bound: tuned.bound(),
        })
    }

    /// The end of what may arrive while `next` is the first byte missing.
    #[inline]
    pub(super) fn edge(&self, next: u64) -> u64 {
        self.slow.as_ref().map_or(next + self.largest, |slow| slow.edge)
    }

    /// When a larger window is worth an ACK of its own.
    #[inline]
    pub(super) fn timer(&self) -> Time {
        self.slow.as_ref().map_or(Time::NEVER, |slow| slow.update_at)
    }

    /// False if the window never changes.
    #[inline]
    pub(super) const fn is_live(&self) -> bool {
        self.slow.is_some() || self.tuned.is_some()
    }

    pub(super) const fn is_tuned(&self) -> bool {
        self.tuned.is_some()
    }

    /// The window to offer in an ACK of `next`.
    #[inline]
    pub(super) fn offer(&mut self, now: Time, next: u64) -> Bytes {
        if self.slow.is_some() {
            return self.offer_of_slow(now, next);
        }
        let Some(tuned) = &mut self.tuned else { return Bytes::new(self.largest) };
        // The unit is a power of two.
        let offered = ((tuned.window() + self.unit - 1) & !(self.unit - 1)).min(self.largest);
        tuned.on_offer(offered);
        Bytes::new(offered)
    }

    #[inline(never)]
    fn offer_of_slow(&mut self, now: Time, next: u64) -> Bytes {
        let room = self.room();
        let offered = self.slow.as_mut().map_or(room.window, |slow| slow.offer(now, room, self.unit, next));
        if let Some(tuned) = &mut self.tuned {
            tuned.on_offer(offered);
        }
        Bytes::new(offered)
    }

    /// `piece` arrives: its echo may show a round trip.
    #[inline]
    pub(super) fn on_echo(&mut self, now: Time, piece: &Piece) {
        if let Some(tuned) = &mut self.tuned {
            tuned.on_echo(now, piece);
        }
    }

    /// `arrived` came in order, which now ends at `next`; true if the window grows. Nothing of it has been read yet.
    #[inline]
    pub(super) fn on_next_data(&mut self, now: Time, arrived: Range<u64>, next: u64, ahead: &Reassembly) -> bool {
        let Some(tuned) = &mut self.tuned else { return false };
        let read = self.slow.as_ref().map_or(arrived.start, |slow| slow.read);
        tuned.on_next_data(now, arrived.end - arrived.start, next, next - read, ahead)
    }

    /// `length` bytes came ahead of a gap at `next`; true if the window grows.
    pub(super) fn on_data_ahead(&mut self, length: u64, next: u64, ahead: &Reassembly) -> bool {
        let unread = self.unread(next);
        self.tuned.as_mut().is_some_and(|tuned| tuned.on_data_ahead(length, next, unread, ahead))
    }

    fn unread(&self, next: u64) -> u64 {
        self.slow.as_ref().map_or(0, |slow| next - slow.read)
    }

    /// Data arrived: everything below `next` can be read now, below `before` until now; the first piece ends at `first`.
    #[inline]
    pub(super) fn on_data(&mut self, now: Time, before: u64, first: u64, next: u64) {
        if self.slow.is_some() {
            self.on_data_of_slow(now, before, next);
        } else if let Some(tuned) = &mut self.tuned
            && next > before
        {
            tuned.on_read(now, first, next);
        }
    }

    #[inline(never)]
    fn on_data_of_slow(&mut self, now: Time, before: u64, next: u64) {
        let Some(slow) = &mut self.slow else { return };
        slow.start(now);
        slow.read_until(now, before);
        if let Some(tuned) = &mut self.tuned {
            tuned.on_read(now, slow.read, next);
        }
        let room = self.room();
        if let Some(slow) = &mut self.slow {
            slow.plan_update(room, next);
        }
    }

    /// True if the window is to be announced now.
    pub(super) fn on_timeout(&mut self, now: Time, next: u64) -> bool {
        let room = self.room();
        let Some(slow) = self.slow.as_mut().filter(|slow| now >= slow.update_at) else {
            return false;
        };
        slow.read_until(now, next);
        let is_worth_it = slow.read >= slow.enough_read(room, next);
        if !is_worth_it {
            slow.plan_update(room, next);
        }
        is_worth_it
    }
}

impl SlowReader {
    fn start(&mut self, now: Time) {
        if !self.has_started {
            self.has_started = true;
            let begin = now + self.stall_after;
            self.stall = (begin, begin + self.stall_for);
            self.now = now;
        }
    }

    /// Reads what there was time for, of the bytes below `next`.
    fn read_until(&mut self, now: Time, next: u64) {
        let stalled = self.stalled(self.now, now).as_nanos();
        let span = Duration::from_nanos(now.since(self.now).as_nanos() - stalled).as_secs();
        self.now = now;
        if span > 0.0 || self.bytes_per_second.is_infinite() && !self.is_stalled(now) {
            let time_for = self.credit + span.max(f64::MIN_POSITIVE) * self.bytes_per_second;
            let unread = next - self.read;
            if time_for >= unread as f64 {
                self.read = next;
                self.credit = 0.0;
            } else {
                // The cast rounds down.
                self.read += time_for as u64;
                self.credit = time_for - (time_for as u64) as f64;
            }
        }
    }

    fn offer(&mut self, now: Time, room: Room, unit: u64, next: u64) -> u64 {
        self.read_until(now, next);
        let offered = self.move_edge(room, unit, next);
        self.plan_update(room, next);
        offered
    }

    fn is_stalled(&self, now: Time) -> bool {
        self.stall.0 <= now && now < self.stall.1
    }

    /// How much of the time from `from` to `to` it does not read.
    fn stalled(&self, from: Time, to: Time) -> Duration {
        let (from, to) = (from.max(self.stall.0), to.min(self.stall.1));
        if from < to { to.since(from) } else { Duration::ZERO }
    }

    /// RFC 9293 §3.8.6.2.2: the edge stays until it can move by a segment or half the buffer. Where the scaled window
    /// would take back a part of what was offered (RFC 7323 §2.4), it is rounded up, unless roundings have added up to
    /// a unit more than there is room for: then the window shows less, and what was offered is still taken.
    fn move_edge(&mut self, room: Room, unit: u64, next: u64) -> u64 {
        let end = (self.read + room.bound).min(next + room.window);
        if end >= self.edge + self.least_move {
            let offered = (end - next) / unit * unit;
            self.edge = self.edge.max(next + offered);
        }
        let promised = self.edge - next;
        let rounded_up = promised.next_multiple_of(unit);
        if next + rounded_up >= self.read + room.bound + unit {
            return promised / unit * unit;
        }
        self.edge = next + rounded_up;
        rounded_up
    }

    /// Bytes read from which on an ACK only for the window pays: the edge may move, and the window is twice as large
    /// (Linux, `tcp_cleanup_rbuf`). More than have arrived, if more has to arrive first.
    fn enough_read(&self, room: Room, next: u64) -> u64 {
        let offered = self.edge - next;
        let edge = (self.edge + self.least_move).max(next + 2 * offered);
        if edge > next + room.window { u64::MAX } else { edge.saturating_sub(room.bound) }
    }

    fn plan_update(&mut self, room: Room, next: u64) {
        let enough = self.enough_read(room, next);
        self.update_at = if enough > next {
            Time::NEVER // more has to arrive first
        } else {
            self.when_read(enough.saturating_sub(self.read))
        };
    }

    /// When `bytes` more will have been read.
    fn when_read(&self, bytes: u64) -> Time {
        let seconds = ((bytes as f64 - self.credit) / self.bytes_per_second).max(0.0);
        let working = Duration::from_nanos((seconds * 1e9).min(u64::MAX as f64 / 4.0).ceil() as u64);
        let from = if self.is_stalled(self.now) { self.stall.1 } else { self.now };
        let done = from + working;
        // A stall that begins on the way postpones the rest.
        if from < self.stall.0 && done > self.stall.0 { done + self.stall_for } else { done }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1000;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn buffer(segments: u64, bytes_per_second: f64, stall_ms: (u64, u64)) -> Buffer {
        let reader = Reader::Stalling(StallingReader {
            rate: Rate::from_bps(8.0 * bytes_per_second),
            stall_after: Duration::from_millis(stall_ms.0),
            stall_for: Duration::from_millis(stall_ms.1),
        });
        let (mss, receiver_window) = (Bytes::new(SEGMENT), Bytes::new(segments * SEGMENT));
        Buffer::new(&Tcp { mss, receiver_window, reader, ..Tcp::default() })
    }

    #[test]
    fn a_window_is_rounded_down_to_the_shift_and_fits_its_field() {
        assert_eq!(window_shift(Bytes::new(65_535)), 0);
        assert_eq!(window_shift(Bytes::new(65_536)), 1);
        assert_eq!(window_shift(Bytes::new(1 << 30)), 14);
        assert_eq!(window_shift(Bytes::new(1 << 40)), 14);
        assert_eq!(offered(Bytes::new(100_000), 0), Bytes::new(65_535));
        assert_eq!(offered(Bytes::new(100_003), 2), Bytes::new(100_000));
        assert_eq!(offered(Bytes::new(1 << 40), 14), Bytes::new(65_535 << 14));
    }

    #[test]
    fn what_is_not_read_closes_the_window() {
        // 100 ms a segment; three arrive at once.
        let mut buffer = buffer(4, 10_000.0, (0, 0));
        assert_eq!(buffer.edge(0), 4000);
        buffer.on_data(at(0), 0, 3000, 3000);
        assert_eq!(buffer.offer(at(0), 3000), Bytes::new(1000));
        assert_eq!(buffer.edge(3000), 4000);
        // A segment is read at 100 ms; before, the edge does not move at all.
        assert_eq!(buffer.offer(at(99), 3000), Bytes::new(1000));
        assert_eq!(buffer.timer(), at(100));
        assert!(buffer.on_timeout(at(100), 3000));
        assert_eq!(buffer.offer(at(100), 3000), Bytes::new(2000));
        // The next update is worth it when the window has doubled: at 300 ms.
        assert_eq!(buffer.timer(), at(300));
        assert!(!buffer.on_timeout(at(299), 3000));
        assert!(buffer.on_timeout(at(300), 3000));
        assert_eq!(buffer.offer(at(300), 3000), Bytes::new(4000));
        assert_eq!(buffer.timer(), Time::NEVER);
    }

    #[test]
    fn a_stall_closes_the_window_until_it_ends() {
        let mut buffer = buffer(2, f64::INFINITY, (50, 500));
        buffer.on_data(at(0), 0, 1000, 1000);
        assert_eq!(buffer.offer(at(0), 1000), Bytes::new(2000));
        buffer.on_data(at(50), 1000, 3000, 3000);
        assert_eq!(buffer.offer(at(50), 3000), Bytes::new(0));
        assert_eq!(buffer.timer(), at(550));
        assert!(buffer.on_timeout(at(550), 3000));
        assert_eq!(buffer.offer(at(550), 3000), Bytes::new(2000));
    }

    #[test]
    fn an_application_that_never_stalls_reads_on() {
        let reader = Reader::Stalling(StallingReader {
            rate: Rate::from_bps(80_000.0),
            stall_after: Duration::FOREVER,
            stall_for: Duration::ZERO,
        });
        let config = Tcp { mss: Bytes::new(SEGMENT), receiver_window: Bytes::new(SEGMENT), reader, ..Tcp::default() };
        let mut buffer = Buffer::new(&config);
        buffer.on_data(at(0), 0, 1000, 1000);
        assert_eq!(buffer.offer(at(0), 1000), Bytes::new(0));
        buffer.on_data(at(30), 1000, 1000, 1000);
        assert_eq!(buffer.timer(), at(50));
    }

    #[test]
    fn a_stall_that_begins_on_the_way_postpones_the_rest() {
        // 1000 bytes take 100 ms, of which 40 pass before the stall.
        let mut buffer = buffer(1, 10_000.0, (40, 200));
        buffer.on_data(at(0), 0, 1000, 1000);
        assert_eq!(buffer.offer(at(0), 1000), Bytes::new(0));
        // Half the buffer is enough: 40 ms of reading, 200 of standing still, 10 of reading.
        assert_eq!(buffer.timer(), at(250));
        assert!(buffer.on_timeout(at(250), 1000));
        assert_eq!(buffer.offer(at(250), 1000), Bytes::new(500));
    }

    #[test]
    fn a_scaled_edge_neither_moves_back_nor_outgrows_the_buffer_by_a_unit() {
        let reader = Reader::Stalling(StallingReader {
            rate: Rate::from_bps(8.0),
            stall_after: Duration::ZERO,
            stall_for: Duration::FOREVER,
        });
        let config = Tcp { receiver_window: Bytes::new(1 << 20), reader, ..Tcp::default() };
        let mut buffer = Buffer::new(&config);
        let (mut next, mut edge) = (0, 1 << 20);
        while next + SEGMENT <= edge {
            buffer.on_data(at(0), next, next + SEGMENT, next + SEGMENT);
            next += SEGMENT;
            let offered = buffer.offer(at(0), next).count();
            // It shows at most a unit less than was offered (RFC 7323 §2.4), which is still taken.
            assert!(offered.is_multiple_of(32) && next + offered + 32 > edge && next + offered < (1 << 20) + 32);
            edge = edge.max(next + offered);
            assert_eq!(buffer.edge(next), edge);
        }
    }

    #[test]
    fn a_window_whose_unit_exceeds_what_arrives_closes_all_the_same() {
        // Units of 256 bytes, segments of 100: rounded up each time, nothing would ever be taken off the window.
        let reader = Reader::Stalling(StallingReader {
            rate: Rate::from_bps(8.0),
            stall_after: Duration::ZERO,
            stall_for: Duration::FOREVER,
        });
        let (mss, receiver_window) = (Bytes::new(100), Bytes::new(1 << 23));
        let mut buffer = Buffer::new(&Tcp { mss, receiver_window, reader, ..Tcp::default() });
        let mut next = 0;
        while buffer.offer(at(0), next).count() >= 100 {
            buffer.on_data(at(0), next, next + 100, next + 100);
            next += 100;
            assert!(next < (1 << 23) + 256);
        }
        assert!(next + 256 > 1 << 23);
    }

    #[test]
    fn the_smallest_buffer_is_read_and_announced_once() {
        // One byte: half of it is none, but the edge moves by a byte or not at all.
        let reader = Reader::Stalling(StallingReader {
            rate: Rate::from_bps(80.0),
            stall_after: Duration::FOREVER,
            stall_for: Duration::ZERO,
        });
        let mss = Bytes::new(1);
        let mut buffer = Buffer::new(&Tcp { mss, receiver_window: mss, reader, ..Tcp::default() });
        buffer.on_data(at(0), 0, 1, 1);
        assert_eq!(buffer.offer(at(0), 1), Bytes::ZERO);
        assert_eq!(buffer.timer(), at(100));
        assert!(buffer.on_timeout(at(100), 1));
        assert_eq!((buffer.offer(at(100), 1), buffer.timer()), (Bytes::new(1), Time::NEVER));
    }
}
