//! The use of subchannels: who gets how many, how full they are, how wrong their reports were, and why others are idle.
//!
//! It leaves out: which user could have used an idle subchannel.

use airlink_model::probe::{CarrierRecord, GrantRecord, SlotRecord};
use airlink_model::types::{Duration, Time};

/// Counters of a user that can be subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GrantCounts {
    pub(crate) subchannels_won: u64,
    /// Nominal bits that were granted and not filled, because nothing more was there.
    pub(super) padded_bits: f64,
    /// Sum of |true - reported| in dB over the subchannels won of which a report was known.
    pub(super) error_db: f64,
    pub(super) reported: u64,
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
            let error_db = (grant.true_db - reported_db).abs();
            let is_reported = error_db < f32::INFINITY;
            self.error_db += f64::from(if is_reported { error_db } else { 0.0 });
            self.reported += u64::from(is_reported);
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
    pub(super) granted: u64,
    pub(super) idle_no_data: u64,
    pub(super) idle_no_rate: u64,
    pub(super) idle_covered: u64,
    pub(super) idle_uplink: u64,
}

impl CarrierCounts {
    pub(super) fn on_slot(&mut self, record: &CarrierRecord) {
        self.granted += record.granted;
        self.idle_no_data += record.idle_no_data;
        self.idle_no_rate += record.idle_no_rate;
        self.idle_covered += record.idle_covered;
        self.idle_uplink += record.idle_uplink;
    }

    pub(super) fn all(&self) -> u64 {
        self.granted + self.idle_no_data + self.idle_no_rate + self.idle_covered + self.idle_uplink
    }
}

/// The time with packets of a user at the base station.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occupied {
    /// Never while there are none.
    since: Time,
    length: Duration,
}

impl Default for Occupied {
    fn default() -> Self {
        Self { since: Time::NEVER, length: Duration::ZERO }
    }
}

impl Occupied {
    /// From `now` on so many packets are at the base station.
    #[inline]
    pub(super) fn on_change(&mut self, now: Time, packets: u64) {
        if (packets > 0) != (self.since < Time::NEVER) {
            self.turn(now);
        }
    }

    #[cold]
    #[inline(never)]
    fn turn(&mut self, now: Time) {
        if self.since == Time::NEVER {
            self.since = now;
        } else {
            self.length += now.since(self.since);
            self.since = Time::NEVER;
        }
    }

    /// Discards the time before `now`.
    pub(super) fn restart(&mut self, now: Time) {
        self.length = Duration::ZERO;
        if self.since < Time::NEVER {
            self.since = now;
        }
    }

    /// The time up to `end`.
    pub(super) fn until(&self, end: Time) -> Duration {
        self.length + end.since(self.since.min(end))
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
