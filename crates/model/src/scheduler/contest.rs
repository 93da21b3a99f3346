//! The users among whom a slot is decided: the candidates, or all users where most are candidates.
//!
//! Loops over all users need no list and fill the registers; loops over the candidates cost nothing for all others. Both give
//! the same bits: who may not win has rate 0.

use super::SlotView;

/// Loops go over the candidates alone where they are less than one user in so many.
const SPARSE: usize = 4;

/// A slot that is decided, and the users among whom it is. The place of a user is its rank among them.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    /// What is known.
    pub view: &'a SlotView<'a>,
    /// The users by place; none if the places are the users' numbers.
    listed: Option<&'a [u32]>,
}

impl<'a> Contest<'a> {
    /// The contest of a slot: the one place where it is chosen how loops go.
    pub fn of(view: &'a SlotView<'a>) -> Self {
        Self { view, listed: Self::is_sparse(view.candidates.len(), view.users).then_some(view.candidates) }
    }

    /// True if so few of the users are candidates that loops go over these alone.
    pub fn is_sparse(candidates: usize, users: usize) -> bool {
        candidates * SPARSE < users
    }

    /// How many they are.
    #[inline]
    pub fn len(&self) -> usize {
        self.listed.map_or(self.view.users, <[u32]>::len)
    }

    /// True if nobody may win.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of the users by place, unless they are the places themselves.
    #[inline]
    pub fn listed(&self) -> Option<&'a [u32]> {
        self.listed
    }

    /// The number of the user at `place`.
    #[inline]
    pub fn user(&self, place: usize) -> usize {
        self.listed.map_or(place, |listed| listed[place] as usize)
    }

    /// Writes each element of `out`, which has one by place, as `of` its place and the number of its user.
    #[inline(always)]
    pub fn fill<T>(&self, out: &mut [T], of: impl Fn(usize, usize) -> T) {
        let values = out.iter_mut().enumerate();
        match self.listed {
            None => values.for_each(|(user, value)| *value = of(user, user)),
            Some(listed) => values.zip(listed).for_each(|((place, value), &user)| *value = of(place, user as usize)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::{
        AverageConfig, AverageUpdates, AverageWindow, Controls, EarliestDeadline, ExpPf, ExpPfConfig, GuaranteedRate,
        GuaranteedRateConfig, IdealTcpPf, IdealTcpPfConfig, Lambda, LambdaConfig, LogRule, LogRuleConfig, LogSnr,
        LogSnrConfig, MLwdf, MLwdfConfig, MaxRate, Metric, ProportionalFair, RelativeSnr, Served, SlotOutcome, TcpMax,
        TcpPf, TcpPfConfig, UnapproximatedTcpPf, UserRow, WeightedPf,
    };
    use crate::types::declare::PerUser;
    use crate::types::{Purpose, RandomStream, Slot, Time};

    const USERS: usize = 70;
    const SUBCHANNELS: usize = 2;
    /// Odd users are weighted, and every seventh has no deadline.
    const WEIGHTS: [f64; USERS] = by_user(&[1.0, 0.3]);
    const BUDGETS_S: [f64; USERS] = by_user(&[0.1, 0.1, 0.02, 0.3, 0.1, 0.1, f64::INFINITY]);

    const fn by_user(cycle: &[f64]) -> [f64; USERS] {
        let (mut all, mut user) = ([0.0; USERS], 0);
        while user < USERS {
            all[user] = cycle[user % cycle.len()];
            user += 1;
        }
        all
    }

    /// What a base station knows of users of whom few have packets, and more have had some.
    struct Known {
        draws: RandomStream,
        slot: u64,
        rate_bps: Vec<f32>,
        reported_db: Vec<f32>,
        eligible: Vec<bool>,
        candidates: Vec<u32>,
        occupied: Vec<u32>,
        backlog_bytes: Vec<u64>,
        counts: Vec<u64>,
        since: Vec<Time>,
    }

    impl Known {
        fn new(seed: u64) -> Self {
            let cells = USERS * SUBCHANNELS;
            Self {
                draws: RandomStream::new(seed, Purpose::Traffic, 0),
                slot: 0,
                rate_bps: vec![0.0; cells],
                reported_db: vec![0.0; cells],
                eligible: vec![false; USERS],
                candidates: Vec::new(),
                occupied: Vec::new(),
                backlog_bytes: vec![0; USERS],
                counts: vec![0; USERS],
                since: vec![Time::NEVER; USERS],
            }
        }

        /// A few users come and go; not all who have packets may win.
        fn stir(&mut self) {
            for _ in 0..2 {
                let user = (self.draws.uniform() * self.draws.uniform() * USERS as f64) as usize;
                self.backlog_bytes[user] = if self.draws.uniform() < 0.5 { 0 } else { 1 + self.draws.bits() % 9000 };
                self.counts[user] += 1 + self.draws.bits() % 3;
                let now = Time::from_nanos(self.slot * 1_000_000);
                self.since[user] = if self.backlog_bytes[user] > 0 { now } else { Time::NEVER };
            }
            for user in 0..USERS {
                self.eligible[user] = self.backlog_bytes[user] > 0 && self.draws.uniform() < 0.8;
                for cell in user * SUBCHANNELS..(user + 1) * SUBCHANNELS {
                    self.rate_bps[cell] = [0.0, 320e3, 640e3][(self.draws.uniform() * 3.0) as usize];
                    self.reported_db[cell] = self.draws.uniform_in(-5.0, 20.0) as f32;
                }
            }
            let numbers = |of: &dyn Fn(&usize) -> bool| (0..USERS).filter(of).map(|user| user as u32).collect();
            self.candidates = numbers(&|&user| self.eligible[user]);
            self.occupied = numbers(&|&user| self.backlog_bytes[user] > 0);
        }

        fn view(&self) -> SlotView<'_> {
            SlotView {
                now: Time::from_nanos(self.slot * 1_000_000),
                slot: Slot::new(self.slot),
                slot_s: 1e-3,
                users: USERS,
                subchannels: SUBCHANNELS,
                rate_bps: &self.rate_bps,
                reported_db: &self.reported_db,
                mean_snr_db: &[10.0; USERS],
                candidates: &self.candidates,
                occupied: &self.occupied,
                eligible: &self.eligible,
                backlog_bytes: &self.backlog_bytes,
                head_of_line_since: &self.since,
                weight: &WEIGHTS,
                delay_budget_s: &BUDGETS_S,
                controls: Controls {
                    goodput_bytes: &self.counts,
                    arrived_packets: &self.counts,
                    arrived_bytes: &self.counts,
                },
                ..SlotView::default()
            }
        }
    }

    /// Bits of what `metric` writes for the candidates: metrics on each subchannel, then weights.
    fn written<M: Metric>(metric: &mut M, contest: &Contest<'_>) -> Vec<u64> {
        metric.observe(contest);
        let (view, len) = (contest.view, contest.len());
        let mut bits = Vec::new();
        let mut keep = |values: &[f64]| {
            let able = (0..len).filter(|&place| view.eligible[contest.user(place)]);
            bits.extend(able.map(|place| values[place].to_bits()));
        };
        for subchannel in 0..SUBCHANNELS {
            let (mut rates, mut values) = (vec![0.0; len], vec![0.0; len]);
            contest.fill(&mut rates, |_, user| f64::from(view.rate_bps[user * SUBCHANNELS + subchannel]));
            metric.evaluate(contest, subchannel, &rates, &mut values);
            keep(&values);
            if let Some(place) = (0..len).find(|&place| view.eligible[contest.user(place)]) {
                metric.on_grant(view, place, 3000.0);
            }
        }
        let mut weights = vec![0.0; len];
        if metric.weigh(contest, &mut weights) {
            keep(&weights);
        }
        bits
    }

    /// One copy goes over all users in every slot, the other over the candidates, or now and then over all.
    fn compare<M: Metric>(metric: M, seed: u64) {
        let (mut over_all, mut over_few, mut known) = (metric.clone(), metric, Known::new(seed));
        let mut sparse = 0;
        for slot in 0..4000 {
            known.stir();
            known.slot = slot;
            let view = known.view();
            let is_sparse = slot % 1000 > 20;
            let few = Contest { view: &view, listed: is_sparse.then_some(view.candidates) };
            let all = Contest { view: &view, listed: None };
            assert_eq!(written(&mut over_few, &few), written(&mut over_all, &all), "slot {slot}");
            sparse += usize::from(is_sparse && !few.is_empty());
            let won = view.candidates.iter().step_by(3).map(|&user| UserRow::new(user as usize));
            let served: Vec<_> = won.map(|user| Served { user, granted_bits: 700.0, sent_bits: 600.0 }).collect();
            let outcome = SlotOutcome { slot: view.slot, slot_s: view.slot_s, served: &served };
            over_few.on_slot_end(&outcome);
            over_all.on_slot_end(&outcome);
        }
        assert!(sparse > 1000, "{sparse} slots over few users");
    }

    fn compare_of_deadlines_and_guarantees(average: AverageConfig, seed: u64) {
        compare(WeightedPf::new(average, USERS), seed);
        compare(MLwdf::of(&MLwdfConfig { average, ..MLwdfConfig::default() }, USERS), seed);
        compare(ExpPf::of(&ExpPfConfig { average, ..ExpPfConfig::default() }, USERS), seed);
        compare(LogRule::of(LogRuleConfig { average, ..LogRuleConfig::default() }, USERS), seed);
        compare(EarliestDeadline::new(average, USERS), seed);
        let guaranteed_rate_bps = PerUser::All(20e3);
        let guaranteed = GuaranteedRateConfig { average, guaranteed_rate_bps, bucket_ms: 50.0 };
        compare(GuaranteedRate::new(&guaranteed, USERS), seed);
    }

    #[test]
    fn a_metric_has_the_same_bits_over_the_candidates_as_over_all_users() {
        // The shortest memory falls to the least average, and the smoothed queue to 0, within the run.
        for (seed, time_constant_slots) in [(1, 1.0), (2, 1.5), (3, 50.0), (4, 1000.0)] {
            for window in [AverageWindow::Fixed, AverageWindow::Growing] {
                for updates in [AverageUpdates::Slot, AverageUpdates::Subchannel] {
                    let initial_bps = if window == AverageWindow::Growing { 0.0 } else { 16e3 };
                    let average =
                        AverageConfig { time_constant_slots, initial_bps, window, updates, ..AverageConfig::default() };
                    let tcp_pf = TcpPfConfig { average, ..TcpPfConfig::default() };
                    compare(ProportionalFair::new(average, USERS), seed);
                    compare(
                        Lambda::new(LambdaConfig { exponent: 0.5, average, ..LambdaConfig::default() }, USERS),
                        seed,
                    );
                    compare(LogSnr::new(LogSnrConfig { average, ..LogSnrConfig::default() }, USERS), seed);
                    compare(TcpPf::new(tcp_pf, USERS), seed);
                    compare(TcpMax::new(tcp_pf, USERS), seed);
                    compare(UnapproximatedTcpPf::new(tcp_pf, USERS), seed);
                    compare_of_deadlines_and_guarantees(average, seed);
                }
            }
            let ideal = IdealTcpPfConfig { time_constant_slots, ..IdealTcpPfConfig::default() };
            compare(IdealTcpPf::new(ideal, USERS), seed);
        }
        compare(MaxRate, 5);
        compare(RelativeSnr, 6);
    }
}
