//! JSON as the model's plain values, and back.

use airlink_model::types::declare::Value;
use serde_json::Number;

/// What a JSON text holds.
pub(super) fn value_of(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(flag) => Value::Flag(flag),
        serde_json::Value::Number(number) => match number.as_u64() {
            Some(whole) => Value::of_whole(whole),
            None => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::Text(text),
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(value_of).collect()),
        serde_json::Value::Object(fields) => {
            Value::Table(fields.into_iter().map(|(name, value)| (name, value_of(value))).collect())
        }
    }
}

/// From here on a number of 64 bits is no longer exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A value as JSON: whole numbers without a point.
pub(super) fn of_value(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Flag(flag) => (*flag).into(),
        Value::Number(number) if number.fract() == 0.0 && number.abs() < EXACT => (*number as i64).into(),
        Value::Whole(number) => (*number).into(),
        Value::Number(number) => Number::from_f64(*number).map_or(serde_json::Value::Null, Into::into),
        Value::Text(text) => text.clone().into(),
        Value::List(items) => items.iter().map(of_value).collect(),
        Value::Table(fields) => {
            serde_json::Value::Object(fields.iter().map(|(name, value)| (name.clone(), of_value(value))).collect())
        }
    }
}
