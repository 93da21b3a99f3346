//! Eifel detection (RFC 3522): timestamps show a spurious retransmission.
//!
//! The first ACK that covers a retransmitted segment echoes a timestamp. If that is older than the first
//! retransmission, an original caused the ACK: nothing was lost. The ACK is not trusted if it may answer a retransmission
//! that was needless because only ACKs were lost. Such an ACK reports a duplicate or, from a receiver that reports none,
//! covers all outstanding data. Linux skips this check (`tcp_packet_delayed`). The response is in [`undo`](super::undo).

use crate::transport::ack_summary::AckSummary;
use crate::types::Time;

/// RFC 3522 §3.2.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct EifelDetection {
    /// Step 5 is left out (Linux).
    is_trusting: bool,
    is_waiting: bool,
    /// The receiver has reported a duplicate before.
    knows_duplicates: bool,
    /// "RetransmitTS": when the first retransmission of this recovery was sent.
    resent_at: Option<Time>,
}

impl EifelDetection {
    /// The state before any recovery. With `is_trusting` an early echo is enough.
    pub(in crate::transport) const fn new(is_trusting: bool) -> Self {
        Self { is_trusting, is_waiting: false, knows_duplicates: false, resent_at: None }
    }

    /// Step 1: a recovery begins.
    pub(in crate::transport) const fn begin(&mut self) {
        self.is_waiting = true;
        self.resent_at = None;
    }

    /// Step 2: a segment was sent again.
    pub(in crate::transport) fn on_resent(&mut self, now: Time) {
        if self.is_waiting && self.resent_at.is_none() {
            self.resent_at = Some(now);
        }
    }

    /// True if the next ACK of new data decides.
    pub(super) const fn is_asking(&self) -> bool {
        self.is_waiting && self.resent_at.is_some()
    }

    /// Steps 3 to 5: the first ACK of new data decides; true if the retransmission was spurious. `sent_end` is SND.NXT.
    pub(in crate::transport) fn on_ack(&mut self, ack: &AckSummary, sent_end: u64) -> bool {
        self.knows_duplicates |= !ack.duplicate_block.is_empty();
        let Some(resent_at) = self.resent_at.filter(|_| self.is_waiting && ack.is_new()) else {
            return false;
        };
        self.is_waiting = false;
        ack.echo.is_some_and(|echo| echo < resent_at) && self.may_be_an_original(ack, sent_end)
    }

    /// Step 5: not spurious if the retransmission arrived as a duplicate, because then ACKs were lost. A receiver without
    /// DSACK does not report that duplicate, so an ACK of all outstanding data is not trusted either.
    const fn may_be_an_original(&self, ack: &AckSummary, sent_end: u64) -> bool {
        self.is_trusting
            || (ack.duplicate_block.start == ack.duplicate_block.end
                && (self.knows_duplicates || ack.number < sent_end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Duration;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn ack(number: u64, previous: u64, echo: u64) -> AckSummary {
        AckSummary::new(at(500), number, previous, Some(at(echo)))
    }

    fn resent_at(milliseconds: u64) -> EifelDetection {
        let mut detection = EifelDetection::new(false);
        detection.begin();
        detection.on_resent(at(milliseconds));
        detection.on_resent(at(milliseconds + 50));
        detection
    }

    #[test]
    fn an_echo_from_before_the_first_retransmission_shows_a_spurious_one() {
        assert!(resent_at(300).on_ack(&ack(2000, 1000, 299), 9000));
        assert!(!resent_at(300).on_ack(&ack(2000, 1000, 300), 9000), "the echo is the retransmission's own");
    }

    #[test]
    fn only_the_first_ack_of_new_data_decides() {
        let mut detection = resent_at(300);
        assert!(!detection.on_ack(&ack(1000, 1000, 299), 9000), "a duplicate ACK covers nothing");
        assert!(!detection.on_ack(&ack(2000, 1000, 300), 9000));
        assert!(!detection.on_ack(&ack(3000, 2000, 299), 9000));
    }

    #[test]
    fn an_ack_of_a_duplicate_retransmission_shows_only_lost_acks() {
        // Step 5: a duplicate reported; everything covered and no duplicate ever reported; covered after one was.
        let mut reported = ack(2000, 1000, 299);
        reported.duplicate_block = 1000..2000;
        assert!(!resent_at(300).on_ack(&reported, 9000));
        assert!(!resent_at(300).on_ack(&ack(9000, 1000, 299), 9000));
        let mut experienced = resent_at(300);
        reported.number = reported.previous;
        assert!(!experienced.on_ack(&reported, 9000), "an ACK of nothing new decides nothing");
        assert!(experienced.on_ack(&ack(9000, 1000, 299), 9000));
    }

    #[test]
    fn linux_trusts_an_early_echo() {
        let mut detection = EifelDetection::new(true);
        detection.begin();
        detection.on_resent(at(300));
        assert!(detection.on_ack(&ack(9000, 1000, 299), 9000));
    }

    #[test]
    fn without_a_retransmission_there_is_nothing_to_detect() {
        let mut detection = EifelDetection::new(false);
        detection.on_resent(at(300));
        assert!(!detection.on_ack(&ack(2000, 1000, 299), 9000));
    }
}
