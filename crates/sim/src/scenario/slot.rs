//! The slot and its length, which may be an exact fraction.

use airlink_model::types::declare::{Field, Form, Reader, Rule, Section, Value};
use airlink_model::types::{Duplex, SlotClock, TddPattern};

/// Time runs in slots of equal length; slot n starts at n x duration.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub struct Slot {
    /// Length of a slot; a fraction is exact ("5/3" = 600 slots a second).
    #[field(
        name = "duration_ms",
        unit = "ms",
        at_least = 0.01,
        at_most = 1000,
        source = "[EvdoTcp]: 5/3; [Klein04]: 5"
    )]
    pub duration: SlotLength,
    /// What each slot carries, a letter a slot, repeated: D downlink, U uplink, S special (downlink for
    /// special_downlink_share of it). Empty: every slot is downlink, and the uplink has a band of its own.
    #[field(
        at_least = 0,
        at_most = 64,
        default = TddPattern::default(),
        source = "airlink default: FDD; \"DDDSU\" is common in NR at 3.5 GHz, \"DSUUDDSUUD\" is configuration 1 of LTE (TS 36.211 table 4.2-2)"
    )]
    pub tdd: TddPattern,
    /// Share of a special slot that is downlink; 0: none of it.
    #[field(
        at_least = 0,
        at_most = 1,
        default = 0.0,
        source = "airlink default: none; 10 of 14 symbols: 0.714 (TS 38.213 section 11.1, as common with DDDSU)"
    )]
    pub special_downlink_share: f64,
}

impl Slot {
    /// Which slots carry downlink, if not all do.
    pub fn duplex(&self) -> Option<Duplex> {
        let Self { tdd: pattern, special_downlink_share, .. } = *self;
        (!pattern.is_empty()).then_some(Duplex { pattern, special_downlink_share })
    }

    /// The exact slot clock.
    pub fn clock(&self) -> SlotClock {
        SlotClock::new(self.duration.numerator_ns, self.duration.denominator)
    }
}

/// A slot's length as a reduced ratio of whole nanoseconds. A scenario writes ms: a number, taken to the picosecond, or
/// a fraction of whole numbers like "5/3".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotLength {
    numerator_ns: u64,
    denominator: u64,
}

const NS_PER_MS: u64 = 1_000_000;
const PS_PER_MS: f64 = 1e9;

impl SlotLength {
    /// The length in ms, to the nearest number.
    fn as_ms(self) -> f64 {
        self.numerator_ns as f64 / self.denominator as f64 / NS_PER_MS as f64
    }

    fn written(value: &Value) -> Option<Self> {
        match value {
            Value::Number(ms) => {
                let picoseconds = ms * PS_PER_MS + 0.5;
                (1.0..1e18).contains(&picoseconds).then(|| Self::reduced(picoseconds as u64, 1000))
            }
            Value::Text(text) => {
                let (above, below) = text.split_once('/')?;
                let (above, below) = (above.parse::<u32>().ok()?, below.parse::<u32>().ok()?);
                (above > 0 && below > 0).then(|| Self::reduced(u64::from(above) * NS_PER_MS, below.into()))
            }
            _ => None,
        }
    }

    const fn reduced(numerator_ns: u64, denominator: u64) -> Self {
        let divisor = greatest_common_divisor(numerator_ns, denominator);
        Self { numerator_ns: numerator_ns / divisor, denominator: denominator / divisor }
    }
}

impl Field for SlotLength {
    fn form(_: &Rule) -> Form {
        Form::Length
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        let range = &rule.range;
        let within = |length: &Self| range.number(&Value::Number(length.as_ms()), false).is_some();
        let allowed = || format!("{} or a fraction like \"5/3\"", range.allowed(false));
        Self::written(value).filter(within).or_else(|| reader.not_allowed(value, &allowed()))
    }

    fn write(&self, _: &Rule) -> Value {
        let divisor = greatest_common_divisor(self.numerator_ns, NS_PER_MS);
        let denominator = self.denominator * (NS_PER_MS / divisor);
        Value::Text(format!("{}/{denominator}", self.numerator_ns / divisor))
    }
}

const fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airlink_model::types::declare::read;

    fn ns_ratio(duration_ms: Value) -> Option<(u64, u64)> {
        read::<Slot>(&of_length(duration_ms), "slot")
            .ok()
            .map(|slot| (slot.duration.numerator_ns, slot.duration.denominator))
    }

    fn of_length(duration_ms: Value) -> Value {
        let fields = [
            ("duration_ms", duration_ms),
            ("tdd", Value::Text("DU".to_owned())),
            ("special_downlink_share", Value::Number(0.0)),
        ];
        Value::Table(fields.map(|(name, value)| (name.to_owned(), value)).into())
    }

    fn fraction(text: &str) -> Option<(u64, u64)> {
        ns_ratio(Value::Text(text.to_owned()))
    }

    #[test]
    fn slot_lengths_become_exact_ratios() {
        assert_eq!(ns_ratio(Value::Number(5.0)), Some((5_000_000, 1)));
        assert_eq!(ns_ratio(Value::Number(1.667)), Some((1_667_000, 1)));
        assert_eq!(fraction("5/3"), Some((5_000_000, 3)));
        for length in [0.0, 0.0099, 1000.1, f64::NAN, f64::INFINITY] {
            assert_eq!(ns_ratio(Value::Number(length)), None, "{length}");
        }
        for text in ["5/0", "0/5", "5", "5/3/1", "-5/3", "3001/3", "1/101", "5.0/3", "99999999999/99999999999", ""] {
            assert_eq!(fraction(text), None, "{text}");
        }
    }

    #[test]
    fn slot_lengths_are_written_as_they_are_read() {
        for text in ["5/3", "1/100", "1000/1", "1667/1000"] {
            let table = of_length(Value::Text(text.to_owned()));
            assert_eq!(read::<Slot>(&table, "slot").expect("allowed").to_value(), table);
        }
    }
}
