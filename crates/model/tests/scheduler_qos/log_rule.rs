//! The LOG rule: first come, first served at one rate, and a lower mean delay than the rules that heed the longest wait alone.

use airlink_model::scheduler::*;
use airlink_model::types::{Purpose, RandomStream};

use super::queues::Queues;

/// The rule with the rate itself, as [Sadiq11] has it.
fn log_rule() -> SchedulerKind {
    SchedulerKind::LogRule(LogRuleConfig { divisor: Divisor::None, ..LogRuleConfig::default() })
}

fn poisson(draws: &mut RandomStream, mean: f64) -> usize {
    let (mut count, mut passed) = (0, draws.exponential(1.0));
    while passed < mean {
        count += 1;
        passed += draws.exponential(1.0);
    }
    count
}

#[test]
fn at_one_rate_and_with_equal_budgets_the_log_rule_is_first_come_first_served() {
    let fifo = SchedulerKind::Fifo(FifoConfig::default());
    let [mut log_rule, mut fifo] = [log_rule(), fifo].map(|kind| Queues::new(kind, &[50.0; 6]));
    let mut draws = RandomStream::new(34, Purpose::Traffic, 0);
    let mut left = 0;
    for _ in 0..20_000 {
        for user in 0..6 {
            for _ in 0..poisson(&mut draws, 0.95 / 6.0) {
                log_rule.arrive(user, 1.0);
                fifo.arrive(user, 1.0);
            }
        }
        let rates = [1.0; 6];
        let pairs = |queues: &mut Queues| {
            queues.run_slot(&rates).iter().map(|packet| (packet.user, packet.waited)).collect::<Vec<_>>()
        };
        let found = pairs(&mut log_rule);
        left += found.len();
        assert_eq!(found, pairs(&mut fifo));
    }
    assert!(left > 18_000, "{left}");
}

/// Mean delay, slots, and the share of packets that wait longer than the budget, of 6 users whose rates are 1 or 3.
fn delays(kind: SchedulerKind, seed: u64) -> f64 {
    let (slots, users) = (40_000, 6);
    let mut queues = Queues::new(kind, &vec![20.0; users]);
    let mut draws = RandomStream::new(seed, Purpose::Traffic, 1);
    let (mut sum, mut count) = (0.0, 0.0);
    for _ in 0..slots {
        for user in 0..users {
            for _ in 0..poisson(&mut draws, 2.6 / users as f64) {
                queues.arrive(user, 1.0);
            }
        }
        let rates: Vec<f32> = (0..users).map(|_| if draws.uniform() < 0.5 { 1.0 } else { 3.0 }).collect();
        for packet in queues.run_slot(&rates) {
            (sum, count) = (sum + packet.waited as f64, count + 1.0);
        }
    }
    sum / count
}

#[test]
fn the_log_rule_has_a_lower_mean_delay_than_m_lwdf_on_the_same_channel_and_traffic() {
    let m_lwdf = SchedulerKind::MLwdf(MLwdfConfig { divisor: Divisor::None, ..MLwdfConfig::default() });
    for seed in 0..5 {
        let (log, linear) = (delays(log_rule(), seed), delays(m_lwdf.clone(), seed));
        assert!(log < linear, "seed {seed}: {log} and {linear} slots");
    }
}
