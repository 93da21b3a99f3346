//! Series, each recorded only when asked for by kind.

use airlink_model::probe::SlotRecord;
use airlink_model::types::{DropReason, Packet, Slot, Time};

use crate::flow::Payload;
use crate::table::Table;

/// A kind of series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordKind {
    /// Every slot: who won it and what it carried.
    Slots,
    /// Every data packet from the server on.
    Packets,
    /// Every acknowledgment as it reaches the server.
    Acks,
    /// Every SACK block as it reaches the server.
    Sacks,
    /// Every change of a user's queue.
    Queue,
    /// Window, threshold, flight and timer of each sender at each event.
    Cwnd,
    /// Every unambiguous round-trip sample.
    Rtt,
    /// What befell each flow beside ACKs: its start, losses, probes, its end.
    Events,
    /// Every user's true SINR and reported rate in every slot.
    Snr,
    /// Every gap between two slots that a user won.
    Gaps,
    /// What held each flow back, interval by interval.
    Limits,
}

impl RecordKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Slots,
        Self::Packets,
        Self::Acks,
        Self::Sacks,
        Self::Queue,
        Self::Cwnd,
        Self::Rtt,
        Self::Events,
        Self::Snr,
        Self::Gaps,
        Self::Limits,
    ];

    /// The kind's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slots => "slots",
            Self::Packets => "packets",
            Self::Acks => "acks",
            Self::Sacks => "sacks",
            Self::Queue => "queue",
            Self::Cwnd => "cwnd",
            Self::Rtt => "rtt",
            Self::Events => "events",
            Self::Snr => "snr",
            Self::Gaps => "gaps",
            Self::Limits => "limits",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    const fn columns(self) -> &'static [(&'static str, Kind)] {
        use Kind::{Real, Whole};
        match self {
            Self::Slots => &[
                ("slot", Whole),
                ("time_s", Real),
                ("user", Whole),
                ("rate_bps", Real),
                ("granted_bytes", Real),
                ("sent_bytes", Whole),
                ("snr_db", Real),
                ("error", Whole),
            ],
            Self::Packets => &[
                ("flow", Whole),
                ("user", Whole),
                ("sequence", Whole),
                ("bytes", Whole),
                ("transmission", Whole),
                ("retransmission", Whole),
                ("sent_s", Real),
                ("queued_s", Real),
                ("ended_s", Real),
                ("fate", Whole),
                ("attempts", Whole),
            ],
            Self::Acks => {
                &[("flow", Whole), ("time_s", Real), ("number", Whole), ("duplicate", Whole), ("window_bytes", Whole)]
            }
            Self::Sacks => &[("flow", Whole), ("time_s", Real), ("start", Whole), ("end", Whole), ("duplicate", Whole)],
            Self::Queue => &[("time_s", Real), ("user", Whole), ("packets", Whole), ("bytes", Whole)],
            Self::Cwnd => &[
                ("time_s", Real),
                ("flow", Whole),
                ("cwnd_bytes", Real),
                ("ssthresh_bytes", Real),
                ("flight_bytes", Whole),
                ("rto_s", Real),
                ("event", Whole),
            ],
            Self::Rtt => &[("flow", Whole), ("time_s", Real), ("rtt_s", Real), ("srtt_s", Real), ("rto_s", Real)],
            Self::Events => {
                &[("flow", Whole), ("time_s", Real), ("event", Whole), ("sequence", Whole), ("spurious", Whole)]
            }
            Self::Snr => &[("slot", Whole), ("user", Whole), ("true_db", Real), ("reported_bps", Real)],
            Self::Gaps => &[("user", Whole), ("slot", Whole), ("gap_slots", Whole)],
            Self::Limits => &[("flow", Whole), ("from_s", Real), ("to_s", Real), ("cause", Whole)],
        }
    }
}

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Real,
    Whole,
}

/// The rows of one kind, value by value; whole numbers stay below 2^53 and are exact as reals.
#[derive(Clone, Debug, Default)]
struct Rows {
    values: Vec<f64>,
}

/// All series of a run; those not asked for stay empty and cost a test.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    rows: [Option<Rows>; RecordKind::ALL.len()],
    /// The row of each packet, by flow and number.
    packet_rows: Vec<Vec<u32>>,
    /// The row of each flow's latest timeout among the events.
    timeout_rows: Vec<usize>,
}

/// The fates of a packet as the column `fate` writes them; the others are in [`fate_of`].
const DELIVERED: f64 = 0.0;
const WAITING: f64 = 4.0;

impl Series {
    pub(crate) fn new(kinds: &[RecordKind], flows: usize) -> Self {
        let rows = RecordKind::ALL.map(|kind| kinds.contains(&kind).then(Rows::default));
        Self { rows, packet_rows: vec![Vec::new(); flows], timeout_rows: vec![0; flows] }
    }

    pub(crate) fn wants(&self, kind: RecordKind) -> bool {
        self.rows[kind as usize].is_some()
    }

    /// True if anything that a sender does at an acknowledgment is to be written down.
    pub(crate) fn wants_sender(&self) -> bool {
        use RecordKind::{Acks, Cwnd, Events, Rtt, Sacks};
        [Acks, Sacks, Cwnd, Rtt, Events].into_iter().any(|kind| self.wants(kind))
    }

    /// Adds a row, if its kind was asked for.
    pub(crate) fn push<const N: usize>(&mut self, kind: RecordKind, row: impl FnOnce() -> [f64; N]) {
        if let Some(rows) = &mut self.rows[kind as usize] {
            rows.values.extend_from_slice(&row());
        }
    }

    /// A flow's timeout; whether it was spurious is written when it is known.
    pub(crate) fn push_timeout(&mut self, flow: usize, row: impl FnOnce() -> [f64; 5]) {
        if let Some(rows) = &self.rows[RecordKind::Events as usize] {
            self.timeout_rows[flow] = rows.values.len() / RecordKind::Events.columns().len();
        }
        self.push(RecordKind::Events, row);
    }

    /// Whether a flow's latest timeout was spurious.
    pub(crate) fn settle_timeout(&mut self, flow: usize, spurious: bool) {
        if let Some(rows) = &mut self.rows[RecordKind::Events as usize] {
            let width = RecordKind::Events.columns().len();
            rows.values[(self.timeout_rows[flow] + 1) * width - 1] = f64::from(u8::from(spurious));
        }
    }

    pub(crate) fn push_slot(&mut self, record: &SlotRecord) {
        self.push(RecordKind::Slots, || {
            [
                record.slot.number() as f64,
                record.start.as_secs(),
                record.winner.map_or(-1.0, |user| user.index() as f64),
                record.rate_bps,
                record.granted_bits / 8.0,
                record.sent.count() as f64,
                f64::from(record.true_db),
                f64::from(u8::from(record.lost)),
            ]
        });
        if let (Some(user), Some(gap)) = (record.winner, record.gap_slots) {
            self.push(RecordKind::Gaps, || [user.index() as f64, record.slot.number() as f64, gap as f64]);
        }
    }

    pub(crate) fn push_channel(&mut self, slot: Slot, user: usize, true_db: f32, reported_bps: f32) {
        self.push(RecordKind::Snr, || [slot.number() as f64, user as f64, f64::from(true_db), f64::from(reported_bps)]);
    }

    /// A packet left its sender; its row is completed later.
    pub(crate) fn push_packet(&mut self, now: Time, packet: &Packet<Payload>) {
        let Some(rows) = &mut self.rows[RecordKind::Packets as usize] else { return };
        let row = rows.values.len() / RecordKind::Packets.columns().len();
        self.packet_rows[packet.flow.index()].push(u32::try_from(row).unwrap_or(u32::MAX));
        // Packets of flows without a transport are all of one size.
        let (sequence, retransmission) = match &packet.payload {
            Some(segment) => (segment.sequence, segment.retransmission),
            None => (packet.id * packet.bytes.count(), false),
        };
        rows.values.extend_from_slice(&[
            packet.flow.index() as f64,
            packet.user.index() as f64,
            sequence as f64,
            packet.bytes.count() as f64,
            packet.id as f64,
            f64::from(u8::from(retransmission)),
            now.as_secs(),
            f64::NAN,
            f64::NAN,
            WAITING,
            0.0,
        ]);
    }

    fn packet_row(&mut self, flow: usize, number: u64) -> Option<&mut [f64]> {
        let rows = self.rows[RecordKind::Packets as usize].as_mut()?;
        let row = *self.packet_rows[flow].get(usize::try_from(number).ok()?)? as usize;
        let width = RecordKind::Packets.columns().len();
        rows.values.get_mut(row * width..(row + 1) * width)
    }

    pub(crate) fn packet_queued(&mut self, flow: usize, number: u64, now: Time) {
        if let Some(row) = self.packet_row(flow, number)
            && row[7].is_nan()
        {
            row[7] = now.as_secs();
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
            && row[9] != DELIVERED
        {
            row[8] = now.as_secs();
            row[9] = fate_of(dropped);
            row[10] = attempts.into();
        }
    }

    /// The series that were asked for, as tables by name.
    pub(crate) fn into_tables(self) -> Vec<(&'static str, Table)> {
        RecordKind::ALL
            .into_iter()
            .zip(self.rows)
            .filter_map(|(kind, rows)| Some((kind, rows?)))
            .map(to_table)
            .collect()
    }
}

fn fate_of(dropped: Option<DropReason>) -> f64 {
    match dropped {
        None => DELIVERED,
        Some(DropReason::QueueFull) => 1.0,
        Some(DropReason::AirError) => 2.0,
        Some(DropReason::RetryLimit) => 3.0,
        Some(DropReason::WireLoss) => 5.0,
        Some(DropReason::Outage) => 6.0,
    }
}

fn to_table((kind, rows): (RecordKind, Rows)) -> (&'static str, Table) {
    let columns = kind.columns();
    let mut table = Table::default();
    for (index, (name, column)) in columns.iter().enumerate() {
        let values = rows.values.iter().skip(index).step_by(columns.len());
        match column {
            Kind::Real => table.real(name, values.copied().collect()),
            // Written as whole numbers below 2^53, so nothing is cut off.
            Kind::Whole => table.whole(name, values.map(|&value| value as i64).collect()),
        }
    }
    (kind.name(), table)
}
