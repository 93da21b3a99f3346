//! The LOG rule: M\[n\] = w ln(c + s W / T) R\[n\] / A\[n-1\], [Sadiq11].
//!
//! W is the time that the user's oldest packet has waited and T its delay budget. The factor rises ever more slowly, so the rule
//! gives up less of a good channel for an overdue packet than [`MLwdf`](super::MLwdf) and [`ExpPf`](super::ExpPf) do: it keeps the
//! mean delay of all low, where these two keep the longest low. Given: b ln(c + a W) R, with any b, a above 0 and c from 1.
//! Inferred, from LTE-Sim: c = 1.1, a = 5 / T, b = 1 / A; `divisor = "none"` has the weight alone as b. Users without a delay budget
//! have the factor 1, so they are scheduled as by PF.
//!
//! What this leaves out: the form with queue lengths instead of delays.

use super::weighted_pf::{Divisor, Urgency, WeightedPf, has_deadline};
use super::{AverageConfig, Contest};
use crate::types::declare::Section;

/// Metric weight x ln(offset + slope W/T) R/A ([Sadiq11]); without a delay budget: PF.
///
/// W is the wait of the oldest packet, T the delay budget.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(
    about = "LOG rule: largest R/A times the logarithm of the wait",
    facts("serves the largest (R/A) log(wait)", "divides_by_service", "weighs_queue", "weighs_users")
)]
pub struct LogRuleConfig {
    /// How A is formed.
    #[field(group)]
    pub average: AverageConfig,
    /// What R is divided by: "average" = A; "none" = nothing.
    #[field(default = Divisor::Average, source = "LTE-Sim: A; [Sadiq11]: a constant, which weight can be with none")]
    pub divisor: Divisor,
    /// c: the logarithm is that of c while a packet has just come.
    #[field(above = 1, at_most = 1e6, default = 1.1, source = "LTE-Sim and [Capozzi13]: 1.1")]
    pub offset: f64,
    /// s: what a wait of one delay budget adds to c.
    #[field(above = 0, at_most = 1e6, default = 5.0, source = "LTE-Sim: 5; [Capozzi13]: 5/0.99")]
    pub slope: f64,
}

/// The metric of the LOG rule.
pub type LogRule = WeightedPf<LogarithmicDelay>;

/// The logarithm of c and the wait in delay budgets.
#[derive(Clone, Debug)]
pub struct LogarithmicDelay {
    offset: f64,
    slope: f64,
}

impl LogRule {
    /// The metric of `users` users before the first slot.
    pub fn of(config: LogRuleConfig, users: usize) -> Self {
        let urgency = LogarithmicDelay { offset: config.offset, slope: config.slope };
        Self::urgent(config.average, config.divisor, urgency, users)
    }
}

impl Urgency for LogarithmicDelay {
    fn fill(&self, contest: &Contest<'_>, factors: &mut [f64]) {
        let view = contest.view;
        contest.fill(factors, |_, user| {
            // A logarithm is the whole cost, so only candidates with a deadline pay.
            if !view.eligible[user] || !has_deadline(view, user) {
                return 1.0;
            }
            libm::log(self.offset + self.slope * (view.head_of_line_delay_s(user) / view.delay_budget_s[user]))
        });
    }
}
