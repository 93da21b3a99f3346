//! Runs as environments: somebody else decides step by step, sees what is known then, and is rewarded.
//!
//! One of three decisions is left open ([`Decision`]); the rest of the run is the scenario's. A step goes from one decision to the
//! next: to the next slot in which somebody can be served, or over a fixed time. An episode is a run to the scenario's end; the step
//! after the last one of an episode starts the next, whatever its action, with the next seed. Runs record no series unless asked,
//! so memory does not grow with steps.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `parts.rs` | numbers of observations, actions and rewards, each declared once |
//! | `slots.rs`, `senders.rs`, `queues.rs` | the three decisions |
//! | `allowed.rs` | which numbers an action may have |
//! | `score.rs` | rewards that all have |
//! | `pool.rs`, `rows.rs`, `crew.rs` | many environments, what they leave, the threads that step them |
//! | `memory.rs` | where their small blocks lie |
//!
//! It leaves out: policies, spaces of actions, how the numbers of several environments are laid out for a learner.

mod allowed;
mod crew;
mod memory;
mod parts;
mod pool;
mod queues;
mod rows;
mod score;
mod senders;
mod slots;

use std::sync::Arc;

use airlink_model::types::Duration;

pub use memory::Near;
pub use parts::{Decision, Of, Part};
pub use pool::{Environments, Refusal};
pub use rows::{Out, Written};
pub use slots::{Invalid, SlotAction};

use crate::batch::Prepared;
use crate::components::Components;
use crate::record::RecordKind;
use crate::replica::Replica;
use crate::scenario::Scenario;
use crate::simulation::Simulation;
use queues::QueueTask;
use score::Score;
use senders::SenderTask;
use slots::{Decider, SlotTask};

/// What an environment is built from.
#[derive(Clone, Debug)]
pub struct EnvironmentConfig {
    /// What is decided step by step.
    pub decision: Decision,
    /// What an observation is composed of, in its order.
    pub observation: Vec<Shown>,
    /// Values go from 0 to 1 between their bounds; false: in their units.
    pub scaled: bool,
    /// How an action decides a slot.
    pub slot_action: SlotAction,
    /// What becomes of a subchannel that an action gives to nobody who may win it.
    pub invalid: Invalid,
    /// The parts of an action for senders or queues, by their numbers among [`Decision::actions`].
    pub action: Vec<usize>,
    /// The parts of the reward, by their numbers among [`Decision::rewards`], and their weights.
    pub reward: Vec<(usize, f64)>,
    /// The length of a step; of no use to slots.
    pub step: Duration,
    /// The number of the group of flows whose senders are steered.
    pub group: usize,
    /// Whether results of episodes are kept, and which series are recorded then.
    pub results: Option<Vec<RecordKind>>,
}

/// A part of an observation and its bounds here.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Its number among [`Decision::observations`].
    pub part: usize,
    /// What is below is shown as this.
    pub low: f64,
    /// What is above is shown as this.
    pub high: f64,
}

/// How many numbers go in and come out of one environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Of an observation.
    pub observation: usize,
    /// Of an action.
    pub action: usize,
    /// Of a mask: subchannels x users for slots, none otherwise.
    pub mask: usize,
    /// Parts of a reward.
    pub reward: usize,
    /// What an action is for: users, or flows of the group.
    pub deciders: usize,
    /// Subchannels of the carrier; 1 without one.
    pub subchannels: usize,
}

/// What all decisions have in common.
trait Task: Send {
    /// What takes the place of the scenario's parts in the next episode; whatever the last one left is forgotten.
    fn start(&mut self, scenario: &Scenario, seed: u64) -> Components;

    /// Users or flows that an action is for, and its numbers; known once an episode has started.
    fn deciders(&self) -> (usize, usize);

    /// Takes an action; `decider` is there where slots are decided by numbers.
    fn act(&mut self, simulation: &mut Simulation, action: &[f64], decider: Option<&mut Decider>);

    /// Runs to the next decision and shows what is known then; false at the run's end, where what was shown last stays.
    fn advance(&mut self, simulation: &mut Simulation, sight: &mut Sight) -> bool;

    /// The rewards of its own in the step that has just ended, in the order of their declaration.
    fn rewards(&self) -> &[f64];
}

/// What is seen at a decision.
#[derive(Debug)]
struct Sight {
    shown: Vec<Shown>,
    scaled: bool,
    values: Vec<f64>,
    mask: Vec<i8>,
}

impl Sight {
    /// Writes all parts anew: `fill` appends the values of the part of a number.
    fn renew(&mut self, mut fill: impl FnMut(usize, &mut Vec<f64>)) {
        self.values.clear();
        for shown in &self.shown {
            let first = self.values.len();
            fill(shown.part, &mut self.values);
            let Shown { low, high, .. } = *shown;
            let (least, scale) = if self.scaled { (low, 1.0 / (high - low)) } else { (0.0, 1.0) };
            for value in &mut self.values[first..] {
                let at_least = if *value > low { *value } else { low };
                let bounded = if at_least > high { high } else { at_least };
                *value = (bounded - least) * scale;
            }
        }
    }
}

/// One environment.
struct Environment {
    prepared: Arc<Prepared>,
    task: Box<dyn Task>,
    sight: Sight,
    score: Score,
    /// Of the episode that goes on; none before the first and after the last step of one.
    simulation: Option<Simulation>,
    seed: u64,
    /// What the next seed is further on.
    seed_step: u64,
    record: Vec<RecordKind>,
    keeps_results: bool,
    /// Of the last episode that ended.
    result: Option<Replica>,
    reward: f64,
    has_ended: bool,
}

impl Environment {
    fn new(config: &EnvironmentConfig, prepared: &Arc<Prepared>) -> Self {
        let task: Box<dyn Task> = match config.decision {
            Decision::Slots => Box::new(SlotTask::new(config)),
            Decision::Senders => Box::new(SenderTask::new(config)),
            Decision::Queues => Box::new(QueueTask::new(config)),
        };
        let (shown, values, mask) = (config.observation.clone(), Vec::new(), Vec::new());
        Self {
            prepared: Arc::clone(prepared),
            task,
            sight: Sight { shown, scaled: config.scaled, values, mask },
            score: Score::new(&config.reward, prepared.scenario.users),
            simulation: None,
            seed: 0,
            seed_step: 1,
            record: config.results.clone().unwrap_or_default(),
            keeps_results: config.results.is_some(),
            result: None,
            reward: 0.0,
            has_ended: false,
        }
    }

    fn sizes(&self) -> Sizes {
        let radio = self.prepared.scenario.radio();
        let (deciders, action) = self.task.deciders();
        Sizes {
            observation: self.sight.values.len(),
            action,
            mask: self.sight.mask.len(),
            reward: self.score.parts().len(),
            deciders,
            subchannels: radio.map_or(1, |radio| radio.carrier.subchannels),
        }
    }

    /// Starts an episode with this seed; the ones after it each go on by `seed_step`.
    fn reset(&mut self, seed: u64, seed_step: u64) -> Result<(), Refusal> {
        (self.seed, self.seed_step) = (seed, seed_step);
        self.start()
    }

    fn start(&mut self) -> Result<(), Refusal> {
        let Prepared { scenario, traces } = &*self.prepared;
        let components = self.task.start(scenario, self.seed);
        let mut simulation = Simulation::with_components(scenario, traces, self.seed, &self.record, &components);
        if !self.keeps_results {
            simulation = simulation.without_summaries();
        }
        if self.score.is_of_goodput() {
            simulation = simulation.with_goodput_shown();
        }
        self.score.start();
        self.has_ended = !self.task.advance(&mut simulation, &mut self.sight);
        // What came before the first decision is nobody's.
        self.score.take(&simulation, &*self.task);
        self.reward = 0.0;
        self.simulation = Some(simulation);
        if self.has_ended { Err(Refusal::NothingToDecide(self.seed)) } else { Ok(()) }
    }

    /// Takes an action and runs to the next decision; after an episode's end it starts the next.
    fn step(&mut self, action: &[f64], decider: Option<&mut Decider>) -> Result<(), Refusal> {
        let Some(simulation) = &mut self.simulation else {
            self.seed = self.seed.wrapping_add(self.seed_step);
            return self.start();
        };
        self.task.act(simulation, action, decider);
        self.has_ended = !self.task.advance(simulation, &mut self.sight);
        self.reward = self.score.take(simulation, &*self.task);
        if self.has_ended
            && let Some(simulation) = self.simulation.take()
        {
            // Also where nobody wants it: a run checks itself at its end.
            let replica = simulation.into_replica(self.seed);
            self.result = self.keeps_results.then_some(replica);
        }
        Ok(())
    }
}
