//! One flow: its source, its two TCP ends, the wires between them, and the true fate of its packets.

mod datagrams;
mod holding;
mod limits;
mod waiting;

use std::sync::Arc;

use airlink_model::path::{Impairments, LinkConfig, Wire};
use airlink_model::traffic::{Application, Source};
use airlink_model::transport::congestion::CongestionControl;
use airlink_model::transport::{Reader, Receiver, Segment, Sender, Statistics, Tcp};
use airlink_model::types::{Bytes, Direction, FlowId, Marks, Packet, Time, UserId};

use crate::events::Next;
use crate::payload::Payload;
use crate::record::{DatagramCounts, FlowEvent, FlowRecord, FlowRecorder, SenderSnapshot};
use datagrams::Sending;
use holding::UnderWay;

pub use holding::Hold;
pub(crate) use waiting::Flow;

/// Everything that a flow is built from.
#[derive(Clone, Debug)]
pub(crate) struct FlowConfig {
    /// Which of the scenario's groups it is of.
    pub(crate) group: usize,
    pub(crate) user: UserId,
    pub(crate) source: Source,
    /// Which way its data goes.
    pub(crate) direction: Direction,
    pub(crate) start: Time,
    pub(crate) stop: Time,
    pub(crate) downlink: LinkConfig,
    pub(crate) uplink: LinkConfig,
    /// The hops that its packets pass between its wire and the network, by number.
    pub(crate) hops: Arc<[u8]>,
    /// The hops that ACKs pass before the uplink.
    pub(crate) uplink_hops: Arc<[u8]>,
    /// Large and rare.
    pub(crate) downlink_impairments: Option<Box<Impairments>>,
    pub(crate) uplink_impairments: Option<Box<Impairments>>,
    /// Which timeouts are held.
    pub(crate) hold: Hold,
    /// The flows of a group share it.
    pub(crate) tcp: Arc<Tcp>,
    /// In place of the congestion control that it names.
    pub(crate) control: Option<Box<dyn CongestionControl>>,
}

impl FlowConfig {
    /// Whether its wires have impairments.
    pub(crate) fn has_impaired_path(&self) -> bool {
        self.downlink_impairments.is_some() || self.uplink_impairments.is_some()
    }

    /// When its transport starts; never without one.
    fn starts_at(&self) -> Time {
        if matches!(self.source, Source::Backlogged(_)) { Time::NEVER } else { self.start }
    }

    /// True if its TCP may do what only rules beyond RFC 5681 do, or meet a closed window.
    pub(crate) fn has_newer_rules(&self) -> bool {
        let tcp = &self.tcp;
        let detects = tcp.rules.frto || tcp.rules.eifel_detection || tcp.rules.dsack_detection;
        tcp.sack || tcp.rules.limited_transmit || detects || tcp.reader != Reader::Immediate
    }
}

/// A flow in motion.
#[derive(Clone, Debug)]
pub(crate) struct RunningFlow {
    id: FlowId,
    pub(crate) config: FlowConfig,
    started: bool,
    /// When it starts or, after that, stops; never for a flow without a transport.
    switch_at: Time,
    application: Application,
    sender: Sender,
    receiver: Receiver,
    pub(crate) downlink: Wire<Packet<Payload>>,
    uplink: Wire<Segment>,
    undecided: Option<Timeout>,
    /// Only if timeouts are held.
    under_way: Option<UnderWay>,
    /// Lost copies of what is not acknowledged yet.
    lost: Vec<Copy>,
    /// Copies beyond the first of what is not acknowledged yet.
    repeated: Vec<Copy>,
    filler_packets: u64,
    /// Only without TCP.
    datagrams: Option<Box<Sending>>,
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

impl RunningFlow {
    fn new(id: FlowId, config: FlowConfig) -> Self {
        let tcp = Arc::clone(&config.tcp);
        Self {
            id,
            started: false,
            switch_at: config.starts_at(),
            application: Application::new(config.source.clone(), config.start),
            sender: match &config.control {
                Some(control) => Sender::with_control(tcp, control.clone()),
                None => Sender::new(tcp),
            },
            receiver: Receiver::new(&config.tcp),
            downlink: Wire::new(config.downlink, config.downlink_impairments.as_deref().cloned()),
            uplink: Wire::new(config.uplink, config.uplink_impairments.as_deref().cloned()),
            undecided: None,
            under_way: (config.hold != Hold::Off).then(UnderWay::default),
            lost: Vec::new(),
            repeated: Vec::new(),
            filler_packets: 0,
            datagrams: Sending::of(&config),
            config,
        }
    }

    /// Starts a flow that waits to be asked, if it has not started, and has the server send `bytes` at `at`.
    pub(crate) fn ask(&mut self, at: Time, bytes: Bytes) {
        if !self.started {
            self.switch_at = self.switch_at.min(at);
        }
        self.application.ask(at, bytes);
    }

    /// The next packet of a flow without a transport.
    pub(crate) fn filler(&mut self, now: Time, bytes: Bytes, recorder: &mut FlowRecorder<'_>) -> Packet<Payload> {
        let number = self.filler_packets;
        self.filler_packets += 1;
        let packet = self.packet(now, number, bytes, None);
        recorder.on_packet_sent(now, &packet);
        packet
    }

    fn packet(&self, now: Time, id: u64, bytes: Bytes, payload: Payload) -> Packet<Payload> {
        let (flow, user) = (self.id, self.config.user);
        Packet {
            id,
            flow,
            user,
            bytes,
            sent_at: now,
            queued_at: now,
            direction: Direction::Down,
            hop: 0,
            marks: Marks::default(),
            payload,
        }
    }

    /// Starts or stops the flow and handles the timers that are due.
    pub(crate) fn handle_timeout(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        if self.datagrams.is_some() {
            self.send_datagrams(now, recorder);
            return;
        }
        if !self.started && now >= self.switch_at {
            self.started = true;
            self.switch_at = self.config.stop;
            recorder.on_start(now, self.config.tcp.handshake);
            self.sender.open(now);
            recorder.on_event(now, &self.sender, FlowEvent::Started);
        }
        self.supply(now, recorder);
        if self.started && now >= self.switch_at {
            self.switch_at = Time::NEVER;
            self.application.stop();
            self.sender.stop(now);
            recorder.on_event(now, &self.sender, FlowEvent::Stopped);
        }
        if self.receiver.poll_timeout().is_some_and(|due| due <= now) {
            self.receiver.handle_timeout(now);
            self.send_acks(now, false, recorder);
        }
        if self.sender.poll_timeout().is_some_and(|due| due <= now) {
            self.handle_sender_timeout(now, recorder);
        }
        self.send_segments(now, recorder);
        recorder.on_limit(now, || self.limit(now));
    }

    /// Hands the data that is due to the transport.
    fn supply(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        let supplied = self.application.supply(now);
        self.sender.supply(supplied);
        if !self.application.has_downloads() || supplied.is_zero() {
            return;
        }
        recorder.on_requested(now, self.config.user, supplied);
    }

    fn handle_sender_timeout(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        let snapshot = SenderSnapshot::of(&self.sender);
        if self.sender.is_retransmission_due(now) {
            let is_held = self.holds_timeout();
            if !is_held {
                self.decide(recorder);
            }
            recorder.on_expiry(now, &self.sender, is_held);
            if is_held {
                self.sender.hold_timeout(now);
                recorder.on_sender_delta(now, &self.sender, &snapshot.delta_to(&self.sender));
                return;
            }
        }
        self.sender.handle_timeout(now);
        let delta = snapshot.delta_to(&self.sender);
        recorder.on_sender_delta(now, &self.sender, &delta);
        if delta.counts.fast_retransmits > 0 {
            recorder.on_window(now, &self.sender, FlowEvent::FastRetransmit);
        }
        if delta.counts.timeouts > 0 {
            let sequence = self.sender.acknowledged().count();
            let Statistics { segments_sent, timeouts, .. } = self.sender.statistics();
            self.undecided = Some(Timeout { sequence, transmissions_before: segments_sent, number: timeouts });
            recorder.on_timeout(now, &self.sender);
            if self.receiver.goodput().count() > sequence {
                self.settle(recorder, true);
            }
        }
    }

    /// Handles the ACKs that have reached the server.
    pub(crate) fn handle_acks(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        if self.datagrams.is_some() {
            self.receive_datagrams(now, recorder);
            return;
        }
        while let Some(lost) = self.uplink.poll_lost(now) {
            recorder.on_ack_lost(&lost);
        }
        while let Some(ack) = self.uplink.poll_packet(now) {
            recorder.on_ack_comes(now, &ack);
            if recorder.wants_sender() {
                self.handle_and_record(now, &ack, recorder);
            } else {
                self.sender.handle_packet(now, &ack);
                recorder.on_ack_arrived(self.sender.take_rtt_sample());
            }
            let acknowledged = self.sender.acknowledged().count();
            self.lost.retain(|copy| copy.sequence >= acknowledged);
            self.repeated.retain(|copy| copy.sequence >= acknowledged);
            self.send_segments(now, recorder);
        }
        if matches!(self.config.source, Source::File(_)) && self.sender.is_complete() {
            self.release();
        }
        recorder.on_limit(now, || self.limit(now));
    }

    /// Frees memory of a file that is delivered and acknowledged, since there may be thousands.
    #[cold]
    fn release(&mut self) {
        self.sender.release();
        self.downlink.release();
        self.uplink.release();
        self.lost.shrink_to_fit();
        self.repeated.shrink_to_fit();
    }

    /// Handles an ACK and records its effect.
    fn handle_and_record(&mut self, now: Time, ack: &Segment, recorder: &mut FlowRecorder<'_>) {
        let snapshot = SenderSnapshot::of(&self.sender);
        self.sender.handle_packet(now, ack);
        let rtt = self.sender.take_rtt_sample();
        recorder.on_ack_arrived(rtt);
        if let Some(rtt) = rtt {
            recorder.on_round_trip(now, rtt, &self.sender);
        }
        let delta = snapshot.delta_to(&self.sender);
        recorder.on_ack(now, ack, delta.counts.duplicate_acks > 0);
        recorder.on_sender_delta(now, &self.sender, &delta);
        recorder.on_window(now, &self.sender, delta.event());
    }

    fn send_segments(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        while let Some(segment) = self.next_segment(now, recorder) {
            let bytes = Bytes::new(u64::from(segment.length)) + self.config.tcp.header;
            if segment.retransmission {
                self.repeated.push(Copy::of(&segment));
            }
            let packet = self.packet(now, segment.transmission, bytes, Some(segment));
            recorder.on_packet_sent(now, &packet);
            self.set_out(segment);
            if self.downlink.push(now, bytes, packet) {
                recorder.on_packet_duplicated();
                self.repeated.push(Copy::of(&segment));
                self.set_out(segment);
            }
            recorder.on_held(now, || self.downlink.held_until());
        }
    }

    #[inline]
    fn next_segment(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) -> Option<Segment> {
        if !recorder.wants_events() {
            return self.sender.poll_packet(now);
        }
        let snapshot = SenderSnapshot::of(&self.sender);
        let segment = self.sender.poll_packet(now);
        recorder.on_sender_delta(now, &self.sender, &snapshot.delta_to(&self.sender));
        segment
    }

    /// Handles the packets that its wire lost before the network.
    pub(crate) fn handle_lost_packets(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        while let Some(lost) = self.downlink.poll_lost(now) {
            recorder.on_packet_lost(&lost);
            self.handle_loss(&lost.item);
        }
    }

    /// The user received `packet`; returns the bytes that are new and in order.
    pub(crate) fn handle_delivery(
        &mut self,
        now: Time,
        packet: &Packet<Payload>,
        recorder: &mut FlowRecorder<'_>,
    ) -> Bytes {
        let Some(segment) = &packet.payload else { return self.deliver_datagram(now, packet, recorder) };
        if let Some(under_way) = &mut self.under_way {
            under_way.remove(segment);
        }
        if self.undecided.is_some_and(|timeout| timeout.sequence == segment.sequence) {
            self.decide(recorder);
        }
        if self.receiver.acknowledges_first(now, segment) {
            self.receiver.handle_timeout(now);
            self.receiver.end_burst();
            self.send_acks(now, false, recorder);
        }
        recorder.on_packet_comes(now, packet);
        let before = self.receiver.goodput();
        self.receiver.handle_packet(now, segment);
        if segment.length > 0 {
            self.receiver.follow_price(now, packet.bytes, packet.marks.price);
        }
        self.send_acks(now, segment.flags.syn() && before.is_zero(), recorder);
        let fresh = self.receiver.goodput() - before;
        recorder.on_goodput(fresh);
        if self.application.on_received(now, self.receiver.goodput()) {
            self.end_download(now, recorder);
        }
        fresh
    }

    /// True while the ACK of what arrived at this moment waits for more of it.
    pub(crate) const fn holds_burst(&self) -> bool {
        self.receiver.holds_burst()
    }

    /// All packets of this moment have arrived.
    pub(crate) fn end_burst(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        self.receiver.end_burst();
        self.send_acks(now, false, recorder);
    }

    /// All of a file or page has arrived.
    fn end_download(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        recorder.on_downloaded(now);
        if self.config.source.has_pauses() {
            recorder.on_limit(now, || self.limit(now));
        } else {
            recorder.on_completed(now, &self.sender);
        }
    }

    /// Sends the ACKs that are due; `opens` if they answer a SYN.
    fn send_acks(&mut self, now: Time, opens: bool, recorder: &mut FlowRecorder<'_>) {
        while let Some(ack) = self.receiver.poll_packet(now) {
            let bytes = self.config.tcp.ack + self.option_bytes(&ack);
            recorder.on_ack_sent(now, &ack, opens);
            if self.uplink.push(now, bytes, ack) {
                recorder.on_ack_duplicated();
            }
            recorder.on_held(now, || self.uplink.held_until());
        }
    }

    /// RFC 2018 §3: kind, length and 8 bytes a block; none without blocks.
    fn option_bytes(&self, ack: &Segment) -> Bytes {
        let blocks = ack.sack().count() as u64;
        let tcp = &self.config.tcp;
        if blocks == 0 || !tcp.rules.count_option_bytes {
            Bytes::ZERO
        } else {
            Bytes::new(tcp.rules.option_header_bytes + 8 * blocks)
        }
    }

    /// A packet of this flow was lost.
    pub(crate) fn handle_loss(&mut self, packet: &Packet<Payload>) {
        if let Some(segment) = &packet.payload {
            self.lost.push(Copy::of(segment));
            if let Some(under_way) = &mut self.under_way {
                under_way.remove(segment);
            }
        } else {
            self.lose_datagram(packet.id);
        }
    }

    /// The network will duplicate packet `number` of this flow.
    pub(crate) fn handle_copy(&mut self, number: u64, payload: &Payload) {
        if let Some(segment) = payload {
            self.repeated.push(Copy::of(segment));
            self.set_out(*segment);
        } else {
            self.copy_datagram(number);
        }
    }

    /// A copy of a segment is on its way.
    #[inline]
    fn set_out(&mut self, segment: Segment) {
        if let Some(under_way) = &mut self.under_way {
            under_way.push(segment);
        }
    }

    /// Settles an open timeout by what is known now: when a copy of what it repeated arrives, the next timeout strikes or
    /// the run ends. It is spurious unless every copy sent before it was lost.
    pub(crate) fn decide(&mut self, recorder: &mut FlowRecorder<'_>) {
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

    /// The next event: a packet at the base station, an ACK at the server, or a timer.
    pub(crate) fn next_event(&self) -> Next {
        if let Some(sending) = &self.datagrams {
            return self.next_of_datagrams(sending);
        }
        let or_never = |time: Option<Time>| time.unwrap_or(Time::NEVER);
        let timers = or_never(self.sender.poll_timeout()).min(or_never(self.receiver.poll_timeout()));
        let (arrival, ack) = (self.downlink.poll_timeout(), self.uplink.poll_timeout());
        let timers = timers.min(self.switch_at).min(self.application.poll_timeout());
        Next::of([or_never(arrival), or_never(ack), timers])
    }

    /// The sender's counts so far.
    pub(crate) fn statistics(&self) -> Statistics {
        self.sender.statistics()
    }

    /// What became of its packets without TCP so far.
    pub(crate) fn datagram_counts(&self) -> DatagramCounts {
        self.datagrams.as_ref().map_or(DatagramCounts::default(), |sending| sending.counts())
    }

    /// Packets of this flow that have reached the network, by what was sent, duplicated and lost on the way, and what is
    /// upstream of it.
    pub(crate) fn arrived(&self, record: &FlowRecord, upstream: u64) -> u64 {
        let (packets, sent) = (&record.counts.packets, self.sender.statistics().segments_sent);
        assert!(packets.sent == sent, "{sent} segments were sent, but {} packets", packets.sent);
        let without_tcp = self.filler_packets + self.datagrams.as_ref().map_or(0, |sending| sending.went_down());
        sent + packets.duplicated + without_tcp - packets.lost() - self.downlink.len() as u64 - upstream
    }

    /// ACKs sent + duplicated = arrived + lost + still on the wire.
    pub(crate) fn check_acks(&self, record: &FlowRecord) {
        let acks = &record.counts.acks;
        let going_up = self.uplink.len() as u64 + self.datagrams.as_ref().map_or(0, |sending| sending.going_up());
        let (came, went) = (acks.sent + acks.duplicated, acks.arrived + acks.lost() + going_up);
        assert!(came == went, "of {came} ACKs or packets going up {went} are accounted for");
    }
}
