//! What one ACK shows, collected once by the scoreboard and read by every rule after that.
//!
//! A moment that does not exist is [`Time::NEVER`]: the record is made for every ACK and stays small.

use std::ops::Range;

use crate::types::{Bytes, Duration, Time};

use super::sent::{Sent, Sum};

/// An ACK, as the scoreboard understood it.
#[derive(Clone, Debug)]
pub(super) struct AckSummary {
    /// When it arrived.
    pub(super) now: Time,
    /// Its number, so SND.UNA after it.
    pub(super) number: u64,
    /// SND.UNA before it.
    pub(super) previous: u64,
    /// TSecr, if it carries one.
    pub(super) echo: Option<Time>,
    /// RFC 5681 §2: no new number, no new window, data outstanding; with SACK, RFC 6675 §2: it reports newly SACKed data.
    pub(super) is_duplicate: bool,
    /// No new number and no new window, whatever its blocks report and whether or not data is outstanding.
    pub(super) is_repetition: bool,
    /// RFC 2883 §4: what it reports to have arrived twice; empty if nothing.
    pub(super) duplicate_block: Range<u64>,
    /// Segments, whole ones, that its number newly covers.
    pub(super) acked_segments: u32,
    /// What its blocks newly cover above its number.
    pub(super) sacked: Sum,
    /// What it shows to have arrived and no ACK before it did (RFC 9937 §6.2: DeliveredData).
    pub(super) delivered: Sum,
    /// True when any segment that its number newly covers was sent more than once.
    pub(super) covers_retransmission: bool,
    /// When the oldest segment that its number newly covers was last sent.
    pub(super) oldest_sent_at: Time,
    /// When the first segment was sent that its number newly covers, no earlier block did, and that was sent only once.
    pub(super) first_acked_at: Time,
    /// When the first segment newly SACKed that was sent only once was sent.
    pub(super) first_sacked_at: Time,
    /// The lowest end of a segment newly delivered (acknowledged or SACKed) that was sent only once; `u64::MAX` if none.
    pub(super) lowest_original_end: u64,
    /// Of the segments newly delivered, the one sent last; not a retransmission if it may be the original that arrived.
    pub(super) newest: Newest,
    /// When the one that was taken in last was sent: of those that its number covers, else of those that it SACKs, the
    /// highest. Retransmissions are left out as above.
    pub(super) latest_sent_at: Time,
    pub(super) latest_sacked_end: u64,
    /// Bytes that it newly reports to have come marked.
    pub(super) marked: u32,
    /// It echoes a mark (ECE, RFC 3168).
    pub(super) has_echo_of_mark: bool,
    /// RFC 8985 §6.2 step 2: a round trip shorter than this is not a retransmission's. Zero: any may be.
    pub(super) least_rtt: Duration,
}

/// What an ACK shows of the order in which segments arrive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrivals {
    pub(super) now: Time,
    pub(super) number: u64,
    pub(super) newest: Newest,
    pub(super) latest_sent_at: Time,
    pub(super) lowest_original_end: u64,
}

/// The segment newly delivered that was sent last, by the order of transmissions: many are sent in one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Newest {
    /// When it was last sent; never if nothing was newly delivered.
    pub(super) sent_at: Time,
    pub(super) transmission: u64,
    pub(super) retransmission: bool,
}

impl AckSummary {
    /// One that has covered nothing so far.
    pub(super) const fn new(now: Time, number: u64, previous: u64, echo: Option<Time>) -> Self {
        Self {
            now,
            number,
            previous,
            echo,
            is_duplicate: false,
            is_repetition: false,
            duplicate_block: 0..0,
            acked_segments: 0,
            sacked: Sum { segments: 0, bytes: 0 },
            delivered: Sum { segments: 0, bytes: 0 },
            covers_retransmission: false,
            oldest_sent_at: Time::NEVER,
            first_acked_at: Time::NEVER,
            first_sacked_at: Time::NEVER,
            lowest_original_end: u64::MAX,
            newest: Newest { sent_at: Time::NEVER, transmission: 0, retransmission: false },
            latest_sent_at: Time::NEVER,
            latest_sacked_end: 0,
            marked: 0,
            has_echo_of_mark: false,
            least_rtt: Duration::ZERO,
        }
    }

    /// Bytes that its number newly covers.
    pub(super) const fn acked(&self) -> Bytes {
        Bytes::new(self.number - self.previous)
    }

    /// What it shows of the order of arrivals.
    #[inline]
    pub(super) const fn arrivals(&self) -> Arrivals {
        let Self { now, number, newest, latest_sent_at, lowest_original_end, .. } = *self;
        Arrivals { now, number, newest, latest_sent_at, lowest_original_end }
    }

    /// True when its number is new.
    pub(super) const fn is_new(&self) -> bool {
        self.number > self.previous
    }

    /// Its number covers `bytes` of `sent`, the whole or its beginning.
    #[inline]
    pub(super) fn on_acked(&mut self, sent: &Sent, bytes: u32) {
        if self.oldest_sent_at == Time::NEVER {
            self.oldest_sent_at = sent.sent_at;
        }
        self.covers_retransmission |= sent.retransmission;
        self.acked_segments += u32::from(bytes == sent.length);
        if !sent.sacked {
            if !sent.retransmission && self.first_acked_at == Time::NEVER {
                self.first_acked_at = sent.sent_at;
            }
            // What is echoed is the time of the segment that moved the number (RFC 7323 §4.3).
            let is_late_original = self.echo.is_some_and(|echo| echo < sent.sent_at);
            if self.on_delivered(sent, bytes, is_late_original) {
                self.latest_sent_at = sent.sent_at;
                self.latest_sacked_end = u64::MAX;
            }
        }
    }

    /// What its number newly covers: whole segments, and all bytes.
    #[inline]
    pub(super) fn covered(&self) -> Sum {
        Sum { segments: u64::from(self.acked_segments), bytes: self.acked().count() }
    }

    /// One of its blocks covers `sent`, and none did before.
    pub(super) fn on_sacked(&mut self, sent: &Sent) {
        self.sacked.add(sent.length);
        if !sent.retransmission && self.first_sacked_at == Time::NEVER {
            self.first_sacked_at = sent.sent_at;
        }
        let is_certain = self.on_delivered(sent, sent.length, false);
        if is_certain && sent.end() > self.latest_sacked_end {
            self.latest_sent_at = sent.sent_at;
            self.latest_sacked_end = sent.end();
        }
    }

    /// True if it is certain which transmission arrived.
    #[inline]
    fn on_delivered(&mut self, sent: &Sent, bytes: u32, is_late_original: bool) -> bool {
        self.delivered.add(bytes);
        let Sent { sent_at, transmission, retransmission, .. } = *sent;
        if !retransmission {
            self.lowest_original_end = self.lowest_original_end.min(sent.end());
        } else if is_late_original || self.now.since(sent_at) < self.least_rtt {
            return false;
        }
        let newest = self.newest;
        if newest.sent_at == Time::NEVER || transmission > newest.transmission {
            self.newest = Newest { sent_at, transmission, retransmission };
        }
        true
    }
}
