//! What packets carry in a run.
//!
//! A packet stays where it was written, in two lines of cache. So a segment is packed: SACK blocks, which few segments have, stand
//! apart.

use airlink_model::transport::{Acknowledgment, Blocks, Flags, Piece, Segment, Stamp};
use airlink_model::types::Bytes;

/// What travels through the network: a TCP segment, or none in a flow without a transport.
///
/// Not an `Option`, whose tag would take it beyond a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Payload(Carried);

impl Payload {
    /// No segment.
    pub(crate) fn none() -> Self {
        Self(Carried { bits: NOTHING, ..Carried::EMPTY })
    }

    /// Takes the place of what was here. Field by field: as a whole it would be put together elsewhere and copied.
    #[inline(always)]
    pub(crate) fn hold(&mut self, segment: &Segment) {
        self.0.hold(segment);
    }

    /// The segment.
    #[inline]
    pub(crate) fn carried(&self) -> Option<&Carried> {
        (self.0.bits & NOTHING == 0).then_some(&self.0)
    }

    /// Whether there is a segment.
    #[inline]
    pub(crate) fn is_segment(&self) -> bool {
        self.0.bits & NOTHING == 0
    }
}

/// A segment in 64 bytes, a line of cache.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Carried {
    sequence: u64,
    number: u64,
    timestamp: Stamp,
    echo: Stamp,
    blocks: Option<Box<Blocks>>,
    length: u32,
    /// No window has 2^32 bytes: the largest is 2^30 (RFC 7323 §2.2).
    window: u32,
    echoed_mark: f32,
    marked: u32,
    /// The lower 32 bits of its number; 14 more stand in `bits`.
    transmission_low: u32,
    bits: u16,
    flags: Flags,
}

/// In `bits`, above 14 bits of a number.
const RETRANSMISSION: u16 = 1 << 15;
const NOTHING: u16 = 1 << 14;

#[cold]
#[inline(never)]
fn boxed(blocks: Blocks) -> Option<Box<Blocks>> {
    Some(Box::new(blocks))
}

impl Carried {
    const EMPTY: Self = Self {
        sequence: 0,
        number: 0,
        timestamp: Stamp::NONE,
        echo: Stamp::NONE,
        blocks: None,
        length: 0,
        window: 0,
        echoed_mark: 0.0,
        marked: 0,
        transmission_low: 0,
        bits: 0,
        flags: Flags::NONE,
    };

    #[inline(always)]
    fn hold(&mut self, segment: &Segment) {
        self.sequence = segment.sequence;
        self.number = segment.number;
        self.timestamp = segment.timestamp;
        self.echo = segment.echo;
        self.length = segment.length;
        self.window = u32::try_from(segment.window.count()).unwrap_or(u32::MAX);
        self.echoed_mark = segment.echoed_mark;
        self.marked = segment.marked;
        self.transmission_low = segment.transmission as u32;
        self.bits = ((segment.transmission >> 32) as u16 & (NOTHING - 1)) | (u16::from(segment.retransmission) << 15);
        self.flags = segment.flags;
        self.blocks = if segment.has_sack() { boxed(segment.blocks) } else { None };
    }

    /// The segment.
    #[inline]
    pub(crate) fn segment(&self) -> Segment {
        Segment {
            sequence: self.sequence,
            transmission: self.transmission(),
            timestamp: self.timestamp,
            echo: self.echo,
            number: self.number,
            window: Bytes::new(self.window.into()),
            blocks: self.blocks.as_deref().copied().unwrap_or_default(),
            length: self.length,
            echoed_mark: self.echoed_mark,
            marked: self.marked,
            flags: self.flags,
            retransmission: self.bits & RETRANSMISSION != 0,
        }
    }

    /// Offset of its first byte.
    #[inline]
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// What it carries of the stream.
    #[inline]
    pub(crate) fn piece(&self) -> Piece {
        let Self { sequence, length, timestamp, echo, .. } = *self;
        Piece { sequence, length, timestamp, echo }
    }

    /// Its acknowledging part.
    #[inline]
    pub(crate) fn acknowledgment(&self) -> Acknowledgment {
        let Self { number, marked, timestamp, echo, .. } = *self;
        let (window, has_sack) = (Bytes::new(self.window.into()), self.blocks.is_some());
        Acknowledgment { number, window, marked, timestamp, echo, has_sack }
    }

    /// True for a SYN.
    #[inline]
    pub(crate) fn is_syn(&self) -> bool {
        self.flags.syn()
    }

    /// The number of its transmission.
    #[inline]
    pub(crate) fn transmission(&self) -> u64 {
        u64::from(self.bits & (NOTHING - 1)) << 32 | u64::from(self.transmission_low)
    }

    /// True if it carries bytes of the stream.
    #[inline]
    pub(crate) fn has_data(&self) -> bool {
        self.length > 0
    }

    /// True for an ACK without data, SYN or FIN.
    #[inline]
    pub(crate) fn is_pure_ack(&self) -> bool {
        self.flags.ack() && self.length == 0 && !self.flags.has_any(Flags::SYN) && !self.flags.has_any(Flags::FIN)
    }
}

#[cfg(test)]
mod tests {
    use airlink_model::types::{PacketFields, Time};

    use super::*;

    /// In a place where another segment stood.
    fn holding(segment: &Segment) -> Payload {
        let mut payload = Payload::none();
        let mut other = Segment { transmission: u64::MAX, marked: 3, flags: Flags::FIN, ..Segment::default() };
        other.push_sack(1..2);
        payload.hold(&other);
        payload.hold(segment);
        payload
    }

    #[test]
    fn a_packet_takes_two_lines_of_cache() {
        assert_eq!(std::mem::size_of::<Payload>(), 64);
        assert!(std::mem::size_of::<PacketFields<Payload>>() <= 128);
    }

    #[test]
    fn a_segment_comes_out_as_it_went_in() {
        let at = |nanoseconds| Stamp::at(Time::from_nanos(nanoseconds));
        let mut segment = Segment {
            timestamp: at(5),
            echo: at(0),
            transmission: (7 << 32) + 9,
            retransmission: true,
            echoed_mark: 0.5,
            marked: 11,
            ..Segment::ack(3000, Bytes::new(1 << 30))
        };
        (segment.sequence, segment.length, segment.flags) = (1 << 50, 1448, Flags::ACK | Flags::FIN);
        assert_eq!(holding(&segment).0.segment(), segment);
        (0..4).for_each(|block| segment.push_sack(5000 + 2000 * block..6000 + 2000 * block));
        let Payload(carried) = holding(&segment);
        assert_eq!(carried.segment(), segment);
        assert_eq!(carried.clone().segment().sack().count(), 4);
        assert!(!carried.is_pure_ack() && holding(&Segment::ack(1, Bytes::ZERO)).0.is_pure_ack());
    }

    #[test]
    fn only_a_packet_made_without_a_segment_has_none() {
        assert!(!Payload::none().is_segment() && Payload::none().carried().is_none());
        for retransmission in [false, true] {
            // The numbers at which the bits beside the flags are all set, and the first that does not fit in them.
            for transmission in [0, (1 << 46) - 1, 1 << 46, u64::MAX] {
                let payload = holding(&Segment { transmission, retransmission, ..Segment::default() });
                let segment = payload.carried().map(Carried::segment).expect("it was made with a segment");
                assert!(payload.is_segment());
                assert_eq!((segment.transmission, segment.retransmission), (transmission % (1 << 46), retransmission));
            }
        }
    }
}
