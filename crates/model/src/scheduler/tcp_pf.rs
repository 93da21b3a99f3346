//! TCP-PF and TCP-MAX of [Klein04], which estimate a packet's time in the system from gaps and queue.
//!
//! D\[n\] = Sigma'\[n\] / (2 Phi'\[n\]) + Q\[n\] / A\[n-1\], with the trial gap moments of eqs (16) to (18) and Q of (12).
//! TCP-PF (19): M = (R / A\[n-1\]) D. TCP-MAX (20): M = R D, with A\[n-1\] where the paper prints A\[n\], which no
//! decision in slot n can know.
//!
//! The paper's Sigma'/Phi' is in slots and its Q/A in seconds; [`VacationUnit`] keeps that or
//! brings both to seconds. A user whose A is 0 (a growing window, no service yet) ranks before all others. What this leaves out: whatever the approximation from (5) to (11) drops.

use super::gap_moments::slot_number;
use super::{
    AverageConfig, AveragedRate, Contest, GapConfig, GapMoments, Metric, SlotOutcome, SlotView, SmoothedQueue,
    VacationUnit,
};
use crate::types::Slot;
use crate::types::declare::{Section, Words};

/// What TCP-PF and its kin have: an averaged rate, whose time constant is also that of Q, and smoothed gaps.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
#[section(class = "GapAveraged")]
pub struct TcpPfConfig {
    /// How A is formed.
    #[field(group)]
    pub average: AverageConfig,
    /// How the gap moments are formed.
    #[field(group)]
    pub gaps: GapConfig,
    /// Terms of a packet's time in the system that count: both, the vacation term alone, or the queue's alone.
    #[field(default = Terms::Both, source = "[Klein04], given: both")]
    pub terms: Terms,
}

/// Which terms of a packet's time in the system count; one alone is a control of what the other is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Terms {
    /// Both, as the paper has it.
    Both,
    /// The vacation term, Sigma'/(2 Phi').
    Vacation,
    /// The queue term, Q/A.
    Queue,
}

impl Terms {
    /// What the vacation term and the queue term are multiplied by.
    pub const fn shares(self) -> (f64, f64) {
        match self {
            Self::Both => (1.0, 1.0),
            Self::Vacation => (1.0, 0.0),
            Self::Queue => (0.0, 1.0),
        }
    }
}

/// The metric of TCP-PF, eq. (19).
#[derive(Clone, Debug)]
pub struct TcpPf(DelayEstimate);

/// The metric of TCP-MAX, eq. (20).
#[derive(Clone, Debug)]
pub struct TcpMax(DelayEstimate);

#[derive(Clone, Debug)]
struct DelayEstimate {
    average: AveragedRate,
    gaps: GapMoments,
    queue: SmoothedQueue,
    vacation_unit: VacationUnit,
    terms: Terms,
}

impl TcpPf {
    /// The metric of `users` users before the first slot.
    pub fn new(config: TcpPfConfig, users: usize) -> Self {
        Self(DelayEstimate::new(config, users))
    }
}

impl TcpMax {
    /// The metric of `users` users before the first slot.
    pub fn new(config: TcpPfConfig, users: usize) -> Self {
        Self(DelayEstimate::new(config, users))
    }
}

impl Metric for TcpPf {
    fn observe(&mut self, contest: &Contest<'_>) {
        self.0.observe(contest);
    }

    fn evaluate(&self, contest: &Contest<'_>, _subchannel: usize, rates: &[f64], out: &mut [f64]) {
        self.0.evaluate(contest, |place| rates[place], out, |rate, average, delay| rate / average * delay);
    }

    fn weigh(&self, contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        self.0.evaluate(contest, |_| 1.0, weights, |_, average, delay| delay / average);
        !self.0.average.moves_within_slot()
    }

    fn on_grant(&mut self, view: &SlotView<'_>, place: usize, bits: f64) {
        self.0.average.on_grant(view, place, bits);
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.0.on_slot_end(outcome);
    }

    fn on_user_added(&mut self, user: usize, slot: Slot) {
        self.0.on_user_added(user, slot);
    }

    fn fill_averages(&self, bps: &mut [f64]) -> bool {
        self.0.average.fill(bps);
        true
    }
}

impl Metric for TcpMax {
    fn observe(&mut self, contest: &Contest<'_>) {
        self.0.observe(contest);
    }

    fn evaluate(&self, contest: &Contest<'_>, _subchannel: usize, rates: &[f64], out: &mut [f64]) {
        self.0.evaluate(contest, |place| rates[place], out, |rate, _, delay| rate * delay);
    }

    fn weigh(&self, contest: &Contest<'_>, weights: &mut [f64]) -> bool {
        self.0.evaluate(contest, |_| 1.0, weights, |_, _, delay| delay);
        !self.0.average.moves_within_slot()
    }

    fn on_grant(&mut self, view: &SlotView<'_>, place: usize, bits: f64) {
        self.0.average.on_grant(view, place, bits);
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.0.on_slot_end(outcome);
    }

    fn on_user_added(&mut self, user: usize, slot: Slot) {
        self.0.on_user_added(user, slot);
    }

    fn fill_averages(&self, bps: &mut [f64]) -> bool {
        self.0.average.fill(bps);
        true
    }
}

impl DelayEstimate {
    fn new(config: TcpPfConfig, users: usize) -> Self {
        Self {
            average: AveragedRate::new(config.average, users),
            gaps: GapMoments::of_gaps(config.gaps, users),
            queue: SmoothedQueue::new(config.average.time_constant_slots, users),
            vacation_unit: config.gaps.vacation_unit,
            terms: config.terms,
        }
    }

    fn observe(&mut self, contest: &Contest<'_>) {
        self.queue.observe(contest);
        self.average.observe(contest);
    }

    /// Writes `metric(R, A, D)` of the user at each place, given the R there; users without an average come first.
    #[inline]
    fn evaluate(
        &self,
        contest: &Contest<'_>,
        rate: impl Fn(usize) -> f64,
        out: &mut [f64],
        metric: impl Fn(f64, f64, f64) -> f64,
    ) {
        let slot = slot_number(contest.view.slot);
        let (vacation_share, queue_share) = self.terms.shares();
        let half_unit = 0.5 * self.vacation_unit.scale(contest.view.slot_s) * vacation_share;
        let (averages, queues) = (self.average.bps(), self.queue.bits());
        contest.fill(out, |place, user| {
            let (average, trial) = (averages[place], self.gaps.trial(user, slot));
            let delay = half_unit * (trial.square / trial.mean) + queue_share * (queues[place] / average);
            metric(rate(place), average, delay)
        });
        if self.average.may_be_zero() {
            let never_served = self.average.bps().iter().zip(out).filter(|(average, _)| **average == 0.0);
            never_served.for_each(|(_, value)| *value = f64::INFINITY);
        }
    }

    fn on_user_added(&mut self, user: usize, slot: Slot) {
        self.average.on_user_added(user);
        self.gaps.on_user_added(user, slot);
        self.queue.on_user_added(user);
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.average.on_slot_end(outcome);
        self.gaps.on_slot_end(outcome);
    }
}
