//! From the SINR that the base station knows to the rate it selects.
//!
//! Table: the highest rate whose threshold is at most the reported SINR, compared in single precision; a value
//! exactly at a threshold qualifies; below the lowest threshold the rate is 0. Capacity: see [`CapacityRule`]. A user
//! without a report (minus infinity) has rate 0 with both.
//!
//! Left out: rates that depend on the packet, several code words.

use std::sync::Arc;

use super::{CapacityConfig, CapacityRule, Mcs, McsConfig, Report};
use crate::types::declare::{Section, Words};
use crate::types::{BLOCK_SLOTS, VectorPath};

/// Rows of a table that one pass over the reports handles: of a short one all, as many as fit the registers, and of a longer one.
const FEW_RUNGS: usize = 6;
const RUNGS: usize = 5;

/// The largest spectral efficiency of a link, bits per second and Hz.
const MOST_BITS_PER_HZ: f64 = 100.0;

/// The rates of a carrier, and how the reported SNR selects one.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(class = "RateChoice")]
pub enum RateConfig {
    /// The highest rate whose threshold is at or below the reported SNR; 0 below the first.
    #[section(class = "RateFromTable", about = "Rate steps with SNR thresholds")]
    Table(TableConfig),
    /// R = bits a symbol x code rate x bandwidth x (1 - overhead) of the fastest scheme whose threshold is met.
    ///
    /// A scheme's threshold is the SNR at which blocks of `reference_bits` are lost with probability `target_bler`, by the
    /// normal approximation of the best code of that length. Schemes that another scheme beats (at least as fast at no
    /// higher SNR) are left out; `airlink check` lists the schemes in use.
    #[section(class = "RateFromMcs", about = "Modulation and coding schemes, with thresholds from their error rates")]
    Mcs(McsConfig),
    /// R = min(bandwidth log2(1 + SNR / gap), max_rate).
    #[section(class = "RateFromCapacity", about = "Shannon capacity with a gap")]
    Capacity(CapacityConfig),
    /// The replayed rate itself; needs a rate trace with equivalent_bandwidth_hz = 0, and the other way round.
    #[section(class = "RateFromTrace", about = "The rate of the trace")]
    Trace,
}

impl RateConfig {
    /// The highest rate of the carrier, b/s; 0 if a trace gives the rate.
    pub fn top_bps(&self) -> f64 {
        match self {
            Self::Table(table) => table.rates_bps.iter().copied().fold(0.0, f64::max),
            Self::Capacity(capacity) => capacity.max_rate.bps().min(MOST_BITS_PER_HZ * capacity.bandwidth_hz),
            Self::Mcs(rates) => rates.bps_of(rates.schemes().map(Mcs::efficiency).fold(0.0, f64::max)),
            Self::Trace => 0.0,
        }
    }

    /// Whether each rate has a required SNR.
    pub fn has_thresholds(&self) -> bool {
        matches!(self, Self::Table(_) | Self::Mcs(_))
    }
}

/// Rates and the thresholds from which they may be used.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(class = "RateFromTable")]
pub struct TableConfig {
    /// "custom": the two lists of this table; "1xev-do" ([EvdoTcp], Table I), "klein-2004" ([Klein04], profile K3) and
    /// "imt-advanced" ([Kakuda], profile W1) have lists of their own: leave these two out.
    #[field(default = NamedTable::Custom, source = "airlink default")]
    pub name: NamedTable,
    /// SNR from which each rate may be used, strictly increasing.
    #[field(unit = "dB", at_least = -200, at_most = 200, default, source = "airlink default: those of `name`")]
    pub thresholds_db: Vec<f64>,
    /// The rates, as many as thresholds, strictly increasing.
    #[field(unit = "b/s", above = 0, at_most = 1e12, default, source = "airlink default: those of `name`")]
    pub rates_bps: Vec<f64>,
}

/// How a rate follows from an SINR.
#[derive(Clone, Debug, PartialEq)]
pub enum RateRule {
    /// From a table of thresholds.
    Table(RateTable),
    /// By the channel's capacity.
    Capacity(CapacityRule),
}

impl RateRule {
    /// Writes the rates in bits per second for a block of reports.
    pub fn fill(&self, report: &Report, rate_bps: &mut [f32; BLOCK_SLOTS]) {
        self.fill_row(&report.db, rate_bps);
    }

    /// The rate in bits per second at `snr_db`: the same bits as [`RateRule::fill`] gives.
    pub fn rate_bps(&self, snr_db: f32) -> f32 {
        match self {
            Self::Table(table) => table.rate_bps(snr_db),
            Self::Capacity(rule) => rule.rate_bps(snr_db),
        }
    }

    /// Writes the rate in bits per second for each value of a row of reports.
    pub fn fill_row(&self, reported_db: &[f32], rate_bps: &mut [f32]) {
        assert!(reported_db.len() == rate_bps.len(), "a rate for every report");
        #[cfg(target_arch = "x86_64")]
        if VectorPath::is_wide() {
            // SAFETY: the processor has these registers.
            unsafe { self.fill_row_wide(reported_db, rate_bps) };
            return;
        }
        self.fill_row_portable(reported_db, rate_bps);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_row_wide(&self, reported_db: &[f32], rate_bps: &mut [f32]) {
        self.fill_row_portable(reported_db, rate_bps);
    }

    #[inline(always)]
    fn fill_row_portable(&self, reported_db: &[f32], rate_bps: &mut [f32]) {
        match self {
            Self::Table(table) => {
                table.climb(reported_db, rate_bps, |row| row.rate_bps, 0.0);
            }
            Self::Capacity(rule) => {
                for (rate, snr_db) in rate_bps.iter_mut().zip(reported_db) {
                    *rate = rule.rate_bps(*snr_db);
                }
            }
        }
    }

    /// Writes the row of the table, counted from 0, that each value of a row of reports allows; 0 also below the lowest
    /// threshold, where the rate is 0, and where rates come from no table.
    pub fn fill_mcs(&self, reported_db: &[f32], mcs: &mut [u16]) {
        assert!(reported_db.len() == mcs.len(), "a row of the table for every report");
        if let (Self::Table(table), &[reported_db], [mcs]) = (self, reported_db, &mut *mcs) {
            *mcs = table.row_of(reported_db).map_or(0, |row| row.number);
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if VectorPath::is_wide() {
            // SAFETY: the processor has these registers.
            unsafe { self.fill_mcs_wide(reported_db, mcs) };
            return;
        }
        self.fill_mcs_portable(reported_db, mcs);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_mcs_wide(&self, reported_db: &[f32], mcs: &mut [u16]) {
        self.fill_mcs_portable(reported_db, mcs);
    }

    #[inline(always)]
    fn fill_mcs_portable(&self, reported_db: &[f32], mcs: &mut [u16]) {
        let Self::Table(table) = self else {
            mcs.fill(0);
            return;
        };
        table.climb(reported_db, mcs, |row| row.number, 0);
    }

    /// The least SINR in dB that allows `rate_bps`: minus infinity for 0, plus infinity for a rate that is never selected.
    pub fn required_db(&self, rate_bps: f32) -> f32 {
        if rate_bps <= 0.0 {
            return f32::NEG_INFINITY;
        }
        match self {
            Self::Table(table) => table.required_db(rate_bps),
            Self::Capacity(rule) => rule.required_db(rate_bps),
        }
    }
}

/// Thresholds and the rates they allow, both increasing. Its clones share the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct RateTable {
    /// The last one comes again until passes are full.
    rows: Arc<[Row]>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    threshold_db: f32,
    rate_bps: f32,
    /// Counted from 0.
    number: u16,
}

/// Why rows make no table of rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateTableError {
    /// No rows.
    Empty,
    /// There are more or fewer thresholds than rates.
    Lengths,
    /// This row's threshold is not a number or not above its predecessor's (in single precision).
    Threshold(usize),
    /// This row's rate is not positive and finite or not above its predecessor's (in single precision).
    Rate(usize),
}

impl RateTable {
    /// The table in which a reported SINR of at least `thresholds_db[k]` allows `rates_bps[k]`.
    pub fn new(thresholds_db: &[f64], rates_bps: &[f64]) -> Result<Self, RateTableError> {
        if thresholds_db.is_empty() && rates_bps.is_empty() {
            return Err(RateTableError::Empty);
        }
        if thresholds_db.len() != rates_bps.len() {
            return Err(RateTableError::Lengths);
        }
        let mut rows: Vec<Row> = Vec::with_capacity(rates_bps.len());
        for (index, (threshold_db, rate_bps)) in thresholds_db.iter().zip(rates_bps).enumerate() {
            // Blocks are single precision, so thresholds are compared in it.
            // A table has far fewer rows than there are numbers.
            let row = Row { threshold_db: *threshold_db as f32, rate_bps: *rate_bps as f32, number: index as u16 };
            let nothing = Row { threshold_db: f32::NEG_INFINITY, rate_bps: 0.0, number: 0 };
            let last = rows.last().copied().unwrap_or(nothing);
            if row.threshold_db.is_nan() || row.threshold_db <= last.threshold_db {
                return Err(RateTableError::Threshold(index));
            }
            if !row.rate_bps.is_finite() || row.rate_bps <= last.rate_bps {
                return Err(RateTableError::Rate(index));
            }
            rows.push(row);
        }
        let (count, last) = (rows.len(), rows[rows.len() - 1]);
        rows.resize(if count <= FEW_RUNGS { FEW_RUNGS } else { count.next_multiple_of(RUNGS) }, last);
        Ok(Self { rows: rows.into() })
    }

    /// A table of the literature.
    pub fn named(name: NamedTable) -> Self {
        let (thresholds_db, rates_bps) = name.rows();
        Self::new(thresholds_db, rates_bps).expect("a table of the literature is valid")
    }

    /// Sets each element of `out` to `value` of the highest row whose threshold its SINR reaches, or to `lowest`.
    #[inline(always)]
    fn climb<T: Copy>(&self, snr_db: &[f32], out: &mut [T], value: impl Fn(&Row) -> T, lowest: T) {
        if let ([rungs], []) = self.rows.as_chunks::<FEW_RUNGS>() {
            return climb_by(rungs, snr_db, out, value, |_| lowest);
        }
        let [first, others @ ..] = self.rows.as_chunks::<RUNGS>().0 else { return };
        climb_by(first, snr_db, out, &value, |_| lowest);
        for rungs in others {
            climb_by(rungs, snr_db, out, &value, |reached| reached);
        }
    }

    fn rate_bps(&self, snr_db: f32) -> f32 {
        self.row_of(snr_db).map_or(0.0, |row| row.rate_bps)
    }

    /// The highest row whose threshold is reached.
    fn row_of(&self, snr_db: f32) -> Option<&Row> {
        self.rows.iter().rev().find(|row| snr_db >= row.threshold_db)
    }

    fn required_db(&self, rate_bps: f32) -> f32 {
        self.rows.iter().find(|row| row.rate_bps >= rate_bps).map_or(f32::INFINITY, |row| row.threshold_db)
    }
}

/// One pass of [`RateTable::climb`], given what `start` makes of an element.
///
/// An SINR that reaches a threshold reaches all lower ones. So each row that is reached replaces the one before, without a
/// branch: this vectorises, a search would not.
#[inline(always)]
fn climb_by<T: Copy, const RUNGS: usize>(
    rungs: &[Row; RUNGS],
    snr_db: &[f32],
    out: &mut [T],
    value: impl Fn(&Row) -> T,
    start: impl Fn(T) -> T,
) {
    let rungs = rungs.each_ref().map(|row| (row.threshold_db, value(row)));
    for (out, snr) in out.iter_mut().zip(snr_db) {
        *out = rungs.iter().fold(
            start(*out),
            |reached, &(threshold_db, value)| {
                if *snr >= threshold_db { value } else { reached }
            },
        );
    }
}

/// Tables from the literature, and a scenario's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum NamedTable {
    /// The scenario's own table, without rows here.
    Custom,
    /// Table I of the study `opportunistic-pf`: ten rates of 1xEV-DO ([Bender00]) in slots of 5/3 ms. 204.8 kb/s is no whole
    /// number of its 8-byte segments (5 1/3 a slot).
    #[word("1xev-do")]
    OneXEvDo,
    /// The six rates of [Klein04] (200 to 1600 bytes in slots of 5 ms). The paper prints no thresholds; these are
    /// inferred as Shannon's for 1.25 MHz: 10 log10(2^(R / 1.25 MHz) - 1), rounded to 0.1 dB.
    #[word("klein-2004")]
    Klein2004,
    /// The nine rates of the whole 80 MHz of [Kakuda]; the paper prints no thresholds, these are Shannon's for 80 MHz and 3 dB:
    /// 10 log10(2^(R / 80 MHz) - 1) + 3, rounded to 0.01 dB.
    #[word("imt-advanced")]
    ImtAdvanced,
}

impl NamedTable {
    /// Thresholds in dB and rates in bits per second.
    pub const fn rows(self) -> (&'static [f64], &'static [f64]) {
        match self {
            Self::Custom => (&[], &[]),
            Self::OneXEvDo => (
                &[-12.5, -9.5, -6.5, -5.7, -4.0, -1.0, 1.3, 3.0, 7.2, 9.5],
                &[38.4e3, 76.8e3, 153.6e3, 204.8e3, 307.2e3, 614.4e3, 921.6e3, 1228.8e3, 1843.2e3, 2457.6e3],
            ),
            Self::Klein2004 => (&[-7.1, -5.2, -3.7, 0.1, 2.8, 5.0], &[320e3, 480e3, 640e3, 1280e3, 1920e3, 2560e3]),
            Self::ImtAdvanced => (
                &[-5.54, -2.22, 1.41, 3.08, 5.72, 7.89, 8.87, 11.61, 12.89],
                &[15.128e6, 30.344e6, 60.8e6, 81.04e6, 121.76e6, 162.32e6, 182.64e6, 243.6e6, 274e6],
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Decibel, Rate};

    #[test]
    fn both_compiled_paths_give_the_same_bits() {
        let reported_db: Vec<f32> = (0..407_u16).map(|s| (f32::from(s) * 7.31) % 45.0 - 20.0).collect();
        let table = RateRule::Table(RateTable::named(NamedTable::OneXEvDo));
        let capacity = RateRule::Capacity(CapacityRule::new(80e6, Decibel::new(3.0), Rate::from_bps(300e6)));
        for rule in [table, capacity] {
            let (mut a, mut b) = (vec![0.0; 407], vec![0.0; 407]);
            rule.fill_row(&reported_db, &mut a);
            rule.fill_row_portable(&reported_db, &mut b);
            assert_eq!(a, b);
            let (mut a, mut b) = (vec![9; 407], vec![9; 407]);
            rule.fill_mcs(&reported_db, &mut a);
            rule.fill_mcs_portable(&reported_db, &mut b);
            assert_eq!(a, b);
            let mut alone = [9];
            for (one_db, mcs) in reported_db.chunks(1).zip(&b) {
                rule.fill_mcs(one_db, &mut alone);
                assert_eq!(alone, [*mcs]);
            }
        }
    }
}
