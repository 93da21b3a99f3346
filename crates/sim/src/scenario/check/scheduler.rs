//! Checks of schedulers' parameters.

use super::Checks;
use crate::scenario::{Scheduler, TcpAware, Window};

pub(super) fn check(checks: &mut Checks, scheduler: &Scheduler) {
    match scheduler {
        Scheduler::RoundRobin { .. } | Scheduler::Fifo { .. } => {}
        Scheduler::MaxRate { .. } | Scheduler::RelativeSnr { .. } => {}
        Scheduler::ProportionalFair { time_constant_slots, initial_average_bps, average_window, .. } => {
            check_average(checks, *time_constant_slots, *initial_average_bps, *average_window);
        }
        Scheduler::IdealTcpPf { time_constant_slots, initial_average_bps, .. } => {
            check_average(checks, *time_constant_slots, *initial_average_bps, Window::Fixed);
        }
        Scheduler::Lambda { exponent, time_constant_slots, initial_average_bps, average_window, .. } => {
            checks.not_negative("scheduler.exponent", *exponent);
            check_average(checks, *time_constant_slots, *initial_average_bps, *average_window);
        }
        Scheduler::TcpPf(aware) | Scheduler::TcpMax(aware) | Scheduler::UnapproximatedTcpPf(aware) => {
            check_tcp_aware(checks, aware);
        }
    }
}

fn check_average(checks: &mut Checks, time_constant_slots: f64, initial_average_bps: f64, window: Window) {
    let path = "scheduler.time_constant_slots";
    checks.require(path, time_constant_slots, (1.0..=1e12).contains(&time_constant_slots), "1 to 1e12");
    let path = "scheduler.initial_average_bps";
    match window {
        Window::Fixed => checks.positive(path, initial_average_bps),
        Window::Growing => checks.not_negative(path, initial_average_bps),
    }
}

fn check_tcp_aware(checks: &mut Checks, aware: &TcpAware) {
    check_average(checks, aware.time_constant_slots, aware.initial_average_bps, aware.average_window);
    let weights = [aware.gap_mean_weight, aware.gap_square_weight];
    for (path, weight) in ["scheduler.gap_mean_weight", "scheduler.gap_square_weight"].into_iter().zip(weights) {
        checks.require(path, weight, weight > 0.0 && weight <= 1.0, "above 0 and at most 1");
    }
    checks.positive("scheduler.initial_gap_mean_slots", aware.initial_gap_mean_slots);
    checks.positive("scheduler.initial_gap_square_slots2", aware.initial_gap_square_slots2);
}
