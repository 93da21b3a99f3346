//! Segments that arrived ahead of a gap, as sorted, disjoint, non-touching intervals.
//!
//! In the usual case (nothing missing) it is empty and costs one comparison. SACK blocks are these intervals.

use std::collections::VecDeque;
use std::ops::Range;

/// What arrived beyond the first gap.
#[derive(Clone, Debug, Default)]
pub(super) struct Reassembly {
    intervals: VecDeque<Range<u64>>,
}

impl Reassembly {
    pub(super) fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// The byte after the last one.
    pub(super) fn end(&self) -> Option<u64> {
        self.intervals.back().map(|interval| interval.end)
    }

    /// How many bytes there are.
    pub(super) fn bytes(&self) -> u64 {
        self.intervals.iter().map(|interval| interval.end - interval.start).sum()
    }

    /// Adds the bytes of `arrived`, merging what it overlaps or touches; answers all that is contiguous around it.
    pub(super) fn insert(&mut self, arrived: Range<u64>) -> Range<u64> {
        let first = self.intervals.partition_point(|interval| interval.end < arrived.start);
        let beyond = self.intervals.partition_point(|interval| interval.start <= arrived.end);
        if first == beyond {
            self.intervals.insert(first, arrived.clone());
            return arrived;
        }
        let start = self.intervals[first].start.min(arrived.start);
        let end = self.intervals[beyond - 1].end.max(arrived.end);
        self.intervals.drain(first + 1..beyond);
        self.intervals[first] = start..end;
        start..end
    }

    /// The first contiguous part of `arrived` that is here already.
    pub(super) fn first_overlap(&self, arrived: &Range<u64>) -> Option<Range<u64>> {
        let interval = self.intervals.get(self.intervals.partition_point(|interval| interval.end <= arrived.start))?;
        let part = interval.start.max(arrived.start)..interval.end.min(arrived.end);
        (!part.is_empty()).then_some(part)
    }

    /// Removes all that is in order once every byte below `next` is there; answers the first byte still missing.
    pub(super) fn take_in_order(&mut self, mut next: u64) -> u64 {
        while let Some(interval) = self.intervals.front().filter(|interval| interval.start <= next) {
            next = next.max(interval.end);
            self.intervals.pop_front();
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holding(parts: &[Range<u64>]) -> Reassembly {
        let mut reassembly = Reassembly::default();
        for part in parts {
            reassembly.insert(part.clone());
        }
        reassembly
    }

    #[test]
    fn touching_and_overlapping_parts_become_one() {
        let reassembly = holding(&[10..20, 40..50, 30..40, 15..25, 45..48, 50..55]);
        assert_eq!(reassembly.intervals, [10..25, 30..55]);
        assert_eq!(holding(&[10..20, 30..40, 50..60, 80..90, 12..55]).intervals, [10..60, 80..90]);
    }

    #[test]
    fn the_first_part_that_is_here_already_is_found() {
        let reassembly = holding(&[10..20, 30..40]);
        assert_eq!(reassembly.first_overlap(&(15..35)), Some(15..20));
        assert_eq!(reassembly.first_overlap(&(20..35)), Some(30..35));
        assert_eq!(reassembly.first_overlap(&(12..18)), Some(12..18));
        assert_eq!(reassembly.first_overlap(&(20..30)), None);
        assert_eq!(reassembly.first_overlap(&(40..50)), None);
    }

    #[test]
    fn filling_a_gap_releases_everything_up_to_the_next_gap() {
        let mut reassembly = holding(&[10..20, 20..30, 40..50, 60..70]);
        assert_eq!(reassembly.take_in_order(5), 5);
        assert_eq!(reassembly.take_in_order(12), 30);
        assert_eq!(reassembly.intervals, [40..50, 60..70]);
    }
}
