//! Earliest deadline first: no miss where the demand bound holds, as good as the best order on small cases, PF for the rest.

use airlink_model::scheduler::*;
use airlink_model::types::{Purpose, RandomStream};

use super::queues::Queues;
use crate::scheduler_fixture::{Knowledge, LADDER_BPS, average, scheduler};

fn edf() -> SchedulerKind {
    SchedulerKind::EarliestDeadline(AverageConfig::default())
}

/// Packets that come in this slot, by user.
type Arrivals = Vec<Vec<usize>>;

/// Packets that end after their deadline: one a slot, each ending with the slot in which it leaves.
fn misses(kind: SchedulerKind, budgets: &[u64], arrivals: &Arrivals) -> usize {
    let users = budgets.len();
    let mut queues = Queues::new(kind, &budgets.iter().map(|&slots| slots as f64).collect::<Vec<_>>());
    let mut late = 0;
    for slot in 0..arrivals.len() + 200 {
        for (user, &count) in arrivals.get(slot).into_iter().flatten().enumerate() {
            (0..count).for_each(|_| queues.arrive(user, 1.0));
        }
        let left = queues.run_slot(&vec![1.0; users]);
        late += left.iter().filter(|packet| packet.waited + 1 > budgets[packet.user]).count();
    }
    late
}

#[test]
fn earliest_deadline_misses_none_exactly_where_the_demand_bound_holds() {
    let mut draws = RandomStream::new(35, Purpose::Traffic, 0);
    let mut pick = |least: u64, most: u64| least + draws.bits() % (most - least + 1);
    let (mut feasible, mut missed_by_fifo) = (0, 0);
    for _ in 0..300 {
        let users = pick(2, 4) as usize;
        let periods: Vec<u64> = (0..users).map(|_| pick(2, 8)).collect();
        let budgets: Vec<u64> = periods.iter().map(|&period| pick(1, period)).collect();
        // All come together at the start, the worst case; the pattern repeats within 840 slots.
        let demand = |until: u64| {
            let of_user = |user: usize| (until + periods[user]).saturating_sub(budgets[user]) / periods[user];
            (0..users).map(of_user).sum::<u64>()
        };
        let load: f64 = periods.iter().map(|&period| 1.0 / period as f64).sum();
        let bound_holds = load <= 1.0 && (1..=840).all(|until| demand(until) <= until);
        let arrivals: Arrivals =
            (0..840_u64).map(|slot| periods.iter().map(|period| usize::from(slot % period == 0)).collect()).collect();
        assert_eq!(misses(edf(), &budgets, &arrivals) == 0, bound_holds, "{periods:?}, {budgets:?}");
        feasible += usize::from(bound_holds);
        let fifo = SchedulerKind::Fifo(FifoConfig::default());
        missed_by_fifo += usize::from(bound_holds && misses(fifo, &budgets, &arrivals) > 0);
    }
    assert!((30..270).contains(&feasible) && missed_by_fifo > 5, "{feasible} feasible, {missed_by_fifo} not by FIFO");
}

/// Whether some order serves each job, a (first slot, last slot), in a slot of its own: every choice is tried.
fn some_order_is_in_time(jobs: &mut Vec<(u64, u64)>, slot: u64) -> bool {
    if jobs.is_empty() {
        return true;
    }
    if jobs.iter().any(|&(_, last)| last < slot) {
        return false;
    }
    let ready: Vec<usize> = (0..jobs.len()).filter(|&job| jobs[job].0 <= slot).collect();
    if ready.is_empty() {
        return some_order_is_in_time(jobs, slot + 1);
    }
    ready.into_iter().any(|chosen| {
        let job = jobs.remove(chosen);
        let found = some_order_is_in_time(jobs, slot + 1);
        jobs.insert(chosen, job);
        found
    })
}

#[test]
fn earliest_deadline_is_in_time_whenever_some_order_is() {
    let mut draws = RandomStream::new(36, Purpose::Traffic, 0);
    let mut pick = |below: u64| draws.bits() % below;
    let mut in_time = 0;
    for _ in 0..400 {
        let budgets: Vec<u64> = (0..3).map(|_| 1 + pick(6)).collect();
        let arrivals: Arrivals = (0..5).map(|_| (0..3).map(|_| usize::from(pick(5) < 2)).collect()).collect();
        let mut jobs = Vec::new();
        for (slot, counts) in (0..).zip(&arrivals) {
            for (user, &count) in counts.iter().enumerate() {
                jobs.extend((0..count).map(|_| (slot, slot + budgets[user] - 1)));
            }
        }
        let possible = some_order_is_in_time(&mut jobs, 0);
        assert_eq!(misses(edf(), &budgets, &arrivals) == 0, possible, "{budgets:?}, {arrivals:?}");
        in_time += usize::from(possible);
    }
    assert!((60..340).contains(&in_time), "{in_time}");
}

#[test]
fn without_deadlines_earliest_deadline_is_pf_and_a_deadline_comes_before_any_rate() {
    let memory = average(100.0, 16_000.0);
    let mut pf = scheduler(SchedulerKind::ProportionalFair(memory), Ties::Random, 8, 3);
    let mut edf = scheduler(SchedulerKind::EarliestDeadline(memory), Ties::Random, 8, 3);
    let (mut known, mut draws) = (Knowledge::new(8, 3), RandomStream::new(37, Purpose::Fading, 0));
    for _ in 0..1000 {
        known.rate_bps.iter_mut().for_each(|rate| *rate = LADDER_BPS[(draws.uniform() * 7.0) as usize]);
        assert_eq!(known.clone().run_slot(&mut *pf), known.run_slot(&mut *edf));
    }
    // Of users whom a growing window ranks first, too.
    let growing = AverageConfig { window: AverageWindow::Growing, ..average(1000.0, 0.0) };
    let mut edf = scheduler(SchedulerKind::EarliestDeadline(growing), Ties::LowestIndex, 3, 1);
    let mut known = Knowledge::new(3, 1);
    known.rate_bps = vec![2560e3, 1.0, 1.0];
    known.delay_budget_s = vec![f64::INFINITY, 1e6, 1e6 - 1e-9];
    assert_eq!(known.winner(&mut *edf), 2, "a nanosecond in 1e6 seconds counts");
}
