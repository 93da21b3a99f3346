//! The difference between two moments of a sender, as events and counts.

use airlink_model::transport::{Sender, Statistics};

use super::FlowEvent;

/// A sender's state before it handles an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderSnapshot {
    statistics: Statistics,
    in_recovery: bool,
}

/// What a sender did since a snapshot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderDelta {
    /// The counts since then.
    pub(crate) counts: Statistics,
    has_recovered: bool,
}

impl SenderSnapshot {
    #[inline]
    pub(crate) fn of(sender: &Sender) -> Self {
        Self { statistics: sender.statistics(), in_recovery: sender.in_recovery() }
    }

    #[inline]
    pub(crate) fn delta_to(&self, sender: &Sender) -> SenderDelta {
        SenderDelta {
            counts: sender.statistics().since(&self.statistics),
            has_recovered: self.in_recovery && !sender.in_recovery(),
        }
    }
}

impl SenderDelta {
    /// The event that the window's new row shows.
    #[inline]
    pub(crate) fn event(&self) -> FlowEvent {
        if self.counts.fast_retransmits > 0 {
            FlowEvent::FastRetransmit
        } else if self.has_recovered {
            FlowEvent::Recovered
        } else if self.counts.ecn_reductions > 0 {
            FlowEvent::EcnReduction
        } else {
            FlowEvent::Ack
        }
    }

    /// Whether there are any events but timeouts.
    #[inline]
    pub(super) fn has_events(&self) -> bool {
        let counts = &self.counts;
        let losses = counts.undone | counts.fast_retransmits | counts.ecn_reductions;
        self.has_recovered || losses | counts.tail_loss_probes | counts.window_probes | counts.timeouts_held > 0
    }

    /// All events, in this order, but timeouts, which are recorded separately.
    #[inline]
    pub(super) fn events(&self) -> impl Iterator<Item = FlowEvent> {
        let events = [
            (FlowEvent::Undone, self.counts.undone > 0),
            (FlowEvent::Recovered, self.has_recovered),
            (FlowEvent::FastRetransmit, self.counts.fast_retransmits > 0),
            (FlowEvent::EcnReduction, self.counts.ecn_reductions > 0),
            (FlowEvent::TailLossProbe, self.counts.tail_loss_probes > 0),
            (FlowEvent::WindowProbe, self.counts.window_probes > 0),
            (FlowEvent::TimeoutHeld, self.counts.timeouts_held > 0),
        ];
        events.into_iter().filter_map(|(event, has_happened)| has_happened.then_some(event))
    }
}
