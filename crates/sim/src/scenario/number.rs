//! Numbers as scenarios write them, "inf" among them.

use serde::{Deserialize, Deserializer, de::Error};

#[derive(Deserialize)]
#[serde(untagged)]
enum Raw {
    Number(f64),
    Text(String),
}

/// A number or "inf".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extended(pub f64);

impl<'de> Deserialize<'de> for Extended {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Raw::deserialize(deserializer)? {
            Raw::Number(number) => Ok(Self(number)),
            Raw::Text(text) if text == "inf" => Ok(Self(f64::INFINITY)),
            Raw::Text(text) => Err(D::Error::custom(format!("{text:?} is neither a number nor \"inf\""))),
        }
    }
}

/// A whole number, not negative, or "inf" (`u64::MAX`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Raw::deserialize(deserializer)? {
            Raw::Number(number) if (0.0..1e18).contains(&number) && number.fract() == 0.0 => Ok(Self(number as u64)),
            Raw::Text(text) if text == "inf" => Ok(Self(u64::MAX)),
            Raw::Number(number) => Err(D::Error::custom(format!("{number} is not a whole number of at least 0"))),
            Raw::Text(text) => Err(D::Error::custom(format!("{text:?} is neither a whole number nor \"inf\""))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inf_is_a_string() {
        assert_eq!(serde_json::from_str::<Extended>("\"inf\"").expect("inf").0, f64::INFINITY);
        assert_eq!(serde_json::from_str::<Count>("\"inf\"").expect("inf").0, u64::MAX);
        assert!(serde_json::from_str::<Count>("1.5").is_err());
        assert!(serde_json::from_str::<Count>("-1").is_err());
        assert!(serde_json::from_str::<Extended>("\"infinite\"").is_err());
    }
}
