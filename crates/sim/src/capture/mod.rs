//! Packet captures: what passes at four points of a run, in files that Wireshark, tshark and tcptrace read.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `server-SEED.pcapng` | what the server sends as it sets out, what it gets as it arrives |
//! | `queue-SEED.pcapng` | data as it reaches the base station's queue or the bottleneck, refused packets too |
//! | `user-SEED.pcapng` | what the user gets as it arrives, what it sends as it sets out |
//! | `drops-SEED.pcapng` | whatever is lost, when and where it is lost: wires, queue, air, uplink |
//!
//! Files are written while the run goes on, by whole blocks, so a run that is killed leaves files that can be read up to
//! their ends. Memory holds the headers of what is on its way and not the files. A write that fails ends the capturing
//! of its run and nothing else: the first error comes back with the result. The same seed gives the same bytes.
//!
//! | file | idea |
//! | --- | --- |
//! | `points.rs` | the four files of a run |
//! | `file.rs` | a file of whole blocks, and what is left of it after an error |
//! | `pcapng.rs` | blocks |
//! | `draft.rs` | a block while it is put together |
//! | `headers.rs` | IPv4, TCP, UDP: what a flow's packets look like |
//! | `template.rs` | headers of which a few fields change |
//! | `remark.rs` | comments on packets |
//! | `passage.rs` | what is on its way |
//!
//! It leaves out: payload (zeros, where a snap length wants bytes), PSH, and handshakes that a scenario leaves out, but for
//! three packets at its ends that tell readers the connection's options. A run that is cloned is captured no further by its
//! clone.

mod draft;
mod file;
mod headers;
mod passage;
mod pcapng;
mod points;
mod remark;
mod template;

use std::collections::VecDeque;
use std::path::PathBuf;

use airlink_model::path::Lost;
use airlink_model::probe::Departure;
use airlink_model::transport::Tcp;
use airlink_model::types::{Bytes, Direction as Way, DropReason, Packet, Time, UserId};

pub use file::CaptureError;
pub(crate) use remark::Place;

use crate::payload::Payload;
use headers::Connection;
use passage::{Passage, Travelling};
use pcapng::{Direction, Frame};
use points::{Point, Points};
use remark::{Event, Name, Remark};
use template::Header;

/// What to capture of a run.
#[derive(Clone, Debug)]
pub struct Captures {
    /// The folder of the files; it exists.
    pub folder: PathBuf,
    /// Bytes to store of each packet; none for all headers and no payload.
    pub snap: Option<u32>,
}

/// The capture of a run, if it has one. A clone has none: two runs cannot share a file.
#[derive(Default)]
pub(crate) struct Watcher(Option<Box<Capture>>);

/// What is captured, and what it takes to know a packet again.
pub(crate) struct Capture {
    points: Points,
    flows: Vec<Traced>,
    /// How packets left the base station that reach their users next.
    departures: VecDeque<Departure>,
}

/// A flow and its packets on their way.
struct Traced {
    connection: Connection,
    window: u64,
    down: Passage,
    up: Passage,
}

impl Traced {
    fn passage(&mut self, direction: Way) -> &mut Passage {
        match direction {
            Way::Down => &mut self.down,
            Way::Up => &mut self.up,
        }
    }
}

impl Clone for Watcher {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl std::fmt::Debug for Watcher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if self.0.is_some() { "captured" } else { "not captured" })
    }
}

impl Watcher {
    /// Captures `flows`, each with its user, the direction of what opens it and its TCP, in files of `seed`; `title` is their comment.
    pub(crate) fn new<'a>(
        captures: &Captures,
        seed: u64,
        title: &str,
        flows: impl Iterator<Item = (UserId, Way, &'a Tcp)>,
    ) -> Self {
        let traced = |(flow, (user, opener, tcp)): (usize, (UserId, Way, &Tcp))| Traced {
            connection: Connection::new(flow, user, opener, tcp),
            window: tcp.first_window().count(),
            down: Passage::default(),
            up: Passage::default(),
        };
        Self(Some(Box::new(Capture {
            points: Points::new(captures, seed, title),
            flows: flows.enumerate().map(traced).collect(),
            departures: VecDeque::new(),
        })))
    }

    /// Whether there is a capture.
    #[inline]
    pub(crate) const fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// The capture, if there is one.
    #[inline]
    pub(crate) fn get(&mut self) -> Option<&mut Capture> {
        self.0.as_deref_mut()
    }

    /// Writes what is gathered, so that it is there whatever happens to the run.
    pub(crate) fn flush(&mut self) {
        if let Some(capture) = self.get() {
            capture.points.flush();
        }
    }

    /// Ends the files, and tells what went wrong with one.
    pub(crate) fn finish(&mut self) -> Option<CaptureError> {
        self.0.take().and_then(|capture| capture.points.finish())
    }
}

/// At either end.
impl Capture {
    /// A flow starts; `simulated` if its handshake follows.
    pub(crate) fn on_start(&mut self, now: Time, flow: usize, simulated: bool) {
        if simulated {
            return;
        }
        let traced = &self.flows[flow];
        let (opener, headers) = traced.connection.handshake(now, traced.window);
        for (number, header) in headers.iter().enumerate() {
            let way = if number == 1 { opener.opposite() } else { opener };
            let id = packet_id(flow, way, MADE_UP + number as u64);
            for (point, direction) in [(start_of(way), Direction::Outbound), (end_of(way), Direction::Inbound)] {
                self.points.add(point, &frame(now, id, direction, header, Remark::MadeUp));
            }
        }
    }

    /// A packet sets out; `opens` if it answers a SYN.
    pub(crate) fn on_sent(&mut self, now: Time, packet: &Packet<Payload>, opens: bool) {
        let (flow, way) = (packet.flow.index(), packet.direction);
        let traced = &mut self.flows[flow];
        let mut header = match packet.payload.carried() {
            Some(carried) => traced.connection.segment(way, &carried.segment(), opens, packet.id),
            None => traced.connection.datagram(way, packet.bytes.count(), packet.id),
        };
        header.set_ecn(packet.marks.ecn);
        let name = if has_name(way, &header) { Name::new(flow, packet.id) } else { Name::NONE };
        let travelling = traced.passage(way).set_out(packet.id, header, name);
        let seen = passing(now, packet, Direction::Outbound, travelling, Event::Passes);
        self.points.add(start_of(way), &seen);
    }

    /// A wire, wherever it is, will duplicate packet `number` of that direction.
    pub(crate) fn on_duplicated(&mut self, flow: usize, direction: Way, number: u64) {
        self.flows[flow].passage(direction).duplicate(number);
    }

    /// A wire lost a packet.
    pub(crate) fn on_wire_loss(&mut self, lost: &Lost<Packet<Payload>>) {
        let place = if lost.item.direction == Way::Up { Place::Uplink } else { Place::Wire };
        self.on_lost(lost.at, &lost.item, place, lost.reason);
    }

    /// A packet arrives.
    pub(crate) fn on_arrival(&mut self, now: Time, packet: &Packet<Payload>) {
        let event = match packet.direction {
            Way::Up => Event::Passes,
            Way::Down => self.departures.pop_front().map_or(Event::Passes, |departure| Event::Carried {
                slot: departure.last_slot,
                attempts: departure.attempts,
                queueing: departure.at.since(departure.queued_at),
            }),
        };
        self.on_end(end_of(packet.direction), now, packet, event);
    }
}

/// In the network.
impl Capture {
    /// A packet entered the queue, which now holds so many packets and bytes.
    pub(crate) fn on_queued<P>(&mut self, now: Time, packet: &Packet<P>, packets: u64, bytes: Bytes) {
        self.pass_queue(now, packet, Event::Queued { packets, bytes });
    }

    /// A packet was refused at the queue.
    pub(crate) fn on_refused<P>(&mut self, now: Time, packet: &Packet<P>, reason: DropReason) {
        self.pass_queue(now, packet, Event::Lost { place: Place::Queue, reason });
        self.on_lost(now, packet, Place::Queue, reason);
    }

    /// A packet left the cell: lost, or about to be handed to its user.
    pub(crate) fn on_departure<P>(&mut self, packet: &Packet<P>, departure: &Departure) {
        let Some(reason) = departure.dropped else {
            self.departures.push_back(*departure);
            return;
        };
        let event = match reason {
            DropReason::Aqm => Event::Lost { place: Place::Queue, reason },
            _ => Event::LostOnAir { slot: departure.last_slot, attempts: departure.attempts, reason },
        };
        self.on_end(Point::Drops, departure.at, packet, event);
    }

    /// A wire lost a packet.
    pub(crate) fn on_lost<P>(&mut self, now: Time, packet: &Packet<P>, place: Place, reason: DropReason) {
        self.on_end(Point::Drops, now, packet, Event::Lost { place, reason });
    }

    fn pass_queue<P>(&mut self, now: Time, packet: &Packet<P>, event: Event) {
        let travelling = self.flows[packet.flow.index()].passage(packet.direction).seen(packet.id, packet.marks.ecn);
        self.points.add(Point::Queue, &passing(now, packet, Direction::Inbound, travelling, event));
    }

    /// A packet is seen at `point` and nowhere after.
    fn on_end<P>(&mut self, point: Point, now: Time, packet: &Packet<P>, event: Event) {
        let passage = self.flows[packet.flow.index()].passage(packet.direction);
        let travelling = passage.seen(packet.id, packet.marks.ecn);
        self.points.add(point, &passing(now, packet, Direction::Inbound, travelling, event));
        passage.end(packet.id);
    }
}

/// Numbers of packets that no model sent.
const MADE_UP: u64 = (1 << 39) - 3;

/// A number for a packet of `flow`: the flow in the upper 24 bits, then whether it goes up, then its number.
const fn packet_id(flow: usize, way: Way, number: u64) -> u64 {
    (flow as u64) << 40 | (way as u64) << 39 | number
}

/// Where packets of a direction set out.
const fn start_of(way: Way) -> Point {
    match way {
        Way::Down => Point::Server,
        Way::Up => Point::User,
    }
}

/// Where packets of a direction arrive.
const fn end_of(way: Way) -> Point {
    start_of(way.opposite())
}

/// What goes down and what carries data has words of its own, a pure ACK only when it is lost.
fn has_name(way: Way, header: &Header) -> bool {
    way == Way::Down || header.has_payload()
}

/// A packet where it passes or ends.
fn passing<'a, P>(
    now: Time,
    packet: &Packet<P>,
    direction: Direction,
    seen: &'a Travelling,
    event: Event,
) -> Frame<'a> {
    let Travelling { header, name, .. } = seen;
    let (flow, way) = (packet.flow.index(), packet.direction);
    let remark = match event {
        _ if has_name(way, header) => Remark::Data { name, event },
        Event::Lost { reason, .. } => Remark::AckLost { flow, reason },
        _ => Remark::Nothing,
    };
    frame(now, packet_id(flow, way, packet.id), direction, header, remark)
}

fn frame<'a>(time: Time, id: u64, direction: Direction, header: &'a Header, remark: Remark<'a>) -> Frame<'a> {
    Frame { time, id, direction, header, remark }
}
