//! `#[derive(Section)]` and `#[derive(Words)]`: the one declaration of a scenario's fields.
//!
//! A struct is a table of the scenario. Its doc comment says what the table is, the doc comment of a field what the field means:
//!
//! ```text
//! /// CoDel (RFC 8289): drops at the head once packets have waited too long.
//! #[derive(Clone, Copy, Debug, PartialEq, Section)]
//! pub struct Codel {
//!     /// TARGET: the acceptable standing wait in the queue.
//!     #[field(name = "target_ms", unit = "ms", at_least = 1e-3, at_most = 1e6, default = Duration::from_millis(5), source = "RFC 8289 section 4.3")]
//!     pub target: Duration,
//! }
//! ```
//!
//! `#[field(...)]` takes `name` (else the field's own), `meaning` (a constant, else the doc comment), `unit`, `source`, `default` (else it must be written; without a value it
//! is that of the type), bounds (`at_least`, `above`, `at_most`, `below`, `infinite`, `or_zero`), `words("...")` that stand
//! instead of a number, `items` (the least number in a list), `pattern("...", "in words")` of a text, and `group`: the
//! fields of another struct stand in the same table, and in the same class if both have one name for it.
//!
//! An enum is a choice of tables by `kind`. Its variants hold another struct, fields of their own, or nothing.
//! `#[section(...)]` on a struct or variant takes `class` (its name in Python; else its own, less "Config"), `kind` and
//! `about` (what that kind is, in a few words), and
//! `facts("...")`, which the Python class has as `FACTS` for whoever explains results. An enum of words derives `Words`.
//!
//! Every struct whose fields all have defaults gets `Default` from them.

mod attributes;
mod section;
mod words;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Writes `airlink_model::types::declare::{Section, Field}`, and `Default` where every field has a default.
#[proc_macro_derive(Section, attributes(section, field))]
pub fn derive_section(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    section::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Writes `airlink_model::types::declare::Field` for an enum of words, in snake case unless `#[word("...")]` says otherwise.
#[proc_macro_derive(Words, attributes(word))]
pub fn derive_words(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    words::derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
