//! Many environments that take a step at once, on a few threads that live as long as they do.
//!
//! Environments lie in shards. An environment depends on its seed and actions alone, so threads change no number. What a step leaves is
//! written into rows of the shard by the thread that has stepped it, and copied from there into arrays that the caller owns.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::allowed::Allowed;
use super::crew::{Crew, Part};
use super::memory::{reserve, within};
use super::rows::{Out, Rows, Written};
use super::{Environment, EnvironmentConfig, Sizes};
use crate::batch::Prepared;
use crate::replica::Replica;

/// Shards of each thread: where one is held up, others find something to take over.
const SHARDS_PER_THREAD: usize = 4;

/// Environments of one scenario.
pub struct Environments {
    crew: Crew<Shard>,
    sizes: Sizes,
    allowed: Allowed,
    count: usize,
    per_shard: usize,
    has_started: bool,
}

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The number at this place of the actions is not allowed; nothing has changed.
    Action(usize),
    /// The run with this seed ends before there is anything to decide.
    NothingToDecide(u64),
    /// An environment has failed, reset them; or the system starts no more threads.
    Failure(String),
}

/// Some of the environments, and what they do next.
struct Shard {
    /// Its heap is named by it.
    number: usize,
    environments: Vec<Environment>,
    todo: Todo,
    /// A row for each.
    actions: Vec<f64>,
    left: Rows,
    /// Why it can go on no longer.
    failure: Option<Refusal>,
}

/// What all environments of a shard do.
#[derive(Clone, Debug)]
enum Todo {
    /// Start with these seeds, one each; the seeds of later episodes are so far apart.
    Reset(Vec<u64>, u64),
    Step,
}

impl Environments {
    /// `count` environments, which begin with the first reset.
    pub fn new(
        prepared: &Arc<Prepared>,
        config: &EnvironmentConfig,
        count: usize,
        threads: usize,
    ) -> Result<Self, Refusal> {
        let threads = threads.clamp(1, count);
        let per_shard = count.div_ceil(threads * SHARDS_PER_THREAD);
        let mut first = Environment::new(config, prepared);
        caught(|| first.reset(1, 1))?;
        let sizes = first.sizes();
        reserve();
        let shard_of = |start: usize| {
            let number = start / per_shard;
            let all = (start..count.min(start + per_shard)).map(|_| Environment::new(config, prepared));
            let environments: Vec<_> = within(number, || all.collect());
            let left = Rows::new(environments.len(), sizes);
            Shard { number, environments, todo: Todo::Step, actions: Vec::new(), left, failure: None }
        };
        let crew =
            Crew::new((0..count).step_by(per_shard).map(shard_of).collect(), threads).map_err(Refusal::Failure)?;
        Ok(Self { crew, sizes, allowed: Allowed::of(config, sizes), count, per_shard, has_started: false })
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
    pub fn reset(&mut self, seeds: &[u64], seed_step: u64, written: Written<'_>) -> Result<(), Refusal> {
        assert_eq!(seeds.len(), self.count, "a seed for each environment");
        for (mut shard, seeds) in self.crew.parts().zip(seeds.chunks(self.per_shard)) {
            shard.failure = None;
            shard.todo = Todo::Reset(seeds.to_vec(), seed_step);
        }
        self.has_started = true;
        self.do_all(written)
    }

    /// Takes an action in each environment; a row of `actions` each.
    pub fn step(&mut self, actions: &[f64], written: Written<'_>) -> Result<(), Refusal> {
        assert!(self.has_started, "environments begin with a reset");
        assert_eq!(actions.len(), self.count * self.sizes.action, "an action for each environment");
        if !self.allowed.all(actions)
            && let Some(place) = self.first_refused(actions)
        {
            return Err(Refusal::Action(place));
        }
        for (mut shard, actions) in self.crew.parts().zip(actions.chunks(self.per_shard * self.sizes.action)) {
            shard.actions.clear();
            shard.actions.extend_from_slice(actions);
            shard.todo = Todo::Step;
        }
        self.do_all(written)
    }

    /// The first number that is not allowed, among those that count for a decision.
    #[cold]
    fn first_refused(&self, actions: &[f64]) -> Option<usize> {
        let Sizes { action, deciders, subchannels, .. } = self.sizes;
        let masks: Vec<u8> = self.crew.parts().flat_map(|shard| shard.left.masks().to_vec()).collect();
        actions.iter().enumerate().find_map(|(place, &value)| {
            // Priorities are by user, then subchannel; masks by subchannel, then user.
            let (row, user, subchannel) = (place / action, place % action / subchannels, place % subchannels);
            let may_win = || masks[(row * subchannels + subchannel) * deciders + user] > 0;
            let counts = self.allowed != Allowed::Priority || may_win();
            (counts && !self.allowed.is(value)).then_some(place)
        })
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
        for mut shard in self.crew.parts() {
            found.extend(shard.environments.iter_mut().map(&mut get));
        }
        found
    }

    fn do_all(&self, mut written: Written<'_>) -> Result<(), Refusal> {
        let is_single = matches!(written.observations, Out::Single(_));
        self.crew.parts().for_each(|mut shard| shard.left.set_precision(is_single));
        self.crew.do_all();
        let mut row = 0;
        for shard in self.crew.parts() {
            if let Some(failure) = &shard.failure {
                return Err(failure.clone());
            }
            written.copy(row, &shard.left);
            row += shard.environments.len();
        }
        Ok(())
    }
}

impl Part for Shard {
    fn work(&mut self) {
        if self.failure.is_some() {
            return;
        }
        let Self { number, environments, todo, actions, left, failure } = self;
        let step = || {
            match todo {
                Todo::Reset(seeds, seed_step) => {
                    for (row, (each, &seed)) in environments.iter_mut().zip(&*seeds).enumerate() {
                        each.reset(seed, *seed_step)?;
                        left.write(row, each);
                    }
                }
                Todo::Step => {
                    let size = actions.len() / environments.len();
                    for (row, (each, action)) in environments.iter_mut().zip(actions.chunks(size)).enumerate() {
                        each.step(action)?;
                        left.write(row, each);
                    }
                }
            }
            Ok(())
        };
        *failure = within(*number, || caught(step)).err();
    }
}

/// What fails in `work`, as a refusal.
fn caught<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
        Err(Refusal::Failure(text.unwrap_or_else(|| "an environment failed".to_owned())))
    })
}
