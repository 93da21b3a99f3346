//! Named columns of numbers, and the digest of everything that was recorded.
//!
//! The digest is SHA-256 over the tables sorted by name, each over its columns sorted by name: name, type, length,
//! little-endian values. Every NaN hashes alike and so do both zeros. Provenance is no number and is left out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Real numbers.
    Real(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
}

impl Column {
    /// How many numbers it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Whole(values) => values.len(),
        }
    }

    /// True if it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn hash_into(&self, hasher: &mut Sha256) {
        match self {
            Self::Real(values) => {
                hasher.update(b"f");
                hasher.update((values.len() as u64).to_le_bytes());
                let canonical = |value: &f64| if value.is_nan() { f64::NAN } else { value + 0.0 };
                hash_words(hasher, values, |value| canonical(value).to_bits().to_le_bytes());
            }
            Self::Whole(values) => {
                hasher.update(b"i");
                hasher.update((values.len() as u64).to_le_bytes());
                hash_words(hasher, values, |value| value.to_le_bytes());
            }
        }
    }
}

/// Columns of equal length, in the order in which people read them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<(String, Column)>,
}

impl Table {
    /// Adds a column of real numbers.
    pub fn real(&mut self, name: &str, values: Vec<f64>) {
        self.columns.push((name.to_owned(), Column::Real(values)));
    }

    /// Adds a column of whole numbers.
    pub fn whole(&mut self, name: &str, values: Vec<i64>) {
        self.columns.push((name.to_owned(), Column::Whole(values)));
    }

    /// Adds a column of counts.
    pub fn count(&mut self, name: &str, values: impl Iterator<Item = u64>) {
        self.whole(name, values.map(|value| i64::try_from(value).unwrap_or(i64::MAX)).collect());
    }

    /// Puts other real numbers into the column of that name, if there is one.
    pub(crate) fn replace(&mut self, name: &str, values: Vec<f64>) {
        if let Some((_, column)) = self.columns.iter_mut().find(|(own, _)| own == name) {
            *column = Column::Real(values);
        }
    }

    /// Keeps the first rows alone.
    pub(crate) fn truncate(&mut self, rows: usize) {
        for (_, column) in &mut self.columns {
            match column {
                Column::Real(values) => values.truncate(rows),
                Column::Whole(values) => values.truncate(rows),
            }
        }
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// The columns.
    pub fn columns(&self) -> &[(String, Column)] {
        &self.columns
    }

    /// The column of that name.
    pub fn get(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(own, _)| own == name).map(|(_, column)| column)
    }

    /// A column of real numbers, by name.
    pub fn reals(&self, name: &str) -> Option<&[f64]> {
        match self.get(name)? {
            Column::Real(values) => Some(values),
            Column::Whole(_) => None,
        }
    }

    /// A column of whole numbers, by name.
    pub fn wholes(&self, name: &str) -> Option<&[i64]> {
        match self.get(name)? {
            Column::Whole(values) => Some(values),
            Column::Real(_) => None,
        }
    }
}

/// Named columns of equal length, there already or made one by one when they are asked for.
pub trait Columns: Sync {
    /// The columns' names, in the order in which people read them.
    fn names(&self) -> Vec<&str>;
    /// The column of `names()[index]`.
    fn column(&self, index: usize) -> Cow<'_, Column>;
}

impl Columns for Table {
    fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn column(&self, index: usize) -> Cow<'_, Column> {
        Cow::Borrowed(&self.columns[index].1)
    }
}

/// The digest of tables by name, as 64 hexadecimal digits.
pub fn digest(tables: &BTreeMap<&str, &dyn Columns>) -> String {
    let mut hasher = Sha256::new();
    for (name, table) in tables {
        hash_name(&mut hasher, name);
        let sorted: BTreeMap<&str, usize> =
            table.names().into_iter().enumerate().map(|(at, name)| (name, at)).collect();
        hasher.update((sorted.len() as u64).to_le_bytes());
        for (name, index) in sorted {
            hash_name(&mut hasher, name);
            table.column(index).hash_into(&mut hasher);
        }
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Many at once: the hash of eight bytes costs hardly more than its call.
fn hash_words<T>(hasher: &mut Sha256, values: &[T], bytes_of: impl Fn(&T) -> [u8; 8]) {
    let mut block = [0; 8 * 64];
    for some in values.chunks(64) {
        for (bytes, value) in block.chunks_exact_mut(8).zip(some) {
            bytes.copy_from_slice(&bytes_of(value));
        }
        hasher.update(&block[..8 * some.len()]);
    }
}

fn hash_name(hasher: &mut Sha256, name: &str) {
    hasher.update((name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_of(columns: &[(&str, f64)]) -> String {
        let mut table = Table::default();
        columns.iter().for_each(|(name, value)| table.real(name, vec![*value]));
        digest(&BTreeMap::from([("users", &table as &dyn Columns)]))
    }

    #[test]
    fn the_order_of_columns_does_not_matter_and_every_bit_of_a_value_does() {
        assert_eq!(digest_of(&[("a", 1.0), ("b", 2.0)]), digest_of(&[("b", 2.0), ("a", 1.0)]));
        assert_ne!(digest_of(&[("a", 1.0)]), digest_of(&[("a", 1.0 + f64::EPSILON)]));
        assert_ne!(digest_of(&[("a", 1.0)]), digest_of(&[("b", 1.0)]));
        assert_eq!(digest_of(&[("a", 0.0)]), digest_of(&[("a", -0.0)]));
    }
}
