//! Values of a scenario before they are fields: what every file format can say.

use std::fmt;

/// A tree of plain values. Infinity is the text "inf".
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Flag(bool),
    /// A number. Whole numbers up to 2^53 are exact.
    Number(f64),
    /// A whole number above that.
    Whole(u64),
    /// A text.
    Text(String),
    /// Values in order.
    List(Vec<Value>),
    /// Values by name, in order.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// Whole numbers up to here are exact in a [`Value::Number`].
    const EXACT: u64 = 1 << 53;

    /// A whole number.
    pub fn of_whole(number: u64) -> Self {
        // The number is exact as a real one.
        if number <= Self::EXACT { Self::Number(number as f64) } else { Self::Whole(number) }
    }

    /// The whole number, if it is an exact one.
    pub fn whole(&self) -> Option<u64> {
        match self {
            Self::Whole(number) => Some(*number),
            Self::Number(number) if number.fract() == 0.0 && (0.0..=Self::EXACT as f64).contains(number) => {
                Some(*number as u64) // exact
            }
            _ => None,
        }
    }

    /// The value of a field of a table.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Table(fields) => fields.iter().find(|(known, _)| known == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("nothing"),
            Self::Flag(flag) => write!(formatter, "{flag}"),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Whole(number) => write!(formatter, "{number}"),
            Self::Text(text) => write!(formatter, "{text:?}"),
            Self::List(items) => write!(formatter, "a list of {}", items.len()),
            Self::Table(_) => formatter.write_str("a table"),
        }
    }
}

/// One value for every user, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum PerUser {
    /// The same for all.
    All(f64),
    /// By user number.
    Each(Vec<f64>),
}

impl PerUser {
    /// The value of `user`.
    pub fn of(&self, user: usize) -> f64 {
        match self {
            Self::All(value) => *value,
            Self::Each(values) => values[user],
        }
    }

    /// Every value that is written.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::All(value) => std::slice::from_ref(value),
            Self::Each(values) => values,
        }
    }
}
