//! The printed equations, written down one by one in the plainest code, decide every slot as the schedulers do.

use airlink_model::scheduler::*;
use airlink_model::types::declare::PerUser;
use airlink_model::types::{Purpose, RandomStream, Time};

use crate::scheduler_fixture::{Knowledge, average, scheduler};

const USERS: usize = 12;

/// What the equations remember.
struct Plain {
    kind: SchedulerKind,
    average_bps: Vec<f64>,
    behind_bits: Vec<f64>,
}

fn violation(user: usize) -> f64 {
    [0.01, 0.05, 0.3][user % 3]
}

fn guarantee_bps(user: usize) -> f64 {
    [0.0, 20e3, 60e3][user % 3]
}

fn kinds() -> Vec<SchedulerKind> {
    let memory = average(50.0, 16_000.0);
    let violation_probability = PerUser::Each((0..USERS).map(violation).collect());
    let m_lwdf = |divisor| {
        let violation_probability = violation_probability.clone();
        SchedulerKind::MLwdf(MLwdfConfig { average: memory, divisor, violation_probability })
    };
    let log_rule =
        |divisor| SchedulerKind::LogRule(LogRuleConfig { average: memory, divisor, offset: 1.3, slope: 4.0 });
    vec![
        SchedulerKind::WeightedPf(memory),
        m_lwdf(Divisor::Average),
        m_lwdf(Divisor::None),
        SchedulerKind::ExpPf(ExpPfConfig { average: memory, violation_probability: violation_probability.clone() }),
        log_rule(Divisor::Average),
        log_rule(Divisor::None),
        SchedulerKind::EarliestDeadline(memory),
        SchedulerKind::GuaranteedRate(GuaranteedRateConfig {
            average: memory,
            guaranteed_rate_bps: PerUser::Each((0..USERS).map(guarantee_bps).collect()),
            bucket_ms: 400.0,
        }),
    ]
}

impl Plain {
    fn new(kind: SchedulerKind) -> Self {
        // As after 100 slots without service, more than a bucket lasts.
        let behind_bits = (0..USERS).map(|user| 0.4 * guarantee_bps(user)).collect();
        Self { kind, average_bps: vec![16_000.0; USERS], behind_bits }
    }

    /// First what decides, then what decides among those who are alike in that.
    fn metric(&self, known: &Knowledge, user: usize) -> (f64, f64) {
        let rate = f64::from(known.rate_bps[user]);
        let fair = rate / self.average_bps[user];
        let waited =
            |user: usize| known.now().as_nanos().saturating_sub(known.head_of_line_since[user].as_nanos()) as f64 / 1e9;
        let (wait, budget) = (waited(user), known.delay_budget_s[user]);
        let over = |divisor: Divisor| if divisor == Divisor::Average { fair } else { rate };
        let urgency = |of_deadline: f64| if budget.is_finite() { of_deadline } else { 1.0 };
        let a = |user: usize| -libm::log(violation(user)) / known.delay_budget_s[user];
        match &self.kind {
            SchedulerKind::WeightedPf(_) => (known.weight[user] * fair, 0.0),
            SchedulerKind::MLwdf(config) => (known.weight[user] * urgency(a(user) * wait) * over(config.divisor), 0.0),
            SchedulerKind::ExpPf(_) => {
                let urgent = (0..USERS).filter(|&user| known.eligible[user] && known.delay_budget_s[user].is_finite());
                let all: Vec<f64> = urgent.map(|user| a(user) * waited(user)).collect();
                let chi = all.iter().sum::<f64>() / all.len().max(1) as f64;
                (known.weight[user] * urgency(libm::exp(a(user) * wait / (1.0 + chi.sqrt()))) * fair, 0.0)
            }
            SchedulerKind::LogRule(config) => {
                let logarithm = libm::log(config.offset + config.slope * wait / budget);
                (known.weight[user] * urgency(logarithm) * over(config.divisor), 0.0)
            }
            SchedulerKind::EarliestDeadline(_) if budget.is_finite() => (1e6 + wait - budget, 0.0),
            SchedulerKind::EarliestDeadline(_) => (0.0, fair),
            SchedulerKind::GuaranteedRate(_) if self.behind_bits[user] > 0.0 => (rate * self.behind_bits[user], 0.0),
            SchedulerKind::GuaranteedRate(_) => (0.0, fair),
            other => panic!("{other:?} is not among them"),
        }
    }

    fn start_slot(&mut self, known: &Knowledge) {
        for (user, behind) in self.behind_bits.iter_mut().enumerate() {
            *behind = (*behind + guarantee_bps(user) * known.slot_s).min(0.4 * guarantee_bps(user));
        }
    }

    fn end_slot(&mut self, known: &Knowledge, winner: Option<usize>) {
        for user in 0..USERS {
            let bits = if winner == Some(user) { f64::from(known.rate_bps[user]) * known.slot_s } else { 0.0 };
            self.average_bps[user] = bits / known.slot_s / 50.0 + (1.0 - 1.0 / 50.0) * self.average_bps[user];
            self.behind_bits[user] = (self.behind_bits[user] - bits).max(-0.4 * guarantee_bps(user));
        }
    }
}

/// Rates are continuous, so no two metrics are equal but for rounding.
fn stir(known: &mut Knowledge, draws: &mut RandomStream) {
    let now_ns = known.now().as_nanos();
    for user in 0..USERS {
        known.rate_bps[user] = draws.exponential(640e3) as f32;
        known.eligible[user] = draws.uniform() < 0.6;
        known.head_of_line_since[user] = Time::from_nanos(now_ns.saturating_sub(1 + draws.bits() % 200_000_000));
        known.delay_budget_s[user] = [0.05, f64::INFINITY, 0.2, 0.05][user % 4];
        known.weight[user] = [1.0, 3.0, 0.4][user % 3];
    }
}

#[test]
fn the_printed_equations_decide_every_slot_alike() {
    for kind in kinds() {
        let mut built = scheduler(kind.clone(), Ties::LowestIndex, USERS, 1);
        let mut plain = Plain::new(kind.clone());
        let (mut known, mut draws) = (Knowledge::new(USERS, 1), RandomStream::new(40, Purpose::Traffic, 0));
        // Nobody has waited before the first slot.
        known.slot = 100;
        let mut won = [0; USERS];
        for slot in 0..5000 {
            stir(&mut known, &mut draws);
            plain.start_slot(&known);
            let able = (0..USERS).filter(|&user| known.eligible[user]);
            let winner =
                able.max_by(|&a, &b| plain.metric(&known, a).partial_cmp(&plain.metric(&known, b)).expect("numbers"));
            let before = known.clone();
            let found = known.run_slot(&mut *built)[0].map(UserRow::index);
            assert_eq!(found, winner, "{kind:?}, slot {slot}");
            plain.end_slot(&before, winner);
            winner.into_iter().for_each(|user| won[user] += 1);
        }
        assert!(won.iter().filter(|&&count| count > 20).count() >= 4, "{kind:?}: {won:?}");
    }
}
