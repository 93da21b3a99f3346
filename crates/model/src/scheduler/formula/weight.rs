//! What a formula multiplies the rate by, if it is a rate times something that is the user's own.
//!
//! R/A is R times 1/A, R/A exp(d) is R times exp(d)/A, and log R - 2 log A orders users as R times exp(-2 log A) does. Such formulas are
//! decided for many subchannels at once. It leaves out formulas that are such a product only after rearranging, such as R/(A/R).

use super::operation::{Binary, Unary};
use super::tree::Tree;
use crate::scheduler::columns::{Column, Per};

/// A factor of the rate.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Weight {
    /// The factor.
    Factor(Tree),
    /// Its natural logarithm.
    Logarithm(Tree),
}

impl Weight {
    /// The weight in `tree`, if the formula is of such a form.
    pub(super) fn of(tree: &Tree, average_moves: bool) -> Option<Self> {
        let own = |part: &Tree| part.per(average_moves) != Per::Subchannel;
        factor(tree, &own).map(Self::Factor).or_else(|| logarithm(tree, &own).map(Self::Logarithm))
    }
}

fn factor(tree: &Tree, own: &impl Fn(&Tree) -> bool) -> Option<Tree> {
    let (operation, left, right) = match tree {
        Tree::Column(Column::Rate) => return Some(Tree::Number(1.0)),
        Tree::Binary(operation, parts) => (*operation, &parts.0, &parts.1),
        _ => return None,
    };
    match operation {
        Binary::Multiply if own(right) => Some(product(factor(left, own)?, right.clone())),
        Binary::Multiply if own(left) => Some(product(left.clone(), factor(right, own)?)),
        Binary::Divide if own(right) => Some(Tree::binary(Binary::Divide, factor(left, own)?, right.clone())),
        _ => None,
    }
}

/// A product, of which one part may be the rate's factor of 1.
fn product(left: Tree, right: Tree) -> Tree {
    match (left, right) {
        (Tree::Number(1.0), other) | (other, Tree::Number(1.0)) => other,
        (left, right) => Tree::binary(Binary::Multiply, left, right),
    }
}

fn logarithm(tree: &Tree, own: &impl Fn(&Tree) -> bool) -> Option<Tree> {
    let is_rate = |part: &Tree| *part == Tree::unary(Unary::Log, Tree::Column(Column::Rate));
    let (operation, left, right) = match tree {
        Tree::Binary(operation, parts) => (*operation, &parts.0, &parts.1),
        _ => return is_rate(tree).then_some(Tree::Number(0.0)),
    };
    match operation {
        Binary::Add if is_rate(left) && own(right) => Some(right.clone()),
        Binary::Add if is_rate(right) && own(left) => Some(left.clone()),
        Binary::Subtract if is_rate(left) && own(right) => Some(Tree::unary(Unary::Negate, right.clone())),
        _ => None,
    }
}
