//! Tables of summaries: one declaration fills them at a run's end and tells what is in them.

use std::borrow::Cow;

use crate::record::about::AboutColumn;
use crate::table::Table;

/// Where the columns of a table are declared, each with its name, meaning and what it is in a row. A declaration that is filled
/// adds the columns that its run has; one that is told describes all of them.
pub(crate) struct Summary<'a, R> {
    rows: &'a [R],
    table: &'a mut Table,
    /// Only if it is told.
    about: Option<Vec<AboutColumn>>,
    only: &'static str,
}

/// Adds the declared columns to a table, with a number for each of `rows`.
pub(crate) fn fill<R>(table: &mut Table, rows: &[R], declare: impl FnOnce(&mut Summary<'_, R>)) {
    declare(&mut Summary { rows, table, about: None, only: "" });
}

/// What is declared.
pub(crate) fn told<R>(declare: impl FnOnce(&mut Summary<'_, R>)) -> Vec<AboutColumn> {
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
        self.tell(name, true, meaning.into(), "");
    }

    /// A column of real numbers.
    pub(crate) fn real(&mut self, name: impl Into<Text>, meaning: impl Into<Text>, of: impl Fn(&R) -> f64) {
        self.real_or(name, meaning, "", of);
    }

    /// The same, and what stands where there is no value.
    pub(crate) fn real_or(
        &mut self,
        name: impl Into<Text>,
        meaning: impl Into<Text>,
        missing: &'static str,
        of: impl Fn(&R) -> f64,
    ) {
        let name = name.into();
        self.table.real(&name, self.rows.iter().map(of).collect());
        self.tell(name, false, meaning.into(), missing);
    }

    /// Several columns of real numbers that are found together.
    pub(crate) fn reals<const N: usize>(&mut self, columns: [(String, String); N], of: impl Fn(&R) -> [f64; N]) {
        let values: Vec<[f64; N]> = self.rows.iter().map(of).collect();
        for (index, (name, meaning)) in columns.into_iter().enumerate() {
            self.table.real(&name, values.iter().map(|values| values[index]).collect());
            self.tell(name.into(), false, meaning.into(), "");
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

    fn tell(&mut self, name: Text, is_whole: bool, meaning: Text, missing: &'static str) {
        let only = self.only;
        if let Some(about) = &mut self.about {
            about.push(AboutColumn { only, ..AboutColumn::new(name, is_whole, meaning, missing) });
        }
    }
}
