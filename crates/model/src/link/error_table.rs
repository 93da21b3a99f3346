//! Rates of block errors from a table, by scheme, SINR and, where the table has them, lengths of the block.
//!
//! Between two SINRs of a scheme's curve the logarithm of the error rate is linear in dB (`log_bler`), which is nearly how it falls on its
//! steep part, or the error rate itself (`bler`), which is never less. Beyond the first and last SINR the rate is that of the end. Between
//! two lengths the same of both holds over the logarithm of the length; beyond the shortest and longest the nearest curve holds. A logarithm
//! does not reach 0: next to a rate of 0 rates are linear. So the rate never rises with the SINR, as the table's rates do not.
//!
//! Left out: smoothing of measured points, extrapolation, tables over more than one SINR.

use std::fmt;

use super::RateConfig;
use crate::types::declare::{Section, Words};

/// Error rates from a file.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(class = "TableErrorCurve")]
pub struct ErrorTableConfig {
    /// Path of a file, from the folder of the TOML file: CSV with a header line, or Parquet (`.parquet`). Columns: `mcs` = number of the scheme in
    /// the set, or of the row in the table of rates, from 0; `sinr_db`; `bler`; and, with several lengths of the block, `cbs_bits`.
    #[field(at_least = 1, at_most = 4096, pattern("", "the path of a file"))]
    pub file: String,
    /// What is linear between two SINRs, in dB, and between two lengths, over their logarithm: "log_bler" = the logarithm of the error
    /// rate, "bler" = the error rate. Next to an error rate of 0 it is the error rate.
    #[field(default = Interpolation::LogBler, source = "airlink default: error rates fall steeply, by orders of magnitude a dB")]
    pub interpolation: Interpolation,
    /// SHA-256 of the file; filled in when it is read, and checked when given.
    #[field(
        at_least = 0,
        at_most = 64,
        pattern("([0-9a-f]{64})?", "64 hexadecimal digits"),
        default = String::new(),
        source = "airlink default"
    )]
    pub sha256: String,
    /// Filled in from the file: scheme of each row, rising.
    #[field(at_least = 0, at_most = 254, default, source = "airlink default: those of `file`")]
    pub mcs: Vec<u8>,
    /// Filled in from the file: length of the block of each row, rising within a scheme; empty: the same rates at all lengths.
    #[field(unit = "bits", at_least = 1, at_most = 1e7, default, source = "airlink default: those of `file`")]
    pub cbs_bits: Vec<f64>,
    /// Filled in from the file: SINR of each row, rising within a length.
    #[field(unit = "dB", at_least = -200, at_most = 200, default, source = "airlink default: those of `file`")]
    pub sinr_db: Vec<f64>,
    /// Filled in from the file: error rate of each row, never rising with the SINR.
    #[field(at_least = 0, at_most = 1, default, source = "airlink default: those of `file`")]
    pub bler: Vec<f64>,
}

/// What is linear between two points of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Interpolation {
    /// The logarithm of the error rate.
    LogBler,
    /// The error rate.
    Bler,
}

/// What is wrong with the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorTableError {
    /// The lists are not of one length.
    Lengths,
    /// Rows are not in the order of scheme, length and SINR, each strictly rising.
    Order,
    /// An error rate rises with the SINR.
    Rises,
    /// A scheme has no row.
    NoScheme(usize),
}

impl fmt::Display for ErrorTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lengths => f.write_str("lists of different lengths"),
            Self::Order => f.write_str("rows out of order, or twice"),
            Self::Rises => f.write_str("an error rate that rises with the SINR"),
            Self::NoScheme(scheme) => write!(f, "a table without scheme {scheme}"),
        }
    }
}

/// Error rates by scheme, length and SINR.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorTable {
    interpolation: Interpolation,
    /// By the number of the scheme; the curves of each by their length.
    schemes: Vec<Vec<Curve>>,
}

/// The error rates of one scheme at one length.
#[derive(Clone, Debug, PartialEq)]
struct Curve {
    /// Natural logarithm of the length.
    ln_bits: f64,
    points: Vec<(f64, ErrorRate)>,
}

/// An error rate and its natural logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ErrorRate {
    bler: f64,
    ln: f64,
}

impl ErrorTable {
    /// The table of `config` for the schemes 0 to `schemes` - 1.
    pub fn new(config: &ErrorTableConfig, schemes: usize) -> Result<Self, ErrorTableError> {
        let ErrorTableConfig { mcs, cbs_bits, sinr_db, bler, .. } = config;
        let rows = mcs.len();
        if sinr_db.len() != rows || bler.len() != rows || !(cbs_bits.is_empty() || cbs_bits.len() == rows) {
            return Err(ErrorTableError::Lengths);
        }
        let mut table =
            Self { interpolation: config.interpolation, schemes: vec![Vec::new(); 1 + usize::from(u8::MAX)] };
        let mut last = None;
        for row in 0..rows {
            let bits = cbs_bits.get(row).copied().unwrap_or(1.0);
            let place = (mcs[row], bits, sinr_db[row]);
            if last.is_some_and(|last| last >= place) {
                return Err(ErrorTableError::Order);
            }
            last = Some(place);
            table.push(place, ErrorRate::new(bler[row]))?;
        }
        table.schemes.truncate(schemes);
        match table.schemes.iter().position(Vec::is_empty) {
            Some(scheme) => Err(ErrorTableError::NoScheme(scheme)),
            None => Ok(table),
        }
    }

    fn push(&mut self, (mcs, bits, sinr_db): (u8, f64, f64), rate: ErrorRate) -> Result<(), ErrorTableError> {
        let curves = &mut self.schemes[usize::from(mcs)];
        let ln_bits = libm::log(bits);
        match curves.last_mut() {
            Some(curve) if curve.ln_bits == ln_bits => {
                if curve.points.last().is_some_and(|(_, before)| before.bler < rate.bler) {
                    return Err(ErrorTableError::Rises);
                }
                curve.points.push((sinr_db, rate));
            }
            _ => curves.push(Curve { ln_bits, points: vec![(sinr_db, rate)] }),
        }
        Ok(())
    }

    /// The error rate of a block of `bits` of a scheme at `sinr_db`.
    pub fn bler(&self, scheme: usize, bits: f64, sinr_db: f64) -> f64 {
        let (below, above, share) = around(&self.schemes[scheme], libm::log(bits), |curve| curve.ln_bits);
        let at = |curve: &Curve| {
            let (below, above, share) = around(&curve.points, sinr_db, |point| point.0);
            self.blend(below.1, above.1, share)
        };
        self.blend(at(below), if share > 0.0 { at(above) } else { at(below) }, share).bler
    }

    /// The rate that is `share` of the way from one to the other.
    fn blend(&self, from: ErrorRate, to: ErrorRate, share: f64) -> ErrorRate {
        if share <= 0.0 || from == to {
            return from;
        }
        let is_log = self.interpolation == Interpolation::LogBler && from.bler > 0.0 && to.bler > 0.0;
        if is_log {
            let ln = from.ln + share * (to.ln - from.ln);
            ErrorRate { bler: libm::exp(ln), ln }
        } else {
            ErrorRate::new(from.bler + share * (to.bler - from.bler))
        }
    }
}

impl ErrorRate {
    fn new(bler: f64) -> Self {
        Self { bler, ln: libm::log(bler) }
    }
}

/// The neighbours of `x` among rising places, and how far it is from the first to the second; beyond the ends the end, and 0.
fn around<T>(all: &[T], x: f64, place: impl Fn(&T) -> f64) -> (&T, &T, f64) {
    let after = all.partition_point(|one| place(one) <= x);
    let (below, above) = (&all[after.saturating_sub(1)], &all[after.min(all.len() - 1)]);
    let (from, to) = (place(below), place(above));
    let share = if from <= x && to > from { (x - from) / (to - from) } else { 0.0 };
    (below, above, share)
}

impl RateConfig {
    /// How many schemes there are: those of the set, or rows of the table of rates; 0 where rates come from neither.
    pub fn schemes(&self) -> usize {
        match self {
            Self::Table(table) => table.thresholds_db.len(),
            Self::Mcs(rates) => rates.bits_per_symbol.len(),
            Self::Capacity(_) | Self::Trace => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows (mcs, bits, sinr_db, bler).
    fn config(interpolation: Interpolation, rows: &[(u8, f64, f64, f64)]) -> ErrorTableConfig {
        ErrorTableConfig {
            file: "by hand".to_owned(),
            interpolation,
            sha256: String::new(),
            mcs: rows.iter().map(|row| row.0).collect(),
            cbs_bits: rows.iter().map(|row| row.1).collect(),
            sinr_db: rows.iter().map(|row| row.2).collect(),
            bler: rows.iter().map(|row| row.3).collect(),
        }
    }

    const TWO_ROWS: [(u8, f64, f64, f64); 2] = [(0, 100.0, 2.0, 0.1), (0, 100.0, 4.0, 0.001)];

    #[test]
    fn two_rows_give_the_numbers_by_hand() {
        let at = |interpolation, sinr_db| {
            ErrorTable::new(&config(interpolation, &TWO_ROWS), 1).expect("a table").bler(0, 7.0, sinr_db)
        };
        // A quarter of the way down: half a decade; and by the rate itself 0.1 - 0.25 x 0.099.
        assert!((at(Interpolation::LogBler, 2.5) - 0.031_622_776_6).abs() < 1e-10);
        assert!((at(Interpolation::Bler, 2.5) - 0.075_25).abs() < 1e-12);
        for interpolation in [Interpolation::LogBler, Interpolation::Bler] {
            assert_eq!([-90.0, 2.0, 4.0, 90.0].map(|db| at(interpolation, db)), [0.1, 0.1, 0.001, 0.001]);
        }
    }

    #[test]
    fn next_to_a_rate_of_0_rates_are_linear() {
        let rows = [(0, 1.0, 0.0, 0.2), (0, 1.0, 1.0, 0.0)];
        let table = ErrorTable::new(&config(Interpolation::LogBler, &rows), 1).expect("a table");
        assert!((table.bler(0, 1.0, 0.75) - 0.05).abs() < 1e-12);
        assert_eq!(table.bler(0, 1.0, 1.5), 0.0);
    }

    #[test]
    fn between_two_lengths_the_logarithm_of_the_length_counts() {
        let rows = [TWO_ROWS[0], TWO_ROWS[1], (0, 10_000.0, 3.0, 1e-3), (0, 10_000.0, 5.0, 1e-5)];
        let at = |interpolation, bits, db| {
            ErrorTable::new(&config(interpolation, &rows), 1).expect("a table").bler(0, bits, db)
        };
        // At 3 dB the short block has 0.01 by logarithms, (0.1 + 0.001) / 2 by rates; 1000 bits are half way to 10 000.
        assert!((at(Interpolation::LogBler, 1000.0, 3.0) - libm::pow(10.0, -2.5)).abs() < 1e-12);
        assert!((at(Interpolation::Bler, 1000.0, 3.0) - (0.0505 + 0.001) / 2.0).abs() < 1e-12);
        assert_eq!(at(Interpolation::LogBler, 5.0, 2.0), 0.1);
        assert_eq!(at(Interpolation::LogBler, 1e6, 5.0), 1e-5);
    }

    #[test]
    fn the_rate_never_rises_with_the_sinr() {
        let rows = [
            (0, 50.0, -3.0, 1.0),
            (0, 50.0, 0.0, 0.7),
            (0, 50.0, 1.0, 0.7),
            (0, 50.0, 2.0, 0.01),
            (0, 50.0, 9.0, 0.0),
            (0, 900.0, -1.0, 0.9),
            (0, 900.0, 0.5, 1e-4),
            (0, 900.0, 3.0, 1e-9),
        ]; // out of step: each interval of one meets several of the other
        for interpolation in [Interpolation::LogBler, Interpolation::Bler] {
            let table = ErrorTable::new(&config(interpolation, &rows), 1).expect("a table");
            for bits in [20.0, 50.0, 51.0, 200.0, 900.0, 5000.0] {
                let rates: Vec<f64> = (-500..1000).map(|step| table.bler(0, bits, f64::from(step) * 0.01)).collect();
                assert!(rates.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)), "{bits} bits");
            }
        }
    }

    #[test]
    fn a_table_that_is_none_is_refused() {
        let error = |rows: &[(u8, f64, f64, f64)], schemes| {
            ErrorTable::new(&config(Interpolation::Bler, rows), schemes).expect_err("no table")
        };
        assert_eq!(error(&TWO_ROWS, 2), ErrorTableError::NoScheme(1));
        assert_eq!(error(&[TWO_ROWS[1], TWO_ROWS[0]], 1), ErrorTableError::Order);
        assert_eq!(error(&[TWO_ROWS[0], TWO_ROWS[0]], 1), ErrorTableError::Order);
        assert_eq!(error(&[(0, 1.0, 0.0, 0.1), (0, 1.0, 1.0, 0.2)], 1), ErrorTableError::Rises);
        let short = ErrorTableConfig { bler: vec![0.1], ..config(Interpolation::Bler, &TWO_ROWS) };
        assert_eq!(ErrorTable::new(&short, 1), Err(ErrorTableError::Lengths));
    }
}
