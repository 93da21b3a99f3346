//! What fading varies around: places, path loss, ceiling, shadowing; and the whole channel of a user. Tolerances are
//! 4.5 standard errors, or the Kolmogorov-Smirnov bound that uniform draws exceed once in 10^5.

use airlink_model::channel::{
    Ceiling, CeilingConfig, CeilingTarget, ChannelConfig, FadingConfig, LinkBudget, Motion, Order, PathLoss, Placement,
    Shadowing, ShadowingConfig, Spacing, SumOfSinusoids, UserChannel, place,
};
use airlink_model::types::declare::PerUser;
use airlink_model::types::{BLOCK_SLOTS, Decibel, Purpose, RandomStream, Slot, UserId};

/// The cell of profile K3: -4.5 dB at 2 km, exponent 3.5, ceiling 13 dB.
fn cell(placement: &Placement) -> ChannelConfig {
    let ceiling =
        CeilingConfig { sinr: Decibel::new(13.0), applies_to: CeilingTarget::Mean, ..CeilingConfig::default() };
    ChannelConfig { ceiling, ..open_cell(placement) }
}

fn open_cell(placement: &Placement) -> ChannelConfig {
    ChannelConfig { placement: placement.clone(), path_loss: law(), ..ChannelConfig::default() }
}

fn law() -> PathLoss {
    PathLoss { exponent: 3.5, reference_distance_m: 2_000.0, reference_snr: Decibel::new(-4.5), ..PathLoss::default() }
}

fn assert_uniform(mut shares: Vec<f64>) {
    shares.sort_by(f64::total_cmp);
    let count = shares.len() as f64;
    let farthest = shares
        .iter()
        .enumerate()
        .map(|(rank, share)| (share - rank as f64 / count).abs().max((share - (rank + 1) as f64 / count).abs()))
        .fold(0.0, f64::max);
    assert!(farthest < 2.47 / count.sqrt(), "the farthest from uniform is {farthest}");
    assert!(shares[0] >= 0.0 && shares[shares.len() - 1] <= 1.0);
}

#[test]
fn users_of_a_disc_are_uniform_by_area() {
    for (inner_radius_m, radius_m) in [(0.0, 2_000.0), (70.0, 2_000.0), (1_500.0, 2_000.0)] {
        let rule = Placement::Disc { radius_m, inner_radius_m, order: Order::Random };
        let share = |user| {
            let distance_m = place(&cell(&rule), UserId::new(user), 10_000, 5).distance_m.unwrap();
            (distance_m * distance_m - inner_radius_m * inner_radius_m)
                / (radius_m * radius_m - inner_radius_m * inner_radius_m)
        };
        assert_uniform((0..10_000).map(share).collect());
    }
}

#[test]
fn users_in_order_of_distance_are_uniform_each_in_a_ring_of_its_own() {
    let (inner_radius_m, radius_m, users) = (150.0, 1_000.0, 10);
    let rule = Placement::Disc { radius_m, inner_radius_m, order: Order::ByDistance };
    let area = radius_m * radius_m - inner_radius_m * inner_radius_m;
    for user in [0, 4, 9] {
        let share = |seed| {
            let distance_m = place(&cell(&rule), UserId::new(user), users, seed).distance_m.unwrap();
            (distance_m * distance_m - inner_radius_m * inner_radius_m) / area * users as f64 - user as f64
        };
        let shares: Vec<f64> = (0..2_000).map(share).collect();
        assert!(shares.iter().all(|share| (-1e-9..1.0 + 1e-9).contains(share)), "user {user} leaves its ring");
        assert_uniform(shares.iter().map(|share| share.clamp(0.0, 1.0)).collect());
    }
}

#[test]
fn a_users_place_depends_on_seed_and_user_but_not_on_how_many_others_there_are() {
    let rule = Placement::Disc { radius_m: 2_000.0, inner_radius_m: 0.0, order: Order::Random };
    let at = |user, users, seed| place(&cell(&rule), UserId::new(user), users, seed);
    assert_eq!(at(3, 10, 1), at(3, 1_000, 1));
    assert_ne!(at(3, 10, 1), at(3, 10, 2));
    assert_ne!(at(3, 10, 1), at(4, 10, 1));
}

#[test]
fn the_mean_snr_falls_by_the_power_law_through_its_known_point() {
    assert_eq!(law().mean_snr(2_000.0).db(), -4.5);
    assert!((law().mean_snr(200.0).db() - 30.5).abs() < 1e-12);
    assert!((law().mean_snr(4_000.0).db() - (-4.5 - 10.536_05)).abs() < 1e-5);
}

#[test]
fn the_ceiling_adds_as_a_noise_in_step_with_the_signal() {
    let ceiling = Ceiling::new(Decibel::new(13.0));
    // 1 / SINR = 1 / SNR + 1 / ceiling, on ratios.
    for snr_db in [-40.0, -4.5, 0.0, 12.9, 13.0, 60.0] {
        let snr = Decibel::new(snr_db);
        let noise = 1.0 / snr.to_ratio().value() + 1.0 / Decibel::new(13.0).to_ratio().value();
        assert!((ceiling.apply(snr).db() + 10.0 * libm::log10(noise)).abs() < 1e-10, "{snr_db}");
    }
    assert!((ceiling.apply(Decibel::new(13.0)).db() - (13.0 - 3.010_299_957)).abs() < 1e-8);
    assert_eq!(ceiling.apply(Decibel::new(f64::INFINITY)).db(), 13.0);
    assert_eq!(ceiling.apply(Decibel::new(f64::NEG_INFINITY)).db(), f64::NEG_INFINITY);
    assert_eq!(Ceiling::NONE.apply(Decibel::new(7.3)).db(), 7.3);
}

#[test]
fn given_distances_and_means_are_used_as_given_under_the_ceiling() {
    let distances = Placement::Distances { distances_m: vec![100.0, 2_000.0] };
    let far = place(&open_cell(&distances), UserId::new(1), 2, 1);
    assert_eq!((far.distance_m, far.mean_snr.db()), (Some(2_000.0), -4.5));
    let means = Placement::at_mean_snr(PerUser::Each(vec![13.0, -3.0]));
    assert_eq!(place(&open_cell(&means), UserId::new(0), 2, 1).mean_snr.db(), 13.0);
    assert_eq!(place(&open_cell(&means), UserId::new(0), 2, 1).distance_m, None);
    assert!((place(&cell(&means), UserId::new(0), 2, 1).mean_snr.db() - 9.989_7).abs() < 1e-4);
}

#[test]
fn a_link_budget_takes_the_place_of_the_path_loss_under_the_same_ceiling() {
    let at = Placement::Distances { distances_m: vec![300.0, 1_000.0] };
    let budget = LinkBudget {
        power_dbm: 49.0,
        gain_db: -6.0,
        loss_at_1_km_db: 130.78,
        distance_exponent: 3.908,
        frequency_exponent: 2.0,
        noise_figure_db: 7.0,
        bandwidth_hz: 98.28e6,
        interference_margin_db: 2.0,
    };
    let motion = Motion { speed_kmh: PerUser::All(3.0), carrier_hz: 3.5e9, ..Motion::default() };
    let cell = ChannelConfig { link_budget: Some(budget), motion, ..cell(&at) };
    for (user, distance_m) in [(0, 300.0), (1, 1_000.0)] {
        let found = place(&cell, UserId::new(user), 2, 1);
        let snr = budget.mean_snr(distance_m, 3.5e9);
        let under_the_ceiling = Ceiling::new(Decibel::new(13.0)).apply(snr);
        assert_eq!((found.distance_m, found.mean_snr), (Some(distance_m), under_the_ceiling));
    }
}

#[test]
fn a_range_of_means_is_divided_equally_or_at_random() {
    let range = |spacing| Placement::MeanSnrRange { low: Decibel::new(-11.0), high: Decibel::new(12.3), spacing };
    let mean = |spacing, user, users| place(&open_cell(&range(spacing)), UserId::new(user), users, 1).mean_snr.db();
    assert_eq!(mean(Spacing::Equal, 0, 16), -11.0);
    assert_eq!(mean(Spacing::Equal, 15, 16), 12.3);
    assert!((mean(Spacing::Equal, 5, 16) - (-11.0 + 23.3 / 3.0)).abs() < 1e-12);
    assert_eq!(mean(Spacing::Equal, 0, 1), -11.0);
    assert_uniform((0..10_000).map(|user| (mean(Spacing::Random, user, 16) + 11.0) / 23.3).collect());
}

fn shadowing(speed_mps: f64, user: u64) -> Shadowing {
    Shadowing::new(
        &ShadowingConfig { sd_db: 8.0, decorrelation_m: 50.0, ..ShadowingConfig::default() },
        speed_mps,
        0.01,
        2,
        user,
    )
}

fn shadowing_block(shadowing: &mut Shadowing, number: u64) -> [f32; BLOCK_SLOTS] {
    let mut signal_db = [0.0; BLOCK_SLOTS];
    shadowing.add_to(Slot::new(number * BLOCK_SLOTS as u64), &mut signal_db);
    signal_db
}

#[test]
fn shadowing_has_its_variance_from_the_start_and_decorrelates_with_distance() {
    let users = 10_000_u64;
    // 30 m/s and 10 ms: 0.3 m a slot, 19 m a block.
    let tracks: Vec<[[f32; BLOCK_SLOTS]; 2]> = (0..users)
        .map(|user| {
            let mut shadowing = shadowing(30.0, user);
            [0, 1].map(|number| shadowing_block(&mut shadowing, number))
        })
        .collect();
    let covariance = |from: usize, to: usize| {
        let value = |track: &[[f32; BLOCK_SLOTS]; 2], slot: usize| f64::from(track[slot / 64][slot % 64]) / 8.0;
        tracks.iter().map(|track| value(track, from) * value(track, to)).sum::<f64>() / users as f64
    };
    for (from, to) in [(0, 0), (127, 127), (0, 1), (0, 40), (0, 63), (0, 64), (30, 127)] {
        let expected = libm::exp(-0.3 * (to - from) as f64 / 50.0);
        // A product of two normals of correlation c has the variance 1 + c^2.
        let bound = 4.5 * ((1.0 + expected * expected) / users as f64).sqrt();
        let measured = covariance(from, to);
        assert!((measured - expected).abs() < bound, "slots {from} and {to}: {measured} for {expected}");
    }
}

#[test]
fn one_slot_of_shadowing_moves_by_the_innovation_and_no_more() {
    // The finest scale: E (x(1) - x(0))^2 = 2 sd^2 (1 - rho), seen with a relative error of sqrt(2 / samples).
    let squares: Vec<f64> = (0..1_000)
        .flat_map(|user| {
            let track = shadowing_block(&mut shadowing(30.0, user), 0);
            (1..BLOCK_SLOTS).map(move |slot| libm::pow(f64::from(track[slot] - track[slot - 1]), 2.0))
        })
        .collect();
    let measured = squares.iter().sum::<f64>() / squares.len() as f64;
    let expected = 2.0 * 64.0 * (1.0 - libm::exp(-0.3 / 50.0));
    let bound = 4.5 * (2.0 / squares.len() as f64).sqrt();
    assert!((measured / expected - 1.0).abs() < bound, "{measured} for {expected}");
}

#[test]
fn shadowing_stays_for_a_user_who_stands_and_goes_on_unseen_for_one_who_moves() {
    let standing = shadowing_block(&mut shadowing(0.0, 4), 0);
    assert!(standing.iter().all(|&value| value == standing[0] && value != 0.0));
    let (mut watched, mut skipped) = (shadowing(30.0, 4), shadowing(30.0, 4));
    for number in 0..5 {
        shadowing_block(&mut watched, number);
    }
    assert_eq!(shadowing_block(&mut watched, 5), shadowing_block(&mut skipped, 5));
}

fn fill(channel: &mut UserChannel, number: u64) -> [f32; BLOCK_SLOTS] {
    let mut signal_db = [f32::NAN; BLOCK_SLOTS];
    channel.fill(Slot::new(number * BLOCK_SLOTS as u64), &mut signal_db);
    signal_db
}

fn fading(user: u64) -> SumOfSinusoids {
    let config = FadingConfig { terms: 16, doppler_hz: 55.56, slot_s: 0.005 };
    SumOfSinusoids::new(config, &mut RandomStream::new(1, Purpose::Fading, user))
}

#[test]
fn a_static_channel_is_its_mean_exactly() {
    for mean_db in [-12.5, 0.0, 7.2, 0.1] {
        let mut channel = UserChannel::constant(Decibel::new(mean_db));
        assert_eq!(fill(&mut channel, 9), [mean_db as f32; BLOCK_SLOTS]);
        assert_eq!(channel.mean().db(), mean_db);
    }
}

#[test]
fn mean_shadowing_and_fading_add_in_decibels() {
    let mut channel =
        UserChannel::constant(Decibel::new(3.0)).with_shadowing(shadowing(30.0, 4)).with_fading(fading(4));
    let together = fill(&mut channel, 0);
    let shade = shadowing_block(&mut shadowing(30.0, 4), 0);
    let mut gain = [0.0; BLOCK_SLOTS];
    fading(4).fill(Slot::ZERO, &mut gain);
    for slot in 0..BLOCK_SLOTS {
        let expected = 3.0 + f64::from(shade[slot]) + 10.0 * libm::log10(f64::from(gain[slot]));
        assert!((f64::from(together[slot]) - expected).abs() < 1e-5, "slot {slot}");
    }
}

#[test]
fn an_instantaneous_ceiling_holds_in_every_slot() {
    let ceiling = Ceiling::new(Decibel::new(5.0));
    let open = UserChannel::constant(Decibel::new(4.0)).with_fading(fading(1));
    let closed = fill(&mut open.clone().with_instantaneous_ceiling(ceiling), 2);
    for (closed, open) in closed.into_iter().zip(fill(&mut open.clone(), 2)) {
        let expected = ceiling.apply(Decibel::new(f64::from(open))).db();
        assert!((f64::from(closed) - expected).abs() < 1e-5, "{closed} for {expected}");
    }
}
