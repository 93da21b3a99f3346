//! Scripts: timed packets into one end of a connection, timed packets out of it, after packetdrill.
//!
//! A script is data: a table of TCP fields, a side, and lines `<milliseconds> <sign> <words>` (`docs/scripts.md` tells
//! the language). It plays against the same [`Sender`](airlink_model::transport::Sender),
//! [`Receiver`](airlink_model::transport::Receiver) or [`Endpoint`](airlink_model::transport::Endpoint) that a simulation uses. A line that cannot be read is a
//! [`Mistake`]; the first line that the end of the connection does not keep to is a [`Difference`].
//!
//! It leaves out the wires: both ends at once are a simulation.

mod both_ways;
mod ecn_words;
mod endpoint;
mod line;
mod player;
mod reader;
mod receiving_side;
mod segment_words;
mod sending_side;
mod words;

use airlink_model::transport::Tcp;

use crate::scenario::{self, Problem};

use both_ways::BothWays;
use endpoint::Endpoint;
use line::Line;
use receiving_side::ReceivingSide;
use sending_side::SendingSide;

/// Which end of the connection a script plays with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// ACKs go in, segments come out.
    Sender,
    /// Segments go in, ACKs come out.
    Receiver,
    /// Segments with data, ACKs or both go in and come out.
    Endpoint,
}

/// A line that is not one of the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its number, as the caller counts.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// Where an end of a connection first did something else than its script says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the line, as the caller counts.
    pub line: usize,
    /// What the line says.
    pub expected: String,
    /// What came instead.
    pub came: String,
}

/// Why a script could not be played.
#[derive(Clone, Debug, PartialEq)]
pub enum Unplayable {
    /// The TCP fields are not valid.
    Fields(Vec<Problem>),
    /// Lines that cannot be read, all of them.
    Lines(Vec<Mistake>),
}

/// Plays `text`, whose first line has number `first_line`, to an end built from `tcp`, complete JSON of a flow's TCP.
/// Answers the first difference, if there is one.
pub fn play(side: Side, tcp: &str, text: &str, first_line: usize) -> Result<Option<Difference>, Unplayable> {
    let tcp = scenario::tcp_from_json(tcp).map_err(Unplayable::Fields)?;
    let played = match side {
        Side::Sender => play_lines(side, SendingSide::new(tcp), text, first_line),
        Side::Receiver => play_lines(side, ReceivingSide::new(&tcp), text, first_line),
        Side::Endpoint => play_lines(side, BothWays::new(tcp), text, first_line),
    };
    played.map_err(Unplayable::Lines)
}

/// Plays `text` to a sender built from `tcp`; lines are counted from 1.
pub fn play_sender(tcp: Tcp, text: &str) -> Result<Option<Difference>, Vec<Mistake>> {
    play_lines(Side::Sender, SendingSide::new(tcp), text, 1)
}

/// Plays `text` to a receiver built from `tcp`; lines are counted from 1.
pub fn play_receiver(tcp: Tcp, text: &str) -> Result<Option<Difference>, Vec<Mistake>> {
    play_lines(Side::Receiver, ReceivingSide::new(&tcp), text, 1)
}

fn play_lines(
    side: Side,
    end: impl Endpoint,
    text: &str,
    first_line: usize,
) -> Result<Option<Difference>, Vec<Mistake>> {
    let lines = line::read(side, text, first_line)?;
    Ok(player::play(end, &lines).err())
}

/// What an end of a connection let out or showed: nanoseconds, and words as in a script.
pub type Answer = (u64, String);

/// Everything that comes out when the inputs of `text` go in, up to its last line, and the quantities that it looks at,
/// whatever it expects: for holding an end of a connection against records of another one.
pub fn answers(side: Side, tcp: &str, text: &str, first_line: usize) -> Result<Vec<Answer>, Unplayable> {
    let tcp = scenario::tcp_from_json(tcp).map_err(Unplayable::Fields)?;
    let lines = line::read(side, text, first_line).map_err(Unplayable::Lines)?;
    let answered = match side {
        Side::Sender => player::answers(SendingSide::new(tcp), &lines),
        Side::Receiver => player::answers(ReceivingSide::new(&tcp), &lines),
        Side::Endpoint => player::answers(BothWays::new(tcp), &lines),
    };
    let endless = |found: Difference| vec![Mistake { line: found.line, message: found.came }];
    answered.map_err(|found| Unplayable::Lines(endless(found)))
}

/// Text of a moment, in the milliseconds of scripts.
fn milliseconds(nanoseconds: u64) -> String {
    format!("{}", nanoseconds as f64 / 1e6)
}

impl Difference {
    fn at(line: &Line, expected: impl Into<String>, came: impl Into<String>) -> Self {
        Self { line: line.number, expected: expected.into(), came: came.into() }
    }
}

#[cfg(test)]
mod tests;
