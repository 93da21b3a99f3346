//! What travels, both ways: a piece of the stream, an ACK, or both. Headers and their sizes are the driver's.
//!
//! Neither a SYN nor what comes before it has a number: the stream begins at 0, as if every initial sequence number were one
//! less. A FIN takes the number after the last byte.

use std::fmt;
use std::ops::{BitOr, BitOrAssign, Range};

use crate::types::{Bytes, Time};

/// A segment of either direction, in a line and a half of cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Segment {
    /// Offset of its first byte in the stream.
    pub sequence: u64,
    /// Running number of this transmission, from 0: two transmissions of the same bytes differ in it. What carries bytes or
    /// opens the connection is counted by its sender, a pure ACK by its receiver, modulo 2^32.
    pub transmission: u64,
    /// TSval (RFC 7323 §3.2): when it was sent, as its sender's clock shows; none without timestamps.
    pub timestamp: Stamp,
    /// TSecr (RFC 7323 §3.2): the time on the segment that this answers; none without timestamps or before the first.
    pub echo: Stamp,
    /// Cumulative ACK: every byte of the other direction below this offset has arrived (RFC 9293 §3.4).
    pub number: u64,
    /// The window advertised, counted from `number`.
    pub window: Bytes,
    /// SACK blocks: written by [`Segment::push_sack`], read by [`Segment::sack`].
    pub blocks: Blocks,
    /// Bytes of the stream it carries, without headers.
    pub length: u32,
    /// What queues had added to the marks of the packet that had arrived last; it takes no bytes.
    pub echoed_mark: f32,
    /// Bytes of payload that have arrived marked (CE) so far, modulo 2^32: r.ceb of RFC 9768.
    pub marked: u32,
    /// What it is beside a piece of the stream.
    pub flags: Flags,
    /// True when its bytes had been sent before.
    pub retransmission: bool,
}

/// What the acknowledging part of a segment says, but for its SACK blocks.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgment {
    /// [`Segment::number`].
    pub number: u64,
    /// [`Segment::window`].
    pub window: Bytes,
    /// [`Segment::marked`].
    pub marked: u32,
    /// [`Segment::timestamp`].
    pub timestamp: Stamp,
    /// [`Segment::echo`].
    pub echo: Stamp,
    /// [`Segment::has_sack`].
    pub has_sack: bool,
}

/// The piece of the stream that a segment carries, and its times.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// [`Segment::sequence`].
    pub sequence: u64,
    /// [`Segment::length`].
    pub length: u32,
    /// [`Segment::timestamp`].
    pub timestamp: Stamp,
    /// [`Segment::echo`].
    pub echo: Stamp,
}

impl Piece {
    /// Offset of the first byte after it.
    #[inline]
    pub(super) const fn end(&self) -> u64 {
        self.sequence + self.length as u64
    }
}

/// Control bits of a segment (RFC 9293 §3.1).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// No bit is set.
    pub const NONE: Self = Self(0);
    /// Nothing follows: the direction ends.
    pub const FIN: Self = Self(1);
    /// Asks to open the connection, or agrees.
    pub const SYN: Self = Self(1 << 1);
    /// Ends the connection at once.
    pub const RST: Self = Self(1 << 2);
    /// Nothing more waits to be sent behind it (RFC 9293 §3.9.1.2). No end looks at it.
    pub const PSH: Self = Self(1 << 3);
    /// The acknowledging part counts.
    pub const ACK: Self = Self(1 << 4);
    /// A mark was received (RFC 3168 §6.1).
    pub const ECE: Self = Self(1 << 6);
    /// The congestion window was reduced (RFC 3168 §6.1).
    pub const CWR: Self = Self(1 << 7);

    /// True if all bits of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// True if a bit of `other` is set.
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The bits of all of them.
    pub const fn all(flags: &[Self]) -> Self {
        let (mut all, mut index) = (0, 0);
        while index < flags.len() {
            all |= flags[index].0;
            index += 1;
        }
        Self(all)
    }

    /// These without the bits of `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// FIN.
    pub const fn fin(self) -> bool {
        self.has(Self::FIN)
    }

    /// SYN.
    pub const fn syn(self) -> bool {
        self.has(Self::SYN)
    }

    /// RST.
    pub const fn rst(self) -> bool {
        self.has(Self::RST)
    }

    /// PSH.
    pub const fn psh(self) -> bool {
        self.has(Self::PSH)
    }

    /// ACK.
    pub const fn ack(self) -> bool {
        self.has(Self::ACK)
    }

    /// ECE.
    pub const fn ece(self) -> bool {
        self.has(Self::ECE)
    }

    /// CWR.
    pub const fn cwr(self) -> bool {
        self.has(Self::CWR)
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            (Self::SYN, "SYN"),
            (Self::FIN, "FIN"),
            (Self::RST, "RST"),
            (Self::PSH, "PSH"),
            (Self::ACK, "ACK"),
            (Self::ECE, "ECE"),
            (Self::CWR, "CWR"),
        ];
        let set = names.iter().filter(|(flag, _)| self.has(*flag)).map(|(_, name)| name);
        formatter.debug_list().entries(set).finish()
    }
}

/// A time that may be missing, in half the room of an `Option`. A missing one is less than all others.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(u64);

impl Stamp {
    /// No time.
    pub const NONE: Self = Self(0);

    /// The time `at`; [`Time::NEVER`] is none.
    #[inline]
    pub const fn at(at: Time) -> Self {
        Self(at.as_nanos().wrapping_add(1))
    }

    /// The time, if there is one.
    #[inline]
    pub const fn get(self) -> Option<Time> {
        if self.0 == 0 { None } else { Some(Time::from_nanos(self.0 - 1)) }
    }

    /// True if there is one.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

impl From<Option<Time>> for Stamp {
    #[inline]
    fn from(time: Option<Time>) -> Self {
        time.map_or(Self::NONE, Self::at)
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(formatter)
    }
}

/// SACK blocks in their order; those after the last are empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks([Block; Segment::MOST_BLOCKS]);

/// A SACK block as offsets from the segment's number: a ring of ACKs stays small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Block {
    start: i32,
    end: i32,
}

impl Block {
    const fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl Segment {
    /// SACK blocks that fit a segment without other options (RFC 2018 §3).
    pub const MOST_BLOCKS: usize = 4;

    /// `length` bytes of the stream from `sequence` on.
    pub fn data(sequence: u64, length: u32) -> Self {
        Self { sequence, length, ..Self::default() }
    }

    /// A pure ACK: acknowledges every byte below `number` and offers `window` bytes more.
    pub fn ack(number: u64, window: Bytes) -> Self {
        Self { number, window, flags: Flags::ACK, ..Self::default() }
    }

    /// Offset of the first byte after it.
    pub fn end(&self) -> u64 {
        self.sequence + u64::from(self.length)
    }

    /// The first number after it: a FIN takes one (RFC 9293 §3.4).
    pub fn next_number(&self) -> u64 {
        self.end() + u64::from(self.flags.fin())
    }

    /// True if it takes no sequence numbers: no bytes, no SYN and no FIN. Only such a segment can be a duplicate ACK
    /// (RFC 5681 §2).
    pub const fn is_empty(&self) -> bool {
        self.length == 0 && !self.flags.has_any(Flags::SYN) && !self.flags.has_any(Flags::FIN)
    }

    /// Adds a SACK block (RFC 2018 §3), a DSACK (RFC 2883 §4) if it is the first and lies below the number or within
    /// the second. One too many, an empty one or one further than 2^31 bytes from the number is left out.
    pub fn push_sack(&mut self, block: Range<u64>) {
        let offset = |at: u64| i32::try_from(i128::from(at) - i128::from(self.number)).ok();
        if let (Some(start), Some(end)) = (offset(block.start), offset(block.end))
            && start < end
            && let Some(free) = self.blocks.0.iter_mut().find(|block| block.is_empty())
        {
            *free = Block { start, end };
        }
    }

    /// The SACK blocks, in their order.
    pub fn sack(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let at = |offset: i32| self.number.saturating_add_signed(i64::from(offset));
        self.blocks.0.iter().take_while(|block| !block.is_empty()).map(move |block| at(block.start)..at(block.end))
    }

    /// RFC 2883 §4: the first block reports a duplicate if it lies below the number or within the second block.
    pub fn duplicate_block(&self) -> Option<Range<u64>> {
        let mut blocks = self.sack();
        let first = blocks.next()?;
        let is_within = |second: Range<u64>| second.start <= first.start && first.end <= second.end;
        (first.start < self.number || blocks.next().is_some_and(is_within)).then_some(first)
    }

    /// This segment, acknowledging up to `number`; its SACK blocks stay where they are in the stream.
    #[cold]
    pub(super) fn renumbered(mut self, number: u64) -> Self {
        let blocks: [Option<Range<u64>>; Self::MOST_BLOCKS] = {
            let mut all = self.sack();
            std::array::from_fn(|_| all.next())
        };
        (self.number, self.blocks) = (number, Blocks::default());
        blocks.into_iter().flatten().for_each(|block| self.push_sack(block));
        self
    }

    /// What it carries of the stream.
    #[inline]
    pub const fn piece(&self) -> Piece {
        let Self { sequence, length, timestamp, echo, .. } = *self;
        Piece { sequence, length, timestamp, echo }
    }

    /// Its acknowledging part.
    #[inline]
    pub const fn acknowledgment(&self) -> Acknowledgment {
        let Self { number, window, marked, timestamp, echo, .. } = *self;
        Acknowledgment { number, window, marked, timestamp, echo, has_sack: self.has_sack() }
    }

    /// True if it carries SACK blocks.
    pub const fn has_sack(&self) -> bool {
        !self.blocks.0[0].is_empty()
    }

    /// This segment with the acknowledging part of `ack`, its SACK blocks and its echo: the ACK rides on it.
    pub(super) const fn with_ack(self, ack: &Self) -> Self {
        Self {
            number: ack.number,
            window: ack.window,
            echo: ack.echo,
            blocks: ack.blocks,
            echoed_mark: ack.echoed_mark,
            marked: ack.marked,
            flags: Flags(self.flags.0 | ack.flags.0),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_takes_a_line_and_a_half_of_cache() {
        assert_eq!(std::mem::size_of::<Segment>(), 96);
        assert_eq!(std::mem::size_of::<Option<Segment>>(), 96);
    }

    #[test]
    fn a_missing_time_is_less_than_time_zero() {
        assert_eq!(Stamp::from(None).get(), None);
        assert_eq!(Stamp::at(Time::ZERO).get(), Some(Time::ZERO));
        assert!(Stamp::NONE < Stamp::at(Time::ZERO));
    }

    #[test]
    fn only_what_takes_no_numbers_is_empty() {
        let of = |flags, length| Segment { flags, length, ..Segment::default() };
        assert!(of(Flags::ACK, 0).is_empty());
        for taking in [of(Flags::ACK, 1), of(Flags::SYN, 0), of(Flags::ACK | Flags::FIN, 0)] {
            assert!(!taking.is_empty());
        }
        assert_eq!([of(Flags::FIN, 10).next_number(), of(Flags::ACK, 10).next_number()], [11, 10]);
    }
}
