//! Who hears of a run's events beside counts: series, captures, the accounts of waiting, and summaries of spans.
//!
//! Mostly nobody does but the summaries, which is one flag.

use airlink_model::probe::Departure;
use airlink_model::types::{Bytes, DropReason, Packet, Time};

use super::limits::Limits;
use super::series::{AllSeries, PacketLeft};
use crate::capture::Watcher;
use crate::payload::Payload;

/// What is recorded because somebody asked for it.
#[derive(Clone, Debug)]
pub(crate) struct AskedFor {
    /// Whether anything is.
    pub(super) any: bool,
    /// Spans of time and gaps are summarized; false where nobody looks at the result.
    pub(crate) summaries: bool,
    pub(crate) series: AllSeries,
    pub(crate) capture: Watcher,
    /// Only with `limits` or `waits`.
    pub(super) limits: Option<Box<Limits>>,
}

impl AskedFor {
    pub(super) fn new(series: AllSeries) -> Self {
        Self { any: series.is_any(), summaries: true, series, capture: Watcher::default(), limits: None }
    }

    /// Packets are captured from now on.
    pub(crate) fn capture(&mut self, capture: Watcher) {
        (self.any, self.capture) = (true, capture);
    }

    /// Accounts are kept from now on.
    pub(crate) fn account(&mut self, limits: Limits) {
        (self.any, self.limits) = (true, Some(Box::new(limits)));
    }

    /// A packet left its sender.
    #[inline(never)]
    pub(super) fn on_packet_sent(&mut self, now: Time, packet: &Packet<Payload>, opens: bool) {
        self.series.on_packet_sent(now, packet);
        if let Some(capture) = self.capture.get() {
            capture.on_sent(now, packet, opens);
        }
    }

    /// A packet entered the queue of the network, which now holds so many packets and bytes.
    #[inline(never)]
    pub(super) fn on_queued<P>(&mut self, now: Time, packet: &Packet<P>, packets: u64, bytes: Bytes) {
        self.series.on_packet_queued(now, packet.flow.index(), packet.id);
        if let Some(limits) = &mut self.limits {
            limits.on_queued(packet.flow.index(), now);
        }
        self.series.on_queue(now, packet.user, packets, bytes);
        if let Some(capture) = self.capture.get() {
            capture.on_queued(now, packet, packets, bytes);
        }
    }

    /// A packet came out of a bottleneck's wire.
    #[inline(never)]
    pub(super) fn on_arrived<P>(&mut self, now: Time, packet: &Packet<P>) {
        self.series.on_packet_left(now, packet.flow.index(), &left(packet, None));
    }

    /// A packet left the cell, in which so many packets and bytes of its user remain.
    #[inline(never)]
    pub(super) fn on_departure<P>(&mut self, packet: &Packet<P>, departure: &Departure, packets: u64, bytes: Bytes) {
        let Departure { at, dropped, attempts, .. } = *departure;
        self.series.on_packet_left(at, packet.flow.index(), &PacketLeft { attempts, ..left(packet, dropped) });
        if let Some(limits) = &mut self.limits {
            limits.on_departure(packet.flow.index(), at, dropped.is_some());
        }
        self.series.on_queue(at, packet.user, packets, bytes);
        if let Some(capture) = self.capture.get() {
            capture.on_departure(packet, departure);
        }
    }
}

/// How a packet without an air ended.
pub(super) fn left<P>(packet: &Packet<P>, dropped: Option<DropReason>) -> PacketLeft {
    let is_marked = packet.marks.has_ce();
    PacketLeft { number: packet.id, direction: packet.direction, dropped, attempts: 0, is_marked }
}
