//! A declaration as plain data, for whoever writes classes, schemas and pages from it.

use super::{Range, Rule, Value};

/// A table of the scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The name of its class.
    pub class: &'static str,
    /// The value of `kind` by which it is known among others; empty where there are no others.
    pub kind: &'static str,
    /// What that value of `kind` stands for, in a few words.
    pub about: &'static str,
    /// What the table is.
    pub meaning: &'static str,
    /// What else is to be known of it, for whoever explains results.
    pub facts: &'static [&'static str],
    /// Its fields in order.
    pub members: Vec<Member>,
    /// The tables of which this holds exactly one, by `kind`.
    pub variants: Option<Variants>,
}

/// Tables that exclude one another.
#[derive(Clone, Debug, PartialEq)]
pub struct Variants {
    /// The name of the choice.
    pub class: &'static str,
    /// One for each value of `kind`.
    pub each: Vec<Declaration>,
}

/// A part of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// A field.
    Field {
        /// How it is declared.
        rule: &'static Rule,
        /// What it may hold.
        form: Form,
        /// What it holds if nothing is written; none where something must be.
        default: Option<Value>,
    },
    /// The fields of a group that several tables have.
    Group(Declaration),
}

/// What a field may hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// True or false.
    Flag,
    /// A number within bounds, or one of the words.
    Number {
        /// Whole numbers only.
        whole: bool,
    },
    /// A whole number of 64 bits, or one of the words.
    Seed,
    /// A text.
    Text,
    /// A length of time, as a number or an exact fraction ("5/3").
    Length,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A list, each of whose items has this form and the field's bounds.
    List {
        /// Of an item.
        item: Box<Form>,
        /// One value may stand for all.
        single: bool,
    },
    /// A table.
    Table(Box<Declaration>),
    /// A list of tables.
    Tables(Box<Declaration>),
    /// What may be left out altogether.
    Optional(Box<Form>),
}

/// The fields of a table with those of its groups, in order.
pub fn members(declaration: &Declaration) -> Vec<(&'static Rule, &Form, Option<&Value>)> {
    let mut found = Vec::new();
    for member in &declaration.members {
        match member {
            Member::Field { rule, form, default } => found.push((*rule, form, default.as_ref())),
            Member::Group(group) => found.extend(members(group)),
        }
    }
    found
}

impl Declaration {
    /// The table of one `kind` that holds the fields of `held`: as its own if both have one class, else as a group.
    #[must_use]
    pub fn holding(mut self, held: Declaration) -> Self {
        if self.class != held.class {
            self.members = vec![Member::Group(held)];
            return self;
        }
        let or = |own: &'static str, other: &'static str| if own.is_empty() { other } else { own };
        self.about = or(self.about, held.about);
        self.meaning = or(self.meaning, held.meaning);
        self.facts = if self.facts.is_empty() { held.facts } else { self.facts };
        self.members = held.members;
        self
    }

    /// The range of a field by its name, groups and tables of every `kind` included.
    pub fn range_of(&self, name: &str) -> Option<Range> {
        let own = members(self).into_iter().find(|(rule, _, _)| rule.name == name).map(|(rule, _, _)| rule.range);
        own.or_else(|| self.variants.iter().flat_map(|variants| &variants.each).find_map(|each| each.range_of(name)))
    }
}
