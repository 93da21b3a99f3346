//! Every field of a connection, as `Tcp` declares it. A case draws a field from the whole range that a scenario allows, or a
//! line gives its value.
//!
//! What a field drew changes with its range, so lines that are kept give values.

use std::sync::LazyLock;

use airlink_model::transport::Tcp;
use airlink_model::types::declare::{Declaration, Form, Range, Rule, Section, Value, members, read};

use super::draw::Draw;

/// What says nothing of a run, and what needs a queue that puts prices on packets.
const LEFT_OUT: [&str; 2] = ["profile", "clamp"];

/// A field that can be changed.
pub struct TcpField {
    /// Its path in a table of TCP.
    pub path: String,
    rule: &'static Rule,
    form: Form,
}

/// All of them, in the order of the declaration.
pub static FIELDS: LazyLock<Vec<TcpField>> = LazyLock::new(|| {
    let mut found = Vec::new();
    collect("", &Tcp::declaration(), &mut found);
    found.retain(|field| !LEFT_OUT.contains(&field.path.as_str()));
    found
});

fn collect(above: &str, table: &Declaration, found: &mut Vec<TcpField>) {
    for (rule, form, _) in members(table) {
        let path = format!("{above}{}", rule.name);
        match form {
            Form::Table(inner) if inner.variants.is_none() => collect(&format!("{path}."), inner, found),
            form => found.push(TcpField { path, rule, form: form.clone() }),
        }
    }
}

impl TcpField {
    /// Any value that it may have.
    pub fn draw(&self, draw: &mut Draw) -> Value {
        any(self.rule, &self.form, draw)
    }

    /// Sets it in `tcp`.
    pub fn set(&self, tcp: &mut Tcp, value: Value) {
        let mut table = tcp.to_value();
        *at(&mut table, &self.path) = value;
        *tcp = read(&table, "").unwrap_or_else(|problems| panic!("{problems:?}"));
    }

    /// The value that a line gives; of a choice of tables its kind and what its fields hold, in order.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let mut words = text.split(',');
        let value = parsed(&self.form, &mut words);
        value.filter(|_| words.next().is_none()).ok_or(format!("{text} is no value of {}", self.path))
    }
}

/// A value as a line gives it.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::Flag(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Table(fields) => fields.iter().map(|(_, value)| text_of(value)).collect::<Vec<_>>().join(","),
        other => panic!("no field of TCP holds {other}"),
    }
}

fn at<'a>(table: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('.').fold(table, |value, step| match value {
        Value::Table(fields) => &mut fields.iter_mut().find(|(name, _)| name == step).expect("a declared field").1,
        other => panic!("{other} has no field {step}"),
    })
}

fn any(rule: &Rule, form: &Form, draw: &mut Draw) -> Value {
    match form {
        Form::Flag => Value::Flag(draw.coin()),
        Form::Words(words) => Value::Text(draw.pick(words).to_owned()),
        Form::Number { whole } => any_number(rule, *whole, draw),
        Form::Table(choice) => {
            let kinds = kinds(choice);
            let table = &kinds[draw.below(kinds.len() as u64) as usize];
            let fields =
                members(table).into_iter().map(|(rule, form, _)| (rule.name.to_owned(), any(rule, form, draw)));
            Value::Table(
                [(String::from("kind"), Value::Text(table.kind.to_owned()))].into_iter().chain(fields).collect(),
            )
        }
        other => panic!("{}: no draw of {other:?}", rule.name),
    }
}

fn kinds(choice: &Declaration) -> &[Declaration] {
    &choice.variants.as_ref().expect("a table among several").each
}

/// One of the bounds, or a number between them, as likely in each decade.
fn any_number(rule: &Rule, whole: bool, draw: &mut Draw) -> Value {
    let Range { at_least, above, at_most, below, infinite, or_zero } = rule.range;
    let high = at_most.or(below).expect("a field of TCP has an upper bound");
    // A nanosecond, or far less than the bound.
    let step = match rule.unit {
        _ if whole => 1.0,
        "ms" => 1e-6,
        "s" => 1e-9,
        _ => high * 1e-12,
    };
    let least = at_least.or(above.map(|bound| bound + step)).expect("a field of TCP has a lower bound");
    let most = if at_most.is_some() { high } else { high * (1.0 - 1e-6) };
    let mut bounds = vec![Value::Number(least), Value::Number((least + step).min(most)), Value::Number(most)];
    bounds.extend(or_zero.then_some(Value::Number(0.0)));
    bounds.extend(infinite.then_some(Value::Text("inf".into())));
    if draw.below(4) == 0 {
        return bounds.swap_remove(draw.below(bounds.len() as u64) as usize);
    }
    let from = least.max(step);
    Value::Number(if whole { draw.size(from as u64, most as u64) as f64 } else { draw.logarithmic(from, most) })
}

fn parsed<'a>(form: &Form, words: &mut impl Iterator<Item = &'a str>) -> Option<Value> {
    let word = words.next()?;
    match form {
        Form::Flag => word.parse().ok().map(Value::Flag),
        Form::Number { .. } if word != "inf" => word.parse().ok().map(Value::Number),
        Form::Table(choice) => {
            let table = kinds(choice).iter().find(|table| table.kind == word)?;
            let mut fields = vec![(String::from("kind"), Value::Text(word.to_owned()))];
            for (rule, form, _) in members(table) {
                fields.push((rule.name.to_owned(), parsed(form, words)?));
            }
            Some(Value::Table(fields))
        }
        _ => Some(Value::Text(word.to_owned())),
    }
}

#[test]
fn what_is_drawn_is_allowed_and_is_what_its_text_says() {
    let mut draw = Draw::new(1, "fields");
    for field in FIELDS.iter() {
        for _ in 0..50 {
            let value = field.draw(&mut draw);
            assert_eq!(field.parse(&text_of(&value)), Ok(value.clone()));
            field.set(&mut Tcp::default(), value);
        }
    }
}
