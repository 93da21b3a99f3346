//! What travels: data segments one way, ACKs the other. Headers and their sizes are the driver's.

use std::ops::Range;

use crate::types::{Bytes, Time};

/// A piece of the stream on its way to the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Offset of its first byte in the stream.
    pub sequence: u64,
    /// Bytes of the stream it carries, without headers.
    pub length: u32,
    /// Running number of this transmission among all segments its sender ever sent, from 0: two
    /// transmissions of the same bytes differ in it.
    pub transmission: u64,
    /// True when its bytes had been sent before.
    pub retransmission: bool,
    /// TSval (RFC 7323 §3.2): when it was sent, as its sender's clock shows; none without timestamps.
    pub timestamp: Option<Time>,
    /// TSecr (RFC 7323 §3.2): the time on the ACK that its sender heard last; none without timestamps or before the first.
    pub echo: Option<Time>,
    /// True for the segment that asks to open the connection (RFC 9293 §3.5); it carries no bytes.
    pub syn: bool,
}

impl Segment {
    /// Offset of the first byte after it.
    pub fn end(&self) -> u64 {
        self.sequence + u64::from(self.length)
    }
}

/// An ACK.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ack {
    /// Cumulative: every byte below this offset has arrived (RFC 9293 §3.4).
    pub number: u64,
    /// The window advertised, counted from `number`.
    pub window: Bytes,
    /// TSval (RFC 7323 §3.2): when it was sent; none without timestamps.
    pub timestamp: Option<Time>,
    /// TSecr (RFC 7323 §3.2): the time on the segment that this answers; none without timestamps.
    pub echo: Option<Time>,
    /// Running number of this ACK among all that its receiver ever sent, from 0, modulo 2^32.
    pub transmission: u32,
    /// The price on the packet that had arrived last (CLAMP); it takes no bytes.
    pub price: f32,
    /// Bytes of payload that have arrived marked (CE) so far, modulo 2^32: r.ceb of RFC 9768.
    pub marked: u32,
    /// Those after the last are empty.
    blocks: [Block; Self::MOST_BLOCKS],
}

/// A SACK block as offsets from the ACK's number: a ring of ACKs stays small.
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

impl Ack {
    /// SACK blocks that fit an ACK without other options (RFC 2018 §3).
    pub const MOST_BLOCKS: usize = 4;

    /// Acknowledges every byte below `number` and offers `window` bytes more.
    pub fn new(number: u64, window: Bytes) -> Self {
        Self {
            number,
            window,
            timestamp: None,
            echo: None,
            transmission: 0,
            price: 0.0,
            marked: 0,
            blocks: Default::default(),
        }
    }

    /// Adds a SACK block (RFC 2018 §3), a DSACK (RFC 2883 §4) if it is the first and lies below the number or within
    /// the second. One too many, an empty one or one further than 2^31 bytes from the number is left out.
    pub fn push_sack(&mut self, block: Range<u64>) {
        let offset = |at: u64| i32::try_from(i128::from(at) - i128::from(self.number)).ok();
        if let (Some(start), Some(end)) = (offset(block.start), offset(block.end))
            && start < end
            && let Some(free) = self.blocks.iter_mut().find(|block| block.is_empty())
        {
            *free = Block { start, end };
        }
    }

    /// The SACK blocks, in their order.
    pub fn sack(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let at = |offset: i32| self.number.saturating_add_signed(i64::from(offset));
        self.blocks.iter().take_while(|block| !block.is_empty()).map(move |block| at(block.start)..at(block.end))
    }

    /// RFC 2883 §4: the first block reports a duplicate if it lies below the number or within the second block.
    pub fn duplicate_block(&self) -> Option<Range<u64>> {
        let mut blocks = self.sack();
        let first = blocks.next()?;
        let is_within = |second: Range<u64>| second.start <= first.start && first.end <= second.end;
        (first.start < self.number || blocks.next().is_some_and(is_within)).then_some(first)
    }

    /// True if it carries SACK blocks.
    pub const fn has_sack(&self) -> bool {
        !self.blocks[0].is_empty()
    }
}
