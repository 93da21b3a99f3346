//! The sum of sinusoids against theory. Users are independent by construction, so every tolerance is 4.5 standard
//! errors of a mean over users (one false alarm in 10^5), with the users' own scatter as the yardstick; where the
//! theory is that of infinitely many terms, the known next term in 1/N is allowed for and said.

use std::f64::consts::TAU;

use airlink_model::channel::{FadingConfig, SumOfSinusoids};
use airlink_model::types::{BLOCK_SLOTS, Purpose, RandomStream, Slot};

fn fading(terms: usize, doppler_per_slot: f64, user: u64) -> SumOfSinusoids {
    let config = FadingConfig { terms, doppler_hz: doppler_per_slot, slot_s: 1.0 };
    SumOfSinusoids::new(config, &mut RandomStream::new(11, Purpose::Fading, user))
}

fn block(fading: &SumOfSinusoids, number: u64) -> [f32; BLOCK_SLOTS] {
    let mut gain = [0.0; BLOCK_SLOTS];
    fading.fill(Slot::new(number * BLOCK_SLOTS as u64), &mut gain);
    gain
}

/// The mean over users of what each contributes, and its standard error.
fn over_users(users: u64, mut value: impl FnMut(u64) -> f64) -> (f64, f64) {
    let values: Vec<f64> = (0..users).map(&mut value).collect();
    let mean = values.iter().sum::<f64>() / users as f64;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (users - 1) as f64;
    (mean, (variance / users as f64).sqrt())
}

fn assert_near((mean, standard_error): (f64, f64), expected: f64, allowance: f64, what: &str) {
    let bound = 4.5 * standard_error + allowance;
    assert!((mean - expected).abs() <= bound, "{what}: {mean} is not within {bound} of {expected}");
}

/// The Bessel function J_n by the trapezoidal rule, exact to rounding for such a smooth periodic integrand.
fn bessel(order: f64, x: f64) -> f64 {
    let points = 64 + 2 * x as u32;
    let at = |k| {
        libm::cos(
            order * TAU * f64::from(k) / f64::from(points) - x * libm::sin(TAU * f64::from(k) / f64::from(points)),
        )
    };
    (0..points).map(at).sum::<f64>() / f64::from(points)
}

fn share_below(gain: &[f32; BLOCK_SLOTS], bound: f64) -> f64 {
    gain.iter().filter(|&&gain| f64::from(gain) < bound).count() as f64 / BLOCK_SLOTS as f64
}

#[test]
fn every_block_is_the_sum_of_sinusoids_it_claims_to_be() {
    let (terms, doppler_per_slot) = (13, 0.277_8);
    let mut stream = RandomStream::new(11, Purpose::Fading, 5);
    let theta = stream.uniform();
    let drawn: Vec<(f64, f64)> = (0..terms)
        .map(|term| {
            let angle = TAU * (term as f64 + theta) / terms as f64;
            (doppler_per_slot * libm::cos(angle), stream.bits() as f64 / 18_446_744_073_709_551_616.0)
        })
        .collect();
    let fading = fading(terms, doppler_per_slot, 5);
    for number in [0, 1, 2, 999_999] {
        for (lane, gain) in block(&fading, number).into_iter().enumerate() {
            let slot = (number * BLOCK_SLOTS as u64 + lane as u64) as f64;
            let part = |wave: fn(f64) -> f64| {
                drawn.iter().map(|(turns, start)| wave(TAU * (turns * slot + start))).sum::<f64>()
            };
            let exact = libm::pow(libm::hypot(part(libm::cos), part(libm::sin)), 2.0) / terms as f64;
            let bound = 2e-6 * exact.sqrt() * (terms as f64).sqrt() + 1e-10;
            assert!((f64::from(gain) - exact).abs() < bound, "slot {slot}: {gain} for {exact}");
        }
    }
}

#[test]
fn the_mean_power_is_one_and_its_variance_one_less_the_nth_part() {
    for terms in [4, 16, 64] {
        let mean_of = |power: f64| {
            over_users(8_000, |user| {
                block(&fading(terms, 0.37, user), 3).iter().map(|&gain| libm::pow(f64::from(gain), power)).sum::<f64>()
                    / BLOCK_SLOTS as f64
            })
        };
        assert_near(mean_of(1.0), 1.0, 0.0, "mean power");
        assert_near(mean_of(2.0), 2.0 - 1.0 / terms as f64, 0.0, "mean square power");
    }
}

#[test]
fn the_power_decorrelates_as_j0_squared() {
    // Cov(|h(0)|^2, |h(t)|^2) = E |A(t)|^2 - 1/N, with A the mean of exp(j w_n t) over the terms: J0 plus terms of
    // order J_N, below 1e-3 for w t <= 7.3 and N = 16.
    let (terms, doppler_per_slot) = (16, 0.018_3);
    for lag in [0, 5, 10, 21, 33, 48, 63] {
        let product = over_users(20_000, |user| {
            let gain = block(&fading(terms, doppler_per_slot, user), 1);
            f64::from(gain[0] - 1.0) * f64::from(gain[lag] - 1.0)
        });
        let j0 = bessel(0.0, TAU * doppler_per_slot * lag as f64);
        assert_near(product, j0 * j0 - 1.0 / terms as f64, 1e-3, &format!("lag {lag}"));
    }
}

#[test]
fn the_power_follows_the_random_walk_of_n_steps() {
    // [Kluyver05]: P(|S| <= r) = r int_0^inf J1(r t) J0(t)^N dt for the sum S of N unit phasors. Beyond t = 30 nothing
    // above 1e-6 is left for N = 8; Simpson's rule with the step 0.02 is exact to 1e-5 for r <= 9.
    let (step, intervals) = (0.02, 1_500);
    for terms in [8, 16] {
        let j0_to_n: Vec<f64> =
            (0..=intervals).map(|k: u32| libm::pow(bessel(0.0, step * f64::from(k)), terms as f64)).collect();
        for power in [0.05, 0.5, 1.0, 3.0, 5.0] {
            let r = (power * terms as f64).sqrt();
            let integral = |spacing: usize| {
                let at = |k: usize| bessel(1.0, r * step * k as f64) * j0_to_n[k];
                let simpson = |k: usize| at(k) + 4.0 * at(k + spacing) + at(k + 2 * spacing);
                (0..j0_to_n.len() - 1).step_by(2 * spacing).map(simpson).sum::<f64>() * r * step * spacing as f64 / 3.0
            };
            let exact = integral(1);
            assert!((exact - integral(2)).abs() < 16.0 * 1e-5, "the integral has converged");
            let share = over_users(10_000, |user| share_below(&block(&fading(terms, 0.43, user), 7), power));
            assert_near(share, exact, 1e-5, &format!("N = {terms}, power {power}"));
            if power >= 5.0 {
                let rayleigh = 1.0 - libm::exp(-power);
                let (mean, standard_error) = share;
                assert!(mean - rayleigh > 4.5 * standard_error, "the tail must be seen to be lighter: {mean}");
            }
        }
    }
}

#[test]
fn fades_are_as_frequent_and_as_long_as_rices_formula_says() {
    // Crossings per Doppler period: sqrt(2 pi) rho exp(-rho^2); time below: 1 - exp(-rho^2). For N = 64 terms the next
    // term in 1/N is below 1/N of either. Sampling 200 times a Doppler period misses fades shorter than that: less than
    // one in a hundred at rho = 0.3, whose mean fade lasts 25 samples.
    let (terms, doppler_per_slot, blocks) = (64, 0.005, 6);
    for rho in [0.3_f64, 1.0, 1.5] {
        let periods = doppler_per_slot * (blocks * BLOCK_SLOTS as u64) as f64;
        let mut below = 0.0;
        let users = 3_000;
        let crossings = over_users(users, |user| {
            let fading = fading(terms, doppler_per_slot, user);
            let gain: Vec<f32> = (0..blocks).flat_map(|number| block(&fading, number)).collect();
            let is_below = |gain: f32| f64::from(gain) < rho * rho;
            below += gain.iter().filter(|&&gain| is_below(gain)).count() as f64 / (gain.len() as f64 * users as f64);
            gain.windows(2).filter(|pair| is_below(pair[0]) && !is_below(pair[1])).count() as f64 / periods
        });
        let expected = TAU.sqrt() * rho * libm::exp(-rho * rho);
        assert_near(crossings, expected, expected * (1.0 / 64.0 + 0.01), &format!("crossings of {rho}"));
        let fade = below / crossings.0;
        let expected_fade = libm::expm1(rho * rho) / (rho * TAU.sqrt());
        // Both the crossings' error and the time's (of about the same relative size) enter the ratio.
        let relative = 2.0 * (4.5 * crossings.1 / crossings.0 + 1.0 / 64.0 + 0.01);
        assert!((fade / expected_fade - 1.0).abs() < relative, "fade below {rho}: {fade} for {expected_fade}");
    }
}

#[test]
fn users_fade_independently() {
    let product = over_users(20_000, |pair| {
        let (a, b) = (block(&fading(16, 0.05, 2 * pair), 0), block(&fading(16, 0.05, 2 * pair + 1), 0));
        f64::from(a[0] - 1.0) * f64::from(b[0] - 1.0)
    });
    assert_near(product, 0.0, 0.0, "correlation");
    assert!(product.1 < 2.0 / (20_000.0_f64).sqrt(), "the yardstick itself is that of unit variances");
}

#[test]
fn without_doppler_the_fade_stays_as_drawn() {
    let fading = fading(16, 0.0, 3);
    let gain = block(&fading, 0);
    assert!(gain.iter().all(|&value| value == gain[0] && value > 0.0));
    assert_eq!(gain, block(&fading, 1_000));
}
