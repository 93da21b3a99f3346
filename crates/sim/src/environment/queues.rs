//! Limits and marks of the users' queues at the base station, set from outside between steps of a fixed time.
//!
//! A packet that comes is refused where the limit has no room for it; others are marked with a probability, each draw from the stream
//! (seed, own, user). What it leaves out: drops at the head, and queues of hops or of a wired bottleneck.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use airlink_model::queue::{Header, Occupancy, QueueManagement, Verdict};
use airlink_model::types::{Bytes, Purpose, RandomStream, Time, UserId};

use super::senders::StepClock;
use super::slots::Decider;
use super::{EnvironmentConfig, Sight, Task};
use crate::components::Components;
use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// What a queue knows, and what it is told.
#[derive(Clone, Copy, Debug, Default)]
struct Governed {
    limit_bytes: f64,
    mark_probability: f64,
    backlog_bytes: f64,
    /// Since the last decision.
    since: Since,
}

#[derive(Clone, Copy, Debug, Default)]
struct Since {
    waits_s: f64,
    left_packets: f64,
    left_bytes: f64,
    arrived_bytes: f64,
    refused_packets: f64,
    marked_packets: f64,
}

/// Read and written by one thread at a time: a step's.
type Shared = Arc<Mutex<Governed>>;

fn of(shared: &Shared) -> MutexGuard<'_, Governed> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The management of a queue that is governed.
#[derive(Clone, Debug)]
struct Governing {
    shared: Shared,
    draws: RandomStream,
}

impl QueueManagement for Governing {
    fn limit(&self) -> Bytes {
        let limit_bytes = of(&self.shared).limit_bytes;
        // Rounded down; an infinite limit is none.
        if limit_bytes < 1e15 { Bytes::new(limit_bytes as u64) } else { Bytes::UNLIMITED }
    }

    fn on_arrival(&mut self, _now: Time, packet: &Header, waiting: Occupancy, _in_service: Occupancy) -> Verdict {
        let mut known = of(&self.shared);
        let bytes = packet.bytes.count() as f64;
        known.since.arrived_bytes += bytes;
        let is_marked = self.draws.uniform() < known.mark_probability;
        if is_marked {
            known.since.marked_packets += 1.0;
        }
        if !is_marked || packet.ecn.is_capable() {
            known.backlog_bytes = waiting.bytes.count() as f64 + bytes;
        }
        if is_marked { Verdict::Mark } else { Verdict::Pass }
    }

    fn on_refused(&mut self) {
        of(&self.shared).since.refused_packets += 1.0;
    }

    fn on_head(&mut self, now: Time, packet: &Header, behind: Occupancy) -> Verdict {
        let mut known = of(&self.shared);
        known.backlog_bytes = behind.bytes.count() as f64;
        known.since.waits_s += now.since(packet.queued_at).as_secs();
        known.since.left_packets += 1.0;
        known.since.left_bytes += packet.bytes.count() as f64;
        Verdict::Pass
    }

    fn chooses_drops(&self) -> bool {
        true
    }

    fn boxed_clone(&self) -> Box<dyn QueueManagement> {
        Box::new(self.clone())
    }
}

/// The limits and marks of all users' queues.
pub(super) struct QueueTask {
    parts: Vec<usize>,
    clock: StepClock,
    queues: Vec<Shared>,
    /// What they know at the end of a step.
    known: Vec<Governed>,
    /// The mean wait in the last step.
    sums: [f64; 1],
}

impl QueueTask {
    pub(super) fn new(config: &EnvironmentConfig) -> Self {
        let clock = StepClock::new(config.step);
        Self { parts: config.action.clone(), clock, queues: Vec::new(), known: Vec::new(), sums: [0.0] }
    }
}

impl Task for QueueTask {
    fn start(&mut self, scenario: &Scenario, seed: u64) -> Components {
        self.clock.restart(scenario);
        let unlimited = Governed { limit_bytes: f64::INFINITY, ..Governed::default() };
        self.queues = (0..scenario.users).map(|_| Arc::new(Mutex::new(unlimited))).collect();
        let queues = self.queues.clone();
        Components::default().queues(move |user: UserId| {
            let shared = Arc::clone(&queues[user.index()]);
            Box::new(Governing { shared, draws: RandomStream::new(seed, Purpose::Own, user.index() as u64) })
        })
    }

    fn deciders(&self) -> (usize, usize) {
        (self.queues.len(), self.queues.len() * self.parts.len())
    }

    fn act(&mut self, _simulation: &mut Simulation, action: &[f64], _decider: Option<&mut Decider>) {
        for (queue, values) in self.queues.iter().zip(action.chunks_exact(self.parts.len())) {
            let mut known = of(queue);
            for (&part, &value) in self.parts.iter().zip(values) {
                match part {
                    0 => known.limit_bytes = value,
                    _ => known.mark_probability = value,
                }
            }
        }
    }

    fn advance(&mut self, simulation: &mut Simulation, sight: &mut Sight) -> bool {
        let goes_on = self.clock.advance(simulation);
        let step_s = self.clock.step_s();
        let known = &mut self.known;
        known.clear();
        known.extend(self.queues.iter().map(|queue| *of(queue)));
        let waits_s: f64 = known.iter().map(|queue| queue.since.waits_s).sum();
        let left: f64 = known.iter().map(|queue| queue.since.left_packets).sum();
        self.sums[0] = waits_s / left.max(1.0);
        sight.renew(|part, out| out.extend(known.iter().map(|queue| value(queue, part, step_s))));
        self.queues.iter().for_each(|queue| of(queue).since = Since::default());
        goes_on
    }

    fn rewards(&self) -> &[f64] {
        &self.sums
    }
}

/// A part, by its number among those declared.
fn value(queue: &Governed, part: usize, step_s: f64) -> f64 {
    let Since { waits_s, left_packets, left_bytes, arrived_bytes, refused_packets, marked_packets } = queue.since;
    match part {
        0 => queue.backlog_bytes,
        1 => waits_s / left_packets.max(1.0),
        2 => 8.0 * arrived_bytes / step_s,
        3 => 8.0 * left_bytes / step_s,
        4 => refused_packets,
        5 => marked_packets,
        6 => queue.limit_bytes,
        7 => queue.mark_probability,
        _ => unreachable!("there is no other part"),
    }
}
