//! The hops between flows' own wires and the network, each with its flows' packets and its record.
//!
//! To a flow a hop is a part of its wire: what it drops is lost on the way, what it holds has not arrived. What comes out of a
//! hop is an arrival, at one nanosecond after those that come straight from flows' wires, by the hops' numbers.
//!
//! Left out: series of a hop's occupancy and of what it adds to marks.

use airlink_model::path::Lost;
use airlink_model::types::{Bytes, Direction, Dropped, FlowId, Packet, Rate, Time};

use crate::hop::Hop;
use crate::payload::Payload;
use crate::record::{HopRecord, HopRow};

/// A hop, and each flow's packets in it.
#[derive(Clone)]
pub(crate) struct PathHop {
    hop: Hop,
    rate: Rate,
    /// Packets in the queue or on the wire, by direction and flow.
    held: [Vec<u64>; 2],
    record: HopRecord,
    sampled: Sampled,
}

/// The queue as those find it that come, themselves included, each weighed by the time since the one before: as marks count it.
#[derive(Clone, Copy, Debug)]
struct Sampled {
    came_at: Time,
    byte_seconds: f64,
    seconds: f64,
}

impl PathHop {
    pub(crate) fn new(hop: Hop, rate: Rate, flows: usize) -> Self {
        let held = [vec![0; flows], vec![0; flows]];
        Self { hop, rate, held, record: HopRecord::default(), sampled: Sampled::since(Time::ZERO) }
    }

    /// When the next packet comes out, is lost or begins to be sent.
    pub(crate) fn poll_timeout(&self) -> Time {
        self.hop.poll_timeout()
    }

    /// Whether a push may tell that the packet will be duplicated.
    pub(crate) const fn may_duplicate(&self) -> bool {
        self.hop.may_duplicate()
    }

    /// Takes a packet in and returns until when it waits or is sent, and whether its wire will duplicate it; or gives it back.
    pub(crate) fn push(&mut self, now: Time, packet: Packet<Payload>) -> Result<(Time, bool), Dropped<Payload>> {
        self.record_sent(now);
        let (direction, flow, bytes) = (packet.direction, packet.flow.index(), packet.bytes);
        self.record.passed.on_arrival(bytes);
        let pushed = self.hop.push(now, packet);
        let duplicated = match pushed {
            Ok(duplicated) => duplicated,
            Err(dropped) => {
                self.record.passed.on_drop(bytes, dropped.reason);
                return Err(dropped);
            }
        };
        self.held[direction as usize][flow] += 1;
        if duplicated {
            self.on_duplicated(direction, flow, bytes);
        }
        let (packets, waiting) = self.hop.waiting();
        self.record.queue.on_change(now, packets, waiting);
        self.sampled.add(now, waiting);
        Ok((self.hop.held_until(), duplicated))
    }

    fn on_duplicated(&mut self, direction: Direction, flow: usize, bytes: Bytes) {
        self.held[direction as usize][flow] += 1;
        self.record.passed.on_duplicated(bytes);
    }

    /// The next packet that has come out by `now`.
    pub(crate) fn poll_packet(&mut self, now: Time) -> Option<Packet<Payload>> {
        self.record_sent(now);
        let mut packet = self.hop.poll_packet(now)?;
        self.held[packet.direction as usize][packet.flow.index()] -= 1;
        self.record.passed.on_delivery(packet.bytes);
        packet.hop += 1;
        Some(packet)
    }

    /// The next packet that the queue dropped or the wire lost by `now`.
    pub(crate) fn poll_lost(&mut self, now: Time) -> Option<Lost<Packet<Payload>>> {
        let lost = self.hop.poll_lost(now)?;
        self.held[lost.item.direction as usize][lost.item.flow.index()] -= 1;
        self.record.passed.on_drop(lost.item.bytes, lost.reason);
        let (packets, bytes) = self.hop.waiting();
        self.record.queue.on_change(now, packets, bytes);
        Some(lost)
    }

    /// The next packet of a queue with management that the wire will duplicate.
    pub(crate) fn poll_duplicated(&mut self) -> Option<Packet<Payload>> {
        let packet = self.hop.poll_duplicated()?;
        self.on_duplicated(packet.direction, packet.flow.index(), packet.bytes);
        Some(packet)
    }

    /// Takes out the marks (CE) that the queue has set since the last call: the flows of their packets.
    #[inline]
    pub(crate) fn take_marked(&mut self) -> impl Iterator<Item = FlowId> + use<> {
        let marked = self.hop.take_marked();
        self.record.passed.packets_marked += marked.len() as u64;
        marked.into_iter().map(|(_, flow)| flow)
    }

    /// Calls `of` with each packet in the queue and on the wire, those among them that are lost.
    pub(crate) fn for_each_packet(&self, of: impl FnMut(&Packet<Payload>)) {
        self.hop.for_each_packet(of);
    }

    fn record_sent(&mut self, now: Time) {
        while let Some(sent) = self.hop.pop_sent(now) {
            let (packets, bytes) = self.hop.waiting();
            self.record.on_sent(&sent);
            self.record.queue.on_change(sent.at, packets, bytes);
        }
    }

    /// Packets of a flow that are in the queue or on the wire, going this way.
    pub(crate) fn held(&self, direction: Direction, flow: usize) -> u64 {
        self.held[direction as usize][flow]
    }

    /// Packets and bytes in = delivered + dropped + in the queue or on the wire, in all and over flows.
    pub(crate) fn check_conservation(&self, number: usize) {
        let (packets, bytes) = self.hop.held();
        let waiting = self.record.passed.waiting();
        assert!(waiting == (packets, bytes.count()), "packets of hop {number} vanished: {waiting:?} are {packets}");
        let of_flows: u64 = self.held.iter().flatten().sum();
        assert!(of_flows == packets, "hop {number} holds {packets} packets, its flows have {of_flows}");
    }

    /// A measurement begins.
    pub(crate) fn start_measuring(&mut self, now: Time) {
        self.record_sent(now);
        self.record.start_measuring(now);
        self.sampled = Sampled::since(now);
    }

    /// The mean of the queue since then, bytes, as those find it that come; not a number if nobody came.
    pub(crate) fn sampled_mean_bytes(&self) -> f64 {
        self.sampled.byte_seconds / self.sampled.seconds
    }

    /// The row of hop `number` over the measured time, which ends now.
    pub(crate) fn row(&mut self, number: usize, measured_from: Time, end: Time) -> HopRow {
        self.record_sent(end);
        let (packets, bytes) = self.hop.waiting();
        self.record.queue.on_change(end, packets, bytes);
        self.record.row(number, self.hop.held().0, self.rate.bps(), end.since(measured_from))
    }
}

impl Sampled {
    const fn since(now: Time) -> Self {
        Self { came_at: now, byte_seconds: 0.0, seconds: 0.0 }
    }

    fn add(&mut self, now: Time, queue: Bytes) {
        let seconds = now.since(self.came_at).as_secs();
        self.byte_seconds += queue.count() as f64 * seconds;
        self.seconds += seconds;
        self.came_at = now;
    }
}
