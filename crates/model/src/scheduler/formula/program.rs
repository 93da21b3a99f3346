//! A formula as steps over whole columns: what has one value for all is computed once a slot, what is the user's own once a slot
//! for each user, and only the rest on each subchannel.
//!
//! Each step writes a register, which holds a number for each user of the contest; equal parts of a formula share one. A step is
//! one plain loop, so that the compiler fills the vector registers. It leaves out rearranging: parts are computed as they are written.

use super::operation::{Binary, MapBinary, MapUnary, Unary, choose};
use super::tree::Tree;
use crate::scheduler::Contest;
use crate::scheduler::columns::{Column, Per};

/// Where a step finds its numbers.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// One number for all.
    Constant(f64),
    /// One number for all, computed in this slot.
    Number(usize),
    /// The rates on the subchannel that is decided.
    Rates,
    /// The averages.
    Averages,
    /// What a step has written.
    Register(usize),
}

impl PartialEq for Source {
    /// Constants by their bits: what is no number equals itself, and the two zeros differ.
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Constant(one), Self::Constant(two)) => one.to_bits() == two.to_bits(),
            (Self::Number(one), Self::Number(two)) | (Self::Register(one), Self::Register(two)) => one == two,
            (Self::Rates, Self::Rates) | (Self::Averages, Self::Averages) => true,
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Load(Column),
    Unary(Unary, Source),
    Binary(Binary, Source, Source),
    Where(Source, Source, Source),
}

/// A formula that was compiled, and its registers.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Steps that write a number.
    slot: Vec<Step>,
    /// Steps that write the first registers, with values that hold for a slot.
    user: Vec<Step>,
    /// Steps that write the registers behind these, for each subchannel.
    subchannel: Vec<Step>,
    result: Source,
    average_moves: bool,
    numbers: Vec<f64>,
    registers: Vec<Vec<f64>>,
    /// Whether numbers and the users' registers hold what this slot has.
    is_ready: bool,
}

/// What is known on a subchannel: numbers by place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub(super) contest: &'a Contest<'a>,
    pub(super) subchannel: usize,
    pub(super) rates: &'a [f64],
    pub(super) averages: &'a [f64],
}

impl Program {
    /// The steps of `tree`. With `average_moves` averages change from subchannel to subchannel.
    pub(super) fn new(tree: &Tree, average_moves: bool) -> Self {
        let mut program = Self {
            slot: Vec::new(),
            user: Vec::new(),
            subchannel: Vec::new(),
            result: Source::Constant(0.0),
            average_moves,
            numbers: Vec::new(),
            registers: Vec::new(),
            is_ready: false,
        };
        // Registers of subchannels stand behind those of users, whose number is known once these are compiled.
        program.compile(tree, Per::User);
        program.result = program.compile(tree, Per::Subchannel);
        program.numbers.resize(program.slot.len(), 0.0);
        program.registers.resize(program.user.len() + program.subchannel.len(), Vec::new());
        program
    }

    /// Adds the steps of `tree` that have a value for `most` at the most, and says where its value is.
    fn compile(&mut self, tree: &Tree, most: Per) -> Source {
        let per = tree.per(self.average_moves);
        let step = match tree {
            Tree::Number(number) => return Source::Constant(*number),
            Tree::Column(Column::Rate) => return Source::Rates,
            Tree::Column(Column::Average) => return Source::Averages,
            Tree::Column(column) => Step::Load(*column),
            Tree::Unary(operation, of) => Step::Unary(*operation, self.compile(of, most)),
            Tree::Binary(operation, parts) => {
                Step::Binary(*operation, self.compile(&parts.0, most), self.compile(&parts.1, most))
            }
            Tree::Where(parts) => {
                let [condition, yes, no] = [&parts.0, &parts.1, &parts.2].map(|part| self.compile(part, most));
                Step::Where(condition, yes, no)
            }
        };
        // A part that has a value for each subchannel has none yet while those of the users are compiled.
        if per > most { Source::Constant(f64::NAN) } else { self.place_of(step, per) }
    }

    /// Where the value of a step is; it is added unless it is there.
    fn place_of(&mut self, step: Step, per: Per) -> Source {
        let (steps, first) = match per {
            Per::Slot => (&mut self.slot, 0),
            Per::User => (&mut self.user, 0),
            Per::Subchannel => (&mut self.subchannel, self.user.len()),
        };
        let index = steps.iter().position(|known| *known == step).unwrap_or_else(|| {
            steps.push(step);
            steps.len() - 1
        });
        if per == Per::Slot { Source::Number(index) } else { Source::Register(first + index) }
    }

    /// A slot begins: nothing that was computed holds any longer.
    pub(super) fn start_slot(&mut self) {
        self.is_ready = false;
    }

    /// Writes the formula's value for each user.
    pub(super) fn run(&mut self, known: &Known<'_>, out: &mut [f64]) {
        if !self.is_ready {
            self.get_ready(known, out.len());
        }
        let first = self.user.len();
        for (index, &step) in self.subchannel.iter().enumerate() {
            let register = first + index;
            // The last step writes where the value is wanted.
            if index + 1 == self.subchannel.len() && self.result == Source::Register(register) {
                self.write(step, known, out);
                return;
            }
            let mut values = std::mem::take(&mut self.registers[register]);
            values.resize(out.len(), 0.0);
            self.write(step, known, &mut values);
            self.registers[register] = values;
        }
        match self.values(self.result, known) {
            Values::One(number) => out.fill(number),
            Values::Each(values) => out.copy_from_slice(values),
        }
    }

    /// Computes what holds for the whole slot.
    fn get_ready(&mut self, known: &Known<'_>, users: usize) {
        for index in 0..self.slot.len() {
            self.numbers[index] = self.number(self.slot[index], known);
        }
        for register in 0..self.user.len() {
            let mut values = std::mem::take(&mut self.registers[register]);
            values.resize(users, 0.0);
            self.write(self.user[register], known, &mut values);
            self.registers[register] = values;
        }
        self.is_ready = true;
    }

    /// The value of a step that has one for all.
    fn number(&self, step: Step, known: &Known<'_>) -> f64 {
        let of = |source| match self.values(source, known) {
            Values::One(number) => number,
            Values::Each(_) => f64::NAN,
        };
        match step {
            Step::Load(column) => column.of_slot(known.contest.view),
            Step::Unary(operation, x) => operation.of(of(x)),
            Step::Binary(operation, x, y) => operation.of(of(x), of(y)),
            Step::Where(condition, yes, no) => choose(of(condition), of(yes), of(no)),
        }
    }

    /// The values of a step for each user.
    fn write(&self, step: Step, known: &Known<'_>, out: &mut [f64]) {
        match step {
            Step::Load(column) => column.fill(known.contest, known.subchannel, out),
            Step::Unary(operation, x) => operation.with(OverOne { out, x: self.values(x, known) }),
            Step::Binary(operation, x, y) => {
                operation.with(OverTwo { out, x: self.values(x, known), y: self.values(y, known) });
            }
            Step::Where(condition, yes, no) => {
                let [condition, yes, no] = [condition, yes, no].map(|source| self.values(source, known));
                for (place, value) in out.iter_mut().enumerate() {
                    *value = choose(condition.at(place), yes.at(place), no.at(place));
                }
            }
        }
    }

    fn values<'a>(&'a self, source: Source, known: &Known<'a>) -> Values<'a> {
        match source {
            Source::Constant(number) => Values::One(number),
            Source::Number(index) => Values::One(self.numbers[index]),
            Source::Rates => Values::Each(known.rates),
            Source::Averages => Values::Each(known.averages),
            Source::Register(index) => Values::Each(&self.registers[index]),
        }
    }
}

/// What a source holds.
#[derive(Clone, Copy)]
enum Values<'a> {
    One(f64),
    Each(&'a [f64]),
}

impl Values<'_> {
    #[inline(always)]
    fn at(&self, place: usize) -> f64 {
        match self {
            Self::One(number) => *number,
            Self::Each(values) => values[place],
        }
    }
}

struct OverOne<'a> {
    out: &'a mut [f64],
    x: Values<'a>,
}

impl MapUnary for OverOne<'_> {
    #[inline(always)]
    fn run(self, of: impl Fn(f64) -> f64) {
        match self.x {
            Values::One(x) => self.out.fill(of(x)),
            Values::Each(x) => self.out.iter_mut().zip(x).for_each(|(value, &x)| *value = of(x)),
        }
    }
}

struct OverTwo<'a> {
    out: &'a mut [f64],
    x: Values<'a>,
    y: Values<'a>,
}

impl MapBinary for OverTwo<'_> {
    #[inline(always)]
    fn run(self, of: impl Fn(f64, f64) -> f64) {
        let values = self.out.iter_mut();
        match (self.x, self.y) {
            (Values::One(x), Values::One(y)) => self.out.fill(of(x, y)),
            (Values::Each(x), Values::One(y)) => values.zip(x).for_each(|(value, &x)| *value = of(x, y)),
            (Values::One(x), Values::Each(y)) => values.zip(y).for_each(|(value, &y)| *value = of(x, y)),
            (Values::Each(x), Values::Each(y)) => {
                values.zip(x).zip(y).for_each(|((value, &x), &y)| *value = of(x, y));
            }
        }
    }
}
