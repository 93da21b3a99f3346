//! Runs the scenario on the standard input, as JSON, with seed 1, and prints its digest: for `tests/files_passed.py`.

use std::io::read_to_string;

fn main() {
    let text = read_to_string(std::io::stdin()).expect("the standard input is text");
    let scenario = airlink_sim::Scenario::from_json(&text).expect("the scenario is complete and correct");
    println!("{}", airlink_sim::run(&scenario, &[], 1, &[]).digest());
}
