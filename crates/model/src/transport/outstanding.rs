//! The segments sent and not yet acknowledged, oldest first, and where resending has got to.
//!
//! Segments keep the boundaries they were first sent with. `resend_from` is SND.NXT as an index: it stands at
//! the end until a timeout pulls it back. SACK's scoreboard will be further marks on these entries.

use std::collections::VecDeque;

use crate::types::{Bytes, Time};

use super::Segment;

/// Segments between SND.UNA and the highest byte sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Outstanding {
    segments: VecDeque<Sent>,
    resend_from: usize,
    /// SND.UNA: the first byte not acknowledged.
    start: u64,
    /// The end of what was ever sent.
    end: u64,
    transmissions: u64,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    segment: Segment,
    sent_at: Time,
}

/// What an acknowledgment newly covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    /// How much.
    pub(super) bytes: Bytes,
    /// How many segments wholly.
    pub(super) segments: u32,
    /// When the oldest segment among it was last sent.
    pub(super) oldest_sent_at: Time,
    /// True when any of it was sent more than once, so that no round trip can be told (RFC 6298 §3).
    pub(super) is_ambiguous: bool,
}

impl Outstanding {
    pub(super) const fn start(&self) -> u64 {
        self.start
    }

    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    /// SND.NXT: where the next segment, new or resent, starts.
    pub(super) fn next(&self) -> u64 {
        self.segments.get(self.resend_from).map_or(self.end, |sent| sent.segment.sequence)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// FlightSize: after a timeout, what is to be resent counts as lost and no longer in flight.
    pub(super) fn flight(&self) -> Bytes {
        Bytes::new(self.next() - self.start)
    }

    /// The oldest segment as last sent.
    pub(super) fn oldest(&self) -> Option<Segment> {
        self.segments.front().map(|sent| sent.segment)
    }

    /// Length of the segment that is next to be resent, if a timeout left any.
    pub(super) fn next_resend_length(&self) -> Option<u32> {
        self.segments.get(self.resend_from).map(|sent| sent.segment.length)
    }

    /// Sends `length` new bytes.
    pub(super) fn send_new(&mut self, length: u32, now: Time) -> Segment {
        let segment = Segment {
            sequence: self.end,
            length,
            transmission: self.transmissions,
            retransmission: false,
            timestamp: None,
        };
        self.segments.push_back(Sent { segment, sent_at: now });
        self.resend_from = self.segments.len();
        self.end = segment.end();
        self.transmissions += 1;
        segment
    }

    /// Sends the next segment of a go-back-N again.
    pub(super) fn resend_next(&mut self, now: Time) -> Segment {
        let index = self.resend_from;
        self.resend_from += 1;
        self.resend(index, now)
    }

    /// Sends the oldest segment again, out of turn.
    pub(super) fn resend_oldest(&mut self, now: Time) -> Segment {
        self.resend_from = self.resend_from.max(1);
        self.resend(0, now)
    }

    fn resend(&mut self, index: usize, now: Time) -> Segment {
        let sent = &mut self.segments[index];
        sent.segment.transmission = self.transmissions;
        sent.segment.retransmission = true;
        sent.sent_at = now;
        self.transmissions += 1;
        sent.segment
    }

    /// Go-back-N: everything is to be sent again, from the oldest on.
    pub(super) const fn rewind(&mut self) {
        self.resend_from = 0;
    }

    /// Removes what lies below `number`, which is above `start` and at most `end`.
    pub(super) fn acknowledge(&mut self, number: u64) -> Covered {
        let oldest = self.segments.front().expect("an ACK of new data finds data outstanding");
        let bytes = Bytes::new(number - self.start);
        let mut covered = Covered { bytes, segments: 0, oldest_sent_at: oldest.sent_at, is_ambiguous: false };
        while let Some(sent) = self.segments.front_mut().filter(|sent| sent.segment.sequence < number) {
            covered.is_ambiguous |= sent.segment.retransmission;
            if sent.segment.end() > number {
                sent.segment.length = u32::try_from(sent.segment.end() - number).expect("a part is no longer");
                sent.segment.sequence = number;
                break;
            }
            self.segments.pop_front();
            covered.segments += 1;
            self.resend_from = self.resend_from.saturating_sub(1);
        }
        self.start = number;
        covered
    }
}
