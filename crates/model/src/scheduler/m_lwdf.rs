//! Modified largest weighted delay first: M\[n\] = w a W\[n\] R\[n\] / A\[n-1\] with a = -ln(delta) / T, [Andrews01].
//!
//! W is the time that the user's oldest packet has waited, T its delay budget, and delta the share of packets that may wait longer.
//! The paper's constant before W R is a over the user's mean rate, and any constants above 0 make queues stable wherever
//! any scheduler does. In LTE simulators the rate is divided by A ([Capozzi13]); `divisor = "none"` with weights of one's own
//! is the paper's form. Given: the equation. Inferred: users without a delay budget have the factor 1, so they are
//! scheduled as by PF. Chosen: a packet that has just come has a factor of 1e-100 instead of 0, so such users rank by R / A.
//!
//! What this leaves out: the form with queue lengths instead of delays, and discarding packets past their deadline.

use super::weighted_pf::{Divisor, Urgency, WeightedPf, has_deadline};
use super::{AverageConfig, Contest};
use crate::types::declare::{PerUser, Section};

/// The least factor of a user with a packet.
const LEAST_FACTOR: f64 = 1e-100;

/// Metric weight x (-ln delta / T) W R/A ([Andrews01]); without a delay budget: PF.
///
/// W is the wait of the oldest packet, T the delay budget.
#[derive(Clone, Debug, PartialEq, Section)]
#[section(
    about = "M-LWDF: largest R/A times the wait in delay budgets",
    facts("serves the largest (R/A) W/T", "divides_by_service", "weighs_queue", "weighs_users")
)]
pub struct MLwdfConfig {
    /// How A is formed.
    #[field(group)]
    pub average: AverageConfig,
    /// What R is divided by: "average" = A; "none" = nothing.
    #[field(default = Divisor::Average, source = "[Capozzi13]: A; [Andrews01]: a constant, which weight can be with none")]
    pub divisor: Divisor,
    /// delta: the share of packets that may wait longer than scheduler.delay_budget_ms: one for all, or a list of one per user.
    #[field(above = 0, below = 1, items = 1, default = PerUser::All(0.05), source = "chosen: 1 in 20")]
    pub violation_probability: PerUser,
}

/// The metric of M-LWDF.
pub type MLwdf = WeightedPf<WeightedDelay>;

/// a W.
#[derive(Clone, Debug)]
pub struct WeightedDelay {
    violations: Violations,
}

impl MLwdf {
    /// The metric of `users` users before the first slot.
    pub fn of(config: &MLwdfConfig, users: usize) -> Self {
        let urgency = WeightedDelay { violations: Violations::new(&config.violation_probability) };
        Self::urgent(config.average, config.divisor, urgency, users)
    }
}

impl Urgency for WeightedDelay {
    fn fill(&self, contest: &Contest<'_>, factors: &mut [f64]) {
        let view = contest.view;
        contest.fill(factors, |_, user| {
            if !has_deadline(view, user) {
                return 1.0;
            }
            let weighted = self.violations.rate_per_s(contest, user) * view.head_of_line_delay_s(user);
            weighted.max(LEAST_FACTOR)
        });
    }
}

/// -ln(delta) of each user.
#[derive(Clone, Debug)]
pub(super) struct Violations(PerUser);

impl Violations {
    pub(super) fn new(probability: &PerUser) -> Self {
        let exponent = |delta: f64| -libm::log(delta);
        Self(match probability {
            PerUser::All(delta) => PerUser::All(exponent(*delta)),
            PerUser::Each(each) => PerUser::Each(each.iter().map(|&delta| exponent(delta)).collect()),
        })
    }

    /// a = -ln(delta) / T of the user in row `user`, 1/s.
    #[inline]
    pub(super) fn rate_per_s(&self, contest: &Contest<'_>, user: usize) -> f64 {
        let exponent = match &self.0 {
            PerUser::All(exponent) => *exponent,
            PerUser::Each(each) => each[contest.view.ids[user].index()],
        };
        exponent / contest.view.delay_budget_s[user]
    }
}
