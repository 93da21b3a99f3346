//! The series `packets`: a row is written when a packet is sent, and completed as it goes.
//!
//! It leaves out: what a user sends by TCP without data (ACKs, SYN, FIN).

use airlink_model::types::{Direction, DropReason, Packet, Time};

use super::{ChunkedVec, PacketLeft, Series, Setting, columns, count, directions, if_ever, number};
use crate::payload::{Carried, Payload};
use crate::record::about::Codes;

/// A packet; completed on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketRow {
    flow: u32,
    user: u32,
    sequence: u64,
    bytes: u64,
    transmission: u64,
    retransmission: bool,
    sent_at: Time,
    /// Never, if it was not.
    queued_at: Time,
    /// Never, as long as it has not.
    ended_at: Time,
    fate: u8,
    attempts: u32,
    direction: Direction,
    payload_bytes: u64,
    marked: bool,
}

/// Fates that are no reasons to be dropped.
const DELIVERED: u8 = 0;
const WAITING: u8 = 4;

fn fates() -> Codes {
    let lost = DropReason::ALL.map(|reason| (reason.fate(), reason.label()));
    let mut fates = [&[(DELIVERED, "delivered"), (WAITING, "none yet as the run ended")], &lost[..]].concat();
    fates.sort_unstable();
    fates
}

columns! { PacketRow:
    flow whole |row| row.flow.into() => "number of the flow";
    user whole |row| row.user.into() => "the user that it goes to, or comes from";
    sequence whole |row| count(row.sequence) => "first byte of the segment in its direction of the flow, from 0";
    bytes whole |row| count(row.bytes) => "size, headers included";
    transmission whole |row| count(row.transmission) => "number of the packet among all that the flow sent in its direction, ACKs included, from 0";
    retransmission whole |row| row.retransmission.into() => "1 when these bytes had been sent before";
    sent_s real |row| row.sent_at.as_secs() => "when the server or, going up, the user sent it";
    queued_s real |row| if_ever(row.queued_at) => "when it entered the queue of the network",
        missing "NaN when it was refused, lost before it or had not come, or goes up";
    ended_s real |row| if_ever(row.ended_at) => "when it was delivered or dropped", missing "NaN when neither";
    fate whole |row| row.fate.into() =>
        "what became of it; of a packet that was duplicated, of the copy that was delivered first, or ended last",
        codes fates;
    attempts whole |row| row.attempts.into() =>
        "how often the part of it that was put on air most often was put on air; 0: never, or no air";
    direction whole |row| row.direction as i64 => "its direction: down to the user, or up to the server", codes directions;
    payload_bytes whole |row| count(row.payload_bytes) =>
        "bytes of the stream in it; 0 of an ACK or a SYN, all of it without TCP";
    ce whole |row| row.marked.into() => "1 when it carried a congestion mark (CE) as it ended";
}

/// All packets of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packets {
    rows: ChunkedVec<PacketRow>,
    /// The row of each packet, by flow and direction and, in these, by its number; none of what has no row.
    places: Vec<ChunkedVec<u32>>,
}

impl From<Packets> for ChunkedVec<PacketRow> {
    fn from(packets: Packets) -> Self {
        packets.rows
    }
}

impl Packets {
    fn row(&mut self, flow: usize, direction: Direction, number: u64) -> Option<&mut PacketRow> {
        let row = *self.places[place(flow, direction)].get_mut(usize::try_from(number).ok()?)?;
        self.rows.get_mut(row as usize)
    }

    /// The next row is that packet's.
    fn begin_row(&mut self, packet: &Packet<Payload>) {
        let places = &mut self.places[place(packet.flow.index(), packet.direction)];
        while (places.len() as u64) < packet.id {
            places.push(NO_ROW);
        }
        places.push(u32::try_from(self.rows.len()).unwrap_or(NO_ROW));
    }
}

/// The row of what has none.
const NO_ROW: u32 = u32::MAX;

fn place(flow: usize, direction: Direction) -> usize {
    2 * flow + direction as usize
}

/// Whether a packet has a row: all of the server, and of the user data alone.
fn has_row(packet: &Packet<Payload>) -> bool {
    packet.direction == Direction::Down || packet.payload.carried().is_none_or(Carried::has_data)
}

impl Series for Packets {
    const WHAT: &'static str = "every packet to a user, ACKs included, and every packet with data from one: when sent, queued and ended, its fate";
    type Rows = ChunkedVec<PacketRow>;

    fn begin(&mut self, setting: Setting) {
        self.places = vec![ChunkedVec::default(); 2 * setting.flows];
    }

    fn on_packet_sent(&mut self, now: Time, packet: &Packet<Payload>) {
        if !has_row(packet) {
            return;
        }
        self.begin_row(packet);
        // Packets of flows without a transport are all of one size.
        let (sequence, payload_bytes, retransmission) = match packet.payload.carried() {
            Some(carried) => {
                let segment = carried.segment();
                (segment.sequence, segment.length.into(), segment.retransmission)
            }
            None => (packet.id * packet.bytes.count(), packet.bytes.count(), false),
        };
        self.rows.push(PacketRow {
            flow: number(packet.flow.index()),
            user: number(packet.user.index()),
            sequence,
            bytes: packet.bytes.count(),
            transmission: packet.id,
            retransmission,
            sent_at: now,
            queued_at: Time::NEVER,
            ended_at: Time::NEVER,
            fate: WAITING,
            attempts: 0,
            direction: packet.direction,
            payload_bytes,
            marked: false,
        });
    }

    fn on_packet_queued(&mut self, now: Time, flow: usize, number: u64) {
        if let Some(row) = self.row(flow, Direction::Down, number) {
            row.queued_at = row.queued_at.min(now);
        }
    }

    /// Of a packet that was duplicated, the copy counts that is delivered first.
    fn on_packet_left(&mut self, now: Time, flow: usize, left: &PacketLeft) {
        if let Some(row) = self.row(flow, left.direction, left.number)
            && row.fate != DELIVERED
        {
            row.ended_at = now;
            row.fate = left.dropped.map_or(DELIVERED, DropReason::fate);
            row.attempts = left.attempts;
            row.marked = left.is_marked;
        }
    }
}
