//! Runs a scenario under the scheduler of this crate and prints each user's goodput.
//!
//!     python -c "import airlink; print(airlink.Scenario.from_toml('cell.toml').resolved().to_json())" > cell.json
//!     cargo run --release -p own-scheduler -- cell.json 1

use std::process::ExitCode;

use airlink_sim::Scenario;

fn main() -> ExitCode {
    match told(std::env::args().skip(1)) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// What is printed for these arguments, or why nothing is.
fn told(mut arguments: impl Iterator<Item = String>) -> Result<String, String> {
    let (Some(file), seed) = (arguments.next(), arguments.next()) else {
        return Err("usage: own-scheduler SCENARIO.json [SEED]".to_owned());
    };
    let seed = seed.map_or(Ok(1), |text| text.parse()).map_err(|_| "the seed must be a whole number".to_owned())?;
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let scenario = Scenario::from_json(&text).map_err(|problems| {
        let lines: Vec<String> =
            problems.iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect();
        lines.join("\n")
    })?;
    let replica = own_scheduler::run(&scenario, seed, &[]);
    let goodput = replica.tables["users"].get("goodput_bps").ok_or("no goodput was recorded")?;
    Ok(format!("goodput_bps {goodput:?}\ndigest {}", replica.digest()))
}
