//! What becomes of subchannels: who gets how many, how full they are, how wrong their reports were, and why others are idle.
//!
//! It leaves out: which user could have used an idle subchannel.

use airlink_model::probe::{CarrierRecord, GrantRecord, SlotRecord};
use airlink_model::types::{Duration, Time};

use super::Recorder;
use super::counts::UserCounts;
use super::series::{McsRow, number};
use crate::table::Table;

/// Counters of a user that can be subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GrantCounts {
    pub(crate) subchannels_won: u64,
    /// Nominal bits that were granted and not filled, because nothing more was there.
    padded_bits: f64,
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

    fn on_grant(&mut self, grant: &GrantRecord<'_>) {
        for (stretch, &reported_db) in grant.stretches.iter().zip(grant.reported_db) {
            let error_db = f64::from((stretch.true_db - reported_db).abs());
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

/// How often each row of the table of rates was used, by user.
#[derive(Clone, Debug)]
pub(crate) struct McsCounts {
    users: Vec<Vec<(u64, f64)>>,
}

impl McsCounts {
    pub(super) fn new(users: usize) -> Self {
        Self { users: vec![Vec::new(); users] }
    }

    fn on_grant(&mut self, grant: &GrantRecord<'_>) {
        let rows = &mut self.users[grant.user.index()];
        for stretch in grant.stretches.iter().filter(|stretch| stretch.bits > 0.0) {
            let row = usize::from(stretch.mcs);
            if row >= rows.len() {
                rows.resize(row + 1, (0, 0.0));
            }
            rows[row].0 += 1;
            rows[row].1 += f64::from(stretch.bits);
        }
    }

    pub(super) fn clear(&mut self) {
        self.users.iter_mut().for_each(|rows| rows.fill((0, 0.0)));
    }

    /// A row for each user and row of the table that was used.
    pub(super) fn rows(&self) -> impl Iterator<Item = McsRow> {
        self.users.iter().enumerate().flat_map(|(user, rows)| {
            let used = rows.iter().enumerate().filter(|(_, (grants, _))| *grants > 0);
            used.map(move |(mcs, &(grants, bits))| McsRow { user: number(user), mcs: number(mcs), grants, bits })
        })
    }
}

impl Recorder {
    /// A user got subchannels of a slot.
    pub(super) fn count_grant(&mut self, grant: &GrantRecord<'_>) {
        self.users[grant.user.index()].counts.grants.on_grant(grant);
        if let Some(mcs) = &mut self.mcs {
            mcs.on_grant(grant);
        }
        self.series.push_grant(grant);
    }
}

/// What only cells of several subchannels have: columns of the tables `users` and `cell`.
impl Recorder {
    /// Adds those of users, of a run that ended at `end`.
    pub(crate) fn add_user_grants(&self, table: &mut Table, end: Time) {
        let counts = self.grant_counts();
        table.count("subchannels_won", counts.iter().map(|count| count.subchannels_won));
        table.real("padded_bytes", counts.iter().map(|count| count.padded_bits / 8.0).collect());
        let error_db = counts.iter().map(|count| count.error_db / count.reported as f64);
        table.real("report_error_mean_db", error_db.collect());
        table.real("backlogged_s", self.users.iter().map(|user| user.occupied.until(end).as_secs()).collect());
    }

    /// Adds those of the cell, measured over `measured_s`.
    pub(crate) fn add_cell_grants(&self, table: &mut Table, measured_s: f64) {
        let padded_bits: f64 = self.grant_counts().iter().map(|count| count.padded_bits).sum();
        table.real("padded_bps", vec![padded_bits / measured_s]);
        let carrier = &self.cell.carrier;
        let mut count = |name: &str, value: u64| table.count(name, std::iter::once(value));
        count("subchannel_slots", carrier.all());
        count("subchannels_granted", carrier.granted);
        count("subchannels_idle_no_data", carrier.idle_no_data);
        count("subchannels_idle_no_rate", carrier.idle_no_rate);
        count("subchannels_idle_covered", carrier.idle_covered);
    }

    /// Adds what only cells have whose slots carry many code blocks to the table `users`.
    pub(crate) fn add_user_blocks(&self, table: &mut Table) {
        let counts: Vec<UserCounts> = self.users.iter().map(|user| user.counts.minus(&user.before_warmup)).collect();
        table.count("frames_repeated", counts.iter().map(|count| count.frames_repeated));
        table.count("frames_given_up", counts.iter().map(|count| count.frames_given_up));
    }

    fn grant_counts(&self) -> Vec<GrantCounts> {
        self.users.iter().map(|user| user.counts.grants.minus(&user.before_warmup.grants)).collect()
    }

    /// The rows of the series `mcs`, of the measured time, if it is recorded.
    pub(crate) fn finish_mcs(&mut self) {
        if let (Some(counts), Some(rows)) = (&self.mcs, &mut self.series.mcs) {
            counts.rows().for_each(|row| rows.push(row));
        }
    }
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
