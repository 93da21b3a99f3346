//! A segment with data, an ACK or both, as words: `fin 0..1000 ack 500 window 3000`.

use std::fmt;
use std::ops::Range;

use airlink_model::types::Time;

use super::ecn_words::EcnWords;
use super::milliseconds;
use super::reader::{Reader, range};

/// A segment of either direction. What it does not mention may be anything when it is expected, but for flags, bytes, an ACK,
/// SACK blocks and ECN.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SegmentWords {
    pub(super) syn: bool,
    pub(super) fin: bool,
    pub(super) rst: bool,
    /// Without it there are no bytes.
    pub(super) range: Option<Range<u64>>,
    pub(super) again: bool,
    pub(super) ack: Option<u64>,
    pub(super) window: Option<u64>,
    pub(super) sack: Vec<Range<u64>>,
    pub(super) time: Option<Time>,
    pub(super) echo: Option<Time>,
    pub(super) ecn: EcnWords,
}

impl SegmentWords {
    /// Reads it from the words that are left; none if the first is no part of a segment.
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>, String> {
        let (syn, fin, rst) = (reader.skip("syn"), reader.skip("fin"), reader.skip("rst"));
        let range = reader.word_if(|word| word.contains("..")).map(range).transpose()?;
        let again = reader.skip("again");
        let ack = reader.number_after("ack")?;
        if !syn && !fin && !rst && range.is_none() && ack.is_none() {
            return Ok(None);
        }
        let window = reader.number_after("window")?;
        let (sack, time, echo) = (reader.blocks()?, reader.time_after("at")?, reader.time_after("echo")?);
        Ok(Some(Self { syn, fin, rst, range, again, ack, window, sack, time, echo, ecn: EcnWords::read(reader) }))
    }

    fn bytes(&self) -> Range<u64> {
        self.range.clone().unwrap_or(0..0)
    }

    /// The segments that this stands for: one for every `mss` bytes, the last of which carries the FIN.
    pub(super) fn expand(&self, mss: u64) -> Vec<Self> {
        let all = self.bytes();
        if all.is_empty() {
            return vec![self.clone()];
        }
        let step = usize::try_from(mss).unwrap_or(usize::MAX).max(1);
        let piece = |start: u64| {
            let end = all.end.min(start + mss);
            Self { range: Some(start..end), fin: self.fin && end == all.end, ..self.clone() }
        };
        all.clone().step_by(step).map(piece).collect()
    }

    /// True if `came` is what this expects.
    pub(super) fn is_met_by(&self, came: &Self) -> bool {
        fn agree<T: PartialEq>(expected: Option<&T>, came: Option<&T>) -> bool {
            expected.is_none() || expected == came
        }
        let flags = |it: &Self| (it.syn, it.fin, it.rst, it.again, it.ack);
        let is_same_place = self.range.as_ref().map_or(came.bytes().is_empty(), |range| *range == came.bytes());
        flags(self) == flags(came)
            && is_same_place
            && self.sack == came.sack
            && self.ecn == came.ecn
            && agree(self.window.as_ref(), came.window.as_ref())
            && agree(self.time.as_ref(), came.time.as_ref())
            && agree(self.echo.as_ref(), came.echo.as_ref())
    }
}

impl fmt::Display for SegmentWords {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        for (word, is_set) in [("syn", self.syn), ("fin", self.fin), ("rst", self.rst)] {
            words.extend(is_set.then(|| word.to_owned()));
        }
        words.extend(self.range.as_ref().map(|range| format!("{}..{}", range.start, range.end)));
        words.extend(self.again.then(|| "again".to_owned()));
        words.extend(self.ack.map(|number| format!("ack {number}")));
        words.extend(self.window.map(|window| format!("window {window}")));
        words.extend((!self.sack.is_empty()).then(|| "sack".to_owned()));
        words.extend(self.sack.iter().map(|block| format!("{}..{}", block.start, block.end)));
        words.extend(self.time.map(|time| format!("at {}", milliseconds(time.as_nanos()))));
        words.extend(self.echo.map(|time| format!("echo {}", milliseconds(time.as_nanos()))));
        write!(formatter, "{}{}", words.join(" "), self.ecn)
    }
}
