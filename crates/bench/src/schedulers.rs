//! What a run costs with each way to say the same metric: workload A, and 50 drops of K3, with a built-in scheduler and with its formula.

use airlink_model::scheduler::{AverageConfig, Formula, FormulaConfig, SchedulerKind};
use airlink_sim::{Problem, Scenario};

use crate::cpu_time::{cpu_s_of, least};
use crate::workload::{SEED, Workload, radio, radio_mut};

/// Runs of each, one after the other; the least counts.
const REPETITIONS: usize = 7;

/// Seeds of K3.
const DROPS: u64 = 50;

/// Formulas beside the one of proportional fair.
const OTHERS: [&str; 3] =
    ["rate", "rate / average * exp(head_of_line_delay_s / 0.05)", "log(rate) - 0.5 * log(average)"];

/// Prints a line for each scheduler.
pub fn print() -> Result<(), Vec<Problem>> {
    let workloads = [("A", Workload::a()?.scenario, SEED), ("K3 x 50", Workload::b_with_noise()?.scenario, DROPS)];
    for (name, scenario, seeds) in workloads {
        let SchedulerKind::ProportionalFair(average) = radio(&scenario).scheduler.kind else { panic!("PF") };
        let built_in = SchedulerKind::ProportionalFair(average);
        let formulas = ["rate / average"].into_iter().chain(OTHERS).map(|text| (text, of(text, average)));
        let cases: Vec<(&str, Scenario)> = [("built in", built_in)]
            .into_iter()
            .chain(formulas)
            .map(|(name, kind)| (name, with(&scenario, kind)))
            .collect();
        let mut samples = vec![Vec::new(); cases.len()];
        for _ in 0..REPETITIONS {
            for ((_, scenario), samples) in cases.iter().zip(&mut samples) {
                samples.push(cpu_s_of(|| run(scenario, seeds)).0);
            }
        }
        println!("Workload {name}, proportional fair and formulas: s CPU, least of {REPETITIONS}, and x built in");
        let reference = least(&samples[0]);
        for ((name, _), samples) in cases.iter().zip(&samples) {
            let cpu_s = least(samples);
            println!("  {name:52} {cpu_s:8.4} {:6.3}", cpu_s / reference);
        }
        println!();
    }
    Ok(())
}

fn of(text: &str, average: AverageConfig) -> SchedulerKind {
    SchedulerKind::Formula(FormulaConfig { average, metric: Formula::read(text).expect("a formula") })
}

fn with(scenario: &Scenario, kind: SchedulerKind) -> Scenario {
    let mut scenario = scenario.clone();
    radio_mut(&mut scenario).scheduler.kind = kind;
    scenario
}

fn run(scenario: &Scenario, seeds: u64) {
    for seed in 1..=seeds {
        std::hint::black_box(airlink_sim::run(scenario, &[], seed, &[]));
    }
}
