//! RACK (RFC 8985 §6): a segment is lost when one sent later has arrived and it has had time enough to arrive itself.
//!
//! What counts is when a segment was last sent, so lost retransmissions and the end of a flight show as other losses do.
//! The time it gets is the latest round trip plus a reordering window: none while no reordering was seen and there is
//! other evidence (`duplicate_ack_threshold` segments SACKed, or recovery under way), else a quarter of the smallest
//! round trip, more with each round that shows duplicates, at most SRTT. A segment that still has time sets a timer.
//!
//! Nothing is searched without need. First transmissions were sent in the order of their sequence numbers, so one
//! position tells up to where they are decided; retransmissions stand in a queue in the order they were sent.
//!
//! "Sent later" goes by the order of transmissions. RFC 8985 §6.2 and Linux order segments of one moment by their sequence
//! numbers. At a sender whose ACKs all come in one moment, a retransmission would then count as sent before the new
//! data that it followed, and be given up on that data's arrival.
//!
//! Where Linux (`net/ipv4/tcp_recovery.c`) departs from the RFC it is followed, because its form is what runs: a DSACK
//! widens the window only once reordering was seen and not if it reports a loss probe; an echoed time is held against
//! a retransmission only by the ACK number that covers it, because SACK blocks are not what is echoed (RFC 7323 §4.3);
//! a timeout gives up what was sent a round trip ago, without the reordering window.
//!
//! Left out: the smallest round trip is that of the whole connection, not of a sliding window (Linux: 300 s).

use std::collections::VecDeque;

use crate::transport::Segment;
use crate::transport::ack_summary::Arrivals;
use crate::transport::scoreboard::Scoreboard;
use crate::transport::sent::Sent;
use crate::types::{Duration, Time};

/// RFC 8985 §6.2 step 4: recoveries without a DSACK after which the reordering window is as at first.
const PERSISTENCE: u32 = 16;

/// What RACK knows; the RFC's name of each is in quotes.
#[derive(Clone, Debug)]
pub(in crate::transport) struct Rack {
    /// Number of the transmission sent last of all delivered ones, in place of "RACK.xmit_ts" and "RACK.end_seq"; none
    /// before the first.
    latest: Option<u64>,
    /// "RACK.rtt": the round trip of the latest segment delivered.
    rtt: Duration,
    /// "RACK.min_RTT".
    least_rtt: Duration,
    /// "RACK.fack": the end of the highest segment delivered.
    highest: u64,
    /// "RACK.reordering_seen".
    reordering_seen: bool,
    /// "RACK.dsack_round": duplicates below it are of a round that has widened the window already.
    dsack_round: Option<u64>,
    /// "RACK.reo_wnd_mult", quarters of the smallest round trip.
    quarters: u64,
    /// "RACK.reo_wnd_persist".
    persist: u32,
    /// Every segment below it was delivered, given up or sent again.
    decided: u64,
    /// Losses were undone since the last search.
    is_reopened: bool,
    /// Retransmissions in the order they were sent; some may be answered.
    resent: VecDeque<Resent>,
}

/// A retransmission that may still be under way.
#[derive(Clone, Copy, Debug)]
struct Resent {
    sequence: u64,
    transmission: u64,
}

/// What the sender knows that the reordering window depends on.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Evidence {
    /// In fast recovery or in the recovery from a timeout.
    pub(in crate::transport) is_recovering: bool,
    /// As many segments are SACKed as `duplicate_ack_threshold` asks for.
    pub(in crate::transport) reaches_threshold: bool,
    /// The smoothed round trip.
    pub(in crate::transport) srtt: Option<Duration>,
}

/// The outcome of a search for losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::transport) struct RackOutcome {
    /// Segments newly given up.
    pub(in crate::transport) losses: u32,
    /// Retransmissions among them.
    pub(in crate::transport) lost_again: u32,
    /// The longest that a segment overtaken by a later one may still take.
    pub(in crate::transport) wait: Option<Duration>,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            latest: None,
            rtt: Duration::ZERO,
            least_rtt: Duration::FOREVER,
            highest: 0,
            reordering_seen: false,
            dsack_round: None,
            quarters: 1,
            persist: 0,
            decided: 0,
            is_reopened: false,
            resent: VecDeque::new(),
        }
    }
}

impl Rack {
    /// "RACK.min_RTT"; [`Duration::FOREVER`] before the first sample.
    pub(in crate::transport) const fn least_rtt(&self) -> Duration {
        self.least_rtt
    }

    /// Step 1: the SYN's round trip counts, too; data that waits or is larger takes longer, its retransmission may not.
    pub(in crate::transport) fn on_handshake(&mut self, rtt: Duration) {
        self.least_rtt = self.least_rtt.min(rtt);
    }

    /// True if an ACK without blocks shows no loss as long as `board` knows of none and nothing is sent again: all that is
    /// outstanding was sent after all that has arrived.
    pub(in crate::transport) fn is_quiet(&self, board: &Scoreboard) -> bool {
        let is_in_order = self.decided <= board.start() && self.resent.is_empty() && !self.is_reopened;
        is_in_order && board.oldest().is_none_or(|oldest| !self.is_overtaken(oldest))
    }

    /// Steps 1 to 3: takes in what an ACK newly delivered; `highest_sacked` is the scoreboard's after it. True if it
    /// delivered anything, so that a search for losses is worth while.
    #[inline]
    pub(in crate::transport) fn on_ack(&mut self, ack: &Arrivals, highest_sacked: u64) -> bool {
        let newest = ack.newest;
        let is_reopened = std::mem::take(&mut self.is_reopened);
        if newest.sent_at == Time::NEVER {
            return is_reopened;
        }
        // Step 2 goes through the segments one by one; Linux takes SACKed ones first, then those that the number covers.
        self.rtt = ack.now.since(ack.latest_sent_at);
        if !newest.retransmission {
            self.least_rtt = self.least_rtt.min(ack.now.since(newest.sent_at));
        }
        self.latest = self.latest.max(Some(newest.transmission));
        // Step 3: delivered after something above it, and never sent again.
        self.reordering_seen |= ack.lowest_original_end < self.highest;
        self.highest = self.highest.max(ack.number).max(highest_sacked);
        true
    }

    /// A segment arrived late that had been taken for lost (an undo shows it).
    pub(in crate::transport) const fn on_reordering(&mut self) {
        self.reordering_seen = true;
    }

    /// Step 4, first half: the window grows once for each round that sees a duplicate.
    pub(in crate::transport) fn on_duplicate_sack(&mut self, start: u64, sent_end: u64) {
        if !self.reordering_seen || self.dsack_round.is_some_and(|round| start < round) {
            return;
        }
        self.dsack_round = Some(sent_end);
        self.quarters = (self.quarters + 1).min(255);
        self.persist = PERSISTENCE;
    }

    /// Step 4, second half: a recovery ended and was not undone.
    pub(in crate::transport) const fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }

    /// A segment was sent again, whoever decided so.
    pub(in crate::transport) fn on_resent(&mut self, segment: &Segment) {
        self.resent.push_back(Resent { sequence: segment.sequence, transmission: segment.transmission });
    }

    /// Losses were undone: what was decided is open again.
    pub(in crate::transport) const fn reopen(&mut self) {
        self.decided = 0;
        self.is_reopened = true;
    }

    /// Step 4: how much longer than the latest round trip a segment may take.
    fn reordering_window(&self, evidence: Evidence) -> Duration {
        if !self.reordering_seen && (evidence.is_recovering || evidence.reaches_threshold) {
            return Duration::ZERO;
        }
        let quarters = Duration::from_nanos((self.least_rtt.as_nanos() / 4).saturating_mul(self.quarters));
        evidence.srtt.map_or(quarters, |srtt| quarters.min(srtt))
    }

    /// Step 5: gives up every segment whose time is over; with some that have time left, says how long at most.
    pub(in crate::transport) fn detect(
        &mut self,
        board: &mut Scoreboard,
        now: Time,
        evidence: Evidence,
    ) -> RackOutcome {
        let mut outcome = RackOutcome::default();
        if self.has_to_search(board) {
            let allowed = self.rtt + self.reordering_window(evidence);
            self.detect_first_transmissions(board, now, allowed, &mut outcome);
            self.detect_retransmissions(board, now, allowed, &mut outcome);
        }
        outcome
    }

    /// False in the usual case: what is oldest was sent after what has arrived.
    #[inline]
    pub(in crate::transport) fn has_to_search(&self, board: &Scoreboard) -> bool {
        let is_open = |sent: &Sent| !(sent.sacked | sent.lost | sent.retransmission) && !self.is_overtaken(sent);
        let is_in_order = self.decided <= board.start() && self.resent.is_empty();
        self.latest.is_some() && !(is_in_order && board.oldest().is_none_or(is_open))
    }

    fn detect_first_transmissions(
        &mut self,
        board: &mut Scoreboard,
        now: Time,
        allowed: Duration,
        outcome: &mut RackOutcome,
    ) {
        let from = if self.decided <= board.start() { 0 } else { board.index_of(self.decided) };
        let mut all_decided = true;
        for index in from.. {
            let Some(&sent) = board.get(index) else { break };
            if !sent.sacked && !sent.lost && !sent.retransmission {
                if !self.is_overtaken(&sent) {
                    break;
                }
                all_decided &= outcome.judge(board, index, remaining(&sent, now, allowed));
            }
            if all_decided {
                self.decided = sent.end();
            }
        }
    }

    fn detect_retransmissions(
        &mut self,
        board: &mut Scoreboard,
        now: Time,
        allowed: Duration,
        outcome: &mut RackOutcome,
    ) {
        let mut position = 0;
        while let Some(&resent) = self.resent.get(position) {
            let index = board.index_of(resent.sequence);
            let sent = board.get(index).copied();
            let is_current = |sent: &Sent| sent.transmission == resent.transmission;
            match sent.filter(|sent| is_current(sent) && !sent.sacked && !sent.is_waiting()) {
                Some(sent) if !self.is_overtaken(&sent) => break,
                Some(sent) if !outcome.judge(board, index, remaining(&sent, now, allowed)) => position += 1,
                _ => {
                    self.resent.remove(position);
                }
            }
        }
    }

    /// "RACK_sent_after": something sent later than this has arrived.
    fn is_overtaken(&self, sent: &Sent) -> bool {
        self.latest.is_some_and(|latest| latest > sent.transmission)
    }

    /// §6.3: what a timeout gives up: the oldest segment, and whatever was sent a round trip ago.
    pub(in crate::transport) fn on_timeout(&self, board: &mut Scoreboard, now: Time) {
        for index in 0..board.len() {
            let is_over = board.get(index).is_some_and(|sent| remaining(sent, now, self.rtt) == Duration::ZERO);
            if index == 0 || is_over {
                board.mark_lost(index);
            }
        }
    }
}

/// How much of the time `allowed` a segment has left.
fn remaining(sent: &Sent, now: Time, allowed: Duration) -> Duration {
    (sent.sent_at + allowed).since(now)
}

impl RackOutcome {
    /// Gives segment `index` up if it has no time left; true if so.
    fn judge(&mut self, board: &mut Scoreboard, index: usize, remaining: Duration) -> bool {
        if remaining > Duration::ZERO {
            self.wait = Some(self.wait.map_or(remaining, |wait| wait.max(remaining)));
            return false;
        }
        let is_again = board.get(index).is_some_and(|sent| sent.retransmission);
        let is_new = board.mark_lost(index);
        self.losses += u32::from(is_new);
        self.lost_again += u32::from(is_new && is_again);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Stamp;
    use crate::transport::ack_summary::AckSummary;

    const MSS: u64 = 1000;

    fn milliseconds(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn at(count: u64) -> Time {
        Time::ZERO + milliseconds(count)
    }

    /// A sender's scoreboard with RACK beside it; segments are counted from 0.
    #[derive(Default)]
    struct Bench {
        board: Scoreboard,
        rack: Rack,
        is_recovering: bool,
    }

    impl Bench {
        /// One segment every 10 ms from 0 on.
        fn with_flight(segments: u64) -> Self {
            let mut bench = Self::default();
            (0..segments).for_each(|n| bench.send(10 * n));
            bench
        }

        fn send(&mut self, now: u64) {
            self.board.send_new(1000, at(now), Stamp::NONE);
        }

        fn resend(&mut self, segment: u64, now: u64) {
            let index = self.board.index_of(segment * MSS);
            let segment = self.board.resend(index, at(now), Stamp::NONE);
            self.rack.on_resent(&segment);
        }

        /// An ACK of everything below segment `number`, with one SACK block of segments.
        fn ack(&mut self, now: u64, number: u64, block: std::ops::Range<u64>) -> RackOutcome {
            let number = number * MSS;
            let mut ack = AckSummary::new(at(now), number, self.board.start(), None);
            ack.least_rtt = if self.rack.latest.is_some() { self.rack.least_rtt() } else { Duration::ZERO };
            if number > self.board.start() {
                self.board.acknowledge(&mut ack);
            }
            self.board.on_sack(std::iter::once(block.start * MSS..block.end * MSS), &mut ack);
            self.rack.on_ack(&ack.arrivals(), self.board.highest_sacked());
            self.detect(now)
        }

        fn detect(&mut self, now: u64) -> RackOutcome {
            let reaches_threshold = self.board.sacked().segments >= 3;
            let evidence =
                Evidence { is_recovering: self.is_recovering, reaches_threshold, srtt: Some(milliseconds(100)) };
            self.rack.detect(&mut self.board, at(now), evidence)
        }

        fn lost(&self) -> Vec<u64> {
            let sent = (0..self.board.len()).filter_map(|index| self.board.get(index));
            sent.filter(|sent| sent.is_waiting()).map(|sent| sent.sequence / MSS).collect()
        }
    }

    fn waits(count: u64) -> RackOutcome {
        RackOutcome { wait: Some(milliseconds(count)), ..RackOutcome::default() }
    }

    fn lost(losses: u32) -> RackOutcome {
        RackOutcome { losses, ..RackOutcome::default() }
    }

    #[test]
    fn a_segment_overtaken_by_one_waits_a_quarter_of_the_smallest_round_trip_for_its_own() {
        // RTT 100, window 25: segment 0, sent at 0, has until 125.
        let mut bench = Bench::with_flight(4);
        assert_eq!(bench.ack(110, 0, 1..2), waits(15));
        assert_eq!(bench.ack(120, 0, 1..3), waits(5));
        assert_eq!(bench.detect(124), waits(1));
        assert_eq!(bench.detect(125), lost(1));
        assert_eq!(bench.lost(), [0]);
    }

    #[test]
    fn the_third_segment_sacked_leaves_it_no_time() {
        let mut bench = Bench::with_flight(5);
        bench.ack(110, 0, 1..3);
        assert_eq!(bench.ack(121, 0, 1..4), lost(1));
    }

    #[test]
    fn what_was_sent_later_than_anything_delivered_is_not_judged() {
        let mut bench = Bench::with_flight(6);
        assert_eq!(bench.ack(140, 0, 1..5), lost(1));
        assert_eq!(bench.lost(), [0]);
        // 130 ms after 0 and 60 ms after segment 5, nothing later has come.
        assert_eq!(bench.detect(1000), RackOutcome::default());
    }

    #[test]
    fn a_lost_retransmission_shows_by_what_was_sent_after_it() {
        let mut bench = Bench::with_flight(5);
        bench.ack(140, 0, 1..5);
        bench.is_recovering = true;
        bench.resend(0, 140);
        bench.send(150);
        assert_eq!(bench.lost(), []);
        assert_eq!(bench.ack(250, 0, 1..6), RackOutcome { lost_again: 1, ..lost(1) });
        assert_eq!(bench.lost(), [0]);
    }

    #[test]
    fn of_what_leaves_in_one_moment_the_order_of_sending_counts_not_that_of_sequence_numbers() {
        let repaired = |new_data_first: bool| {
            let mut bench = Bench::with_flight(5);
            bench.ack(140, 0, 1..4);
            bench.is_recovering = true;
            if new_data_first {
                bench.send(140);
                bench.resend(0, 140);
            } else {
                bench.resend(0, 140);
                bench.send(140);
            }
            bench.ack(250, 0, 1..6)
        };
        // Segment 5 left before the repair of 0, and arrives: that says nothing of the repair.
        assert_eq!(repaired(true), RackOutcome::default());
        assert_eq!(repaired(false), RackOutcome { lost_again: 1, ..lost(1) });
    }

    #[test]
    fn a_retransmission_answered_too_soon_proves_nothing() {
        let mut bench = Bench::with_flight(4);
        bench.ack(131, 0, 1..4);
        bench.is_recovering = true;
        bench.resend(0, 131);
        bench.send(131);
        // 50 ms after the retransmission: its original arrives, late. The latest transmission stays that of segment 3.
        bench.ack(181, 4, 0..0);
        assert_eq!(bench.rack.latest, Some(3));
        assert_eq!(bench.detect(500), RackOutcome::default());
    }

    #[test]
    fn reordering_once_seen_gives_every_segment_its_window_even_in_recovery() {
        // Segment 3, sent at 30, arrives with round trip 105; segment 2 would be lost, and has until 20 + 105 + 25.
        let in_recovery = |reordered: bool| {
            let mut bench = Bench::with_flight(7);
            bench.ack(110, if reordered { 0 } else { 2 }, if reordered { 1..2 } else { 0..0 });
            bench.ack(112, 2, 0..0);
            bench.is_recovering = true;
            bench.ack(135, 2, 3..4)
        };
        assert_eq!(in_recovery(true), waits(15));
        assert_eq!(in_recovery(false), lost(1));
    }

    #[test]
    fn duplicates_widen_the_window_once_a_round_and_for_sixteen_recoveries() {
        let mut rack = Rack { reordering_seen: true, least_rtt: milliseconds(40), ..Rack::default() };
        let evidence = Evidence { is_recovering: true, reaches_threshold: true, srtt: Some(milliseconds(35)) };
        assert_eq!(rack.reordering_window(evidence), milliseconds(10));
        rack.on_duplicate_sack(1000, 9000);
        rack.on_duplicate_sack(8000, 12_000);
        assert_eq!(rack.reordering_window(evidence), milliseconds(20));
        rack.on_duplicate_sack(9000, 12_000);
        assert_eq!(rack.reordering_window(evidence), milliseconds(30));
        rack.on_duplicate_sack(12_000, 15_000);
        assert_eq!(rack.reordering_window(evidence), milliseconds(35), "at most SRTT");
        (0..15).for_each(|_| rack.on_recovered());
        assert_eq!(rack.reordering_window(evidence), milliseconds(35));
        rack.on_recovered();
        assert_eq!(rack.reordering_window(evidence), milliseconds(10));
    }

    #[test]
    fn a_duplicate_before_any_reordering_widens_nothing() {
        let mut rack = Rack { least_rtt: milliseconds(40), ..Rack::default() };
        rack.on_duplicate_sack(1000, 9000);
        rack.on_reordering();
        let evidence = Evidence { is_recovering: true, reaches_threshold: true, srtt: None };
        assert_eq!(rack.reordering_window(evidence), milliseconds(10));
    }

    #[test]
    fn a_timeout_spares_what_was_sent_within_the_latest_round_trip() {
        let mut bench = Bench::with_flight(3);
        bench.ack(110, 1, 0..0);
        bench.send(350);
        // Round trip 110: at 400 segments 1 and 2 (10 and 20) are over it, segment 3 (350) is not.
        bench.rack.on_timeout(&mut bench.board, at(400));
        assert_eq!(bench.lost(), [1, 2]);
    }

    #[test]
    fn losses_taken_back_are_looked_at_again() {
        let mut bench = Bench::with_flight(5);
        bench.ack(140, 0, 1..4);
        assert_eq!(bench.lost(), [0]);
        bench.board.unmark_lost();
        bench.rack.on_reordering();
        bench.rack.reopen();
        assert_eq!(bench.detect(140).losses, 1);
    }

    #[test]
    fn the_round_trip_is_that_of_what_the_number_covers_last() {
        // Segments leave every 10 ms; the ACK at 100 covers segment 0 and SACKs 3: 100 ms went by since 0 was sent, and so
        // long, not the 70 ms of segment 3, may segments 1 (sent at 10) and 2 take.
        let mut bench = Bench::with_flight(4);
        assert_eq!(bench.ack(100, 1, 3..4).losses, 0);
    }
}
