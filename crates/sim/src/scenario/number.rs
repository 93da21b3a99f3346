//! Numbers as scenarios write them: "inf", exact fractions.

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

/// A slot length in milliseconds: a number, or a fraction of integers like "5/3".
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum SlotLength {
    /// A decimal number, taken to the picosecond.
    Number(f64),
    /// "numerator/denominator".
    Fraction(String),
}

impl SlotLength {
    /// The length as a reduced ratio of integers in nanoseconds; `None` if it is none.
    pub fn as_ns_ratio(&self) -> Option<(u64, u64)> {
        let (numerator, denominator) = match self {
            Self::Number(milliseconds) => {
                let picoseconds = milliseconds * 1e9 + 0.5;
                ((1.0..1e18).contains(&picoseconds).then_some(picoseconds as u64)?, 1000)
            }
            Self::Fraction(text) => {
                let (above, below) = text.split_once('/')?;
                let above = above.trim().parse::<u64>().ok()?;
                (above.checked_mul(1_000_000)?, below.trim().parse::<u64>().ok()?)
            }
        };
        let divisor = greatest_common_divisor(numerator, denominator);
        (numerator > 0 && denominator > 0).then(|| (numerator / divisor, denominator / divisor))
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slot_lengths_become_exact_ratios() {
        assert_eq!(SlotLength::Number(5.0).as_ns_ratio(), Some((5_000_000, 1)));
        assert_eq!(SlotLength::Number(1.667).as_ns_ratio(), Some((1_667_000, 1)));
        assert_eq!(SlotLength::Fraction("5/3".into()).as_ns_ratio(), Some((5_000_000, 3)));
        assert_eq!(SlotLength::Fraction("5/0".into()).as_ns_ratio(), None);
        assert_eq!(SlotLength::Number(0.0).as_ns_ratio(), None);
        assert_eq!(SlotLength::Number(f64::NAN).as_ns_ratio(), None);
    }

    #[test]
    fn inf_is_a_string() {
        assert_eq!(serde_json::from_str::<Extended>("\"inf\"").expect("inf").0, f64::INFINITY);
        assert_eq!(serde_json::from_str::<Count>("\"inf\"").expect("inf").0, u64::MAX);
        assert!(serde_json::from_str::<Count>("1.5").is_err());
        assert!(serde_json::from_str::<Count>("-1").is_err());
        assert!(serde_json::from_str::<Extended>("\"infinite\"").is_err());
    }
}
