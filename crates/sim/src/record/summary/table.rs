//! Tables of summaries: one declaration fills them at a run's end and describes their columns.

use std::borrow::Cow;

use crate::record::about::AboutColumn;
use crate::table::Table;

/// The columns of a table as they are declared, each with its name, meaning and value in a row. [`fill`] adds the columns that
/// a run has; [`declared_columns`] describes all of them.
pub(crate) struct Summary<'a, R> {
    rows: &'a [R],
    table: &'a mut Table,
    /// Only in [`declared_columns`].
    about: Option<Vec<AboutColumn>>,
    only: &'static str,
}

/// Adds the declared columns to a table, with a number for each of `rows`.
pub(crate) fn fill<R>(table: &mut Table, rows: &[R], declare: impl FnOnce(&mut Summary<'_, R>)) {
    declare(&mut Summary { rows, table, about: None, only: "" });
}

/// The description of all columns that are declared.
pub(crate) fn declared_columns<R>(declare: impl FnOnce(&mut Summary<'_, R>)) -> Vec<AboutColumn> {
    let mut table = Table::default();
    let mut summary = Summary { rows: &[], table: &mut table, about: Some(Vec::new()), only: "" };
    declare(&mut summary);
    summary.about.unwrap_or_default()
}

type Text = Cow<'static, str>;

impl<R> Summary<'_, R> {
    /// A column of counts.
    pub(crate) fn count(&mut self, name: impl Into<Text>, meaning: impl Into<Text>, of: impl Fn(&R) -> u64) {
        let name = name.into();
        self.table.count(&name, self.rows.iter().map(of));
        self.describe(name, true, meaning.into(), "");
    }

    /// A column of real numbers.
    pub(crate) fn real(&mut self, name: impl Into<Text>, meaning: impl Into<Text>, of: impl Fn(&R) -> f64) {
        self.real_or(name, meaning, "", of);
    }

    /// A column of real numbers, and the text for rows without a value.
    pub(crate) fn real_or(
        &mut self,
        name: impl Into<Text>,
        meaning: impl Into<Text>,
        missing: &'static str,
        of: impl Fn(&R) -> f64,
    ) {
        let name = name.into();
        self.table.real(&name, self.rows.iter().map(of).collect());
        self.describe(name, false, meaning.into(), missing);
    }

    /// Several columns of real numbers that are found together.
    pub(crate) fn reals<const N: usize>(&mut self, columns: [(String, String); N], of: impl Fn(&R) -> [f64; N]) {
        let values: Vec<[f64; N]> = self.rows.iter().map(of).collect();
        for (index, (name, meaning)) in columns.into_iter().enumerate() {
            self.table.real(&name, values.iter().map(|values| values[index]).collect());
            self.describe(name.into(), false, meaning.into(), "");
        }
    }

    /// Columns that are there only in some runs: in this one or not, and where.
    pub(crate) fn only(&mut self, is_there: bool, which: &'static str, declare: impl FnOnce(&mut Self)) {
        if self.about.is_some() || is_there {
            let around = std::mem::replace(&mut self.only, which);
            declare(self);
            self.only = around;
        }
    }

    fn describe(&mut self, name: Text, is_whole: bool, meaning: Text, missing: &'static str) {
        let only = self.only;
        if let Some(about) = &mut self.about {
            about.push(AboutColumn { only, ..AboutColumn::new(name, is_whole, meaning, missing) });
        }
    }
}
