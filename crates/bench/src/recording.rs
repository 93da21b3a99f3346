//! What recording costs: workload A with nothing, each kind of series, all of them, captures, and everything. Each run has
//! one that records nothing just before it: the ratio of neighbours is steadier than either.
//!
//! Series are kept as they are recorded; what it costs to make columns of them for Python, and their digest, is told apart.

use std::path::Path;

use airlink_sim::{Captures, Columns, Problem, RecordKind, Recorded, Replica, Scenario, Simulation};

use crate::cpu_time::{cpu_s_of, least, median};
use crate::workload::{SEED, Workload};

const REPETITIONS: usize = 11;

/// What one run records.
struct Case {
    name: &'static str,
    kinds: Vec<RecordKind>,
    captured: bool,
}

/// CPU seconds of runs that record something, each beside one that records nothing.
#[derive(Default)]
struct Samples {
    nothing_s: Vec<f64>,
    case_s: Vec<f64>,
}

/// Prints a line for each thing that can be recorded.
pub fn print() -> Result<(), Vec<Problem>> {
    let scenario = Workload::a()?.scenario;
    let folder = std::env::temp_dir().join(format!("airlink-bench-{}", std::process::id()));
    println!("Recording workload A: CPU of {REPETITIONS} runs, each beside one that records nothing");
    for case in cases() {
        let samples = measure(&scenario, &case, &folder).map_err(|error| refused(&folder, &error))?;
        samples.print(case.name);
    }
    let replica = run(&scenario, &RecordKind::ALL, None);
    let beside = |work: &dyn Fn() -> usize| {
        let mut samples = Samples::default();
        (0..REPETITIONS).for_each(|_| samples.add(|| run(&scenario, &[], None), || std::hint::black_box(work())));
        samples
    };
    beside(&|| read_all(&replica)).print("reading all columns");
    beside(&|| replica.digest().len()).print("the digest of all series");
    println!();
    Ok(())
}

fn refused(folder: &Path, error: &std::io::Error) -> Vec<Problem> {
    vec![Problem { path: folder.display().to_string(), message: error.to_string() }]
}

fn cases() -> Vec<Case> {
    let series = |name, kinds: &[RecordKind]| Case { name, kinds: kinds.to_vec(), captured: false };
    let mut cases = vec![series("nothing", &[])];
    cases.extend(RecordKind::ALL.map(|kind| series(kind.name(), &[kind])));
    cases.push(series("all series", &RecordKind::ALL));
    cases.push(Case { name: "captures", kinds: Vec::new(), captured: true });
    cases.push(Case { name: "everything", kinds: RecordKind::ALL.to_vec(), captured: true });
    cases
}

fn measure(scenario: &Scenario, case: &Case, folder: &Path) -> std::io::Result<Samples> {
    let mut samples = Samples::default();
    for _ in 0..REPETITIONS {
        std::fs::create_dir(folder)?;
        let captures = case.captured.then(|| Captures { folder: folder.to_owned(), snap: None });
        samples.add(|| run(scenario, &[], None), || run(scenario, &case.kinds, captures.as_ref()));
        std::fs::remove_dir_all(folder)?;
    }
    Ok(samples)
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
    let columns = |recorded: &Recorded| (0..recorded.names().len()).map(|index| recorded.column(index).len()).sum();
    replica.series.values().map(|recorded| -> usize { columns(recorded) }).sum()
}

impl Samples {
    fn add<A, B>(&mut self, nothing: impl FnOnce() -> A, case: impl FnOnce() -> B) {
        self.nothing_s.push(cpu_s_of(nothing).0);
        self.case_s.push(cpu_s_of(case).0);
    }

    fn print(&self, name: &str) {
        let ratios: Vec<f64> = self.case_s.iter().zip(&self.nothing_s).map(|(case, nothing)| case / nothing).collect();
        println!(
            "  {name:26} {:8.2} ms (least {:.2})   {:5.2} of nothing",
            median(&self.case_s) * 1e3,
            least(&self.case_s) * 1e3,
            median(&ratios),
        );
    }
}
