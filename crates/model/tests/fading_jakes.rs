//! The weighted cosines of [Andrew08] against the formula in plain code and against what follows from it. Tolerances are
//! 4.5 standard errors of a mean over independent users, or of rounding where that is said.

use std::f64::consts::{PI, TAU};

use airlink_model::channel::{FadingConfig, SumOfSinusoids};
use airlink_model::types::{BLOCK_SLOTS, Purpose, RandomStream, Slot};

/// Turns per slot of term n = 1.. of G cosines; the paper prints `shift` = 1/2, the model has -1/2.
fn turns(n: usize, terms: usize, doppler_per_slot: f64, shift: f64) -> f64 {
    doppler_per_slot * libm::cos(PI * (n as f64 + shift) / (2.0 * terms as f64))
}

/// |h|^2 in `slot`, written down from the formula; phases in turns.
fn power(phases: &[f64], doppler_per_slot: f64, slot: f64, shift: f64) -> f64 {
    let terms = phases.len();
    let (mut re, mut im) = (0.0, 0.0);
    for (n, phase) in (1..).zip(phases) {
        let cosine = libm::cos(TAU * (turns(n, terms, doppler_per_slot, shift) * slot + phase));
        re += cosine * libm::cos(PI * n as f64 / terms as f64);
        im += cosine * libm::sin(PI * n as f64 / terms as f64);
    }
    2.0 / terms as f64 * (re * re + im * im)
}

fn phases(terms: usize, user: u64) -> Vec<f64> {
    let mut stream = RandomStream::new(11, Purpose::Fading, user);
    (0..terms).map(|_| stream.bits() as f64 / 18_446_744_073_709_551_616.0).collect()
}

fn block(terms: usize, doppler_per_slot: f64, user: u64, number: u64) -> [f64; BLOCK_SLOTS] {
    let config = FadingConfig { terms, doppler_hz: doppler_per_slot, slot_s: 1.0 };
    let fading = SumOfSinusoids::jakes(config, &mut RandomStream::new(11, Purpose::Fading, user));
    let mut gain = [0.0; BLOCK_SLOTS];
    fading.fill(Slot::new(number * BLOCK_SLOTS as u64), &mut gain);
    gain.map(f64::from)
}

/// The mean over users of what each contributes, and its standard error.
fn over_users(users: u64, value: impl FnMut(u64) -> f64) -> (f64, f64) {
    let values: Vec<f64> = (0..users).map(value).collect();
    let mean = values.iter().sum::<f64>() / users as f64;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (users - 1) as f64;
    (mean, (variance / users as f64).sqrt())
}

fn assert_near((mean, standard_error): (f64, f64), expected: f64, what: &str) {
    let bound = 4.5 * standard_error;
    assert!((mean - expected).abs() <= bound, "{what}: {mean} is not within {bound} of {expected}");
}

#[test]
fn every_block_is_the_sum_of_cosines_that_the_formula_says() {
    for (terms, doppler_per_slot, user) in [(20, 0.18, 5), (20, 0.0018, 6), (2, 0.3, 7), (32, 0.41, 8)] {
        let phases = phases(terms, user);
        for number in [0, 1, 2, 999_999] {
            for (lane, gain) in block(terms, doppler_per_slot, user, number).into_iter().enumerate() {
                let slot = (number * BLOCK_SLOTS as u64 + lane as u64) as f64;
                let exact = power(&phases, doppler_per_slot, slot, -0.5);
                // The component error of a sum of 2 G sinusoids, times about 2 |h|.
                let bound = 2e-6 * exact.sqrt() * (2.0 * terms as f64).sqrt() + 1e-10;
                assert!((gain - exact).abs() < bound, "slot {slot}: {gain} for {exact}");
            }
        }
    }
}

#[test]
fn the_mean_power_is_one_and_its_mean_square_two_less_three_halves_of_the_gth_part() {
    for terms in [4, 20, 32] {
        let mean_of = |exponent: f64| {
            over_users(8_000, |user| {
                block(terms, 0.37, user, 3).iter().map(|&gain| libm::pow(gain, exponent)).sum::<f64>()
                    / BLOCK_SLOTS as f64
            })
        };
        assert_near(mean_of(1.0), 1.0, "mean power");
        assert_near(mean_of(2.0), 2.0 - 1.5 / terms as f64, "mean square power");
    }
}

#[test]
fn the_power_decorrelates_as_the_products_of_the_cosines() {
    // Cov(|h(0)|^2, |h(t)|^2): of the squares of single cosines 1 / (2 G^2) sum cos 2 w_n t, of their products
    // 2 / G^2 sum_{n != m} cos^2(pi (n - m) / G) cos w_n t cos w_m t.
    let doppler_per_slot = 0.018_3;
    for terms in [5, 20] {
        for lag in [0, 5, 10, 21, 33, 48, 63] {
            let product = over_users(20_000, |user| {
                let gain = block(terms, doppler_per_slot, user, 1);
                (gain[0] - 1.0) * (gain[lag] - 1.0)
            });
            let cosine = |n, times| libm::cos(TAU * times * turns(n, terms, doppler_per_slot, -0.5) * lag as f64);
            let single: f64 = (1..=terms).map(|n| cosine(n, 2.0)).sum();
            let pair = |n: usize, m: usize| {
                let between = libm::cos(PI * (n as f64 - m as f64) / terms as f64);
                if n == m { 0.0 } else { between * between * cosine(n, 1.0) * cosine(m, 1.0) }
            };
            let pairs: f64 = (1..=terms).map(|n| (1..=terms).map(|m| pair(n, m)).sum::<f64>()).sum();
            let expected = (0.5 * single + 2.0 * pairs) / (terms * terms) as f64;
            assert_near(product, expected, &format!("G = {terms}, lag {lag}"));
        }
    }
}

#[test]
fn every_user_has_mean_power_1_over_time() {
    // 2000 blocks a user. Beats of frequencies df apart leave below 2/G / (2 pi df T) each in the mean over T: here the
    // closest pair, 7.6e-4 a slot apart, 2e-4; all 190 pairs together below 1e-3.
    let (terms, doppler_per_slot, blocks) = (20, 0.18, 2_000_u64);
    for user in 0..6 {
        let total: f64 =
            (0..blocks).map(|number| block(terms, doppler_per_slot, user, number).iter().sum::<f64>()).sum();
        let mean = total / (blocks as f64 * BLOCK_SLOTS as f64);
        assert!((mean - 1.0).abs() < 1e-3, "user {user}: {mean}");
    }
    // As printed, terms G - 1 and G are one frequency: of their product 2/G cos(pi / G) cos(phi + phi') is left for good.
    let mut worst: f64 = 0.0;
    for user in 0..6 {
        let phases = phases(terms, user);
        let slots = 20_000_u32;
        let total: f64 = (0..slots).map(|slot| power(&phases, doppler_per_slot, f64::from(slot), 0.5)).sum();
        let left = 2.0 / terms as f64 * libm::cos(PI / terms as f64);
        let expected = 1.0 + left * libm::cos(TAU * (phases[terms - 2] + phases[terms - 1]));
        let mean = total / f64::from(slots);
        assert!((mean - expected).abs() < 6e-3, "user {user}: {mean} for {expected}");
        worst = worst.max((mean - 1.0).abs());
    }
    assert!(worst > 0.05, "users must be seen to differ: {worst}");
}

#[test]
fn users_fade_independently() {
    let product = over_users(20_000, |pair| {
        (block(20, 0.05, 2 * pair, 0)[0] - 1.0) * (block(20, 0.05, 2 * pair + 1, 0)[0] - 1.0)
    });
    assert_near(product, 0.0, "correlation");
    assert!(product.1 < 2.0 / (20_000.0_f64).sqrt(), "the yardstick itself is that of unit variances");
}

#[test]
fn without_doppler_the_fade_stays_as_drawn() {
    let gain = block(20, 0.0, 3, 0);
    assert!(gain.iter().all(|&value| value == gain[0] && value > 0.0));
    assert_eq!(gain, block(20, 0.0, 3, 1_000));
}
