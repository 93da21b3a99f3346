//! Who gets which subchannel of a slot.
//!
//! Most published schedulers are "the largest metric wins": they are metrics plugged into one argmax engine,
//! [`LargestMetric`]. Round robin and first come, first served are their own things. A scheduler sees only a [`SlotView`], which is what a base
//! station knows; the two controls that no base station could run read [`Controls`] beside it.
//!
//! Equations are those of [Klein04], section III, and of paper 000, section VI.
//!
//! What this leaves out: deadlines, several users sharing a subchannel.

mod averaged_rate;
mod config;
mod demand;
mod fifo;
mod gap_moments;
mod ideal_tcp_pf;
mod lambda;
mod largest_metric;
mod largest_weighted;
mod max_rate;
mod proportional_fair;
mod relative_snr;
mod round_robin;
mod smoothed_queue;
mod tcp_pf;
mod unapproximated_tcp_pf;
mod view;

pub use averaged_rate::{AverageConfig, AverageCounts, AverageUpdates, AverageWindow, AveragedRate};
pub use config::{SchedulerConfig, SchedulerKind, build};
pub use demand::CoveredUsers;
pub use fifo::{Fifo, FifoConfig};
pub use gap_moments::{GapConfig, GapMoments, TrialMoments, VacationUnit};
pub use ideal_tcp_pf::{IdealTcpPf, IdealTcpPfConfig};
pub use lambda::{Lambda, LambdaConfig};
pub use largest_metric::{LargestMetric, Metric, Ties};
pub use max_rate::MaxRate;
pub use proportional_fair::ProportionalFair;
pub use relative_snr::RelativeSnr;
pub use round_robin::{RoundRobin, RoundRobinConfig};
pub use smoothed_queue::SmoothedQueue;
pub use tcp_pf::{TcpMax, TcpPf, TcpPfConfig, Terms};
pub use unapproximated_tcp_pf::UnapproximatedTcpPf;
pub use view::{Allocation, Controls, Served, SlotOutcome, SlotView};

/// Decides the slots of one cell.
///
/// Each slot calls [`allocate`](Scheduler::allocate) or [`stand_by`](Scheduler::stand_by) once and then
/// [`on_slot_end`](Scheduler::on_slot_end) once, also when nobody can be served: averages and queues decay in idle slots too.
pub trait Scheduler: Send {
    /// Writes the owner of each subchannel of this slot into the cleared `allocation`.
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Allocation);

    /// This slot is not to be decided: a user repeats in it what it has lost. Nobody's turn comes by it; averages hear of it at
    /// its end, as of any other.
    fn stand_by(&mut self, _view: &SlotView<'_>) {}

    /// Learns what the slot became, after the decision and before the next slot's.
    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>);

    /// A copy in the same state, so that a running simulation can be cloned.
    fn boxed_clone(&self) -> Box<dyn Scheduler>;
}

impl Clone for Box<dyn Scheduler> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
