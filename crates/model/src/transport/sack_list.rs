//! The order of SACK blocks: RFC 2018 §4 and RFC 2883 §4.
//!
//! The newest block stands first, then the others by how lately they were first. Four are remembered, however few fit
//! an ACK; one that is pushed out comes back when more of it arrives.

use std::ops::Range;

use super::Segment;

/// The blocks that the next ACK will report.
#[derive(Clone, Debug, Default)]
pub(super) struct SackList {
    /// Newest first; none below RCV.NXT, no two that touch.
    blocks: Vec<Range<u64>>,
    /// The first contiguous part of the last segment that had arrived before.
    duplicate: Option<Range<u64>>,
}

impl SackList {
    /// True when there is nothing to report.
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.duplicate.is_none()
    }

    /// Data arrived ahead of a gap: `block` is all that is now contiguous around it.
    pub(super) fn on_arrival(&mut self, block: Range<u64>) {
        // What the block grew over is a part of it now.
        self.blocks.retain(|old| old.end < block.start || old.start > block.end);
        self.blocks.truncate(Segment::MOST_BLOCKS - 1);
        self.blocks.insert(0, block);
    }

    /// Everything below `next` is in order.
    pub(super) fn on_in_order(&mut self, next: u64) {
        self.blocks.retain(|block| block.start > next);
    }

    /// `part` had arrived before.
    pub(super) fn on_duplicate(&mut self, part: Range<u64>) {
        self.duplicate = Some(part);
    }

    /// An ACK with at most `most` blocks; a duplicate is reported once.
    #[inline(never)]
    pub(super) fn written_on(&mut self, mut ack: Segment, most: usize) -> Segment {
        let duplicate = self.duplicate.take();
        let blocks = duplicate.iter().chain(&self.blocks).take(most);
        blocks.for_each(|block| ack.push_sack(block.clone()));
        ack
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a list of one block is meant")]
mod tests {
    use super::*;
    use crate::types::Bytes;

    fn written(list: &mut SackList, most: usize) -> Vec<Range<u64>> {
        let ack = list.written_on(Segment::ack(1000, Bytes::new(0)), most);
        ack.sack().collect()
    }

    #[test]
    fn the_newest_block_is_first_and_the_others_follow_by_age() {
        let mut list = SackList::default();
        for block in [2000..3000, 6000..7000, 4000..5000] {
            list.on_arrival(block);
        }
        assert_eq!(written(&mut list, 3), [4000..5000, 6000..7000, 2000..3000]);
        list.on_arrival(2000..3500);
        assert_eq!(written(&mut list, 3), [2000..3500, 4000..5000, 6000..7000]);
        list.on_arrival(2000..5000); // two became one
        assert_eq!(written(&mut list, 3), [2000..5000, 6000..7000]);
        list.on_in_order(5000);
        assert_eq!(written(&mut list, 3), [6000..7000]);
    }

    #[test]
    fn four_blocks_are_remembered_and_as_many_written_as_fit() {
        let mut list = SackList::default();
        (1..=5).for_each(|n| list.on_arrival(2000 * n..2000 * n + 1000));
        assert_eq!(written(&mut list, 4), [10_000..11_000, 8000..9000, 6000..7000, 4000..5000]);
        assert_eq!(written(&mut list, 3).len(), 3);
        assert!(written(&mut list, 0).is_empty());
    }

    #[test]
    fn a_duplicate_is_reported_first_and_once() {
        let mut list = SackList::default();
        list.on_arrival(2000..4000);
        list.on_duplicate(2500..3000);
        assert_eq!(written(&mut list, 3), [2500..3000, 2000..4000]);
        assert_eq!(written(&mut list, 3), [2000..4000]);
    }
}
