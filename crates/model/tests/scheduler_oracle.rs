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
