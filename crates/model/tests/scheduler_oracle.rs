//! Schedulers against closed forms: PF's gain against the harmonic number, round robin's shares, lambda's limits.

use crate::scheduler_fixture;

use airlink_model::scheduler::*;
use airlink_model::types::{Purpose, RandomStream};
use scheduler_fixture::{Knowledge, LADDER_BPS, average, lambda, scheduler};

/// Mean rate of one Rayleigh user on its own, b/s; the rate is proportional to the SNR.
const MEAN_BPS: f64 = 1e6;

fn harmonic(users: usize) -> f64 {
    (1..=users).map(|k| 1.0 / k as f64).sum()
}

/// Gain of PF over round robin and each user's share of slots, over `slots` slots of equal Rayleigh users.
fn pf_gain(users: usize, time_constant_slots: f64, slots: usize) -> (f64, Vec<f64>) {
    // Starting at the average that the limit implies leaves no transient to wait for.
    let limit_bps = MEAN_BPS * harmonic(users) / users as f64;
    let pf = SchedulerKind::ProportionalFair(average(time_constant_slots, limit_bps));
    let mut scheduler = scheduler(pf, Ties::Random, users, 1);
    let mut knowledge = Knowledge::new(users, 1);
    let mut draws = RandomStream::new(11, Purpose::Fading, users as u64);
    let (mut served_bps, mut wins) = (0.0, vec![0.0; users]);
    for _ in 0..slots {
        knowledge.rate_bps.iter_mut().for_each(|rate| *rate = draws.exponential(MEAN_BPS) as f32);
        let winner = knowledge.winner(&mut *scheduler);
        served_bps += f64::from(knowledge.rate_bps[winner]);
        wins[winner] += 1.0;
    }
    (served_bps / slots as f64 / MEAN_BPS, wins.iter().map(|count| count / slots as f64).collect())
}

#[test]
fn the_gain_of_pf_over_round_robin_rises_to_the_harmonic_number_from_below() {
    let slots = 200_000;
    for users in [2, 4, 8] {
        let gains = [10.0, 100.0, 1000.0, 10_000.0].map(|time_constant| pf_gain(users, time_constant, slots).0);
        assert!(gains.is_sorted() && gains[0] < gains[1] && gains[1] < gains[2], "{users} users: {gains:?}");
        // The largest of N exponentials has variance 1 + 1/4 + ... + 1/N^2.
        let variance: f64 = (1..=users).map(|k| 1.0 / (k * k) as f64).sum();
        let four_sd = 4.0 * (variance / slots as f64).sqrt();
        assert!((gains[3] - harmonic(users)).abs() < four_sd, "{users} users: {} +- {four_sd}", gains[3]);
        assert!(gains[0] < harmonic(users) - four_sd, "{users} users: short memory costs gain, {}", gains[0]);
    }
}

#[test]
fn pf_gives_equal_users_equal_shares_of_the_slots() {
    let slots = 200_000;
    for users in [2, 4, 8] {
        let share = 1.0 / users as f64;
        let four_sd = 4.0 * (share * (1.0 - share) / slots as f64).sqrt();
        let (_, shares) = pf_gain(users, 1000.0, slots);
        assert!(shares.iter().all(|got| (got - share).abs() < four_sd), "{shares:?}");
    }
}

#[test]
fn pf_gives_users_of_unequal_mean_rates_equal_shares_and_the_gain_to_each() {
    let (users, slots) = (4_usize, 200_000);
    let mut scheduler = scheduler(SchedulerKind::ProportionalFair(average(1000.0, 100e3)), Ties::Random, users, 1);
    let mut knowledge = Knowledge::new(users, 1);
    let mut draws = RandomStream::new(12, Purpose::Fading, 0);
    let means = [0.2e6, 0.5e6, 1e6, 2e6];
    let mut wins = [0.0; 4];
    for slot in 0..slots + 10_000 {
        knowledge.rate_bps.iter_mut().zip(means).for_each(|(rate, mean)| *rate = draws.exponential(mean) as f32);
        let winner = knowledge.winner(&mut *scheduler);
        wins[winner] += f64::from(u8::from(slot >= 10_000));
    }
    let four_sd = 4.0 * (0.25 * 0.75 / f64::from(slots)).sqrt();
    assert!(wins.iter().all(|count| (count / f64::from(slots) - 0.25).abs() < four_sd), "{wins:?}");
}

#[test]
fn round_robin_shares_backlogged_slots_exactly() {
    let mut scheduler = scheduler(
        SchedulerKind::RoundRobin(RoundRobinConfig { skip_unservable: false, ..RoundRobinConfig::default() }),
        Ties::LowestIndex,
        7,
        1,
    );
    let mut knowledge = Knowledge::new(7, 1);
    // User 3 wastes its turns; it gets them all the same.
    knowledge.rate_bps[3] = 0.0;
    let mut wins = [0; 7];
    for _ in 0..700 {
        wins[knowledge.winner(&mut *scheduler)] += 1;
    }
    assert_eq!(wins, [100; 7]);
}

#[test]
fn round_robin_passes_over_users_it_cannot_serve_when_told_to() {
    let mut scheduler = scheduler(
        SchedulerKind::RoundRobin(RoundRobinConfig { skip_unservable: true, ..RoundRobinConfig::default() }),
        Ties::LowestIndex,
        4,
        1,
    );
    let mut knowledge = Knowledge::new(4, 1);
    knowledge.rate_bps[1] = 0.0;
    knowledge.eligible[2] = false;
    let picks: Vec<_> = (0..4).map(|_| knowledge.winner(&mut *scheduler)).collect();
    assert_eq!(picks, [0, 3, 0, 3]);
}

/// The winners of 3000 slots of unequal users with the rates of [Klein04].
fn picks_on_the_ladder(kind: SchedulerKind, ties: Ties) -> Vec<usize> {
    let users = 8;
    let mut scheduler = scheduler(kind, ties, users, 1);
    let mut knowledge = Knowledge::new(users, 1);
    let mut draws = RandomStream::new(13, Purpose::Fading, 0);
    let mut slot = || {
        for (user, rate) in knowledge.rate_bps.iter_mut().enumerate() {
            let steps = 2.0 + 5.0 * user as f64 / 7.0;
            *rate = LADDER_BPS[(draws.uniform() * steps) as usize];
        }
        knowledge.run_slot(&mut *scheduler)[0].map_or(usize::MAX, |user| user.index())
    };
    (0..3000).map(|_| slot()).collect()
}

#[test]
fn lambda_0_is_maximum_rate_and_lambda_1_is_proportional_fair() {
    let memory = average(100.0, 16_000.0);
    for ties in [Ties::Random, Ties::LowestIndex] {
        let zero = picks_on_the_ladder(lambda(0.0, memory), ties);
        assert_eq!(zero, picks_on_the_ladder(SchedulerKind::MaxRate, ties));
        let one = picks_on_the_ladder(lambda(1.0, memory), ties);
        assert_eq!(one, picks_on_the_ladder(SchedulerKind::ProportionalFair(memory), ties));
        assert_ne!(zero, one);
    }
}

#[test]
fn the_weakest_users_share_rises_with_lambda() {
    let wins_of_the_weakest = [0.0, 0.5, 1.0, 2.0, 10.0].map(|exponent| {
        let picks = picks_on_the_ladder(lambda(exponent, average(100.0, 16_000.0)), Ties::Random);
        picks.iter().filter(|&&user| user == 0).count()
    });
    assert!(wins_of_the_weakest.windows(2).all(|pair| pair[0] < pair[1]), "{wins_of_the_weakest:?}");
}

#[test]
fn relative_snr_serves_a_weak_user_at_its_peak_where_max_rate_does_not() {
    let mut knowledge = Knowledge::new(2, 1);
    knowledge.rate_bps = vec![320e3, 2560e3];
    knowledge.reported_db = vec![-4.0, 12.0];
    knowledge.mean_snr_db = vec![-10.0, 10.0];
    let winner = |kind| knowledge.clone().winner(&mut *scheduler(kind, Ties::LowestIndex, 2, 1));
    assert_eq!(winner(SchedulerKind::RelativeSnr), 0);
    assert_eq!(winner(SchedulerKind::MaxRate), 1);
}

fn log_snr(argument: LogArgument, average: AverageConfig) -> SchedulerKind {
    SchedulerKind::LogSnr(LogSnrConfig { argument, average, ..LogSnrConfig::default() })
}

#[test]
fn log_snr_of_equal_users_is_proportional_fair() {
    for argument in [LogArgument::Snr, LogArgument::OnePlusSnr] {
        let memory = average(50.0, 16_000.0);
        let [mut log_snr, mut pf] = [log_snr(argument, memory), SchedulerKind::ProportionalFair(memory)]
            .map(|kind| scheduler(kind, Ties::Random, 7, 1));
        let (mut knowledge, mut draws) = (Knowledge::new(7, 1), RandomStream::new(14, Purpose::Traffic, 0));
        let mut won = [0; 7];
        for _ in 0..2000 {
            // All alike in a slot, above 0 dB, and some with nothing to send.
            knowledge.rate_bps.fill(LADDER_BPS[1 + (draws.uniform() * 6.0) as usize]);
            knowledge.reported_db.fill(draws.uniform_in(0.1, 20.0) as f32);
            knowledge.eligible.iter_mut().for_each(|eligible| *eligible = draws.uniform() < 0.8);
            knowledge.eligible[6] = true;
            let winner = knowledge.clone().winner(&mut *pf);
            assert_eq!(knowledge.winner(&mut *log_snr), winner, "{argument:?}");
            won[winner] += 1;
        }
        assert!(won.iter().all(|&count| count > 100), "{won:?}");
    }
}

#[test]
fn log_one_plus_snr_is_proportional_fair_where_the_rate_is_proportional_to_it() {
    let memory = average(50.0, 16_000.0);
    let kinds = [log_snr(LogArgument::OnePlusSnr, memory), SchedulerKind::ProportionalFair(memory)];
    let [mut log_snr, mut pf] = kinds.map(|kind| scheduler(kind, Ties::LowestIndex, 6, 1));
    let (mut knowledge, mut draws) = (Knowledge::new(6, 1), RandomStream::new(15, Purpose::Traffic, 0));
    for _ in 0..3000 {
        for user in 0..6 {
            let db = draws.uniform_in(-15.0, 20.0) as f32;
            knowledge.reported_db[user] = db;
            knowledge.rate_bps[user] = (1e6 * libm::log2(1.0 + libm::pow(10.0, f64::from(db) / 10.0))) as f32;
        }
        assert_eq!(knowledge.clone().winner(&mut *pf), knowledge.winner(&mut *log_snr));
    }
}

/// Slots that each user wins out of the last `slots`, on a channel that stays as it is.
fn wins_on_a_constant_channel(kind: SchedulerKind, reported_db: &[f32], rate_bps: &[f32], slots: usize) -> Vec<usize> {
    let users = reported_db.len();
    let mut knowledge = Knowledge::new(users, 1);
    (knowledge.reported_db, knowledge.rate_bps) = (reported_db.to_vec(), rate_bps.to_vec());
    let mut scheduler = scheduler(kind, Ties::LowestIndex, users, 1);
    let mut wins = vec![0; users];
    for slot in 0..2 * slots {
        let winner = knowledge.winner(&mut *scheduler);
        wins[winner] += usize::from(slot >= slots);
    }
    wins
}

#[test]
fn log_snr_on_a_constant_channel_gives_rates_in_proportion_to_the_logarithms() {
    // The metrics of all who are served are equal in the long run, so A_i is in proportion to log x_i, and user i has the share
    // log x_i / R_i of the slots, over the sum of all. One slot moves A by R / memory, so a share by 1 / memory.
    let (reported_db, rate_bps) = ([1.0, 3.0, 6.0, 12.0], [320e3, 480e3, 1280e3, 2560e3]);
    for argument in [LogArgument::Snr, LogArgument::OnePlusSnr] {
        let log_of = |db: f32| match argument {
            LogArgument::Snr => f64::from(db),
            LogArgument::OnePlusSnr => libm::log(1.0 + libm::pow(10.0, f64::from(db) / 10.0)),
        };
        let parts: Vec<f64> = (0..4).map(|user| log_of(reported_db[user]) / f64::from(rate_bps[user])).collect();
        let slots = 100_000;
        let kind = log_snr(argument, average(1000.0, 100e3));
        let wins = wins_on_a_constant_channel(kind, &reported_db, &rate_bps, slots);
        for (user, part) in parts.iter().enumerate() {
            let (share, found) = (part / parts.iter().sum::<f64>(), wins[user] as f64 / slots as f64);
            assert!((found - share).abs() < 1e-3, "{argument:?}, user {user}: {found} for {share}");
        }
    }
}

#[test]
fn log_snr_below_0_db_starves_users_and_of_the_starved_serves_one_for_ever() {
    let memory = average(100.0, 16_000.0);
    let wins = |argument, reported_db: &[f32], rate_bps: &[f32]| {
        wins_on_a_constant_channel(log_snr(argument, memory), reported_db, rate_bps, 500)
    };
    // User 0 has next to no SNR and is above 0 dB: it wins all that user 1 could have had.
    let (mixed, rates) = ([0.01, -0.01], [320e3, 320e3]);
    assert_eq!(wins(LogArgument::Snr, &mixed, &rates), [500, 0]);
    // The first slot goes to the user nearest 0 dB; then its average is the largest, for good.
    let (below, rates) = ([-4.0, -2.0, -9.0], [640e3, 640e3, 320e3]);
    assert_eq!(wins(LogArgument::Snr, &below, &rates), [0, 500, 0]);
    for (reported_db, rates) in [(&mixed[..], &[320e3, 320e3][..]), (&below[..], &rates[..])] {
        let served = wins(LogArgument::OnePlusSnr, reported_db, rates);
        assert!(served.iter().all(|&count| count > 50), "{served:?}");
    }
}

#[test]
fn log_snr_ranks_users_without_service_first_above_0_db_and_last_below() {
    let growing = AverageConfig { window: AverageWindow::Growing, ..average(1000.0, 0.0) };
    let mut scheduler = scheduler(log_snr(LogArgument::Snr, growing), Ties::LowestIndex, 4, 1);
    let mut knowledge = Knowledge::new(4, 1);
    knowledge.reported_db = vec![9.0, 1.0, -1.0, -2.0];
    // Users 0 and 1 come first, the better of them before the other; then both have R / 2, and the better goes on.
    let picks: Vec<usize> = (0..3).map(|_| knowledge.winner(&mut *scheduler)).collect();
    assert_eq!(picks, [0, 1, 0]);
    knowledge.eligible = vec![false, false, true, true];
    assert_eq!(knowledge.winner(&mut *scheduler), 2, "alone below 0 dB, the nearest to it is served");
}
