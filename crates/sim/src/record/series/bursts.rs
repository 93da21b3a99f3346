//! The series `bursts`: what flows without TCP send, frame by frame or packet by packet.

use airlink_model::traffic::Burst;
use airlink_model::types::{Bytes, Duration, Time};

use super::{ChunkedVec, Series, Setting, columns, count, if_ever, number};

/// A burst: a frame, or a packet that is one by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BurstRow {
    flow: u32,
    number: u64,
    packets: u64,
    bytes: Bytes,
    sent_at: Time,
    deadline: Time,
    ended_at: Time,
}

columns! { BurstRow:
    flow whole |row| row.flow.into() => "number of the flow";
    number whole |row| count(row.number) => "number of the burst in its flow, from 0";
    time_s real |row| row.sent_at.as_secs() => "when it left";
    packets whole |row| count(row.packets) => "packets that it was cut into";
    bytes whole |row| count(row.bytes.count()) => "its bytes, headers included";
    deadline_s real |row| if_ever(row.deadline) => "when all of it must be there", missing "NaN without a deadline";
    ended_s real |row| if_ever(row.ended_at) => "when the last of its packets arrived",
        missing "NaN when one was lost or had not come";
    on_time whole |row| i64::from(row.ended_at != Time::NEVER && row.ended_at <= row.deadline) =>
        "1 when all of it was there at the deadline or before, else 0";
}

/// All bursts of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bursts {
    rows: ChunkedVec<BurstRow>,
    /// The row of each burst, by flow and number.
    places: Vec<ChunkedVec<u32>>,
}

impl From<Bursts> for ChunkedVec<BurstRow> {
    fn from(bursts: Bursts) -> Self {
        bursts.rows
    }
}

impl Series for Bursts {
    const WHAT: &'static str =
        "every frame or packet without TCP: when it left, when all of it was there, its deadline";
    type Rows = ChunkedVec<BurstRow>;

    fn begin(&mut self, setting: Setting) {
        self.places = vec![ChunkedVec::default(); setting.flows];
    }

    fn on_burst_sent(&mut self, now: Time, flow: usize, number_in_flow: u64, burst: &Burst, deadline: Duration) {
        self.places[flow].push(u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
        self.rows.push(BurstRow {
            flow: number(flow),
            number: number_in_flow,
            packets: burst.packets,
            bytes: burst.bytes(),
            sent_at: now,
            deadline: now + deadline,
            ended_at: Time::NEVER,
        });
    }

    fn on_burst_complete(&mut self, now: Time, flow: usize, number_in_flow: u64) {
        let place = usize::try_from(number_in_flow).ok().and_then(|place| self.places[flow].get_mut(place).copied());
        if let Some(row) = place.and_then(|row| self.rows.get_mut(row as usize)) {
            row.ended_at = now;
        }
    }
}
