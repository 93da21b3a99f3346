//! Series, each recorded only when asked for by kind: a file each, with its row, its columns and what it takes of what happens.

mod acks;
mod bursts;
mod chunked_vec;
mod cwnd;
mod downloads;
mod events;
mod gaps;
mod grants;
mod hops;
mod limits;
mod mcs;
mod packets;
mod prices;
mod queue;
mod recorded;
mod registry;
mod rtt;
mod sacks;
mod slots;
mod snr;
mod timeouts;
mod waits;

pub use recorded::Recorded;

pub(crate) use chunked_vec::{ChunkedVec, take_out_of_memory};
pub(crate) use downloads::DownloadRow;
pub(crate) use hops::HopRow;
pub(crate) use recorded::{Read, Row, Rows};
pub(crate) use timeouts::Startup;

use airlink_model::probe::{GrantRecord, SlotRecord};
use airlink_model::traffic::Burst;
use airlink_model::transport::{Segment, Sender};
use airlink_model::types::{Bytes, Direction, DropReason, Duration, MarkRecord, Packet, Slot, Time, UserId};

use super::FlowEvent;
use super::about::{About, AboutTable, Codes};
use super::limits::Piece;
use crate::payload::Payload;
use recorded::columns;
use registry::series;

// In the order in which results name them.
series! {
    slots Slots: ChunkedVec<slots::SlotRow>;
    packets Packets: packets::Packets;
    acks Acks: ChunkedVec<acks::AckRow>;
    sacks Sacks: ChunkedVec<sacks::SackRow>;
    queue Queue: ChunkedVec<queue::QueueRow>;
    cwnd Cwnd: ChunkedVec<cwnd::WindowRow>;
    rtt Rtt: ChunkedVec<rtt::RoundTripRow>;
    events Events: events::Events;
    snr Snr: snr::ChannelRows;
    gaps Gaps: ChunkedVec<gaps::GapRow>;
    limits Limits: ChunkedVec<limits::LimitRow>;
    downloads Downloads: ChunkedVec<DownloadRow>;
    timeouts Timeouts: timeouts::Expiries;
    grants Grants: ChunkedVec<grants::GrantRow>;
    mcs Mcs: mcs::McsCounts;
    prices Prices: ChunkedVec<prices::PriceRow>;
    bursts Bursts: bursts::Bursts;
    hops Hops: ChunkedVec<HopRow>;
    waits Waits: ChunkedVec<waits::WaitRow>;
}

/// A kind of series: its description, and the rows that it records. It implements the methods of the events that it records; the
/// others are empty and cost nothing.
pub(crate) trait Series: Default + Into<Self::Rows> {
    /// What it holds, as `--record` and the page of results say it.
    const WHAT: &'static str;
    /// What a scenario must have.
    const NEEDS: Needs = Needs::Nothing;
    /// Events that are reported only to series that ask for them.
    const ASKS: &'static [Asks] = &[];
    /// Whether its rows are so few that no memory is too small for them.
    const HAS_FEW_ROWS: bool = false;
    /// What it leaves behind.
    type Rows: Rows + 'static;

    /// The run begins.
    fn begin(&mut self, _setting: Setting) {}
    /// The warm-up is over.
    fn start_measuring(&mut self) {}

    /// A user's part of a slot went on air, or a slot that nobody got began.
    #[inline]
    fn on_slot(&mut self, _record: &SlotRecord) {}
    /// A user got these subchannels (`Asks::Grants`).
    #[inline]
    fn on_grant(&mut self, _grant: &GrantRecord<'_>) {}
    /// Each user's true SINR in dB and reported rate in a slot (`Asks::Channel`).
    #[inline]
    fn on_channel(&mut self, _slot: Slot, _true_db: impl Iterator<Item = f32> + Clone, _reported_bps: &[f32]) {}
    /// A packet left a queue that added to its marks (`Asks::MarksAdded`).
    #[inline]
    fn on_mark_added(&mut self, _record: &MarkRecord) {}
    /// A user's queue, or the bottleneck's, now holds so many packets and bytes.
    #[inline]
    fn on_queue(&mut self, _now: Time, _user: UserId, _packets: u64, _bytes: Bytes) {}

    /// A packet left its sender.
    #[inline]
    fn on_packet_sent(&mut self, _now: Time, _packet: &Packet<Payload>) {}
    /// A packet of a flow, by its number there, entered the queue of the network.
    #[inline]
    fn on_packet_queued(&mut self, _now: Time, _flow: usize, _number: u64) {}
    /// A packet was delivered or dropped.
    #[inline]
    fn on_packet_left(&mut self, _now: Time, _flow: usize, _left: &PacketLeft) {}

    /// An ACK reached its sender (`Asks::Sender`).
    #[inline]
    fn on_ack(&mut self, _now: Time, _flow: usize, _ack: &AckHeard<'_>) {}
    /// An ACK showed a round trip (`Asks::Sender`).
    #[inline]
    fn on_round_trip(&mut self, _now: Time, _flow: usize, _rtt: Duration, _sender: &Sender) {}
    /// A sender after an ACK or a timeout (`Asks::Sender`).
    #[inline]
    fn on_window(&mut self, _now: Time, _flow: usize, _sender: &Sender, _event: FlowEvent) {}
    /// Something happened to a flow beside ACKs (`Asks::Events`).
    #[inline]
    fn on_event(&mut self, _now: Time, _flow: usize, _acknowledged: Bytes, _event: FlowEvent) {}
    /// A retransmission timer is about to expire, or to be armed again (`Asks::Expiries`).
    #[inline]
    fn on_expiry(&mut self, _now: Time, _flow: usize, _sender: &Sender, _is_held: bool) {}
    /// Of a flow's latest timeout it is known now whether it was spurious.
    #[inline]
    fn on_timeout_settled(&mut self, _flow: usize, _spurious: bool) {}
    /// A flow without TCP sent a burst.
    #[inline]
    fn on_burst_sent(&mut self, _now: Time, _flow: usize, _number: u64, _burst: &Burst, _deadline: Duration) {}
    /// All of a burst has arrived.
    #[inline]
    fn on_burst_complete(&mut self, _now: Time, _flow: usize, _number: u64) {}
    /// The cause that held a flow back for an interval; reported at the run's end, if `limits` is recorded.
    #[inline]
    fn on_held_back(&mut self, _flow: usize, _piece: &Piece) {}
    /// Where the packets of a flow over UDP were for an interval; reported at the run's end, if `waits` is recorded.
    #[inline]
    fn on_waited(&mut self, _flow: usize, _piece: &Piece) {}
}

/// How a packet ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketLeft {
    /// Its number among the flow's packets of its direction.
    pub(crate) number: u64,
    pub(crate) direction: Direction,
    /// None if it was delivered.
    pub(crate) dropped: Option<DropReason>,
    /// How often the part of it that was put on air most often was put on air.
    pub(crate) attempts: u32,
    /// It carried a congestion mark (CE).
    pub(crate) is_marked: bool,
}

/// An ACK that a sender has heard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckHeard<'a> {
    pub(crate) segment: &'a Segment,
    /// The direction in which it came.
    pub(crate) direction: Direction,
    pub(crate) is_duplicate: bool,
}

fn directions() -> Codes {
    vec![(Direction::Down as u8, "down"), (Direction::Up as u8, "up")]
}

/// What a scenario must have for a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// A cell with slots.
    Radio,
    /// A queue with a price.
    Price,
}

impl Needs {
    /// Its name in the declaration of a series.
    const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Radio => "radio",
            Self::Price => "price",
        }
    }
}

/// What costs time to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    Channel,
    Grants,
    MarksAdded,
    Sender,
    Events,
    Expiries,
}

/// The run in which a series is recorded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Setting {
    pub(crate) users: usize,
    pub(crate) flows: usize,
    pub(crate) has_subchannels: bool,
}

impl Asks {
    const COUNT: usize = Self::Expiries as usize + 1;
}

impl AllSeries {
    /// True if some series asks for it.
    #[inline]
    pub(crate) fn asks(&self, what: Asks) -> bool {
        self.asked[what as usize]
    }

    /// The expiries so far, if they are recorded.
    pub(crate) fn expiries(&self) -> Option<&timeouts::Expiries> {
        self.timeouts.as_ref()
    }

    /// The rows of all hops, at the run's end.
    pub(crate) fn on_hops(&mut self, rows: impl Iterator<Item = HopRow>) {
        if let Some(hops) = &mut self.hops {
            rows.for_each(|row| hops.push(row));
        }
    }

    /// True if it is wanted what held flows back.
    pub(crate) fn wants_limits(&self) -> bool {
        self.limits.is_some()
    }

    /// True if the downloads, which are always written down, are wanted as a series.
    pub(crate) fn wants_downloads(&self) -> bool {
        self.downloads.is_some()
    }
}

/// The series of these downloads, which are written down elsewhere.
pub(crate) fn recorded_downloads(rows: ChunkedVec<DownloadRow>) -> Recorded {
    Recorded::new(RecordKind::Downloads, Setting::default(), rows)
}

fn rows_of<S: Series>(series: S) -> S::Rows {
    series.into()
}

/// A user's or flow's number; there are fewer than 2^32 of them.
pub(crate) fn number(index: usize) -> u32 {
    index as u32
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn if_ever(moment: Time) -> f64 {
    if moment == Time::NEVER { f64::NAN } else { moment.as_secs() }
}
