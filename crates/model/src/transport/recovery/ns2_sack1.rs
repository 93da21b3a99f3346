//! The recovery of the first TCPs with SACK [Fall96]: "pipe" is a counter, and whatever lies below the highest block is lost.
//!
//! ns-2.35, `Sack1TcpAgent` and `ScoreBoardRQ`. The counter starts at what is outstanding less the duplicate ACKs that
//! showed the loss; each ACK takes one off, a partial one (which stands for a lost segment and its repair) two, and each
//! segment sent adds one. Holes are repaired from the lowest up, each once: a repair that is lost waits for the timer. What
//! was SACKed is remembered only while a row of duplicate ACKs or a recovery lasts.

use std::ops::Range;

use super::{DuplicateAck, Recovery};
use crate::transport::ack_summary::AckSummary;
use crate::transport::scoreboard::Scoreboard;

/// What an ACK means to a recovery that counts "pipe".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transport) enum Ns2Sack1Ack {
    /// Nothing beyond its effect on the counter.
    Counted,
    /// New data is acknowledged outside a recovery.
    NewData,
    /// A recovery begins.
    ShowsLoss,
    /// New data is acknowledged, and the recovery goes on.
    Partial,
    /// The recovery is over.
    Complete,
}

impl Recovery {
    /// Takes in an ACK with these SACK blocks.
    pub(in crate::transport) fn on_ack_by_counter(
        &mut self,
        scoreboard: &Scoreboard,
        ack: &AckSummary,
        blocks: impl Iterator<Item = Range<u64>>,
    ) -> Ns2Sack1Ack {
        if self.is_active() {
            return self.on_ack_in_counted_recovery(scoreboard, ack, blocks);
        }
        if ack.is_new() {
            self.counter.on_new_ack();
            self.on_ack(ack.number);
            return Ns2Sack1Ack::NewData;
        }
        let is_news = ack.is_duplicate && self.counter.on_sack(scoreboard.range(), blocks);
        if !is_news || self.on_duplicate_ack(ack.number, scoreboard.end()) != DuplicateAck::ShowsLoss {
            return Ns2Sack1Ack::Counted;
        }
        self.counter.begin(scoreboard, self.guards.threshold);
        self.resend_oldest = true;
        Ns2Sack1Ack::ShowsLoss
    }

    fn on_ack_in_counted_recovery(
        &mut self,
        scoreboard: &Scoreboard,
        ack: &AckSummary,
        blocks: impl Iterator<Item = Range<u64>>,
    ) -> Ns2Sack1Ack {
        self.counter.on_departed();
        if ack.is_new() && self.is_full(ack.number) {
            self.counter.on_new_ack();
            self.leave();
            self.point = None; // Nothing keeps the next one from beginning.
            return Ns2Sack1Ack::Complete;
        }
        if ack.is_new() {
            self.counter.on_departed();
        }
        self.counter.on_sack(scoreboard.range(), blocks);
        if ack.is_new() { Ns2Sack1Ack::Partial } else { Ns2Sack1Ack::Counted }
    }

    /// An ACK of `number`, below SND.UNA: outside a recovery it is ignored (ns-2, `Sack1TcpAgent::recv`).
    pub(in crate::transport) fn on_old_ack_by_counter(
        &mut self,
        scoreboard: &Scoreboard,
        number: u64,
        blocks: impl Iterator<Item = Range<u64>>,
    ) {
        if self.is_active() {
            self.counter.on_old_ack(number);
            self.counter.on_sack(scoreboard.range(), blocks);
        }
    }
}

/// The counter, and what is known to have arrived.
#[derive(Clone, Debug, Default)]
pub(in crate::transport) struct Ns2Sack1 {
    is_on: bool,
    segments: i64,
    /// Holes below this were repaired.
    repaired_to: u64,
    /// What was SACKed, ascending and apart.
    blocks: Vec<Range<u64>>,
    /// The number that was acknowledged when the recovery began.
    began_at: u64,
    /// The latest ACK is older than the recovery and lets nothing out.
    is_silent: bool,
    /// After a timeout duplicate ACKs are ignored until an ACK of new data.
    is_deaf: bool,
}

impl Ns2Sack1 {
    pub(super) fn new(is_on: bool) -> Self {
        Self { is_on, ..Self::default() }
    }

    /// True if the sender recovers by it.
    pub(super) const fn is_on(&self) -> bool {
        self.is_on
    }

    /// Begins a recovery that `duplicates` ACKs showed to be needed; its oldest segment is sent at once and not counted.
    fn begin(&mut self, scoreboard: &Scoreboard, duplicates: u32) {
        let outstanding = i64::try_from(scoreboard.len()).expect("fewer segments than that");
        self.segments = outstanding - i64::from(duplicates);
        (self.began_at, self.is_silent) = (scoreboard.start(), false);
        self.repaired_to = scoreboard.oldest().map_or(0, |sent| sent.end());
    }

    /// One segment is no longer in flight.
    const fn on_departed(&mut self) {
        self.segments -= 1;
        self.is_silent = false;
    }

    /// An ACK of a number below the latest came: a segment is no longer in flight, but the ACK lets out nothing if it is older
    /// than the recovery (`valid_ack`).
    const fn on_old_ack(&mut self, number: u64) {
        self.on_departed();
        self.is_silent = number < self.began_at;
    }

    /// True when one more segment keeps within `window` of them.
    pub(in crate::transport) fn has_room(&self, window: u64) -> bool {
        !self.is_silent && self.segments < i64::try_from(window).unwrap_or(i64::MAX)
    }

    /// A segment goes out.
    pub(in crate::transport) const fn on_sent(&mut self) {
        self.segments += 1;
    }

    /// A hole is repaired by a segment that goes out, the lowest that was not repaired yet; its index.
    pub(in crate::transport) fn take_hole(&mut self, scoreboard: &Scoreboard) -> Option<usize> {
        let index = self.next_hole(scoreboard)?;
        self.repaired_to = scoreboard.get(index).expect("a hole is a segment").end();
        self.on_sent();
        Some(index)
    }

    /// The lowest hole not repaired that has a block above it, by its index.
    fn next_hole(&self, scoreboard: &Scoreboard) -> Option<usize> {
        let from = self.repaired_to.max(scoreboard.start());
        let inside = self.blocks.iter().find(|block| block.contains(&from) || block.end == from);
        let at = inside.map_or(from, |block| block.end);
        // A block may begin within the last segment.
        let index = self.blocks.last().is_some_and(|block| at < block.start).then(|| scoreboard.index_of(at));
        index.filter(|&index| index < scoreboard.len())
    }

    /// A duplicate or partial ACK carried `blocks`; true if they tell anything new of what is `outstanding`. After a timeout
    /// they don't count at all.
    fn on_sack(&mut self, outstanding: Range<u64>, blocks: impl Iterator<Item = Range<u64>>) -> bool {
        if self.is_deaf {
            return false;
        }
        self.blocks.retain(|block| block.end > outstanding.start);
        let before = self.total();
        let sensible = |block: &Range<u64>| block.start > outstanding.start && block.end <= outstanding.end;
        blocks.filter(sensible).for_each(|block| self.add(block));
        self.total() != before
    }

    /// An ACK of new data outside recovery, or one that ended it.
    fn on_new_ack(&mut self) {
        self.blocks.clear();
        self.is_deaf = false;
    }

    pub(super) fn on_timeout(&mut self) {
        self.blocks.clear();
        self.is_deaf = true;
    }

    fn total(&self) -> u64 {
        self.blocks.iter().map(|block| block.end - block.start).sum()
    }

    fn add(&mut self, mut block: Range<u64>) {
        let first = self.blocks.partition_point(|known| known.end < block.start);
        let last = self.blocks.partition_point(|known| known.start <= block.end);
        if first < last {
            block = block.start.min(self.blocks[first].start)..block.end.max(self.blocks[last - 1].end);
        }
        self.blocks.splice(first..last, [block]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Stamp;
    use crate::types::Time;

    fn ten_segments() -> Scoreboard {
        let mut scoreboard = Scoreboard::default();
        (0..10).for_each(|_| {
            scoreboard.send_new(1000, Time::ZERO, Stamp::NONE);
        });
        scoreboard
    }

    #[test]
    fn blocks_merge_and_only_what_is_new_counts() {
        let mut pipe = Ns2Sack1::new(true);
        assert!(pipe.on_sack(0..10_000, [2000..3000, 5000..6000].into_iter()));
        assert!(!pipe.on_sack(0..10_000, std::iter::once(2000..3000)));
        assert!(pipe.on_sack(0..10_000, std::iter::once(3000..5000)));
        assert_eq!(pipe.blocks.iter().map(|block| (block.start, block.end)).collect::<Vec<_>>(), [(2000, 6000)]);
        pipe.on_timeout();
        assert!(!pipe.on_sack(0..10_000, std::iter::once(8000..9000)));
        pipe.on_new_ack();
        assert!(pipe.on_sack(0..10_000, std::iter::once(8000..9000)));
    }

    #[test]
    fn holes_are_repaired_once_each_from_the_lowest_as_long_as_a_block_lies_above() {
        let (mut pipe, scoreboard) = (Ns2Sack1::new(true), ten_segments());
        pipe.on_sack(0..10_000, [1000..2000, 4000..6000, 7000..8000].into_iter());
        pipe.begin(&scoreboard, 3);
        let mut holes = Vec::new();
        while let Some(index) = pipe.take_hole(&scoreboard) {
            holes.push(index);
        }
        assert_eq!(holes, [2, 3, 6]);
    }

    #[test]
    fn the_counter_goes_down_with_each_ack_and_up_with_each_segment() {
        let (mut pipe, scoreboard) = (Ns2Sack1::new(true), ten_segments());
        pipe.begin(&scoreboard, 3);
        assert!(!pipe.has_room(7) && pipe.has_room(8));
        pipe.on_departed();
        pipe.on_departed();
        assert!(!pipe.has_room(5) && pipe.has_room(6));
        pipe.on_sent();
        assert!(!pipe.has_room(6));
    }
}
