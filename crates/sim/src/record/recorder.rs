//! What happens in a run, as the network and the flows tell it: each event goes on to counts, distributions, series and captures.
//!
//! It leaves out: what these make of it.

use airlink_model::path::{Lost, Sent};
use airlink_model::probe::{CarrierRecord, Departure, GrantRecord, Probe, Service, SlotRecord};
use airlink_model::transport::Sender;
use airlink_model::types::{Bytes, Direction, DropReason, Duration, FlowId, MarkRecord, Packet, Slot, Time, UserId};

use super::asked_for::{AskedFor, left};
use super::limits::{Shares, Standing, Told};
use super::series::{AckHeard, AllSeries, Asks, RecordKind, Setting};
use super::{CellRecord, Downloads, FlowEvent, FlowRecord, Records, SenderDelta, SenderSnapshot, UserRecord};
use crate::capture::Place;
use crate::payload::Payload;

/// The recorder of one run.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    pub(crate) users: Records<UserRecord>,
    pub(crate) flows: Records<FlowRecord>,
    pub(crate) cell: CellRecord,
    pub(crate) downloads: Downloads,
    pub(crate) asked: AskedFor,
}

/// A packet that a bottleneck's wire will duplicate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duplicated {
    pub(crate) id: u64,
    pub(crate) flow: FlowId,
    pub(crate) user: UserId,
    pub(crate) bytes: Bytes,
    /// It carries a congestion mark (CE).
    pub(crate) carries_mark: bool,
}

impl Recorder {
    pub(crate) fn new(users: usize, flows: usize, kinds: &[RecordKind], has_subchannels: bool) -> Self {
        Self {
            users: Records::new(users),
            flows: Records::new(flows),
            cell: CellRecord::default(),
            downloads: Downloads::new(flows),
            asked: AskedFor::new(AllSeries::new(kinds, Setting { users, flows, has_subchannels })),
        }
    }

    /// The recorder of `flow`.
    #[inline]
    pub(crate) fn flow(&mut self, flow: usize) -> FlowRecorder<'_> {
        let (downloads, asked) = (&mut self.downloads, &mut self.asked);
        FlowRecorder { flow, record: self.flows.get_mut(flow), downloads, asked }
    }

    /// Splits off the records so far; this recorder goes on with counts and downloads only.
    pub(crate) fn split_off(&mut self) -> Self {
        let kinds: &[RecordKind] = if self.asked.series.wants_downloads() { &[RecordKind::Downloads] } else { &[] };
        let series = AllSeries::new(kinds, Setting { flows: self.flows.len(), ..Setting::default() });
        let asked = AskedFor { summaries: self.asked.summaries, ..AskedFor::new(series) };
        let asked = std::mem::replace(&mut self.asked, asked);
        Self { asked, ..self.clone() }
    }

    /// Discards the warm-up, which is over.
    pub(crate) fn start_measuring(&mut self, now: Time) {
        self.cell = CellRecord::default();
        for user in self.users.each_mut().flatten() {
            user.before_warmup = user.counts;
            user.head_of_line.clear();
            user.queueing.clear();
            user.gaps.clear();
            user.occupied.restart(now);
        }
        self.asked.series.start_measuring();
        for flow in self.flows.each_mut().flatten() {
            flow.before_warmup = flow.counts;
            flow.rtt.clear();
            if let Some(delays) = &mut flow.delays {
                delays.clear();
            }
        }
        self.downloads.start_measuring();
    }

    /// A packet has left a bottleneck's queue, which now holds so many packets and bytes.
    #[inline(always)]
    pub(crate) fn on_sent(&mut self, sent: &Sent, packets: u64, bytes: Bytes) {
        if self.asked.summaries {
            self.users.get_mut(sent.user.index()).queueing.add(sent.at.since(sent.queued_at));
        }
        if self.asked.any {
            self.asked.series.on_queue(sent.at, sent.user, packets, bytes);
        }
    }

    /// A packet was dropped at the head of a bottleneck's queue, which now holds so many packets and bytes.
    pub(crate) fn on_left_queue(&mut self, now: Time, user: UserId, packets: u64, bytes: Bytes) {
        self.asked.series.on_queue(now, user, packets, bytes);
    }

    /// A queue before the network wrote a congestion mark (CE) on a packet that had none.
    pub(crate) fn on_marked_before(&mut self, flow: FlowId) {
        self.flows.get_mut(flow.index()).counts.marks.set += 1;
    }

    /// A bottleneck serves or holds the packet that it took in last until then.
    #[inline(always)]
    pub(crate) fn on_held(&mut self, now: Time, flow: FlowId, until: Time) {
        if let Some(limits) = &mut self.asked.limits {
            limits.on_bottleneck(flow.index(), now, until);
        }
    }

    /// A bottleneck's wire will duplicate a packet.
    pub(crate) fn on_duplicated(&mut self, duplicated: &Duplicated) {
        self.users.get_mut(duplicated.user.index()).counts.passed.on_duplicated(duplicated.bytes);
        self.flows.get_mut(duplicated.flow.index()).counts.marks.duplicated += u64::from(duplicated.carries_mark);
        if let Some(limits) = &mut self.asked.limits {
            limits.on_duplicated(duplicated.flow.index());
        }
        if let Some(capture) = self.asked.capture.get() {
            capture.on_duplicated(duplicated.flow.index(), Direction::Down, duplicated.id);
        }
    }

    /// A packet has come out of a bottleneck's wire.
    #[inline]
    pub(crate) fn on_delivered<P>(&mut self, now: Time, packet: &Packet<P>) {
        self.users.get_mut(packet.user.index()).counts.passed.on_delivery(packet.bytes);
        if self.asked.any {
            self.asked.on_arrived(now, packet);
        }
    }

    /// A bottleneck's wire has lost a packet, or its queue dropped it at the head.
    pub(crate) fn on_lost<P>(&mut self, now: Time, packet: &Packet<P>, reason: DropReason) {
        self.users.get_mut(packet.user.index()).counts.passed.on_drop(packet.bytes, reason);
        self.on_dropped(now, packet, reason);
        if let Some(capture) = self.asked.capture.get() {
            let place = if reason == DropReason::Aqm { Place::Queue } else { Place::Wire };
            capture.on_lost(now, packet, place, reason);
        }
    }

    /// A packet in the network was dropped.
    fn on_dropped<P>(&mut self, now: Time, packet: &Packet<P>, reason: DropReason) {
        self.asked.series.on_packet_left(now, packet.flow.index(), &left(packet, Some(reason)));
        if let Some(limits) = &mut self.asked.limits {
            limits.on_ended(packet.flow.index(), now);
        }
    }

    /// Ends the accounts of all flows at `end`, if there are any: each flow's time from `from` on, by cause, if that is wanted.
    pub(crate) fn finish_limits(&mut self, from: Time, end: Time) -> Option<Vec<Shares>> {
        let limits = self.asked.limits.take()?;
        let shares = limits.finish(from, end, |account, piece| match account {
            Told::Limits(flow) => self.asked.series.on_held_back(flow, piece),
            Told::Waits(flow) => self.asked.series.on_waited(flow, piece),
        });
        self.asked.series.wants_limits().then_some(shares)
    }
}

impl Probe for Recorder {
    fn wants_channel(&self) -> bool {
        self.asked.series.asks(Asks::Channel)
    }

    fn on_channel(&mut self, slot: Slot, true_db: impl Iterator<Item = f32> + Clone, reported_bps: &[f32]) {
        self.asked.series.on_channel(slot, true_db, reported_bps);
    }

    fn wants_service(&self) -> bool {
        self.asked.limits.is_some()
    }

    fn on_service(&mut self, now: Time, user: UserId, service: Service) {
        if let Some(limits) = &mut self.asked.limits {
            limits.on_service(now, user, service);
        }
    }

    fn wants_grants(&self) -> bool {
        self.asked.series.asks(Asks::Grants)
    }

    fn on_grant(&mut self, grant: &GrantRecord<'_>) {
        self.users.get_mut(grant.user.index()).counts.grants.on_grant(grant);
        self.asked.series.on_grant(grant);
    }

    fn on_passed(&mut self, _slot: Slot) {
        self.cell.passed += 1;
    }

    fn on_carrier(&mut self, record: &CarrierRecord) {
        self.cell.carrier.on_slot(record);
    }

    #[inline(always)]
    fn on_slot(&mut self, record: &SlotRecord) {
        self.cell.slots += u64::from(record.ordinal == 0);
        match record.winner {
            None => self.cell.idle += 1,
            Some(user) => {
                let user = self.users.get_mut(user.index());
                user.counts.on_slot(record);
                if self.asked.summaries
                    && let Some(gap) = record.gap_slots
                {
                    user.gaps.add(gap);
                }
            }
        }
        if self.asked.any {
            // A copy, so that the record itself need not lie in memory.
            let record = *record;
            self.asked.series.on_slot(&record);
        }
    }

    fn wants_marks_added(&self) -> bool {
        self.asked.series.asks(Asks::MarksAdded)
    }

    fn on_mark_added(&mut self, record: &MarkRecord) {
        self.asked.series.on_mark_added(record);
    }

    fn on_marked(&mut self, _now: Time, user: UserId, flow: FlowId) {
        self.users.get_mut(user.index()).counts.passed.packets_marked += 1;
        self.flows.get_mut(flow.index()).counts.marks.set += 1;
    }

    #[inline]
    fn on_queued<P>(&mut self, now: Time, packet: &Packet<P>, packets: u64, bytes: Bytes) {
        let user = self.users.get_mut(packet.user.index());
        user.counts.passed.on_arrival(packet.bytes);
        user.occupied.on_change(now, packets);
        if self.asked.any {
            self.asked.on_queued(now, packet, packets, bytes);
        }
    }

    fn on_refused<P>(&mut self, now: Time, packet: &Packet<P>, reason: DropReason) {
        let counts = &mut self.users.get_mut(packet.user.index()).counts;
        counts.passed.on_arrival(packet.bytes);
        counts.passed.on_drop(packet.bytes, reason);
        self.on_dropped(now, packet, reason);
        if let Some(capture) = self.asked.capture.get() {
            capture.on_refused(now, packet, reason);
        }
    }

    #[inline]
    fn on_departure<P>(&mut self, packet: &Packet<P>, departure: &Departure, packets: u64, bytes: Bytes) {
        let user = self.users.get_mut(packet.user.index());
        match departure.dropped {
            Some(reason) => user.counts.passed.on_drop(packet.bytes, reason),
            None => {
                user.counts.passed.on_delivery(packet.bytes);
                if self.asked.summaries {
                    user.head_of_line.add(departure.at.since(departure.head_at));
                    user.queueing.add(departure.at.since(departure.queued_at));
                }
            }
        }
        user.occupied.on_change(departure.at, packets);
        if self.asked.any {
            let departure = *departure;
            self.asked.on_departure(packet, &departure, packets, bytes);
        }
    }
}

/// Records the events of one flow.
pub(crate) struct FlowRecorder<'a> {
    pub(super) flow: usize,
    pub(crate) record: &'a mut FlowRecord,
    pub(super) downloads: &'a mut Downloads,
    pub(super) asked: &'a mut AskedFor,
}

/// At the server.
impl FlowRecorder<'_> {
    /// The flow starts; `opens` if a handshake follows.
    pub(crate) fn on_start(&mut self, now: Time, opens: bool) {
        if let Some(capture) = self.asked.capture.get() {
            capture.on_start(now, self.flow, opens);
        }
    }

    /// True if more than counts is recorded of an ACK's effect.
    pub(crate) fn wants_sender(&self) -> bool {
        self.asked.series.asks(Asks::Sender)
    }

    /// A packet was sent; `opens` if it answers a SYN.
    #[inline(always)]
    pub(crate) fn on_packet_sent(&mut self, now: Time, packet: &Packet<Payload>, opens: bool) {
        self.record.counts.wire(packet.direction).sent +=
            u64::from(packet.payload.is_segment() || packet.direction == Direction::Up);
        if self.asked.any {
            self.asked.on_packet_sent(now, packet, opens);
        }
    }

    /// Whether its packets are captured.
    #[inline]
    pub(crate) const fn is_captured(&self) -> bool {
        self.asked.capture.is_on()
    }

    /// One of its wires serves or holds the last packet until then.
    #[inline(always)]
    pub(crate) fn on_held(&mut self, now: Time, until: impl FnOnce() -> Time) {
        if let Some(limits) = &mut self.asked.limits {
            limits.on_held(self.flow, now, until());
        }
    }

    /// An ACK waits for a grant of the uplink.
    pub(crate) fn on_grant_awaited(&mut self, now: Time) {
        if let Some(limits) = &mut self.asked.limits {
            limits.on_grant_awaited(self.flow, now);
        }
    }

    /// An ACK has left with a grant.
    pub(crate) fn on_granted(&mut self, now: Time) {
        if let Some(limits) = &mut self.asked.limits {
            limits.on_granted(self.flow, now);
        }
    }

    /// What limits the sender from now on; none if all is done.
    #[inline(always)]
    pub(crate) fn on_limit(&mut self, now: Time, standing: impl FnOnce() -> Option<Standing>) {
        if let Some(limits) = &mut self.asked.limits {
            limits.on_sender(self.flow, now, standing());
        }
    }

    /// It was a packet of a sender of data in `direction`.
    #[inline(always)]
    pub(crate) fn on_data_sent(&mut self, now: Time, direction: Direction) {
        if let Some(limits) = &mut self.asked.limits {
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
        if let Some(limits) = &mut self.asked.limits {
            limits.on_duplicated(self.flow);
        }
        if let Some(capture) = self.asked.capture.get() {
            capture.on_duplicated(self.flow, direction, number);
        }
    }

    /// A wire before or behind the network lost a packet.
    pub(crate) fn on_packet_lost(&mut self, lost: &Lost<Packet<Payload>>) {
        self.record.counts.wire(lost.item.direction).on_lost(lost.reason);
        self.asked.series.on_packet_left(lost.at, self.flow, &left(&lost.item, Some(lost.reason)));
        if let Some(limits) = &mut self.asked.limits {
            limits.on_ended(self.flow, lost.at);
        }
        if let Some(capture) = self.asked.capture.get() {
            capture.on_wire_loss(lost);
        }
    }

    /// An ACK arrived, with a round-trip sample or without.
    #[inline(always)]
    pub(crate) fn on_ack_arrived(&mut self, rtt: Option<Duration>) {
        if self.asked.summaries
            && let Some(rtt) = rtt
        {
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
            self.asked.series.on_round_trip(now, self.flow, rtt, sender);
        }
        let delta = before.delta_to(sender);
        let is_duplicate = delta.counts.duplicate_acks > 0;
        self.asked.series.on_ack(now, self.flow, &AckHeard { is_duplicate, ..ack });
        self.on_sender_delta(now, sender, &delta);
        self.on_window(now, sender, delta.event());
    }

    /// An ACK reached the sender of the other direction than that of the flow's data; it was as `before`.
    pub(crate) fn on_other_ack(&mut self, now: Time, sender: &Sender, before: &SenderSnapshot, ack: AckHeard<'_>) {
        let is_duplicate = before.delta_to(sender).counts.duplicate_acks > 0;
        self.asked.series.on_ack(now, self.flow, &AckHeard { is_duplicate, ..ack });
    }

    /// Window, threshold, flight and timer after an event.
    pub(crate) fn on_window(&mut self, now: Time, sender: &Sender, event: FlowEvent) {
        self.asked.series.on_window(now, self.flow, sender, event);
    }

    /// True if events other than ACKs are recorded.
    #[inline]
    pub(crate) fn wants_events(&self) -> bool {
        self.asked.series.asks(Asks::Events)
    }

    /// The events of the sender since a snapshot.
    #[inline]
    pub(crate) fn on_sender_delta(&mut self, now: Time, sender: &Sender, delta: &SenderDelta) {
        if self.wants_events() && delta.has_events() {
            delta.events().for_each(|event| self.on_event(now, sender.acknowledged(), event));
        }
    }

    /// Something happened to the flow, when so many bytes were acknowledged.
    pub(crate) fn on_event(&mut self, now: Time, acknowledged: Bytes, event: FlowEvent) {
        self.asked.series.on_event(now, self.flow, acknowledged, event);
    }

    /// The retransmission timer is about to expire, or to be armed again.
    pub(crate) fn on_expiry(&mut self, now: Time, sender: &Sender, is_held: bool) {
        if self.asked.series.asks(Asks::Expiries) {
            self.asked.series.on_expiry(now, self.flow, sender, is_held);
        }
    }

    /// The retransmission timer of the sender of data in `direction` expired.
    pub(crate) fn on_silence(&mut self, now: Time, direction: Direction) {
        if let Some(limits) = &mut self.asked.limits {
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
        self.asked.series.on_timeout_settled(self.flow, spurious);
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
    #[inline(always)]
    pub(crate) fn on_packet_comes(&mut self, now: Time, packet: &Packet<Payload>) {
        self.record.counts.wire(packet.direction).arrived += 1;
        if let Some(capture) = self.asked.capture.get() {
            capture.on_arrival(now, packet);
        }
    }

    /// A packet with data that reached the server is about to be taken in.
    pub(crate) fn on_packet_comes_up(&mut self, now: Time, packet: &Packet<Payload>) {
        self.on_packet_comes(now, packet);
        self.asked.series.on_packet_left(now, self.flow, &left(packet, None));
    }

    /// Bytes reached the server's application.
    pub(crate) fn on_goodput_up(&mut self, fresh: Bytes) {
        self.record.counts.goodput_up_bytes += fresh.count();
    }

    /// Bytes reached the user's application.
    #[inline]
    pub(crate) fn on_goodput(&mut self, fresh: Bytes) {
        self.record.counts.goodput_bytes += fresh.count();
    }

    /// All of a file has arrived; only the first time counts.
    pub(crate) fn on_completed(&mut self, now: Time, acknowledged: Bytes) {
        if self.record.completed_at.is_none() {
            self.record.completed_at = Some(now);
            self.on_event(now, acknowledged, FlowEvent::Completed);
            if let Some(limits) = &mut self.asked.limits {
                limits.on_completed(self.flow, now);
            }
        }
    }
}
