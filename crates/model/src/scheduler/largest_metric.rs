//! The engine of every scheduler that gives a subchannel to the user with the largest metric.
//!
//! A user is a candidate when it is eligible and its rate is above 0; with no candidate the subchannel stays idle.
//! A metric that is not a number or minus infinity never wins. The metric pass fills an array, then the argmax reads
//! it: two simple loops beat one clever one.
//!
//! Over several subchannels most metrics are a rate times something that is the user's own and the same on all: those are
//! decided many at a time ([`LargestWeighted`]). The others, and averages that move between the subchannels of a slot,
//! are decided one by one, which costs about ten times as much. What this leaves out: looking ahead to the subchannels that
//! are still to come.

use std::ops::Range;

use super::demand::Demand;
use super::largest_weighted::{Competitor, LargestWeighted, PIECE};
use super::{Allocation, Contest, Scheduler, SlotOutcome, SlotView, UserRow};
use crate::types::declare::Words;
use crate::types::{CounterStream, Purpose, Slot, VectorPath};

/// Who wins among equal metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Ties {
    /// A uniform draw, a function of (seed, slot, subchannel).
    Random,
    /// The user with the lowest number.
    LowestIndex,
}

/// A number for each user: the largest wins. Slices have an element by place in the contest; rates and reports of users who may
/// not win can be old.
pub trait Metric: Clone + Send + 'static {
    /// Takes in what is new at the start of a slot, before any subchannel of it is decided.
    fn observe(&mut self, _contest: &Contest<'_>) {}

    /// Takes in that the slot is to be decided, after it was observed and before any subchannel of it is.
    #[inline]
    fn decide(&mut self, _contest: &Contest<'_>) {}

    /// Writes each user's metric for one subchannel. `rates` holds the users' rates on it in b/s, 0 for those who are
    /// no candidates; what is written for these does not matter.
    fn evaluate(&self, contest: &Contest<'_>, subchannel: usize, rates: &[f64], out: &mut [f64]);

    /// Writes what each user's rate is multiplied by on every subchannel, if that gives this metric's order (to within
    /// rounding); a metric of another form, or one that [`on_grant`](Metric::on_grant) changes, returns false. No weight is
    /// negative; users of infinite weight are equals. Called with several subchannels only.
    fn weigh(&self, _contest: &Contest<'_>, _weights: &mut [f64]) -> bool {
        false
    }

    /// Hears of the bits that the user at `place` was granted on one subchannel, before the next is decided; not called where
    /// [`weigh`](Metric::weigh) decides all of them.
    fn on_grant(&mut self, _view: &SlotView<'_>, _place: usize, _bits: f64) {}

    /// Learns what the slot became.
    fn on_slot_end(&mut self, _outcome: &SlotOutcome<'_>) {}

    /// As [`Scheduler::on_user_added`].
    fn on_user_added(&mut self, _user: usize, _slot: Slot) {}

    /// As [`Scheduler::reads_idle_users`].
    fn reads_idle_users(&self) -> bool {
        false
    }

    /// As [`Scheduler::fill_averages`].
    fn fill_averages(&self, _bps: &mut [f64]) -> bool {
        false
    }
}

/// Running maxima, and what the arrays of rates and metrics are padded to a multiple of.
const LANES: usize = 8;

/// What an equal counts for beside its place: a sum of both tells how many there are, and of a single one who it is. The places of a
/// million users add up to less.
const ONE_EQUAL: u64 = 1 << 40;

/// Gives each subchannel to the candidate with the largest metric.
#[derive(Clone, Debug)]
pub struct LargestMetric<M> {
    metric: M,
    ties: Ties,
    demand: Demand,
    draws: Vec<CounterStream>,
    /// How many users the two that follow have room for.
    users: usize,
    rates: Vec<f64>,
    values: Vec<f64>,
    competitors: Vec<Competitor>,
    weighted: LargestWeighted,
    wide: bool,
}

/// The largest metric on a subchannel.
struct Largest {
    value: f64,
    /// How many users have it.
    equals: u64,
    /// The sum of their places: of one who is alone its place.
    places: u64,
}

/// The streams that ties are drawn from in the run of this seed, one for each subchannel.
pub fn tie_draws(subchannels: usize, seed: u64) -> Vec<CounterStream> {
    (0..subchannels as u64).map(|subchannel| CounterStream::new(seed, Purpose::Tie, subchannel)).collect()
}

impl<M: Metric> LargestMetric<M> {
    /// An engine for `metric`; `seed` names the stream of tie draws.
    pub fn new(metric: M, ties: Ties, releases_satisfied: bool, subchannels: usize, seed: u64) -> Self {
        Self {
            metric,
            ties,
            demand: Demand::new(releases_satisfied),
            draws: tie_draws(subchannels, seed),
            users: 0,
            rates: Vec::new(),
            values: Vec::new(),
            competitors: Vec::new(),
            weighted: LargestWeighted::new(),
            wide: VectorPath::is_wide(),
        }
    }

    /// The metric, to be changed between slots.
    pub fn metric_mut(&mut self) -> &mut M {
        &mut self.metric
    }

    /// The streams of [`tie_draws`], to be exchanged between slots for those of another run.
    pub fn draws_mut(&mut self) -> &mut Vec<CounterStream> {
        &mut self.draws
    }

    #[inline(never)]
    fn make_room(&mut self, users: usize) {
        self.users = users;
        // A rate of 0 keeps what pads the last lanes from winning.
        self.rates.clear();
        self.rates.resize(users.next_multiple_of(LANES), 0.0);
        self.values.resize(self.rates.len(), f64::NEG_INFINITY);
    }

    /// Decides one subchannel after the other, each with what the metric is then.
    fn allocate_one_by_one(&mut self, contest: &Contest<'_>, allocation: &mut Allocation) {
        let view = contest.view;
        for subchannel in 0..view.subchannels {
            let Some(place) = self.winner(contest, subchannel) else { continue };
            let user = contest.user(place);
            allocation.grant(subchannel, UserRow::new(user));
            self.metric.on_grant(view, place, view.bits(user, subchannel));
            self.demand.on_grant(view, subchannel, user);
        }
    }

    /// Decides many subchannels at once by the weights in `values`.
    fn allocate_by_weights(&mut self, contest: &Contest<'_>, allocation: &mut Allocation) {
        let view = contest.view;
        let users = self.values[..contest.len()].iter().enumerate();
        let users = users.map(|(place, &weight)| Competitor::new(view, contest.user(place), weight));
        self.competitors.clear();
        self.competitors.extend(users.filter(|competitor| view.eligible[competitor.user]));
        let mut first = 0;
        while first < view.subchannels && !self.competitors.is_empty() {
            let piece = first..view.subchannels.min(first + PIECE);
            let (ties, draws) = (self.ties, &self.draws);
            self.weighted.decide(view, &self.competitors, piece.clone(), |subchannel, equals| match ties {
                Ties::LowestIndex => 0,
                Ties::Random => uniform_below(equals, draws[subchannel].bits(view.slot)),
            });
            first = self.grant(view, piece, allocation);
        }
    }

    /// Grants what was decided, until a user leaves with it; returns the first subchannel that is still to be decided.
    fn grant(&mut self, view: &SlotView<'_>, decided: Range<usize>, allocation: &mut Allocation) -> usize {
        let numbers = self.weighted.numbers(decided.len());
        if !self.demand.is_watched() {
            allocation.grant_all(decided.start, numbers);
            return decided.end;
        }
        for (subchannel, &number) in decided.clone().zip(numbers) {
            let Some(user) = (number as usize).checked_sub(1) else { continue };
            allocation.grant(subchannel, UserRow::new(user));
            if self.demand.on_grant(view, subchannel, user) {
                self.competitors.retain(|competitor| competitor.user != user);
                return subchannel + 1;
            }
        }
        decided.end
    }

    /// The place of the winner on `subchannel`.
    #[inline(always)]
    fn winner(&mut self, contest: &Contest<'_>, subchannel: usize) -> Option<usize> {
        let largest = self.find_largest(contest, subchannel);
        if largest.equals == 1 && largest.value > f64::NEG_INFINITY {
            return Some(largest.places as usize);
        }
        self.draw_winner(contest, subchannel, &largest)
    }

    /// One of several, or nobody.
    #[inline(never)]
    fn draw_winner(&self, contest: &Contest<'_>, subchannel: usize, largest: &Largest) -> Option<usize> {
        if largest.value == f64::NEG_INFINITY {
            return None;
        }
        let rank = match self.ties {
            Ties::LowestIndex => 0,
            Ties::Random => uniform_below(largest.equals, self.draws[subchannel].bits(contest.view.slot)),
        };
        let mut winners = self.values.iter().enumerate().filter(|(_, value)| **value == largest.value);
        winners.nth(usize::try_from(rank).expect("a rank is below the number of users")).map(|(place, _)| place)
    }

    #[inline(always)]
    fn find_largest(&mut self, contest: &Contest<'_>, subchannel: usize) -> Largest {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: the registers are there.
            return unsafe { self.find_largest_wide(contest, subchannel) };
        }
        self.find_largest_narrow(contest, subchannel)
    }

    /// A call like the wide one: within the loop over subchannels its preparations would be made for one, too.
    #[inline(never)]
    fn find_largest_narrow(&mut self, contest: &Contest<'_>, subchannel: usize) -> Largest {
        self.find_largest_portable(contest, subchannel)
    }

    /// The same operations in wider registers: the bits are equal.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn find_largest_wide(&mut self, contest: &Contest<'_>, subchannel: usize) -> Largest {
        self.find_largest_portable(contest, subchannel)
    }

    /// Fills in rates and metrics, and finds the largest: nothing is searched, so no branch is mispredicted.
    #[inline(always)]
    fn find_largest_portable(&mut self, contest: &Contest<'_>, subchannel: usize) -> Largest {
        let users = contest.len();
        gather_rates(contest, subchannel, &self.demand, &mut self.rates[..users]);
        self.metric.evaluate(contest, subchannel, &self.rates[..users], &mut self.values[..users]);
        let value = largest_of_able(&self.rates, &mut self.values);
        let mut sums = [0; LANES];
        let mut one_equal: [u64; LANES] = std::array::from_fn(|place| ONE_EQUAL + place as u64);
        for values in self.values.as_chunks::<LANES>().0 {
            for lane in 0..LANES {
                sums[lane] += if values[lane] == value { one_equal[lane] } else { 0 };
                one_equal[lane] += LANES as u64;
            }
        }
        let sum: u64 = sums.iter().sum();
        Largest { value, equals: sum / ONE_EQUAL, places: sum % ONE_EQUAL }
    }
}

/// The high word of draw x count is uniform below the count, to within 2^-64 of it.
#[inline]
fn uniform_below(count: u64, draw: u64) -> u64 {
    ((u128::from(draw) * u128::from(count)) >> 64) as u64
}

impl<M: Metric> Scheduler for LargestMetric<M> {
    fn allocate(&mut self, view: &SlotView<'_>, allocation: &mut Allocation) {
        let contest = Contest::of(view);
        self.metric.observe(&contest);
        self.metric.decide(&contest);
        self.demand.start(view);
        if self.users != contest.len() {
            self.make_room(contest.len());
        }
        if view.subchannels > 1 && self.metric.weigh(&contest, &mut self.values[..contest.len()]) {
            return self.allocate_by_weights(&contest, allocation);
        }
        self.allocate_one_by_one(&contest, allocation);
    }

    fn stand_by(&mut self, view: &SlotView<'_>) {
        self.metric.observe(&Contest::of(view));
    }

    fn on_slot_end(&mut self, outcome: &SlotOutcome<'_>) {
        self.metric.on_slot_end(outcome);
    }

    fn on_user_added(&mut self, row: UserRow, slot: Slot) {
        self.metric.on_user_added(row.index(), slot);
    }

    fn reads_idle_users(&self) -> bool {
        self.metric.reads_idle_users()
    }

    fn fill_averages(&self, bps: &mut [f64]) -> bool {
        self.metric.fill_averages(bps)
    }

    fn boxed_clone(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}

/// Lays the candidates' rates on one subchannel side by side, 0 for users who may not win.
#[inline(always)]
fn gather_rates(contest: &Contest<'_>, subchannel: usize, demand: &Demand, rates: &mut [f64]) {
    let view = contest.view;
    if view.subchannels == 1 && contest.listed().is_none() {
        // The rates as they lie there: a loop that fills the registers.
        for ((rate, &reported), &eligible) in rates.iter_mut().zip(view.rate_bps).zip(view.eligible) {
            *rate = f64::from(reported * f32::from(u8::from(eligible)));
        }
        return;
    }
    contest.fill(rates, |_, user| {
        let reported = view.rate_bps[user * view.subchannels + subchannel];
        f64::from(if view.eligible[user] && !demand.has_left(user) { reported } else { 0.0 })
    });
}

/// Puts minus infinity in the place of the value of who has no rate; returns the largest value, or minus infinity. Several running
/// maxima, so that no comparison waits for the one before; the order does not matter to a maximum.
#[inline(always)]
fn largest_of_able(rates: &[f64], values: &mut [f64]) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let mut lanes = [f64::NEG_INFINITY; LANES];
    for (values, rates) in values.as_chunks_mut::<LANES>().0.iter_mut().zip(rates.as_chunks::<LANES>().0) {
        // Read before anything is chosen, so that lanes need no branch.
        let (of, rate) = (*values, *rates);
        *values = std::array::from_fn(|lane| if rate[lane] > 0.0 { of[lane] } else { f64::NEG_INFINITY });
        lanes = std::array::from_fn(|lane| larger(lanes[lane], values[lane]));
    }
    let fours: [f64; 4] = std::array::from_fn(|lane| larger(lanes[lane], lanes[lane + 4]));
    larger(larger(fours[0], fours[2]), larger(fours[1], fours[3]))
}
