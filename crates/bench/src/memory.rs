//! What a run keeps in memory: the heap of a replica that has got going, beside the caches of this machine, and the most
//! that a process ever had of it, in a short and in a long run. Nothing is recorded.
//!
//! It leaves out what only Python keeps, and what reading a scenario needs.

use std::process::Command;

use airlink_sim::{Problem, Scenario, Simulation};

use crate::heap::Heap;
use crate::sizes::of_size;
use crate::workload::{SEED, Workload, run_engine};

/// By then every flow has started and queues are as long as they get.
const SETTLED_SLOTS: usize = 10_000;

/// Slots whose allocations are counted.
const COUNTED_SLOTS: usize = 1000;

/// Lengths of the runs whose processes are compared, s.
const SHORT_S: f64 = 10.0;
const LONG_S: f64 = 100.0;

/// The name of the part that is one such run, in a process of its own.
pub const RUN_OF_C: &str = "run-c";

/// Prints a line for each cell, then the processes.
pub fn print() -> Result<(), Vec<Problem>> {
    let caches: Vec<String> = ["2", "3"].iter().filter_map(|level| cache(level)).collect();
    println!("Heap of a replica after {SETTLED_SLOTS} slots; this machine has {}", caches.join(", "));
    println!("  {:30}{:>10}{:>38}", "", "KiB", format!("blocks asked for in {COUNTED_SLOTS} slots"));
    for (name, scenario) in cells()? {
        let (bytes, blocks) = heap_of(&scenario);
        println!("  {name:30}{:10.0}{blocks:38}", bytes as f64 / 1024.0);
    }
    let resident = |duration_s: f64| most_resident(duration_s).map_or("unknown".to_owned(), |kib| format!("{kib} KiB"));
    println!("  Most that the process ever had of workload C for {SHORT_S} s: {}", resident(SHORT_S));
    println!("  {:46}for {LONG_S} s: {}\n", "", resident(LONG_S));
    Ok(())
}

fn cells() -> Result<Vec<(&'static str, Scenario)>, Vec<Problem>> {
    let (plain, coded) = (Workload::c()?.scenario, Workload::c_with_harq()?.scenario);
    let long = |scenario: Scenario| Scenario { duration_s: 60.0, ..scenario };
    Ok(vec![
        ("A: 16 users", long(Workload::a()?.scenario)),
        ("C: 10 x 400", long(plain.clone())),
        ("C with HARQ: 10 x 400", long(coded.clone())),
        ("C: 100 x 400", long(of_size(&plain, 100, 400))),
        ("C: 10 x 3300", long(of_size(&plain, 10, 3300))),
    ])
}

/// Bytes that a settled replica holds, and blocks that it asks for in the slots after that.
fn heap_of(scenario: &Scenario) -> (isize, u64) {
    let before = Heap::now();
    let mut simulation = Simulation::new(scenario, &[], SEED, &[]);
    step(&mut simulation, SETTLED_SLOTS);
    let settled = Heap::now();
    step(&mut simulation, COUNTED_SLOTS);
    (settled.bytes_since(before), Heap::now().blocks_since(settled))
}

fn step(simulation: &mut Simulation, slots: usize) {
    (0..slots).for_each(|_| simulation.step());
    assert!(!simulation.is_finished(), "the run is longer");
}

/// What Linux says of a cache of this machine.
fn cache(level: &str) -> Option<String> {
    let folders = std::fs::read_dir("/sys/devices/system/cpu/cpu0/cache").ok()?;
    let read = |folder: &std::path::Path, name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let mut sizes = folders
        .flatten()
        .map(|entry| entry.path())
        .filter(|folder| read(folder, "level").is_some_and(|own| own.trim() == level));
    sizes
        .next()
        .and_then(|folder| read(&folder, "size"))
        .map(|size| format!("L{level} {} KiB", size.trim().trim_end_matches('K')))
}

/// The most memory, KiB, that a process of its own had which ran workload C for so long; `None` where it can't say.
fn most_resident(duration_s: f64) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program).args([RUN_OF_C, &duration_s.to_string()]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Runs workload C for as long as the command line says, and prints the most that this process ever had, KiB.
pub fn run_of_c() -> Result<(), Vec<Problem>> {
    let duration_s = std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(SHORT_S);
    std::hint::black_box(run_engine(&Scenario { duration_s, ..Workload::c()?.scenario }));
    // The high-water mark of this program alone; getrusage starts from what the parent had.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mark = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    println!("{}", mark.unwrap_or("unknown"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use airlink_sim::RecordKind;

    use super::*;
    use airlink_model::types::Bytes;

    const SLOTS: usize = 4000;

    /// Bytes that a run of ten times as many slots may hold more for each user and slot that were added. Rings and lists
    /// double when a queue or a gap is longer than any before, ever more seldom; the least trace would be a byte.
    const ALLOWED: f64 = 0.25;

    /// Bytes that are held more for each user and slot from `SLOTS` on until ten times as many.
    fn growth(scenario: &Scenario, record: &[RecordKind]) -> f64 {
        let mut scenario = Scenario { duration_s: 1e6, ..scenario.clone() };
        // Windows that don't go on growing.
        let tcp = &mut scenario.flows[0].tcp;
        tcp.receiver_window = Bytes::new(64 * tcp.mss.count());
        let mut simulation = Simulation::new(&scenario, &[], SEED, record);
        step(&mut simulation, SLOTS);
        let early = Heap::now();
        step(&mut simulation, 9 * SLOTS);
        Heap::now().bytes_since(early) as f64 / (9 * SLOTS * scenario.users) as f64
    }

    fn narrow_and_wide() -> [(&'static str, Scenario); 4] {
        let wide = |workload: Workload| of_size(&workload.scenario, 10, 32);
        [
            ("A", Workload::a().unwrap().scenario),
            ("B", Workload::b().unwrap().scenario),
            ("C", wide(Workload::c().unwrap())),
            ("C with HARQ", wide(Workload::c_with_harq().unwrap())),
        ]
    }

    #[test]
    fn ten_times_as_long_a_run_holds_no_more() {
        for (name, scenario) in narrow_and_wide() {
            let grown = growth(&scenario, &[]);
            assert!(grown < ALLOWED, "{grown} bytes for each user and slot of {name}");
        }
    }

    #[test]
    fn what_is_recorded_is_held() {
        for (name, scenario) in narrow_and_wide() {
            let grown = growth(&scenario, &[RecordKind::Snr]);
            assert!(grown > 8.0 * ALLOWED, "{grown} bytes for each user and slot of {name}");
        }
    }
}
