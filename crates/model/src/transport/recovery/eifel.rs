//! The Eifel algorithms: RFC 3522 detects a spurious retransmission by timestamps, RFC 4015 answers a spurious timeout.
//!
//! Detection: the first ACK that covers a retransmitted segment echoes a timestamp. If that is older than the first
//! retransmission, an original caused the ACK: nothing was lost. The ACK is not trusted if it may answer a retransmission
//! that was needless because only ACKs were lost. Such an ACK reports a duplicate or, from a receiver that reports none,
//! covers all outstanding data. Linux skips this check (`tcp_packet_delayed`), and so does its response, [`Undo`](super::undo).
//!
//! Response (§3.1 of RFC 4015), for timeouts only: sending resumes with new data; ssthresh becomes the larger of
//! FlightSize and ssthresh before the timeout. cwnd becomes FlightSize plus the bytes acknowledged, at most the
//! initial window, so that no burst follows. The first round trip of data sent after the timeout makes the RTO
//! more conservative.
//!
//! Left out: RFC 4015's rules for ECN (not modelled), and its case of late detection: nothing is
//! retransmitted after either.

use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::Windows;
use crate::types::{Bytes, Duration, Time};

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

/// RFC 4015 §3.1: the values that step 0 stores.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct EifelResponse {
    /// "pipe_prev", bytes.
    pipe: f64,
}

impl EifelResponse {
    /// Step 0, before the windows are reduced: pipe_prev = max(FlightSize, ssthresh).
    pub(in crate::transport) fn new(flight: Bytes, slow_start_threshold: f64) -> Self {
        Self { pipe: slow_start_threshold.max(flight.count() as f64) }
    }

    /// Step 9: cwnd = FlightSize + min(bytes acknowledged, IW), ssthresh = pipe_prev.
    pub(in crate::transport) fn windows(self, flight: Bytes, acked: Bytes, initial_window: f64) -> Windows {
        let more = initial_window.min(acked.count() as f64);
        Windows { window: flight.count() as f64 + more, slow_start_threshold: self.pipe }
    }
}

/// RFC 4015 §3.1 step 10: the RTO after the first round trip that follows a spurious timeout.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct PatientTimeout {
    /// "SRTT_prev": SRTT + 2 G before the timeout.
    srtt: Duration,
    /// "RTTVAR_prev": RTTVAR before the timeout.
    variance: Duration,
    /// Data from here on was unsent when the timer expired.
    from: u64,
}

impl PatientTimeout {
    /// Step 0; `from` is not known yet.
    pub(in crate::transport) fn new(srtt: Duration, variance: Duration, granularity: Duration) -> Self {
        Self { srtt: srtt + granularity * 2, variance, from: u64::MAX }
    }

    /// The timeout was spurious; everything below `from` had been sent before it.
    pub(in crate::transport) const fn wait_for(mut self, from: u64) -> Self {
        self.from = from;
        self
    }

    /// True if the ACK `number` measures a round trip of new data.
    pub(in crate::transport) const fn applies_to(&self, number: u64) -> bool {
        number > self.from
    }

    /// SRTT = max(SRTT_prev, sample), RTTVAR = max(RTTVAR_prev, sample / 2).
    pub(in crate::transport) fn smoothed(&self, sample: Duration) -> (Duration, Duration) {
        (self.srtt.max(sample), self.variance.max(Duration::from_nanos(sample.as_nanos() / 2)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn the_response_restores_ssthresh_and_sends_no_burst() {
        // pipe_prev = max(8000, 5000); cwnd = 7000 + min(1000, 4000), then 7000 + min(6000, 4000).
        let response = EifelResponse::new(Bytes::new(8000), 5000.0);
        let windows = response.windows(Bytes::new(7000), Bytes::new(1000), 4000.0);
        assert_eq!(windows, Windows { window: 8000.0, slow_start_threshold: 8000.0 });
        let windows = response.windows(Bytes::new(7000), Bytes::new(6000), 4000.0);
        assert_eq!(windows.window, 11_000.0);
        assert_eq!(EifelResponse::new(Bytes::new(8000), 9000.0).windows(Bytes::ZERO, Bytes::ZERO, 1.0).window, 0.0);
    }

    #[test]
    fn the_rto_becomes_as_long_as_the_round_trip_that_exceeded_it() {
        let milliseconds = Duration::from_millis;
        let patient = PatientTimeout::new(milliseconds(100), milliseconds(30), milliseconds(10)).wait_for(9000);
        assert!(!patient.applies_to(9000) && patient.applies_to(9001));
        // SRTT_prev = 100 + 2 x 10.
        assert_eq!(patient.smoothed(milliseconds(800)), (milliseconds(800), milliseconds(400)));
        assert_eq!(patient.smoothed(milliseconds(50)), (milliseconds(120), milliseconds(30)));
    }
}
