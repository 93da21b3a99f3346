//! Series, each recorded only when asked for by kind.

mod channel;
mod expiries;
mod kind;
mod pile;
mod recorded;
mod rows;

pub use kind::RecordKind;
pub use recorded::Recorded;

pub(crate) use expiries::{Expiries, ExpiryRow};
pub(crate) use pile::{Pile, take_out_of_memory};
pub(crate) use rows::{AckRow, DownloadRow, EventRow, LimitRow, McsRow, RoundTripRow, SackRow, WindowRow};

use airlink_model::probe::{GrantRecord, SlotRecord};
use airlink_model::types::{DropReason, Packet, Priced, Slot, Time, UserId};

use crate::flow::Payload;
use channel::ChannelRows;
use rows::{Fate, GapRow, GrantRow, PacketRow, PriceRow, QueueRow, ShareRow, SlotRow};

/// All series of a run; those not asked for stay empty and cost a test.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    slots: Option<Slots>,
    grants: Option<Pile<GrantRow>>,
    pub(super) mcs: Option<Pile<McsRow>>,
    packets: Option<Pile<PacketRow>>,
    pub(super) acks: Option<Pile<AckRow>>,
    pub(super) sacks: Option<Pile<SackRow>>,
    queue: Option<Pile<QueueRow>>,
    prices: Option<Pile<PriceRow>>,
    pub(super) windows: Option<Pile<WindowRow>>,
    pub(super) round_trips: Option<Pile<RoundTripRow>>,
    events: Option<Pile<EventRow>>,
    channel: Option<ChannelRows>,
    gaps: Option<Pile<GapRow>>,
    pub(super) limits: Option<Pile<LimitRow>>,
    wants_downloads: bool,
    expiries: Option<Expiries>,
    wants_sender: bool,
    /// The row of each packet, by flow and number.
    packet_rows: Vec<Vec<u32>>,
    /// The row of each flow's latest timeout among the events.
    timeout_rows: Vec<usize>,
}

/// Slots of one carrier, or the parts that users had of them where there are several subchannels.
#[derive(Clone, Debug)]
enum Slots {
    Whole(Pile<SlotRow>),
    Shared(Pile<ShareRow>),
}

impl Slots {
    fn push(&mut self, slot: SlotRow, subchannels: u32) {
        match self {
            Self::Whole(rows) => rows.push(slot),
            Self::Shared(rows) => rows.push(ShareRow { slot, subchannels }),
        }
    }

    fn into_recorded(self) -> Recorded {
        match self {
            Self::Whole(rows) => Recorded::new(RecordKind::Slots, rows),
            Self::Shared(rows) => Recorded::new(RecordKind::Slots, rows),
        }
    }
}

impl Series {
    pub(crate) fn new(kinds: &[RecordKind], flows: usize, has_subchannels: bool) -> Self {
        use RecordKind::{
            Acks, Cwnd, Downloads, Events, Gaps, Grants, Limits, Mcs, Packets, Prices, Queue, Rtt, Sacks, Snr, Timeouts,
        };
        let wants = |kind: RecordKind| kinds.contains(&kind);
        let slots = if has_subchannels { Slots::Shared(Pile::default()) } else { Slots::Whole(Pile::default()) };
        Self {
            slots: wants(RecordKind::Slots).then_some(slots),
            grants: wants(Grants).then(Pile::default),
            mcs: wants(Mcs).then(Pile::default),
            packets: wants(Packets).then(Pile::default),
            acks: wants(Acks).then(Pile::default),
            sacks: wants(Sacks).then(Pile::default),
            queue: wants(Queue).then(Pile::default),
            prices: wants(Prices).then(Pile::default),
            windows: wants(Cwnd).then(Pile::default),
            round_trips: wants(Rtt).then(Pile::default),
            events: wants(Events).then(Pile::default),
            channel: wants(Snr).then(ChannelRows::default),
            gaps: wants(Gaps).then(Pile::default),
            limits: wants(Limits).then(Pile::default),
            wants_downloads: wants(Downloads),
            expiries: wants(Timeouts).then(|| Expiries::new(flows)),
            wants_sender: [Acks, Sacks, Cwnd, Rtt, Events].into_iter().any(wants),
            packet_rows: vec![Vec::new(); flows],
            timeout_rows: vec![0; flows],
        }
    }

    /// True if anything that a sender does at an acknowledgment is to be written down.
    pub(crate) fn wants_sender(&self) -> bool {
        self.wants_sender
    }

    pub(crate) fn wants_channel(&self) -> bool {
        self.channel.is_some()
    }

    pub(crate) fn wants_events(&self) -> bool {
        self.events.is_some()
    }

    pub(crate) fn push_event(&mut self, row: EventRow) {
        if let Some(rows) = &mut self.events {
            rows.push(row);
        }
    }

    /// A flow's timeout; whether it was spurious is written when it is known.
    pub(crate) fn push_timeout(&mut self, row: EventRow) {
        if let Some(rows) = &mut self.events {
            self.timeout_rows[row.flow as usize] = rows.len();
            rows.push(row);
        }
    }

    /// Whether a flow's latest timeout was spurious.
    pub(crate) fn settle_timeout(&mut self, flow: usize, spurious: bool) {
        if let Some(rows) = &mut self.events {
            let row = rows.get_mut(self.timeout_rows[flow]).expect("a timeout is written before it is settled");
            row.spurious = Some(spurious);
        }
        if let Some(expiries) = &mut self.expiries {
            expiries.settle(flow, spurious);
        }
    }

    pub(crate) fn wants_expiries(&self) -> bool {
        self.expiries.is_some()
    }

    pub(crate) fn push_expiry(&mut self, row: ExpiryRow) {
        if let Some(expiries) = &mut self.expiries {
            expiries.push(row);
        }
    }

    /// The expiries so far, if they are recorded.
    pub(crate) fn expiries(&self) -> Option<&Expiries> {
        self.expiries.as_ref()
    }

    /// True if the downloads, which are always written down, are wanted as a series.
    pub(crate) fn wants_downloads(&self) -> bool {
        self.wants_downloads
    }

    pub(crate) fn push_queue(&mut self, at: Time, user: UserId, packets: u64, bytes: u64) {
        if let Some(rows) = &mut self.queue {
            rows.push(QueueRow { at, user: number(user.index()), packets: packets as u32, bytes });
        }
    }

    pub(crate) fn wants_prices(&self) -> bool {
        self.prices.is_some()
    }

    pub(crate) fn push_price(&mut self, priced: &Priced) {
        if let Some(rows) = &mut self.prices {
            rows.push(PriceRow(*priced));
        }
    }

    pub(crate) fn push_slot(&mut self, record: &SlotRecord) {
        let winner = record.winner.map(|user| number(user.index()));
        if let Some(rows) = &mut self.slots {
            let row = SlotRow {
                slot: record.slot.number(),
                start: record.start,
                winner,
                rate_bps: record.rate_bps,
                granted_bits: record.granted_bits,
                sent_bytes: record.sent.count(),
                true_db: record.true_db,
                lost: record.lost,
            };
            rows.push(row, record.subchannels);
        }
        if let (Some(rows), Some(user), Some(gap_slots)) = (&mut self.gaps, winner, record.gap_slots) {
            rows.push(GapRow { user, slot: record.slot.number(), gap_slots });
        }
    }

    pub(crate) fn wants_grants(&self) -> bool {
        self.grants.is_some()
    }

    pub(crate) fn push_grant(&mut self, grant: &GrantRecord<'_>) {
        let Some(rows) = &mut self.grants else { return };
        let (slot, user) = (grant.slot.number(), number(grant.user.index()));
        for ((stretch, &subchannel), &reported_db) in
            grant.stretches.iter().zip(grant.subchannels).zip(grant.reported_db)
        {
            let (bits, true_db) = (stretch.bits, stretch.true_db);
            rows.push(GrantRow { slot, subchannel, user, bits, true_db, reported_db });
        }
    }

    pub(crate) fn push_channel(&mut self, slot: Slot, true_db: impl Iterator<Item = f32>, reported_bps: &[f32]) {
        if let Some(rows) = &mut self.channel {
            rows.push(slot, true_db, reported_bps);
        }
    }

    /// A packet left its sender; its row is completed later.
    pub(crate) fn push_packet(&mut self, now: Time, packet: &Packet<Payload>) {
        let Some(rows) = &mut self.packets else { return };
        self.packet_rows[packet.flow.index()].push(u32::try_from(rows.len()).unwrap_or(u32::MAX));
        // Packets of flows without a transport are all of one size.
        let (sequence, retransmission) = match &packet.payload {
            Some(segment) => (segment.sequence, segment.retransmission),
            None => (packet.id * packet.bytes.count(), false),
        };
        rows.push(PacketRow {
            flow: number(packet.flow.index()),
            user: number(packet.user.index()),
            sequence,
            bytes: packet.bytes.count(),
            transmission: packet.id,
            retransmission,
            sent_at: now,
            queued_at: Time::NEVER,
            ended_at: Time::NEVER,
            fate: Fate::Waiting,
            attempts: 0,
        });
    }

    fn packet_row(&mut self, flow: usize, number: u64) -> Option<&mut PacketRow> {
        let rows = self.packets.as_mut()?;
        let row = *self.packet_rows[flow].get(usize::try_from(number).ok()?)?;
        rows.get_mut(row as usize)
    }

    pub(crate) fn packet_queued(&mut self, flow: usize, number: u64, now: Time) {
        if let Some(row) = self.packet_row(flow, number) {
            row.queued_at = row.queued_at.min(now);
        }
    }

    /// A packet was delivered or dropped, never on air. Of one that was doubled, the copy counts that is delivered first.
    pub(crate) fn packet_left(&mut self, flow: usize, number: u64, now: Time, dropped: Option<DropReason>) {
        self.packet_left_air(flow, number, now, dropped, 0);
    }

    /// The same after so many attempts on air.
    pub(crate) fn packet_left_air(
        &mut self,
        flow: usize,
        number: u64,
        now: Time,
        dropped: Option<DropReason>,
        attempts: u32,
    ) {
        if let Some(row) = self.packet_row(flow, number)
            && row.fate != Fate::Delivered
        {
            row.ended_at = now;
            row.fate = fate_of(dropped);
            row.attempts = attempts;
        }
    }

    /// The series that were asked for.
    pub(crate) fn into_recorded(self) -> Vec<Recorded> {
        use RecordKind::{
            Acks, Cwnd, Events, Gaps, Grants, Limits, Mcs, Packets, Prices, Queue, Rtt, Sacks, Snr, Timeouts,
        };
        let recorded = [
            self.slots.map(Slots::into_recorded),
            self.grants.map(|rows| Recorded::new(Grants, rows)),
            self.mcs.map(|rows| Recorded::new(Mcs, rows)),
            self.packets.map(|rows| Recorded::new(Packets, rows)),
            self.acks.map(|rows| Recorded::new(Acks, rows)),
            self.sacks.map(|rows| Recorded::new(Sacks, rows)),
            self.queue.map(|rows| Recorded::new(Queue, rows)),
            self.prices.map(|rows| Recorded::new(Prices, rows)),
            self.windows.map(|rows| Recorded::new(Cwnd, rows)),
            self.round_trips.map(|rows| Recorded::new(Rtt, rows)),
            self.events.map(|rows| Recorded::new(Events, rows)),
            self.channel.map(|rows| Recorded::new(Snr, rows)),
            self.gaps.map(|rows| Recorded::new(Gaps, rows)),
            self.limits.map(|rows| Recorded::new(Limits, rows)),
            self.expiries.map(|expiries| Recorded::new(Timeouts, expiries.into_rows())),
        ];
        recorded.into_iter().flatten().collect()
    }
}

/// The series of these downloads, which are written down elsewhere.
pub(crate) fn recorded_downloads(rows: Pile<DownloadRow>) -> Recorded {
    Recorded::new(RecordKind::Downloads, rows)
}

/// A user's or flow's number; there are fewer than 2^32 of them.
pub(crate) fn number(index: usize) -> u32 {
    index as u32
}

fn fate_of(dropped: Option<DropReason>) -> Fate {
    match dropped {
        None => Fate::Delivered,
        Some(DropReason::QueueFull) => Fate::QueueFull,
        Some(DropReason::AirError) => Fate::AirError,
        Some(DropReason::RetryLimit) => Fate::RetryLimit,
        Some(DropReason::WireLoss) => Fate::WireLoss,
        Some(DropReason::Outage) => Fate::Outage,
        Some(DropReason::Aqm) => Fate::Aqm,
    }
}
