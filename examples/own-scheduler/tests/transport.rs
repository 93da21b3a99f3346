//! Reno and CoDel of this crate are the built-in ones, digest by digest, where both have something to do.

use airlink_sim::{Column, Components, Replica, Scenario, run};
use own_scheduler::own;
use serde_json::{Value, json};

/// Greedy downloads of three users over a fading cell, with queues that fill; these fields differ.
fn loaded(fields: &[(&str, &str)]) -> Scenario {
    let mut scenario: Value =
        serde_json::from_str(include_str!("../../../tests/fixtures/k3.json")).expect("a fixture is JSON");
    scenario["users"] = json!(3);
    scenario["duration_s"] = json!(30.0);
    scenario["queue"]["limit_packets"] = json!(30);
    scenario["flows"][0]["traffic"] = json!({ "kind": "greedy" });
    scenario["flows"][0]["tcp"]["congestion_control"] = json!("cubic");
    for (pointer, word) in fields {
        *scenario.pointer_mut(pointer).expect("the scenario has the field") = json!(word);
    }
    Scenario::from_json(&scenario.to_string()).expect("the scenario is valid")
}

fn with(parts: &[&str], scenario: &Scenario) -> Replica {
    let components = parts
        .iter()
        .fold(Components::default(), |components, part| own(components, part, scenario).expect("there is such a part"));
    own_scheduler::run(scenario, &components, 1, &[])
}

/// The sum of a column; 0 where the table has none.
fn total(replica: &Replica, table: &str, column: &str) -> i64 {
    match replica.tables[table].get(column) {
        Some(Column::Whole(counts)) => counts.iter().sum(),
        Some(other) => panic!("{column} is whole numbers: {other:?}"),
        None => 0,
    }
}

#[test]
fn reno_and_codel_are_the_built_in_ones_alone_and_together() {
    let (reno, codel) = (("/flows/0/tcp/congestion_control", "reno"), ("/queue/kind", "codel"));
    for (parts, fields) in
        [(vec!["reno"], vec![reno]), (vec!["codel"], vec![codel]), (vec!["codel", "reno"], vec![reno, codel])]
    {
        let scenario = loaded(&fields);
        let built_in = run(&scenario, &[], 1, &[]);
        assert!(total(&built_in, "flows", "retransmissions") > 10, "{parts:?}");
        assert_eq!(parts.contains(&"codel"), total(&built_in, "cell", "drops_aqm") > 10, "{parts:?}");
        assert_eq!(with(&parts, &scenario).digest(), built_in.digest(), "{parts:?}");
        assert_ne!(with(&parts, &loaded(&[])).digest(), run(&loaded(&[]), &[], 1, &[]).digest(), "{parts:?}");
    }
}

#[test]
fn there_is_no_part_of_another_name() {
    assert!(own(Components::default(), "cubic", &loaded(&[])).is_none());
}
