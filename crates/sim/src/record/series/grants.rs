//! The series `grants`.

use airlink_model::probe::GrantRecord;

use super::{Asks, ChunkedVec, Needs, Series, columns, count, number};

/// A subchannel that a user got in a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrantRow {
    slot: u64,
    subchannel: u32,
    user: u32,
    bits: f32,
    true_db: f32,
    reported_db: f32,
}

columns! { GrantRow:
    slot whole |row| count(row.slot) => "number of the slot";
    subchannel whole |row| row.subchannel.into() => "number of the subchannel, from 0";
    user whole |row| row.user.into() => "who got it";
    granted_bytes real |row| f64::from(row.bits) / 8.0 => "bytes that it can carry at the rate chosen";
    true_db real |row| row.true_db.into() => "its true SNR";
    reported_db real |row| row.reported_db.into() => "its SNR as the base station reckoned with";
}

impl Series for ChunkedVec<GrantRow> {
    const WHAT: &'static str = "every subchannel that a user got in a slot: bits, true and reported SNR (many rows)";
    const NEEDS: Needs = Needs::Radio;
    const ASKS: &'static [Asks] = &[Asks::Grants];
    type Rows = Self;

    fn on_grant(&mut self, grant: &GrantRecord<'_>) {
        let (slot, user) = (grant.slot.number(), number(grant.user.index()));
        for ((grant, &subchannel), &reported_db) in grant.grants.iter().zip(grant.subchannels).zip(grant.reported_db) {
            let (bits, true_db) = (grant.bits, grant.true_db);
            self.push(GrantRow { slot, subchannel, user, bits, true_db, reported_db });
        }
    }
}
