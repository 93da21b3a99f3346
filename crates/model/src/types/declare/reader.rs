//! Reading values into fields: every mistake is kept with its path, and reading goes on.

use std::fmt;

use super::Value;

/// One mistake of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, as an override names it: `flows.0.tcp.mss_bytes`; empty when the text is no scenario at all.
    pub path: String,
    /// The value and what is allowed.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return formatter.write_str(&self.message);
        }
        write!(formatter, "{}: {}", self.path, self.message)
    }
}

/// Where reading stands, and the mistakes so far.
#[derive(Debug, Default)]
pub struct Reader {
    steps: Vec<String>,
    problems: Vec<Problem>,
}

impl Reader {
    /// A reader whose paths begin with `path`; empty for the top.
    pub fn at(path: &str) -> Self {
        Self { steps: path.split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect(), problems: vec![] }
    }

    /// The mistakes.
    pub fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    /// Reads something one step further down.
    pub fn below<T>(&mut self, step: impl fmt::Display, read: impl FnOnce(&mut Self) -> T) -> T {
        self.steps.push(step.to_string());
        let found = read(self);
        self.steps.pop();
        found
    }

    /// Keeps a mistake of the value that is being read.
    pub fn refuse<T>(&mut self, message: String) -> Option<T> {
        self.problems.push(Problem { path: self.steps.join("."), message });
        None
    }

    /// Keeps that the value is not allowed.
    pub fn not_allowed<T>(&mut self, value: &Value, allowed: &str) -> Option<T> {
        self.refuse(format!("{value} is not allowed: {allowed}"))
    }
}
