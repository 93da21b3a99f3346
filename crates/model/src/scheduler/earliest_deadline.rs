//! Earliest deadline first: the packet whose time is up first goes first, whatever its user's rate ([LiuLayland73]).
//!
//! A packet's deadline is when it came to the base station plus its user's delay budget. A user competes with its oldest packet.
//! Users without a delay budget, or without a packet, come after all others and among themselves as by PF. On a channel that
//! stays as it is, a packet a slot, no other order meets deadlines that this one misses. Chosen: a packet past its
//! deadline keeps its place, so in overload most packets are late.
//!
//! Deadlines are compared to the nanosecond unless they are more than 52 days away. What this leaves out: rates among users with
//! deadlines, so on a channel that fades it wastes what the others gain; and discarding packets past their deadline.

use super::proportional_fair::averages_of;
use super::weighted_pf::has_deadline;
use super::{AverageConfig, Contest, Metric, ProportionalFair};
use crate::types::Time;

/// PF's metric is below 2^400, unless A is 0.
const MOST_OF_PF: f64 = power_of_two(400);

/// What a nanosecond counts for a user with a deadline.
const PER_NANOSECOND: f64 = power_of_two(600);

/// More nanoseconds than any delay budget has.
const MOST_NANOSECONDS: f64 = power_of_two(52);

/// The metric of "earliest deadline first".
#[derive(Clone, Debug)]
pub struct EarliestDeadline {
    pf: ProportionalFair,
}

impl EarliestDeadline {
    /// The metric of `users` users before the first slot.
    pub fn new(average: AverageConfig, users: usize) -> Self {
        Self { pf: ProportionalFair::new(average, users) }
    }
}

impl Metric for EarliestDeadline {
    fn observe(&mut self, contest: &Contest<'_>) {
        self.pf.observe(contest);
    }

    fn evaluate(&self, contest: &Contest<'_>, subchannel: usize, rates: &[f64], out: &mut [f64]) {
        self.pf.evaluate(contest, subchannel, rates, out);
        let view = contest.view;
        for (place, value) in out.iter_mut().enumerate() {
            let user = contest.user(place);
            *value = if has_deadline(view, user) {
                let passed =
                    nanoseconds_past_deadline(view.now, view.head_of_line_since[user], view.delay_budget_s[user]);
                (passed + MOST_NANOSECONDS) * PER_NANOSECOND
            } else {
                value.min(MOST_OF_PF)
            };
        }
    }

    averages_of!(pf);
}

/// Whole nanoseconds since the deadline of a packet that came at `since`; below 0 before it.
#[inline]
fn nanoseconds_past_deadline(now: Time, since: Time, budget_s: f64) -> f64 {
    // Exact below 2^53.
    let waited = now.since(since).as_nanos() as f64;
    waited - libm::round(budget_s * 1e9)
}

const fn power_of_two(exponent: u64) -> f64 {
    f64::from_bits((1023 + exponent) << 52)
}
