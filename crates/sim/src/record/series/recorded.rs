//! Rows as they were recorded, and columns that are made of them when somebody looks.
//!
//! A row is as wide as what it says, a column eight bytes a number: most of what is recorded is never read column by
//! column, and memory touched for the first time costs more than all else of a recording.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use super::chunked_vec::ChunkedVec;
use super::{RecordKind, Setting};
use crate::record::about::{About, Only};
use crate::table::{Column, Columns};

/// One row of a series; `columns!` declares what it says.
pub(crate) trait Row: Clone + Debug + Send + Sync + Sized + 'static {
    /// Its columns, and how each is read from many rows.
    const COLUMNS: &'static [(About, Read<Self>)];
}

/// How a column is read: it grows by what it is in these rows.
pub(crate) enum Read<R> {
    Real(fn(&[R], &mut Vec<f64>)),
    Whole(fn(&[R], &mut Vec<i64>)),
}

/// Declares the columns of a row, in their order:
///
///     name real|whole |row| value => "meaning", missing "what stands where there is no value", codes list, only Only;
///
/// What follows the meaning may be left out. The end of the name tells the unit (`record::about`).
macro_rules! columns {
    ($row:ty: $($name:ident $kind:ident |$one:ident| $value:expr => $meaning:literal
        $(, missing $missing:literal)? $(, codes $codes:path)? $(, only $only:ident)?;)*) => {
        impl $crate::record::series::Row for $row {
            const COLUMNS: &'static [($crate::record::about::About, $crate::record::series::Read<Self>)] = &[$((
                $crate::record::about::About {
                    $(missing: $missing,)?
                    $(codes: $codes,)?
                    $(only: $crate::record::about::Only::$only,)?
                    ..$crate::record::about::About::$kind(stringify!($name), $meaning)
                },
                columns!(@$kind |$one| $value),
            )),*];
        }
    };
    (@real |$one:ident| $value:expr) => {
        $crate::record::series::Read::Real(|rows, column| {
            column.extend(rows.iter().map(|$one: &Self| -> f64 { $value }));
        })
    };
    (@whole |$one:ident| $value:expr) => {
        $crate::record::series::Read::Whole(|rows, column| {
            column.extend(rows.iter().map(|$one: &Self| -> i64 { $value }));
        })
    };
}

pub(super) use columns;

/// Rows of whatever kind.
pub(crate) trait Rows: Debug + Send + Sync {
    /// What is declared of each column.
    fn about(&self) -> Vec<About>;
    fn column(&self, index: usize) -> Column;
    fn len(&self) -> usize;
    /// Bytes of memory that they take.
    fn bytes(&self) -> usize;
    /// No row comes any more.
    fn close(&mut self);
}

impl<R: Row> Rows for ChunkedVec<R> {
    fn about(&self) -> Vec<About> {
        R::COLUMNS.iter().map(|(about, _)| *about).collect()
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

fn read_all<R, T>(rows: &ChunkedVec<R>, read: fn(&[R], &mut Vec<T>)) -> Vec<T> {
    let mut column = Vec::with_capacity(rows.len());
    rows.chunks().for_each(|piece| read(piece, &mut column));
    column
}

/// A recorded series.
#[derive(Clone, Debug)]
pub struct Recorded {
    kind: RecordKind,
    rows: Arc<dyn Rows>,
    /// The columns that it has in its setting: which of the declared ones, and their names.
    columns: Vec<(usize, &'static str)>,
}

impl Recorded {
    pub(super) fn new(kind: RecordKind, setting: Setting, mut rows: impl Rows + 'static) -> Self {
        rows.close();
        let declared = rows.about().into_iter().enumerate();
        let is_there = |about: &About| about.only == Only::Always || setting.has_subchannels;
        let columns = declared.filter(|(_, about)| is_there(about)).map(|(at, about)| (at, about.name)).collect();
        Self { kind, rows: Arc::new(rows), columns }
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
        let (declared, _) = self.columns.iter().find(|(_, own)| *own == name)?;
        Some(self.rows.column(*declared))
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
        self.columns.iter().map(|(_, name)| *name).collect()
    }

    fn column(&self, index: usize) -> Cow<'_, Column> {
        Cow::Owned(self.rows.column(self.columns[index].0))
    }
}
