//! Detection by duplicates (RFC 2883, RFC 3708): a recovery was spurious if all it sent again had arrived already.
//!
//! A receiver reports by DSACK what arrives twice. From the start of a recovery on, retransmissions are counted, and
//! reports of duplicates are taken off; when nothing is left, no retransmission repaired anything. It may show long
//! after the recovery is over.
//!
//! Left out: RFC 3708's list of each retransmission (segments are counted, as Linux does in `tcp_check_dsack`), and its
//! guard against false ACKs (a report of more duplicates than were ever sent is ignored).

use std::ops::Range;

/// Retransmissions of the latest recovery that no report of a duplicate answers.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct DuplicateSacks {
    mss: u64,
    /// SND.UNA when the recovery began; none before the first, or once it was undone.
    marker: Option<u64>,
    /// Retransmissions not reported; none while there was no retransmission.
    unreported: Option<u64>,
    /// Retransmissions and reports since the connection began.
    resent: u64,
    reported: u64,
}

impl DuplicateSacks {
    /// Nothing is being recovered.
    pub(in crate::transport) const fn new(mss: u64) -> Self {
        Self { mss, marker: None, unreported: None, resent: 0, reported: 0 }
    }

    /// A recovery begins at SND.UNA = `start`, with `in_flight` retransmissions of before still out.
    pub(in crate::transport) fn begin(&mut self, start: u64, in_flight: u64) {
        self.marker = Some(start);
        self.unreported = (in_flight > 0).then_some(in_flight);
    }

    /// A segment was sent again; as a loss probe it is not the recovery's.
    pub(in crate::transport) fn on_resent(&mut self, as_probe: bool) {
        self.resent += 1;
        if !as_probe {
            self.unreported = Some(self.unreported.unwrap_or(0) + 1);
        }
    }

    /// The receiver reports that `block` arrived twice; false if that cannot be.
    pub(in crate::transport) fn on_report(&mut self, block: &Range<u64>) -> bool {
        let segments = (block.end - block.start).div_ceil(self.mss);
        self.reported += segments;
        if self.reported > self.resent {
            return false;
        }
        if self.marker.is_some_and(|marker| block.end > marker) {
            self.unreported = self.unreported.map(|unreported| unreported.saturating_sub(segments));
        }
        true
    }

    /// True when every retransmission of the recovery was reported to have arrived twice.
    pub(in crate::transport) fn explain_all(&self) -> bool {
        self.marker.is_some() && self.unreported == Some(0)
    }

    /// The recovery was undone, or cannot be any more.
    pub(in crate::transport) const fn end(&mut self) {
        self.marker = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    #[test]
    fn a_recovery_is_explained_when_the_last_retransmission_is_reported() {
        let mut duplicates = DuplicateSacks::new(MSS);
        duplicates.begin(1000, 0);
        assert!(!duplicates.explain_all(), "nothing was sent again yet");
        duplicates.on_resent(false);
        duplicates.on_resent(false);
        assert!(duplicates.on_report(&(1000..2000)));
        assert!(!duplicates.explain_all());
        assert!(duplicates.on_report(&(4000..5000)));
        assert!(duplicates.explain_all());
        duplicates.end();
        assert!(!duplicates.explain_all());
    }

    #[test]
    fn one_report_may_cover_several_segments() {
        let mut duplicates = DuplicateSacks::new(MSS);
        duplicates.begin(1000, 0);
        (0..3).for_each(|_| duplicates.on_resent(false));
        assert!(duplicates.on_report(&(1000..3500)));
        assert!(duplicates.explain_all());
    }

    #[test]
    fn reports_of_what_lies_below_the_recovery_do_not_count() {
        let mut duplicates = DuplicateSacks::new(MSS);
        duplicates.on_resent(false);
        duplicates.begin(1000, 0);
        duplicates.on_resent(false);
        assert!(duplicates.on_report(&(0..1000)));
        assert!(!duplicates.explain_all());
    }

    #[test]
    fn retransmissions_still_out_from_before_count_too() {
        let mut duplicates = DuplicateSacks::new(MSS);
        duplicates.on_resent(false);
        duplicates.begin(1000, 1);
        duplicates.on_resent(false);
        duplicates.on_report(&(1000..2000));
        assert!(!duplicates.explain_all());
        duplicates.on_report(&(2000..3000));
        assert!(duplicates.explain_all());
    }

    #[test]
    fn more_duplicates_than_retransmissions_are_not_believed() {
        let mut duplicates = DuplicateSacks::new(MSS);
        duplicates.begin(0, 0);
        duplicates.on_resent(false);
        assert!(!duplicates.on_report(&(0..2000)), "the network duplicated it");
        assert!(!duplicates.explain_all());
    }
}
