//! Which numbers a field may hold, as a check and in words.

use super::Value;

/// Bounds of a number, of each number of a list, or of the length of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least.
    pub at_least: Option<f64>,
    /// A bound that is not allowed itself.
    pub above: Option<f64>,
    /// The largest.
    pub at_most: Option<f64>,
    /// A bound that is not allowed itself.
    pub below: Option<f64>,
    /// "inf" is allowed.
    pub infinite: bool,
    /// 0 is allowed below the bounds.
    pub or_zero: bool,
}

impl Range {
    /// Any finite number.
    pub const ANY: Self =
        Self { at_least: None, above: None, at_most: None, below: None, infinite: false, or_zero: false };

    /// The number, infinity for "inf"; none if it is none or not allowed.
    pub fn number(&self, value: &Value, whole: bool) -> Option<f64> {
        match value {
            Value::Number(number) if self.holds(*number) && (!whole || number.fract() == 0.0) => Some(*number),
            Value::Whole(number) => self.number(&Value::Number(*number as f64), whole),
            Value::Text(text) if self.infinite && text == "inf" => Some(f64::INFINITY),
            _ => None,
        }
    }

    fn holds(&self, number: f64) -> bool {
        let within = self.at_least.is_none_or(|least| number >= least)
            && self.above.is_none_or(|bound| number > bound)
            && self.at_most.is_none_or(|most| number <= most)
            && self.below.is_none_or(|bound| number < bound);
        number.is_finite() && (within || (self.or_zero && number == 0.0))
    }

    /// What is allowed, in words.
    pub fn allowed(&self, whole: bool) -> String {
        let zero = if self.or_zero { "0 or " } else { "" };
        let noun = if whole { "a whole number" } else { "a number" };
        let bounds = match (self.at_least, self.at_most) {
            (Some(least), Some(most)) => format!(" from {least} to {most}"),
            _ => {
                let parts = [
                    ("above", self.above),
                    ("at least", self.at_least),
                    ("at most", self.at_most),
                    ("below", self.below),
                ];
                let said = parts.iter().filter_map(|(word, bound)| bound.map(|bound| format!("{word} {bound}")));
                said.enumerate()
                    .map(|(index, part)| format!("{}{part}", if index == 0 { " " } else { " and " }))
                    .collect()
            }
        };
        let infinite = if self.infinite { " or \"inf\"" } else { "" };
        format!("{zero}{noun}{bounds}{infinite}")
    }
}
