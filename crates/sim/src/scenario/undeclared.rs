//! Sections that are not declared yet: read by serde, within those that are.

use std::ops::{Deref, DerefMut};

use airlink_model::types::declare::{Declaration, Field, Form, Reader, Rule, Value};
use serde::de::DeserializeOwned;

use super::json;

/// A section that serde reads.
#[derive(Clone, Debug)]
pub struct Undeclared<T>(pub T);

impl<T> Deref for Undeclared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Undeclared<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: DeserializeOwned> Field for Undeclared<T> {
    fn form(_: &Rule) -> Form {
        let (class, kind, about, meaning, facts) = ("", "", "", "", &[]);
        Form::Table(Box::new(Declaration { class, kind, about, meaning, facts, members: Vec::new(), variants: None }))
    }

    fn read(value: &Value, _: &Rule, reader: &mut Reader) -> Option<Self> {
        match serde_json::from_value(json::of_value(value)) {
            Ok(read) => Some(Self(read)),
            Err(error) => reader.refuse(error.to_string()),
        }
    }

    fn write(&self, _: &Rule) -> Value {
        Value::Null
    }
}
