//! A flow without TCP over its wires: bursts that leave when their time has come, either way, and what becomes of them.
//!
//! It leaves out: feedback of any kind, so nothing goes the other way.

use airlink_model::datagram::{Fate, Outstanding};
use airlink_model::traffic::{Burst, Datagrams, Source};
use airlink_model::types::{Bytes, Direction, Packet, Time};

use super::{FlowConfig, RunningFlow};
use crate::events::Next;
use crate::payload::Payload;
use crate::record::{Cause, DatagramCounts, FlowRecorder, Standing};

/// What a flow without TCP sends, and what of it is on its way.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    source: Datagrams,
    direction: Direction,
    next: Burst,
    /// When the next one leaves; never before the start and after the stop.
    next_at: Time,
    outstanding: Outstanding,
    counts: DatagramCounts,
}

impl Sending {
    /// None for a flow that has a TCP or no wires.
    pub(super) fn of(config: &FlowConfig) -> Option<Box<Self>> {
        let Source::Datagrams(source) = &config.source else { return None };
        let mut source = (**source).clone();
        Some(Box::new(Self {
            next: source.next_burst(),
            source,
            direction: config.direction,
            next_at: Time::NEVER,
            outstanding: Outstanding::default(),
            counts: DatagramCounts::default(),
        }))
    }

    fn poll_timeout(&self) -> Time {
        self.next_at.min(self.outstanding.poll_timeout())
    }

    /// Counts the bursts whose deadlines have passed.
    fn expire(&mut self, now: Time) {
        while self.outstanding.expire(now) {
            self.counts.bursts_missed += 1;
        }
    }

    /// A packet has come; true unless it is a further copy.
    fn on_arrival(&mut self, now: Time, packet: &Packet<Payload>, recorder: &mut FlowRecorder<'_>) -> bool {
        self.expire(now);
        let ended = self.outstanding.on_arrival(now, packet.id);
        if !ended.counts {
            self.counts.repeated += 1;
            return false;
        }
        self.counts.received += 1;
        recorder.on_datagram_arrived(now.since(packet.sent_at));
        match ended.fate {
            Some(Fate::OnTime(after)) => {
                self.counts.bursts_on_time += 1;
                recorder.on_burst_complete(now, ended.burst, after);
            }
            Some(Fate::Late(after)) => recorder.on_burst_complete(now, ended.burst, after),
            Some(Fate::Missed) => self.counts.bursts_missed += 1,
            None => {}
        }
        true
    }

    fn on_loss(&mut self, number: u64) {
        let ended = self.outstanding.on_loss(number);
        self.counts.lost += u64::from(ended.counts);
        self.counts.bursts_missed += u64::from(ended.fate.is_some());
    }
}

impl RunningFlow {
    /// Starts or stops a flow without TCP and sends what is due.
    #[cold]
    #[inline(never)]
    pub(super) fn send_datagrams(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        let Some(mut sending) = self.datagrams.take() else { return };
        if !self.started && now >= self.switch_at {
            self.started = true;
            self.switch_at = self.config.stop;
            sending.next_at = self.config.start + sending.next.after;
        }
        if self.started && now >= self.switch_at {
            self.switch_at = Time::NEVER;
            sending.next_at = Time::NEVER;
        }
        sending.expire(now);
        while sending.next_at <= now {
            self.send_burst(now, &mut sending, recorder);
            sending.next = sending.source.next_burst();
            sending.next_at = self.config.start + sending.next.after;
        }
        self.datagrams = Some(sending);
        recorder.on_limit(now, || self.datagram_limit(now));
    }

    fn send_burst(&mut self, now: Time, sending: &mut Sending, recorder: &mut FlowRecorder<'_>) {
        let burst = sending.next;
        let (number, first) = sending.outstanding.send(now, burst.packets, sending.source.deadline);
        sending.counts.bursts += 1;
        sending.counts.sent += burst.packets;
        recorder.on_burst_sent(now, number, &burst, sending.source.deadline);
        for id in first..first + burst.packets {
            let bytes = if id + 1 == first + burst.packets { burst.last } else { burst.full };
            let packet = self.packet_alone(now, sending.direction, bytes);
            assert!(packet.id == id, "all packets of a flow without TCP go one way");
            recorder.on_datagram_sent(now, &packet);
            let wire = match sending.direction {
                Direction::Down => {
                    self.filler_packets += 1;
                    &mut self.downlink
                }
                Direction::Up if self.config.leaves_by_nodes() => {
                    self.leaving.push_back(packet);
                    continue;
                }
                Direction::Up => &mut self.uplink,
            };
            if wire.push(now, bytes, packet) {
                recorder.on_packet_duplicated(sending.direction, id);
                sending.outstanding.duplicate(id);
            }
            recorder.on_held(now, || wire.held_until());
        }
    }

    /// What keeps the flow; none if nothing more will be sent and all that was has ended.
    fn datagram_limit(&self, now: Time) -> Option<Standing> {
        let is_over = self.started && self.config.stop <= now;
        let is_empty = self.datagrams.as_ref().is_some_and(|sending| sending.outstanding.is_empty());
        (!(is_over && is_empty)).then_some(Standing { cause: Cause::Application, direction: self.config.direction })
    }

    /// A packet without TCP has reached its user; returns its bytes, nothing for a further copy.
    #[cold]
    #[inline(never)]
    pub(super) fn deliver_datagram(
        &mut self,
        now: Time,
        packet: &Packet<Payload>,
        recorder: &mut FlowRecorder<'_>,
    ) -> Bytes {
        recorder.on_packet_comes(now, packet);
        let counts = match &mut self.datagrams {
            Some(sending) => {
                recorder.on_datagram_ended(now);
                sending.on_arrival(now, packet, recorder)
            }
            None => true,
        };
        let fresh = if counts { packet.bytes } else { Bytes::ZERO };
        recorder.on_goodput(fresh);
        if self.datagrams.is_some() {
            recorder.on_limit(now, || self.datagram_limit(now));
        }
        fresh
    }

    /// Handles the packets without TCP that have reached the server, or were lost on their way up.
    #[cold]
    #[inline(never)]
    pub(super) fn receive_datagrams(&mut self, now: Time, recorder: &mut FlowRecorder<'_>) {
        let Some(sending) = self.datagrams.as_deref_mut() else { return };
        while let Some(lost) = self.uplink.poll_lost(now) {
            recorder.on_packet_lost(&lost);
            sending.on_loss(lost.item.id);
        }
        while let Some(packet) = self.uplink.poll_packet(now) {
            recorder.on_datagram_came_up(now, &packet);
            if sending.on_arrival(now, &packet, recorder) {
                recorder.on_goodput_up(packet.bytes);
            }
        }
        recorder.on_limit(now, || self.datagram_limit(now));
    }

    /// The next event of a flow without TCP.
    #[cold]
    #[inline(never)]
    pub(super) fn next_of_datagrams(&self, sending: &Sending) -> Next {
        let or_never = |time: Option<Time>| time.unwrap_or(Time::NEVER);
        let arrival = or_never(self.downlink.poll_timeout());
        let arrival = self.leaving.front().map_or(arrival, |packet| arrival.min(packet.sent_at));
        Next::of([arrival, or_never(self.uplink.poll_timeout()), sending.poll_timeout().min(self.switch_at)])
    }

    /// A packet without TCP was lost.
    #[cold]
    #[inline(never)]
    pub(super) fn lose_datagram(&mut self, number: u64) {
        if let Some(sending) = &mut self.datagrams {
            sending.on_loss(number);
        }
    }

    /// The network will duplicate a packet without TCP.
    #[cold]
    pub(super) fn copy_datagram(&mut self, number: u64) {
        if let Some(sending) = &mut self.datagrams {
            sending.outstanding.duplicate(number);
        }
    }

    /// What became of its packets without TCP so far.
    pub(crate) fn datagram_counts(&self) -> DatagramCounts {
        self.datagrams.as_ref().map_or(DatagramCounts::default(), |sending| sending.counts)
    }
}
