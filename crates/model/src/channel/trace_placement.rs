//! Which recorded traces users replay, and how their files are read.
//!
//! Left out: the files themselves, which the caller reads; what it needs for that is kept for the record.

use super::{AtEnd, Between};
use crate::types::declare::{Field, Form, PerUser, Reader, Rule, Section, Value, Words};

/// Users replay measured traces of SNR or rate; user i replays `files[i % number of files]`.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(class = "Trace")]
pub struct TracePlacement {
    /// Paths of the files; relative ones count from the folder of the TOML file. `${AIRLINK_TRACES}` stands for that
    /// environment variable.
    #[field(at_least = 1, at_most = 4096, pattern("", "the path of a file"), items = 1)]
    pub files: Vec<String>,
    /// "csv": one row per sample, as text with or without a header line (lines that start with # and empty lines are
    /// skipped), or as Parquet, which is told by its content. "mahimahi": one whole number a line, the millisecond of an
    /// opportunity to send 1500 bytes; the last line is the length of the trace. Both may be compressed by gzip.
    #[field(default = TraceFormat::Csv, source = "airlink default")]
    pub format: TraceFormat,
    /// CSV: what stands between cells. "auto": looks, outside quotes, at the header and the first 20 rows: a tab if all
    /// have one, else the first of semicolon, comma and blanks that at least half of the rows have. "blanks": one or more
    /// blanks or tabs. A decimal comma is read between semicolons, unless it may stand between thousands everywhere.
    #[field(default = Separator::Auto, source = "airlink default")]
    pub separator: Separator,
    /// What the values are (after `value_scale`): an SNR in dB or a rate in b/s. Mahimahi needs "rate_bps".
    #[field(default = Quantity::SnrDb, source = "airlink default")]
    pub quantity: Quantity,
    /// CSV: name of the column of values in the header line, or its number from 1; empty: the last column.
    #[field(at_least = 0, at_most = 200, default = String::new(), source = "airlink default")]
    pub value_column: String,
    /// CSV: names or numbers of the columns of values, one for each subchannel of the carrier, from the lowest frequency
    /// up; `*` stands for any letters, and gives all columns that match, in their order in the file ("sinr_*"). Each
    /// subchannel then has an SNR of its own: needs `quantity` "snr_db", and no tapped delay line. Empty: `value_column`.
    #[field(
        at_least = 1,
        at_most = 200,
        pattern("", "the name or number of a column"),
        default = Vec::new(),
        source = "airlink default"
    )]
    pub value_columns: Vec<String>,
    /// CSV: name or number of the column of times, which must increase strictly; the first row is time 0 of the trace.
    /// Empty: rows are `row_interval_s` apart.
    #[field(at_least = 0, at_most = 200, default = String::new(), source = "airlink default")]
    pub time_column: String,
    /// CSV: unit of the column of times. "by_name": ms if its name in the header ends so (time_ms, `time [ms]`), else s.
    #[field(default = TimeUnit::ByName, source = "airlink default")]
    pub time_unit: TimeUnit,
    /// CSV: time from row to row without `time_column`; with it, how long the last row lasts.
    #[field(
        unit = "s",
        at_least = 1e-6,
        at_most = 1e6,
        default = 1.0,
        source = "airlink default: drive tests log once a second"
    )]
    pub row_interval_s: f64,
    /// A number: values of the file are multiplied by it (1000 for a column in kb/s), whatever their column is called.
    /// "by_name": a rate whose name in the header ends in a unit (rate_kbps, `rate [Mb/s]`) has that unit; DL_bitrate and
    /// UL_bitrate of the UCC data sets are in kb/s; anything else is in b/s or dB.
    #[field(above = 0, at_most = 1e12, words("by_name"), default = ValueScale::ByName, source = "airlink default")]
    pub value_scale: ValueScale,
    /// CSV: the mark of a value that was not reported; the value before holds on (at the start of the file: the first
    /// that was reported). An empty cell counts as missing too.
    #[field(at_least = 0, at_most = 100, default = "-".to_owned(), source = "UCC 5G data set")]
    pub missing: String,
    /// Mahimahi: opportunities are averaged over windows of this length; the total is kept, and the trace is filled up
    /// to whole windows.
    #[field(unit = "ms", at_least = 1, at_most = 1e6, default = 100.0, source = "airlink default")]
    pub averaging_ms: f64,
    /// After the last row: "loop" starts again at the first, "stop" leaves the user without a channel (no rate).
    #[field(default = AtEnd::Loop, source = "Mahimahi loops")]
    pub at_end: AtEnd,
    /// Between two rows: "hold" the earlier value, or "linear" in the unit of the file.
    #[field(default = Between::Hold, source = "airlink default")]
    pub between: Between,
    /// Where in the trace a user starts: one for all, or a list of one per user.
    #[field(
        unit = "s",
        at_least = 0,
        at_most = 1e9,
        items = 1,
        default = PerUser::All(0.0),
        source = "airlink default"
    )]
    pub offset_s: PerUser,
    /// true: each user starts at a place drawn uniformly over the trace, redrawn for every seed, and `offset_s` is not
    /// used.
    #[field(default = false, source = "airlink default")]
    pub random_offset: bool,
    /// Rate traces: 0 = the user replays the rate itself (needs link.rate.kind = "trace"); above 0 = the rate is turned
    /// into the SNR 2^(rate / bandwidth) - 1 and the whole link model applies.
    #[field(unit = "Hz", at_least = 0, at_most = 1e12, default = 0.0, source = "airlink default")]
    pub equivalent_bandwidth_hz: f64,
    /// SHA-256 of each file; filled in when the files are read, and checked when given.
    #[field(
        at_least = 64,
        at_most = 64,
        pattern("[0-9a-f]{64}", "64 hexadecimal digits"),
        default = Vec::new(),
        source = "airlink default"
    )]
    pub sha256: Vec<String>,
}

/// The format of a trace's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum TraceFormat {
    /// Comma-separated values.
    Csv,
    /// Opportunities to send a packet.
    Mahimahi,
}

/// What a trace's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Quantity {
    /// SNR in dB.
    SnrDb,
    /// A rate in b/s.
    RateBps,
}

/// What stands between the cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Separator {
    /// As the first rows show it.
    Auto,
    /// A comma.
    Comma,
    /// A semicolon.
    Semicolon,
    /// A tab.
    Tab,
    /// One or more blanks or tabs.
    Blanks,
}

/// The unit of a column of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum TimeUnit {
    /// As the name of the column says.
    ByName,
    /// Seconds.
    #[word("s")]
    Seconds,
    /// Milliseconds.
    #[word("ms")]
    Milliseconds,
}

/// What the values of a file are multiplied by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueScale {
    /// As given.
    Given(f64),
    /// As the name of the column says.
    ByName,
}

impl ValueScale {
    const BY_NAME: &str = "by_name";
}

impl Field for ValueScale {
    fn form(rule: &Rule) -> Form {
        f64::form(rule)
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        match value {
            Value::Text(word) if word == Self::BY_NAME => Some(Self::ByName),
            value => match rule.range.number(value, false) {
                Some(scale) => Some(Self::Given(scale)),
                None => {
                    let allowed = format!("{} or {:?}", rule.range.allowed(false), Self::BY_NAME);
                    reader.not_allowed(value, &allowed)
                }
            },
        }
    }

    fn write(&self, rule: &Rule) -> Value {
        match self {
            Self::Given(scale) => scale.write(rule),
            Self::ByName => Value::Text(Self::BY_NAME.to_owned()),
        }
    }
}

impl TracePlacement {
    /// How long a trace's last row lasts, s: a row interval, or of a Mahimahi file the window of its averages.
    pub fn last_row_s(&self) -> f64 {
        match self.format {
            TraceFormat::Csv => self.row_interval_s,
            TraceFormat::Mahimahi => self.averaging_ms / 1e3,
        }
    }

    /// The values of a row of a carrier with so many subchannels.
    pub fn row_width(&self, subchannels: usize) -> usize {
        if self.value_columns.is_empty() { 1 } else { subchannels }
    }

    /// True if the rates themselves are replayed, without an SNR.
    pub fn replays_rates(&self) -> bool {
        self.quantity == Quantity::RateBps && self.equivalent_bandwidth_hz == 0.0
    }
}
