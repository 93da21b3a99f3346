//! Scenarios of tests, completed from the declaration: a test names the fields that it is about.

use std::sync::LazyLock;

use airlink_sim::scenario::declaration;
use serde_json::{Value, json};

static DECLARATION: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&declaration()).expect("the declaration is JSON"));

/// The scenario with the declared default of every field that its tables leave out. An optional table stays out.
pub(crate) fn completed(mut scenario: Value) -> Value {
    complete(&DECLARATION, &mut scenario);
    scenario
}

fn complete(section: &Value, table: &mut Value) {
    let variants = section["variants"]["each"].as_array().into_iter().flatten();
    let of_kind = variants.filter(|variant| variant["kind"] == table["kind"]).flat_map(members);
    for member in members(section).chain(of_kind.collect::<Vec<_>>()) {
        if member["group"].is_object() {
            complete(&member["group"], table);
            continue;
        }
        let name = member["name"].as_str().expect("a field has a name");
        let is_optional = member["form"]["is"] == "optional" || member["default"].is_null();
        if table[name].is_null() && !is_optional {
            table[name] = member["default"].clone();
        }
        if let Some(field) = table.get_mut(name) {
            complete_tables(&member["form"], field);
        }
    }
}

fn members(section: &Value) -> impl Iterator<Item = &Value> {
    section["members"].as_array().into_iter().flatten()
}

fn complete_tables(form: &Value, field: &mut Value) {
    match form["is"].as_str() {
        Some("optional") => complete_tables(&form["of"], field),
        Some("table") if field.is_object() => complete(&form["section"], field),
        Some("tables") => {
            field.as_array_mut().into_iter().flatten().for_each(|table| complete(&form["section"], table));
        }
        _ => {}
    }
}

#[test]
fn what_a_scenario_leaves_out_is_as_declared() {
    let flow = json!({ "traffic": { "kind": "greedy" }, "tcp": { "rto": { "min_ms": 7 } } });
    let link = json!({ "harq": { "kind": "chase" }, "errors": { "curve": { "kind": "logistic" } } });
    let scenario = completed(json!({ "users": 1, "link": link, "queue": { "codel": {} }, "flows": [flow] }));
    for (pointer, value) in [
        ("/link/harq/processes", json!(8)),
        ("/link/errors/curve/slope_per_db", json!(2)),
        ("/queue/codel/interval_ms", json!(100)),
        ("/flows/0/tcp/rto/min_ms", json!(7)),
        ("/flows/0/tcp/rto/initial_ms", json!(1000)),
    ] {
        assert_eq!(scenario.pointer(pointer), Some(&value), "{pointer}");
    }
    assert!(scenario.get("scheduler").is_none(), "an optional table stays out");
}
