//! The receiving side of a connection: reassembly, ACKs and what they carry, the window advertised.
//!
//! After every `handle_packet` or `handle_timeout`, take the ACK from [`Receiver::poll_packet`]: ACKs left there merge
//! into one. Where segments of one moment are merged, the driver says with [`Receiver::end_burst`] that no more come, and asks
//! [`Receiver::acknowledges_first`] before each segment. A segment of no length (a SYN, a window probe) is answered at once.
//! FINs are the endpoint's. Left out: urgent data, PAWS (offsets of 64 bits never wrap), and the compression of SACKs that
//! Linux does above 44 of them.

use crate::types::{Bytes, Marks, Time};

use super::clamp::ReceiverClamp;
use super::delayed_ack::AckDelay;
use super::ecn::Echo;
use super::reader::Buffer;
use super::reassembly::Reassembly;
use super::sack_list::SackList;
use super::{Piece, Segment, Stamp, Tcp};

/// The receiving side of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// SACK blocks in an ACK at most; 0: no SACK.
    sack_blocks: u8,
    /// The first block reports a duplicate (RFC 2883).
    dsack: bool,
    /// ACKs echo the segment's time (RFC 7323 §4.3).
    timestamps: bool,
    /// RCV.NXT: the first byte still missing.
    next: u64,
    ahead: Reassembly,
    /// Nothing but data in order moves it: no rule is on that looks at times, marks or bursts, and the window never changes.
    is_plain: bool,
    /// No rule is on that looks at marks.
    is_unmarked: bool,
    ack_is_due: bool,
    acks_sent: u32,
    delay: AckDelay,
    sack: SackList,
    /// TS.Recent (RFC 7323 §4.3).
    recent_time: Stamp,
    /// Last.ACK.sent (RFC 7323 §4.3).
    last_ack_sent: u64,
    buffer: Buffer,
    clamp: Option<Box<ReceiverClamp>>,
    /// What queues added to the marks of the packet that arrived last.
    last_mark: f32,
    /// Only with ECN.
    ecn: Option<Echo>,
    refused: u64,
    burst: Burst,
}

/// Segments of one moment that follow one another, whose ACK is held until the moment ends.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    is_held: bool,
    end: u64,
    bytes: u64,
}

impl Receiver {
    /// A receiver that waits for byte 0.
    pub fn new(config: &Tcp) -> Self {
        let buffer = Buffer::new(config);
        let ecn = Echo::new(config.ecn, config.handshake, config.rules.ecn_acks_at_once);
        let clamp = config.receiver_clamp();
        Self {
            is_plain: !config.timestamps
                && !buffer.is_live()
                && config.delayed_ack.merge_bytes == 0
                && ecn.is_none()
                && clamp.is_none(),
            is_unmarked: ecn.is_none() && clamp.is_none(),
            sack_blocks: if config.sack { config.rules.sack_blocks } else { 0 },
            dsack: config.sack && config.rules.dsack,
            timestamps: config.timestamps,
            next: 0,
            ahead: Reassembly::default(),
            ack_is_due: false,
            acks_sent: 0,
            delay: AckDelay::new(config.delayed_ack, config.mss),
            sack: SackList::default(),
            recent_time: Stamp::NONE,
            last_ack_sent: 0,
            buffer,
            clamp: clamp.map(|clamp| Box::new(ReceiverClamp::new(clamp, config.mss, 1 << config.window_shift()))),
            last_mark: 0.0,
            ecn,
            refused: 0,
            burst: Burst::default(),
        }
    }

    /// Takes in a segment that arrived at `now`.
    pub fn handle_packet(&mut self, now: Time, segment: &Segment) {
        if !self.handle_usual(now, segment.piece()) {
            self.handle_any(now, segment);
        }
    }

    /// Takes in the bytes of a segment, if they are the next and nothing else is to be asked of it; false: nothing was done, and
    /// [`Self::handle_packet`] is to have it.
    #[inline(always)]
    pub fn handle_usual(&mut self, now: Time, piece: Piece) -> bool {
        let end = piece.end();
        let is_next = piece.sequence == self.next && piece.length > 0 && self.ahead.is_empty();
        let is_usual = self.is_unmarked && is_next && end <= self.buffer.edge(self.next);
        if is_usual && self.is_plain {
            self.next = end;
            self.delay.on_arrival(now);
            self.ack_is_due |= self.delay.on_in_order(now, u64::from(piece.length));
        } else if is_usual {
            self.take_next(now, &{ piece });
        }
        is_usual
    }

    /// The same where times, bursts or the window are looked at.
    #[inline(never)]
    fn take_next(&mut self, now: Time, piece: &Piece) {
        let (before, end) = (self.next, piece.end());
        self.note_times(now, piece, self.buffer.edge(before));
        self.next = end;
        self.on_useful_data(now, before..end);
        self.ack_is_due |= self.delay.on_in_order(now, u64::from(piece.length));
        self.after_data(now, piece, before, end);
    }

    /// The general path, which does the same with data in order.
    #[inline(never)]
    fn handle_any(&mut self, now: Time, segment: &Segment) {
        let before = self.next;
        let edge = self.buffer.edge(before);
        let piece = segment.piece();
        self.note_times(now, &piece, edge);
        let end = segment.end().min(edge);
        if segment.sequence == before && self.ahead.is_empty() && end == segment.end() && segment.length > 0 {
            self.next = end;
            self.on_useful_data(now, before..end);
            self.ack_is_due |= self.delay.on_in_order(now, u64::from(segment.length));
        } else {
            self.handle_unusual(now, segment, end);
        }
        self.after_data(now, &piece, before, end.min(self.next));
        if let Some(ecn) = &mut self.ecn {
            let is_within = segment.end() > before && segment.sequence < edge && segment.length > 0;
            self.ack_is_due |= ecn.on_segment(segment, is_within);
        }
        if let Some(clamp) = &mut self.clamp {
            clamp.on_segment(self.next == before && segment.length > 0 && !self.ahead.is_empty());
        }
    }

    /// The times on a segment that comes while the window ends at `edge`.
    #[inline]
    fn note_times(&mut self, now: Time, piece: &Piece, edge: u64) {
        if self.timestamps {
            self.note_time(piece, edge);
            self.buffer.on_echo(now, piece);
        }
    }

    /// The segment has been taken in, its part up to `first` alone and what waited behind it.
    #[inline(always)]
    fn after_data(&mut self, now: Time, piece: &Piece, before: u64, first: u64) {
        self.buffer.on_data(now, before, first, self.next);
        if self.delay.rules().merge_bytes > 0 && piece.length > 0 {
            let bytes = if self.burst.is_held { self.burst.bytes } else { 0 };
            self.burst = Burst { is_held: true, end: piece.end(), bytes: bytes + u64::from(piece.length) };
        }
    }

    /// The packet of `bytes` whose data [`Self::handle_packet`] just took in carried these `marks`: ACKs echo them, and the window
    /// may follow them.
    #[inline]
    pub fn follow_marks(&mut self, now: Time, bytes: Bytes, marks: Marks) {
        self.last_mark = marks.added();
        if let Some(ecn) = &mut self.ecn {
            self.ack_is_due |= ecn.on_field(marks.ecn);
        }
        if let Some(clamp) = &mut self.clamp {
            clamp.on_packet(now, bytes, marks.added().into());
        }
    }

    /// Whether both ends take part in ECN.
    pub(super) fn has_agreed_on_marks(&self) -> bool {
        self.ecn.as_ref().is_some_and(Echo::is_agreed)
    }

    /// Both ends take part in ECN, or not.
    pub(super) const fn settle_marks(&mut self, is_agreed: bool) {
        if let Some(ecn) = &mut self.ecn {
            ecn.settle(is_agreed);
        }
    }

    /// Ends the wait of a delayed ACK, or announces that the window has opened, if its time has come.
    pub fn handle_timeout(&mut self, now: Time) {
        self.ack_is_due |= self.delay.on_timeout(now);
        self.ack_is_due |= self.buffer.on_timeout(now, self.next);
    }

    /// True when an ACK goes before `piece`, which arrives at `now`: a delayed one that is due, or that of a burst which
    /// the segment does not continue. Then [`Receiver::handle_timeout`] and [`Receiver::end_burst`] come before
    /// [`Receiver::handle_packet`].
    #[inline]
    pub fn acknowledges_first(&self, now: Time, piece: &Piece) -> bool {
        let is_due = self.delay.rules().timer_first && self.delay.timer() <= now;
        is_due || (self.burst.is_held && !self.continues_burst(piece))
    }

    #[inline]
    fn continues_burst(&self, piece: &Piece) -> bool {
        let bytes = self.burst.bytes + u64::from(piece.length);
        piece.sequence == self.burst.end && bytes <= u64::from(self.delay.rules().merge_bytes)
    }

    /// True while an ACK is held, or would be if one were due, because more may arrive in this moment.
    #[inline]
    pub const fn holds_burst(&self) -> bool {
        self.burst.is_held
    }

    /// No more segments arrive in this moment, or none that continue the last one.
    pub fn end_burst(&mut self) {
        self.burst.is_held = false;
    }

    /// When [`Receiver::handle_timeout`] is wanted, if ever. Costs two loads.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Time> {
        let timer = std::cmp::min(self.delay.timer(), self.buffer.timer());
        (timer != Time::NEVER).then_some(timer)
    }

    /// The ACK to send at `now`, if one is due; it covers everything that waits.
    pub fn poll_packet(&mut self, now: Time) -> Option<Segment> {
        self.may_send().then(|| self.next_ack(now))
    }

    /// Whether [`Self::poll_packet`] has an ACK.
    #[inline]
    pub const fn may_send(&self) -> bool {
        self.ack_is_due && !self.burst.is_held
    }

    /// The ACK to send at `now`, where [`Self::may_send`].
    fn next_ack(&mut self, now: Time) -> Segment {
        Segment { transmission: self.count_ack(), ..self.report(now) }
    }

    /// True if the next ACK says no more than [`Self::next_simple_ack`] does.
    #[inline]
    pub fn has_simple_ack(&self) -> bool {
        self.is_unmarked && self.sack.is_empty()
    }

    /// The ACK to send at `now`, where [`Self::may_send`] and [`Self::has_simple_ack`]; in no `Option`, from which it would be
    /// copied.
    #[inline(always)]
    pub fn next_simple_ack(&mut self, now: Time) -> Segment {
        let transmission = self.count_ack();
        let window = self.buffer.offer(now, self.next);
        Segment { transmission, ..self.simple_report(now, window) }
    }

    #[inline]
    fn count_ack(&mut self) -> u64 {
        let number = self.acks_sent;
        self.acks_sent = number.wrapping_add(1);
        number.into()
    }

    #[inline(always)]
    fn simple_report(&mut self, now: Time, window: Bytes) -> Segment {
        self.ack_is_due = false;
        self.delay.on_ack_sent();
        self.last_ack_sent = self.next;
        Segment {
            timestamp: if self.timestamps { Stamp::at(now) } else { Stamp::NONE },
            echo: self.recent_time,
            echoed_mark: self.last_mark,
            ..Segment::ack(self.next, window)
        }
    }

    /// What an ACK that leaves at `now` says, by itself or on a segment with data; none is due after it.
    pub(super) fn report(&mut self, now: Time) -> Segment {
        let room = self.buffer.offer(now, self.next);
        let window = match &mut self.clamp {
            None => room,
            Some(clamp) => clamp.offer(self.next, room, self.last_ack_sent == self.next),
        };
        let mut ack = self.simple_report(now, window);
        if let Some(ecn) = &mut self.ecn {
            ack.flags |= ecn.flags();
        }
        if self.sack_blocks > 0 && !self.sack.is_empty() {
            ack = self.sack.written_on(ack, self.sack_blocks.into());
        }
        ack
    }

    /// A segment without bytes arrived: its time may be the one to echo.
    pub(super) fn note_empty(&mut self, segment: &Segment) {
        if self.timestamps {
            self.note_time(&segment.piece(), self.buffer.edge(self.next));
        }
    }

    /// An ACK is due at once, whatever has arrived.
    pub(super) const fn acknowledge_at_once(&mut self) {
        self.ack_is_due = true;
    }

    /// The right edge of the window: bytes from there on are refused.
    pub(super) fn edge(&self) -> u64 {
        self.buffer.edge(self.next)
    }

    /// Bytes of the other end that come after its FIN are thrown away.
    pub(super) const fn refuse_bytes(&mut self, bytes: u64) {
        self.refused += bytes;
    }

    /// Bytes that have arrived in order, each once.
    pub const fn goodput(&self) -> Bytes {
        Bytes::new(self.next)
    }

    /// Bytes that arrived beyond the window advertised and were thrown away.
    pub const fn refused(&self) -> Bytes {
        Bytes::new(self.refused)
    }

    /// Whatever is not the next segment of a stream without gaps; `end` is where the window cuts it.
    fn handle_unusual(&mut self, now: Time, segment: &Segment, end: u64) {
        if segment.length == 0 {
            // RFC 9293 §3.8.6.1: a probe is answered, and so is a SYN.
            self.ack_is_due = true;
            if segment.flags.syn() {
                self.delay.on_open(now);
                if let Some(clamp) = &mut self.clamp {
                    clamp.on_open(now);
                }
            }
        } else if self.delay.rules().repetition_waits && end == self.next && self.may_wait_at_gap() {
            self.delay.on_arrival(now);
            self.ack_is_due |= self.delay.on_in_order(now, u64::from(segment.length));
        } else if end <= self.next || segment.sequence >= end {
            self.refuse(segment, end);
            self.on_old_data(segment.sequence..segment.end().min(self.next));
        } else {
            self.refuse(segment, end);
            self.note_duplicate(segment.sequence..end);
            if segment.sequence > self.next {
                self.on_data_ahead(segment.sequence, end);
            } else {
                self.on_next_data(now, end);
            }
        }
    }

    /// RFC 9293 §3.10.7.4: what lies outside the window is acknowledged and dropped.
    fn on_old_data(&mut self, old: std::ops::Range<u64>) {
        if self.dsack && !old.is_empty() {
            self.sack.on_duplicate(old);
        }
        self.delay.on_useless_data();
        self.ack_is_due = true;
    }

    /// Data in order, or filling a gap, sets the pace of ACKs and lets the window grow (Linux, `tcp_event_data_recv`).
    #[inline(always)]
    fn on_useful_data(&mut self, now: Time, arrived: std::ops::Range<u64>) {
        self.delay.on_arrival(now);
        if self.buffer.on_next_data(now, arrived, self.next, &self.ahead) {
            self.delay.on_window_growth();
        }
    }

    /// RFC 5681 §4.2: out of order, an immediate duplicate ACK.
    fn on_data_ahead(&mut self, start: u64, end: u64) {
        let block = self.ahead.insert(start..end);
        if self.sack_blocks > 0 {
            self.sack.on_arrival(block);
        }
        if self.buffer.is_tuned() {
            // Linux, `tcp_data_queue_ofo`: a window that grew would hide duplicates from a sender without SACK.
            let length = if self.sack_blocks > 0 { end - start } else { 0 };
            if self.buffer.on_data_ahead(length, self.next, &self.ahead) {
                self.delay.on_window_growth();
            }
        }
        self.ack_is_due = true;
    }

    /// The first missing byte is there, after old ones or before a gap.
    fn on_next_data(&mut self, now: Time, end: u64) {
        let before = self.next;
        if self.ahead.is_empty() {
            self.next = end;
            self.on_useful_data(now, before..end);
            self.ack_is_due |= self.delay.on_in_order(now, end - before);
        } else {
            // RFC 5681 §4.2: an immediate ACK when a segment fills all or part of a gap.
            self.next = self.ahead.take_in_order(end);
            self.sack.on_in_order(self.next);
            self.on_useful_data(now, before..end);
            let fills_all = self.next > end;
            self.ack_is_due |= fills_all || !self.may_wait_at_gap() || self.delay.on_in_order(now, end - before);
        }
    }

    /// True if data in order may wait for its ACK where the stream has a gap further on, if it has one.
    fn may_wait_at_gap(&self) -> bool {
        self.ahead.is_empty() || !self.delay.rules().immediate_on_gap
    }

    /// RFC 2883 §4: the first contiguous part of a segment that had arrived before is reported in the ACK of that segment,
    /// which therefore does not wait.
    fn note_duplicate(&mut self, arrived: std::ops::Range<u64>) {
        if !self.dsack {
            return;
        }
        let part = match arrived.start < self.next {
            true => Some(arrived.start..self.next),
            false => self.ahead.first_overlap(&arrived),
        };
        if let Some(part) = part {
            self.sack.on_duplicate(part);
            self.ack_is_due = true;
        }
    }

    fn refuse(&mut self, segment: &Segment, end: u64) {
        self.refused += segment.end() - end.max(segment.sequence).min(segment.end());
    }

    /// RFC 7323 §4.3 (2): the time to echo is the latest on a segment that reaches down to the last ACK sent; §5.3: of a
    /// segment within the window.
    #[inline]
    fn note_time(&mut self, segment: &Piece, edge: u64) {
        let is_within = segment.sequence <= edge && (segment.end() > self.next || segment.sequence == self.next);
        if is_within && segment.sequence <= self.last_ack_sent && segment.timestamp >= self.recent_time {
            self.recent_time = segment.timestamp;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::DelayedAck;
    use crate::types::Duration;

    #[test]
    fn a_wait_over_at_the_moment_of_an_arrival_goes_first_only_if_asked() {
        let timer = Duration::from_millis(100);
        let first = Segment::data(0, 1000);
        let next = Segment { sequence: 1000, ..first };
        let goes_first = |timer_first, after_ms| {
            let delayed_ack = DelayedAck { every: 2, timer, timer_first, ..DelayedAck::default() };
            let mut receiver = Receiver::new(&Tcp { delayed_ack, ..Tcp::default() });
            receiver.handle_packet(Time::ZERO, &first);
            receiver.acknowledges_first(Time::ZERO + Duration::from_millis(after_ms), &next.piece())
        };
        assert!(goes_first(true, 100));
        assert!(!goes_first(true, 99));
        assert!(!goes_first(false, 100));
    }

    fn segment(sequence: u64, length: u32) -> Segment {
        Segment::data(sequence, length)
    }

    /// The numbers of the ACKs of segments that arrive in one moment.
    fn acknowledged(merge_bytes: u32, segments: &[(u64, u32)]) -> Vec<u64> {
        let delayed_ack = DelayedAck { every: 1, merge_bytes, ..DelayedAck::default() };
        let mut receiver = Receiver::new(&Tcp { delayed_ack, sack: true, ..Tcp::default() });
        let mut numbers = Vec::new();
        for &(sequence, length) in segments {
            let segment = segment(sequence, length);
            if receiver.acknowledges_first(Time::ZERO, &segment.piece()) {
                receiver.end_burst();
                numbers.extend(receiver.poll_packet(Time::ZERO).map(|ack| ack.number));
            }
            receiver.handle_packet(Time::ZERO, &segment);
            numbers.extend(receiver.poll_packet(Time::ZERO).map(|ack| ack.number));
        }
        receiver.end_burst();
        numbers.extend(receiver.poll_packet(Time::ZERO).map(|ack| ack.number));
        numbers
    }

    #[test]
    fn segments_of_one_moment_have_one_ack_only_where_they_are_merged() {
        let three = [(0, 1000), (1000, 1000), (2000, 1000)];
        assert_eq!(acknowledged(0, &three), [1000, 2000, 3000]);
        assert_eq!(acknowledged(65_535, &three), [3000]);
    }

    #[test]
    fn a_burst_ends_at_a_gap_and_when_it_is_full() {
        assert_eq!(acknowledged(65_535, &[(0, 1000), (2000, 1000), (3000, 1000)]), [1000, 1000]);
        assert_eq!(acknowledged(2000, &[(0, 1000), (1000, 1000), (2000, 1000)]), [2000, 3000]);
    }

    /// What a driver does with a segment of a moment that may be its last; the ACKs.
    fn arrive(receiver: &mut Receiver, now: Time, segment: &Segment, is_last: bool) -> Vec<Segment> {
        let mut acks = Vec::new();
        let is_due = receiver.poll_timeout().is_some_and(|due| due <= now);
        if is_due || receiver.acknowledges_first(now, &segment.piece()) {
            receiver.handle_timeout(now);
            receiver.end_burst();
            acks.extend(receiver.poll_packet(now));
        }
        receiver.handle_packet(now, segment);
        acks.extend(receiver.poll_packet(now));
        if receiver.holds_burst() && is_last {
            receiver.end_burst();
            acks.extend(receiver.poll_packet(now));
        }
        acks
    }

    #[test]
    fn usual_segments_do_what_they_do_on_the_general_path() {
        let delayed_ack = DelayedAck {
            least_timer: Duration::from_millis(40),
            quick_segments: 16,
            merge_bytes: 3500,
            ..DelayedAck::default()
        };
        let window = Bytes::new(3_000_000);
        let linux = Tcp {
            delayed_ack,
            timestamps: true,
            sack: true,
            receive_autotuning: true,
            receiver_window: window,
            ..Tcp::default()
        };
        for config in [linux, Tcp { sack: true, ..Tcp::default() }] {
            let mut usual = Receiver::new(&config);
            let mut general = Receiver { is_unmarked: false, ..usual.clone() };
            for step in 0..5000_u64 {
                // Up to five in a moment; now and then two change places, or a silence follows.
                let now = Time::from_nanos(50_000_000 + step / 5 * 1_900_000 + step / 400 * 700_000_000);
                let number = if step % 48 < 2 { step ^ 1 } else { step };
                let (timestamp, echo) = (Stamp::at(now), Stamp::at(Time::from_nanos(now.as_nanos() - 40_000_000)));
                let segment = Segment { timestamp, echo, ..segment(number * 1460, 1460) };
                let is_last = step % 5 == 4;
                let acks = arrive(&mut usual, now, &segment, is_last);
                assert_eq!(acks, arrive(&mut general, now, &segment, is_last), "at step {step}");
                assert_eq!(usual.poll_timeout(), general.poll_timeout(), "after step {step}");
            }
            assert!(usual.goodput() == Bytes::new(5000 * 1460) && general.goodput() == usual.goodput());
        }
    }
}
