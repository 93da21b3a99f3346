//! Many subchannels: against the definition in the plainest code, by hand, and against closed forms.

use crate::scheduler_fixture;

use airlink_model::scheduler::*;
use airlink_model::types::{CounterStream, Purpose, RandomStream, Slot, Time};
use scheduler_fixture::{
    AnyKind, Knowledge, LADDER_BPS, average, formula, lambda, of_deadlines_and_guarantees, scheduler, scheduler_with,
    tcp_pf_defaults,
};

const SEED: u64 = 1;

/// PF with 1/A^exponent in the plainest code: one subchannel after the other, one user after the other.
struct Reference {
    exponent: i32,
    ties: Ties,
    releases: bool,
    average: AverageConfig,
    bps: Vec<f64>,
}

impl Reference {
    fn weight(&self, slot: u64) -> f64 {
        match self.average.window {
            AverageWindow::Fixed => 1.0 / self.average.time_constant_slots,
            AverageWindow::Growing => 1.0 / (slot as f64 + 1.0).min(self.average.time_constant_slots),
        }
    }

    /// Asserts that every subchannel went to the right user; returns how many went to another one whose metric is the same
    /// but for rounding.
    fn check(&self, known: &Knowledge, owners: &[Option<UserRow>]) -> usize {
        let mut granted = vec![0.0; self.bps.len()];
        let mut rounded = 0;
        for (subchannel, &owner) in owners.iter().enumerate() {
            let metrics = self.metrics(known, subchannel, &granted);
            if owner != self.winner(known, subchannel, &metrics) {
                let largest = metrics.iter().flatten().copied().fold(0.0, f64::max);
                let got = owner.and_then(|user| metrics[user.index()]).expect("somebody who competes");
                let near = metrics.iter().flatten().filter(|&&metric| metric > largest * (1.0 - 1e-12)).count();
                assert!(got > largest * (1.0 - 1e-12) && near > 1, "{subchannel}: {got} for {largest}");
                rounded += 1;
            }
            if let Some(user) = owner {
                granted[user.index()] += known.bits(user, subchannel);
            }
        }
        rounded
    }

    /// `None` for those who do not compete.
    fn metrics(&self, known: &Knowledge, subchannel: usize, granted: &[f64]) -> Vec<Option<f64>> {
        let metric = |user: usize| {
            let rate = f64::from(known.rate_bps[user * known.subchannels + subchannel]);
            let wanted = 8.0 * known.backlog_on_air_bytes[user] as f64;
            let gone = self.releases && granted[user] > 0.0 && granted[user] >= wanted;
            let mut average = self.bps[user];
            if self.average.updates == AverageUpdates::Subchannel {
                average += self.weight(known.slot) * granted[user] / known.slot_s;
            }
            let power = (0..self.exponent).map(|_| average).product::<f64>();
            (known.eligible[user] && !gone && rate > 0.0).then_some(rate / power)
        };
        (0..self.bps.len()).map(metric).collect()
    }

    fn winner(&self, known: &Knowledge, subchannel: usize, metrics: &[Option<f64>]) -> Option<UserRow> {
        let largest = metrics.iter().flatten().copied().reduce(f64::max)?;
        let equals: Vec<_> = (0..metrics.len()).filter(|&user| metrics[user] == Some(largest)).collect();
        let draw = CounterStream::new(SEED, Purpose::Tie, subchannel as u64).bits(Slot::new(known.slot));
        let rank = match self.ties {
            Ties::LowestIndex => 0,
            Ties::Random if equals.len() == 1 => 0,
            Ties::Random => ((u128::from(draw) * equals.len() as u128) >> 64) as usize,
        };
        Some(UserRow::new(equals[rank]))
    }

    fn on_slot_end(&mut self, known: &Knowledge, owners: &[Option<UserRow>]) {
        let weight = self.weight(known.slot);
        for (user, average) in self.bps.iter_mut().enumerate() {
            let won = (0..owners.len()).filter(|&subchannel| owners[subchannel] == Some(UserRow::new(user)));
            let bits: f64 = won.map(|subchannel| known.bits(UserRow::new(user), subchannel)).sum();
            *average = weight * bits / known.slot_s + (1.0 - weight) * *average;
        }
    }
}

/// Discrete rates for ties, or continuous ones; some users cannot be served on some or on all subchannels.
fn stir(known: &mut Knowledge, draws: &mut RandomStream) {
    let continuous = draws.uniform() < 0.3;
    for rate in &mut known.rate_bps {
        *rate = if continuous { draws.exponential(640e3) as f32 } else { LADDER_BPS[(draws.uniform() * 7.0) as usize] };
    }
    for user in 0..known.eligible.len() {
        known.eligible[user] = draws.uniform() < 0.7;
        if draws.uniform() < 0.1 {
            known.rate_bps[user * known.subchannels..][..known.subchannels].fill(0.0);
        }
        known.backlog_bytes[user] = 1 + draws.bits() % if draws.uniform() < 0.5 { 2000 } else { 200_000 };
        known.backlog_on_air_bytes[user] = known.backlog_bytes[user] * 42 / 40 + 2;
    }
}

/// Waits of packets, and users with several weights and delay budgets. Weights are powers of two: equal metrics stay equal.
fn stir_waits(known: &mut Knowledge, draws: &mut RandomStream) {
    for user in 0..known.eligible.len() {
        known.head_of_line_since[user] = Time::from_nanos((draws.uniform() * known.now().as_nanos() as f64) as u64);
        known.delay_budget_s[user] = [0.02, f64::INFINITY, 0.3][user % 3];
        known.weight[user] = [1.0, 1.0, 4.0, 0.5][user % 4];
    }
}

/// Every combination of window, updates, demand and ties, for MaxCIR (exponent 0), PF and lambda = 2.
fn references(users: usize) -> Vec<Reference> {
    let mut all = Vec::new();
    for (exponent, window) in
        [(0, AverageWindow::Fixed), (1, AverageWindow::Fixed), (1, AverageWindow::Growing), (2, AverageWindow::Growing)]
    {
        for updates in [AverageUpdates::Slot, AverageUpdates::Subchannel] {
            for releases in [false, true] {
                for ties in [Ties::Random, Ties::LowestIndex] {
                    let initial_bps = if window == AverageWindow::Growing { 0.0 } else { 16e3 };
                    let average = AverageConfig { window, updates, ..average(20.0, initial_bps) };
                    all.push(Reference { exponent, ties, releases, average, bps: vec![initial_bps; users] });
                }
            }
        }
    }
    all
}

#[test]
fn every_subchannel_goes_to_whom_the_plainest_code_gives_it() {
    let (mut decided, mut rounded) = (0, 0);
    for (users, subchannels, slots) in [(3, 2, 60), (10, 400, 6), (21, 129, 6), (70, 40, 6)] {
        for mut reference in references(users) {
            let Reference { ties, releases, average, .. } = reference;
            let kind = match reference.exponent {
                0 => SchedulerKind::MaxRate,
                1 => SchedulerKind::ProportionalFair(average),
                exponent => lambda(f64::from(exponent), average),
            };
            let mut scheduler = build(
                &SchedulerConfig {
                    kind: kind.clone(),
                    ties,
                    release_satisfied_users: releases,
                    serve_empty_queues: false,
                    ..SchedulerConfig::default()
                },
                users,
                subchannels,
                SEED,
            );
            let mut known = Knowledge::new(users, subchannels);
            let mut draws = RandomStream::new(21, Purpose::Traffic, users as u64);
            for _ in 0..slots {
                stir(&mut known, &mut draws);
                let before = known.clone();
                let owners = known.run_slot(&mut *scheduler);
                let differing = reference.check(&before, &owners);
                assert!(differing == 0 || average.updates == AverageUpdates::Subchannel, "{kind:?}");
                rounded += differing;
                reference.on_slot_end(&before, &owners);
                decided += owners.len();
            }
        }
    }
    // Averages that move by steps of a ladder of rates may meet; the reference adds the steps up in another order.
    assert!(rounded * 10_000 < decided, "{rounded} of {decided}");
}

fn every_kind() -> Vec<AnyKind> {
    let averages = [AverageWindow::Fixed, AverageWindow::Growing].map(|window| {
        let initial_bps = if window == AverageWindow::Growing { 0.0 } else { 16e3 };
        AverageConfig { window, ..average(20.0, initial_bps) }
    });
    let aware = averages.map(|average| TcpPfConfig { average, ..tcp_pf_defaults() });
    let ideal =
        IdealTcpPfConfig { time_constant_slots: 20.0, initial_average_bps: 16e3, ..IdealTcpPfConfig::default() };
    let mut kinds = vec![SchedulerKind::MaxRate, SchedulerKind::RelativeSnr];
    let arguments = [LogArgument::Snr, LogArgument::OnePlusSnr].into_iter().zip(averages);
    kinds.extend(arguments.map(|(argument, average)| {
        SchedulerKind::LogSnr(LogSnrConfig { argument, average, ..LogSnrConfig::default() })
    }));
    let mut experimental = vec![ExperimentalScheduler::IdealTcpPf(ideal)];
    kinds.extend(averages.map(SchedulerKind::ProportionalFair));
    kinds.extend(averages.map(|average| formula("rate / average * sqrt(backlog_bytes)", average)));
    kinds.push(formula("rate * (1 + reported_db / 40) / backlog_bytes", averages[0]));
    kinds.extend([0.0, 0.5, 30.0].map(|exponent| lambda(exponent, averages[1])));
    // So far apart that the weights of one slot would not fit into a double.
    kinds.push(lambda(1000.0, averages[0]));
    kinds.extend(averages.into_iter().flat_map(of_deadlines_and_guarantees));
    for config in aware {
        kinds.push(SchedulerKind::TcpPf(config));
        kinds.push(SchedulerKind::TcpMax(config));
        experimental.push(ExperimentalScheduler::UnapproximatedTcpPf(config));
    }
    kinds.into_iter().map(AnyKind::from).chain(experimental.into_iter().map(AnyKind::Experimental)).collect()
}

#[test]
fn every_metric_decides_many_subchannels_as_it_decides_each_as_the_only_one() {
    let (users, subchannels) = (9, 33);
    for kind in every_kind() {
        let mut wide = scheduler(kind.clone(), Ties::LowestIndex, users, subchannels);
        let mut known = Knowledge::new(users, subchannels);
        let mut draws = RandomStream::new(22, Purpose::Traffic, 0);
        // Each has seen the same slots, and decides its subchannel alone.
        let mut alone: Vec<_> =
            (0..subchannels).map(|_| scheduler(kind.clone(), Ties::LowestIndex, users, 1)).collect();
        for slot in 0..80 {
            stir(&mut known, &mut draws);
            stir_waits(&mut known, &mut draws);
            known.reported_db.iter_mut().for_each(|report| *report = draws.uniform_in(-20.0, 20.0) as f32);
            for user in 0..users {
                known.goodput_bytes[user] += draws.bits() % 2 * 536;
                known.arrived_packets[user] += draws.bits() % 3;
                known.arrived_bytes[user] = 576 * known.arrived_packets[user];
            }
            let before = known.clone();
            let owners = known.run_slot(&mut *wide);
            for (subchannel, alone) in alone.iter_mut().enumerate() {
                let mut column = Knowledge { subchannels: 1, ..before.clone() };
                let of = |user: usize| user * subchannels + subchannel;
                column.rate_bps = (0..users).map(|user| before.rate_bps[of(user)]).collect();
                column.reported_db = (0..users).map(|user| before.reported_db[of(user)]).collect();
                let mut allocation = Allocation::new(1);
                alone.allocate(&column.view(), &mut allocation);
                assert_eq!(owners[subchannel], allocation.owner(0), "{kind:?}, slot {slot}, subchannel {subchannel}");
                let served = before.served(&owners);
                let slot = Slot::new(before.slot);
                alone.on_slot_end(&SlotOutcome { slot, slot_s: before.slot_s, served: &served });
            }
        }
    }
}

#[test]
fn on_one_subchannel_neither_demand_nor_updates_within_a_slot_change_a_pick() {
    for kind in every_kind() {
        let moved = |config: AverageConfig| AverageConfig { updates: AverageUpdates::Subchannel, ..config };
        let other = match kind.clone() {
            AnyKind::Declared(SchedulerKind::ProportionalFair(average)) => {
                SchedulerKind::ProportionalFair(moved(average)).into()
            }
            AnyKind::Declared(SchedulerKind::Lambda(config)) => lambda(config.exponent, moved(config.average)).into(),
            AnyKind::Declared(SchedulerKind::LogSnr(config)) => {
                SchedulerKind::LogSnr(LogSnrConfig { average: moved(config.average), ..config }).into()
            }
            AnyKind::Declared(SchedulerKind::TcpPf(config)) => {
                SchedulerKind::TcpPf(TcpPfConfig { average: moved(config.average), ..config }).into()
            }
            kind => kind,
        };
        let mut one = scheduler(kind.clone(), Ties::Random, 7, 1);
        let mut two = scheduler_with(other, Ties::Random, true, 7, 1);
        let (mut known, mut draws) = (Knowledge::new(7, 1), RandomStream::new(23, Purpose::Traffic, 0));
        for _ in 0..300 {
            stir(&mut known, &mut draws);
            assert_eq!(known.clone().run_slot(&mut *one), known.run_slot(&mut *two), "{kind:?}");
        }
    }
}

fn mc_pf(time_constant_slots: f64) -> AverageConfig {
    AverageConfig { window: AverageWindow::Growing, ..average(time_constant_slots, 0.0) }
}

fn indices(owners: &[Option<UserRow>]) -> Vec<usize> {
    owners.iter().map(|owner| owner.expect("somebody can be served").index()).collect()
}

/// [Kakuda], eqs (2) and (3), t_a = 3, slots of 1 s; rates are given user by user.
#[test]
fn mc_pf_by_hand() {
    let mut scheduler = scheduler(SchedulerKind::ProportionalFair(mc_pf(3.0)), Ties::LowestIndex, 3, 2);
    let mut known = Knowledge { slot_s: 1.0, ..Knowledge::new(3, 2) };
    let mut slot = |rates: [f32; 6]| {
        known.rate_bps = rates.to_vec();
        indices(&known.run_slot(&mut *scheduler))
    };
    // n = 1: T = 0 for all, so all are infinite. L = 1, T(2) = 600 + 300, 0, 0.
    assert_eq!(slot([600.0, 300.0, 800.0, 800.0, 900.0, 900.0]), [0, 0]);
    // n = 2: users 1 and 2 are infinite, user 1 cannot be served on subchannel 1. L = 2, T(3) = 450, 200, 150.
    assert_eq!(slot([9e6, 9e6, 400.0, 0.0, 500.0, 300.0]), [1, 2]);
    // n = 3: M = 2, 2.5, 2 and 2.2, 2, 3. L = 3, T(4) = 300, (400 + 500)/3 = 300, (300 + 450)/3 = 250.
    assert_eq!(slot([900.0, 1000.0, 500.0, 400.0, 300.0, 450.0]), [1, 2]);
    // n = 4: M = 2, 2.1, 2 and 2.2, 2.1, 2. L stays 3, T(5) = (600 + 660)/3 = 420, (600 + 630)/3 = 410, 500/3 = 166.7.
    assert_eq!(slot([600.0, 660.0, 630.0, 630.0, 500.0, 500.0]), [1, 0]);
    // n = 5: M = 1.002, 1, 0.996 and 1, 1.0037, 1.005.
    assert_eq!(slot([421.0, 420.0, 410.0, 411.5, 166.0, 167.5]), [0, 2]);
}

#[test]
fn users_without_service_rank_first_and_are_drawn_among_each_other() {
    let (users, subchannels, cells) = (4, 8, 500);
    let mut wins = [0; 4];
    for seed in 0..cells {
        let kind = SchedulerKind::ProportionalFair(mc_pf(100.0));
        let config = SchedulerConfig {
            kind,
            ties: Ties::Random,
            release_satisfied_users: false,
            serve_empty_queues: false,
            ..SchedulerConfig::default()
        };
        let mut scheduler = build(&config, users, subchannels, seed);
        let mut known = Knowledge { eligible: vec![true, false, false, false], ..Knowledge::new(users, subchannels) };
        known.run_slot(&mut *scheduler);
        known.eligible.fill(true);
        // The rates play no part among them, and user 0's does not help it.
        known.rate_bps = [2560e3, 320e3, 640e3, 1280e3].iter().flat_map(|&rate| [rate; 8]).collect();
        indices(&known.run_slot(&mut *scheduler)).into_iter().for_each(|user| wins[user] += 1);
    }
    assert_eq!(wins[0], 0);
    let draws = (cells * subchannels as u64) as f64;
    let four_sd = 4.0 * (draws / 3.0 * 2.0 / 3.0).sqrt();
    assert!(wins[1..].iter().all(|&count| (f64::from(count) - draws / 3.0).abs() < four_sd), "{wins:?}");
}

#[test]
fn updates_between_subchannels_by_hand() {
    // Slots of 1 s, w = 1/2. A before = 100, 100.
    let at_once = AverageConfig { updates: AverageUpdates::Subchannel, ..average(2.0, 100.0) };
    let mut scheduler = scheduler(SchedulerKind::ProportionalFair(at_once), Ties::LowestIndex, 2, 3);
    let mut known = Knowledge { slot_s: 1.0, ..Knowledge::new(2, 3) };
    known.rate_bps = vec![400.0, 400.0, 400.0, 200.0, 100.0, 200.0];
    // 4 against 2; then A0 = 300: 1.3 against 1; then A0 = 500: 0.8 against 2.
    assert_eq!(indices(&known.run_slot(&mut *scheduler)), [0, 0, 1]);
    // A = 50 + 400 = 450 and 50 + 100 = 150: 0.89 against 1.33, then A1 = 250: 0.89 against 0.4, then A0 = 650.
    assert_eq!(indices(&known.run_slot(&mut *scheduler)), [1, 0, 1]);
}

#[test]
fn a_covered_user_leaves_the_rest_of_the_slot_to_the_others() {
    // 320 kb/s in 5 ms are 1600 bits or 200 bytes a subchannel; user 0 is best everywhere and wants 500 bytes on air.
    let mut known = Knowledge::new(3, 6);
    known.rate_bps[..6].fill(640e3);
    known.rate_bps[12..].fill(160e3);
    known.backlog_bytes = vec![470, 150, 1000];
    known.backlog_on_air_bytes = vec![801, 200, 1000];
    let picks = |kind, releases, knowledge: &Knowledge| {
        let config = SchedulerConfig {
            kind,
            ties: Ties::LowestIndex,
            release_satisfied_users: releases,
            serve_empty_queues: false,
            ..SchedulerConfig::default()
        };
        indices(&knowledge.clone().run_slot(&mut *build(&config, 3, 6, SEED)))
    };
    assert_eq!(picks(SchedulerKind::MaxRate, false, &known), [0; 6]);
    // 400 bytes a subchannel: two are one byte short. User 1's 200 bytes are one subchannel.
    assert_eq!(picks(SchedulerKind::MaxRate, true, &known), [0, 0, 0, 1, 2, 2]);
    let cycle = SchedulerKind::RoundRobin(RoundRobinConfig { skip_unservable: false, ..RoundRobinConfig::default() });
    assert_eq!(picks(cycle.clone(), false, &known), [0, 1, 2, 0, 1, 2]);
    assert_eq!(picks(cycle, true, &known), [0, 1, 2, 0, 2, 0]);
    let queue = SchedulerKind::Fifo(FifoConfig::default());
    assert_eq!(picks(queue.clone(), false, &known), [0; 6]);
    assert_eq!(picks(queue, true, &known), [0, 0, 0, 1, 2, 2]);
    assert_eq!(picks(SchedulerKind::RelativeSnr, true, &known), [0, 0, 0, 1, 2, 2]);
}

#[test]
fn subchannels_stay_idle_once_everybody_is_covered() {
    let cycle = SchedulerKind::RoundRobin(RoundRobinConfig { skip_unservable: false, ..RoundRobinConfig::default() });
    let queue = SchedulerKind::Fifo(FifoConfig::default());
    for kind in every_kind().into_iter().chain([cycle.into(), queue.into()]) {
        let mut known = Knowledge::new(4, 300);
        known.backlog_on_air_bytes = vec![200; 4];
        let owners = known.run_slot(&mut *scheduler_with(kind.clone(), Ties::Random, true, 4, 300));
        assert_eq!(owners.iter().flatten().count(), 4, "{kind:?}");
        assert!(owners[..4].iter().all(Option::is_some), "{kind:?}");
    }
}

#[test]
fn ties_of_many_subchannels_are_uniform_and_independent_of_their_neighbours() {
    let (users, subchannels, slots) = (6, 200, 250);
    let mut known = Knowledge::new(users, subchannels);
    // User 2 is never among the equals.
    known.rate_bps[2 * subchannels..3 * subchannels].fill(160e3);
    let mut scheduler = scheduler(SchedulerKind::MaxRate, Ties::Random, users, subchannels);
    let (mut wins, mut alike) = ([0.0; 6], 0.0);
    for _ in 0..slots {
        let owners = indices(&known.run_slot(&mut *scheduler));
        owners.iter().for_each(|&user| wins[user] += 1.0);
        alike += owners.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64;
    }
    assert_eq!(wins[2], 0.0);
    let expected = f64::from(slots) * subchannels as f64 / 5.0;
    let off = |user: usize| wins[user] - expected;
    let chi_square: f64 = [0, 1, 3, 4, 5].map(|user| off(user) * off(user) / expected).iter().sum();
    // Four degrees of freedom: 23.5 is exceeded once in 10 000.
    assert!(chi_square < 23.5, "{wins:?}: {chi_square}");
    let pairs = f64::from(slots) * (subchannels - 1) as f64;
    assert!((alike / pairs - 0.2).abs() < 4.0 * (0.16 / pairs).sqrt(), "{alike} of {pairs}");
}

/// Gain over round robin of users with independent Rayleigh fading on all subchannels, rate proportional to SNR.
fn gain(kind: SchedulerKind, users: usize, subchannels: usize, slots: usize) -> f64 {
    let mut scheduler = scheduler(kind, Ties::Random, users, subchannels);
    let mut known = Knowledge::new(users, subchannels);
    let mut draws = RandomStream::new(24, Purpose::Fading, users as u64);
    let mut served_bps = 0.0;
    for _ in 0..slots {
        known.rate_bps.iter_mut().for_each(|rate| *rate = draws.exponential(1e6) as f32);
        let rates = known.rate_bps.clone();
        let owners = indices(&known.run_slot(&mut *scheduler));
        let of = |(subchannel, user): (usize, usize)| f64::from(rates[user * subchannels + subchannel]);
        served_bps += owners.into_iter().enumerate().map(of).sum::<f64>();
    }
    served_bps / (slots * subchannels) as f64 / 1e6
}

#[test]
fn mc_pf_reaches_the_harmonic_number_with_a_short_memory() {
    // The first slot is a draw among users without service: too little of the total to be seen.
    let (subchannels, slots) = (50, 4000);
    for users in [2, 4, 8_usize] {
        let harmonic: f64 = (1..=users).map(|k| 1.0 / k as f64).sum();
        let variance: f64 = (1..=users).map(|k| 1.0 / (k * k) as f64).sum();
        let four_sd = 4.0 * (variance / (subchannels * slots) as f64).sqrt();
        let kind = SchedulerKind::ProportionalFair(mc_pf(10.0));
        let many = gain(kind.clone(), users, subchannels, slots);
        assert!((many - harmonic).abs() < four_sd, "{users} users: {many} for {harmonic} +- {four_sd}");
        let one = gain(kind, users, 1, subchannels * slots);
        assert!(one < harmonic - four_sd, "{users} users: {one} for {harmonic} +- {four_sd}");
    }
}
