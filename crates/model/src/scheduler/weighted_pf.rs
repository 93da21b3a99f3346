//! Weighted proportional fair, M\[n\] = w R\[n\] / A\[n-1\], and what multiplies it by how urgent a user's oldest packet is.
//!
//! w is the user's `scheduler.weight`. PF with weights maximizes the sum of w log A ([KellyMauTan98]): where channels stay as they
//! are, user i has the share w_i / sum of w of the slots, whatever its rate. With all weights 1 it is [`ProportionalFair`], bit
//! by bit. [`MLwdf`](super::MLwdf), [`ExpPf`](super::ExpPf) and [`LogRule`](super::LogRule) are this metric times an [`Urgency`],
//! which is the same on all subchannels. What this leaves out: weights that change during a run.

use super::proportional_fair::averages_of;
use super::{AverageConfig, Contest, Metric, ProportionalFair, SlotView};
use crate::types::Time;
use crate::types::declare::Words;

/// What the rate is divided by in a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Divisor {
    /// The averaged rate A.
    Average,
    /// Nothing: the rate itself counts.
    None,
}

/// What a user's metric is multiplied by, beside its weight.
pub trait Urgency: Clone + Send + 'static {
    /// Writes the factor of each user by place, above 0 and finite; what is written for users who may not win does not matter.
    fn fill(&self, contest: &Contest<'_>, factors: &mut [f64]);
}

/// No user is more urgent than another.
#[derive(Clone, Copy, Debug)]
pub struct NoUrgency;

impl Urgency for NoUrgency {
    fn fill(&self, _contest: &Contest<'_>, factors: &mut [f64]) {
        factors.fill(1.0);
    }
}

/// The metric of weighted proportional fair scheduling, times an urgency.
#[derive(Clone, Debug)]
pub struct WeightedPf<U = NoUrgency> {
    pf: ProportionalFair,
    divisor: Divisor,
    urgency: U,
    /// Weight times urgency, by place in the contest observed last.
    factors: Vec<f64>,
}

impl WeightedPf {
    /// The metric of `users` users before the first slot.
    pub fn new(average: AverageConfig, users: usize) -> Self {
        Self::urgent(average, Divisor::Average, NoUrgency, users)
    }
}

impl<U: Urgency> WeightedPf<U> {
    /// The same times `urgency`.
    pub(super) fn urgent(average: AverageConfig, divisor: Divisor, urgency: U, users: usize) -> Self {
        Self { pf: ProportionalFair::new(average, users), divisor, urgency, factors: Vec::new() }
    }

    #[inline]
    fn multiply(&self, values: &mut [f64]) {
        for (value, &factor) in values.iter_mut().zip(&self.factors) {
            *value *= factor;
        }
    }
}

impl<U: Urgency> Metric for WeightedPf<U> {
    fn observe(&mut self, contest: &Contest<'_>) {
        self.pf.observe(contest);
        self.factors.resize(contest.len(), 1.0);
        self.urgency.fill(contest, &mut self.factors);
        let weights = contest.view.weight;
        match contest.listed() {
            None => self.factors.iter_mut().zip(weights).for_each(|(factor, weight)| *factor *= weight),
            Some(listed) => {
                self.factors.iter_mut().zip(listed).for_each(|(factor, &user)| *factor *= weights[user as usize]);
            }
        }
    }

    fn evaluate(&self, contest: &Contest<'_>, subchannel: usize, rates: &[f64], out: &mut [f64]) {
        match self.divisor {
            Divisor::Average => self.pf.evaluate(contest, subchannel, rates, out),
            Divisor::None => out.copy_from_slice(rates),
        }
        self.multiply(out);
    }

    fn weigh(&self, contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        match self.divisor {
            Divisor::Average => {
                if !self.pf.weigh(contest, weights) {
                    return false;
                }
            }
            Divisor::None => weights.fill(1.0),
        }
        self.multiply(weights);
        true
    }

    averages_of!(pf);
}

/// Whether a user has a delay budget and a packet that it holds for.
#[inline]
pub(super) fn has_deadline(view: &SlotView<'_>, user: usize) -> bool {
    view.delay_budget_s[user] < f64::INFINITY && view.head_of_line_since[user] != Time::NEVER
}
