//! Structs whose fields are declared, and how they are read as a whole.

use super::{Declaration, Problem, Reader, Table, Value, members};

/// A struct or a choice of structs whose fields are declared. `#[derive(Section)]` writes it.
pub trait Section: Sized {
    /// The declaration as data.
    fn declaration() -> Declaration;

    /// Reads the fields; none with a mistake, which the table's reader keeps.
    fn read_fields(table: &mut Table<'_>) -> Option<Self>;

    /// Adds the fields to a table.
    fn write_fields(&self, fields: &mut Vec<(String, Value)>);

    /// The whole as a table.
    fn to_value(&self) -> Value {
        let mut fields = Vec::new();
        self.write_fields(&mut fields);
        Value::Table(fields)
    }
}

/// One of every kind of a choice, with all defaults. Kinds with a field that must be written are left out.
pub fn of_every_kind<T: Section>() -> Vec<T> {
    let declaration = T::declaration();
    let each = declaration.variants.iter().flat_map(|variants| &variants.each);
    let written = each.filter_map(|table| {
        let fields =
            members(table).into_iter().map(|(rule, _, default)| Some((rule.name.to_owned(), default?.clone())));
        let fields = fields.collect::<Option<Vec<_>>>()?;
        let kind = ("kind".to_owned(), Value::Text(table.kind.to_owned()));
        Some(Value::Table([vec![kind], fields].concat()))
    });
    written.map(|value| read(&value, "").expect("defaults are allowed")).collect()
}

/// Reads a section that stands at `path`, with all mistakes at once.
pub fn read<T: Section>(value: &Value, path: &str) -> Result<T, Vec<Problem>> {
    let mut reader = Reader::at(path);
    let found = Table::of(value, &mut reader).and_then(|mut table| {
        let section = T::read_fields(&mut table);
        table.finish();
        section
    });
    let problems = reader.into_problems();
    found.filter(|_| problems.is_empty()).ok_or(problems)
}
