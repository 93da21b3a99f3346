//! What a flow does, told once and written down wherever it is wanted: counters, distributions, series.

use airlink_model::path::Lost;
use airlink_model::transport::{Ack, Sender, Statistics};
use airlink_model::types::{Bytes, Duration, Packet, Time};

use super::limits::{Cause, Limits};
use super::series::{AllSeries, Asks};
use super::{Downloads, FlowRecord, Recorder};
use crate::capture::Capture;
use crate::payload::Payload;

/// What happened to a flow, as the column `event` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowEvent {
    /// An ACK that did nothing more than ACKs do.
    Ack = 0,
    /// It may send from now on.
    Started = 1,
    /// A recovery began before the timer expired.
    FastRetransmit = 2,
    /// The retransmission timer expired.
    Timeout = 3,
    /// A recovery is over.
    Recovered = 4,
    /// A recovery or timeout was found to be spurious and taken back.
    Undone = 5,
    /// A probe for the loss of a tail went out.
    TailLossProbe = 6,
    /// A probe of a closed window went out.
    WindowProbe = 7,
    /// It sends no new data from now on.
    Stopped = 8,
    /// Its last byte is there.
    Completed = 9,
    /// The retransmission timer expired and was armed again instead of a timeout.
    TimeoutHeld = 10,
}

impl FlowEvent {
    /// All events, by their numbers.
    pub(crate) const ALL: [Self; 11] = [
        Self::Ack,
        Self::Started,
        Self::FastRetransmit,
        Self::Timeout,
        Self::Recovered,
        Self::Undone,
        Self::TailLossProbe,
        Self::WindowProbe,
        Self::Stopped,
        Self::Completed,
        Self::TimeoutHeld,
    ];

    /// Its number in results and what it stands for.
    pub(crate) const fn code(self) -> (u8, &'static str) {
        let label = match self {
            Self::Ack => "ACK",
            Self::Started => "started",
            Self::FastRetransmit => "fast retransmit",
            Self::Timeout => "timeout",
            Self::Recovered => "recovered",
            Self::Undone => "undone",
            Self::TailLossProbe => "tail loss probe",
            Self::WindowProbe => "window probe",
            Self::Stopped => "stopped",
            Self::Completed => "completed",
            Self::TimeoutHeld => "timeout held",
        };
        (self as u8, label)
    }
}

/// A sender before something was done to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    statistics: Statistics,
    in_recovery: bool,
}

/// What has befallen a sender since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// What it has counted.
    pub(crate) counts: Statistics,
    has_recovered: bool,
}

impl Before {
    #[inline]
    pub(crate) fn of(sender: &Sender) -> Self {
        Self { statistics: sender.statistics(), in_recovery: sender.in_recovery() }
    }

    #[inline]
    pub(crate) fn until(&self, sender: &Sender) -> Change {
        Change {
            counts: sender.statistics().since(&self.statistics),
            has_recovered: self.in_recovery && !sender.in_recovery(),
        }
    }
}

impl Change {
    /// The one event that the window is to be seen by.
    #[inline]
    pub(crate) fn event(&self) -> FlowEvent {
        if self.counts.fast_retransmits > 0 {
            FlowEvent::FastRetransmit
        } else if self.has_recovered {
            FlowEvent::Recovered
        } else {
            FlowEvent::Ack
        }
    }

    /// All events, in this order; timeouts have a way of their own.
    #[inline]
    fn events(&self) -> impl Iterator<Item = FlowEvent> {
        let events = [
            (FlowEvent::Undone, self.counts.undone > 0),
            (FlowEvent::Recovered, self.has_recovered),
            (FlowEvent::FastRetransmit, self.counts.fast_retransmits > 0),
            (FlowEvent::TailLossProbe, self.counts.tail_loss_probes > 0),
            (FlowEvent::WindowProbe, self.counts.window_probes > 0),
            (FlowEvent::TimeoutHeld, self.counts.timeouts_held > 0),
        ];
        events.into_iter().filter_map(|(event, has_happened)| has_happened.then_some(event))
    }
}

/// Where one flow leaves what it does.
pub(crate) struct Log<'a> {
    pub(super) flow: usize,
    pub(crate) record: &'a mut FlowRecord,
    pub(super) series: &'a mut AllSeries,
    pub(super) downloads: &'a mut Downloads,
    capture: Option<&'a mut Capture>,
    pub(super) limits: Option<&'a mut Limits>,
}

impl Recorder {
    /// Where `flow` leaves what it does.
    #[inline]
    pub(crate) fn log(&mut self, flow: usize) -> Log<'_> {
        let (series, capture, limits) = (&mut self.series, self.capture.get(), self.limits.as_deref_mut());
        Log { flow, record: &mut self.flows[flow], series, downloads: &mut self.downloads, capture, limits }
    }
}

/// At the server.
impl Log<'_> {
    /// The flow starts; `opens` if a handshake follows.
    pub(crate) fn on_start(&mut self, now: Time, opens: bool) {
        if let Some(capture) = &mut self.capture {
            capture.on_start(now, self.flow, opens);
        }
    }

    /// True if more than counts is wanted of what an ACK does.
    pub(crate) fn wants_sender(&self) -> bool {
        self.series.asks(Asks::Sender)
    }

    /// A packet set out.
    #[inline]
    pub(crate) fn on_packet_sent(&mut self, now: Time, packet: &Packet<Payload>) {
        self.record.counts.packets.sent += u64::from(packet.payload.is_some());
        self.series.on_packet_sent(now, packet);
        if let Some(capture) = &mut self.capture {
            capture.on_sent(now, packet);
        }
        if let Some(limits) = &mut self.limits {
            limits.on_sent(self.flow, now);
        }
    }

    /// One of its wires serves or holds what was sent last until then.
    #[inline]
    pub(crate) fn on_held(&mut self, now: Time, until: impl FnOnce() -> Time) {
        if let Some(limits) = &mut self.limits {
            limits.on_held(self.flow, now, until());
        }
    }

    /// What keeps the sender from now on; none if all is done.
    #[inline]
    pub(crate) fn on_limit(&mut self, now: Time, cause: impl FnOnce() -> Option<Cause>) {
        if let Some(limits) = &mut self.limits {
            limits.on_sender(self.flow, now, cause());
        }
    }

    /// The wire will duplicate it.
    pub(crate) fn on_packet_duplicated(&mut self) {
        self.record.counts.packets.duplicated += 1;
        if let Some(capture) = &mut self.capture {
            capture.on_duplicated(self.flow);
        }
    }

    /// The wire to the network lost a packet.
    pub(crate) fn on_packet_lost(&mut self, lost: &Lost<Packet<Payload>>) {
        self.record.counts.packets.on_lost(lost.reason);
        self.series.on_packet_left(lost.at, self.flow, lost.item.id, Some(lost.reason), 0);
        if let Some(capture) = &mut self.capture {
            capture.on_wire_loss(lost);
        }
    }

    /// An ACK is about to be taken in.
    #[inline]
    pub(crate) fn on_ack_comes(&mut self, now: Time, ack: &Ack) {
        if let Some(capture) = &mut self.capture {
            capture.on_ack(now, self.flow, ack);
        }
    }

    /// An ACK came in, and may have shown a round trip.
    #[inline]
    pub(crate) fn on_ack_arrived(&mut self, rtt: Option<Duration>) {
        self.record.counts.acks.arrived += 1;
        if let Some(rtt) = rtt {
            self.record.rtt.add(rtt);
        }
    }

    /// What it said.
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Ack, duplicate: bool) {
        self.series.on_ack(now, self.flow, ack, duplicate);
    }

    /// The round trip that it showed, and what the sender makes of it.
    pub(crate) fn on_round_trip(&mut self, now: Time, rtt: Duration, sender: &Sender) {
        self.series.on_round_trip(now, self.flow, rtt, sender);
    }

    /// Window, threshold, flight and timer after an event.
    pub(crate) fn on_window(&mut self, now: Time, sender: &Sender, event: FlowEvent) {
        self.series.on_window(now, self.flow, sender, event);
    }

    /// True if it is wanted what happens beside ACKs.
    #[inline]
    pub(crate) fn wants_events(&self) -> bool {
        self.series.asks(Asks::Events)
    }

    /// What befell the sender while something was done to it.
    #[inline]
    pub(crate) fn on_change(&mut self, now: Time, sender: &Sender, change: &Change) {
        if self.wants_events() {
            change.events().for_each(|event| self.on_event(now, sender, event));
        }
    }

    /// Something happened to the flow.
    pub(crate) fn on_event(&mut self, now: Time, sender: &Sender, event: FlowEvent) {
        self.series.on_event(now, self.flow, sender, event);
    }

    /// The retransmission timer is about to expire, or to be armed again.
    pub(crate) fn on_expiry(&mut self, now: Time, sender: &Sender, is_held: bool) {
        if self.series.asks(Asks::Expiries) {
            self.series.on_expiry(now, self.flow, sender, is_held);
        }
    }

    /// The retransmission timer expired.
    pub(crate) fn on_timeout(&mut self, now: Time, sender: &Sender) {
        if let Some(limits) = &mut self.limits {
            limits.on_timeout(self.flow, now);
        }
        self.on_event(now, sender, FlowEvent::Timeout);
        self.on_window(now, sender, FlowEvent::Timeout);
    }

    /// Of the flow's latest timeout, its `number`th, it is known now whether it was spurious.
    pub(crate) fn on_timeout_settled(&mut self, number: u64, spurious: bool) {
        self.record.counts.spurious_timeouts += u64::from(spurious);
        // One that struck during the warm-up belongs there, however late it is understood.
        let is_early = number <= self.record.before_warmup.sender.timeouts;
        self.record.before_warmup.spurious_timeouts += u64::from(spurious && is_early);
        self.series.on_timeout_settled(self.flow, spurious);
    }

    /// The wire from the user lost an ACK.
    pub(crate) fn on_ack_lost(&mut self, lost: &Lost<Ack>) {
        self.record.counts.acks.on_lost(lost.reason);
        if let Some(capture) = &mut self.capture {
            capture.on_ack_lost(self.flow, lost);
        }
    }
}

/// At the user.
impl Log<'_> {
    /// A packet is about to be taken in.
    #[inline]
    pub(crate) fn on_packet_comes(&mut self, now: Time, packet: &Packet<Payload>) {
        if let Some(capture) = &mut self.capture {
            capture.on_arrival(now, packet);
        }
    }

    /// Bytes reached the application.
    pub(crate) fn on_goodput(&mut self, fresh: Bytes) {
        self.record.counts.goodput_bytes += fresh.count();
    }

    /// All of a file is there; only the first time counts.
    pub(crate) fn on_completed(&mut self, now: Time, sender: &Sender) {
        if self.record.completed_at.is_none() {
            self.record.completed_at = Some(now);
            self.on_event(now, sender, FlowEvent::Completed);
            if let Some(limits) = &mut self.limits {
                limits.on_completed(self.flow, now);
            }
        }
    }

    /// An ACK sets out; `opens` if it answers a SYN.
    #[inline]
    pub(crate) fn on_ack_sent(&mut self, now: Time, ack: &Ack, opens: bool) {
        self.record.counts.acks.sent += 1;
        if let Some(capture) = &mut self.capture {
            capture.on_ack_sent(now, self.flow, ack, opens);
        }
    }

    /// The wire will duplicate it.
    pub(crate) fn on_ack_duplicated(&mut self) {
        self.record.counts.acks.duplicated += 1;
        if let Some(capture) = &mut self.capture {
            capture.on_ack_duplicated(self.flow);
        }
    }
}
