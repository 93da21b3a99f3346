//! Plays a script: runs timers, puts packets in, and compares the packets that come out with the lines.

use std::collections::VecDeque;

use airlink_model::types::Time;

use super::endpoint::Endpoint;
use super::line::{Check, Line, Step};
use super::words::{Input, Output};
use super::{Answer, Difference, milliseconds};

/// Expiries between two lines, and packets at one moment: an end that makes more of them goes in circles.
const MOST_EVENTS: usize = 100_000;
/// The most packets that a difference shows.
const MOST_SHOWN: usize = 4;

/// Plays all lines; the first that does not hold is the error.
pub(super) fn play(endpoint: impl Endpoint, lines: &[Line]) -> Result<(), Difference> {
    let mut stage = Stage { endpoint, sent: VecDeque::new() };
    lines.iter().try_for_each(|line| stage.play_line(line))?;
    match lines.last() {
        Some(last) if !stage.sent.is_empty() => Err(Difference::at(last, "nothing more", stage.unexpected())),
        _ => Ok(()),
    }
}

/// Plays the inputs of the lines; returns all that comes out and the quantities that lines look at.
pub(super) fn answers(endpoint: impl Endpoint, lines: &[Line]) -> Result<Vec<Answer>, Difference> {
    let mut stage = Stage { endpoint, sent: VecDeque::new() };
    let mut answers = Vec::new();
    for line in lines {
        let inputs: &[Input] = if let Step::In(inputs) = &line.step { inputs } else { &[] };
        stage.run_timers(line, |due| due < line.at || (due == line.at && inputs.is_empty()))?;
        stage.put_all_in(line, inputs)?;
        answers.extend(stage.sent.drain(..).map(|(at, packet)| (at.as_nanos(), packet.to_string())));
        let Step::Check(checks) = &line.step else { continue };
        for check in checks {
            if let Check::Shows { name, .. } = check {
                answers.push((line.at.as_nanos(), format!("{name} {}", stage.endpoint.show(name))));
            }
        }
    }
    Ok(answers)
}

struct Stage<E> {
    endpoint: E,
    /// Packets that came out and are not expected yet.
    sent: VecDeque<(Time, Output)>,
}

impl<E: Endpoint> Stage<E> {
    fn play_line(&mut self, line: &Line) -> Result<(), Difference> {
        match &line.step {
            Step::In(inputs) => {
                // Packets that arrive with a timer's expiry come before it.
                self.run_timers(line, |due| due < line.at)?;
                self.put_in(line, inputs)
            }
            Step::Out(expected) => {
                self.run_timers(line, |due| due <= line.at)?;
                let pieces = expected.expand(self.endpoint.mss());
                pieces.iter().try_for_each(|piece| self.expect(line, piece))
            }
            Step::Check(checks) => {
                self.run_timers(line, |due| due <= line.at)?;
                checks.iter().try_for_each(|check| self.check(line, check))
            }
        }
    }

    fn run_timers(&mut self, line: &Line, is_due: impl Fn(Time) -> bool) -> Result<(), Difference> {
        for _ in 0..MOST_EVENTS {
            let Some(due) = self.endpoint.timer().filter(|&due| is_due(due)) else {
                return Ok(());
            };
            self.endpoint.expire(due);
            self.collect(line, due)?;
        }
        Err(Difference::at(line, "time to go on", format!("more than {MOST_EVENTS} expiries of a timer")))
    }

    fn collect(&mut self, line: &Line, now: Time) -> Result<(), Difference> {
        for _ in 0..MOST_EVENTS {
            match self.endpoint.output(now) {
                None => return Ok(()),
                Some(packet) => self.sent.push_back((now, packet)),
            }
        }
        Err(Difference::at(line, "an end", format!("more than {MOST_EVENTS} packets at {}", shown(now))))
    }

    fn put_in(&mut self, line: &Line, inputs: &[Input]) -> Result<(), Difference> {
        if !self.sent.is_empty() {
            return Err(Difference::at(line, "nothing more before this line", self.unexpected()));
        }
        self.put_all_in(line, inputs)
    }

    fn put_all_in(&mut self, line: &Line, inputs: &[Input]) -> Result<(), Difference> {
        for input in inputs {
            self.endpoint.put_in(line.at, input);
            self.collect(line, line.at)?;
        }
        self.endpoint.end_line();
        self.collect(line, line.at)
    }

    fn expect(&mut self, line: &Line, expected: &Output) -> Result<(), Difference> {
        match self.sent.front() {
            Some((at, came)) if *at == line.at && expected.is_met_by(came) => {
                self.sent.pop_front();
                Ok(())
            }
            _ => Err(Difference::at(line, format!("`{} > {expected}`", shown(line.at)), self.unexpected())),
        }
    }

    fn check(&self, line: &Line, check: &Check) -> Result<(), Difference> {
        match check {
            Check::Silent if self.sent.is_empty() => Ok(()),
            Check::Silent => Err(Difference::at(line, "silence", self.unexpected())),
            Check::Shows { name, value } => {
                let came = self.endpoint.show(name);
                if came == *value {
                    return Ok(());
                }
                Err(Difference::at(line, format!("{name} {value}"), format!("{name} {came}")))
            }
        }
    }

    /// The packets that came out and are not expected, as lines.
    fn unexpected(&self) -> String {
        let line = |(at, packet): &(Time, Output)| format!("`{} > {packet}`", shown(*at));
        let shown: Vec<String> = self.sent.iter().take(MOST_SHOWN).map(line).collect();
        match self.sent.len() {
            0 => "nothing".into(),
            count if count > MOST_SHOWN => format!("{} and {} more", shown.join(", "), count - MOST_SHOWN),
            _ => shown.join(", "),
        }
    }
}

fn shown(time: Time) -> String {
    milliseconds(time.as_nanos())
}
