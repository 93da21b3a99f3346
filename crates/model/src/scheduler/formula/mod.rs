//! A metric as a formula of a scenario: what it may be made of, and how it is decided.
//!
//! The text is read once into a tree, which is compiled into loops over columns (`program`). A formula is data: it names columns of the
//! [`SlotView`], numbers, operators and functions, and nothing else. A value that is not a number never wins. It leaves out a memory of
//! its own: what it may remember are the averages.

mod names;
mod operation;
mod program;
mod text;
mod tree;
mod weight;

pub use names::{Name, names};
pub use text::Mistake;

use std::cell::RefCell;
use std::sync::Arc;

use super::columns::Column;
use super::lambda::weights_of_logarithms;
use super::{AverageConfig, AveragedRate, Contest, Metric, SlotOutcome, SlotView};
use crate::types::Slot;
use crate::types::declare::{Field, Form, Reader, Rule, Section, Value};
use program::{Known, Program};
use tree::Tree;
use weight::Weight;

/// Metric: the value of a formula of what the base station knows.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(about = "Largest value of a formula", facts("serves the largest value of its formula"))]
pub struct FormulaConfig {
    /// How `average` is formed.
    #[field(group)]
    pub average: AverageConfig,
    /// The formula, such as `rate / average`. `airlink list formula` has its columns, operators and functions.
    #[field(at_least = 1, at_most = 1000)]
    pub metric: Formula,
}

/// A formula that was read.
#[derive(Clone, Debug)]
pub struct Formula {
    text: Arc<str>,
    tree: Arc<Tree>,
}

impl Formula {
    /// Reads a formula; every name that means nothing is a mistake.
    pub fn read(text: &str) -> Result<Self, Vec<Mistake>> {
        text::read(text).map(|tree| Self { text: text.into(), tree: Arc::new(tree) })
    }

    /// Its text, as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it names `column`.
    pub fn names(&self, column: Column) -> bool {
        self.tree.names(column)
    }

    /// What is wrong with `text`, each mistake with its place; none if it is a formula.
    pub fn refusal(text: &str) -> Option<String> {
        let mistakes = Self::read(text).err()?;
        let told: Vec<String> = mistakes
            .iter()
            .map(|Mistake { character, message }| format!("at character {character}: {message}"))
            .collect();
        Some(format!("{} (airlink list formula)", told.join("; ")))
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Field for Formula {
    fn form(_: &Rule) -> Form {
        Form::Text
    }

    fn read(value: &Value, _: &Rule, reader: &mut Reader) -> Option<Self> {
        let Value::Text(text) = value else { return reader.not_allowed(value, "a formula, as a text") };
        match Self::refusal(text) {
            Some(refusal) => reader.refuse(format!("must be a formula: {refusal}")),
            None => Self::read(text).ok(),
        }
    }

    fn write(&self, _: &Rule) -> Value {
        Value::Text(self.text().to_owned())
    }
}

/// The metric that a formula gives.
#[derive(Clone, Debug)]
pub struct FormulaMetric {
    /// Kept if the formula names it.
    average: Option<AveragedRate>,
    metric: RefCell<Program>,
    weight: Option<RefCell<Program>>,
    /// Whether the weight is given by its logarithm.
    is_logarithm: bool,
    reads_idle_users: bool,
}

impl FormulaMetric {
    /// The metric of `users` users before the first slot.
    pub fn new(config: &FormulaConfig, users: usize) -> Self {
        let tree = &config.metric.tree;
        let average = tree.names(Column::Average).then(|| AveragedRate::new(config.average, users));
        let average_moves = average.as_ref().is_some_and(AveragedRate::moves_within_slot);
        let weight = Weight::of(tree, average_moves);
        let is_logarithm = matches!(weight, Some(Weight::Logarithm(_)));
        let weight = weight.map(|(Weight::Factor(tree) | Weight::Logarithm(tree))| Program::new(&tree, average_moves));
        Self {
            average,
            metric: RefCell::new(Program::new(tree, average_moves)),
            weight: weight.map(RefCell::new),
            is_logarithm,
            reads_idle_users: tree.names(Column::RetransmitBytes),
        }
    }

    fn averages(&self) -> &[f64] {
        self.average.as_ref().map_or(&[], AveragedRate::bps)
    }
}

impl Metric for FormulaMetric {
    fn observe(&mut self, contest: &Contest<'_>) {
        if let Some(average) = &mut self.average {
            average.observe(contest);
        }
        self.metric.get_mut().start_slot();
        if let Some(weight) = &mut self.weight {
            weight.get_mut().start_slot();
        }
    }

    fn evaluate(&self, contest: &Contest<'_>, subchannel: usize, rates: &[f64], out: &mut [f64]) {
        let known = Known { contest, subchannel, rates, averages: self.averages() };
        self.metric.borrow_mut().run(&known, out);
    }

    /// A product that is negative for somebody has another order than its weights.
    fn weigh(&self, contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        let Some(program) = &self.weight else { return false };
        let known = Known { contest, subchannel: 0, rates: &[], averages: self.averages() };
        program.borrow_mut().run(&known, weights);
        let least = if self.is_logarithm { f64::NEG_INFINITY.next_up() } else { 0.0 };
        let mut able = weights.iter().enumerate().filter(|(place, _)| contest.view.eligible[contest.user(*place)]);
        if able.any(|(_, &weight)| weight < least) {
            return false;
        }
        !self.is_logarithm || weights_of_logarithms(contest, weights)
    }

    fn on_grant(&mut self, view: &SlotView<'_>, place: usize, bits: f64) {
        if let Some(average) = &mut self.average {
            average.on_grant(view, place, bits);
        }
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        if let Some(average) = &mut self.average {
            average.on_slot_end(outcome);
        }
    }

    fn on_user_added(&mut self, user: usize, _slot: Slot) {
        if let Some(average) = &mut self.average {
            average.on_user_added(user);
        }
    }

    fn reads_idle_users(&self) -> bool {
        self.reads_idle_users
    }

    fn fill_averages(&self, bps: &mut [f64]) -> bool {
        let Some(average) = &self.average else { return false };
        average.fill(bps);
        true
    }
}
