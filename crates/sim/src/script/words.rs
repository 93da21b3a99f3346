//! The vocabulary of scripts: what goes in and what comes out, as words.

use std::fmt;
use std::ops::Range;

use airlink_model::types::{Bytes, Time};

use super::ecn_words::EcnWords;
use super::milliseconds;
use super::reader::{Reader, range};
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
    /// A segment with data, an ACK or both.
    Segment(SegmentWords),
    /// An ACK.
    Ack { number: u64, window: Option<u64>, sack: Vec<Range<u64>>, echo: Option<Time>, ecn: EcnWords },
}

const SENDER_INPUTS: &str = "`open`, `endless`, `supply N`, `stop` or `ack N`";
const ENDPOINT_INPUTS: &str = "`open`, `listen`, `close`, `abort`, `endless`, `supply N` or a segment";
const SEGMENT: &str = "`syn`, `fin`, `rst`, `A..B`, `again`, `ack N`, `window W`, `sack A..B ..`, `at T`, `echo T`, `ece`, `cwr`, \
     `ect0`, `ect1` or `ce`, in this order";
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
            Some("ack") => Self::read_ack(&mut reader)?,
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
            Some("syn") => Self::Syn { time: reader.time_after("at")?, ecn: EcnWords::read(&mut reader) },
            Some(word) if word.contains("..") => Self::Data {
                range: range(word)?,
                time: reader.time_after("at")?,
                echo: reader.time_after("echo")?,
                ecn: EcnWords::read(&mut reader),
            },
            other => return Err(format!("a receiver takes {RECEIVER_INPUTS}, not `{}`", other.unwrap_or_default())),
        };
        reader.end(input)
    }

    /// An ACK, from behind its keyword on.
    fn read_ack(reader: &mut Reader<'_>) -> Result<Self, String> {
        let number = reader.number("ack")?;
        let times = reader.times()?;
        let window = reader.number_after("window")?;
        let (sack, echo) = (reader.blocks()?, reader.time_after("echo")?);
        Ok(Self::Ack { number, times, window, sack, echo, ecn: EcnWords::read(reader) })
    }
}

impl Output {
    /// What comes out of a sender.
    pub(super) fn of_sender(text: &str) -> Result<Self, String> {
        let mut reader = Reader::new(text);
        let output = match reader.word() {
            Some("syn") => Self::Syn { again: reader.skip("again"), ecn: EcnWords::read(&mut reader) },
            Some(word) if word.contains("..") => Self::Data {
                range: range(word)?,
                again: reader.skip("again"),
                time: reader.time_after("at")?,
                ecn: EcnWords::read(&mut reader),
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
        let output = Self::Ack { number, window, sack, echo, ecn: EcnWords::read(&mut reader) };
        reader.end(output)
    }

    /// The packets that this stands for: one segment for every `mss` bytes.
    pub(super) fn expand(&self, mss: u64) -> Vec<Self> {
        if let Self::Segment(words) = self {
            return words.expand(mss).into_iter().map(Self::Segment).collect();
        }
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
            Self::Segment(words) => words.fmt(formatter),
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
