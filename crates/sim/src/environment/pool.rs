//! Many environments that take a step at once, on a few threads that live as long as they do.
//!
//! Environments lie in shards. An environment depends on its seed and actions alone, so threads change no number. What a step leaves is
//! written by the thread that has taken it into rows of arrays that the caller owns.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use super::allowed::Allowed;
use super::crew::Crew;
use super::memory::{reserve, within};
use super::rows::Written;
use super::slots::Decider;
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
    /// Why they can go on no longer, until the next reset.
    failure: Option<Refusal>,
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

/// Some of the environments.
struct Shard {
    /// Its heap is named by it.
    number: usize,
    environments: Vec<Environment>,
    decider: Option<Decider>,
    /// Why one of them, the first, could not do its work.
    failure: Option<Refusal>,
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
            let decider = Decider::of(config, &prepared.scenario);
            Shard { number, environments: within(number, || all.collect()), decider, failure: None }
        };
        let crew =
            Crew::new((0..count).step_by(per_shard).map(shard_of).collect(), threads).map_err(Refusal::Failure)?;
        let allowed = Allowed::of(config, sizes);
        Ok(Self { crew, sizes, allowed, count, per_shard, has_started: false, failure: None })
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
        (self.has_started, self.failure) = (true, None);
        self.do_all(written, |place, each, _| each.reset(seeds[place], seed_step))
    }

    /// Takes an action in each environment; a row of `actions` each.
    pub fn step(&mut self, actions: &[f64], written: Written<'_>) -> Result<(), Refusal> {
        assert!(self.has_started, "environments begin with a reset");
        let size = self.sizes.action;
        assert_eq!(actions.len(), self.count * size, "an action for each environment");
        if !self.allowed.all(actions)
            && let Some(place) = self.first_refused(actions)
        {
            return Err(Refusal::Action(place));
        }
        self.do_all(written, |place, each, decider| each.step(&actions[place * size..][..size], decider))
    }

    /// The first number that is not allowed, among those that count for a decision.
    #[cold]
    fn first_refused(&self, actions: &[f64]) -> Option<usize> {
        let Sizes { action, deciders, subchannels, .. } = self.sizes;
        let masks: Vec<_> = self.of_each(|environment| environment.sight.mask.clone()).concat();
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

    /// Has each environment do its `work`, given its place and its shard's decider, and writes what that leaves.
    fn do_all(
        &mut self,
        mut written: Written<'_>,
        work: impl Fn(usize, &mut Environment, Option<&mut Decider>) -> Result<(), Refusal> + Sync,
    ) -> Result<(), Refusal> {
        let (per_shard, sizes) = (self.per_shard, self.sizes);
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        if !written.has_rows(self.count, sizes) {
            return Err(Refusal::Failure("the arrays need a row for each environment".to_owned()));
        }
        let rows: Vec<_> =
            self.crew.parts().map(|shard| Mutex::new(written.take(shard.environments.len(), sizes))).collect();
        self.crew.do_all(&|shard, Shard { number, environments, decider, failure }| {
            let mut rows = rows[shard].lock().unwrap_or_else(PoisonError::into_inner);
            let work = || {
                // Also behind one that fails, so that what they have done does not depend on the number of threads.
                let mut done = Ok(());
                for (row, each) in environments.iter_mut().enumerate() {
                    done = done.and(work(shard * per_shard + row, each, decider.as_mut()));
                }
                done?;
                // Behind the last of them: two threads would take turns with a line of the cache that holds rows of both.
                environments.iter().enumerate().for_each(|(row, each)| rows.write(row, each, sizes));
                Ok(())
            };
            *failure = within(*number, || caught(work)).err();
        });
        self.failure = self.crew.parts().find_map(|shard| shard.failure.clone());
        self.failure.clone().map_or(Ok(()), Err)
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
