//! The vocabulary of scripts: what goes in and what comes out, as words.

use std::fmt;
use std::ops::Range;

use airlink_model::transport::Flags;
use airlink_model::types::{Bytes, Duration, Ecn, Time};

use super::milliseconds;
use super::segment_words::SegmentWords;

/// What goes into an end of a connection.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Input {
    /// The connection opens.
    Open,
    /// So many bytes more to send; all there ever will be.
    Supply(Bytes),
    /// No new data from here on.
    Stop,
    /// The end waits for a SYN.
    Listen,
    /// The end closes: a FIN follows its data.
    Close,
    /// The end ends the connection at once.
    Abort,
    /// A segment with data, an ACK or both, so many times.
    Segment(SegmentWords, u64),
    /// An ACK, so many times.
    Ack { number: u64, times: u64, window: Option<u64>, sack: Vec<Range<u64>>, echo: Option<Time>, ecn: EcnWords },
    /// A segment; one of no bytes is a probe.
    Data { range: Range<u64>, time: Option<Time>, echo: Option<Time>, ecn: EcnWords },
    /// The segment that opens.
    Syn { time: Option<Time>, ecn: EcnWords },
}

/// What comes out of one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Output {
    /// A segment, sent again or for the first time.
    Data { range: Range<u64>, again: bool, time: Option<Time>, ecn: EcnWords },
    /// The segment that opens, sent again or for the first time.
    Syn { again: bool, ecn: EcnWords },
    /// An ACK.
    Ack { number: u64, window: Option<u64>, sack: Vec<Range<u64>>, echo: Option<Time>, ecn: EcnWords },
}

/// ECN of a packet (RFC 3168): `ece`, `cwr` and `ect0`, `ect1` or `ce`, at the end of a packet's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EcnWords {
    /// ECE and CWR of the TCP header, no others.
    pub(super) flags: Flags,
    /// The field of the IP header.
    pub(super) field: Ecn,
}

impl EcnWords {
    /// Those of a segment with these flags in a packet with this field.
    pub(super) fn of(flags: Flags, field: Ecn) -> Self {
        let ece = if flags.ece() { Flags::ECE } else { Flags::NONE };
        let cwr = if flags.cwr() { Flags::CWR } else { Flags::NONE };
        Self { flags: ece | cwr, field }
    }
}

impl fmt::Display for EcnWords {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.flags.ece() { " ece" } else { "" })?;
        formatter.write_str(if self.flags.cwr() { " cwr" } else { "" })?;
        formatter.write_str(match self.field {
            Ecn::NotEct => "",
            Ecn::Ect0 => " ect0",
            Ecn::Ect1 => " ect1",
            Ecn::Ce => " ce",
        })
    }
}

/// Words that are read from the left.
pub(super) struct Reader<'a> {
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

const SENDER_INPUTS: &str = "`open`, `endless`, `supply N`, `stop` or `ack N`";
const ENDPOINT_INPUTS: &str = "`open`, `listen`, `close`, `abort`, `endless`, `supply N` or a segment";
const SEGMENT: &str =
    "`syn`, `fin`, `rst`, `A..B`, `again`, `ack N`, `window W`, `sack A..B ..`, `at T`, `echo T`, in this order";
const RECEIVER_INPUTS: &str = "`A..B`, with `at T` and `echo T` after it, or `syn`";

impl Input {
    /// What goes into a sender.
    pub(super) fn for_sender(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        let input = match reader.word() {
            Some("open") => Self::Open,
            Some("endless") => Self::Supply(Bytes::UNLIMITED),
            Some("supply") => Self::Supply(Bytes::new(reader.number("supply")?)),
            Some("stop") => Self::Stop,
            Some("ack") => reader.ack_input()?,
            other => return Err(format!("a sender takes {SENDER_INPUTS}, not `{}`", other.unwrap_or_default())),
        };
        reader.end(input)
    }

    /// What goes into an endpoint.
    pub(super) fn for_endpoint(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        if let Some(words) = SegmentWords::read(&mut reader)? {
            let times = reader.times()?;
            return reader.end(Self::Segment(words, times));
        }
        let input = match reader.word() {
            Some("open") => Self::Open,
            Some("listen") => Self::Listen,
            Some("close") => Self::Close,
            Some("abort") => Self::Abort,
            Some("endless") => Self::Supply(Bytes::UNLIMITED),
            Some("supply") => Self::Supply(Bytes::new(reader.number("supply")?)),
            other => {
                let word = other.unwrap_or_default();
                return Err(format!("an endpoint takes {ENDPOINT_INPUTS} ({SEGMENT}, `times K`), not `{word}`"));
            }
        };
        reader.end(input)
    }

    /// What goes into a receiver.
    pub(super) fn for_receiver(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        let input = match reader.word() {
            Some("syn") => Self::Syn { time: reader.time_after("at")?, ecn: reader.ecn() },
            Some(word) if word.contains("..") => Self::Data {
                range: range(word)?,
                time: reader.time_after("at")?,
                echo: reader.time_after("echo")?,
                ecn: reader.ecn(),
            },
            other => return Err(format!("a receiver takes {RECEIVER_INPUTS}, not `{}`", other.unwrap_or_default())),
        };
        reader.end(input)
    }
}

impl Output {
    /// What comes out of a sender.
    pub(super) fn of_sender(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        let output = match reader.word() {
            Some("syn") => Self::Syn { again: reader.skip("again"), ecn: reader.ecn() },
            Some(word) if word.contains("..") => Self::Data {
                range: range(word)?,
                again: reader.skip("again"),
                time: reader.time_after("at")?,
                ecn: reader.ecn(),
            },
            other => {
                let word = other.unwrap_or_default();
                return Err(format!("a sender sends `A..B`, `A..B again` or `syn`, not `{word}`"));
            }
        };
        reader.end(output)
    }

    /// What comes out of an endpoint.
    pub(super) fn of_endpoint(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        match SegmentWords::read(&mut reader)? {
            Some(words) => reader.end(Self::Segment(words)),
            None => Err(format!("an endpoint sends {SEGMENT}, not `{}`", reader.word().unwrap_or_default())),
        }
    }

    /// What comes out of a receiver.
    pub(super) fn of_receiver(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        if !reader.skip("ack") {
            return Err("a receiver sends `ack N`, with `window W`, `sack A..B ..` and `echo T` after it".into());
        }
        let number = reader.number("ack")?;
        let window = reader.number_after("window")?;
        let (sack, echo) = (reader.blocks()?, reader.time_after("echo")?);
        let output = Self::Ack { number, window, sack, echo, ecn: reader.ecn() };
        reader.end(output)
    }

    /// The packets that this stands for: one segment for every `mss` bytes.
    pub(super) fn expand(&self, mss: u64) -> Vec<Self> {
        let Self::Data { range, again, time, ecn } = self else { return vec![self.clone()] };
        if range.is_empty() {
            return vec![self.clone()];
        }
        let step = usize::try_from(mss).unwrap_or(usize::MAX).max(1);
        let starts = range.clone().step_by(step);
        let piece =
            |start: u64| Self::Data { range: start..range.end.min(start + mss), again: *again, time: *time, ecn: *ecn };
        starts.map(piece).collect()
    }

    /// True if `came` is what this expects; what it does not mention may be anything, but for SACK blocks.
    pub(super) fn is_met_by(&self, came: &Self) -> bool {
        fn agree<T: PartialEq>(expected: Option<&T>, came: Option<&T>) -> bool {
            expected.is_none() || expected == came
        }
        match (self, came) {
            (
                Self::Data { range, again, time, ecn },
                Self::Data { range: came_range, again: came_again, time: came_time, ecn: came_ecn },
            ) => {
                range == came_range
                    && again == came_again
                    && ecn == came_ecn
                    && agree(time.as_ref(), came_time.as_ref())
            }
            (
                Self::Ack { number, window, sack, echo, ecn },
                Self::Ack { number: came_number, window: came_window, sack: came_sack, echo: came_echo, ecn: came_ecn },
            ) => {
                number == came_number
                    && ecn == came_ecn
                    && sack == came_sack
                    && agree(window.as_ref(), came_window.as_ref())
                    && agree(echo.as_ref(), came_echo.as_ref())
            }
            (Self::Segment(expected), Self::Segment(came)) => expected.is_met_by(came),
            (expected, came) => expected == came,
        }
    }
}

impl fmt::Display for Output {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syn { again, ecn } => write!(formatter, "syn{}{ecn}", if *again { " again" } else { "" }),
            Self::Data { range, again, time, ecn } => {
                write!(formatter, "{}..{}", range.start, range.end)?;
                formatter.write_str(if *again { " again" } else { "" })?;
                time.map_or(Ok(()), |time| write!(formatter, " at {}", milliseconds(time.as_nanos())))?;
                write!(formatter, "{ecn}")
            }
            Self::Ack { number, window, sack, echo, ecn } => {
                write!(formatter, "ack {number}")?;
                window.map_or(Ok(()), |window| write!(formatter, " window {window}"))?;
                formatter.write_str(if sack.is_empty() { "" } else { " sack" })?;
                sack.iter().try_for_each(|block| write!(formatter, " {}..{}", block.start, block.end))?;
                echo.map_or(Ok(()), |echo| write!(formatter, " echo {}", milliseconds(echo.as_nanos())))?;
                write!(formatter, "{ecn}")
            }
        }
    }
}

/// A moment written in milliseconds, to the nanosecond.
pub(super) fn time(text: &str) -> Result<Time, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..1e9).contains(&value) => Ok(Time::ZERO + Duration::from_secs(value / 1e3)),
        _ => Err(format!("`{text}` is no time: milliseconds from 0 to 1e9")),
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is no whole number"))
}

pub(super) fn range(text: &str) -> Result<Range<u64>, String> {
    let (start, end) = text.split_once("..").ok_or_else(|| format!("`{text}` is no range of bytes, as in 0..1000"))?;
    let range = number(start)?..number(end)?;
    let is_short = range.end < 1 << 40 && range.end.saturating_sub(range.start) < 1 << 31;
    if range.start <= range.end && is_short {
        Ok(range)
    } else {
        Err(format!("`{text}` must not end before it starts, nor be longer than 2^31 bytes, nor end above 2^40"))
    }
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self { words: text.split_whitespace().peekable() }
    }

    fn word(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    /// The next word, if it is one of those.
    pub(super) fn word_if(&mut self, is_meant: impl Fn(&str) -> bool) -> Option<&'a str> {
        self.words.next_if(|word| is_meant(word))
    }

    pub(super) fn skip(&mut self, keyword: &str) -> bool {
        self.words.next_if_eq(&keyword).is_some()
    }

    fn number(&mut self, after: &str) -> Result<u64, String> {
        self.word().ok_or_else(|| format!("a number is missing after `{after}`")).and_then(number)
    }

    pub(super) fn number_after(&mut self, keyword: &str) -> Result<Option<u64>, String> {
        if self.skip(keyword) { self.number(keyword).map(Some) } else { Ok(None) }
    }

    pub(super) fn time_after(&mut self, keyword: &str) -> Result<Option<Time>, String> {
        if !self.skip(keyword) {
            return Ok(None);
        }
        self.word().ok_or_else(|| format!("a time is missing after `{keyword}`")).and_then(time).map(Some)
    }

    pub(super) fn blocks(&mut self) -> Result<Vec<Range<u64>>, String> {
        let mut blocks = Vec::new();
        if self.skip("sack") {
            while let Some(word) = self.words.next_if(|word| word.contains("..")) {
                blocks.push(range(word)?);
            }
            if blocks.is_empty() || blocks.len() > 4 {
                return Err("`sack` needs one to four blocks after it, as in sack 2000..3000".into());
            }
        }
        Ok(blocks)
    }

    /// The words about ECN; none of them may come twice.
    fn ecn(&mut self) -> EcnWords {
        let mut flags = Flags::NONE;
        for (word, flag) in [("ece", Flags::ECE), ("cwr", Flags::CWR)] {
            if self.skip(word) {
                flags |= flag;
            }
        }
        let fields = [("ect0", Ecn::Ect0), ("ect1", Ecn::Ect1), ("ce", Ecn::Ce)];
        let field = fields.into_iter().find(|(word, _)| self.skip(word)).map_or(Ecn::NotEct, |(_, field)| field);
        EcnWords { flags, field }
    }

    fn ack_input(&mut self) -> Result<Input, String> {
        let number = self.number("ack")?;
        let times = self.times()?;
        let window = self.number_after("window")?;
        let (sack, echo) = (self.blocks()?, self.time_after("echo")?);
        Ok(Input::Ack { number, times, window, sack, echo })
    }

    fn times(&mut self) -> Result<u64, String> {
        let times = self.number_after("times")?.unwrap_or(1);
        if times > 100_000 {
            return Err("`times` is at most 100000".into());
        }
        Ok(Input::Ack { number, times, window, sack, echo, ecn: self.ecn() })
    }

    fn end<T>(mut self, read: T) -> Result<T, String> {
        match self.word() {
            None => Ok(read),
            Some(word) => Err(format!("`{word}` does not belong here")),
        }
    }
}
