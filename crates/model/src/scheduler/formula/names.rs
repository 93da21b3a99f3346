//! Names in a formula: functions, constants, and the nearest to one that is wrong.

use super::operation::{Binary, Unary};
use super::tree::Tree;
use crate::scheduler::columns::Column;

/// Constants by name.
pub(super) const CONSTANTS: [(&str, f64, &str); 3] = [
    ("pi", std::f64::consts::PI, "3.14159..."),
    ("e", std::f64::consts::E, "2.71828..."),
    ("inf", f64::INFINITY, "infinity"),
];

/// What a called name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    /// Of one number.
    One(Unary),
    /// Of two numbers.
    Two(Binary),
    /// Of two or more.
    Many(Binary),
    /// where(condition, yes, no)
    Where,
}

/// Functions by name, as they are shown.
const FUNCTIONS: [(&str, Function); 14] = [
    ("abs", Function::One(Unary::Abs)),
    ("ceil", Function::One(Unary::Ceil)),
    ("exp", Function::One(Unary::Exp)),
    ("floor", Function::One(Unary::Floor)),
    ("ln", Function::One(Unary::Log)),
    ("log", Function::One(Unary::Log)),
    ("log2", Function::One(Unary::Log2)),
    ("log10", Function::One(Unary::Log10)),
    ("max", Function::Many(Binary::Max)),
    ("min", Function::Many(Binary::Min)),
    ("pow", Function::Two(Binary::Power)),
    ("sqrt", Function::One(Unary::Sqrt)),
    ("tanh", Function::One(Unary::Tanh)),
    ("where", Function::Where),
];

impl Function {
    /// The function of that name.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    /// What it makes of its arguments; none if there are too few or too many.
    pub(super) fn of(self, arguments: Vec<Tree>) -> Option<Tree> {
        let mut arguments = arguments.into_iter();
        let made = match self {
            Self::One(operation) => Tree::unary(operation, arguments.next()?),
            Self::Two(operation) => Tree::binary(operation, arguments.next()?, arguments.next()?),
            Self::Many(operation) => {
                let two = Tree::binary(operation, arguments.next()?, arguments.next()?);
                arguments.by_ref().fold(two, |made, next| Tree::binary(operation, made, next))
            }
            Self::Where => Tree::choice(arguments.next()?, arguments.next()?, arguments.next()?),
        };
        arguments.next().is_none().then_some(made)
    }

    /// How the function of that name is called.
    pub(super) fn usage(name: &str) -> String {
        let arguments = match Self::of_name(name) {
            Some(Self::One(_)) | None => "x",
            Some(Self::Two(_)) => "x, y",
            Some(Self::Many(_)) => "x, y, ...",
            Some(Self::Where) => "condition, yes, no",
        };
        format!("{name}({arguments})")
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::One(operation) => operation.meaning().trim(),
            Self::Two(operation) | Self::Many(operation) => operation.meaning().trim(),
            Self::Where => "yes unless the condition is 0",
        }
    }
}

/// A name that a formula may have, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// "column", "operator", "function" or "constant".
    pub kind: &'static str,
    /// As it is written: "rate", "log(x)".
    pub name: String,
    /// The unit of a column; empty for none.
    pub unit: &'static str,
    /// What a column has a value each for; empty of all others.
    pub per: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// All that a formula may be made of.
pub fn names() -> Vec<Name> {
    let columns = Column::ALL.iter().map(|column| Name {
        kind: "column",
        name: column.name().to_owned(),
        unit: column.unit(),
        per: column.per().words(),
        meaning: column.meaning().trim(),
    });
    let plain =
        |kind, name: String, meaning: &'static str| Name { kind, name, unit: "", per: "", meaning: meaning.trim() };
    let signs = Binary::ALL.iter().filter(|operation| Function::of_name(operation.name()).is_none());
    let signs = signs.map(|operation| plain("operator", format!("x {} y", operation.name()), operation.meaning()));
    let sign = std::iter::once(plain("operator", "-x".to_owned(), Unary::Negate.meaning()));
    let functions =
        FUNCTIONS.iter().map(|(name, function)| plain("function", Function::usage(name), function.meaning()));
    let constants = CONSTANTS.iter().map(|(name, _, meaning)| plain("constant", (*name).to_owned(), meaning));
    columns.chain(sign).chain(signs).chain(functions).chain(constants).collect()
}

/// The constant of that name.
pub(super) fn constant(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(known, _, _)| *known == name).map(|(_, value, _)| *value)
}

/// How many names are offered.
const MOST_OFFERED: usize = 3;

/// The names that are most like `name`, as the end of a sentence; empty if none is like it.
pub(super) fn nearest(name: &str, called: bool) -> String {
    let columns = Column::ALL.iter().map(|column| column.name());
    let values = columns.chain(CONSTANTS.iter().map(|(known, _, _)| *known));
    let functions = FUNCTIONS.iter().map(|(known, _)| *known);
    let known: Vec<&str> = if called { functions.collect() } else { values.collect() };
    let lower = name.to_lowercase();
    let mut like: Vec<(usize, &str)> =
        known.iter().filter_map(|known| Some((likeness(&lower, known)?, *known))).collect();
    like.sort_by_key(|(distance, _)| *distance);
    let offered: Vec<&str> = like.into_iter().take(MOST_OFFERED).map(|(_, known)| known).collect();
    if offered.is_empty() { String::new() } else { format!("; nearest: {}", offered.join(", ")) }
}

/// How far apart two names are; none if they are not alike. Those that share a word are.
fn likeness(name: &str, known: &str) -> Option<usize> {
    let distance = distance(name, known);
    let shares = name.split('_').any(|word| word.len() > 2 && known.split('_').any(|other| word == other));
    let within = name.len() > 2 && known.contains(name);
    (shares || within || distance <= 1.max(known.len() / 3)).then_some(distance)
}

/// Characters to insert, delete or replace to make one of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, character) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, &there) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(character != there);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}
