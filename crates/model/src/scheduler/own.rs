//! Schedulers from outside: a metric for the argmax engine, or a decision of its own.
//!
//! A metric fills an array of users x subchannels once a slot; candidates, ties, release_satisfied_users and serve_empty_queues are
//! the engine's, as for a built-in metric. Both see as `average_bps` the average of eq. (2) that the scenario's scheduler would
//! keep ([`SchedulerKind::average`]), so that R / A is [`ProportionalFair`](super::ProportionalFair).
//!
//! It leaves out: averages that move between the subchannels of a slot, for a metric is asked once a slot.

use super::{
    Allocation, AverageConfig, AverageUpdates, AveragedRate, Contest, LargestMetric, Metric, Scheduler,
    SchedulerConfig, SchedulerKind, SlotOutcome, SlotView, UserRow,
};
use crate::types::Slot;

/// A number for each user and subchannel of a slot, from outside this crate: the largest wins the subchannel.
pub trait SlotMetric: Send {
    /// Writes the metric of user u on subchannel s to `metrics[u * subchannels + s]`. What stands there for users who may not win
    /// does not matter; neither a NaN nor minus infinity ever wins.
    fn fill(&mut self, view: &SlotView<'_>, metrics: &mut [f64]);

    /// Learns what the slot became.
    fn on_slot_end(&mut self, _outcome: &SlotOutcome<'_>) {}

    /// A copy in the same state, so that a running simulation can be cloned.
    fn boxed_clone(&self) -> Box<dyn SlotMetric>;
}

impl Clone for Box<dyn SlotMetric> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// The argmax engine with a metric from outside; everything else of `config` holds.
pub fn build_own_metric(
    metric: Box<dyn SlotMetric>,
    config: &SchedulerConfig,
    users: usize,
    subchannels: usize,
    seed: u64,
) -> Box<dyn Scheduler> {
    let own = OwnMetric { average: shown_average(config, users), metric, metrics: Vec::new() };
    Box::new(LargestMetric::new(own, config.ties, config.releases_satisfied(), subchannels, seed))
}

/// A scheduler from outside that sees the average of `config`.
pub fn build_own_scheduler(
    scheduler: Box<dyn Scheduler>,
    config: &SchedulerConfig,
    users: usize,
) -> Box<dyn Scheduler> {
    Box::new(OwnScheduler { average: shown_average(config, users), scheduler })
}

fn shown_average(config: &SchedulerConfig, users: usize) -> AveragedRate {
    AveragedRate::new(AverageConfig { updates: AverageUpdates::Slot, ..config.kind.average() }, users)
}

impl SchedulerKind {
    /// The average that this scheduler keeps; that of the defaults for one that keeps none.
    pub fn average(&self) -> AverageConfig {
        match self {
            Self::ProportionalFair(average) => *average,
            Self::Formula(config) => config.average,
            Self::WeightedPf(average) | Self::EarliestDeadline(average) => *average,
            Self::MLwdf(config) => config.average,
            Self::ExpPf(config) => config.average,
            Self::LogRule(config) => config.average,
            Self::GuaranteedRate(config) => config.average,
            Self::Lambda(config) => config.average,
            Self::LogSnr(config) => config.average,
            Self::TcpPf(config) | Self::TcpMax(config) => config.average,
            Self::RoundRobin(_) | Self::Fifo(_) | Self::MaxRate | Self::RelativeSnr => AverageConfig::default(),
        }
    }
}

#[derive(Clone)]
struct OwnMetric {
    average: AveragedRate,
    metric: Box<dyn SlotMetric>,
    /// Of this slot: the element of user u and subchannel s at u * subchannels + s.
    metrics: Vec<f64>,
}

impl Metric for OwnMetric {
    fn observe(&mut self, _contest: &Contest<'_>) {
        self.average.observe_all();
    }

    fn decide(&mut self, contest: &Contest<'_>) {
        let view = SlotView { average_bps: self.average.bps(), ..*contest.view };
        self.metrics.resize(view.users * view.subchannels, 0.0);
        self.metric.fill(&view, &mut self.metrics);
    }

    fn evaluate(&self, contest: &Contest<'_>, subchannel: usize, _rates: &[f64], out: &mut [f64]) {
        let subchannels = contest.view.subchannels;
        if subchannels == 1 && contest.listed().is_none() {
            return out.copy_from_slice(&self.metrics);
        }
        contest.fill(out, |_, user| self.metrics[user * subchannels + subchannel]);
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.average.on_slot_end(outcome);
        self.metric.on_slot_end(outcome);
    }

    fn on_user_added(&mut self, user: usize, _slot: Slot) {
        self.average.on_user_added(user);
    }

    fn reads_idle_users(&self) -> bool {
        true
    }

    fn fill_averages(&self, bps: &mut [f64]) -> bool {
        self.average.fill(bps);
        true
    }
}

#[derive(Clone)]
struct OwnScheduler {
    average: AveragedRate,
    scheduler: Box<dyn Scheduler>,
}

impl Scheduler for OwnScheduler {
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Allocation) {
        self.average.observe_all();
        self.scheduler.allocate(&SlotView { average_bps: self.average.bps(), ..*view }, allocation);
    }

    fn stand_by(&mut self, view: &SlotView<'_>) {
        self.average.observe_all();
        self.scheduler.stand_by(&SlotView { average_bps: self.average.bps(), ..*view });
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.average.on_slot_end(outcome);
        self.scheduler.on_slot_end(outcome);
    }

    fn on_user_added(&mut self, row: UserRow, slot: Slot) {
        self.average.on_user_added(row.index());
        self.scheduler.on_user_added(row, slot);
    }

    fn on_user_removed(&mut self, row: UserRow) {
        self.scheduler.on_user_removed(row);
    }

    fn reads_idle_users(&self) -> bool {
        self.scheduler.reads_idle_users()
    }

    fn fill_averages(&self, bps: &mut [f64]) -> bool {
        self.average.fill(bps);
        true
    }

    fn boxed_clone(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}
