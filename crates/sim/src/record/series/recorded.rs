//! Rows as they were recorded, and columns that are made of them when somebody looks.
//!
//! A row is as wide as what it says, a column eight bytes a number: most of what is recorded is never read column by
//! column, and memory touched for the first time costs more than all else of a recording.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use super::RecordKind;
use super::pile::Pile;
use crate::table::{Column, Columns};

/// One row of a series.
pub(crate) trait Row: Clone + Debug + Send + Sync + Sized + 'static {
    /// The names of its columns, and how each is read from many rows.
    const COLUMNS: &'static [(&'static str, Read<Self>)];
}

/// How a column is read: it grows by what it is in these rows.
pub(crate) enum Read<R> {
    Real(fn(&[R], &mut Vec<f64>)),
    Whole(fn(&[R], &mut Vec<i64>)),
}

/// A column of real numbers, by what it is in one row.
macro_rules! real {
    (|$row:ident| $value:expr) => {
        Read::Real(|rows, column| column.extend(rows.iter().map(|$row: &Self| -> f64 { $value })))
    };
}

/// A column of whole numbers, by what it is in one row.
macro_rules! whole {
    (|$row:ident| $value:expr) => {
        Read::Whole(|rows, column| column.extend(rows.iter().map(|$row: &Self| -> i64 { $value })))
    };
}

pub(super) use {real, whole};

/// Rows of whatever kind.
pub(super) trait Rows: Debug + Send + Sync {
    fn names(&self) -> Vec<&'static str>;
    fn column(&self, index: usize) -> Column;
    fn len(&self) -> usize;
    /// Bytes of memory that they take.
    fn bytes(&self) -> usize;
    /// No row comes any more.
    fn close(&mut self);
}

impl<R: Row> Rows for Pile<R> {
    fn names(&self) -> Vec<&'static str> {
        R::COLUMNS.iter().map(|(name, _)| *name).collect()
    }

    fn column(&self, index: usize) -> Column {
        match R::COLUMNS[index].1 {
            Read::Real(read) => Column::Real(read_all(self, read)),
            Read::Whole(read) => Column::Whole(read_all(self, read)),
        }
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn bytes(&self) -> usize {
        self.len() * size_of::<R>()
    }

    fn close(&mut self) {
        self.close();
    }
}

fn read_all<R, T>(rows: &Pile<R>, read: fn(&[R], &mut Vec<T>)) -> Vec<T> {
    let mut column = Vec::with_capacity(rows.len());
    rows.pieces().for_each(|piece| read(piece, &mut column));
    column
}

/// A recorded series.
#[derive(Clone, Debug)]
pub struct Recorded {
    kind: RecordKind,
    rows: Arc<dyn Rows>,
}

impl Recorded {
    pub(super) fn new(kind: RecordKind, mut rows: impl Rows + 'static) -> Self {
        rows.close();
        Self { kind, rows: Arc::new(rows) }
    }

    /// What it is a series of.
    pub fn kind(&self) -> RecordKind {
        self.kind
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        self.rows.bytes()
    }

    /// The column of that name.
    pub fn get(&self, name: &str) -> Option<Column> {
        let index = self.rows.names().iter().position(|own| *own == name)?;
        Some(self.rows.column(index))
    }

    /// A column of real numbers, by name.
    pub fn reals(&self, name: &str) -> Option<Vec<f64>> {
        match self.get(name)? {
            Column::Real(values) => Some(values),
            Column::Whole(_) => None,
        }
    }

    /// A column of whole numbers, by name.
    pub fn wholes(&self, name: &str) -> Option<Vec<i64>> {
        match self.get(name)? {
            Column::Whole(values) => Some(values),
            Column::Real(_) => None,
        }
    }
}

impl Columns for Recorded {
    fn names(&self) -> Vec<&str> {
        self.rows.names()
    }

    fn column(&self, index: usize) -> Cow<'_, Column> {
        Cow::Owned(self.rows.column(index))
    }
}
