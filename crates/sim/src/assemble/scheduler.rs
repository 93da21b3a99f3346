//! The scheduler's configuration.

use airlink_model::scheduler::{
    AverageConfig, AverageCounts, AverageUpdates, AverageWindow, CoveredUsers, FifoConfig, GapConfig, IdealTcpPfConfig,
    LambdaConfig, RoundRobinConfig, SchedulerConfig, SchedulerKind, TcpPfConfig, Terms, Ties, VacationUnit,
};

use crate::scenario::{self, Counts, Scheduler, TcpAware, Updates, Window};

pub(super) fn config(scheduler: &Scheduler) -> SchedulerConfig {
    let common = scheduler.common();
    let ties = match common.ties {
        scenario::Ties::Random => Ties::Random,
        scenario::Ties::LowestIndex => Ties::LowestIndex,
    };
    let covered = match common.covered_users {
        // Who competes without data competes without need, too.
        _ if common.serve_empty_queues => CoveredUsers::Compete,
        scenario::CoveredUsers::Compete => CoveredUsers::Compete,
        scenario::CoveredUsers::Leave => CoveredUsers::Leave,
    };
    SchedulerConfig { kind: kind(scheduler), ties, covered }
}

fn kind(scheduler: &Scheduler) -> SchedulerKind {
    match *scheduler {
        Scheduler::RoundRobin { skip_unservable, .. } => {
            SchedulerKind::RoundRobin(RoundRobinConfig { skip_unservable })
        }
        Scheduler::Fifo { skip_unservable, .. } => SchedulerKind::Fifo(FifoConfig { skip_unservable }),
        Scheduler::MaxRate { .. } => SchedulerKind::MaxRate,
        Scheduler::RelativeSnr { .. } => SchedulerKind::RelativeSnr,
        Scheduler::ProportionalFair {
            time_constant_slots,
            average_counts,
            initial_average_bps: initial_bps,
            average_window,
            average_updates,
            ..
        } => {
            let (counts, window, updates) = (counts(average_counts), window(average_window), updates(average_updates));
            let average = AverageConfig { time_constant_slots, counts, initial_bps, window, updates };
            SchedulerKind::ProportionalFair(average)
        }
        Scheduler::Lambda {
            exponent,
            time_constant_slots,
            average_counts,
            initial_average_bps: initial_bps,
            average_window,
            average_updates,
            ..
        } => {
            let (counts, window, updates) = (counts(average_counts), window(average_window), updates(average_updates));
            let average = AverageConfig { time_constant_slots, counts, initial_bps, window, updates };
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

fn counts(counts: Counts) -> AverageCounts {
    match counts {
        Counts::Sent => AverageCounts::Sent,
        Counts::Granted => AverageCounts::Granted,
    }
}

fn window(window: Window) -> AverageWindow {
    match window {
        Window::Fixed => AverageWindow::Fixed,
        Window::Growing => AverageWindow::Growing,
    }
}

fn updates(updates: Updates) -> AverageUpdates {
    match updates {
        Updates::Slot => AverageUpdates::Slot,
        Updates::Subchannel => AverageUpdates::Subchannel,
    }
}

fn tcp_pf(aware: &TcpAware) -> TcpPfConfig {
    let vacation_unit = match aware.vacation_unit {
        scenario::VacationUnit::Slots => VacationUnit::Slots,
        scenario::VacationUnit::Seconds => VacationUnit::Seconds,
        scenario::VacationUnit::SecondsBesideSlots => VacationUnit::SecondsBesideSlots,
    };
    let terms = match aware.terms {
        scenario::Terms::Both => Terms::Both,
        scenario::Terms::Vacation => Terms::Vacation,
        scenario::Terms::Queue => Terms::Queue,
    };
    TcpPfConfig {
        average: AverageConfig {
            time_constant_slots: aware.time_constant_slots,
            counts: counts(aware.average_counts),
            initial_bps: aware.initial_average_bps,
            window: window(aware.average_window),
            updates: updates(aware.average_updates),
        },
        gaps: GapConfig {
            mean_weight: aware.gap_mean_weight,
            square_weight: aware.gap_square_weight,
            initial_mean_slots: aware.initial_gap_mean_slots,
            initial_square_slots2: aware.initial_gap_square_slots2,
            vacation_unit,
        },
        terms,
    }
}
