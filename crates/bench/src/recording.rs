//! What recording costs: workload A with nothing, each kind of series, all of them, captures, and everything, in turn in
//! one run.
//!
//! Series are kept as they are recorded; what it costs to make columns of them for Python, and their digest, is told apart.

use airlink_sim::{Captures, Columns, Problem, RecordKind, Replica, Scenario, Simulation};

use crate::cpu_time::{cpu_s_of, least, median};
use crate::workload::{SEED, Workload};

const REPETITIONS: usize = 31;

/// What one run records.
struct Case {
    name: &'static str,
    kinds: Vec<RecordKind>,
    captured: bool,
}

impl Case {
    fn series(name: &'static str, kinds: &[RecordKind]) -> Self {
        Self { name, kinds: kinds.to_vec(), captured: false }
    }
}

/// Prints a line for each thing that can be recorded.
pub fn print() -> Result<(), Vec<Problem>> {
    let scenario = Workload::a()?.scenario;
    let folder = std::env::temp_dir().join(format!("airlink-bench-{}", std::process::id()));
    std::fs::create_dir(&folder).map_err(|error| refused(&error))?;
    let cases = cases();
    let seconds = measure(&scenario, &cases, &Captures { folder: folder.clone(), snap: None });
    std::fs::remove_dir_all(&folder).map_err(|error| refused(&error))?;
    println!("Recording workload A, CPU (of the least runs; {REPETITIONS} of each, taken in turn)");
    for (case, samples) in cases.iter().zip(&seconds) {
        print_line(case.name, samples, &seconds[0]);
    }
    let replica = run(&scenario, &RecordKind::ALL, None);
    print_line("reading all columns of all series", &repeat(|| read_all(&replica)), &seconds[0]);
    print_line("the digest of all series", &repeat(|| replica.digest().len()), &seconds[0]);
    println!();
    Ok(())
}

fn refused(error: &std::io::Error) -> Vec<Problem> {
    vec![Problem { path: "temporary folder".to_owned(), message: error.to_string() }]
}

fn cases() -> Vec<Case> {
    let mut cases = vec![Case::series("nothing", &[])];
    cases.extend(RecordKind::ALL.map(|kind| Case::series(kind.name(), &[kind])));
    cases.push(Case::series("all series", &RecordKind::ALL));
    cases.push(Case { name: "captures", kinds: Vec::new(), captured: true });
    cases.push(Case { name: "everything", kinds: RecordKind::ALL.to_vec(), captured: true });
    cases
}

/// CPU seconds of each case's runs. The first run of each is left out: it opens files and touches memory for all others.
fn measure(scenario: &Scenario, cases: &[Case], captures: &Captures) -> Vec<Vec<f64>> {
    let mut seconds = vec![Vec::new(); cases.len()];
    for repetition in 0..=REPETITIONS {
        for (case, samples) in cases.iter().zip(&mut seconds) {
            let (cpu_s, _) = cpu_s_of(|| run(scenario, &case.kinds, case.captured.then_some(captures)));
            if repetition > 0 {
                samples.push(cpu_s);
            }
        }
    }
    seconds
}

fn run(scenario: &Scenario, kinds: &[RecordKind], captures: Option<&Captures>) -> Replica {
    let mut simulation = Simulation::new(scenario, &[], SEED, kinds);
    if let Some(captures) = captures {
        simulation = simulation.with_captures(captures, scenario, SEED);
    }
    while !simulation.is_finished() {
        (0..8192).for_each(|_| simulation.step());
        simulation.flush_captures();
    }
    simulation.into_replica(SEED)
}

fn read_all(replica: &Replica) -> usize {
    let columns = |recorded: &dyn Columns| (0..recorded.names().len()).map(|index| recorded.column(index).len()).sum();
    replica.series.values().map(|recorded| -> usize { columns(recorded) }).sum()
}

fn repeat(work: impl Fn() -> usize) -> Vec<f64> {
    (0..7).map(|_| cpu_s_of(|| std::hint::black_box(work())).0).collect()
}

fn print_line(name: &str, samples: &[f64], nothing: &[f64]) {
    println!(
        "  {name:34} {:8.2} ms (median {:.2})  {:5.2} of nothing recorded",
        least(samples) * 1e3,
        median(samples) * 1e3,
        least(samples) / least(nothing),
    );
}
