//! What a flow does, told once and written down wherever it is wanted: counters, distributions, series.

use airlink_model::path::Lost;
use airlink_model::transport::{Acknowledgment, Sender};
use airlink_model::types::{Bytes, Duration, Packet, Time};

use super::series::{RecordKind, Series};
use super::{FlowRecord, Recorder};
use crate::flow::Payload;

/// What happened to a sender, as the column `event` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SenderEvent {
    /// An ACK that did nothing more than ACKs do.
    Ack = 0,
    /// A recovery began before the timer expired.
    FastRetransmit = 2,
    /// The retransmission timer expired.
    Timeout = 3,
    /// A recovery is over.
    Recovered = 4,
}

/// Where one flow leaves what it does.
pub(crate) struct Log<'a> {
    pub(super) flow: usize,
    pub(crate) record: &'a mut FlowRecord,
    pub(super) series: &'a mut Series,
}

impl Recorder {
    /// Where `flow` leaves what it does.
    #[inline]
    pub(crate) fn log(&mut self, flow: usize) -> Log<'_> {
        Log { flow, record: &mut self.flows[flow], series: &mut self.series }
    }
}

/// At the server.
impl Log<'_> {
    /// True if more than counts is wanted of what an acknowledgment does.
    pub(crate) fn wants_sender(&self) -> bool {
        self.series.wants_sender()
    }

    /// A packet set out.
    #[inline]
    pub(crate) fn on_packet_sent(&mut self, now: Time, packet: &Packet<Payload>) {
        self.record.counts.packets.sent += u64::from(packet.payload.is_some());
        self.series.push_packet(now, packet);
    }

    /// The wire will bring it twice.
    pub(crate) fn on_packet_doubled(&mut self) {
        self.record.counts.packets.doubled += 1;
    }

    /// The wire to the network lost a packet.
    pub(crate) fn on_packet_lost(&mut self, lost: &Lost<Packet<Payload>>) {
        self.record.counts.packets.on_lost(lost.reason);
        self.series.packet_left(self.flow, lost.item.id, lost.at, Some(lost.reason));
    }

    /// An acknowledgment came in, and may have shown a round trip.
    #[inline]
    pub(crate) fn on_ack_arrived(&mut self, rtt: Option<Duration>) {
        self.record.counts.acks.arrived += 1;
        if let Some(rtt) = rtt {
            self.record.rtt.add(rtt);
        }
    }

    /// What it said.
    pub(crate) fn on_ack(&mut self, now: Time, ack: &Acknowledgment, duplicate: bool) {
        self.series.push(RecordKind::Acks, || {
            [self.flow as f64, now.as_secs(), ack.number as f64, f64::from(u8::from(duplicate))]
        });
    }

    /// The round trip that it showed, and what the sender makes of it.
    pub(crate) fn on_round_trip(&mut self, now: Time, rtt: Duration, sender: &Sender) {
        self.series.push(RecordKind::Rtt, || {
            let srtt_s = sender.srtt().map_or(f64::NAN, |srtt| srtt.as_secs());
            [self.flow as f64, now.as_secs(), rtt.as_secs(), srtt_s, sender.rto().as_secs()]
        });
    }

    /// Window, threshold, flight and timer after an event.
    pub(crate) fn on_window(&mut self, now: Time, sender: &Sender, event: SenderEvent) {
        self.series.push(RecordKind::Cwnd, || {
            [
                now.as_secs(),
                self.flow as f64,
                sender.cwnd(),
                sender.ssthresh(),
                sender.flight().count() as f64,
                sender.rto().as_secs(),
                f64::from(event as u8),
            ]
        });
    }

    /// The wire from the user lost an acknowledgment.
    pub(crate) fn on_ack_lost(&mut self, lost: &Lost<Acknowledgment>) {
        self.record.counts.acks.on_lost(lost.reason);
    }
}

/// At the user.
impl Log<'_> {
    /// Bytes reached the application.
    pub(crate) fn on_goodput(&mut self, fresh: Bytes) {
        self.record.counts.goodput_bytes += fresh.count();
    }

    /// All of a file is there; only the first time counts.
    pub(crate) fn on_completed(&mut self, now: Time) {
        self.record.completed_at.get_or_insert(now);
    }

    /// An acknowledgment set out, and may come twice.
    pub(crate) fn on_ack_sent(&mut self, doubled: bool) {
        self.record.counts.acks.sent += 1;
        self.record.counts.acks.doubled += u64::from(doubled);
    }
}
