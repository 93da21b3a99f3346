//! Runs a scenario with parts of this crate and prints each user's goodput.
//!
//!     python -c "import airlink; print(airlink.Scenario.from_toml('cell.toml').resolved().to_json())" > cell.json
//!     cargo run --release -p own-scheduler -- cell.json 1 weighted_fair reno codel

use std::process::ExitCode;

use airlink_sim::{Components, Scenario};
use own_scheduler::{PARTS, own, run};

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
        return Err("usage: own-scheduler SCENARIO.json [SEED] [PART...]".to_owned());
    };
    let seed = seed.map_or(Ok(1), |text| text.parse()).map_err(|_| "the seed must be a whole number".to_owned())?;
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let scenario = Scenario::from_json(&text).map_err(|problems| {
        let lines: Vec<String> =
            problems.iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect();
        lines.join("\n")
    })?;
    let named: Vec<String> = arguments.collect();
    let named = if named.is_empty() { vec![PARTS[0].to_owned()] } else { named };
    let mut components = Components::default();
    for part in &named {
        let known = PARTS.join(", ");
        components =
            own(components, part, &scenario).ok_or_else(|| format!("there is no part {part:?}; there are {known}"))?;
    }
    let replica = run(&scenario, &components, seed, &[]);
    let goodput = replica.tables["users"].get("goodput_bps").ok_or("no goodput was recorded")?;
    Ok(format!("goodput_bps {goodput:?}\ndigest {}", replica.digest()))
}
