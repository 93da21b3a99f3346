//! Windows and pacing rates of senders, set from outside between steps of a fixed time.
//!
//! The sender still finds its losses and sends again; the window is what was set, whatever it hears. What it leaves out: a decision
//! at each ACK.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use airlink_model::transport::Tcp;
use airlink_model::transport::congestion::{
    AckEvent, CongestionControl, IdleEvent, LossEvent, LostEvent, Needs, Reno, Windows,
};
use airlink_model::types::{Duration, FlowId, Rate, Time};

use super::slots::Decider;
use super::{EnvironmentConfig, Sight, Task};
use crate::components::Components;
use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// What a sender knows, and what it is told.
#[derive(Clone, Copy, Debug, Default)]
struct Steered {
    window_bytes: f64,
    pacing: Option<Rate>,
    in_flight_bytes: f64,
    smoothed_round_trip_s: f64,
    least_round_trip_s: f64,
    /// Since the last decision.
    delivered_bytes: f64,
    lost_bytes: f64,
    marked_bytes: f64,
    timeouts: f64,
}

/// Read and written by one thread at a time: a step's.
type Shared = Arc<Mutex<Steered>>;

fn of(shared: &Shared) -> MutexGuard<'_, Steered> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The congestion control of a sender that is steered.
#[derive(Clone, Debug)]
struct Steering {
    shared: Shared,
    least_window: f64,
    is_paced: bool,
}

impl CongestionControl for Steering {
    fn needs(&self) -> Needs {
        let pacing = self.is_paced;
        Needs { round_trips: true, rate_samples: true, own_recovery: true, pacing, ..Needs::default() }
    }

    fn window(&self) -> f64 {
        of(&self.shared).window_bytes.max(self.least_window)
    }

    fn slow_start_threshold(&self) -> f64 {
        f64::INFINITY
    }

    fn pacing_rate(&self) -> Option<Rate> {
        of(&self.shared).pacing
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        let mut known = of(&self.shared);
        known.in_flight_bytes = ack.flight.count() as f64;
        known.delivered_bytes += ack.delivered.count() as f64;
        known.marked_bytes += ack.marked.count() as f64;
        if let Some(srtt) = ack.srtt {
            known.smoothed_round_trip_s = srtt.as_secs();
        }
        if let Some(rtt) = ack.newest_rtt.or(ack.rtt).map(Duration::as_secs) {
            let is_least = known.least_round_trip_s == 0.0 || rtt < known.least_round_trip_s;
            known.least_round_trip_s = if is_least { rtt } else { known.least_round_trip_s };
        }
    }

    fn on_lost(&mut self, lost: &LostEvent) {
        of(&self.shared).lost_bytes += lost.bytes.count() as f64;
    }

    fn on_loss(&mut self, _loss: &LossEvent) {}

    fn on_mark(&mut self, _mark: &LossEvent) {}

    fn on_timeout(&mut self, _loss: &LossEvent) {
        of(&self.shared).timeouts += 1.0;
    }

    fn on_idle(&mut self, _idle: &IdleEvent) {}

    fn set_window(&mut self, _window: f64) {}

    fn restore(&mut self, _windows: Windows) {}
}

/// The windows and pacing rates of a group's senders.
pub(super) struct SenderTask {
    group: usize,
    parts: Vec<usize>,
    clock: StepClock,
    senders: Vec<Shared>,
    /// What they know at the end of a step.
    known: Vec<Steered>,
    /// Filled while a run is assembled.
    assembled: Arc<Mutex<BTreeMap<FlowId, Shared>>>,
    /// Mean of the smoothed round-trip times, bytes given up for lost: of the last step.
    sums: [f64; 2],
}

impl SenderTask {
    pub(super) fn new(config: &EnvironmentConfig) -> Self {
        Self {
            group: config.group,
            parts: config.action.clone(),
            clock: StepClock::new(config.step),
            senders: Vec::new(),
            known: Vec::new(),
            assembled: Arc::default(),
            sums: [0.0; 2],
        }
    }

    /// The senders of the run that has been assembled, in the order of their flows.
    fn take_assembled(&mut self) {
        let mut assembled = self.assembled.lock().unwrap_or_else(PoisonError::into_inner);
        if !assembled.is_empty() {
            self.senders = std::mem::take(&mut *assembled).into_values().collect();
        }
    }
}

impl Task for SenderTask {
    fn start(&mut self, scenario: &Scenario, _seed: u64) -> Components {
        self.clock.restart(scenario);
        let (assembled, is_paced) = (Arc::clone(&self.assembled), self.parts.contains(&1));
        Components::default().congestion_control(self.group, move |tcp: &Tcp, flow| {
            let known = Steered { window_bytes: Reno::new(tcp).window(), ..Steered::default() };
            let shared = Arc::new(Mutex::new(known));
            assembled.lock().unwrap_or_else(PoisonError::into_inner).insert(flow, Arc::clone(&shared));
            Box::new(Steering { shared, least_window: tcp.mss.count() as f64, is_paced })
        })
    }

    fn deciders(&self) -> (usize, usize) {
        (self.senders.len(), self.senders.len() * self.parts.len())
    }

    fn act(&mut self, _simulation: &mut Simulation, action: &[f64], _decider: Option<&mut Decider>) {
        for (sender, values) in self.senders.iter().zip(action.chunks_exact(self.parts.len())) {
            let mut known = of(sender);
            for (&part, &value) in self.parts.iter().zip(values) {
                match part {
                    0 => known.window_bytes = value,
                    _ => known.pacing = Some(Rate::from_bps(value)),
                }
            }
        }
    }

    fn advance(&mut self, simulation: &mut Simulation, sight: &mut Sight) -> bool {
        self.take_assembled();
        let goes_on = self.clock.advance(simulation);
        let step_s = self.clock.step_s();
        let count = self.senders.len() as f64;
        let known = &mut self.known;
        known.clear();
        known.extend(self.senders.iter().map(|sender| *of(sender)));
        self.sums[0] = known.iter().map(|sender| sender.smoothed_round_trip_s).sum::<f64>() / count;
        self.sums[1] = known.iter().map(|sender| sender.lost_bytes).sum();
        sight.renew(|part, out| out.extend(known.iter().map(|sender| value(sender, part, step_s))));
        for sender in &self.senders {
            let mut known = of(sender);
            *known = Steered { delivered_bytes: 0.0, lost_bytes: 0.0, marked_bytes: 0.0, timeouts: 0.0, ..*known };
        }
        goes_on
    }

    fn rewards(&self) -> &[f64] {
        &self.sums
    }
}

/// A part, by its number among those declared.
fn value(sender: &Steered, part: usize, step_s: f64) -> f64 {
    match part {
        0 => sender.window_bytes,
        1 => sender.in_flight_bytes,
        2 => sender.smoothed_round_trip_s,
        3 => sender.least_round_trip_s,
        4 => 8.0 * sender.delivered_bytes / step_s,
        5 => 8.0 * sender.lost_bytes / step_s,
        6 => 8.0 * sender.marked_bytes / step_s,
        7 => sender.timeouts,
        _ => unreachable!("there is no other part"),
    }
}

/// Steps of equal length; the first decision is at the run's start.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepClock {
    step: Duration,
    /// None before the first decision.
    next: Option<Time>,
    /// When the run ends at the latest.
    end: Time,
}

impl StepClock {
    pub(super) const fn new(step: Duration) -> Self {
        Self { step, next: None, end: Time::ZERO }
    }

    /// Begins a run of `scenario`.
    pub(super) fn restart(&mut self, scenario: &Scenario) {
        self.next = None;
        self.end = Time::ZERO + Duration::from_secs(scenario.longest_s());
    }

    pub(super) fn step_s(&self) -> f64 {
        self.step.as_secs()
    }

    /// Runs to the next decision; false if the run has ended.
    pub(super) fn advance(&mut self, simulation: &mut Simulation) -> bool {
        let Some(next) = self.next else {
            self.next = Some(Time::ZERO + self.step);
            return !simulation.is_finished();
        };
        // What happens at the very end belongs to the last step.
        simulation.advance_until(if next < self.end { next } else { Time::NEVER });
        self.next = Some(next + self.step);
        !simulation.is_finished()
    }
}
