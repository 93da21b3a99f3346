//! The rows of each kind, as narrow as what they say, and their columns.

use airlink_model::types::{Bytes, Duration, Priced, Time};

use super::number;
use super::recorded::{Read, Row, real, whole};

/// A slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotRow {
    pub(crate) slot: u64,
    pub(crate) start: Time,
    /// Nobody in an idle slot.
    pub(crate) winner: Option<u32>,
    pub(crate) rate_bps: f64,
    pub(crate) granted_bits: f64,
    pub(crate) sent_bytes: u64,
    pub(crate) true_db: f32,
    pub(crate) lost: bool,
}

impl Row for SlotRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("slot", whole!(|row| count(row.slot))),
        ("time_s", real!(|row| row.start.as_secs())),
        ("user", whole!(|row| row.winner.map_or(-1, i64::from))),
        ("rate_bps", real!(|row| row.rate_bps)),
        ("granted_bytes", real!(|row| row.granted_bits / 8.0)),
        ("sent_bytes", whole!(|row| count(row.sent_bytes))),
        ("snr_db", real!(|row| row.true_db.into())),
        ("error", whole!(|row| row.lost.into())),
    ];
}

/// A user's part of a slot, where there are several subchannels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShareRow {
    pub(crate) slot: SlotRow,
    pub(crate) subchannels: u32,
}

impl Row for ShareRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("slot", whole!(|row| count(row.slot.slot))),
        ("time_s", real!(|row| row.slot.start.as_secs())),
        ("user", whole!(|row| row.slot.winner.map_or(-1, i64::from))),
        ("subchannels", whole!(|row| row.subchannels.into())),
        ("rate_bps", real!(|row| row.slot.rate_bps)),
        ("granted_bytes", real!(|row| row.slot.granted_bits / 8.0)),
        ("sent_bytes", whole!(|row| count(row.slot.sent_bytes))),
        ("snr_db", real!(|row| row.slot.true_db.into())),
        ("error", whole!(|row| row.slot.lost.into())),
    ];
}

/// A subchannel that a user got in a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrantRow {
    pub(crate) slot: u64,
    pub(crate) subchannel: u32,
    pub(crate) user: u32,
    pub(crate) bits: f32,
    pub(crate) true_db: f32,
    pub(crate) reported_db: f32,
}

impl Row for GrantRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("slot", whole!(|row| count(row.slot))),
        ("subchannel", whole!(|row| row.subchannel.into())),
        ("user", whole!(|row| row.user.into())),
        ("granted_bytes", real!(|row| f64::from(row.bits) / 8.0)),
        ("true_db", real!(|row| row.true_db.into())),
        ("reported_db", real!(|row| row.reported_db.into())),
    ];
}

/// How often a user was sent at a row of the table of rates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct McsRow {
    pub(crate) user: u32,
    pub(crate) mcs: u32,
    pub(crate) grants: u64,
    pub(crate) bits: f64,
}

impl Row for McsRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("user", whole!(|row| row.user.into())),
        ("mcs", whole!(|row| row.mcs.into())),
        ("grants", whole!(|row| count(row.grants))),
        ("granted_bytes", real!(|row| row.bits / 8.0)),
    ];
}

/// A packet; completed on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketRow {
    pub(crate) flow: u32,
    pub(crate) user: u32,
    pub(crate) sequence: u64,
    pub(crate) bytes: u64,
    pub(crate) transmission: u64,
    pub(crate) retransmission: bool,
    pub(crate) sent_at: Time,
    /// Never, if it was not.
    pub(crate) queued_at: Time,
    /// Never, as long as it has not.
    pub(crate) ended_at: Time,
    pub(crate) fate: Fate,
    pub(crate) attempts: u32,
}

/// What became of a packet, as the column `fate` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Delivered = 0,
    QueueFull = 1,
    AirError = 2,
    RetryLimit = 3,
    Waiting = 4,
    WireLoss = 5,
    Outage = 6,
    Aqm = 7,
}

impl Row for PacketRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("flow", whole!(|row| row.flow.into())),
        ("user", whole!(|row| row.user.into())),
        ("sequence", whole!(|row| count(row.sequence))),
        ("bytes", whole!(|row| count(row.bytes))),
        ("transmission", whole!(|row| count(row.transmission))),
        ("retransmission", whole!(|row| row.retransmission.into())),
        ("sent_s", real!(|row| row.sent_at.as_secs())),
        ("queued_s", real!(|row| if_ever(row.queued_at))),
        ("ended_s", real!(|row| if_ever(row.ended_at))),
        ("fate", whole!(|row| row.fate as i64)),
        ("attempts", whole!(|row| row.attempts.into())),
    ];
}

/// An acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckRow {
    pub(crate) flow: u32,
    pub(crate) at: Time,
    pub(crate) number: u64,
    pub(crate) duplicate: bool,
    pub(crate) window_bytes: u64,
}

impl Row for AckRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("flow", whole!(|row| row.flow.into())),
        ("time_s", real!(|row| row.at.as_secs())),
        ("number", whole!(|row| count(row.number))),
        ("duplicate", whole!(|row| row.duplicate.into())),
        ("window_bytes", whole!(|row| count(row.window_bytes))),
    ];
}

/// A SACK block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SackRow {
    pub(crate) flow: u32,
    pub(crate) at: Time,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) duplicate: bool,
}

impl Row for SackRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("flow", whole!(|row| row.flow.into())),
        ("time_s", real!(|row| row.at.as_secs())),
        ("start", whole!(|row| count(row.start))),
        ("end", whole!(|row| count(row.end))),
        ("duplicate", whole!(|row| row.duplicate.into())),
    ];
}

/// A queue after a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueRow {
    pub(crate) at: Time,
    pub(crate) user: u32,
    /// Fewer than 2^32, or memory would have ended first.
    pub(crate) packets: u32,
    pub(crate) bytes: u64,
}

impl Row for QueueRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("time_s", real!(|row| row.at.as_secs())),
        ("user", whole!(|row| row.user.into())),
        ("packets", whole!(|row| row.packets.into())),
        ("bytes", whole!(|row| count(row.bytes))),
    ];
}

/// The price of a queue as a packet left it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PriceRow(pub(crate) Priced);

impl Row for PriceRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("time_s", real!(|row| row.0.at.as_secs())),
        ("user", whole!(|row| number(row.0.user.index()).into())),
        ("flow", whole!(|row| number(row.0.flow.index()).into())),
        ("mean_bytes", real!(|row| row.0.mean_bytes)),
        ("free_bytes", real!(|row| row.0.free_bytes)),
        ("service_bps", real!(|row| 8.0 * row.0.service_bytes_per_s)),
        ("price_s_per_byte", real!(|row| row.0.per_rate.into())),
    ];
}

/// A sender's window and timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowRow {
    pub(crate) at: Time,
    pub(crate) flow: u32,
    pub(crate) window: f64,
    pub(crate) threshold: f64,
    pub(crate) flight_bytes: u64,
    pub(crate) rto: Duration,
    pub(crate) event: u8,
}

impl Row for WindowRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("time_s", real!(|row| row.at.as_secs())),
        ("flow", whole!(|row| row.flow.into())),
        ("cwnd_bytes", real!(|row| row.window)),
        ("ssthresh_bytes", real!(|row| row.threshold)),
        ("flight_bytes", whole!(|row| count(row.flight_bytes))),
        ("rto_s", real!(|row| row.rto.as_secs())),
        ("event", whole!(|row| row.event.into())),
    ];
}

/// A round trip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTripRow {
    pub(crate) flow: u32,
    pub(crate) at: Time,
    pub(crate) rtt: Duration,
    /// Not a number before the first sample.
    pub(crate) srtt_s: f64,
    pub(crate) rto: Duration,
}

impl Row for RoundTripRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("flow", whole!(|row| row.flow.into())),
        ("time_s", real!(|row| row.at.as_secs())),
        ("rtt_s", real!(|row| row.rtt.as_secs())),
        ("srtt_s", real!(|row| row.srtt_s)),
        ("rto_s", real!(|row| row.rto.as_secs())),
    ];
}

/// An event of a flow; of a timeout it is written later whether it was spurious.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventRow {
    pub(crate) flow: u32,
    pub(crate) at: Time,
    pub(crate) event: u8,
    pub(crate) sequence: u64,
    pub(crate) spurious: Option<bool>,
}

impl Row for EventRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("flow", whole!(|row| row.flow.into())),
        ("time_s", real!(|row| row.at.as_secs())),
        ("event", whole!(|row| row.event.into())),
        ("sequence", whole!(|row| count(row.sequence))),
        ("spurious", whole!(|row| row.spurious.map_or(-1, i64::from))),
    ];
}

/// A gap between two slots won.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GapRow {
    pub(crate) user: u32,
    pub(crate) slot: u64,
    pub(crate) gap_slots: u64,
}

impl Row for GapRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("user", whole!(|row| row.user.into())),
        ("slot", whole!(|row| count(row.slot))),
        ("gap_slots", whole!(|row| count(row.gap_slots))),
    ];
}

/// Time that one cause held a flow back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitRow {
    pub(crate) flow: u32,
    pub(crate) from: Time,
    pub(crate) to: Time,
    pub(crate) cause: u8,
}

impl Row for LimitRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("flow", whole!(|row| row.flow.into())),
        ("from_s", real!(|row| row.from.as_secs())),
        ("to_s", real!(|row| row.to.as_secs())),
        ("cause", whole!(|row| row.cause.into())),
    ];
}

/// A file or page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DownloadRow {
    pub(crate) flow: u32,
    pub(crate) user: u32,
    /// Among those of its flow.
    pub(crate) number: u64,
    pub(crate) bytes: Bytes,
    pub(crate) requested_at: Time,
    /// Never, as long as it is not.
    pub(crate) completed_at: Time,
}

impl Row for DownloadRow {
    const COLUMNS: &'static [(&'static str, Read<Self>)] = &[
        ("flow", whole!(|row| row.flow.into())),
        ("user", whole!(|row| row.user.into())),
        ("number", whole!(|row| count(row.number))),
        ("bytes", whole!(|row| count(row.bytes.count()))),
        ("requested_s", real!(|row| row.requested_at.as_secs())),
        ("completed_s", real!(|row| if_ever(row.completed_at))),
    ];
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn if_ever(moment: Time) -> f64 {
    if moment == Time::NEVER { f64::NAN } else { moment.as_secs() }
}
