//! Undo: what a recovery that proves spurious gives back.
//!
//! Linux (`tcp_undo_cwnd_reduction`): cwnd becomes what it was unless it is larger by now. ssthresh becomes what it was or
//! three quarters of the former cwnd, whichever is more, again unless it is larger by now: a connection that was in slow
//! start does not go back to a threshold that had long been passed.
//!
//! The Eifel response (RFC 4015 §3.1), for timeouts only: sending resumes with new data; ssthresh becomes the larger of
//! FlightSize and ssthresh before the timeout. cwnd becomes FlightSize plus the bytes acknowledged, at most the
//! initial window, so that no burst follows. The first round trip of data sent after the timeout makes the RTO
//! more conservative.
//!
//! Left out: the rules for ECN, and RFC 4015's case of late detection: nothing is retransmitted after either.

use crate::transport::Tcp;
use crate::transport::congestion::Windows;
use crate::transport::words::SpuriousResponse;
use crate::types::{Bytes, Duration};

/// The response that is switched on, and what the latest recovery would give back.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Undo {
    response: SpuriousResponse,
    mss: Bytes,
    initial_window: f64,
    granularity: Duration,
    before: Option<Before>,
    /// SND.NXT at the latest timeout.
    timeout_end: u64,
    patient: Option<PatientTimeout>,
}

/// The state of a sender right before a recovery that may prove spurious.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct SpuriousCandidate {
    /// cwnd and ssthresh.
    pub(in crate::transport) windows: Windows,
    /// FlightSize.
    pub(in crate::transport) flight: Bytes,
    /// SND.UNA.
    pub(in crate::transport) start: u64,
    /// Retransmissions in flight.
    pub(in crate::transport) resent: u64,
    /// SRTT and RTTVAR.
    pub(in crate::transport) smoothed: Option<(Duration, Duration)>,
    /// The timer expired; else duplicate ACKs or time showed a loss.
    pub(in crate::transport) is_timeout: bool,
}

/// What each response would give back.
#[derive(Clone, Copy, Debug)]
struct Before {
    linux: LinuxUndo,
    eifel: EifelResponse,
    smoothed: Option<(Duration, Duration)>,
    was_timeout: bool,
}

impl Undo {
    pub(super) fn new(config: &Tcp) -> Self {
        Self {
            response: config.rules.spurious_response,
            mss: config.mss,
            initial_window: config.initial_window_bytes(),
            granularity: config.rto.tick,
            before: None,
            timeout_end: 0,
            patient: None,
        }
    }

    /// A recovery begins.
    pub(super) fn begin(&mut self, candidate: &SpuriousCandidate) {
        self.before = Some(Before {
            linux: LinuxUndo::new(candidate.windows, self.mss),
            eifel: EifelResponse::new(candidate.flight, candidate.windows.slow_start_threshold),
            smoothed: candidate.smoothed,
            was_timeout: candidate.is_timeout,
        });
    }

    /// The timer expired with the stream sent up to `sent_end`.
    pub(super) const fn on_timeout(&mut self, sent_end: u64) {
        self.timeout_end = sent_end;
    }

    /// What the windows become after a spurious recovery, with `flight` out after an ACK of `acked` bytes; nothing if the
    /// response is off or not for this recovery.
    pub(in crate::transport) fn give_back(&mut self, now: Windows, flight: Bytes, acked: Bytes) -> Option<Windows> {
        let before = self.before.take()?;
        match self.response {
            SpuriousResponse::Undo => Some(before.linux.windows(now)),
            SpuriousResponse::Eifel if before.was_timeout => {
                let patient = |(srtt, variance)| PatientTimeout::new(srtt, variance, self.granularity);
                self.patient = before.smoothed.map(patient).map(|patient| patient.wait_for(self.timeout_end));
                Some(before.eifel.windows(flight, acked, self.initial_window))
            }
            SpuriousResponse::Eifel | SpuriousResponse::Off => None,
        }
    }

    /// True if a round trip may change what is known of all.
    pub(super) const fn awaits_sample(&self) -> bool {
        self.patient.is_some()
    }

    /// A round trip was measured by the ACK `number`: SRTT and RTTVAR as RFC 4015 would have them, if it would.
    pub(in crate::transport) fn on_sample(&mut self, number: u64, sample: Duration) -> Option<(Duration, Duration)> {
        let patient = self.patient.take_if(|patient| patient.applies_to(number))?;
        Some(patient.smoothed(sample))
    }
}

/// The windows before a recovery, as Linux would restore them.
#[derive(Clone, Copy, Debug)]
struct LinuxUndo {
    before: Windows,
}

impl LinuxUndo {
    /// Right before the windows are reduced: `tcp_current_ssthresh`, in whole segments.
    fn new(windows: Windows, mss: Bytes) -> Self {
        let mss = mss.count() as f64;
        let segments = (windows.window / mss).max(0.0) as u64;
        let three_quarters = (segments / 2 + segments / 4) as f64 * mss;
        let slow_start_threshold = windows.slow_start_threshold.max(three_quarters);
        Self { before: Windows { slow_start_threshold, ..windows } }
    }

    /// What the windows become, from what they are.
    fn windows(self, now: Windows) -> Windows {
        Windows {
            window: self.before.window.max(now.window),
            slow_start_threshold: self.before.slow_start_threshold.max(now.slow_start_threshold),
        }
    }
}

/// RFC 4015 §3.1: the values that step 0 stores.
#[derive(Clone, Copy, Debug)]
struct EifelResponse {
    /// "pipe_prev", bytes.
    pipe: f64,
}

impl EifelResponse {
    /// Step 0, before the windows are reduced: pipe_prev = max(FlightSize, ssthresh).
    fn new(flight: Bytes, slow_start_threshold: f64) -> Self {
        Self { pipe: slow_start_threshold.max(flight.count() as f64) }
    }

    /// Step 9: cwnd = FlightSize + min(bytes acknowledged, IW), ssthresh = pipe_prev.
    fn windows(self, flight: Bytes, acked: Bytes, initial_window: f64) -> Windows {
        let more = initial_window.min(acked.count() as f64);
        Windows { window: flight.count() as f64 + more, slow_start_threshold: self.pipe }
    }
}

/// RFC 4015 §3.1 step 10: the RTO after the first round trip that follows a spurious timeout.
#[derive(Clone, Copy, Debug)]
struct PatientTimeout {
    /// "SRTT_prev": SRTT + 2 G before the timeout.
    srtt: Duration,
    /// "RTTVAR_prev": RTTVAR before the timeout.
    variance: Duration,
    /// Data from here on was unsent when the timer expired.
    from: u64,
}

impl PatientTimeout {
    /// Step 0; `from` is not known yet.
    fn new(srtt: Duration, variance: Duration, granularity: Duration) -> Self {
        Self { srtt: srtt + granularity * 2, variance, from: u64::MAX }
    }

    /// The timeout was spurious; everything below `from` had been sent before it.
    const fn wait_for(mut self, from: u64) -> Self {
        self.from = from;
        self
    }

    /// True if the ACK `number` measures a round trip of new data.
    const fn applies_to(&self, number: u64) -> bool {
        number > self.from
    }

    /// SRTT = max(SRTT_prev, sample), RTTVAR = max(RTTVAR_prev, sample / 2).
    fn smoothed(&self, sample: Duration) -> (Duration, Duration) {
        (self.srtt.max(sample), self.variance.max(Duration::from_nanos(sample.as_nanos() / 2)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(window: f64, slow_start_threshold: f64) -> Windows {
        Windows { window, slow_start_threshold }
    }

    #[test]
    fn the_windows_come_back() {
        let undo = LinuxUndo::new(windows(10_000.0, 8000.0), Bytes::new(1000));
        assert_eq!(undo.windows(windows(1000.0, 5000.0)), windows(10_000.0, 8000.0));
    }

    #[test]
    fn a_threshold_below_three_quarters_of_the_window_is_raised_to_it() {
        // 11 segments: 11 / 2 + 11 / 4 = 5 + 2.
        let undo = LinuxUndo::new(windows(11_000.0, 6000.0), Bytes::new(1000));
        assert_eq!(undo.windows(windows(1000.0, 5500.0)), windows(11_000.0, 7000.0));
    }

    #[test]
    fn what_has_grown_since_is_kept() {
        let undo = LinuxUndo::new(windows(10_000.0, 8000.0), Bytes::new(1000));
        assert_eq!(undo.windows(windows(12_000.0, 9000.0)), windows(12_000.0, 9000.0));
        let never_reduced = LinuxUndo::new(windows(10_000.0, f64::INFINITY), Bytes::new(1000));
        assert_eq!(never_reduced.windows(windows(1000.0, 5000.0)).slow_start_threshold, f64::INFINITY);
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
