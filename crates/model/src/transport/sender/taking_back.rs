//! Recoveries that prove spurious: when the sender asks, and what it takes back.

use crate::types::Time;

use super::Sender;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::CongestionControl;
use crate::transport::recovery::{Finding, Onset, Phase, Standing};
use crate::transport::words::SpuriousResponse;

impl Sender {
    /// A recovery begins and nothing is reduced yet.
    pub(super) fn note_onset(&mut self, is_timeout: bool) {
        let windows = self.windows();
        let Some(spurious) = &mut self.spurious else {
            return;
        };
        let onset = Onset {
            windows,
            flight: self.scoreboard.outstanding(),
            start: self.scoreboard.start(),
            resent: self.scoreboard.resent().segments + u64::from(self.probe.has_resent()),
            smoothed: self.round_trips.smoothed(),
        };
        spurious.begin(&onset, is_timeout);
    }

    /// The timer has expired, as it had for this segment before if `is_repeated`.
    pub(super) fn note_timeout(&mut self, is_repeated: bool) {
        if self.spurious.is_none() {
            return;
        }
        let start = self.scoreboard.start();
        let phase = self.recovery.phase();
        // A timeout within a recovery belongs to it, unless all that it began with is acknowledged.
        let is_new = match phase {
            Phase::Open => true,
            Phase::Recovery => self.recovery.is_full(start),
            Phase::Loss => !is_repeated,
        };
        if is_new {
            self.note_onset(true);
        }
        let oldest_end = self.scoreboard.oldest().map_or(start, |sent| sent.end());
        let sent_end = self.scoreboard.end();
        if let Some(spurious) = &mut self.spurious {
            spurious.on_timeout(oldest_end, sent_end, phase, is_repeated);
        }
    }

    /// True while old segments are not to be sent again.
    pub(super) fn holds_back(&self) -> bool {
        self.spurious.as_ref().is_some_and(|spurious| spurious.holds_back())
    }

    /// True if the latest ACK showed that nothing need be given up any more.
    pub(super) fn waits_to_take_back(&self) -> bool {
        self.spurious.as_ref().is_some_and(|spurious| spurious.is_waiting())
    }

    /// Asks the rules that are on what `ack` shows of the latest recovery, and follows. True if that has settled the
    /// window, so that `ack` does not open it further.
    #[inline]
    pub(super) fn check_spurious(&mut self, ack: &AckSummary) -> bool {
        self.spurious.is_some() && self.ask_spurious(ack)
    }

    fn ask_spurious(&mut self, ack: &AckSummary) -> bool {
        let spurious = self.spurious.as_mut().expect("it is asked for");
        let standing = Standing {
            phase: self.recovery.phase(),
            is_full: self.recovery.is_full(ack.number),
            sent_end: self.scoreboard.end(),
            highest_sacked: self.scoreboard.highest_sacked(),
            resent: self.scoreboard.resent().segments,
        };
        match spurious.on_ack(ack, &standing) {
            Finding::None => {}
            Finding::SendNew => self.send_new_or_give_in(),
            Finding::Real { least_segments, most_segments } => {
                let bytes = |segments: u32| f64::from(segments) * f64::from(self.mss);
                let window = self.control.window().max(bytes(least_segments)).min(bytes(most_segments));
                self.control.set_window(window);
            }
            Finding::Spurious { nothing_lost } => {
                self.take_back(ack, nothing_lost);
                return self.config.rules.spurious_response == SpuriousResponse::Eifel;
            }
        }
        false
    }

    /// RFC 5682 §2.1 step 2b: without new data to send the recovery is the conventional one.
    fn send_new_or_give_in(&mut self) {
        let has_new = self.next_new_length().is_some();
        if let Some(spurious) = self.spurious.as_mut().filter(|_| !has_new) {
            spurious.cannot_send_new();
        }
    }

    fn take_back(&mut self, ack: &AckSummary, nothing_lost: bool) {
        self.statistics.undone += 1;
        if nothing_lost {
            self.scoreboard.unmark_lost();
            if self.recovery.is_active() {
                self.rack.on_reordering();
            }
        }
        self.rack.reopen();
        if self.recovery.is_active() && !self.uses_pipe {
            self.fast_recovery.abandon(&mut self.control);
        }
        let (windows, flight) = (self.windows(), self.scoreboard.flight());
        let spurious = self.spurious.as_mut().expect("it has just found this");
        if let Some(windows) = spurious.give_back(windows, flight, ack.acked()) {
            self.control.restore(windows);
        }
        if self.recovery.phase() != Phase::Open {
            self.recovery.take_back();
        }
        self.last_timeout_at = None;
        self.resend_oldest = false;
    }

    /// A round trip was measured, of a segment sent at `sent_at`.
    pub(super) fn on_sample(&mut self, ack: &AckSummary, sent_at: Time) {
        self.probe.on_sample();
        let Some(spurious) = &mut self.spurious else {
            return;
        };
        if let Some((srtt, variance)) = spurious.on_sample(ack.number, ack.now.since(sent_at)) {
            self.round_trips.set_smoothed(srtt, variance);
        }
    }
}
