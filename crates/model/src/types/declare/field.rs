//! The types that a field can have, each with its form in a scenario.

use super::{Form, PerUser, Range, Reader, Rule, Value};
use crate::types::{Bytes, Decibel, Duration, Rate, Time};

/// A type that a field can have.
pub trait Field: Sized {
    /// What it may hold.
    fn form(rule: &Rule) -> Form;

    /// The value as the model uses it; none with a mistake, which `reader` keeps.
    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self>;

    /// The value as a scenario writes it.
    fn write(&self, rule: &Rule) -> Value;

    /// What stands for a field that is not written; none where something must be.
    fn absent() -> Option<Self> {
        None
    }
}

/// A number of a scenario, infinity as such.
fn number(value: &Value, range: &Range, whole: bool, reader: &mut Reader) -> Option<f64> {
    range.number(value, whole).or_else(|| reader.not_allowed(value, &range.allowed(whole)))
}

fn written(number: f64) -> Value {
    if number == f64::INFINITY { Value::Text("inf".to_owned()) } else { Value::Number(number) }
}

impl Field for bool {
    fn form(_: &Rule) -> Form {
        Form::Flag
    }

    fn read(value: &Value, _: &Rule, reader: &mut Reader) -> Option<Self> {
        match value {
            Value::Flag(flag) => Some(*flag),
            other => reader.not_allowed(other, "true or false"),
        }
    }

    fn write(&self, _: &Rule) -> Value {
        Value::Flag(*self)
    }
}

impl Field for f64 {
    fn form(_: &Rule) -> Form {
        Form::Number { whole: false }
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        number(value, &rule.range, false, reader)
    }

    fn write(&self, _: &Rule) -> Value {
        written(*self)
    }
}

/// Whole numbers, of which the largest stands for infinity where that is allowed.
macro_rules! whole_numbers {
    ($($type:ty),*) => {$(
        impl Field for $type {
            fn form(_: &Rule) -> Form {
                Form::Number { whole: true }
            }

            fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
                let number = number(value, &rule.range, true, reader)?;
                Some(if number == f64::INFINITY { <$type>::MAX } else { number as $type }) // the range is that of the type
            }

            fn write(&self, rule: &Rule) -> Value {
                if rule.range.infinite && *self == <$type>::MAX { written(f64::INFINITY) } else { written(*self as f64) }
            }
        }
    )*};
}

whole_numbers!(u8, u32, u64, usize);

impl Field for Bytes {
    fn form(rule: &Rule) -> Form {
        u64::form(rule)
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        u64::read(value, rule, reader).map(Self::new)
    }

    fn write(&self, rule: &Rule) -> Value {
        self.count().write(rule)
    }
}

impl Field for Decibel {
    fn form(rule: &Rule) -> Form {
        f64::form(rule)
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        f64::read(value, rule, reader).map(Self::new)
    }

    fn write(&self, _: &Rule) -> Value {
        written(self.db())
    }
}

impl Field for Rate {
    fn form(rule: &Rule) -> Form {
        f64::form(rule)
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        f64::read(value, rule, reader).map(Self::from_bps)
    }

    fn write(&self, _: &Rule) -> Value {
        written(self.bps())
    }
}

/// How many of a unit of time are a second.
fn per_second(rule: &Rule) -> f64 {
    match rule.unit {
        "s" => 1.0,
        "ms" => 1e3,
        other => panic!("{}: {other:?} is no unit of time", rule.name),
    }
}

impl Field for Duration {
    fn form(rule: &Rule) -> Form {
        f64::form(rule)
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        f64::read(value, rule, reader).map(|number| Self::from_secs(number / per_second(rule)))
    }

    fn write(&self, rule: &Rule) -> Value {
        if *self == Self::FOREVER { written(f64::INFINITY) } else { written(self.as_secs() * per_second(rule)) }
    }
}

/// A moment, as the time since the start.
impl Field for Time {
    fn form(rule: &Rule) -> Form {
        Duration::form(rule)
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        Duration::read(value, rule, reader).map(|since_start| Self::ZERO + since_start)
    }

    fn write(&self, rule: &Rule) -> Value {
        self.since(Self::ZERO).write(rule)
    }
}

impl Field for String {
    fn form(_: &Rule) -> Form {
        Form::Text
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        match value {
            Value::Text(text) if rule.range.number(&Value::Number(text.chars().count() as f64), true).is_some() => {
                Some(text.clone())
            }
            other => reader.not_allowed(other, "a text"),
        }
    }

    fn write(&self, _: &Rule) -> Value {
        Value::Text(self.clone())
    }
}

/// A list of numbers or texts; lists of tables are lists of fields without bounds.
impl<T: Field> Field for Vec<T> {
    fn form(rule: &Rule) -> Form {
        match T::form(rule) {
            Form::Table(declaration) => Form::Tables(declaration),
            item => Form::List { item: Box::new(item), single: false },
        }
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        let Value::List(items) = value else {
            return reader.not_allowed(value, "a list");
        };
        if items.len() < rule.items {
            return reader.not_allowed(value, &format!("a list of at least {}", rule.items));
        }
        // All of them are read, so that every mistake is found.
        let read = |(index, item)| reader.below(index, |reader| T::read(item, rule, reader));
        let found: Vec<Option<T>> = items.iter().enumerate().map(read).collect();
        found.into_iter().collect()
    }

    fn write(&self, rule: &Rule) -> Value {
        Value::List(self.iter().map(|item| item.write(rule)).collect())
    }
}

impl Field for PerUser {
    fn form(rule: &Rule) -> Form {
        Form::List { item: Box::new(f64::form(rule)), single: true }
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        match value {
            Value::List(_) => Vec::read(value, rule, reader).map(Self::Each),
            single => f64::read(single, rule, reader).map(Self::All),
        }
    }

    fn write(&self, rule: &Rule) -> Value {
        match self {
            Self::All(value) => value.write(rule),
            Self::Each(values) => values.write(rule),
        }
    }
}

impl<T: Field> Field for Option<T> {
    fn form(rule: &Rule) -> Form {
        Form::Optional(Box::new(T::form(rule)))
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::read(value, rule, reader).map(Some),
        }
    }

    fn write(&self, rule: &Rule) -> Value {
        self.as_ref().map_or(Value::Null, |held| held.write(rule))
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}
