//! Records of a run: summaries always, series when asked for.
//!
//! Counters run from the start; what was counted before the warm-up's end is subtracted. Distributions are
//! emptied there. It leaves out: statistics over replicas and everything that needs a formula of more than a line.

mod about;
mod counts;
mod datagrams;
mod declarations;
mod distribution;
mod downloads;
mod flow_event;
mod flow_recorder;
mod gaps;
mod grants;
mod hops;
mod limits;
mod on_use;
mod outer_loop;
mod passed;
mod sender_delta;
mod series;
mod summary;

pub use declarations::declarations;
pub use series::{RecordKind, Recorded};

pub(crate) use counts::{FlowCounts, MarkCounts, UserCounts};
pub(crate) use datagrams::{DatagramCounts, DatagramDelays};
pub(crate) use distribution::Distribution;
pub(crate) use downloads::Downloads;
pub(crate) use flow_event::FlowEvent;
pub(crate) use flow_recorder::FlowRecorder;
pub(crate) use gaps::Gaps;
use grants::{CarrierCounts, Occupied};
pub(crate) use hops::HopRecord;
pub(crate) use limits::{Cause, Limits, Span, Standing};
pub(crate) use on_use::Records;
pub(crate) use sender_delta::{SenderDelta, SenderSnapshot};
pub(crate) use series::{AckHeard, AllSeries, HopRow, take_out_of_memory};
pub(crate) use summary::{FlowEnd, FlowTraits, RunEnd, TableLayout, UserEnd, add_download_columns, tables};

use airlink_model::path::Sent;
use airlink_model::probe::{CarrierRecord, Departure, GrantRecord, Probe, Service, SlotRecord};
use airlink_model::types::{Bytes, Direction, DropReason, FlowId, MarkRecord, Packet, Slot, Time, UserId};

use crate::capture::{Place, Watcher};
use limits::{Shares, Told};
use series::{Asks, PacketLeft, Setting};

/// The recorder of one run.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    pub(crate) users: Records<UserRecord>,
    pub(crate) flows: Records<FlowRecord>,
    pub(crate) cell: CellRecord,
    pub(crate) series: AllSeries,
    pub(crate) downloads: Downloads,
    pub(crate) capture: Watcher,
    /// Only if they are asked for.
    pub(crate) limits: Option<Box<Limits>>,
}

/// Slots of the cell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellRecord {
    pub(crate) slots: u64,
    pub(crate) idle: u64,
    /// Of these, those without downlink.
    pub(crate) passed: u64,
    carrier: CarrierCounts,
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

/// The record of a user.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserRecord {
    pub(crate) counts: UserCounts,
    pub(crate) before_warmup: UserCounts,
    pub(crate) head_of_line: Distribution,
    pub(crate) queueing: Distribution,
    pub(crate) gaps: Gaps,
    occupied: Occupied,
}

/// The record of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowRecord {
    pub(crate) counts: FlowCounts,
    pub(crate) before_warmup: FlowCounts,
    pub(crate) rtt: Distribution,
    pub(crate) completed_at: Option<Time>,
    /// Only without TCP.
    pub(crate) delays: Option<Box<DatagramDelays>>,
}

impl Recorder {
    pub(crate) fn new(users: usize, flows: usize, kinds: &[RecordKind], has_subchannels: bool) -> Self {
        Self {
            users: Records::new(users),
            flows: Records::new(flows),
            cell: CellRecord::default(),
            series: AllSeries::new(kinds, Setting { users, flows, has_subchannels }),
            downloads: Downloads::new(flows),
            capture: Watcher::default(),
            limits: None,
        }
    }

    /// Splits off the records so far; this recorder goes on with counts and downloads only.
    pub(crate) fn split_off(&mut self) -> Self {
        let kinds: &[RecordKind] = if self.series.wants_downloads() { &[RecordKind::Downloads] } else { &[] };
        let series = AllSeries::new(kinds, Setting { flows: self.flows.len(), ..Setting::default() });
        let series = std::mem::replace(&mut self.series, series);
        let capture = std::mem::take(&mut self.capture);
        Self { series, capture, limits: self.limits.take(), ..self.clone() }
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
        self.series.start_measuring();
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
    pub(crate) fn on_sent(&mut self, sent: &Sent, packets: u64, bytes: Bytes) {
        self.users.get_mut(sent.user.index()).queueing.add(sent.at.since(sent.queued_at));
        self.series.on_queue(sent.at, sent.user, packets, bytes);
    }

    /// A packet was dropped at the head of a bottleneck's queue, which now holds so many packets and bytes.
    pub(crate) fn on_left_queue(&mut self, now: Time, user: UserId, packets: u64, bytes: Bytes) {
        self.series.on_queue(now, user, packets, bytes);
    }

    /// A queue before the network wrote a congestion mark (CE) on a packet that had none.
    pub(crate) fn on_marked_before(&mut self, flow: FlowId) {
        self.flows.get_mut(flow.index()).counts.marks.set += 1;
    }

    /// A bottleneck serves or holds the packet that it took in last until then.
    pub(crate) fn on_held(&mut self, now: Time, flow: FlowId, until: Time) {
        if let Some(limits) = &mut self.limits {
            limits.on_bottleneck(flow.index(), now, until);
        }
    }

    /// A bottleneck's wire will duplicate a packet.
    pub(crate) fn on_duplicated(&mut self, duplicated: &Duplicated) {
        self.users.get_mut(duplicated.user.index()).counts.passed.on_duplicated(duplicated.bytes);
        self.flows.get_mut(duplicated.flow.index()).counts.marks.duplicated += u64::from(duplicated.carries_mark);
        if let Some(limits) = &mut self.limits {
            limits.on_duplicated(duplicated.flow.index());
        }
        if let Some(capture) = self.capture.get() {
            capture.on_duplicated(duplicated.flow.index(), Direction::Down, duplicated.id);
        }
    }

    /// A packet has come out of a bottleneck's wire.
    pub(crate) fn on_delivered<P>(&mut self, now: Time, packet: &Packet<P>) {
        self.users.get_mut(packet.user.index()).counts.passed.on_delivery(packet.bytes);
        self.series.on_packet_left(now, packet.flow.index(), &PacketLeft::of(packet, None));
    }

    /// A bottleneck's wire has lost a packet, or its queue dropped it at the head.
    pub(crate) fn on_lost<P>(&mut self, now: Time, packet: &Packet<P>, reason: DropReason) {
        self.users.get_mut(packet.user.index()).counts.passed.on_drop(packet.bytes, reason);
        self.on_dropped(now, packet, reason);
        if let Some(capture) = self.capture.get() {
            let place = if reason == DropReason::Aqm { Place::Queue } else { Place::Wire };
            capture.on_lost(now, packet, place, reason);
        }
    }

    /// A packet in the network was dropped.
    fn on_dropped<P>(&mut self, now: Time, packet: &Packet<P>, reason: DropReason) {
        self.series.on_packet_left(now, packet.flow.index(), &PacketLeft::of(packet, Some(reason)));
        if let Some(limits) = &mut self.limits {
            limits.on_ended(packet.flow.index(), now);
        }
    }

    /// Ends the accounts of all flows at `end`, if there are any: each flow's time from `from` on, by cause, if that is wanted.
    pub(crate) fn finish_limits(&mut self, from: Time, end: Time) -> Option<Vec<Shares>> {
        let limits = self.limits.take()?;
        let shares = limits.finish(from, end, |account, piece| match account {
            Told::Limits(flow) => self.series.on_held_back(flow, piece),
            Told::Waits(flow) => self.series.on_waited(flow, piece),
        });
        self.series.wants_limits().then_some(shares)
    }
}

impl Probe for Recorder {
    fn wants_channel(&self) -> bool {
        self.series.asks(Asks::Channel)
    }

    fn on_channel(&mut self, slot: Slot, true_db: impl Iterator<Item = f32> + Clone, reported_bps: &[f32]) {
        self.series.on_channel(slot, true_db, reported_bps);
    }

    fn wants_service(&self) -> bool {
        self.limits.is_some()
    }

    fn on_service(&mut self, now: Time, user: UserId, service: Service) {
        if let Some(limits) = &mut self.limits {
            limits.on_service(now, user, service);
        }
    }

    fn wants_grants(&self) -> bool {
        self.series.asks(Asks::Grants)
    }

    fn on_grant(&mut self, grant: &GrantRecord<'_>) {
        self.users.get_mut(grant.user.index()).counts.grants.on_grant(grant);
        self.series.on_grant(grant);
    }

    fn on_passed(&mut self, _slot: Slot) {
        self.cell.passed += 1;
    }

    fn on_carrier(&mut self, record: &CarrierRecord) {
        self.cell.carrier.on_slot(record);
    }

    fn on_slot(&mut self, record: &SlotRecord) {
        self.cell.slots += u64::from(record.ordinal == 0);
        match record.winner {
            None => self.cell.idle += 1,
            Some(user) => {
                let user = self.users.get_mut(user.index());
                user.counts.on_slot(record);
                if let Some(gap) = record.gap_slots {
                    user.gaps.add(gap);
                }
            }
        }
        self.series.on_slot(record);
    }

    fn wants_marks_added(&self) -> bool {
        self.series.asks(Asks::MarksAdded)
    }

    fn on_mark_added(&mut self, record: &MarkRecord) {
        self.series.on_mark_added(record);
    }

    fn on_marked(&mut self, _now: Time, user: UserId, flow: FlowId) {
        self.users.get_mut(user.index()).counts.passed.packets_marked += 1;
        self.flows.get_mut(flow.index()).counts.marks.set += 1;
    }

    fn on_queued<P>(&mut self, now: Time, packet: &Packet<P>, packets: u64, bytes: Bytes) {
        let user = self.users.get_mut(packet.user.index());
        user.counts.passed.on_arrival(packet.bytes);
        user.occupied.on_change(now, packets);
        self.series.on_packet_queued(now, packet.flow.index(), packet.id);
        if let Some(limits) = &mut self.limits {
            limits.on_queued(packet.flow.index(), now);
        }
        self.series.on_queue(now, packet.user, packets, bytes);
        if let Some(capture) = self.capture.get() {
            capture.on_queued(now, packet, packets, bytes);
        }
    }

    fn on_refused<P>(&mut self, now: Time, packet: &Packet<P>, reason: DropReason) {
        let counts = &mut self.users.get_mut(packet.user.index()).counts;
        counts.passed.on_arrival(packet.bytes);
        counts.passed.on_drop(packet.bytes, reason);
        self.on_dropped(now, packet, reason);
        if let Some(capture) = self.capture.get() {
            capture.on_refused(now, packet, reason);
        }
    }

    fn on_departure<P>(&mut self, packet: &Packet<P>, departure: &Departure, packets: u64, bytes: Bytes) {
        let user = self.users.get_mut(packet.user.index());
        match departure.dropped {
            Some(reason) => user.counts.passed.on_drop(packet.bytes, reason),
            None => {
                user.counts.passed.on_delivery(packet.bytes);
                user.head_of_line.add(departure.at.since(departure.head_at));
                user.queueing.add(departure.at.since(departure.queued_at));
            }
        }
        let Departure { at, dropped, attempts, .. } = *departure;
        user.occupied.on_change(at, packets);
        self.series.on_packet_left(
            at,
            packet.flow.index(),
            &PacketLeft { attempts, ..PacketLeft::of(packet, dropped) },
        );
        if let Some(limits) = &mut self.limits {
            limits.on_departure(packet.flow.index(), at, dropped.is_some());
        }
        self.series.on_queue(departure.at, packet.user, packets, bytes);
        if let Some(capture) = self.capture.get() {
            capture.on_departure(packet, departure);
        }
    }
}
