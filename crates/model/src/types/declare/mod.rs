//! One declaration of a scenario's fields: the struct that the model uses carries, beside each field, its name in a
//! scenario, unit, range, default, meaning and source (`#[derive(Section)]`).
//!
//! From it come the reading and the range checks of this crate, and, as plain data ([`Declaration`]), the Python classes, the
//! JSON Schema and the pages of a scenario. What this leaves out: any file format (drivers hand over a [`Value`]), and checks
//! between fields.

mod data;
mod field;
mod range;
mod reader;
mod rule;
mod section;
mod table;
mod value;

pub use airlink_declare::{Section, Words};
pub use data::{Declaration, Form, Member, Variants, members};
pub use field::Field;
pub use range::Range;
pub use reader::{Problem, Reader};
pub use rule::Rule;
pub use section::{Section, of_every_kind, read};
pub use table::Table;
pub use value::{PerUser, Value};
