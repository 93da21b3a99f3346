//! A receive buffer that grows with the flow, as Linux's does (6.18, `net/ipv4/tcp_input.c`): the window follows what arrives
//! (`tcp_grow_window`), up to a bound that follows what the application takes in a round trip (`tcp_rcvbuf_grow`).
//!
//! Memory counts by the bytes that it may hold: at first half of it, then five eighths, as with 1448 bytes in 2304 (measured on
//! 6.18). Left out: other sizes of packets in memory, memory pressure, segments under 128 bytes, and limits that `SO_RCVBUF` sets.

use crate::types::{Bytes, Duration, Time};

use super::Piece;
use super::reassembly::Reassembly;

/// Half of `tcp_rmem[1]`, 131072 bytes: what may be offered before the size of packets is known.
const FIRST_SPACE: u64 = 65_536;
/// Five eighths of it: what may once it is.
const FIRST_BOUND: u64 = 81_920;
/// `TCP_INIT_CWND`: what the application is taken to have read in a round trip before the first.
const FIRST_SEGMENTS_READ: u64 = 10;
/// `tcp_event_data_recv`: smaller segments let no window grow.
const LEAST_LENGTH: u64 = 128;

/// The window that the kernel first offers to segments of `mss` bytes (`tcp_select_initial_window`), as far as `largest` and the
/// scale allow. It is more than one unit of the scale, so that it can be shown when a part of it is used.
pub(super) fn first_window(mss: u64, unit: u64, largest: u64) -> u64 {
    (FIRST_SPACE / mss * mss).max(mss).max(2 * unit).min(largest)
}

/// The window, and up to where it may grow.
#[derive(Clone, Debug)]
pub(super) struct Tuned {
    mss: u64,
    /// Linux, `rcv_ssthresh`.
    window: u64,
    /// Linux, `window_clamp`.
    bound: u64,
    /// What memory allows in the end (`tcp_rmem[2]`).
    largest: u64,
    /// The most that the application took in a round trip so far (`rcvq_space.space`).
    taken: u64,
    /// Since when, and from which byte on, what it takes is counted: at first since the first data.
    counted_from: Option<(Time, u64)>,
    /// From the first byte missing to the last one here.
    span: u64,
    /// The window offered last.
    offered: u64,
    round_trip: RoundTrip,
}

impl Tuned {
    pub(super) fn new(mss: Bytes, first: u64, largest: u64) -> Self {
        let mss = mss.count();
        Self {
            mss,
            window: first,
            bound: FIRST_BOUND.max(first).min(largest),
            largest,
            taken: first.min(FIRST_SEGMENTS_READ * mss),
            counted_from: None,
            span: 0,
            offered: first,
            round_trip: RoundTrip::default(),
        }
    }

    pub(super) const fn window(&self) -> u64 {
        self.window
    }

    pub(super) const fn bound(&self) -> u64 {
        self.bound
    }

    pub(super) const fn on_offer(&mut self, offered: u64) {
        self.offered = offered;
    }

    /// `length` bytes came in order, which now ends at `next`; `unread` bytes of that wait. True if the window grows.
    #[inline]
    pub(super) fn on_next_data(&mut self, now: Time, length: u64, next: u64, unread: u64, ahead: &Reassembly) -> bool {
        self.round_trip.on_window(now, next, self.offered);
        if ahead.is_empty() {
            self.span = 0;
            return self.grows(length, unread);
        }
        self.grows_beside(length, next, unread, ahead)
    }

    /// The same beside what waits behind a gap.
    #[inline(never)]
    fn grows_beside(&mut self, length: u64, next: u64, unread: u64, ahead: &Reassembly) -> bool {
        self.span = ahead.end().map_or(0, |end| end - next);
        self.grows(length, unread + ahead.bytes())
    }

    /// `length` bytes came ahead of a gap at `next`: all up to the last needs room beside what is read in a round trip.
    pub(super) fn on_data_ahead(&mut self, length: u64, next: u64, unread: u64, ahead: &Reassembly) -> bool {
        let grows = self.grows_beside(length, next, unread, ahead);
        self.raise_bound(2 * self.taken);
        grows
    }

    /// True if the window grows by a segment, with which the buffer holds `held` bytes.
    #[inline]
    fn grows(&mut self, length: u64, held: u64) -> bool {
        let room = self.bound.saturating_sub(held.saturating_add(self.window));
        let grows = length >= LEAST_LENGTH && room > 0;
        if grows {
            self.window += room.min(2 * self.mss.max(length));
        }
        grows
    }

    /// The application has read a piece that ends at `read`, and all below `next` is in order (`tcp_rcv_space_adjust`): after a
    /// gap, the first piece of many, so that nothing counts as taken.
    #[inline]
    pub(super) fn on_read(&mut self, now: Time, read: u64, next: u64) {
        let Some((since, from)) = self.counted_from else {
            self.counted_from = (next > 0).then_some((now, 0));
            return;
        };
        if self.round_trip.estimate().is_some_and(|round_trip| now.since(since) >= round_trip) {
            self.follow_round_trip(now, from, read, next);
        }
    }

    /// The application has taken what lies between `from` and `read` in a round trip.
    #[inline(never)]
    fn follow_round_trip(&mut self, now: Time, from: u64, read: u64, next: u64) {
        let taken = (read - from).saturating_sub(next - read);
        if taken > self.taken {
            // A window for twice that, and in slow start for its growth until the next time.
            let growth = u128::from(2 * taken) * u128::from(taken - self.taken) / u128::from(self.taken);
            self.taken = taken;
            self.raise_bound((2 * taken).saturating_add(u64::try_from(2 * growth).unwrap_or(u64::MAX)));
        }
        self.counted_from = Some((now, read));
    }

    /// A segment arrived: with an echo, it shows a round trip.
    #[inline]
    pub(super) fn on_echo(&mut self, now: Time, piece: &Piece) {
        if let Some(echo) = piece.echo.get()
            && u64::from(piece.length) >= self.mss
        {
            self.round_trip.on_echo(now, echo);
        }
    }

    /// For `bytes` beside those ahead of a gap.
    fn raise_bound(&mut self, bytes: u64) {
        self.bound = self.bound.max(bytes.saturating_add(self.span).min(self.largest));
    }
}

/// The round trip that the receiver sees (`tcp_rcv_rtt_update`), in microseconds and eighths of them.
#[derive(Clone, Debug, Default)]
struct RoundTrip {
    eighths: Option<u64>,
    /// The last echo, in milliseconds.
    echo_ms: Option<u64>,
    /// When a window began, and the byte after it.
    window: Option<(Time, u64)>,
}

impl RoundTrip {
    fn estimate(&self) -> Option<Duration> {
        self.eighths.map(|eighths| Duration::from_nanos(eighths / 8 * 1000))
    }

    /// `tcp_rcv_rtt_measure_ts`: one sample of each echo, in milliseconds as Linux's timestamps are, an eighth of each; less counts whole.
    fn on_echo(&mut self, now: Time, echo: Time) {
        let (from, to) = (milliseconds(echo), milliseconds(now));
        if self.echo_ms.replace(from) == Some(from) {
            return;
        }
        let sample = to.saturating_sub(from).max(1) * 1000;
        self.eighths = Some(match self.eighths {
            Some(old) if old <= 8 * sample => old - old / 8 + sample,
            _ => 8 * sample,
        });
    }

    /// `tcp_rcv_rtt_measure`: the time of a window, if it is less than any before.
    #[inline]
    fn on_window(&mut self, now: Time, next: u64, offered: u64) {
        if let Some((since, end)) = self.window {
            if next < end {
                return;
            }
            let sample = (now.since(since).as_nanos() / 1000).max(1) * 8;
            self.eighths = Some(self.eighths.map_or(sample, |old| old.min(sample)));
        }
        self.window = Some((now, next + offered));
    }
}

const fn milliseconds(time: Time) -> u64 {
    time.as_nanos() / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Stamp;

    const MSS: u64 = 1448;
    const LARGEST: u64 = 20_971_520;

    fn at(microseconds: u64) -> Time {
        Time::ZERO + Duration::from_nanos(microseconds * 1000)
    }

    fn tuned() -> Tuned {
        Tuned::new(Bytes::new(MSS), first_window(MSS, 512, LARGEST), LARGEST)
    }

    /// A segment in order, read at once, with the time of its ACK's echo; the window after it.
    fn arrive(tuned: &mut Tuned, now: Time, number: u64, echo: Time) -> u64 {
        let piece = Piece { sequence: number * MSS, length: MSS as u32, timestamp: Stamp::NONE, echo: Stamp::at(echo) };
        let next = (number + 1) * MSS;
        tuned.on_echo(now, &piece);
        tuned.on_next_data(now, MSS, next, MSS, &Reassembly::default());
        tuned.on_read(now, next, next);
        tuned.window()
    }

    /// Slow start at 10 Mb/s and 40 ms: flights of 10, 20 and 40 segments of 1.2 ms, each a round trip of 41.2 ms after the last.
    #[test]
    fn a_window_grows_in_slow_start_as_that_of_linux_6_18_did() {
        let mut tuned = tuned();
        let arrival = |flight: u64, place: u64| at(41_200 * flight + 1200 * place);
        let mut windows = Vec::new();
        for (flight, segments) in [(1, 10), (2, 20), (3, 29)] {
            for place in 0..segments {
                // Each ACK of the flight before lets two out.
                let echo = if flight == 1 { at(40) } else { arrival(flight - 1, place / 2) };
                let window = arrive(&mut tuned, arrival(flight, place), windows.len() as u64, echo);
                windows.push(window.div_ceil(1024));
            }
        }
        assert_eq!(windows[..7], [67, 70, 73, 75, 78, 79, 79]);
        assert_eq!(windows[30..36], [79, 82, 85, 88, 90, 93]);
        assert_eq!(windows.last(), Some(&148));
    }

    #[test]
    fn a_window_too_small_for_its_scale_is_more_than_one_unit() {
        assert_eq!(first_window(1448, 512, LARGEST), 65_160);
        assert_eq!(first_window(100_000, 1, LARGEST), 100_000);
        assert_eq!(first_window(16_000, 16_384, 1 << 30), 64_000);
        assert_eq!(first_window(1, 16_384 << 3, 1 << 40), 32_768 << 3);
        assert_eq!(first_window(1448, 1, 20_000), 20_000);
    }

    #[test]
    fn small_segments_and_those_that_find_no_room_let_nothing_grow() {
        let mut tuned = tuned();
        assert!(!tuned.grows(127, 0));
        assert!(tuned.grows(128, 0));
        assert!(!tuned.grows(MSS, FIRST_BOUND));
    }

    #[test]
    fn what_waits_ahead_of_a_gap_needs_room_of_its_own() {
        let mut tuned = tuned();
        let mut ahead = Reassembly::default();
        ahead.insert(150_000..151_448);
        tuned.on_data_ahead(MSS, 0, 0, &ahead);
        assert_eq!(tuned.bound(), 2 * 10 * MSS + 151_448);
    }

    #[test]
    fn without_echoes_the_quickest_window_is_the_round_trip() {
        let mut round_trip = RoundTrip::default();
        round_trip.on_window(at(0), 1000, 3000);
        round_trip.on_window(at(30_000), 3999, 3000);
        assert_eq!(round_trip.estimate(), None);
        round_trip.on_window(at(40_000), 4000, 3000);
        assert_eq!(round_trip.estimate(), Some(Duration::from_millis(40)));
        round_trip.on_window(at(100_000), 7000, 3000);
        assert_eq!(round_trip.estimate(), Some(Duration::from_millis(40)));
        round_trip.on_window(at(130_000), 10_000, 3000);
        assert_eq!(round_trip.estimate(), Some(Duration::from_millis(30)));
    }

    #[test]
    fn an_echo_is_a_sample_once_in_whole_milliseconds_and_one_that_is_less_counts_at_once() {
        let mut round_trip = RoundTrip::default();
        round_trip.on_echo(at(41_200), at(40));
        assert_eq!(round_trip.estimate(), Some(Duration::from_millis(41)));
        round_trip.on_echo(at(49_200), at(1200));
        let smoothed = Some(Duration::from_nanos(41_875_000));
        assert_eq!(round_trip.estimate(), smoothed);
        round_trip.on_echo(at(90_200), at(1900));
        assert_eq!(round_trip.estimate(), smoothed);
        round_trip.on_echo(at(32_200), at(2400));
        assert_eq!(round_trip.estimate(), Some(Duration::from_millis(30)));
    }
}
