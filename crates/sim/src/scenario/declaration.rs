//! The declaration of all sections as JSON, from which the Python classes, the JSON Schema and the pages are written.

use airlink_model::types::declare::{Declaration, Form, Member, Range, Rule, Section};
use serde_json::{Map, Value, json};

use super::network::Written;

/// The declaration of a scenario as JSON: what stands within a section is within it here, too.
pub fn declaration() -> String {
    serde_json::to_string_pretty(&section(&Written::declaration())).expect("a declaration is JSON")
}

fn section(declared: &Declaration) -> Value {
    let variants = declared.variants.as_ref().map(|variants| {
        let each: Vec<Value> = variants.each.iter().map(section).collect();
        json!({ "class": variants.class, "each": each })
    });
    json!({
        "class": declared.class,
        "kind": declared.kind,
        "about": declared.about,
        "meaning": declared.meaning,
        "facts": declared.facts,
        "members": declared.members.iter().map(member).collect::<Vec<Value>>(),
        "variants": variants,
    })
}

fn member(member: &Member) -> Value {
    match member {
        Member::Group(group) => json!({ "group": section(group) }),
        Member::Field { rule, form, default } => json!({
            "name": rule.name,
            "unit": rule.unit,
            "meaning": rule.meaning,
            "source": rule.source,
            "form": self::form(rule, form),
            "default": default.as_ref().map(super::json::of_value),
            "required": default.is_none(),
        }),
    }
}

fn form(rule: &Rule, form: &Form) -> Value {
    match form {
        Form::Flag => json!({ "is": "flag" }),
        Form::Number { whole } => {
            json!({ "is": "number", "whole": whole, "words": rule.words, "range": range(&rule.range) })
        }
        Form::Seed => json!({ "is": "seed", "words": rule.words }),
        Form::Text => json!({ "is": "text", "range": range(&rule.range), "pattern": rule.pattern }),
        Form::Length => json!({ "is": "length", "range": range(&rule.range) }),
        Form::Words(words) => json!({ "is": "words", "words": words }),
        Form::List { item, single } => json!({
            "is": "list", "item": self::form(rule, item), "items": rule.items, "single": single, "words": rule.words,
        }),
        Form::Table(declared) => json!({ "is": "table", "section": section(declared) }),
        Form::Tables(declared) => json!({ "is": "tables", "section": section(declared), "items": rule.items }),
        Form::Optional(held) => json!({ "is": "optional", "of": self::form(rule, held) }),
    }
}

fn range(range: &Range) -> Value {
    let bounds =
        [("at_least", range.at_least), ("above", range.above), ("at_most", range.at_most), ("below", range.below)];
    let mut given: Map<String, Value> =
        bounds.iter().filter_map(|(name, bound)| bound.map(|bound| ((*name).to_owned(), bound.into()))).collect();
    for (name, switch) in [("infinite", range.infinite), ("or_zero", range.or_zero)] {
        if switch {
            given.insert(name.to_owned(), true.into());
        }
    }
    Value::Object(given)
}
