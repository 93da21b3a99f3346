//! The window that the receiver offers: what fits into it, and how a closed one is probed.
//!
//! A part of a segment goes if it is half of the largest window there ever was (RFC 9293 §3.8.6.2.1 rule 3). A window too
//! small is probed first after a retransmission timeout, then after twice as long each time, for as long as it stays so
//! (RFC 9293 §3.8.6.1, RFC 1122 §4.2.2.17): the ACK that opened it may have been lost.
//!
//! Left out: a limit to the probes; a receiver that answers is never given up (RFC 1122 §4.2.2.17).

use std::ops::Range;

use crate::types::{Bytes, Duration};

/// SND.WND, and the state of its probes.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfferedWindow {
    bytes: u64,
    /// Max(SND.WND) (RFC 9293 §3.8.6.2.1).
    largest: u64,
    /// Probes sent since the window was last open.
    probes: u32,
    probe_is_due: bool,
}

impl OfferedWindow {
    pub(super) const fn new(first: Bytes) -> Self {
        Self { bytes: first.count(), largest: first.count(), probes: 0, probe_is_due: false }
    }

    /// SND.WND.
    pub(super) const fn bytes(&self) -> Bytes {
        Bytes::new(self.bytes)
    }

    /// Max(SND.WND).
    pub(super) const fn largest(&self) -> u64 {
        self.largest
    }

    /// An ACK offers `window`. Returns whether the window is unchanged.
    #[inline]
    pub(super) fn on_ack(&mut self, window: Bytes) -> bool {
        let is_same = self.bytes == window.count();
        self.bytes = window.count();
        self.largest = self.largest.max(self.bytes);
        is_same
    }

    /// True when `length` bytes from `sequence` on fit, with everything below `start` acknowledged.
    #[inline]
    pub(super) const fn has_room(&self, start: u64, sequence: u64, length: u32) -> bool {
        sequence + length as u64 - start <= self.bytes
    }

    /// How many of `length` new bytes may be sent, with `outstanding` not acknowledged: all, or the part that fits if it is
    /// at least half of the largest window, or none.
    #[inline]
    pub(super) fn part_of(&self, outstanding: &Range<u64>, length: u32) -> Option<u32> {
        if self.has_room(outstanding.start, outstanding.end, length) {
            return Some(length);
        }
        let room = self.usable(outstanding);
        (room > 0 && room >= self.largest / 2).then(|| at_most(length, room))
    }

    /// SND.UNA + SND.WND - SND.NXT.
    fn usable(&self, outstanding: &Range<u64>) -> u64 {
        outstanding.start.saturating_add(self.bytes).saturating_sub(outstanding.end)
    }

    /// The wait before the next probe, with `rto` the retransmission timeout; at most `most`.
    pub(super) fn probe_wait(&self, rto: Duration, most: Duration) -> Duration {
        (rto * (1 << self.probes.min(32))).min(most)
    }

    /// True when a probe is to be sent at once.
    #[inline]
    pub(super) const fn probe_is_due(&self) -> bool {
        self.probe_is_due
    }

    /// The wait is over: a probe is due.
    pub(super) const fn on_wait_over(&mut self) {
        self.probes = self.probes.saturating_add(1);
        self.probe_is_due = true;
    }

    /// The window has room, so it is no longer probed.
    pub(super) const fn on_opened(&mut self) {
        self.probes = 0;
        self.probe_is_due = false;
    }

    /// No probe is needed for now.
    pub(super) const fn cancel_probe(&mut self) {
        self.probe_is_due = false;
    }

    /// Returns how many of `waiting` bytes the probe carries: all that fit, however few (RFC 9293 §3.8.6.2.1 rule 4). A probe
    /// of 0 bytes is Linux's; the receiver must answer it like any segment out of order.
    pub(super) fn next_probe(&mut self, outstanding: &Range<u64>, waiting: u32) -> u32 {
        self.probe_is_due = false;
        at_most(waiting, self.usable(outstanding))
    }
}

fn at_most(length: u32, room: u64) -> u32 {
    u32::try_from(room).unwrap_or(u32::MAX).min(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_segment_goes_if_it_is_half_of_the_largest_window() {
        let mut window = OfferedWindow::new(Bytes::new(1000));
        assert_eq!(window.part_of(&(0..500), 500), Some(500));
        assert_eq!(window.part_of(&(0..500), 501), Some(500));
        assert_eq!(window.part_of(&(0..501), 600), None);
        window.on_ack(Bytes::new(400));
        assert_eq!(window.part_of(&(0..0), 600), None, "the largest counts, not the latest");
        window.on_ack(Bytes::ZERO);
        assert_eq!(window.part_of(&(0..0), 1), None);
    }

    #[test]
    fn the_wait_for_a_probe_doubles_while_the_window_stays_closed() {
        let (rto, most) = (Duration::from_millis(1000), Duration::from_millis(5000));
        let mut window = OfferedWindow::new(Bytes::new(1000));
        let mut waits = Vec::new();
        for _ in 0..4 {
            waits.push(window.probe_wait(rto, most).as_nanos() / 1_000_000_000);
            window.on_wait_over();
        }
        assert_eq!(waits, [1, 2, 4, 5]);
        window.on_opened();
        assert_eq!(window.probe_wait(rto, most), rto);
    }

    #[test]
    fn a_probe_carries_what_fits() {
        let mut window = OfferedWindow::new(Bytes::new(1000));
        window.on_wait_over();
        assert_eq!(window.next_probe(&(0..1000), 500), 0);
        assert!(!window.probe_is_due());
        assert_eq!(window.next_probe(&(0..990), 500), 10);
        assert_eq!(window.next_probe(&(0..100), 500), 500);
    }
}
