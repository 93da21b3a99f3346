//! A formula as a tree, and which part of it moves from subchannel to subchannel.

use super::operation::{Binary, Unary, choose};
use crate::scheduler::columns::{Column, Per};

/// A formula that was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Number(f64),
    Column(Column),
    Unary(Unary, Box<Tree>),
    Binary(Binary, Box<(Tree, Tree)>),
    /// where(condition, yes, no)
    Where(Box<(Tree, Tree, Tree)>),
}

impl Tree {
    /// The operation on a part, done at once if that is a number.
    pub(super) fn unary(operation: Unary, of: Self) -> Self {
        match of {
            Self::Number(number) => Self::Number(operation.of(number)),
            of => Self::Unary(operation, Box::new(of)),
        }
    }

    /// The operation on two parts, done at once if these are numbers.
    pub(super) fn binary(operation: Binary, left: Self, right: Self) -> Self {
        match (left, right) {
            (Self::Number(left), Self::Number(right)) => Self::Number(operation.of(left, right)),
            parts => Self::Binary(operation, Box::new(parts)),
        }
    }

    /// `yes` unless `condition` is 0.
    pub(super) fn choice(condition: Self, yes: Self, no: Self) -> Self {
        match (condition, yes, no) {
            (Self::Number(condition), Self::Number(yes), Self::Number(no)) => Self::Number(choose(condition, yes, no)),
            parts => Self::Where(Box::new(parts)),
        }
    }

    /// Whether it names `column`.
    pub(super) fn names(&self, column: Column) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Column(named) => *named == column,
            Self::Unary(_, of) => of.names(column),
            Self::Binary(_, parts) => parts.0.names(column) || parts.1.names(column),
            Self::Where(parts) => parts.0.names(column) || parts.1.names(column) || parts.2.names(column),
        }
    }

    /// For what it has a value each. With `average_moves` averages change from subchannel to subchannel.
    pub(super) fn per(&self, average_moves: bool) -> Per {
        match self {
            Self::Number(_) => Per::Slot,
            Self::Column(Column::Average) if average_moves => Per::Subchannel,
            Self::Column(column) => column.per(),
            Self::Unary(_, of) => of.per(average_moves),
            Self::Binary(_, parts) => parts.0.per(average_moves).max(parts.1.per(average_moves)),
            Self::Where(parts) => {
                let [condition, yes, no] = [&parts.0, &parts.1, &parts.2].map(|part| part.per(average_moves));
                condition.max(yes).max(no)
            }
        }
    }
}
