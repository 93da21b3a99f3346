//! One flow: what its applications have to send, the two ends of its connection, the wires between them, and the true fate of its
//! packets.

mod ahead;
mod config;
mod counted;
mod datagrams;
mod ends;
mod fate;
mod holding;
mod limits;
mod marks;
mod next;
mod places;
mod two_ways;
mod waiting;

use std::collections::VecDeque;

use airlink_model::path::Wire;
use airlink_model::traffic::{Application, Dialogue, Exchange, Source};
use airlink_model::transport::{Flags, Receiver, Segment, Sender};
use airlink_model::types::{Bytes, Direction, FlowId, Packet, Time, UserId};

use crate::payload::{Carried, Payload};
use crate::record::{AckHeard, FlowEvent, FlowRecorder, SenderSnapshot};
use datagrams::Sending;
use ends::{End, Ends};
use fate::Fate;
use marks::MarkFates;

pub(crate) use config::FlowConfig;
pub use holding::Hold;
pub(crate) use waiting::Flow;

/// A flow in motion.
#[derive(Clone, Debug)]
pub(crate) struct RunningFlow {
    id: FlowId,
    user: UserId,
    /// Of its configuration, which stands apart: these are asked with every packet.
    header: Bytes,
    ack: Bytes,
    pub(crate) config: Box<FlowConfig>,
    started: bool,
    /// When it starts or, after that, stops; never for a flow without a transport.
    switch_at: Time,
    /// Of a download, when the server and the user next act by themselves, the one's start and the other's wishes included.
    timers: [Time; 2],
    application: Application,
    /// Of a flow with data both ways, in the place of `application`.
    dialogue: Option<Box<Dialogue>>,
    ends: Ends,
    pub(crate) downlink: Wire<Packet<Payload>>,
    uplink: Wire<Packet<Payload>>,
    /// Packets of the user that have yet to enter the first hop of their path, or to ask for a grant.
    leaving: VecDeque<Packet<Payload>>,
    /// Where packets stood that have ended: the next ones are written there, in memory that is still near.
    spare: Vec<Packet<Payload>>,
    fate: Fate,
    marks: MarkFates,
    /// Packets that the server and the user sent, with and without a transport.
    numbers: [u64; 2],
    filler_packets: u64,
    /// Only without TCP.
    datagrams: Option<Box<Sending>>,
    /// One end sends and the other acknowledges, over wires alone: what else may act next need not be asked.
    is_download: bool,
    /// Nothing is to be done around its ACKs.
    is_plain: bool,
    /// Of its configuration: asked with every packet.
    has_ecn: bool,
    /// Its packets pass hops, either way, or wait for grants.
    pub(crate) passes_hops: bool,
    /// Its server, which goes ahead (`FlowConfig::goes_ahead`), is ahead now: no ACK waits for its turn.
    pub(crate) is_ahead: bool,
    /// Its server goes ahead, and what it sends reaches the network at the same moment: then in the turn of the ACK that let it go.
    reaches_at_once: bool,
    /// Its user has heard of a packet since the flow was planned.
    pub(crate) has_heard: bool,
    /// An answer has ended, of which a browser waits to hear.
    has_answered: bool,
}

impl RunningFlow {
    fn new(id: FlowId, config: Box<FlowConfig>) -> Self {
        Self {
            id,
            user: config.user,
            header: config.tcp.header,
            ack: config.tcp.ack,
            started: false,
            switch_at: config.starts_at(),
            timers: [config.starts_at(), Time::NEVER],
            application: Application::new(config.source.clone(), config.start),
            dialogue: config.source.dialogue(config.start).map(Box::new),
            ends: Ends::new(&config),
            downlink: Wire::new(config.downlink, config.downlink_impairments.as_deref().cloned()),
            uplink: Wire::new(config.uplink, config.uplink_impairments.as_deref().cloned()),
            leaving: VecDeque::new(),
            spare: Vec::new(),
            fate: Fate::new(config.hold != Hold::Off),
            marks: MarkFates::default(),
            numbers: [0; 2],
            filler_packets: 0,
            datagrams: Sending::of(&config),
            is_download: config.is_download() && !config.has_endpoints(),
            is_plain: config.is_plain(),
            has_ecn: config.has_ecn(),
            passes_hops: config.passes_hops(),
            is_ahead: config.goes_ahead,
            reaches_at_once: config.goes_ahead && config.reaches_at_once(),
            has_heard: false,
            has_answered: false,
            config,
        }
    }

    /// Starts a flow that waits to be asked, if it has not started, and has the server send `bytes` at `at`; of a flow with data
    /// both ways as the answer to a request.
    pub(crate) fn ask(&mut self, at: Time, bytes: Bytes) {
        if let Source::Exchanges(request) = self.config.source {
            return self.ask_exchange(at, Exchange::download(request, bytes));
        }
        self.start_by(at);
        self.application.ask(at, bytes);
    }

    fn start_by(&mut self, at: Time) {
        if !self.started {
            self.switch_at = self.switch_at.min(at);
        }
    }

    /// The next packet of a flow without a transport.
    pub(crate) fn filler(&mut self, now: Time, bytes: Bytes, recorder: &mut FlowRecorder<'_>) -> Packet<Payload> {
        self.filler_packets += 1;
        let packet = self.packet_alone(now, Direction::Down, bytes);
        recorder.on_packet_sent(now, &packet, false);
        recorder.on_data_sent(now, Direction::Down);
        packet
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
            self.open(now);
            recorder.on_event(now, self.ends.acknowledged(), FlowEvent::Started);
        }
        self.supply(now, recorder);
        if self.started && now >= self.switch_at {
            self.switch_at = Time::NEVER;
            self.stop(now);
            recorder.on_event(now, self.ends.acknowledged(), FlowEvent::Stopped);
        }
        self.handle_timers(now, Direction::Up, recorder);
        self.handle_timers(now, Direction::Down, recorder);
        self.send(now, Direction::Down, recorder);
        recorder.on_limit(now, || self.limit(now));
    }

    fn open(&mut self, now: Time) {
        match self.ends.at_start_of(Direction::Down) {
            End::Sends(sender) => sender.open(now),
            End::Receives(_) | End::Both(_) => self.open_both(now),
        }
    }

    /// No new data is sent from now on.
    fn stop(&mut self, now: Time) {
        self.application.stop();
        match self.ends.at_start_of(Direction::Down) {
            End::Sends(sender) => sender.stop(now),
            End::Receives(_) | End::Both(_) => self.stop_both(now),
        }
    }

    /// Hands the data that is due to the transport.
    fn supply(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        let End::Sends(sender) = self.ends.at_start_of(Direction::Down) else {
            return self.supply_both(now, recorder);
        };
        let supplied = self.application.supply(now);
        sender.supply(supplied);
        if !self.application.has_downloads() || supplied.is_zero() {
            return;
        }
        recorder.on_requested(now, self.config.user, supplied);
    }

    /// Handles the timers of the end that sends packets of `direction`.
    fn handle_timers(&mut self, now: Time, direction: Direction, recorder: &mut FlowRecorder<'_>) {
        match self.ends.at_start_of(direction) {
            End::Sends(sender) => {
                if sender.poll_timeout().is_some_and(|due| due <= now) {
                    self.handle_sender_timeout(now, recorder);
                }
            }
            End::Receives(receiver) => {
                if receiver.poll_timeout().is_some_and(|due| due <= now) {
                    receiver.handle_timeout(now);
                    self.send_up(now, false, recorder);
                }
            }
            End::Both(_) => self.handle_timers_of_both(now, direction, recorder),
        }
    }

    fn handle_sender_timeout(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        let is_due = self.ends.sender().is_some_and(|sender| sender.is_retransmission_due(now));
        let is_held = is_due && self.holds_timeout();
        let End::Sends(sender) = self.ends.at_start_of(Direction::Down) else { return };
        let snapshot = SenderSnapshot::of(sender);
        if is_due {
            if !is_held {
                self.fate.decide(recorder);
            }
            recorder.on_expiry(now, sender, is_held);
            if is_held {
                sender.hold_timeout(now);
                recorder.on_sender_delta(now, sender, &snapshot.delta_to(sender));
                return;
            }
        }
        sender.handle_timeout(now);
        self.after_timeout(now, &snapshot, recorder);
    }

    /// Records what a timer did to the server's sender.
    fn after_timeout(&mut self, now: Time, before: &SenderSnapshot, recorder: &mut FlowRecorder<'_>) {
        let Some(sender) = self.ends.sender() else { return };
        let delta = before.delta_to(sender);
        recorder.on_sender_delta(now, sender, &delta);
        if delta.counts.fast_retransmits > 0 {
            recorder.on_window(now, sender, FlowEvent::FastRetransmit);
        }
        if delta.counts.timeouts > 0 {
            recorder.on_timeout(now, sender, self.ends.data());
            self.fate.on_timeout(sender, self.ends.goodput().count(), recorder);
        }
    }

    /// Handles the packets that have reached the server.
    pub(crate) fn handle_acks(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        if self.datagrams.is_some() {
            self.receive_datagrams(now, recorder);
            return;
        }
        if !self.is_plain && self.uplink.is_impaired() {
            self.handle_lost_packets(now, Direction::Up, recorder);
        }
        while let Some(packet) = self.uplink.poll_packet(now) {
            self.handle_ack(now, packet, recorder);
        }
        if !self.is_plain {
            self.end_of_acks(now, recorder);
        }
        recorder.on_limit(now, || self.limit(now));
    }

    // Not in the loop: compilers take what stays the same in a loop out of it, which costs more than a loop of one packet.
    /// Handles one of them.
    #[inline(never)]
    fn handle_ack(&mut self, now: Time, packet: Packet<Payload>, recorder: &mut FlowRecorder<'_>) {
        self.marks.on_received(packet.marks);
        let Some(carried) = packet.payload.carried() else { return };
        let End::Sends(sender) = self.ends.at_start_of(Direction::Down) else {
            self.handle_both(now, &packet, &carried.segment(), recorder);
            return;
        };
        recorder.on_packet_comes(now, &packet);
        if recorder.wants_sender() {
            handle_and_record(now, sender, &carried.segment(), recorder);
        } else {
            if !sender.handle_usual(now, &carried.acknowledgment()) {
                sender.handle_packet(now, &carried.segment());
            }
            recorder.on_ack_arrived(sender.take_rtt_sample());
        }
        self.fate.on_acknowledged(sender.acknowledged().count());
        self.keep(packet);
        self.send_down(now, recorder);
    }

    /// What has reached the server at this moment is taken in.
    #[inline(never)]
    fn end_of_acks(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        if matches!(self.ends.at_start_of(Direction::Down), End::Both(_)) {
            self.end_burst_at_server(now, recorder);
        }
        if matches!(self.config.source, Source::File(_)) && self.ends.sender().is_some_and(Sender::is_complete) {
            self.release();
        }
    }

    /// Frees memory of a file that is delivered and acknowledged, since there may be thousands.
    #[cold]
    fn release(&mut self) {
        if let End::Sends(sender) = self.ends.at_start_of(Direction::Down) {
            sender.release();
        }
        self.downlink.release();
        self.uplink.release();
        self.spare = Vec::new();
        self.fate.release();
    }

    /// Sends what the end has that sends packets of `direction`.
    #[inline]
    fn send(&mut self, now: Time, direction: Direction, recorder: &mut FlowRecorder<'_>) {
        match direction {
            Direction::Down => self.send_any(now, Direction::Down, false, recorder),
            Direction::Up => self.send_up(now, false, recorder),
        }
    }

    // One function for each direction, with all that follows in it: the direction is known when it is compiled.
    /// Sends what the server has, after an ACK.
    #[inline(always)]
    fn send_down(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        while let End::Sends(sender) = self.ends.at_start_of(Direction::Down)
            && sender.is_clear()
        {
            if !sender.has_clear_room() {
                return sender.end_clear_burst(now);
            }
            let segment = sender.send_clear(now);
            self.send_packet(now, Direction::Down, segment, false, recorder);
        }
        self.send_any(now, Direction::Down, false, recorder);
    }

    /// Sends what the user has, in a download an ACK that is due; `opens` if it answers a SYN.
    #[inline(always)]
    fn send_up(&mut self, now: Time, opens: bool, recorder: &mut FlowRecorder<'_>) {
        if !matches!(self.ends.at_start_of(Direction::Up), End::Receives(receiver) if !receiver.may_send()) {
            self.send_due_up(now, opens, recorder);
        }
    }

    #[inline(never)]
    fn send_due_up(&mut self, now: Time, opens: bool, recorder: &mut FlowRecorder<'_>) {
        if let End::Receives(receiver) = self.ends.at_start_of(Direction::Up)
            && receiver.has_simple_ack()
        {
            // It covers all that waits.
            let ack = receiver.next_simple_ack(now);
            return self.send_packet(now, Direction::Up, ack, opens, recorder);
        }
        self.send_any(now, Direction::Up, opens, recorder);
    }

    /// The same whatever the end is, and whatever is recorded of it.
    #[inline(never)]
    fn send_any(&mut self, now: Time, direction: Direction, opens: bool, recorder: &mut FlowRecorder<'_>) {
        while let Some(segment) = self.next_segment(now, direction, recorder) {
            self.send_packet(now, direction, segment, opens, recorder);
        }
    }

    fn next_segment(&mut self, now: Time, direction: Direction, recorder: &mut FlowRecorder<'_>) -> Option<Segment> {
        match self.ends.at_start_of(direction) {
            End::Sends(sender) => {
                if !recorder.wants_events() {
                    return sender.poll_packet(now);
                }
                let snapshot = SenderSnapshot::of(sender);
                let segment = sender.poll_packet(now);
                recorder.on_sender_delta(now, sender, &snapshot.delta_to(sender));
                segment
            }
            End::Receives(receiver) => receiver.poll_packet(now),
            End::Both(_) => self.next_of_both(now, direction, recorder),
        }
    }

    /// Puts a segment on its wire: the one place where packets of either direction set out. `opens` if it answers a SYN without being
    /// one. What is rare reads copies, so that a usual segment is never written to memory but in its packet.
    #[inline(always)]
    fn send_packet(
        &mut self,
        now: Time,
        direction: Direction,
        mut segment: Segment,
        opens: bool,
        recorder: &mut FlowRecorder<'_>,
    ) {
        // Only captures show the flag.
        if recorder.is_captured() && self.ends.is_last(direction, &{ segment }) {
            segment.flags |= Flags::PSH;
        }
        let is_pure_ack = segment.flags.ack() && segment.is_empty();
        let bytes = if is_pure_ack {
            if segment.has_sack() { self.ack + self.config.option_bytes(&{ segment }) } else { self.ack }
        } else {
            Bytes::new(u64::from(segment.length)) + self.header
        };
        let has_fate = direction == self.ends.data() && !is_pure_ack;
        if has_fate {
            self.fate.on_sent(&segment);
        }
        if !is_pure_ack {
            recorder.on_data_sent(now, direction);
        }
        let mut packet = self.packet(now, direction, bytes);
        packet.payload.hold(&segment);
        if self.has_ecn {
            packet.marks.ecn = self.ends.ecn_field(direction, &{ segment });
        }
        recorder.on_packet_sent(now, &packet, opens);
        if direction == Direction::Up && self.passes_hops && self.config.leaves_by_nodes() {
            self.leaving.push_back(packet);
            return;
        }
        let number = packet.id;
        let wire = match direction {
            Direction::Down => &mut self.downlink,
            Direction::Up => &mut self.uplink,
        };
        if wire.push(now, bytes, packet) {
            recorder.on_packet_duplicated(direction, number);
            if has_fate {
                self.fate.on_duplicated(&{ segment });
            }
        }
        recorder.on_held(now, || wire.held_until());
    }

    /// The hops of packets of `direction`, by number.
    pub(crate) fn hops(&self, direction: Direction) -> &[u8] {
        match direction {
            Direction::Down => &self.config.hops,
            Direction::Up => &self.config.uplink_hops,
        }
    }

    /// A packet of the user comes out of the last hop of its path: it goes on over the flow's own wire.
    pub(crate) fn enter_uplink(&mut self, now: Time, packet: Packet<Payload>, recorder: &mut FlowRecorder<'_>) {
        let (bytes, copy) = (packet.bytes, self.uplink.is_impaired().then(|| packet.clone()));
        let duplicated = self.uplink.push(now, bytes, packet);
        if let Some(copy) = copy.filter(|_| duplicated) {
            recorder.on_packet_duplicated(Direction::Up, copy.id);
            recorder.on_mark_duplicated(copy.marks.has_ce());
            self.handle_copy(&copy);
        }
        recorder.on_held(now, || self.uplink.held_until());
    }

    /// Handles the packets that its own wire in that direction lost.
    #[inline(never)]
    pub(crate) fn handle_lost_packets(&mut self, now: Time, direction: Direction, recorder: &mut FlowRecorder<'_>) {
        while let Some(lost) = match direction {
            Direction::Down => self.downlink.poll_lost(now),
            Direction::Up => self.uplink.poll_lost(now),
        } {
            recorder.on_packet_lost(&lost);
            self.handle_loss(&lost.item);
        }
    }

    /// The user received `packet`; returns the bytes that are new and in order.
    #[inline(always)]
    pub(crate) fn handle_delivery(
        &mut self,
        now: Time,
        packet: &Packet<Payload>,
        recorder: &mut FlowRecorder<'_>,
    ) -> Bytes {
        let Some(carried) = packet.payload.carried() else {
            return self.deliver_datagram(now, packet, recorder);
        };
        self.marks.on_received(packet.marks);
        let End::Receives(receiver) = self.ends.at_start_of(Direction::Up) else {
            return self.handle_both(now, packet, &carried.segment(), recorder);
        };
        self.fate.on_arrival(carried, recorder);
        if receiver.acknowledges_first(now, &carried.piece()) {
            receiver.handle_timeout(now);
            receiver.end_burst();
            self.send_up(now, false, recorder);
        }
        recorder.on_packet_comes(now, packet);
        let End::Receives(receiver) = self.ends.at_start_of(Direction::Up) else { return Bytes::ZERO };
        let before = receiver.goodput();
        if !receiver.handle_usual(now, carried.piece()) {
            receiver.handle_packet(now, &carried.segment());
        }
        if carried.has_data() {
            receiver.follow_marks(now, packet.bytes, packet.marks);
        }
        let goodput = receiver.goodput();
        self.send_up(now, carried.is_syn() && before.is_zero(), recorder);
        let fresh = goodput - before;
        recorder.on_goodput(fresh);
        if self.application.on_received(now, goodput) {
            self.end_download(now, recorder);
        }
        fresh
    }

    /// True while the ACK of what arrived at this moment waits for more of it.
    #[inline]
    pub(crate) fn holds_burst(&mut self) -> bool {
        match self.ends.at_start_of(Direction::Up) {
            End::Receives(receiver) => receiver.holds_burst(),
            End::Sends(_) => false,
            End::Both(endpoint) => endpoint.receiver().is_some_and(Receiver::holds_burst),
        }
    }

    /// All packets of this moment have arrived.
    pub(crate) fn end_burst(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        match self.ends.at_start_of(Direction::Up) {
            End::Receives(receiver) => receiver.end_burst(),
            End::Sends(_) => {}
            End::Both(endpoint) => {
                endpoint.receiver_mut().map(Receiver::end_burst);
            }
        }
        self.send_up(now, false, recorder);
    }

    /// All of a file or page has arrived.
    fn end_download(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        recorder.on_downloaded(now);
        if self.config.source.has_pauses() {
            recorder.on_limit(now, || self.limit(now));
        } else {
            recorder.on_completed(now, self.ends.acknowledged());
        }
    }

    /// A packet of this flow was lost.
    pub(crate) fn handle_loss(&mut self, packet: &Packet<Payload>) {
        self.marks.on_lost(packet.marks);
        if let Some(segment) = self.followed(packet.direction, &packet.payload) {
            self.fate.on_lost(&segment.segment());
        } else if !packet.payload.is_segment() {
            self.lose_datagram(packet.id);
        }
    }

    /// The network will duplicate a packet of this flow.
    pub(crate) fn handle_copy(&mut self, packet: &Packet<Payload>) {
        if let Some(segment) = self.followed(packet.direction, &packet.payload) {
            self.fate.on_duplicated(&segment.segment());
        } else if !packet.payload.is_segment() {
            self.copy_datagram(packet.id);
        }
    }

    /// The segment, if its fate is followed: all of the data's sender are but pure ACKs.
    fn followed<'a>(&self, direction: Direction, payload: &'a Payload) -> Option<&'a Carried> {
        let is_data = direction == self.ends.data();
        payload.carried().filter(|segment| is_data && !segment.is_pure_ack())
    }

    /// Settles an open timeout by what is known at the end of the run.
    pub(crate) fn decide(&mut self, recorder: &mut FlowRecorder<'_>) {
        self.fate.decide(recorder);
    }
}

/// Handles an ACK and records its effect.
fn handle_and_record(now: Time, sender: &mut Sender, ack: &Segment, recorder: &mut FlowRecorder<'_>) {
    let snapshot = SenderSnapshot::of(sender);
    sender.handle_packet(now, ack);
    let rtt = sender.take_rtt_sample();
    recorder.on_ack_arrived(rtt);
    let ack = AckHeard { segment: ack, direction: Direction::Up, is_duplicate: false };
    recorder.on_ack_effect(now, sender, &snapshot, ack, rtt);
}
