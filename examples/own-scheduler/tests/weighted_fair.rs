//! With equal weights it is the built-in proportional fair, digest by digest.

use airlink_sim::{Column, Components, RecordKind, Replica, Scenario, run};
use own_scheduler::own;
use serde_json::{Value, json};

fn scenario(duration_s: f64, subchannels: u64, ties: &str, weights: &Value) -> Scenario {
    let mut fields: Value =
        serde_json::from_str(include_str!("../../../crates/bench/workloads/a.json")).expect("a workload is JSON");
    fields["duration_s"] = json!(duration_s);
    fields["carrier"]["subchannels"] = json!(subchannels);
    fields["scheduler"]["ties"] = json!(ties);
    fields["scheduler"]["weight"] = weights.clone();
    Scenario::from_json(&fields.to_string()).expect("the scenario is valid")
}

fn weighted(scenario: &Scenario, record: &[RecordKind]) -> Replica {
    let components = own(Components::default(), "weighted_fair", scenario).expect("there is such a part");
    own_scheduler::run(scenario, &components, 3, record)
}

#[test]
fn with_equal_weights_it_is_proportional_fair() {
    for subchannels in [1, 50] {
        for ties in ["random", "lowest_index"] {
            let scenario = scenario(2.0, subchannels, ties, &json!(1.0));
            let own = weighted(&scenario, &[RecordKind::Slots]);
            assert_eq!(own.digest(), run(&scenario, &[], 3, &[RecordKind::Slots]).digest(), "{subchannels} {ties}");
        }
    }
}

#[test]
fn a_larger_weight_wins_more_slots() {
    let alike = scenario(20.0, 1, "random", &json!(1.0));
    let mut weights = vec![1.0; alike.users];
    weights[0] = 3.0;
    let favoured = weighted(&scenario(20.0, 1, "random", &json!(weights)), &[]);
    let equal = weighted(&alike, &[]);
    let won = |replica: &Replica| match replica.tables["users"].get("slots_won") {
        Some(Column::Whole(won)) => won[0],
        other => panic!("slots are whole numbers: {other:?}"),
    };
    assert!(2 * won(&favoured) > 3 * won(&equal), "{} of {}", won(&favoured), won(&equal));
}
