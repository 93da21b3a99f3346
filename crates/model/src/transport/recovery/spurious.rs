//! Spurious recoveries: which of the rules look for them, and what an ACK shows of the latest one.
//!
//! F-RTO, Eifel's timestamps and DSACK only detect; the response is a switch of its own ([`Undo`]). Without any of the four
//! nothing of this exists.
//!
//! After a timeout each of them may show that it was spurious: recovery ends, and what was given up and not sent again
//! is in flight once more. In a fast recovery the timestamps must wait until no retransmission is out, and until then the
//! ACKs that say so cause no more of them (as in Linux, `tcp_try_undo_partial`). Duplicates may show it even when it is
//! over.

use crate::transport::Tcp;
use crate::transport::ack_summary::AckSummary;
use crate::transport::words::SpuriousResponse;
use crate::types::Time;

use super::Phase;
use super::duplicate_sack::DuplicateSacks;
use super::eifel::EifelDetection;
use super::frto::{Frto, FrtoVerdict};
use super::undo::{SpuriousCandidate, Undo};

/// The rules that are on, and the response to what they find.
#[derive(Clone, Debug)]
pub(in crate::transport) struct Spurious {
    frto: Option<Frto>,
    eifel: Option<EifelDetection>,
    duplicates: Option<DuplicateSacks>,
    pub(in crate::transport) undo: Undo,
    /// The echo of an early time has shown that the recovery is spurious.
    is_delayed: bool,
    /// That was so at the latest ACK, and retransmissions were still out.
    is_waiting: bool,
}

/// The state of a sender that has taken an ACK in.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport) struct AckContext {
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
pub(in crate::transport) enum Verdict {
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
        let frto = config.rules.frto.then(|| Frto::new(config.sack, config.rules.frto_at_once));
        let trusts_echo = config.rules.spurious_response == SpuriousResponse::Undo;
        let eifel = (config.rules.eifel_detection && config.timestamps).then(|| EifelDetection::new(trusts_echo));
        let duplicates = config.rules.dsack_detection.then(|| DuplicateSacks::new(config.mss.count()));
        let is_any = frto.is_some() || eifel.is_some() || duplicates.is_some();
        is_any.then(|| {
            Box::new(Self { frto, eifel, duplicates, undo: Undo::new(config), is_delayed: false, is_waiting: false })
        })
    }

    /// A fast recovery begins, or the timer expires for the first time since the last recovery. Nothing is reduced or
    /// marked yet.
    pub(in crate::transport) fn begin(&mut self, candidate: &SpuriousCandidate) {
        self.undo.begin(candidate);
        self.is_delayed = false;
        if let Some(eifel) = &mut self.eifel {
            eifel.begin();
        }
        if let Some(duplicates) = &mut self.duplicates {
            duplicates.begin(candidate.start, candidate.resent);
        }
        if let Some(frto) = &mut self.frto {
            frto.cancel();
        }
    }

    /// The timer has expired for the segment that ends at `oldest_end`; `phase` is what it found, and `is_repeated` that
    /// it had expired for this segment before.
    pub(in crate::transport) fn on_timeout(&mut self, oldest_end: u64, sent_end: u64, phase: Phase, is_repeated: bool) {
        self.is_waiting = false;
        self.undo.on_timeout(sent_end);
        if let Some(frto) = &mut self.frto {
            frto.on_timeout(oldest_end, sent_end, phase == Phase::Open, is_repeated);
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

    /// True while old segments must not be retransmitted: F-RTO waits for the answer to new ones, or the latest ACK showed
    /// a spurious recovery that cannot be undone yet.
    pub(in crate::transport) fn holds_back(&self) -> bool {
        self.is_waiting || self.frto.is_some_and(|frto| frto.is_deciding())
    }

    /// True if the latest ACK showed a spurious recovery that cannot be undone yet: it marks nothing more as lost.
    pub(in crate::transport) const fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// True if an ACK without blocks outside a recovery says nothing of the latest one, and neither does a round trip.
    pub(in crate::transport) fn is_quiet(&self) -> bool {
        let has_question = self.eifel.is_some_and(|eifel| eifel.is_asking()) || self.undo.awaits_sample();
        !self.is_waiting && !has_question && !self.duplicates.is_some_and(|duplicates| duplicates.explain_all())
    }

    /// Something else than an ACK decides what is sent again.
    pub(in crate::transport) const fn stop_waiting(&mut self) {
        self.is_waiting = false;
    }

    /// F-RTO asked for new data, and there was none to send.
    pub(in crate::transport) const fn cannot_send_new(&mut self) {
        if let Some(frto) = &mut self.frto {
            frto.cancel();
        }
    }

    /// What `ack` shows.
    pub(in crate::transport) fn on_ack(&mut self, ack: &AckSummary, context: &AckContext) -> Verdict {
        if let Some(duplicates) = self.duplicates.as_mut().filter(|_| !ack.duplicate_block.is_empty()) {
            duplicates.on_report(&ack.duplicate_block);
        }
        self.is_delayed |= self.eifel.as_mut().is_some_and(|eifel| eifel.on_ack(ack, context.sent_end));
        self.is_waiting = context.phase == Phase::Recovery && !context.is_full && ack.is_new() && self.is_delayed;
        let is_explained = self.duplicates.is_some_and(|duplicates| duplicates.explain_all());
        let verdict = match context.phase {
            Phase::Loss if ack.is_new() && (self.is_delayed || is_explained) => {
                Verdict::Spurious { nothing_lost: true }
            }
            Phase::Loss => self.ask_frto(ack, context),
            Phase::Recovery => self.in_recovery(ack, context, is_explained),
            Phase::Open if is_explained => Verdict::Spurious { nothing_lost: false },
            Phase::Open => Verdict::None,
        };
        if let Verdict::Spurious { .. } = verdict {
            self.end();
        }
        verdict
    }

    fn in_recovery(&self, ack: &AckSummary, context: &AckContext, is_explained: bool) -> Verdict {
        if context.is_full && self.is_delayed || is_explained {
            Verdict::Spurious { nothing_lost: false }
        } else if ack.is_new() && self.is_delayed && context.resent == 0 {
            Verdict::Spurious { nothing_lost: true }
        } else {
            Verdict::None
        }
    }

    fn ask_frto(&mut self, ack: &AckSummary, context: &AckContext) -> Verdict {
        let Some(frto) = &mut self.frto else {
            return Verdict::None;
        };
        match frto.on_ack(ack, context.sent_end, context.highest_sacked) {
            FrtoVerdict::None => Verdict::None,
            FrtoVerdict::SendNew => Verdict::SendNew,
            FrtoVerdict::Conventional { least_segments, most_segments } => {
                Verdict::Real { least_segments, most_segments }
            }
            FrtoVerdict::Spurious => Verdict::Spurious { nothing_lost: true },
        }
    }

    /// The same recovery is not found spurious twice.
    const fn end(&mut self) {
        self.is_delayed = false;
        self.is_waiting = false;
        if let Some(duplicates) = &mut self.duplicates {
            duplicates.end();
        }
        if let Some(frto) = &mut self.frto {
            frto.cancel();
        }
    }
}
