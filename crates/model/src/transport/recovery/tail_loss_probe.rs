//! The tail loss probe (RFC 8985 §7): when the end of a flight goes unanswered, one segment is sent to ask.
//!
//! Its answer brings the SACK blocks from which RACK finds the losses, where otherwise only the retransmission timer
//! would. The probe is a new segment if there is one, else the last segment again; then it may have repaired a loss
//! without a trace, and §7.4 tells whether it did, so that the window is reduced as after any loss.
//!
//! The slack is Linux's (`tcp_schedule_loss_probe`, TCP_TIMEOUT_MIN_US), none in the RFC: more than one segment out, PTO
//! = 2 SRTT + slack; a lone one, 2 SRTT + the longest that a receiver may delay its ACK.
//!
//! Left out: §7.2's advice to spread the ACK allowance over several samples, and probes before the handshake is over.

use crate::transport::ack_summary::AckSummary;
use crate::types::{Duration, Time};

/// The state of §7; the RFC's name of each is in quotes.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct TailLossProbe {
    /// "TLP.max_ack_delay".
    ack_allowance: Duration,
    slack: Duration,
    /// "TLP.end_seq": the end of what was sent when a probe that is not yet answered left.
    end: Option<u64>,
    /// "TLP.is_retrans".
    is_retransmission: bool,
    /// A round trip was measured since the latest probe left.
    has_sample: bool,
    /// A probe is to be sent at once, whatever the window.
    is_due: bool,
}

impl TailLossProbe {
    /// No probe is out.
    pub(in crate::transport) const fn new(ack_allowance: Duration, slack: Duration) -> Self {
        Self { ack_allowance, slack, end: None, is_retransmission: false, has_sample: true, is_due: false }
    }

    /// §7.2, "TLP_calc_PTO": how long to wait for an answer, at most until the retransmission timer would expire.
    /// Without a round trip measured it is `initial`.
    pub(in crate::transport) fn timeout(&self, srtt: Option<Duration>, is_lone: bool, initial: Duration) -> Duration {
        let more = if is_lone { self.ack_allowance } else { self.slack };
        srtt.map_or(initial, |srtt| srtt * 2 + more)
    }

    /// §7.3, the wait is over. Returns whether a probe is due: one at a time, and none without a round trip measured since
    /// the last.
    pub(in crate::transport) const fn on_wait_over(&mut self) -> bool {
        self.is_due = self.end.is_none() && self.has_sample;
        self.is_due
    }

    /// True when a probe is to be sent at once.
    #[inline]
    pub(in crate::transport) const fn is_due(&self) -> bool {
        self.is_due
    }

    /// An ACK moved SND.UNA: no probe is needed.
    pub(in crate::transport) const fn cancel(&mut self) {
        self.is_due = false;
    }

    /// §7.3: a probe leaves; `sent_end` is SND.NXT after it.
    pub(in crate::transport) const fn on_probe(&mut self, sent_end: u64, is_retransmission: bool) {
        self.is_due = false;
        self.end = Some(sent_end);
        self.is_retransmission = is_retransmission;
        self.has_sample = false;
    }

    /// A round trip was measured.
    pub(in crate::transport) const fn on_sample(&mut self) {
        self.has_sample = true;
    }

    /// True while a probe is not accounted for.
    pub(in crate::transport) const fn is_out(&self) -> bool {
        self.end.is_some()
    }

    /// True while a retransmission sent as a probe is not accounted for.
    pub(in crate::transport) const fn has_resent(&self) -> bool {
        self.end.is_some() && self.is_retransmission
    }

    /// True if `ack` reports that the probe arrived a second time.
    pub(in crate::transport) fn is_reported_by(&self, ack: &AckSummary) -> bool {
        !ack.duplicate_block.is_empty() && self.end == Some(ack.duplicate_block.end)
    }

    /// §7.4.2, "TLP_process_ack": true if the probe has repaired a loss that nothing else shows.
    pub(in crate::transport) fn on_ack(&mut self, ack: &AckSummary) -> bool {
        let Some(end) = self.end.filter(|&end| ack.number >= end) else {
            return false;
        };
        // The second of two answers, and nothing tells why: the probe and what it repeats have both arrived.
        let is_plain_duplicate =
            ack.is_repetition && ack.duplicate_block.is_empty() && ack.newest.sent_at == Time::NEVER;
        let has_repaired = self.is_retransmission && !self.is_reported_by(ack) && ack.number > end;
        if !self.is_retransmission || self.is_reported_by(ack) || has_repaired || is_plain_duplicate {
            self.end = None;
        }
        has_repaired
    }

    /// A recovery begins or the timer expires: the probe no longer matters.
    pub(in crate::transport) const fn forget(&mut self) {
        self.end = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn probe() -> TailLossProbe {
        TailLossProbe::new(milliseconds(200), Duration::ZERO)
    }

    fn out(end: u64, is_retransmission: bool) -> TailLossProbe {
        let mut probe = probe();
        probe.on_probe(end, is_retransmission);
        probe
    }

    fn ack(number: u64, previous: u64) -> AckSummary {
        AckSummary::new(Time::ZERO + milliseconds(500), number, previous, None)
    }

    #[test]
    fn the_probe_waits_two_round_trips_and_for_a_lone_segment_the_delayed_ack_too() {
        let (srtt, initial) = (Some(milliseconds(50)), milliseconds(1000));
        assert_eq!(probe().timeout(srtt, false, initial), milliseconds(100));
        assert_eq!(probe().timeout(srtt, true, initial), milliseconds(300));
        assert_eq!(probe().timeout(None, true, initial), milliseconds(1000));
        let linux = TailLossProbe::new(milliseconds(200), milliseconds(2));
        assert_eq!(linux.timeout(srtt, false, initial), milliseconds(102));
        assert_eq!(linux.timeout(srtt, true, initial), milliseconds(300));
    }

    #[test]
    fn one_probe_at_a_time_and_one_for_each_round_trip_measured() {
        let mut probe = probe();
        assert!(probe.on_wait_over());
        probe.on_probe(4000, false);
        assert!(!probe.on_wait_over());
        probe.on_sample();
        assert!(!probe.on_wait_over(), "it is not answered");
        probe.on_ack(&ack(4000, 3000));
        assert!(probe.on_wait_over());
        probe.on_probe(5000, false);
        probe.on_ack(&ack(5000, 4000));
        assert!(!probe.on_wait_over(), "nothing was measured since");
    }

    #[test]
    fn new_data_as_a_probe_repairs_nothing() {
        let mut probe = out(5000, false);
        assert!(!probe.on_ack(&ack(6000, 3000)));
        assert!(probe.end.is_none());
    }

    #[test]
    fn a_repeated_segment_has_repaired_a_loss_if_more_than_it_is_acknowledged_and_no_duplicate_reported() {
        let mut probe = out(4000, true);
        assert!(!probe.on_ack(&ack(3000, 2000)), "not yet answered");
        assert!(!probe.on_ack(&ack(4000, 3000)), "by the original or by the probe, nobody knows");
        assert!(probe.on_ack(&ack(5000, 4000)));
        assert!(!probe.on_ack(&ack(6000, 5000)), "once");
    }

    #[test]
    fn a_duplicate_reported_or_a_duplicate_ack_show_that_nothing_was_lost() {
        let mut probe = out(4000, true);
        let mut reported = ack(4000, 4000);
        reported.duplicate_block = 3000..4000;
        assert!(!probe.on_ack(&reported));
        assert!(!probe.on_ack(&ack(5000, 4000)));

        let mut probe = out(4000, true);
        let mut duplicate = ack(4000, 4000);
        duplicate.is_repetition = true;
        assert!(!probe.on_ack(&duplicate));
        assert!(!probe.on_ack(&ack(5000, 4000)));
    }
}
