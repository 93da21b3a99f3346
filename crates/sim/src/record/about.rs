//! Declarations of tables and columns, beside the code that fills them; results, their page and `--record` follow from them.

use serde::Serialize;

/// A column of a series, as `columns!` declares it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    pub(crate) name: &'static str,
    pub(crate) is_whole: bool,
    pub(crate) meaning: &'static str,
    /// What stands where there is no value; empty if there always is one.
    pub(crate) missing: &'static str,
    /// What its numbers stand for, if it holds codes.
    pub(crate) codes: fn() -> Codes,
    pub(crate) only: Only,
}

/// Codes and what they stand for.
pub(crate) type Codes = Vec<(u8, &'static str)>;

/// Where a column of a series is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Only {
    Always,
    /// Only where the carrier has several subchannels.
    SeveralSubchannels,
}

impl About {
    pub(crate) const fn whole(name: &'static str, meaning: &'static str) -> Self {
        Self { name, is_whole: true, meaning, missing: "", codes: Vec::new, only: Only::Always }
    }

    pub(crate) const fn real(name: &'static str, meaning: &'static str) -> Self {
        Self { is_whole: false, ..Self::whole(name, meaning) }
    }

    pub(crate) fn column(&self) -> AboutColumn {
        AboutColumn {
            codes: (self.codes)(),
            only: if self.only == Only::Always { "" } else { SEVERAL_SUBCHANNELS },
            ..AboutColumn::new(self.name, self.is_whole, self.meaning, self.missing)
        }
    }
}

/// Where columns are there that only carriers of several subchannels have.
pub(crate) const SEVERAL_SUBCHANNELS: &str = "the carrier has several subchannels";

/// The declaration of a table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AboutTable {
    /// Its name; of a series the one that `--record` takes.
    pub(crate) name: &'static str,
    /// What it holds.
    pub(crate) what: &'static str,
    /// Of a series, what a scenario must have, as `Needs` names it; empty for nothing.
    pub(crate) needs: &'static str,
    /// Of a series, whether it has so few rows that no memory is too small.
    pub(crate) has_few_rows: bool,
    /// Its columns in their order.
    pub(crate) columns: Vec<AboutColumn>,
}

/// The declaration of a column.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AboutColumn {
    /// Its name.
    pub(crate) name: String,
    /// Whole numbers, or else real ones.
    pub(crate) is_whole: bool,
    /// Its unit; empty for counts and ratios.
    pub(crate) unit: &'static str,
    /// What it holds.
    pub(crate) meaning: String,
    /// What stands where there is no value; empty if there always is one.
    pub(crate) missing: &'static str,
    /// What its numbers stand for, if it holds codes.
    pub(crate) codes: Vec<(u8, &'static str)>,
    /// Where it is there; empty if always.
    pub(crate) only: &'static str,
}

impl AboutColumn {
    pub(crate) fn new(
        name: impl Into<String>,
        is_whole: bool,
        meaning: impl Into<String>,
        missing: &'static str,
    ) -> Self {
        let name = name.into();
        let unit = unit_of(&name);
        Self { name, is_whole, unit, meaning: meaning.into(), missing, codes: Vec::new(), only: "" }
    }
}

/// Ends of names and their units, so that the two can't differ.
const UNITS: [(&str, &str); 9] = [
    ("_slots2", "slots^2"),
    ("_slots", "slots"),
    ("_bps", "b/s"),
    ("_s_per_byte", "s/B"),
    ("_bytes", "B"),
    ("_kBps", "log10(kB/s)"),
    ("_db", "dB"),
    ("_m", "m"),
    ("_s", "s"),
];

fn unit_of(column: &str) -> &'static str {
    UNITS.iter().find(|(ending, _)| column.ends_with(ending)).map_or("", |(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_from_names() {
        let names = ["goodput_bps", "gap_square_mean_slots2", "rto_s", "price_s_per_byte", "timeouts"];
        assert_eq!(names.map(unit_of), ["b/s", "slots^2", "s", "s/B", ""]);
    }
}
