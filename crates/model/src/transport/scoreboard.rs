//! The segments sent and not yet acknowledged, oldest first, and what is known of each: the scoreboard of RFC 6675 §3.
//!
//! Segments keep the boundaries they were first sent with. A segment is SACKed, lost (its last transmission is given
//! up, whoever says so: duplicate ACKs, SACK, time, a timeout) or neither; a lost one that was sent again is also
//! resent. The sums of these marks are kept while they are set, so that "pipe" costs three loads. A timeout marks
//! everything not SACKed lost; without SACK that is go-back-N, and SND.NXT the first lost segment not resent.
//!
//! Left out: SACK of parts of segments (receivers report what they received) and reneging (RFC 2018 §8 allows a receiver
//! to drop what it has SACKed; the one of this model never does), but for the oldest segment after a timeout.

use std::collections::VecDeque;
use std::ops::Range;

use crate::types::{Bytes, Time};

use super::ack_summary::AckSummary;
use super::sent::{Sent, Sum};
use super::{Segment, Stamp};

/// A transmission that was given up.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenUp {
    pub(super) transmission: u64,
    pub(super) length: u32,
}

/// Segments between SND.UNA and the highest byte sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    segments: VecDeque<Sent>,
    /// SND.UNA: the first byte not acknowledged.
    start: u64,
    /// The end of what was ever sent.
    end: u64,
    transmissions: u64,
    sacked: Sum,
    lost: Sum,
    resent: Sum,
    /// Segments sent more than once.
    repeated: u64,
    /// Transmissions ever given up.
    losses: u64,
    /// Those since they were last taken, if somebody takes them.
    given_up: Option<Vec<GivenUp>>,
    /// Segments lost and not sent again.
    waiting: usize,
    /// No segment below this index waits to be sent again.
    waiting_from: usize,
    /// The end of the highest segment SACKed.
    highest_sacked: u64,
    /// Blocks of the latest ACK that had any: all they cover is marked.
    known_blocks: [(u64, u64); 4],
}

impl Scoreboard {
    /// An empty one; `lists_losses`: each transmission that is given up can be taken.
    pub(super) fn new(lists_losses: bool) -> Self {
        Self { given_up: lists_losses.then(Vec::new), ..Self::default() }
    }

    pub(super) const fn start(&self) -> u64 {
        self.start
    }

    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Segments not acknowledged, whatever their marks.
    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// Gives its memory back, if it is empty.
    pub(super) fn release(&mut self) {
        if self.is_empty() {
            self.segments = VecDeque::new();
        }
    }

    /// Segments SACKed and not yet acknowledged.
    pub(super) const fn sacked(&self) -> Sum {
        self.sacked
    }

    /// Segments given up, resent or not.
    pub(super) const fn lost(&self) -> Sum {
        self.lost
    }

    /// Segments of which a retransmission is in flight.
    pub(super) const fn resent(&self) -> Sum {
        self.resent
    }

    /// True when no segment has any mark.
    pub(super) const fn is_unmarked(&self) -> bool {
        self.sacked.segments | self.lost.segments | self.resent.segments == 0
    }

    /// True when every segment was sent once and nothing is known of any.
    pub(super) const fn is_as_first_sent(&self) -> bool {
        self.is_unmarked() && self.repeated == 0
    }

    /// Transmissions ever given up: what is marked lost again counts again.
    pub(super) const fn losses(&self) -> u64 {
        self.losses
    }

    /// Takes the transmissions given up since the last time.
    pub(super) fn take_given_up(&mut self) -> Vec<GivenUp> {
        self.given_up.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// What is in flight: not SACKed and not lost, or resent. It is "pipe" of RFC 6675 §4 and, without SACK, FlightSize,
    /// where after a timeout what is to be resent is lost and no longer in flight.
    pub(super) const fn flight(&self) -> Bytes {
        Bytes::new(self.end - self.start - self.sacked.bytes - self.lost.bytes + self.resent.bytes)
    }

    /// Everything sent and not acknowledged, whatever is known of it.
    pub(super) const fn outstanding(&self) -> Bytes {
        Bytes::new(self.end - self.start)
    }

    /// From SND.UNA to the end of what was ever sent.
    pub(super) const fn range(&self) -> Range<u64> {
        self.start..self.end
    }

    /// The end of the highest segment SACKed; at most SND.UNA if nothing above it is.
    pub(super) const fn highest_sacked(&self) -> u64 {
        self.highest_sacked
    }

    /// The oldest segment.
    pub(super) fn oldest(&self) -> Option<&Sent> {
        self.segments.front()
    }

    /// The segments, oldest first, by index.
    pub(super) fn get(&self, index: usize) -> Option<&Sent> {
        self.segments.get(index)
    }

    /// Index of the first segment that starts at `sequence` or above.
    pub(super) fn index_of(&self, sequence: u64) -> usize {
        self.segments.partition_point(|sent| sent.sequence < sequence)
    }

    /// True if some segment is lost and not sent again.
    pub(super) const fn has_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// The oldest segment that is lost and not sent again.
    pub(super) fn next_waiting(&mut self) -> Option<usize> {
        if self.waiting == 0 {
            return None;
        }
        let index = (self.waiting_from..self.segments.len()).find(|&index| self.segments[index].is_waiting());
        self.waiting_from = index.expect("what is counted is there");
        index
    }

    /// Sends `length` new bytes.
    #[inline]
    pub(super) fn send_new(&mut self, length: u32, now: Time, timestamp: Stamp) -> Segment {
        let sent = Sent {
            sequence: self.end,
            transmission: self.transmissions,
            sent_at: now,
            length,
            retransmission: false,
            sacked: false,
            lost: false,
            resent: false,
        };
        self.segments.push_back(sent);
        self.end = sent.end();
        self.transmissions += 1;
        as_last_sent(&sent, timestamp)
    }

    /// A segment without bytes at the end of what was sent.
    pub(super) fn empty_segment(&mut self, timestamp: Stamp) -> Segment {
        let transmission = self.transmissions;
        self.transmissions += 1;
        Segment { sequence: self.end, transmission, timestamp, ..Segment::default() }
    }

    /// Sends segment `index` again in place of a transmission that is lost; it counts as in flight from now on.
    pub(super) fn resend(&mut self, index: usize, now: Time, timestamp: Stamp) -> Segment {
        let sent = &mut self.segments[index];
        if !sent.resent && !sent.sacked {
            self.waiting -= usize::from(sent.lost);
            sent.resent = true;
            self.resent.add(sent.length);
        }
        self.send_again(index, now, timestamp)
    }

    /// Sends segment `index` again and leaves what is in flight unchanged, unless the segment was given up.
    pub(super) fn repeat(&mut self, index: usize, now: Time, timestamp: Stamp) -> Segment {
        if self.segments[index].lost {
            self.resend(index, now, timestamp)
        } else {
            self.send_again(index, now, timestamp)
        }
    }

    fn send_again(&mut self, index: usize, now: Time, timestamp: Stamp) -> Segment {
        let sent = &mut self.segments[index];
        sent.transmission = self.transmissions;
        self.repeated += u64::from(!sent.retransmission);
        sent.retransmission = true;
        sent.sent_at = now;
        self.transmissions += 1;
        as_last_sent(sent, timestamp)
    }

    /// Gives up the first transmission of segment `index`; one that was sent again since stays in flight.
    pub(super) fn mark_original_lost(&mut self, index: usize) {
        let sent = &mut self.segments[index];
        if sent.sacked || std::mem::replace(&mut sent.lost, true) {
            return;
        }
        self.lost.add(sent.length);
        self.losses += 1;
        if let Some(list) = &mut self.given_up {
            list.push(GivenUp { transmission: sent.transmission, length: sent.length });
        }
        if !sent.resent {
            self.waiting += 1;
            self.waiting_from = self.waiting_from.min(index);
        }
    }

    /// Gives up every transmission of segment `index`; true if any was in flight.
    pub(super) fn mark_lost(&mut self, index: usize) -> bool {
        let sent = &mut self.segments[index];
        if sent.sacked || sent.is_waiting() {
            return false;
        }
        if !std::mem::replace(&mut sent.lost, true) {
            self.lost.add(sent.length);
        }
        if std::mem::replace(&mut sent.resent, false) {
            self.resent.remove(sent.length);
        }
        self.losses += 1;
        if let Some(list) = &mut self.given_up {
            list.push(GivenUp { transmission: sent.transmission, length: sent.length });
        }
        self.waiting += 1;
        self.waiting_from = self.waiting_from.min(index);
        true
    }

    /// Gives up everything not SACKed. Without SACK this is go-back-N: everything is to be sent again.
    pub(super) fn mark_all_lost(&mut self) {
        (0..self.segments.len()).for_each(|index| {
            self.mark_lost(index);
        });
    }

    /// Removes the mark of every lost segment that was not retransmitted yet.
    pub(super) fn unmark_lost(&mut self) {
        for sent in &mut self.segments {
            if std::mem::replace(&mut sent.lost, false) {
                self.lost.remove(sent.length);
            }
        }
        self.waiting = 0;
    }

    /// Forgets that anything was SACKed.
    pub(super) fn forget_sacked(&mut self) {
        self.segments.iter_mut().for_each(|sent| sent.sacked = false);
        self.sacked = Sum::default();
        self.highest_sacked = 0;
        self.known_blocks = Default::default();
    }

    /// Removes what lies below the number of `ack`, which is above `start` and at most `end`.
    #[inline]
    pub(super) fn acknowledge(&mut self, ack: &mut AckSummary) {
        self.remove_below(ack.number, |sent, bytes| ack.on_acked(sent, bytes));
    }

    /// Removes what lies below `number` and shows it to `on_acked`: the segment, and how many of its bytes go.
    #[inline(always)]
    pub(super) fn remove_below(&mut self, number: u64, mut on_acked: impl FnMut(&Sent, u32)) {
        let mut removed = 0;
        while let Some(sent) = self.segments.front() {
            if sent.end() > number {
                if sent.sequence < number {
                    let rest = (sent.end() - number) as u32; // Less than its length.
                    on_acked(sent, sent.length - rest);
                    self.keep_rest(number, rest);
                }
                break;
            }
            on_acked(sent, sent.length);
            let is_last = sent.end() == number;
            if sent.sacked | sent.lost | sent.resent | sent.retransmission {
                let sent = *sent;
                self.repeated -= u64::from(sent.retransmission);
                self.forget_marks(&sent);
            }
            self.segments.pop_front();
            removed += 1;
            if is_last {
                break;
            }
        }
        if self.waiting_from > 0 {
            self.waiting_from = self.waiting_from.saturating_sub(removed);
        }
        self.start = number;
    }

    /// Keeps of the oldest segment the `length` bytes from `number` on, with its marks.
    #[inline(never)]
    fn keep_rest(&mut self, number: u64, length: u32) {
        let oldest = self.segments.front_mut().expect("the number lies within it");
        let before = *oldest;
        (oldest.sequence, oldest.length) = (number, length);
        let after = *oldest;
        self.forget_marks(&before);
        self.remember_marks(&after);
    }

    #[inline(never)]
    fn forget_marks(&mut self, sent: &Sent) {
        let length = sent.length;
        self.waiting -= usize::from(sent.is_waiting());
        for (has_mark, sum) in
            [(sent.sacked, &mut self.sacked), (sent.lost, &mut self.lost), (sent.resent, &mut self.resent)]
        {
            if has_mark {
                sum.remove(length);
            }
        }
    }

    fn remember_marks(&mut self, sent: &Sent) {
        let length = sent.length;
        self.waiting += usize::from(sent.is_waiting());
        for (has_mark, sum) in
            [(sent.sacked, &mut self.sacked), (sent.lost, &mut self.lost), (sent.resent, &mut self.resent)]
        {
            if has_mark {
                sum.add(length);
            }
        }
    }

    /// RFC 6675 §4 Update: marks every segment that the blocks cover wholly; what was not marked goes into `ack`.
    /// Blocks that lie below SND.UNA or above what was sent cover nothing.
    pub(super) fn on_sack(&mut self, blocks: impl Iterator<Item = Range<u64>>, ack: &mut AckSummary) {
        let mut known: [(u64, u64); 4] = Default::default();
        let (start, end) = (self.start, self.end);
        let sensible = blocks.filter(|block| block.end > start && block.end <= end);
        for (block, known) in sensible.zip(&mut known) {
            // What the latest ACK reported too needs no second look.
            let seen = self.known_blocks.iter().find(|(start, end)| (*start..*end).contains(&block.start));
            let from = seen.map_or(block.start, |seen| seen.1);
            self.mark_sacked(from, block.end, ack);
            *known = (block.start, block.end);
        }
        self.known_blocks = known;
    }

    fn mark_sacked(&mut self, from: u64, to: u64, ack: &mut AckSummary) {
        let mut index = self.index_of(from);
        while let Some(sent) = self.segments.get_mut(index).filter(|sent| sent.end() <= to) {
            if !sent.sacked {
                let before = *sent;
                (sent.sacked, sent.lost, sent.resent) = (true, false, false);
                self.highest_sacked = self.highest_sacked.max(before.end());
                self.forget_marks(&before);
                self.sacked.add(before.length);
                ack.on_sacked(&before);
            }
            index += 1;
        }
    }
}

/// The segment as last sent.
#[inline]
pub(super) fn as_last_sent(sent: &Sent, timestamp: Stamp) -> Segment {
    let Sent { sequence, length, transmission, retransmission, .. } = *sent;
    Segment { sequence, length, transmission, retransmission, timestamp, ..Segment::default() }
}
