//! EXP/PF: M\[n\] = w exp(a W / (1 + sqrt(chi))) R\[n\] / A\[n-1\] with chi the mean of a W, [Rhee03].
//!
//! It is the exponential rule of [Shakkottai02] for users with a delay budget, and PF for the others. a = -ln(delta) / T and W are
//! those of [`MLwdf`](super::MLwdf). chi is the mean over the users with a delay budget and a packet who may win in this
//! slot. Given: the rule with the exponent (a W - chi) / (1 + sqrt(chi)). Taking chi away divides the metrics of all users with a
//! delay budget by one number, so it does not move slots among them; it only puts them back behind the others, who in [Rhee03]
//! have a factor that falls while deadlines are missed. Inferred, from LTE-Sim's exponential rule: the exponent is not
//! reduced, and that factor is 1. Chosen: who counts in chi, and exponents of at most 500, beyond which users rank by R / A.
//!
//! What this leaves out: [Rhee03]'s factor that adapts.

use super::m_lwdf::Violations;
use super::weighted_pf::{Divisor, Urgency, WeightedPf, has_deadline};
use super::{AverageConfig, Contest};
use crate::types::declare::{PerUser, Section};

/// No product of a rate and e to this is infinite, or 0.
const MOST_NEPERS: f64 = 500.0;

/// Metric weight x exp(a W / (1 + sqrt(mean of a W))) R/A ([Rhee03]); without a delay budget: PF.
///
/// a = -ln delta / T, W is the wait of the oldest packet, T the delay budget.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(
    about = "EXP/PF: largest R/A times e to the wait",
    facts("serves the largest (R/A) exp(wait)", "divides_by_service", "weighs_queue", "weighs_users")
)]
pub struct ExpPfConfig {
    /// How A is formed.
    #[field(group)]
    pub average: AverageConfig,
    /// delta: the share of packets that may wait longer than scheduler.delay_budget_ms: one for all, or a list of one per user.
    #[field(above = 0, below = 1, items = 1, default = PerUser::All(0.05), source = "chosen: 1 in 20")]
    pub violation_probability: PerUser,
}

/// The metric of EXP/PF.
pub type ExpPf = WeightedPf<ExponentialDelay>;

/// e to the weighted delay.
#[derive(Clone, Debug)]
pub struct ExponentialDelay {
    violations: Violations,
}

impl ExpPf {
    /// The metric of `users` users before the first slot.
    pub fn of(config: &ExpPfConfig, users: usize) -> Self {
        let urgency = ExponentialDelay { violations: Violations::new(&config.violation_probability) };
        Self::urgent(config.average, Divisor::Average, urgency, users)
    }
}

impl ExponentialDelay {
    /// a W of the user in row `user`.
    fn weighted(&self, contest: &Contest<'_>, user: usize) -> f64 {
        self.violations.rate_per_s(contest, user) * contest.view.head_of_line_delay_s(user)
    }

    /// chi: the mean of a W in the order of the candidates; 0 where nobody has a deadline.
    fn mean(&self, contest: &Contest<'_>) -> f64 {
        let view = contest.view;
        let urgent = view.candidates.iter().map(|&user| user as usize).filter(|&user| has_deadline(view, user));
        let (sum, count) =
            urgent.fold((0.0, 0.0), |(sum, count), user| (sum + self.weighted(contest, user), count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

impl Urgency for ExponentialDelay {
    fn fill(&self, contest: &Contest<'_>, factors: &mut [f64]) {
        let view = contest.view;
        let mean = self.mean(contest);
        let scale = 1.0 + mean.sqrt();
        contest.fill(factors, |_, user| {
            // An exponential is the whole cost, so only candidates with a deadline pay.
            if !view.eligible[user] || !has_deadline(view, user) {
                return 1.0;
            }
            libm::exp((self.weighted(contest, user) / scale).min(MOST_NEPERS))
        });
    }
}
