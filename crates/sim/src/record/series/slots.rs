//! The series `slots`.

use airlink_model::probe::SlotRecord;
use airlink_model::types::Time;

use super::{ChunkedVec, Needs, Series, columns, count, number};

/// A slot, or a user's part of one where there are several subchannels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotRow {
    slot: u64,
    start: Time,
    rate_bps: f64,
    granted_bits: f64,
    sent_bytes: u64,
    /// `NOBODY` in an idle slot.
    winner: u32,
    subchannels: u32,
    true_db: f32,
    lost: bool,
}

/// No user has this number.
const NOBODY: u32 = u32::MAX;

columns! { SlotRow:
    slot whole |row| count(row.slot) =>
        "number of the slot, from 0; where there are several subchannels, a row for each user that got some";
    time_s real |row| row.start.as_secs() => "start of the slot";
    user whole |row| if row.winner == NOBODY { -1 } else { row.winner.into() } => "who got it", missing "-1 nobody";
    subchannels whole |row| row.subchannels.into() => "how many subchannels the user got", only SeveralSubchannels;
    rate_bps real |row| row.rate_bps => "rate the base station chose";
    granted_bytes real |row| row.granted_bits / 8.0 => "bytes that the slot can carry at that rate";
    sent_bytes whole |row| count(row.sent_bytes) => "bytes put on air";
    snr_db real |row| row.true_db.into() =>
        "true SNR of that user in the slot; over several subchannels the mean of dB, weighted by their bits";
    error whole |row| row.lost.into() => "1 when the frame was lost";
}

impl Series for ChunkedVec<SlotRow> {
    const WHAT: &'static str = "every slot: who got it, at which rate, what was sent, whether it was lost";
    const NEEDS: Needs = Needs::Radio;
    type Rows = Self;

    #[inline]
    fn on_slot(&mut self, record: &SlotRecord) {
        self.push(SlotRow {
            slot: record.slot.number(),
            start: record.start,
            rate_bps: record.rate_bps,
            granted_bits: record.granted_bits,
            sent_bytes: record.sent.count(),
            winner: record.winner.map_or(NOBODY, |user| number(user.index())),
            subchannels: record.subchannels,
            true_db: record.true_db,
            lost: record.lost,
        });
    }
}
