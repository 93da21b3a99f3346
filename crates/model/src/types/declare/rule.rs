//! The declaration of one field.

use super::Range;

/// How a field is declared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Its name in a scenario.
    pub name: &'static str,
    /// Its unit; empty for none.
    pub unit: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Where its default comes from.
    pub source: &'static str,
    /// Bounds of its number or numbers, or of the length of its text.
    pub range: Range,
    /// Words that may stand instead of a number.
    pub words: &'static [&'static str],
    /// The least number of items of a list.
    pub items: usize,
    /// A pattern that its text must match, and the same in words; empty for any text.
    pub pattern: (&'static str, &'static str),
}
