//! A script's lines: `<milliseconds> <sign> <words>`, with a remark after `#`.

use airlink_model::types::Time;

use super::reader::time;
use super::words::{Input, Output};
use super::{Mistake, Side};

/// One line that is not empty.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) at: Time,
    pub(super) step: Step,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// `<`: these go in.
    In(Vec<Input>),
    /// `>`: this must come out at that time.
    Out(Output),
    /// `=`: this must show then.
    Check(Vec<Check>),
}

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// Nothing has come out that the lines above do not say.
    Silent,
    /// A quantity shows this.
    Shows { name: String, value: String },
}

/// Reads all lines, or tells every mistake.
pub(super) fn read(side: Side, text: &str, first_line: usize) -> Result<Vec<Line>, Vec<Mistake>> {
    let (mut lines, mut mistakes) = (Vec::<Line>::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let number = first_line + index;
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let not_before = lines.last().map_or(Time::ZERO, |line| line.at);
        match read_line(side, line, number, not_before) {
            Ok(line) => lines.push(line),
            Err(message) => mistakes.push(Mistake { line: number, message }),
        }
    }
    if lines.is_empty() && mistakes.is_empty() {
        mistakes.push(Mistake { line: first_line, message: "there are no lines to play".into() });
    }
    if mistakes.is_empty() { Ok(lines) } else { Err(mistakes) }
}

fn read_line(side: Side, line: &str, number: usize, not_before: Time) -> Result<Line, String> {
    let (moment, rest) = line.split_once(char::is_whitespace).ok_or("a line is: milliseconds, one of < > =, words")?;
    let at = time(moment)?;
    if at < not_before {
        return Err(format!("`{moment}` is before the line above"));
    }
    let rest = rest.trim();
    let sign = rest.chars().next().ok_or("a line is: milliseconds, one of < > =, words")?;
    let words = rest[sign.len_utf8()..].trim();
    if words.is_empty() {
        return Err(format!("nothing stands after `{sign}`"));
    }
    let parts = words.split(',').map(str::trim);
    let step = match (sign, side) {
        ('<', Side::Sender) => Step::In(parts.map(Input::for_sender).collect::<Result<_, _>>()?),
        ('<', Side::Receiver) => Step::In(parts.map(Input::for_receiver).collect::<Result<_, _>>()?),
        ('<', Side::Endpoint) => Step::In(parts.map(Input::for_endpoint).collect::<Result<_, _>>()?),
        ('>', Side::Endpoint) => Step::Out(Output::of_endpoint(words)?),
        ('>', Side::Sender) => Step::Out(Output::of_sender(words)?),
        ('>', Side::Receiver) => Step::Out(Output::of_receiver(words)?),
        ('=', _) => Step::Check(parts.map(|part| check(side, part)).collect::<Result<_, _>>()?),
        _ => return Err(format!("`{sign}` is no sign: < goes in, > must come out, = must show")),
    };
    Ok(Line { number, at, step })
}

fn check(side: Side, text: &str) -> Result<Check, String> {
    if text == "silent" {
        return Ok(Check::Silent);
    }
    let names = match side {
        Side::Sender => super::sending_side::QUANTITIES,
        Side::Receiver => super::receiving_side::QUANTITIES,
        Side::Endpoint => super::both_ways::QUANTITIES,
    };
    let (name, value) = text.split_once(' ').ok_or_else(|| format!("`{text}` is neither `silent` nor `name value`"))?;
    if !names.contains(&name) {
        return Err(format!("`{name}` is no quantity; there are: {}", names.join(" ")));
    }
    Ok(Check::Shows { name: name.into(), value: value.trim().into() })
}
