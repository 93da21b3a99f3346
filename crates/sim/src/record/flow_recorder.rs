//! The recorder of one flow: it passes each event on to counters, distributions, series and captures.

use airlink_model::path::Lost;
use airlink_model::transport::Sender;
use airlink_model::types::{Bytes, Direction, Duration, Packet, Time, UserId};

use super::limits::{Limits, Standing};
use super::series::{AckHeard, AllSeries, Asks, PacketLeft};
use super::{Downloads, FlowEvent, FlowRecord, Recorder, SenderDelta, SenderSnapshot};
use crate::capture::Capture;
use crate::payload::Payload;

/// Records the events of one flow.
pub(crate) struct FlowRecorder<'a> {
    pub(super) flow: usize,
    pub(crate) record: &'a mut FlowRecord,
    pub(super) series: &'a mut AllSeries,
    pub(super) downloads: &'a mut Downloads,
    pub(super) capture: Option<&'a mut Capture>,
    pub(super) limits: Option<&'a mut Limits>,
}

impl Recorder {
    /// The recorder of `flow`.
    #[inline]
    pub(crate) fn flow(&mut self, flow: usize) -> FlowRecorder<'_> {
        let (series, capture, limits) = (&mut self.series, self.capture.get(), self.limits.as_deref_mut());
        FlowRecorder { flow, record: self.flows.get_mut(flow), series, downloads: &mut self.downloads, capture, limits }
    }
}

/// At the server.
impl FlowRecorder<'_> {
    /// The flow starts; `opens` if a handshake follows.
    pub(crate) fn on_start(&mut self, now: Time, opens: bool) {
        if let Some(capture) = &mut self.capture {
            capture.on_start(now, self.flow, opens);
        }
    }

    /// True if more than counts is recorded of an ACK's effect.
    pub(crate) fn wants_sender(&self) -> bool {
        self.series.asks(Asks::Sender)
    }

    /// A packet was sent; `opens` if it answers a SYN.
    #[inline(always)]
    pub(crate) fn on_packet_sent(&mut self, now: Time, packet: &Packet<Payload>, opens: bool) {
        self.record.counts.wire(packet.direction).sent +=
            u64::from(packet.payload.is_segment() || packet.direction == Direction::Up);
        self.series.on_packet_sent(now, packet);
        if let Some(capture) = &mut self.capture {
            capture.on_sent(now, packet, opens);
        }
    }

    /// Whether its packets are captured.
    #[inline]
    pub(crate) const fn is_captured(&self) -> bool {
        self.capture.is_some()
    }

    /// One of its wires serves or holds the last packet until then.
    #[inline]
    pub(crate) fn on_held(&mut self, now: Time, until: impl FnOnce() -> Time) {
        if let Some(limits) = &mut self.limits {
            limits.on_held(self.flow, now, until());
        }
    }

    /// An ACK waits for a grant of the uplink.
    pub(crate) fn on_grant_awaited(&mut self, now: Time) {
        if let Some(limits) = &mut self.limits {
            limits.on_grant_awaited(self.flow, now);
        }
    }

    /// An ACK has left with a grant.
    pub(crate) fn on_granted(&mut self, now: Time) {
        if let Some(limits) = &mut self.limits {
            limits.on_granted(self.flow, now);
        }
    }

    /// What limits the sender from now on; none if all is done.
    #[inline]
    pub(crate) fn on_limit(&mut self, now: Time, standing: impl FnOnce() -> Option<Standing>) {
        if let Some(limits) = &mut self.limits {
            limits.on_sender(self.flow, now, standing());
        }
    }

    /// It was a packet of a sender of data in `direction`.
    #[inline]
    pub(crate) fn on_data_sent(&mut self, now: Time, direction: Direction) {
        if let Some(limits) = &mut self.limits {
            limits.on_sent(self.flow, now, direction);
        }
    }

    /// That packet carries a congestion mark (CE), if `is_marked`.
    pub(crate) fn on_mark_duplicated(&mut self, is_marked: bool) {
        self.record.counts.marks.duplicated += u64::from(is_marked);
    }

    /// A wire will duplicate packet `number` of that direction.
    pub(crate) fn on_packet_duplicated(&mut self, direction: Direction, number: u64) {
        self.record.counts.wire(direction).duplicated += 1;
        if let Some(limits) = &mut self.limits {
            limits.on_duplicated(self.flow);
        }
        if let Some(capture) = &mut self.capture {
            capture.on_duplicated(self.flow, direction, number);
        }
    }

    /// A wire before or behind the network lost a packet.
    pub(crate) fn on_packet_lost(&mut self, lost: &Lost<Packet<Payload>>) {
        self.record.counts.wire(lost.item.direction).on_lost(lost.reason);
        self.series.on_packet_left(lost.at, self.flow, &PacketLeft::of(&lost.item, Some(lost.reason)));
        if let Some(limits) = &mut self.limits {
            limits.on_ended(self.flow, lost.at);
        }
        if let Some(capture) = &mut self.capture {
            capture.on_wire_loss(lost);
        }
    }

    /// An ACK arrived, with a round-trip sample or without.
    #[inline]
    pub(crate) fn on_ack_arrived(&mut self, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            self.record.rtt.add(rtt);
        }
    }

    /// The effect of an ACK on the sender, which was as `before`.
    pub(crate) fn on_ack_effect(
        &mut self,
        now: Time,
        sender: &Sender,
        before: &SenderSnapshot,
        ack: AckHeard<'_>,
        rtt: Option<Duration>,
    ) {
        if let Some(rtt) = rtt {
            self.series.on_round_trip(now, self.flow, rtt, sender);
        }
        let delta = before.delta_to(sender);
        let is_duplicate = delta.counts.duplicate_acks > 0;
        self.series.on_ack(now, self.flow, &AckHeard { is_duplicate, ..ack });
        self.on_sender_delta(now, sender, &delta);
        self.on_window(now, sender, delta.event());
    }

    /// An ACK reached the sender of the other direction than that of the flow's data; it was as `before`.
    pub(crate) fn on_other_ack(&mut self, now: Time, sender: &Sender, before: &SenderSnapshot, ack: AckHeard<'_>) {
        let is_duplicate = before.delta_to(sender).counts.duplicate_acks > 0;
        self.series.on_ack(now, self.flow, &AckHeard { is_duplicate, ..ack });
    }

    /// Window, threshold, flight and timer after an event.
    pub(crate) fn on_window(&mut self, now: Time, sender: &Sender, event: FlowEvent) {
        self.series.on_window(now, self.flow, sender, event);
    }

    /// True if events other than ACKs are recorded.
    #[inline]
    pub(crate) fn wants_events(&self) -> bool {
        self.series.asks(Asks::Events)
    }

    /// The events of the sender since a snapshot.
    #[inline]
    pub(crate) fn on_sender_delta(&mut self, now: Time, sender: &Sender, delta: &SenderDelta) {
        if self.wants_events() {
            delta.events().for_each(|event| self.on_event(now, sender.acknowledged(), event));
        }
    }

    /// Something happened to the flow, when so many bytes were acknowledged.
    pub(crate) fn on_event(&mut self, now: Time, acknowledged: Bytes, event: FlowEvent) {
        self.series.on_event(now, self.flow, acknowledged, event);
    }

    /// The retransmission timer is about to expire, or to be armed again.
    pub(crate) fn on_expiry(&mut self, now: Time, sender: &Sender, is_held: bool) {
        if self.series.asks(Asks::Expiries) {
            self.series.on_expiry(now, self.flow, sender, is_held);
        }
    }

    /// The retransmission timer of the sender of data in `direction` expired.
    pub(crate) fn on_silence(&mut self, now: Time, direction: Direction) {
        if let Some(limits) = &mut self.limits {
            limits.on_timeout(self.flow, now, direction);
        }
    }

    /// The retransmission timer expired of the sender of the flow's data, which goes in `direction`.
    pub(crate) fn on_timeout(&mut self, now: Time, sender: &Sender, direction: Direction) {
        self.on_silence(now, direction);
        self.on_event(now, sender.acknowledged(), FlowEvent::Timeout);
        self.on_window(now, sender, FlowEvent::Timeout);
    }

    /// The flow's latest timeout, its `number`th, was `spurious` or not.
    pub(crate) fn on_timeout_settled(&mut self, number: u64, spurious: bool) {
        self.record.counts.spurious_timeouts += u64::from(spurious);
        // A timeout of the warm-up counts there, however late its cause is known.
        let is_early = number <= self.record.before_warmup.sender.timeouts;
        self.record.before_warmup.spurious_timeouts += u64::from(spurious && is_early);
        self.series.on_timeout_settled(self.flow, spurious);
    }
}

/// Downloads.
impl FlowRecorder<'_> {
    /// The server has a file or page to send.
    pub(crate) fn on_requested(&mut self, now: Time, user: UserId, bytes: Bytes) {
        self.downloads.request(now, self.flow, user, bytes);
    }

    /// All of a file or page is there.
    pub(crate) fn on_downloaded(&mut self, now: Time) {
        self.downloads.complete(now, self.flow);
    }
}

/// At either end.
impl FlowRecorder<'_> {
    /// A packet is about to be taken in.
    #[inline]
    pub(crate) fn on_packet_comes(&mut self, now: Time, packet: &Packet<Payload>) {
        self.record.counts.wire(packet.direction).arrived += 1;
        if let Some(capture) = &mut self.capture {
            capture.on_arrival(now, packet);
        }
    }

    /// A packet with data that reached the server is about to be taken in.
    pub(crate) fn on_packet_comes_up(&mut self, now: Time, packet: &Packet<Payload>) {
        self.on_packet_comes(now, packet);
        self.series.on_packet_left(now, self.flow, &PacketLeft::of(packet, None));
    }

    /// Bytes reached the server's application.
    pub(crate) fn on_goodput_up(&mut self, fresh: Bytes) {
        self.record.counts.goodput_up_bytes += fresh.count();
    }

    /// Bytes reached the user's application.
    pub(crate) fn on_goodput(&mut self, fresh: Bytes) {
        self.record.counts.goodput_bytes += fresh.count();
    }

    /// All of a file has arrived; only the first time counts.
    pub(crate) fn on_completed(&mut self, now: Time, acknowledged: Bytes) {
        if self.record.completed_at.is_none() {
            self.record.completed_at = Some(now);
            self.on_event(now, acknowledged, FlowEvent::Completed);
            if let Some(limits) = &mut self.limits {
                limits.on_completed(self.flow, now);
            }
        }
    }
}
