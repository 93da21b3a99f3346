//! The reports of one user over all subchannels of a carrier, slot by slot.
//!
//! Adjacent subchannels form groups of k (the last may be smaller): k = 1 is a report per subchannel, k = all of them the
//! wideband report. In slots 0, p, 2p, ... the user measures z = Q(x + sd g) for each group, x being the group's
//! [`EffectiveSnr`], g standard normal and independent from group to group and slot to slot, Q the rounding of
//! [`ReportedSnr`](super::ReportedSnr). In slot n the base station has, for all subchannels of a group, the group's latest
//! measurement made at or before n - d, less its back-off. Before slot d it knows nothing: minus infinity.
//!
//! One subchannel has the bits of [`ReportedSnr`](super::ReportedSnr). Left out: the best few groups alone being reported, a
//! report's cost, and what that leaves out.

use super::capacity::{bits_per_hertz, decibels_of_bits};
use super::report::nearest_integer;
use super::{EffectiveSnr, ReportConfig};
use crate::types::{CounterStream, Purpose, Slot, VectorPath};

/// What one report stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Granularity {
    /// Subchannels of the carrier, at least 1.
    subchannels: usize,
    /// Adjacent subchannels that share a report, at least 1; as many as there are for a wideband report.
    group_subchannels: usize,
    /// The one value that stands for a group's.
    effective: EffectiveSnr,
}

/// One user's reports.
#[derive(Clone, Debug)]
pub struct ReportRow {
    error_sd_db: f32,
    quantisation_db: f32,
    backoff_db: f32,
    delay_slots: u64,
    period_slots: u64,
    granularity: Granularity,
    errors: CounterStream,
    normals: Vec<f32>,
    /// The latest measurements, a value per group: number j of them in row j modulo the number of rows. Empty before the first.
    measured_db: Vec<f32>,
    rows: u64,
    next: Slot,
    wide: bool,
}

impl ReportRow {
    /// The reports of user number `user` on `subchannels` of them in the run of `seed`.
    pub fn new(config: ReportConfig, subchannels: usize, seed: u64, user: u64) -> Self {
        assert!(config.period_slots >= 1, "a period is at least a slot");
        assert!(subchannels >= 1 && config.group_subchannels >= 1, "at least one subchannel");
        let group_subchannels = config.group_subchannels.min(subchannels);
        let granularity = Granularity { subchannels, group_subchannels, effective: config.effective };
        // From the measurement in use to the newest: those of the delay, and one.
        let rows = config.delay_slots.div_ceil(usize::try_from(config.period_slots).unwrap_or(usize::MAX)) + 1;
        Self {
            // Rows are single precision.
            error_sd_db: config.error_sd_db as f32,
            quantisation_db: config.quantisation_db as f32,
            backoff_db: config.backoff_db as f32,
            delay_slots: config.delay_slots as u64,
            period_slots: config.period_slots,
            granularity,
            errors: CounterStream::new(seed, Purpose::EstimationNoise, user),
            normals: Vec::new(),
            measured_db: Vec::new(),
            rows: rows as u64,
            next: Slot::ZERO,
            wide: VectorPath::is_wide(),
        }
    }

    /// The same, of a user whose first slot is `first`.
    #[must_use]
    pub fn from(self, first: Slot) -> Self {
        Self { next: first, ..self }
    }

    /// Makes up for slots that were left out before `slot`: measures in those whose measurements are used from `slot` on. `truth`
    /// writes the truth of a slot into `true_db`, which has a value per subchannel.
    pub fn catch_up(&mut self, slot: Slot, true_db: &mut [f32], mut truth: impl FnMut(Slot, &mut [f32])) {
        if self.next >= slot {
            return;
        }
        if self.remembers() {
            let oldest_used = slot.number().saturating_sub(self.delay_slots) / self.period_slots * self.period_slots;
            let mut missed = oldest_used.max(self.next.number().next_multiple_of(self.period_slots));
            while missed < slot.number() {
                truth(Slot::new(missed), true_db);
                self.measure(Slot::new(missed), true_db);
                missed += self.period_slots;
            }
        }
        self.next = slot;
    }

    /// Writes what the base station reckons with in `slot`, given the truth in it; both have a value per subchannel.
    ///
    /// Slots come one after the other, or after [`Self::catch_up`]; with neither delay nor period they may come in any order.
    pub fn advance(&mut self, slot: Slot, true_db: &[f32], reported_db: &mut [f32]) {
        assert!(true_db.len() == self.granularity.subchannels, "a value per subchannel");
        assert!(reported_db.len() == self.granularity.subchannels, "a value per subchannel");
        assert!(!self.remembers() || slot == self.next, "late or periodic reports need every slot");
        self.next = slot.next();
        if slot.number().is_multiple_of(self.period_slots) {
            self.measure(slot, true_db);
        }
        match slot.number().checked_sub(self.delay_slots) {
            Some(sent) if !self.measured_db.is_empty() => self.spread(sent / self.period_slots, reported_db),
            _ => reported_db.fill(f32::NEG_INFINITY),
        }
    }

    fn remembers(&self) -> bool {
        self.period_slots > 1 || self.delay_slots > 0
    }

    fn measure(&mut self, slot: Slot, true_db: &[f32]) {
        let groups = self.granularity.groups();
        self.measured_db.resize(self.rows as usize * groups, f32::NEG_INFINITY);
        if self.error_sd_db > 0.0 {
            self.normals.resize(groups, 0.0);
            // Each slot has as many draws as there are groups; with one they are those of a carrier's report.
            let first = slot.number().wrapping_mul(self.normals.len() as u64);
            self.errors.fill_normal(Slot::new(first), &mut self.normals);
        }
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` is only set where the registers are.
            unsafe { self.measure_wide(slot, true_db) };
            return;
        }
        self.measure_portable(slot, true_db);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn measure_wide(&mut self, slot: Slot, true_db: &[f32]) {
        self.measure_portable(slot, true_db);
    }

    #[inline(always)]
    fn measure_portable(&mut self, slot: Slot, true_db: &[f32]) {
        let row = self.row_of(slot.number() / self.period_slots);
        let measured_db = &mut self.measured_db[row];
        match self.granularity.group_subchannels {
            1 => measured_db.copy_from_slice(true_db),
            group => {
                for (value, members) in measured_db.iter_mut().zip(true_db.chunks(group)) {
                    *value = self.granularity.effective.of(members);
                }
            }
        }
        for (value, normal) in measured_db.iter_mut().zip(&self.normals) {
            *value += self.error_sd_db * normal;
        }
        if self.quantisation_db > 0.0 {
            for value in measured_db.iter_mut() {
                *value = nearest_integer(*value / self.quantisation_db) * self.quantisation_db;
            }
        }
        // Taking 0 off changes no bit.
        if self.backoff_db.to_bits() != 0 {
            for value in measured_db {
                *value -= self.backoff_db;
            }
        }
    }

    fn spread(&self, measurement: u64, reported_db: &mut [f32]) {
        let measured_db = &self.measured_db[self.row_of(measurement)];
        match self.granularity.group_subchannels {
            1 => reported_db.copy_from_slice(measured_db),
            group => {
                for (members, value) in reported_db.chunks_mut(group).zip(measured_db) {
                    members.fill(*value);
                }
            }
        }
    }

    fn row_of(&self, measurement: u64) -> std::ops::Range<usize> {
        let groups = self.granularity.groups();
        // Below the number of rows, so it fits.
        let first = (measurement % self.rows) as usize * groups;
        first..first + groups
    }
}

impl Granularity {
    fn groups(self) -> usize {
        self.subchannels.div_ceil(self.group_subchannels)
    }
}

impl EffectiveSnr {
    /// Equal members give that value, exactly where it is a mean of dB: a sum of so few single-precision numbers is exact
    /// in double precision when they are equal.
    #[inline(always)]
    fn of(self, members_db: &[f32]) -> f32 {
        match members_db {
            [alone] => *alone,
            _ => match self {
                Self::MeanDb => mean_of(members_db, |db| db),
                Self::MeanCapacity => decibels_of_bits(mean_of(members_db, bits_per_hertz)),
            },
        }
    }
}

/// The mean of `value` over `members`: member i is added in lane i modulo 8, then lanes in their order.
#[inline(always)]
fn mean_of(members: &[f32], value: impl Fn(f32) -> f32) -> f32 {
    const LANES: usize = 8;
    let mut sums = [0.0_f64; LANES];
    let (eights, rest) = members.as_chunks::<LANES>();
    for eight in eights {
        let values = eight.map(&value);
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += f64::from(value);
        }
    }
    for (sum, member) in sums.iter_mut().zip(rest) {
        *sum += f64::from(value(*member));
    }
    let total: f64 = sums.iter().sum();
    // Rows are single precision.
    (total / members.len() as f64) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_compiled_paths_give_the_same_bits() {
        for group_subchannels in [1, 3, 8, 16, 203] {
            for effective in [EffectiveSnr::MeanDb, EffectiveSnr::MeanCapacity] {
                let config = ReportConfig {
                    error_sd_db: 1.5,
                    delay_slots: 3,
                    period_slots: 2,
                    quantisation_db: 0.25,
                    backoff_db: 0.7,
                    group_subchannels,
                    effective,
                    ..ReportConfig::default()
                };
                let mut narrow = ReportRow::new(config, 203, 1, 0);
                let mut wide = narrow.clone();
                narrow.wide = false;
                let (mut a, mut b) = ([0.0_f32; 203], [0.0_f32; 203]);
                for slot in 0..20_u16 {
                    let truth: [f32; 203] = std::array::from_fn(|s| (s as f32 * 1.37 + f32::from(slot)) % 40.0 - 15.0);
                    narrow.advance(Slot::new(slot.into()), &truth, &mut a);
                    wide.advance(Slot::new(slot.into()), &truth, &mut b);
                    assert_eq!(a.map(f32::to_bits), b.map(f32::to_bits));
                }
            }
        }
    }
}
