//! Gaussian amplitudes of sums of sinusoids against theory. Users are independent by construction, so tolerances are 4.5 standard
//! errors of a mean over users, or the Kolmogorov-Smirnov bound that draws of the law itself exceed once in 10^5.

use std::f64::consts::TAU;
use std::sync::Arc;

use airlink_model::channel::{DelayProfile, FadingConfig, Steering, Subchannels, SumOfSinusoids, TappedDelayLine};
use airlink_model::types::{BLOCK_SLOTS, Purpose, RandomStream, Slot};

/// The least distance of two empirical distributions from their law, times sqrt(n), that is exceeded once in 10^5: 2 exp(-2 d^2).
const KOLMOGOROV: f64 = 2.471;

fn stream(purpose: Purpose, user: u64) -> RandomStream {
    RandomStream::new(31, purpose, user)
}

fn config(terms: usize, doppler_per_slot: f64) -> FadingConfig {
    FadingConfig { terms, doppler_hz: doppler_per_slot, slot_s: 1.0 }
}

fn equal(config: FadingConfig, user: u64) -> SumOfSinusoids {
    SumOfSinusoids::new(config, &mut stream(Purpose::Fading, user))
}

fn gaussian(config: FadingConfig, user: u64) -> SumOfSinusoids {
    equal(config, user).with_gaussian_amplitudes(&mut stream(Purpose::FadingAmplitude, user))
}

fn line(steering: &Arc<Steering>, config: FadingConfig, user: u64) -> TappedDelayLine {
    TappedDelayLine::new(steering, config, &mut stream(Purpose::Fading, user))
        .with_gaussian_amplitudes(&mut stream(Purpose::FadingAmplitude, user))
}

/// Two equal paths, which three subchannels see apart.
fn two_paths() -> Arc<Steering> {
    let profile = DelayProfile::new(&[0.0, 500.0], &[0.0, 0.0]);
    Steering::new(&profile, Subchannels { count: 3, width_hz: 700e3 })
}

fn block(fading: &SumOfSinusoids, number: u64) -> [f64; BLOCK_SLOTS] {
    let mut gain = [0.0; BLOCK_SLOTS];
    fading.fill(Slot::new(number * BLOCK_SLOTS as u64), &mut gain);
    gain.map(f64::from)
}

/// a_n exp(j phi_n) / sqrt(N) of a sum as drawn, with its turns per slot.
fn drawn(config: FadingConfig, phases: &mut RandomStream, amplitudes: &mut RandomStream) -> Vec<[f64; 3]> {
    let theta = phases.uniform();
    let wave = |term: usize| {
        let turns = config.doppler_hz * libm::cos(TAU * (term as f64 + theta) / config.terms as f64);
        let amplitude = (amplitudes.exponential(1.0) / config.terms as f64).sqrt();
        [amplitude, turns, phases.bits() as f64 / 18_446_744_073_709_551_616.0]
    };
    (0..config.terms).map(wave).collect()
}

/// Mean and standard error over users.
fn over_users(users: u64, value: impl FnMut(u64) -> f64) -> (f64, f64) {
    let values: Vec<f64> = (0..users).map(value).collect();
    let mean = values.iter().sum::<f64>() / users as f64;
    let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, (square / (users * (users - 1)) as f64).sqrt())
}

fn assert_near((mean, standard_error): (f64, f64), expected: f64, what: &str) {
    assert!((mean - expected).abs() <= 4.5 * standard_error, "{what}: {mean} +- {standard_error} for {expected}");
}

/// The largest distance of the powers' distribution from the exponential one of mean 1, times sqrt(n).
fn distance_from_exponential(mut powers: Vec<f64>) -> f64 {
    powers.sort_by(f64::total_cmp);
    let count = powers.len() as f64;
    let apart = powers.iter().enumerate().map(|(rank, power)| {
        let law = -libm::expm1(-power);
        (law - rank as f64 / count).max((rank + 1) as f64 / count - law)
    });
    apart.fold(0.0, f64::max) * count.sqrt()
}

fn bessel_j0(x: f64) -> f64 {
    (0..64).map(|k| libm::cos(x * libm::sin(TAU * f64::from(k) / 64.0))).sum::<f64>() / 64.0
}

#[test]
fn every_sample_is_the_sum_of_the_weighted_sinusoids() {
    let config = config(11, 0.2778);
    let waves = drawn(config, &mut stream(Purpose::Fading, 5), &mut stream(Purpose::FadingAmplitude, 5));
    let fading = gaussian(config, 5);
    for number in [0, 1, 999_999] {
        for (lane, gain) in block(&fading, number).into_iter().enumerate() {
            let slot = (number * BLOCK_SLOTS as u64 + lane as u64) as f64;
            let part = |of: fn(f64) -> f64| waves.iter().map(|[a, turns, at]| a * of(TAU * (turns * slot + at))).sum();
            let exact: f64 = libm::hypot(part(libm::cos), part(libm::sin));
            // Each phasor is off by 2e-6 at most, times its amplitude.
            let bound = 2e-6 * waves.iter().map(|[amplitude, ..]| amplitude).sum::<f64>();
            assert!((gain.sqrt() - exact).abs() < bound, "slot {slot}: {gain} for {}", exact * exact);
        }
    }
}

#[test]
fn every_path_has_amplitudes_of_its_own() {
    let config = config(5, 0.02);
    let (mut phases, mut amplitudes) = (stream(Purpose::Fading, 8), stream(Purpose::FadingAmplitude, 8));
    // Draws of the phases are in the order of the paths, and so are those of the amplitudes.
    let paths = [0, 1].map(|_| drawn(config, &mut phases, &mut amplitudes));
    let mut line = line(&two_paths(), config, 8);
    for slot in [0, 63, 64, 100_000] {
        let mut gain = [0.0; 3];
        line.fill(Slot::new(slot), &mut gain);
        for (s, gain) in gain.into_iter().enumerate() {
            let of_paths = [0.0, 500e-9].map(|delay_s| (s as f64 - 1.0) * 700e3 * delay_s);
            let part = |of: fn(f64) -> f64| {
                let of_path = |(waves, back): (&Vec<[f64; 3]>, f64)| {
                    waves.iter().map(|[a, turns, at]| a * of(TAU * (turns * slot as f64 + at - back))).sum::<f64>()
                };
                paths.iter().zip(of_paths).map(of_path).sum::<f64>() / 2.0_f64.sqrt()
            };
            let exact = libm::hypot(part(libm::cos), part(libm::sin));
            assert!((f64::from(gain).sqrt() - exact).abs() < 2e-5, "subchannel {s}, slot {slot}: {gain}");
        }
    }
}

#[test]
fn the_envelope_is_rayleigh_for_any_number_of_sinusoids() {
    let users = 20_000;
    for terms in [4, 16] {
        let powers = |sum: fn(FadingConfig, u64) -> SumOfSinusoids| {
            (0..users).map(|user| block(&sum(config(terms, 0.01), user), 2)[7]).collect::<Vec<_>>()
        };
        let apart = distance_from_exponential(powers(gaussian));
        assert!(apart < KOLMOGOROV, "{terms} terms: {apart}");
        // A walk of four equal steps never gets far; one of 16 differs by less than this sample shows.
        assert!(terms == 16 || distance_from_exponential(powers(equal)) > KOLMOGOROV);
    }
    let steering = two_paths();
    let of_line = |user| {
        let mut gain = [0.0; 3];
        line(&steering, config(4, 0.01), user).fill(Slot::new(77), &mut gain);
        f64::from(gain[2])
    };
    let apart = distance_from_exponential((0..users).map(of_line).collect());
    assert!(apart < KOLMOGOROV, "a tapped delay line: {apart}");
}

#[test]
fn the_autocorrelation_of_the_field_is_j0_with_gaussian_amplitudes() {
    // One path in one subchannel is a flat sum.
    let flat = Steering::new(&DelayProfile::new(&[0.0], &[0.0]), Subchannels { count: 1, width_hz: 1e6 });
    for (steering, terms, doppler_per_slot) in [(&flat, 4, 0.02), (&flat, 16, 0.05), (&two_paths(), 6, 0.03)] {
        let last = steering.subchannels() - 1;
        for lag in [0, 6, 13, 25, 60] {
            let product = |user, second: fn([f32; 4]) -> f32| {
                let mut line = line(steering, config(terms, doppler_per_slot), user);
                let mut at = |slot| {
                    let (mut re, mut im) = (vec![0.0; last + 1], vec![0.0; last + 1]);
                    line.fill_field(Slot::new(slot), &mut re, &mut im);
                    [re[last], im[last]]
                };
                let ([a, b], [c, d]) = (at(10), at(10 + lag));
                f64::from(second([a, b, c, d]))
            };
            let expected = bessel_j0(TAU * doppler_per_slot * lag as f64);
            let what = format!("{terms} terms, lag {lag}");
            assert_near(over_users(10_000, |user| product(user, |[a, b, c, d]| a * c + b * d)), expected, &what);
            if lag > 0 {
                assert_near(over_users(10_000, |user| product(user, |[a, b, c, d]| a * d - b * c)), 0.0, &what);
            }
        }
    }
}

#[test]
fn the_mean_power_of_a_run_is_that_of_its_amplitudes_and_scatters_by_one_over_root_n() {
    let blocks = 40;
    for terms in [4, 20] {
        let config = config(terms, 0.21);
        let mean_power = |fading: &SumOfSinusoids| {
            let powers = (0..blocks).map(|number| block(fading, 977 * number).iter().sum::<f64>());
            powers.sum::<f64>() / (blocks * BLOCK_SLOTS as u64) as f64
        };
        let users = 4_000;
        let (mut mean, mut of_amplitudes) = (Vec::new(), Vec::new());
        for user in 0..users {
            mean.push(mean_power(&gaussian(config, user)));
            let mut draws = stream(Purpose::FadingAmplitude, user);
            of_amplitudes.push((0..terms).map(|_| draws.exponential(1.0)).sum::<f64>() / terms as f64);
        }
        assert_near(over_users(users, |user| mean[user as usize]), 1.0, "mean power");
        let square = |user| libm::pow(mean[user as usize] - 1.0, 2.0);
        // Beats between sinusoids add to the variance of a finite run; with equal amplitudes they are all there is.
        let beats = over_users(users, |user| libm::pow(mean_power(&equal(config, user)) - 1.0, 2.0)).0;
        let (found, standard_error) = over_users(users, square);
        assert!(beats < 0.02 / terms as f64, "{beats}");
        let bound = 4.5 * standard_error + beats;
        assert!((found - 1.0 / terms as f64).abs() < bound, "{terms} terms: {found}");
        // A run's own mean differs from that of its amplitudes by its beats.
        let residual = |user| libm::pow(mean[user as usize] - of_amplitudes[user as usize], 2.0);
        assert!(over_users(users, residual).0 < 3.0 * beats, "{terms} terms");
    }
}
