//! Which scheduler decides, with every parameter, and the one place that builds it.

use super::{
    AverageConfig, CoveredUsers, Fifo, FifoConfig, IdealTcpPf, IdealTcpPfConfig, Lambda, LambdaConfig, LargestMetric,
    MaxRate, Metric, ProportionalFair, RelativeSnr, RoundRobin, RoundRobinConfig, Scheduler, TcpMax, TcpPf,
    TcpPfConfig, Ties, UnapproximatedTcpPf,
};

/// A scheduler and its tie rule. Whether users with empty queues compete is the cell's to say, in `eligible`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchedulerConfig {
    /// The algorithm.
    pub kind: SchedulerKind,
    /// Who wins among equal metrics; round robin and first come, first served know no ties.
    pub ties: Ties,
    /// What becomes of users whose backlog is covered before the last subchannel of a slot.
    pub covered: CoveredUsers,
}

/// The algorithms, by the names of the scenario's `scheduler.kind`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SchedulerKind {
    /// `round_robin`
    RoundRobin(RoundRobinConfig),
    /// `fifo`
    Fifo(FifoConfig),
    /// `max_rate`
    MaxRate,
    /// `relative_snr`
    RelativeSnr,
    /// `proportional_fair`
    ProportionalFair(AverageConfig),
    /// `lambda`
    Lambda(LambdaConfig),
    /// `tcp_pf`
    TcpPf(TcpPfConfig),
    /// `tcp_max`
    TcpMax(TcpPfConfig),
    /// `ideal_tcp_pf`
    IdealTcpPf(IdealTcpPfConfig),
    /// `unapproximated_tcp_pf`
    UnapproximatedTcpPf(TcpPfConfig),
}

impl SchedulerConfig {
    /// Whether the scheduler reads [`Controls`](super::Controls); for all others its slices may be empty.
    pub fn needs_controls(&self) -> bool {
        matches!(self.kind, SchedulerKind::IdealTcpPf(_) | SchedulerKind::UnapproximatedTcpPf(_))
    }
}

/// The scheduler of `users` users and `subchannels` subchannels before the first slot; `seed` names its tie draws.
pub fn build(config: &SchedulerConfig, users: usize, subchannels: usize, seed: u64) -> Box<dyn Scheduler> {
    let engine = Engine { ties: config.ties, covered: config.covered, subchannels, seed };
    match config.kind {
        SchedulerKind::RoundRobin(kind) => Box::new(RoundRobin::new(kind, config.covered)),
        SchedulerKind::Fifo(kind) => Box::new(Fifo::new(kind, config.covered)),
        SchedulerKind::MaxRate => engine.of(MaxRate),
        SchedulerKind::RelativeSnr => engine.of(RelativeSnr),
        SchedulerKind::ProportionalFair(average) => engine.of(ProportionalFair::new(average, users)),
        SchedulerKind::Lambda(config) => engine.of(Lambda::new(config, users)),
        SchedulerKind::TcpPf(config) => engine.of(TcpPf::new(config, users)),
        SchedulerKind::TcpMax(config) => engine.of(TcpMax::new(config, users)),
        SchedulerKind::IdealTcpPf(config) => engine.of(IdealTcpPf::new(config, users)),
        SchedulerKind::UnapproximatedTcpPf(config) => engine.of(UnapproximatedTcpPf::new(config, users)),
    }
}

struct Engine {
    ties: Ties,
    covered: CoveredUsers,
    subchannels: usize,
    seed: u64,
}

impl Engine {
    fn of(self, metric: impl Metric) -> Box<dyn Scheduler> {
        Box::new(LargestMetric::new(metric, self.ties, self.covered, self.subchannels, self.seed))
    }
}
