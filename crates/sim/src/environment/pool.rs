//! Many environments that take a step at once, on a few threads that live as long as they do.
//!
//! Environments lie in shards; whoever is free takes the next one, the caller too. An environment depends on its seed and actions alone,
//! so threads change no number. What a step leaves is copied into arrays that the caller owns, one row for each environment.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use super::{Environment, EnvironmentConfig, Sizes};
use crate::batch::Prepared;
use crate::replica::Replica;

/// Shards of each thread: a thread that has finished early finds another one.
const SHARDS_PER_THREAD: usize = 4;

/// How often a thread looks for work before it sleeps: about as long as a learner needs between two steps.
const LOOKS: u32 = 2000;

/// Where observations go, in either precision.
pub enum Out<'a> {
    /// 32 bits.
    Single(&'a mut [f32]),
    /// 64 bits.
    Double(&'a mut [f64]),
}

/// Where everything goes that a step leaves: row-major, a row for each environment.
pub struct Written<'a> {
    /// Observations.
    pub observations: Out<'a>,
    /// Who may win: subchannels x users.
    pub masks: &'a mut [u8],
    /// Rewards.
    pub rewards: &'a mut [f64],
    /// Their parts without their weights.
    pub parts: &'a mut [f64],
    /// Whether an episode has ended.
    pub truncated: &'a mut [bool],
}

/// Environments of one scenario.
pub struct Environments {
    crew: Arc<Crew>,
    threads: Vec<JoinHandle<()>>,
    sizes: Sizes,
    count: usize,
    per_shard: usize,
    has_started: bool,
}

/// Some of the environments, and what they do next.
struct Shard {
    environments: Vec<Environment>,
    todo: Todo,
    /// A row for each.
    actions: Vec<f64>,
    /// Why it can go on no longer.
    failure: Option<String>,
}

/// What all environments of a shard do.
#[derive(Clone, Debug)]
enum Todo {
    /// Start with these seeds, one each; the seeds of later episodes are so far apart.
    Reset(Vec<u64>, u64),
    Step,
}

struct Crew {
    shards: Vec<Mutex<Shard>>,
    next: AtomicUsize,
    done: AtomicUsize,
    /// Counts what was asked for; the largest number ends the threads.
    asked: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
}

impl Environments {
    /// `count` environments, which begin with the first reset. An error is the system's: it starts no more threads.
    pub fn new(
        prepared: &Arc<Prepared>,
        config: &EnvironmentConfig,
        count: usize,
        threads: usize,
    ) -> Result<Self, String> {
        let threads = threads.clamp(1, count);
        let per_shard = count.div_ceil(threads * SHARDS_PER_THREAD);
        let mut first = Environment::new(config, prepared);
        first.reset(1, 1);
        let sizes = first.sizes();
        let shard_of = |start: usize| {
            let environments = (start..count.min(start + per_shard)).map(|_| Environment::new(config, prepared));
            let (environments, todo) = (environments.collect(), Todo::Step);
            Mutex::new(Shard { environments, todo, actions: Vec::new(), failure: None })
        };
        let crew = Arc::new(Crew {
            shards: (0..count).step_by(per_shard).map(shard_of).collect(),
            next: AtomicUsize::new(usize::MAX / 2),
            done: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
        });
        let mut all =
            Self { crew: Arc::clone(&crew), threads: Vec::new(), sizes, count, per_shard, has_started: false };
        for _ in 1..threads {
            let crew = Arc::clone(&crew);
            let thread = Builder::new().name("airlink".to_owned()).spawn(move || crew.attend());
            all.threads.push(thread.map_err(|error| format!("a thread can't be started: {error}"))?);
        }
        Ok(all)
    }

    /// Numbers that go in and come out of each environment.
    pub const fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// How many there are.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Starts an episode in each environment, with one of `seeds` each; the next episode of each has a seed `seed_step` further on.
    pub fn reset(&mut self, seeds: &[u64], seed_step: u64, written: Written<'_>) -> Result<(), String> {
        assert_eq!(seeds.len(), self.count, "a seed for each environment");
        for (shard, seeds) in self.crew.shards.iter().zip(seeds.chunks(self.per_shard)) {
            let mut shard = of(shard);
            shard.failure = None;
            shard.todo = Todo::Reset(seeds.to_vec(), seed_step);
        }
        self.has_started = true;
        self.do_all(written)
    }

    /// Takes an action in each environment; a row of `actions` each.
    pub fn step(&mut self, actions: &[f64], written: Written<'_>) -> Result<(), String> {
        assert!(self.has_started, "environments begin with a reset");
        assert_eq!(actions.len(), self.count * self.sizes.action, "an action for each environment");
        for (shard, actions) in self.crew.shards.iter().zip(actions.chunks(self.per_shard * self.sizes.action)) {
            let mut shard = of(shard);
            shard.actions.clear();
            shard.actions.extend_from_slice(actions);
            shard.todo = Todo::Step;
        }
        self.do_all(written)
    }

    /// The seed of each environment's episode.
    pub fn seeds(&self) -> Vec<u64> {
        self.of_each(|environment| environment.seed)
    }

    /// The result of the episode that each environment ended last and that was not taken yet, if results are kept.
    pub fn take_results(&self) -> Vec<Option<Replica>> {
        self.of_each(|environment| environment.result.take())
    }

    fn of_each<T>(&self, mut get: impl FnMut(&mut Environment) -> T) -> Vec<T> {
        let mut found = Vec::with_capacity(self.count);
        for shard in &self.crew.shards {
            found.extend(of(shard).environments.iter_mut().map(&mut get));
        }
        found
    }

    fn do_all(&self, mut written: Written<'_>) -> Result<(), String> {
        self.crew.do_all();
        let mut row = 0;
        for shard in &self.crew.shards {
            let shard = of(shard);
            if let Some(failure) = &shard.failure {
                return Err(failure.clone());
            }
            for environment in &shard.environments {
                written.write(row, environment);
                row += 1;
            }
        }
        Ok(())
    }
}

impl Drop for Environments {
    fn drop(&mut self) {
        self.crew.ask(usize::MAX);
        for thread in self.threads.drain(..) {
            // It catches what fails in a shard.
            let _ = thread.join();
        }
    }
}

impl Written<'_> {
    fn write(&mut self, row: usize, environment: &Environment) {
        let values = &environment.sight.values;
        let place = row * values.len()..(row + 1) * values.len();
        match &mut self.observations {
            // The learner asked for 32 bits.
            Out::Single(out) => out[place].iter_mut().zip(values).for_each(|(out, &value)| *out = value as f32),
            Out::Double(out) => out[place].copy_from_slice(values),
        }
        let mask = &environment.sight.mask;
        self.masks[row * mask.len()..(row + 1) * mask.len()].copy_from_slice(mask);
        let parts = environment.score.parts();
        self.parts[row * parts.len()..(row + 1) * parts.len()].copy_from_slice(parts);
        self.rewards[row] = environment.reward;
        self.truncated[row] = environment.has_ended;
    }
}

impl Shard {
    fn work(&mut self) {
        if self.failure.is_some() {
            return;
        }
        let done = catch_unwind(AssertUnwindSafe(|| match &self.todo {
            Todo::Reset(seeds, seed_step) => {
                self.environments.iter_mut().zip(seeds).for_each(|(each, &seed)| each.reset(seed, *seed_step));
            }
            Todo::Step => {
                let size = self.actions.len() / self.environments.len();
                self.environments
                    .iter_mut()
                    .zip(self.actions.chunks(size))
                    .for_each(|(each, action)| each.step(action));
            }
        }));
        if let Err(panic) = done {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            self.failure = Some(text.unwrap_or_else(|| "an environment failed".to_owned()));
        }
    }
}

impl Crew {
    /// Has all shards do what they are to do, and waits for it.
    fn do_all(&self) {
        self.done.store(0, Ordering::SeqCst);
        self.next.store(0, Ordering::SeqCst);
        self.ask(self.asked.load(Ordering::SeqCst) + 1);
        self.work();
        let mut looks = 0;
        while self.done.load(Ordering::SeqCst) < self.shards.len() {
            looks += 1;
            if looks < LOOKS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }

    fn ask(&self, number: usize) {
        let sleep = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.asked.store(number, Ordering::SeqCst);
        self.wake.notify_all();
        drop(sleep);
    }

    /// What the other threads do: work whenever something is asked for.
    fn attend(&self) {
        let mut seen = 0;
        loop {
            let mut looks = 0;
            while self.asked.load(Ordering::SeqCst) == seen && looks < LOOKS {
                looks += 1;
                std::hint::spin_loop();
            }
            let mut sleep = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
            while self.asked.load(Ordering::SeqCst) == seen {
                sleep = self.wake.wait(sleep).unwrap_or_else(PoisonError::into_inner);
            }
            drop(sleep);
            seen = self.asked.load(Ordering::SeqCst);
            if seen == usize::MAX {
                return;
            }
            self.work();
        }
    }

    /// Takes shards until none is left.
    fn work(&self) {
        loop {
            let place = self.next.fetch_add(1, Ordering::SeqCst);
            let Some(shard) = self.shards.get(place) else { return };
            of(shard).work();
            self.done.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// What a mutex holds; a shard that failed says so itself.
fn of<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
