//! The scheduler's configuration.

use airlink_model::scheduler::{
    AverageConfig, AverageCounts, AverageUpdates, AverageWindow, CoveredUsers, FifoConfig, GapConfig, IdealTcpPfConfig,
    LambdaConfig, RoundRobinConfig, SchedulerConfig, SchedulerKind, TcpPfConfig, Ties, VacationUnit,
};

use crate::scenario::{self, Counts, Scheduler, TcpAware};

pub(super) fn config(scheduler: &Scheduler) -> SchedulerConfig {
    let ties = match scheduler.common().ties {
        scenario::Ties::Random => Ties::Random,
        scenario::Ties::LowestIndex => Ties::LowestIndex,
    };
    SchedulerConfig { kind: kind(scheduler), ties, covered: CoveredUsers::Leave }
}

fn kind(scheduler: &Scheduler) -> SchedulerKind {
    match *scheduler {
        Scheduler::RoundRobin { skip_unservable, .. } => {
            SchedulerKind::RoundRobin(RoundRobinConfig { skip_unservable })
        }
        Scheduler::Fifo { skip_unservable, .. } => SchedulerKind::Fifo(FifoConfig { skip_unservable }),
        Scheduler::MaxRate { .. } => SchedulerKind::MaxRate,
        Scheduler::RelativeSnr { .. } => SchedulerKind::RelativeSnr,
        Scheduler::ProportionalFair { time_constant_slots, average_counts, initial_average_bps, .. } => {
            SchedulerKind::ProportionalFair(average(time_constant_slots, average_counts, initial_average_bps))
        }
        Scheduler::Lambda { exponent, time_constant_slots, average_counts, initial_average_bps, .. } => {
            let average = average(time_constant_slots, average_counts, initial_average_bps);
            SchedulerKind::Lambda(LambdaConfig { exponent, average })
        }
        Scheduler::TcpPf(ref aware) => SchedulerKind::TcpPf(tcp_pf(aware)),
        Scheduler::TcpMax(ref aware) => SchedulerKind::TcpMax(tcp_pf(aware)),
        Scheduler::IdealTcpPf { time_constant_slots, initial_average_bps, .. } => {
            SchedulerKind::IdealTcpPf(IdealTcpPfConfig { time_constant_slots, initial_average_bps })
        }
        Scheduler::UnapproximatedTcpPf(ref aware) => SchedulerKind::UnapproximatedTcpPf(tcp_pf(aware)),
    }
}

fn average(time_constant_slots: f64, counts: Counts, initial_bps: f64) -> AverageConfig {
    let counts = match counts {
        Counts::Sent => AverageCounts::Sent,
        Counts::Granted => AverageCounts::Granted,
    };
    let (window, updates) = (AverageWindow::Fixed, AverageUpdates::Slot);
    AverageConfig { time_constant_slots, counts, initial_bps, window, updates }
}

fn tcp_pf(aware: &TcpAware) -> TcpPfConfig {
    let vacation_unit = match aware.vacation_unit {
        scenario::VacationUnit::Slots => VacationUnit::Slots,
        scenario::VacationUnit::Seconds => VacationUnit::Seconds,
    };
    TcpPfConfig {
        average: average(aware.time_constant_slots, aware.average_counts, aware.initial_average_bps),
        gaps: GapConfig {
            mean_weight: aware.gap_mean_weight,
            square_weight: aware.gap_square_weight,
            initial_mean_slots: aware.initial_gap_mean_slots,
            initial_square_slots2: aware.initial_gap_square_slots2,
            vacation_unit,
        },
    }
}
