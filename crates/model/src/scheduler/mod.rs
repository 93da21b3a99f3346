//! Who gets which subchannel of a slot.
//!
//! Most published schedulers are "the largest metric wins": they are metrics plugged into one argmax engine, [`LargestMetric`].
//! Round robin and first come, first served are their own things. A scheduler sees only a [`SlotView`], which is what a base
//! station knows; the two controls that no base station could run read [`Controls`] beside it.
//!
//! Equations are those of [Klein04], section III, and of [EvdoTcp], section VI.
//!
//! What this leaves out: several users sharing a subchannel, discarding packets past a deadline.

mod averaged_rate;
mod columns;
mod contest;
mod demand;
mod earliest_deadline;
mod exp_pf;
mod fifo;
mod formula;
mod gap_moments;
mod guaranteed_rate;
mod ideal_tcp_pf;
mod lambda;
mod largest_metric;
mod largest_weighted;
mod log_rule;
mod log_snr;
mod m_lwdf;
mod max_rate;
mod own;
mod proportional_fair;
mod relative_snr;
mod round_robin;
mod settled;
mod smoothed_queue;
mod tcp_pf;
mod unapproximated_tcp_pf;
mod view;
mod weighted_pf;

pub use averaged_rate::{AverageConfig, AverageCounts, AverageUpdates, AverageWindow, AveragedRate};
pub use columns::{Column, Per};
pub use contest::Contest;
pub use earliest_deadline::EarliestDeadline;
pub use exp_pf::{ExpPf, ExpPfConfig, ExponentialDelay};
pub use fifo::{Fifo, FifoConfig};
pub use formula::{
    Formula, FormulaConfig, FormulaMetric, Mistake as FormulaMistake, Name as FormulaName, names as formula_names,
};
pub use gap_moments::{GapConfig, GapMoments, InitialGap, TrialMoments, VacationUnit};
pub use guaranteed_rate::{GuaranteedRate, GuaranteedRateConfig};
pub use ideal_tcp_pf::{IdealTcpPf, IdealTcpPfConfig};
pub use lambda::{Lambda, LambdaConfig};
pub use largest_metric::{LargestMetric, Metric, Ties, tie_draws};
pub use log_rule::{LogRule, LogRuleConfig, LogarithmicDelay};
pub use log_snr::{LogArgument, LogSnr, LogSnrConfig};
pub use m_lwdf::{MLwdf, MLwdfConfig, WeightedDelay};
pub use max_rate::MaxRate;
pub use own::{SlotMetric, build_own_metric, build_own_scheduler};
pub use proportional_fair::ProportionalFair;
pub use relative_snr::RelativeSnr;
pub use round_robin::{RoundRobin, RoundRobinConfig};
pub use smoothed_queue::SmoothedQueue;
pub use tcp_pf::{TcpMax, TcpPf, TcpPfConfig, Terms};
pub use unapproximated_tcp_pf::UnapproximatedTcpPf;
pub use view::{Allocation, AllocationError, Controls, Served, SlotOutcome, SlotView, UserRow};
pub use weighted_pf::{Divisor, NoUrgency, Urgency, WeightedPf};

use crate::types::Slot;
use crate::types::declare::{PerUser, Section};

/// The algorithms, by `scheduler.kind`.
#[derive(Clone, Debug, PartialEq, Section)]
pub enum SchedulerKind {
    /// Users in turn, by index.
    RoundRobin(RoundRobinConfig),
    /// First come, first served: the user whose oldest packet came first to the base station, whatever its rate.
    Fifo(FifoConfig),
    /// Metric R (MAX, Max C/I).
    #[section(about = "Largest R", facts("serves the largest R"))]
    MaxRate,
    /// Metric reported SNR / mean SNR of the user, as power ratios ([EvdoTcp], Fig. 1).
    #[section(
        about = "Largest SNR relative to its mean",
        facts("serves the largest SNR over its own mean", "fair_in_slots")
    )]
    RelativeSnr,
    /// Metric R/A ([Klein04], eq. (1)); MC-PF of [Kakuda] with a growing window and A(0) = 0.
    #[section(about = "Largest R/A", facts("serves the largest R/A", "divides_by_service", "fair_in_slots"))]
    ProportionalFair(AverageConfig),
    /// Metric log R - exponent x log A ([EvdoTcp], eq. (7)); 0: max rate, 1: proportional fair, large: equal rates.
    Lambda(LambdaConfig),
    /// Metric log(reported SNR) / A ([EvdoTcp], eq. (5) as printed).
    ///
    /// The rate only says who can be served. Below 0 dB the metric is negative.
    LogSnr(LogSnrConfig),
    /// Metric (R/A) [ Sigma^/(2 Phi^) + Q/A ] ([Klein04], eq. (19)).
    #[section(
        about = "TCP-PF",
        facts("serves the largest (R/A) D", "divides_by_service", "remembers_gaps", "weighs_queue")
    )]
    TcpPf(TcpPfConfig),
    /// Metric R [ Sigma^/(2 Phi^) + Q/A ] ([Klein04], eq. (20)).
    #[section(about = "TCP-MAX", facts("serves the largest R D", "remembers_gaps", "weighs_queue"))]
    TcpMax(TcpPfConfig),
    /// Metric: the value of a formula, such as `rate / average * exp(head_of_line_delay_s / 0.05)`.
    ///
    /// A user for whom it is not a number does not win.
    Formula(FormulaConfig),
    /// Metric weight x R/A, PF with the users' `weight` ([KellyMauTan98]).
    #[section(
        about = "Largest weight x R/A",
        facts("serves the largest weight x R/A", "divides_by_service", "weighs_users")
    )]
    WeightedPf(AverageConfig),
    /// Metric weight x (-ln delta / T) W R/A ([Andrews01]); without a delay budget: PF.
    ///
    /// W is the wait of the oldest packet, T the delay budget.
    MLwdf(MLwdfConfig),
    /// Metric weight x exp(a W / (1 + sqrt(mean of a W))) R/A ([Rhee03]); without a delay budget: PF.
    ///
    /// a = -ln delta / T, W is the wait of the oldest packet, T the delay budget.
    ExpPf(ExpPfConfig),
    /// Metric weight x ln(offset + slope W/T) R/A ([Sadiq11]); without a delay budget: PF.
    LogRule(LogRuleConfig),
    /// The packet whose delay budget ends first ([LiuLayland73]), whatever its user's rate.
    ///
    /// Users without a delay budget come after those, by PF.
    #[section(
        about = "Earliest deadline first; PF gives out the rest",
        facts(
            "serves the earliest deadline, then the largest R/A",
            "divides_by_service",
            "weighs_queue",
            "weighs_deadlines"
        )
    )]
    EarliestDeadline(AverageConfig),
    /// Users behind their guaranteed rate first ([Andrews05]), PF for the rest.
    GuaranteedRate(GuaranteedRateConfig),
}

/// A scheduler that no base station could run, for it knows what only the users and the servers know.
///
/// It takes the place of `[scheduler]`, whose `serve_empty_queues`, `ties` and `release_satisfied_users` still hold.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "ExperimentalScheduler")]
pub enum ExperimentalScheduler {
    /// The scheduler is that of `[scheduler]`.
    #[section(class = "NoExperimentalScheduler", about = "None: `[scheduler]` decides")]
    None,
    /// Control: metric R / smoothed true TCP goodput ([Klein04], eq. (3)).
    IdealTcpPf(IdealTcpPfConfig),
    /// Control: [Klein04]'s eqs (5)-(7) without the approximations (8)-(11).
    #[section(
        class = "UnapproximatedTcpPf",
        about = "TCP-PF before its approximations",
        facts("serves the largest (R/A) T", "divides_by_service", "remembers_gaps", "weighs_queue")
    )]
    UnapproximatedTcpPf(TcpPfConfig),
}

/// The scheduler of `users` users and `subchannels` subchannels before the first slot; `seed` names its tie draws.
pub fn build(config: &SchedulerConfig, users: usize, subchannels: usize, seed: u64) -> Box<dyn Scheduler> {
    let releases = config.releases_satisfied();
    let engine = Engine { ties: config.ties, releases_satisfied: releases, subchannels, seed };
    match &config.kind {
        SchedulerKind::RoundRobin(kind) => Box::new(RoundRobin::new(*kind, releases)),
        SchedulerKind::Fifo(kind) => Box::new(Fifo::new(*kind, releases)),
        SchedulerKind::MaxRate => engine.of(MaxRate),
        SchedulerKind::RelativeSnr => engine.of(RelativeSnr),
        SchedulerKind::ProportionalFair(average) => engine.of(ProportionalFair::new(*average, users)),
        SchedulerKind::Lambda(config) => engine.of(Lambda::new(*config, users)),
        SchedulerKind::LogSnr(config) => engine.of(LogSnr::new(*config, users)),
        SchedulerKind::TcpPf(config) => engine.of(TcpPf::new(*config, users)),
        SchedulerKind::TcpMax(config) => engine.of(TcpMax::new(*config, users)),
        SchedulerKind::Formula(config) => engine.of(FormulaMetric::new(config, users)),
        SchedulerKind::WeightedPf(average) => engine.of(WeightedPf::new(*average, users)),
        SchedulerKind::MLwdf(config) => engine.of(MLwdf::of(config, users)),
        SchedulerKind::ExpPf(config) => engine.of(ExpPf::of(config, users)),
        SchedulerKind::LogRule(config) => engine.of(LogRule::of(*config, users)),
        SchedulerKind::EarliestDeadline(average) => engine.of(EarliestDeadline::new(*average, users)),
        SchedulerKind::GuaranteedRate(config) => engine.of(GuaranteedRate::new(config, users)),
    }
}

/// The experimental scheduler in the place of `config`'s, like [`build`]; none if there is none.
pub fn build_experimental(
    experimental: ExperimentalScheduler,
    config: &SchedulerConfig,
    users: usize,
    subchannels: usize,
    seed: u64,
) -> Option<Box<dyn Scheduler>> {
    let engine = Engine { ties: config.ties, releases_satisfied: config.releases_satisfied(), subchannels, seed };
    match experimental {
        ExperimentalScheduler::None => None,
        ExperimentalScheduler::IdealTcpPf(config) => Some(engine.of(IdealTcpPf::new(config, users))),
        ExperimentalScheduler::UnapproximatedTcpPf(config) => Some(engine.of(UnapproximatedTcpPf::new(config, users))),
    }
}

struct Engine {
    ties: Ties,
    releases_satisfied: bool,
    subchannels: usize,
    seed: u64,
}

impl Engine {
    fn of(self, metric: impl Metric) -> Box<dyn Scheduler> {
        Box::new(LargestMetric::new(metric, self.ties, self.releases_satisfied, self.subchannels, self.seed))
    }
}

/// What every scheduler has.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(class = "AnyScheduler")]
pub struct SchedulerConfig {
    /// The algorithm.
    #[field(group)]
    pub kind: SchedulerKind,
    /// true: users with nothing to send compete as well, and waste the slots they win; false: they can't win.
    #[field(
        default = false,
        source = "airlink default ([EvdoTcp]: as long as a user has data); profile K3 of [Klein04]: true"
    )]
    pub serve_empty_queues: bool,
    /// Users with equal metric: "random" draws one from a stream of its own, "lowest_index" takes the first. Round
    /// robin has no ties, first come, first served takes the first.
    #[field(default = Ties::Random, source = "airlink default ([Kakuda], given); profile K3 of [Klein04]: lowest_index")]
    pub ties: Ties,
    /// true: a user whose backlog on air is covered by the bits of the subchannels it has won so far in a slot wins no
    /// more of them; false: it goes on, with nothing to send. With one subchannel, and with serve_empty_queues = true,
    /// all compete.
    #[field(default = false, source = "airlink default ([Kakuda] does not say)")]
    pub release_satisfied_users: bool,
    /// What the metric of weighted_pf, m_lwdf, exp_pf and log_rule is multiplied by, and what a scheduler of one's own may weigh
    /// users by: one for all, or a list of one per user. No other built-in one looks at it.
    #[field(above = 0, at_most = 1e9, items = 1, default = PerUser::All(1.0), source = "airlink default: all alike")]
    pub weight: PerUser,
    /// The wait that a packet may have at the base station, for m_lwdf, exp_pf, log_rule, earliest_deadline and schedulers of one's
    /// own: one for all, or a list of one per user. No other built-in one looks at it, and nothing is dropped for it.
    #[field(
        unit = "ms",
        above = 0,
        at_most = 1e9,
        infinite,
        items = 1,
        default = PerUser::All(f64::INFINITY),
        source = "airlink default: none"
    )]
    pub delay_budget_ms: PerUser,
}

impl Default for SchedulerKind {
    fn default() -> Self {
        Self::ProportionalFair(AverageConfig::default())
    }
}

impl SchedulerConfig {
    /// Whether users who have won enough leave the slot: who competes without data competes without need, too.
    fn releases_satisfied(&self) -> bool {
        !self.serve_empty_queues && self.release_satisfied_users
    }
}

/// Decides the slots of one cell.
///
/// Each slot calls [`allocate`](Scheduler::allocate) or [`stand_by`](Scheduler::stand_by) once and then
/// [`on_slot_end`](Scheduler::on_slot_end) once, also when nobody can be served: averages and queues decay in idle slots too.
pub trait Scheduler: Send {
    /// Writes the owner of each subchannel of this slot into the cleared `allocation`.
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Allocation);

    /// This slot needs no decision: a user retransmits its lost block in it, somebody else decides it, or it has no downlink.
    /// Nobody's turn comes by it; averages hear of it at its end, as of any other.
    fn stand_by(&mut self, _view: &SlotView<'_>) {}

    /// Learns what the slot became, after the decision and before the next slot's.
    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>);

    /// A user has come before `slot`, to a new row behind the others or to that of one who left: all that is remembered of the row
    /// starts as before the first slot.
    fn on_user_added(&mut self, _row: UserRow, _slot: Slot) {}

    /// The user in `row` has left.
    fn on_user_removed(&mut self, _row: UserRow) {}

    /// Whether a decision looks at rates or reports of users who may not win. Where none does they are computed only once they
    /// are wanted again, and views hold older values of these users.
    fn reads_idle_users(&self) -> bool {
        true
    }

    /// Writes the average rate that it keeps of each user, b/s, as it is between two slots; returns false if it keeps none.
    fn fill_averages(&self, _bps: &mut [f64]) -> bool {
        false
    }

    /// A copy in the same state, so that a running simulation can be cloned.
    fn boxed_clone(&self) -> Box<dyn Scheduler>;
}

impl Clone for Box<dyn Scheduler> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
