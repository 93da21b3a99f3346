//! Words of a line, read from the left: numbers, times, ranges of bytes, SACK blocks.

use std::ops::Range;

use airlink_model::types::{Duration, Time};

/// Words that are read from the left.
pub(super) struct Reader<'a> {
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { words: text.split_whitespace().peekable() }
    }

    pub(super) fn word(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    /// The next word, if it is one of those.
    pub(super) fn word_if(&mut self, is_meant: impl Fn(&str) -> bool) -> Option<&'a str> {
        self.words.next_if(|word| is_meant(word))
    }

    pub(super) fn skip(&mut self, keyword: &str) -> bool {
        self.words.next_if_eq(&keyword).is_some()
    }

    pub(super) fn number(&mut self, after: &str) -> Result<u64, String> {
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

    pub(super) fn times(&mut self) -> Result<u64, String> {
        let times = self.number_after("times")?.unwrap_or(1);
        if times > 100_000 {
            return Err("`times` is at most 100000".into());
        }
        Ok(times)
    }

    pub(super) fn end<T>(mut self, read: T) -> Result<T, String> {
        match self.word() {
            None => Ok(read),
            Some(word) => Err(format!("`{word}` does not belong here")),
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
