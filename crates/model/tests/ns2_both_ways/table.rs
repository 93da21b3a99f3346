//! Tables of segments: those that ns-2 left, and ours, with the numbers of RFC 9293 (a SYN is 0, the first byte 1).

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use airlink_model::transport::Segment;
use airlink_model::types::Time;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    Client,
    Server,
}

/// A segment as its sender hands it over to its first wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    pub at_s: f64,
    pub end: End,
    pub sequence: u64,
    pub length: u64,
    /// None without ACK.
    pub ack: Option<u64>,
    /// F, S and A.
    pub flags: String,
}

impl Sent {
    pub fn of(now: Time, end: End, segment: &Segment) -> Self {
        let set = [(segment.flags.fin(), 'F'), (segment.flags.syn(), 'S'), (segment.flags.ack(), 'A')];
        Self {
            at_s: now.as_secs(),
            end,
            sequence: segment.sequence + u64::from(!segment.flags.syn()),
            length: segment.length.into(),
            ack: segment.flags.ack().then_some(segment.number + 1),
            flags: set.iter().filter(|(set, _)| *set).map(|(_, letter)| letter).collect(),
        }
    }

    /// What it says, without when.
    pub fn content(&self) -> (u64, u64, Option<u64>, &str) {
        (self.sequence, self.length, self.ack, &self.flags)
    }

    fn parse(row: &str) -> Self {
        let cells: Vec<&str> = row.split(',').collect();
        Self {
            at_s: cells[0].parse().expect("a time"),
            end: if cells[1] == "client" { End::Client } else { End::Server },
            sequence: cells[2].parse().expect("a number"),
            length: cells[3].parse().expect("a length"),
            ack: cells[4].parse().ok(),
            flags: cells[5].to_owned(),
        }
    }

    fn row(&self) -> String {
        let end = if self.end == End::Client { "client" } else { "server" };
        let ack = self.ack.map_or("-1".to_owned(), |number| number.to_string());
        format!("{:.6},{end},{},{},{ack},{}", self.at_s, self.sequence, self.length, self.flags)
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/validation/results/ns2-twoway")
}

/// What ns-2 did.
pub fn theirs(name: &str) -> Vec<Sent> {
    read(&folder().join(format!("{name}.csv")))
}

/// What our endpoints did when their table was written.
pub fn kept(name: &str) -> Vec<Sent> {
    read(&folder().join("airlink").join(format!("{name}.csv")))
}

fn read(path: &Path) -> Vec<Sent> {
    let text = fs::read_to_string(path).expect("the table is there");
    text.lines().filter(|line| !line.starts_with('#')).skip(1).map(Sent::parse).collect()
}

/// Compares our segments with those kept for docs/validation.md; `ENDPOINTS=renew` writes them anew.
pub fn hold(name: &str, sent: &[Sent]) {
    let path = folder().join("airlink").join(format!("{name}.csv"));
    let mut text = "time_s,end,sequence,length,ack,flags\n".to_owned();
    for one in sent {
        writeln!(text, "{}", one.row()).expect("a string takes all");
    }
    if std::env::var("ENDPOINTS").is_ok_and(|value| value == "renew") {
        fs::create_dir_all(folder().join("airlink")).expect("the folder is there");
        fs::write(&path, &text).expect("the table is written");
    }
    let kept = fs::read_to_string(&path).expect("our table is there: ENDPOINTS=renew writes it");
    assert!(kept == text, "{name}: our segments are not those of the table; ENDPOINTS=renew writes it anew");
}
