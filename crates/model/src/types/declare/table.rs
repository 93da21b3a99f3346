//! Tables whose fields are read one by one.

use super::{Field, Reader, Rule, Value};

/// A table that is being read. A field that is not asked for is an unknown one.
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
