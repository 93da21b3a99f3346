//! Reading values into fields: every mistake is kept with its path, and reading goes on.

use std::fmt;

use super::{Field, Rule, Value};

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

/// A table that is being read. What nobody asked for is unknown.
#[derive(Debug)]
pub struct Table<'a> {
    fields: &'a [(String, Value)],
    taken: Vec<&'static str>,
    reader: &'a mut Reader,
}

impl<'a> Table<'a> {
    /// The table in `value`, if it is one.
    pub fn of(value: &'a Value, reader: &'a mut Reader) -> Option<Self> {
        match value {
            Value::Table(fields) => Some(Self { fields, taken: Vec::new(), reader }),
            other => reader.not_allowed(other, "a table"),
        }
    }

    /// The field of `rule`; none with a mistake.
    pub fn field<T: Field>(&mut self, rule: &'static Rule) -> Option<T> {
        let value = self.value(rule.name);
        self.reader.below(rule.name, |reader| match value {
            Some(value) => T::read(value, rule, reader),
            None => T::absent().or_else(|| reader.refuse("is missing".to_owned())),
        })
    }

    /// The value of `kind`, which must be one of these.
    pub fn kind(&mut self, kinds: &[&'static str]) -> Option<&'static str> {
        let value = self.value("kind");
        let allowed = kinds.join(", ");
        self.reader.below("kind", |reader| match value {
            Some(Value::Text(text)) if kinds.contains(&text.as_str()) => {
                kinds.iter().find(|kind| *kind == text).copied()
            }
            Some(other) => reader.not_allowed(other, &allowed),
            None => reader.refuse(format!("is missing: {allowed}")),
        })
    }

    /// Refuses what was not asked for.
    pub fn finish(self) {
        for (name, _) in self.fields.iter().filter(|(name, _)| !self.taken.contains(&name.as_str())) {
            self.reader.below(name, |reader| reader.refuse::<()>("is not a field here".to_owned()));
        }
    }

    fn value(&mut self, name: &'static str) -> Option<&'a Value> {
        self.taken.push(name);
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}
