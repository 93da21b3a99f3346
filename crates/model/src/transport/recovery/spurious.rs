//! Spurious recoveries: which of the rules look for them, and what is given back when one shows.
//!
//! F-RTO, Eifel's timestamps and DSACK only detect; the response is a switch of its own. Without any of the four
//! nothing of this exists.
//!
//! After a timeout each of them may show that it was spurious: recovery ends, and what was given up and not sent again
//! is in flight once more. In a fast recovery the timestamps must wait until no retransmission is out, and until then the
//! ACKs that say so cause no more of them (as in Linux, `tcp_try_undo_partial`), and duplicates may show it even when it is over. RFC 4015's response is for timeouts only.

use crate::transport::Tcp;
use crate::transport::ack_summary::AckSummary;
use crate::transport::congestion::Windows;
use crate::transport::words::SpuriousResponse;
use crate::types::{Bytes, Duration, Time};

use super::Phase;
use super::duplicate_sack::DuplicateSacks;
use super::eifel::{EifelDetection, EifelResponse, PatientTimeout};
use super::forward_rto::{ForwardRto, Verdict};
use super::undo::Undo;

/// The rules that are on, and what the latest recovery would give back.
#[derive(Clone, Debug)]
pub(in crate::transport) struct Spurious {
    forward: Option<ForwardRto>,
    eifel: Option<EifelDetection>,
    duplicates: Option<DuplicateSacks>,
    response: SpuriousResponse,
    mss: Bytes,
    initial_window: f64,
    granularity: Duration,
    before: Option<Before>,
    /// The echo of an early time has shown that the recovery is spurious.
    is_delayed: bool,
    /// That was so at the latest ACK, and retransmissions were still out.
    is_waiting: bool,
    /// SND.NXT at the latest timeout.
    timeout_end: u64,
    patient: Option<PatientTimeout>,
}

/// What was before the recovery.
#[derive(Clone, Copy, Debug)]
struct Before {
    undo: Undo,
    eifel: EifelResponse,
    smoothed: Option<(Duration, Duration)>,
    was_timeout: bool,
}

/// A recovery begins; all as it is before anything is reduced or marked.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Onset {
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
}

/// Where the sender stands when an ACK has been taken in.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct Standing {
    pub(in crate::transport) phase: Phase,
    /// The ACK covers everything that was out when the recovery began.
    pub(in crate::transport) is_full: bool,
    /// SND.NXT.
    pub(in crate::transport) sent_end: u64,
    /// The end of the highest segment SACKed.
    pub(in crate::transport) highest_sacked: u64,
    /// Retransmissions in flight.
    pub(in crate::transport) resent: u64,
}

/// What an ACK shows of the latest recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transport) enum Finding {
    /// Nothing.
    None,
    /// F-RTO wants new data sent, and none of the old.
    SendNew,
    /// F-RTO found the loss real: cwnd is within so many segments.
    Real { least_segments: u32, most_segments: u32 },
    /// It was spurious.
    Spurious {
        /// What was given up is in flight.
        nothing_lost: bool,
    },
}

impl Spurious {
    /// The rules that `config` turns on, if any.
    pub(in crate::transport) fn new(config: &Tcp) -> Option<Box<Self>> {
        let forward = config.rules.frto.then(|| ForwardRto::new(config.sack, config.rules.frto_at_once));
        let trusts_echo = config.rules.spurious_response == SpuriousResponse::Undo;
        let eifel = (config.rules.eifel_detection && config.timestamps).then(|| EifelDetection::new(trusts_echo));
        let duplicates = config.rules.dsack_detection.then(|| DuplicateSacks::new(config.mss.count()));
        let is_any = forward.is_some() || eifel.is_some() || duplicates.is_some();
        is_any.then(|| {
            Box::new(Self {
                forward,
                eifel,
                duplicates,
                response: config.rules.spurious_response,
                mss: config.mss,
                initial_window: config.initial_window_bytes(),
                granularity: config.rto.tick,
                before: None,
                is_delayed: false,
                is_waiting: false,
                timeout_end: 0,
                patient: None,
            })
        })
    }

    /// A fast recovery begins, or the timer expires for the first time since the last recovery.
    pub(in crate::transport) fn begin(&mut self, onset: &Onset, was_timeout: bool) {
        self.before = Some(Before {
            undo: Undo::new(onset.windows, self.mss),
            eifel: EifelResponse::new(onset.flight, onset.windows.slow_start_threshold),
            smoothed: onset.smoothed,
            was_timeout,
        });
        self.is_delayed = false;
        if let Some(eifel) = &mut self.eifel {
            eifel.begin();
        }
        if let Some(duplicates) = &mut self.duplicates {
            duplicates.begin(onset.start, onset.resent);
        }
        if let Some(forward) = &mut self.forward {
            forward.cancel();
        }
    }

    /// The timer has expired for the segment that ends at `oldest_end`; `phase` is what it found, and `is_repeated` that
    /// it had expired for this segment before.
    pub(in crate::transport) fn on_timeout(&mut self, oldest_end: u64, sent_end: u64, phase: Phase, is_repeated: bool) {
        self.is_waiting = false;
        self.timeout_end = sent_end;
        if let Some(forward) = &mut self.forward {
            forward.on_timeout(oldest_end, sent_end, phase == Phase::Open, is_repeated);
        }
    }

    /// A segment was sent again, perhaps as a loss probe, which repairs nothing that a recovery would.
    pub(in crate::transport) fn on_resent(&mut self, now: Time, as_probe: bool) {
        if let Some(eifel) = self.eifel.as_mut().filter(|_| !as_probe) {
            eifel.on_resent(now);
        }
        if let Some(duplicates) = &mut self.duplicates {
            duplicates.on_resent(as_probe);
        }
    }

    /// True while old segments are not to be sent again: F-RTO waits for the answer to new ones, or the latest ACK showed
    /// a recovery spurious that cannot be taken back yet.
    pub(in crate::transport) fn holds_back(&self) -> bool {
        self.is_waiting || self.forward.is_some_and(|forward| forward.is_deciding())
    }

    /// True if the latest ACK showed a recovery spurious that cannot be taken back yet: nothing more is lost by it.
    pub(in crate::transport) const fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// Something else than an ACK decides what is sent again.
    pub(in crate::transport) const fn stop_waiting(&mut self) {
        self.is_waiting = false;
    }

    /// F-RTO asked for new data, and there was none to send.
    pub(in crate::transport) const fn cannot_send_new(&mut self) {
        if let Some(forward) = &mut self.forward {
            forward.cancel();
        }
    }

    /// What `ack` shows.
    pub(in crate::transport) fn on_ack(&mut self, ack: &AckSummary, standing: &Standing) -> Finding {
        if let Some(duplicates) = self.duplicates.as_mut().filter(|_| !ack.duplicate_block.is_empty()) {
            duplicates.on_report(&ack.duplicate_block);
        }
        self.is_delayed |= self.eifel.as_mut().is_some_and(|eifel| eifel.on_ack(ack, standing.sent_end));
        self.is_waiting = standing.phase == Phase::Recovery && !standing.is_full && ack.is_new() && self.is_delayed;
        let is_explained = self.duplicates.is_some_and(|duplicates| duplicates.explain_all());
        let finding = match standing.phase {
            Phase::Loss if ack.is_new() && (self.is_delayed || is_explained) => {
                Finding::Spurious { nothing_lost: true }
            }
            Phase::Loss => self.ask_forward_rto(ack, standing),
            Phase::Recovery => self.in_recovery(ack, standing, is_explained),
            Phase::Open if is_explained => Finding::Spurious { nothing_lost: false },
            Phase::Open => Finding::None,
        };
        if let Finding::Spurious { .. } = finding {
            self.end();
        }
        finding
    }

    fn in_recovery(&self, ack: &AckSummary, standing: &Standing, is_explained: bool) -> Finding {
        if standing.is_full && self.is_delayed || is_explained {
            Finding::Spurious { nothing_lost: false }
        } else if ack.is_new() && self.is_delayed && standing.resent == 0 {
            Finding::Spurious { nothing_lost: true }
        } else {
            Finding::None
        }
    }

    fn ask_forward_rto(&mut self, ack: &AckSummary, standing: &Standing) -> Finding {
        let Some(forward) = &mut self.forward else {
            return Finding::None;
        };
        match forward.on_ack(ack, standing.sent_end, standing.highest_sacked) {
            Verdict::None => Finding::None,
            Verdict::SendNew => Finding::SendNew,
            Verdict::Conventional { least_segments, most_segments } => Finding::Real { least_segments, most_segments },
            Verdict::Spurious => Finding::Spurious { nothing_lost: true },
        }
    }

    /// No second finding about the same recovery.
    const fn end(&mut self) {
        self.is_delayed = false;
        self.is_waiting = false;
        if let Some(duplicates) = &mut self.duplicates {
            duplicates.end();
        }
        if let Some(forward) = &mut self.forward {
            forward.cancel();
        }
    }

    /// What the windows become after a spurious recovery, with `flight` out after an ACK of `acked` bytes; nothing if the
    /// response is off or not for this recovery.
    pub(in crate::transport) fn give_back(&mut self, now: Windows, flight: Bytes, acked: Bytes) -> Option<Windows> {
        let before = self.before.take()?;
        match self.response {
            SpuriousResponse::Undo => Some(before.undo.windows(now)),
            SpuriousResponse::Eifel if before.was_timeout => {
                let patient = |(srtt, variance)| PatientTimeout::new(srtt, variance, self.granularity);
                self.patient = before.smoothed.map(patient).map(|patient| patient.wait_for(self.timeout_end));
                Some(before.eifel.windows(flight, acked, self.initial_window))
            }
            SpuriousResponse::Eifel | SpuriousResponse::Off => None,
        }
    }

    /// A round trip was measured by the ACK `number`: SRTT and RTTVAR as RFC 4015 would have them, if it would.
    pub(in crate::transport) fn on_sample(&mut self, number: u64, sample: Duration) -> Option<(Duration, Duration)> {
        let patient = self.patient.take_if(|patient| patient.applies_to(number))?;
        Some(patient.smoothed(sample))
    }
}
