//! Many runs on threads of their own, each handed over as it ends. A replica is the unit of parallelism, so the number
//! of threads changes no result, only the order in which replicas come: an index says which job each is of.
//!
//! What is finished and not taken yet waits in a queue with room for some bytes. A slow consumer so holds the runs up,
//! and memory does not grow with their number. Left out: what becomes of a replica, and other machines.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::capture::Captures;
use crate::components::Components;
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

/// Makes what takes the place of a scenario's own parts in the run of a seed.
pub type ComponentsOf = Arc<dyn Fn(u64) -> Components + Send + Sync>;

/// One run to do.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Which of the prepared scenarios.
    pub scenario: usize,
    /// With which seed.
    pub seed: u64,
}

/// What the runs of a stream have in common.
#[derive(Clone)]
pub struct Batch {
    /// The scenarios that jobs name.
    pub prepared: Arc<[Prepared]>,
    /// Of each scenario, what comes from outside; a scenario behind the last has nothing of that.
    pub components: Vec<Option<ComponentsOf>>,
    /// Series to record.
    pub record: Vec<RecordKind>,
    /// Where packets are written.
    pub captures: Option<Captures>,
    /// Asked from time to time: whether memory is about to run out.
    pub is_memory_short: fn() -> bool,
    /// Bytes of numbers of replicas that wait to be taken; one for each thread may wait whatever their size.
    pub room_bytes: usize,
}

/// On a busy machine the consumer gets a core too seldom to take each replica as it ends; hundreds of small ones wait.
const ROOM_BYTES: usize = 4 << 20;

impl Batch {
    /// Runs without series and captures, on a machine with memory enough.
    pub fn new(prepared: impl Into<Arc<[Prepared]>>) -> Self {
        Self {
            prepared: prepared.into(),
            components: Vec::new(),
            record: Vec::new(),
            captures: None,
            is_memory_short: || false,
            room_bytes: ROOM_BYTES,
        }
    }
}

/// Ends the runs of a stream; what is finished can still be taken from it.
#[derive(Debug, Default)]
pub struct Ending {
    cancelled: AtomicBool,
    out_of_memory: AtomicBool,
}

impl Ending {
    /// Asks for an end: runs in hand stop within some thousand slots, and no other starts.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether memory was the reason for an end.
    pub fn is_out_of_memory(&self) -> bool {
        self.out_of_memory.load(Ordering::Relaxed)
    }

    fn cancel_for_memory(&self) {
        self.out_of_memory.store(true, Ordering::Relaxed);
        self.cancel();
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// What waiting for a replica brings.
#[derive(Debug)]
pub enum Taken {
    /// A job's index and its replica.
    Finished(usize, Box<Replica>),
    /// Nothing has finished so far.
    Waiting,
    /// Every job is done, or the runs were cancelled.
    Ended,
    /// A run failed its own checks, and the others were cancelled.
    Failed,
}

/// Finished replicas with the indices of their jobs, as they come. Dropping it ends the runs and joins their threads.
///
/// As an iterator it waits for the next one; it panics where a run did.
pub struct Stream {
    crew: Arc<Crew>,
    threads: Vec<JoinHandle<()>>,
}

/// Runs all `jobs` on so many threads, or on fewer where there are fewer jobs.
///
/// An error is the system's: it starts no more threads.
pub fn stream(
    batch: Batch,
    jobs: impl ExactSizeIterator<Item = Job> + Send + 'static,
    threads: usize,
) -> Result<Stream, String> {
    let threads = threads.min(jobs.len()).max(1);
    let crew = Arc::new(Crew {
        finished: Finished::new(threads, batch.room_bytes),
        batch,
        jobs: Mutex::new(Box::new(jobs.enumerate())),
        ending: Arc::default(),
        began: Instant::now(),
        next_look_ms: AtomicU64::new(0),
    });
    let mut stream = Stream { crew: Arc::clone(&crew), threads: Vec::new() };
    for _ in 0..threads {
        let crew = Arc::clone(&crew);
        let thread = Builder::new().name("airlink".to_owned()).spawn(move || crew.work());
        stream.threads.push(thread.map_err(|error| format!("a thread can't be started: {error}"))?);
    }
    Ok(stream)
}

impl Stream {
    /// Waits so long for the next replica.
    pub fn wait(&mut self, patience: Duration) -> Taken {
        match self.crew.finished.pop(patience) {
            Popped::Replica(index, replica) => Taken::Finished(index, replica),
            Popped::Nothing => Taken::Waiting,
            Popped::Last => {
                let failures = self.threads.drain(..).filter_map(|thread| thread.join().err()).count();
                if failures > 0 { Taken::Failed } else { Taken::Ended }
            }
        }
    }

    /// What ends the runs.
    pub fn ending(&self) -> &Arc<Ending> {
        &self.crew.ending
    }
}

impl Iterator for Stream {
    type Item = (usize, Replica);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.crew.finished.pop(Duration::MAX) {
                Popped::Replica(index, replica) => return Some((index, *replica)),
                Popped::Nothing => (),
                Popped::Last => break,
            }
        }
        if let Some(failure) = self.threads.drain(..).find_map(|thread| thread.join().err()) {
            resume_unwind(failure);
        }
        None
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.crew.ending.cancel();
        self.crew.finished.close();
        for thread in self.threads.drain(..) {
            // A panic has been printed, and nobody waits for the replica any more.
            let _ = thread.join();
        }
    }
}

/// The queue of what is finished and not taken.
struct Finished {
    queue: Mutex<Queue>,
    came: Condvar,
    left: Condvar,
    places: usize,
    room_bytes: usize,
}

struct Queue {
    replicas: VecDeque<(usize, Box<Replica>)>,
    bytes: usize,
    /// Threads that may bring more.
    at_work: usize,
    closed: bool,
}

enum Popped {
    Replica(usize, Box<Replica>),
    /// So far.
    Nothing,
    /// There is none any more.
    Last,
}

impl Finished {
    fn new(threads: usize, room_bytes: usize) -> Self {
        let queue = Queue { replicas: VecDeque::new(), bytes: 0, at_work: threads, closed: false };
        Self { queue: Mutex::new(queue), came: Condvar::new(), left: Condvar::new(), places: threads, room_bytes }
    }

    /// Waits for room; false if nobody takes replicas any more.
    fn push(&self, index: usize, replica: Replica) -> bool {
        let bytes = replica.bytes();
        let is_full = |queue: &mut Queue| {
            !queue.closed && queue.replicas.len() >= self.places && queue.bytes + bytes > self.room_bytes
        };
        let mut queue = self.left.wait_while(self.lock(), is_full).unwrap_or_else(PoisonError::into_inner);
        if queue.closed {
            return false;
        }
        queue.bytes += bytes;
        queue.replicas.push_back((index, Box::new(replica)));
        self.came.notify_one();
        true
    }

    fn pop(&self, patience: Duration) -> Popped {
        let is_empty = |queue: &mut Queue| queue.replicas.is_empty() && queue.at_work > 0;
        let waited = self.came.wait_timeout_while(self.lock(), patience, is_empty);
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match queue.replicas.pop_front() {
            Some((index, replica)) => {
                queue.bytes -= replica.bytes();
                self.left.notify_all();
                Popped::Replica(index, replica)
            }
            None if queue.at_work > 0 => Popped::Nothing,
            None => Popped::Last,
        }
    }

    fn close(&self) {
        self.lock().closed = true;
        self.left.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// User-slots between two looks at whether to stop: some ten milliseconds.
const USER_SLOTS_BETWEEN_LOOKS: usize = 1 << 17;

/// How often one of the threads asks whether memory is short.
const MEMORY_LOOK_MS: u64 = 100;

/// What the threads of a stream share.
struct Crew {
    finished: Finished,
    batch: Batch,
    jobs: Mutex<Box<dyn Iterator<Item = (usize, Job)> + Send>>,
    ending: Arc<Ending>,
    began: Instant,
    next_look_ms: AtomicU64,
}

impl Crew {
    fn work(&self) {
        let _at_work = AtWork(self);
        while let Some((index, job)) = self.next_job() {
            let Some(replica) = self.run(job) else { return };
            if !self.finished.push(index, replica) {
                return;
            }
        }
    }

    fn next_job(&self) -> Option<(usize, Job)> {
        if self.ending.is_cancelled() {
            return None;
        }
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// The replica of a job; none if it is cancelled.
    fn run(&self, Job { scenario, seed }: Job) -> Option<Replica> {
        let outside = self.batch.components.get(scenario).and_then(Option::as_ref);
        let components = outside.map_or_else(Components::default, |of| of(seed));
        let Prepared { scenario, traces } = &self.batch.prepared[scenario];
        self.look_at_memory();
        let mut simulation = Simulation::with_components(scenario, traces, seed, &self.batch.record, &components);
        if let Some(captures) = &self.batch.captures {
            simulation = simulation.with_captures(captures, scenario, seed);
        }
        let steps_between_looks = (USER_SLOTS_BETWEEN_LOOKS / scenario.users / simulation.events_a_step()).max(1);
        while !simulation.is_finished() {
            if self.ending.is_cancelled() {
                return None;
            }
            (0..steps_between_looks).for_each(|_| simulation.step());
            self.look_at_memory();
            simulation.flush_captures();
        }
        if self.ending.is_cancelled() && self.ending.is_out_of_memory() {
            return None;
        }
        let replica = simulation.into_replica_unless(seed, &|| self.ending.is_cancelled())?;
        if take_out_of_memory() {
            self.ending.cancel_for_memory();
            return None;
        }
        Some(replica)
    }

    /// Ends all runs if a recording has run out of memory, or the process is about to: one thread asks that for all.
    fn look_at_memory(&self) {
        let now_ms = self.began.elapsed().as_millis() as u64;
        let due_ms = self.next_look_ms.load(Ordering::Relaxed);
        let is_mine = || {
            let next_ms = now_ms + MEMORY_LOOK_MS;
            self.next_look_ms.compare_exchange(due_ms, next_ms, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        if take_out_of_memory() || (now_ms >= due_ms && is_mine() && (self.batch.is_memory_short)()) {
            self.ending.cancel_for_memory();
        }
    }
}

/// A thread at work; when it panics, the runs of the others end.
struct AtWork<'a>(&'a Crew);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.ending.cancel();
        }
        self.0.finished.lock().at_work -= 1;
        self.0.finished.came.notify_all();
    }
}
