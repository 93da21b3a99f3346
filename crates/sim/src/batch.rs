//! Many runs on all cores. A replica is the unit of parallelism, so the number of threads changes no result.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::capture::Captures;
use crate::record::{RecordKind, take_out_of_memory};
use crate::replica::Replica;
use crate::scenario::{Scenario, Trace};
use crate::simulation::Simulation;

/// A scenario with the arrays of its traces.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The scenario.
    pub scenario: Scenario,
    /// Its traces, in the order in which it names them.
    pub traces: Vec<Trace>,
}

/// One run to do.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Which of the prepared scenarios.
    pub scenario: usize,
    /// With which seed.
    pub seed: u64,
}

/// How a batch is going; shared with whoever waits for it.
#[derive(Debug, Default)]
pub struct Progress {
    finished: AtomicUsize,
    cancelled: AtomicBool,
    out_of_memory: AtomicBool,
}

impl Progress {
    /// Runs that are finished.
    pub fn finished(&self) -> usize {
        self.finished.load(Ordering::Relaxed)
    }

    /// Asks for an end: runs in hand stop within some thousand slots, and no other starts.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The same, because memory is about to run out.
    pub fn cancel_for_memory(&self) {
        self.out_of_memory.store(true, Ordering::Relaxed);
        self.cancel();
    }

    /// Whether memory was the reason for an end.
    pub fn is_out_of_memory(&self) -> bool {
        self.out_of_memory.load(Ordering::Relaxed)
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// User-slots between two looks at whether to stop: some ten milliseconds.
const USER_SLOTS_BETWEEN_LOOKS: usize = 1 << 17;

/// Does all `jobs` on `threads` threads (0: one per core); those that were cancelled are `None`.
pub fn run_jobs(
    prepared: &[Prepared],
    jobs: &[Job],
    record: &[RecordKind],
    threads: usize,
    captures: Option<&Captures>,
    progress: &Progress,
) -> Result<Vec<Option<Replica>>, rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let run = |job: &Job| run_one(&prepared[job.scenario], job.seed, record, captures, progress);
    Ok(pool.install(|| jobs.par_iter().with_max_len(1).map(run).collect()))
}

fn run_one(
    prepared: &Prepared,
    seed: u64,
    record: &[RecordKind],
    captures: Option<&Captures>,
    progress: &Progress,
) -> Option<Replica> {
    if progress.is_cancelled() {
        return None;
    }
    let mut simulation = Simulation::new(&prepared.scenario, &prepared.traces, seed, record);
    if let Some(captures) = captures {
        simulation = simulation.with_captures(captures, &prepared.scenario, seed);
    }
    let slots_between_looks = (USER_SLOTS_BETWEEN_LOOKS / prepared.scenario.users).max(1);
    while !simulation.is_finished() {
        if progress.is_cancelled() {
            return None;
        }
        (0..slots_between_looks).for_each(|_| simulation.step());
        if take_out_of_memory() {
            progress.cancel_for_memory();
        }
        simulation.flush_captures();
    }
    if progress.is_cancelled() && progress.is_out_of_memory() {
        return None;
    }
    let replica = simulation.into_replica_unless(seed, &|| progress.is_cancelled())?;
    if take_out_of_memory() {
        progress.cancel_for_memory();
        return None;
    }
    progress.finished.fetch_add(1, Ordering::Relaxed);
    Some(replica)
}
