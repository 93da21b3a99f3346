//! Which slots carry downlink and which carry uplink, where both share one band (time-division duplex, TDD).
//!
//! A pattern is a word of the letters D, S and U that repeats from slot 0 on: D is downlink, U is uplink, S is special: its first
//! symbols are downlink, then comes the guard time in which radios turn around (TS 36.211 section 4.2, TS 38.213 section 11.1).
//!
//! It leaves out: the few uplink symbols of a special slot, patterns that change in a run, cells with different patterns.

use std::fmt;

use super::Slot;
use super::declare::{Field, Form, Reader, Rule, Value};

/// The most letters of a pattern.
pub const LONGEST_PATTERN: usize = 64;

/// What each slot carries; empty if every slot carries downlink and uplink, each in a band of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TddPattern {
    /// At most [`LONGEST_PATTERN`].
    length: u8,
    /// Bit k is set if slot k of the pattern is uplink.
    uplink: u64,
    /// The same for special slots.
    special: u64,
}

impl TddPattern {
    /// The pattern that `letters` write; none if a letter is no D, S or U, or if there are too many.
    pub fn new(letters: &str) -> Option<Self> {
        if letters.len() > LONGEST_PATTERN {
            return None;
        }
        let mut pattern = Self::default();
        for letter in letters.chars() {
            match letter {
                'D' => {}
                'S' => pattern.special |= 1 << pattern.length,
                'U' => pattern.uplink |= 1 << pattern.length,
                _ => return None,
            }
            pattern.length += 1;
        }
        Some(pattern)
    }

    /// True if downlink and uplink have bands of their own.
    pub const fn is_empty(self) -> bool {
        self.length == 0
    }

    /// Whether some slot carries uplink.
    pub const fn has_uplink(self) -> bool {
        self.is_empty() || self.uplink != 0
    }

    /// Whether some slot is downlink alone.
    pub const fn has_downlink(self) -> bool {
        self.is_empty() || (self.uplink | self.special).count_ones() < self.length as u32
    }

    /// Whether some slot is special.
    pub const fn has_special(self) -> bool {
        self.special != 0
    }

    /// The letter of `slot`.
    pub const fn letter(self, slot: Slot) -> char {
        if self.is_empty() {
            return 'D';
        }
        let bit = 1 << (slot.number() % self.length as u64);
        match (self.uplink & bit, self.special & bit) {
            (0, 0) => 'D',
            (0, _) => 'S',
            _ => 'U',
        }
    }

    /// The first slot from `slot` on that carries uplink; the pattern has one.
    pub fn uplink_from(self, slot: Slot) -> Slot {
        if self.is_empty() {
            return slot;
        }
        debug_assert!(self.has_uplink(), "without an uplink slot none follows");
        let mut slot = slot;
        while self.letter(slot) != 'U' {
            slot = slot.next();
        }
        slot
    }
}

impl fmt::Display for TddPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..u64::from(self.length)).try_for_each(|slot| write!(formatter, "{}", self.letter(Slot::new(slot))))
    }
}

impl Field for TddPattern {
    fn form(_: &Rule) -> Form {
        Form::Text
    }

    fn read(value: &Value, rule: &Rule, reader: &mut Reader) -> Option<Self> {
        let letters = String::read(value, rule, reader)?;
        Self::new(&letters).or_else(|| reader.not_allowed(value, "a word of the letters D, S and U"))
    }

    fn write(&self, _: &Rule) -> Value {
        Value::Text(self.to_string())
    }
}

/// A pattern, and how much of a special slot is downlink.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duplex {
    /// What each slot carries.
    pub pattern: TddPattern,
    /// The share of a special slot's symbols that are downlink, 0 to 1.
    pub special_downlink_share: f64,
}

impl Duplex {
    /// The share of `slot` that is downlink, 0 to 1.
    pub fn downlink_share(&self, slot: Slot) -> f64 {
        match self.pattern.letter(slot) {
            'D' => 1.0,
            'S' => self.special_downlink_share,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(letters: &str) -> TddPattern {
        TddPattern::new(letters).expect("D, S and U")
    }

    #[test]
    fn a_pattern_repeats_from_slot_0_on() {
        let letters = |text| (0..12).map(|slot| pattern(text).letter(Slot::new(slot))).collect::<String>();
        assert_eq!(letters("DDDSU"), "DDDSUDDDSUDD");
        assert_eq!(letters("U"), "UUUUUUUUUUUU");
        assert_eq!(letters(""), "DDDDDDDDDDDD");
    }

    #[test]
    fn the_next_uplink_slot_is_the_first_u_from_a_slot_on() {
        let next = |text, slot| pattern(text).uplink_from(Slot::new(slot)).number();
        assert_eq!([0, 4, 5, 9, 10].map(|slot| next("DDDSU", slot)), [4, 4, 9, 9, 14]);
        assert_eq!([0, 1, 2, 3, 4].map(|slot| next("DSUUD", slot)), [2, 2, 2, 3, 7]);
        assert_eq!(next("", 7), 7);
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for letters in ["DX", "ddsu", "D U", &"D".repeat(65)] {
            assert_eq!(TddPattern::new(letters), None, "{letters}");
        }
        assert!(
            TddPattern::new(&"U".repeat(64)).is_some_and(|pattern| pattern.has_uplink() && !pattern.has_downlink())
        );
        assert!(!pattern("DDS").has_uplink());
        assert!(pattern("DDS").has_downlink());
        assert!(!pattern("SU").has_downlink());
    }
}
