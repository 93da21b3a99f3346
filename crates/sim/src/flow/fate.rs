//! The true fate of what a flow's sender sent: which copies were lost, and whether a timeout was spurious.

use airlink_model::transport::{Segment, Sender};

use super::holding::UnderWay;
use crate::payload::Carried;
use crate::record::FlowRecorder;

/// What became of the segments of the flow's data that are not acknowledged yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate {
    undecided: Option<Timeout>,
    /// Only if timeouts are held.
    pub(super) under_way: Option<UnderWay>,
    /// Lost copies of what is not acknowledged yet.
    lost: Vec<Copy>,
    /// Copies beyond the first of what is not acknowledged yet.
    repeated: Vec<Copy>,
}

/// A timeout that may prove spurious or not.
#[derive(Clone, Copy, Debug)]
struct Timeout {
    /// The oldest unacknowledged byte when the RTO expired.
    sequence: u64,
    /// Transmissions before this number were made before it.
    transmissions_before: u64,
    /// Which of the flow's timeouts it is, from 1.
    number: u64,
}

/// One transmission of a segment.
#[derive(Clone, Copy, Debug)]
struct Copy {
    sequence: u64,
    transmission: u64,
}

impl Copy {
    const fn of(segment: &Segment) -> Self {
        Self { sequence: segment.sequence, transmission: segment.transmission }
    }
}

impl Fate {
    pub(super) fn new(holds_timeouts: bool) -> Self {
        Self { under_way: holds_timeouts.then(UnderWay::default), ..Self::default() }
    }

    /// A segment sets out.
    #[inline]
    pub(super) fn on_sent(&mut self, segment: &Segment) {
        if segment.retransmission {
            self.repeated.push(Copy::of(segment));
        }
        self.set_out(segment);
    }

    /// A further copy of a segment is on its way.
    pub(super) fn on_duplicated(&mut self, segment: &Segment) {
        self.repeated.push(Copy::of(segment));
        self.set_out(segment);
    }

    #[inline]
    fn set_out(&mut self, segment: &Segment) {
        if let Some(under_way) = &mut self.under_way {
            under_way.push(*segment);
        }
    }

    /// A copy was lost.
    pub(super) fn on_lost(&mut self, segment: &Segment) {
        self.lost.push(Copy::of(segment));
        if let Some(under_way) = &mut self.under_way {
            under_way.remove(segment.transmission);
        }
    }

    /// A copy arrives.
    #[inline]
    pub(super) fn on_arrival(&mut self, segment: &Carried, recorder: &mut FlowRecorder<'_>) {
        if let Some(under_way) = &mut self.under_way {
            under_way.remove(segment.transmission());
        }
        if self.undecided.is_some_and(|timeout| timeout.sequence == segment.sequence()) {
            self.decide(recorder);
        }
    }

    /// Everything below `acknowledged` is.
    #[inline]
    pub(super) fn on_acknowledged(&mut self, acknowledged: u64) {
        if !self.lost.is_empty() || !self.repeated.is_empty() {
            self.forget_below(acknowledged);
        }
    }

    #[inline(never)]
    fn forget_below(&mut self, acknowledged: u64) {
        self.lost.retain(|copy| copy.sequence >= acknowledged);
        self.repeated.retain(|copy| copy.sequence >= acknowledged);
    }

    /// The sender's timer has just expired; the receiver had `received` bytes in order.
    pub(super) fn on_timeout(&mut self, sender: &Sender, received: u64, recorder: &mut FlowRecorder<'_>) {
        let (sequence, counts) = (sender.acknowledged().count(), sender.statistics());
        let (transmissions_before, number) = (counts.segments_sent, counts.timeouts);
        self.undecided = Some(Timeout { sequence, transmissions_before, number });
        if received > sequence {
            self.settle(recorder, true);
        }
    }

    /// Settles an open timeout by what is known now: when a copy of what it repeated arrives, the next timeout strikes or
    /// the run ends. It is spurious unless every copy sent before it was lost.
    pub(super) fn decide(&mut self, recorder: &mut FlowRecorder<'_>) {
        if let Some(timeout) = self.undecided {
            let before =
                |copy: &&Copy| copy.sequence == timeout.sequence && copy.transmission < timeout.transmissions_before;
            let sent = 1 + self.repeated.iter().filter(before).count();
            self.settle(recorder, self.lost.iter().filter(before).count() < sent);
        }
    }

    fn settle(&mut self, recorder: &mut FlowRecorder<'_>, spurious: bool) {
        if let Some(timeout) = self.undecided.take() {
            recorder.on_timeout_settled(timeout.number, spurious);
        }
    }

    /// Gives memory back that nothing needs now.
    pub(super) fn release(&mut self) {
        self.lost.shrink_to_fit();
        self.repeated.shrink_to_fit();
    }
}
