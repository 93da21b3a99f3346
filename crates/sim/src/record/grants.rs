//! What becomes of subchannels: who gets how many, how full they are, how wrong their reports were, and why others are idle.
//!
//! It leaves out: which user could have used an idle subchannel.

use airlink_model::probe::{CarrierRecord, GrantRecord, SlotRecord};
use airlink_model::types::{Duration, Time};

use super::summary::{CellRow, Summary, UserRow};

/// Counters of a user that can be subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GrantCounts {
    pub(crate) subchannels_won: u64,
    /// Nominal bits that were granted and not filled, because nothing more was there.
    pub(super) padded_bits: f64,
    /// Sum of |true - reported| in dB over the subchannels won of which a report was known.
    error_db: f64,
    reported: u64,
}

impl GrantCounts {
    pub(super) fn on_slot(&mut self, record: &SlotRecord) {
        self.subchannels_won += u64::from(record.subchannels);
        if record.padded {
            self.padded_bits += (record.granted_bits - record.sent.bits() as f64).max(0.0);
        }
    }

    pub(super) fn on_grant(&mut self, grant: &GrantRecord<'_>) {
        for (grant, &reported_db) in grant.grants.iter().zip(grant.reported_db) {
            let error_db = f64::from((grant.true_db - reported_db).abs());
            if error_db.is_finite() {
                self.error_db += error_db;
                self.reported += 1;
            }
        }
    }

    pub(super) fn minus(&self, before: &Self) -> Self {
        Self {
            subchannels_won: self.subchannels_won - before.subchannels_won,
            padded_bits: self.padded_bits - before.padded_bits,
            error_db: self.error_db - before.error_db,
            reported: self.reported - before.reported,
        }
    }
}

/// Subchannels of all slots, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CarrierCounts {
    granted: u64,
    idle_no_data: u64,
    idle_no_rate: u64,
    idle_covered: u64,
}

impl CarrierCounts {
    pub(super) fn on_slot(&mut self, record: &CarrierRecord) {
        self.granted += record.granted;
        self.idle_no_data += record.idle_no_data;
        self.idle_no_rate += record.idle_no_rate;
        self.idle_covered += record.idle_covered;
    }

    fn all(&self) -> u64 {
        self.granted + self.idle_no_data + self.idle_no_rate + self.idle_covered
    }
}

/// The time that packets of a user are at the base station.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Occupied {
    since: Option<Time>,
    length: Duration,
}

impl Occupied {
    /// From `now` on so many packets are there.
    pub(super) fn on_change(&mut self, now: Time, packets: u64) {
        match self.since {
            None if packets > 0 => self.since = Some(now),
            Some(since) if packets == 0 => {
                self.length += now.since(since);
                self.since = None;
            }
            _ => {}
        }
    }

    /// Forgets what was before `now`.
    pub(super) fn restart(&mut self, now: Time) {
        self.length = Duration::ZERO;
        self.since = self.since.map(|_| now);
    }

    /// The time up to `end`.
    fn until(&self, end: Time) -> Duration {
        self.length + self.since.map_or(Duration::ZERO, |since| end.since(since))
    }
}

/// Declares what only users of several subchannels have.
pub(super) fn subchannel_columns(users: &mut Summary<'_, UserRow<'_>>) {
    let won = "subchannels that the user got, over all slots";
    users.count("subchannels_won", won, |user| user.counts.grants.subchannels_won);
    let padded = "bytes of grants that nothing was left to fill";
    users.real("padded_bytes", padded, |user| user.counts.grants.padded_bits / 8.0);
    let error = "mean over the subchannels won of |true - reported SNR|";
    users.real_or("report_error_mean_db", error, "NaN when none was won on a report", |user| {
        user.counts.grants.error_db / user.counts.grants.reported as f64
    });
    let backlogged = "time with at least one packet at the base station that had not left it";
    users.real("backlogged_s", backlogged, |user| user.record.occupied.until(user.run_end).as_secs());
}

/// Declares what only cells of several subchannels have.
pub(super) fn carrier_columns(cell: &mut Summary<'_, CellRow<'_>>) {
    let padded = "sum over users: rate of grants that nothing was left to fill";
    cell.real("padded_bps", padded, |cell| cell.padded_bits() / cell.measured_s);
    cell.count("subchannel_slots", "subchannels of all slots", |cell| cell.record.carrier.all());
    let granted = "of these, those that some user got";
    cell.count("subchannels_granted", granted, |cell| cell.record.carrier.granted);
    let no_data = "of these, those that nobody got because nobody had data";
    cell.count("subchannels_idle_no_data", no_data, |cell| cell.record.carrier.idle_no_data);
    let no_rate = "of these, those that nobody got because none of those with data had a rate on them";
    cell.count("subchannels_idle_no_rate", no_rate, |cell| cell.record.carrier.idle_no_rate);
    let covered = "of these, those that nobody got although somebody with data had a rate: the scheduler held its data \
                   for covered by what it had got in the slot";
    cell.count("subchannels_idle_covered", covered, |cell| cell.record.carrier.idle_covered);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_occupied_from_its_first_packet_to_its_last() {
        let at = Time::from_nanos;
        let mut occupied = Occupied::default();
        [(10, 1), (12, 2), (15, 1), (20, 0), (30, 1)]
            .into_iter()
            .for_each(|(now, left)| occupied.on_change(at(now), left));
        assert_eq!(occupied.until(at(37)), at(17).since(at(0)));
        occupied.restart(at(40));
        assert_eq!(occupied.until(at(42)), at(2).since(at(0)));
        occupied.on_change(at(45), 0);
        assert_eq!(occupied.until(at(99)), at(5).since(at(0)));
    }
}
