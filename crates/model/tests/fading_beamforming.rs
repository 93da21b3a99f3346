//! Opportunistic beamforming against its formula in plain code: the mean power, and how long fades last.
//! Tolerances are 4.5 standard errors of a mean over independent users and beams, or of rounding where stated.

use std::f64::consts::TAU;

use airlink_model::channel::{Beam, Beamformed, FadingConfig, SumOfSinusoids};
use airlink_model::types::{BLOCK_SLOTS, Purpose, RandomStream, Slot};

const STILL: FadingConfig = FadingConfig { terms: 8, doppler_hz: 0.0, slot_s: 1.0 };
const TURNING: FadingConfig = FadingConfig { terms: 12, doppler_hz: 0.02, slot_s: 1.0 };

fn user(antennas: usize, fading: FadingConfig, turning: FadingConfig, seed: u64, number: u64) -> Beamformed {
    let mut stream = RandomStream::new(seed, Purpose::Fading, number);
    let paths = (0..antennas).map(|_| SumOfSinusoids::new(fading, &mut stream)).collect();
    Beamformed::new(&Beam::new(antennas, turning, seed), paths)
}

fn block(user: &Beamformed, number: u64) -> [f64; BLOCK_SLOTS] {
    let mut gain = [0.0; BLOCK_SLOTS];
    user.fill(Slot::new(number * BLOCK_SLOTS as u64), &mut gain);
    gain.map(f64::from)
}

/// One sum of sinusoids as drawn: frequency (turns per slot) and initial phase (turns) of each term.
fn drawn(config: FadingConfig, stream: &mut RandomStream) -> Vec<(f64, f64)> {
    let theta = stream.uniform();
    (0..config.terms)
        .map(|term| {
            let angle = TAU * (term as f64 + theta) / config.terms as f64;
            let start = stream.bits() as f64 / 18_446_744_073_709_551_616.0;
            (config.doppler_hz * config.slot_s * libm::cos(angle), start)
        })
        .collect()
}

/// The sum in `slot`, real and imaginary part.
fn value(waves: &[(f64, f64)], slot: f64) -> (f64, f64) {
    let part = |wave: fn(f64) -> f64| {
        waves.iter().map(|(turns, start)| wave(TAU * (turns * slot + start))).sum::<f64>() / (waves.len() as f64).sqrt()
    };
    (part(libm::cos), part(libm::sin))
}

#[test]
fn every_sample_is_the_weighted_sum_of_the_formula() {
    let slow = FadingConfig { doppler_hz: 1e-4, ..STILL };
    for (antennas, fading, seed) in [(1, STILL, 1), (2, STILL, 2), (4, slow, 3), (16, slow, 4)] {
        let mut stream = RandomStream::new(seed, Purpose::Fading, 7);
        let paths: Vec<_> = (0..antennas).map(|_| drawn(fading, &mut stream)).collect();
        let weight = |antenna: u64| drawn(TURNING, &mut RandomStream::new(seed, Purpose::Beam, antenna));
        let weights: Vec<_> = (0..antennas as u64).map(weight).collect();
        for number in [0, 3, 99_999] {
            for (lane, gain) in block(&user(antennas, fading, TURNING, seed, 7), number).into_iter().enumerate() {
                let slot = (number * BLOCK_SLOTS as u64 + lane as u64) as f64;
                let (mut re, mut im, mut power) = (0.0, 0.0, 0.0);
                for (path, weight) in paths.iter().zip(&weights) {
                    let ((a, b), (c, d)) = (value(path, slot), value(weight, slot));
                    (re, im, power) = (re + a * c - b * d, im + a * d + b * c, power + c * c + d * d);
                }
                let exact = (re * re + im * im) / power;
                // The component errors of paths and weights, 1e-6 sqrt(N) each of an amplitude of at most sqrt(N), over
                // the weights' own amplitude.
                let bound = 2e-5 * (exact.sqrt() + 1e-4) * (antennas as f64 / power).sqrt();
                assert!((gain - exact).abs() < bound, "slot {slot} of {antennas}: {gain} for {exact}");
            }
        }
    }
}

#[test]
fn the_mean_power_is_one_under_any_weights() {
    for antennas in [1, 2, 8] {
        let users = 20_000_u64;
        // One beam: the weights are the same for all users, and each user's channels are independent.
        let values: Vec<f64> =
            (0..users).map(|number| block(&user(antennas, STILL, TURNING, 5, number), 4)[17]).collect();
        let mean = values.iter().sum::<f64>() / users as f64;
        let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / users as f64;
        assert!((mean - 1.0).abs() < 4.5 * (variance / users as f64).sqrt(), "{antennas} antennas: {mean}");
        assert!((0.7..1.1).contains(&variance), "and it fades: {variance}");
    }
}

#[test]
fn a_static_user_fades_with_the_weights_and_with_one_antenna_not_at_all() {
    let spread = |antennas| {
        let users = 400;
        let of = |number| {
            let user = user(antennas, STILL, TURNING, 100 + number, number);
            let gain: Vec<f64> = (0..20).flat_map(|at| block(&user, at)).collect();
            let mean = gain.iter().sum::<f64>() / gain.len() as f64;
            gain.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / gain.len() as f64
        };
        (0..users).map(of).sum::<f64>() / users as f64
    };
    // With all directions alike |w.h|^2 / |h|^2 has the mean 1 / M and the variance (M - 1) / (M^2 (M + 1)); E |h|^4 of M
    // antennas of N terms is M (M + 1) - M / N.
    assert!(spread(1) < 1e-10, "one antenna has only a phase to turn");
    let (antennas, terms) = (4.0, 8.0);
    let fourth = antennas * (antennas + 1.0) - antennas / terms;
    let expected = fourth * (antennas - 1.0) / (antennas * antennas * (antennas + 1.0));
    // With 25 periods of the weights a run, about a fifteenth of the variance is in the mean of the run.
    let measured = spread(4);
    assert!((0.8 * expected..1.05 * expected).contains(&measured), "{measured} for {expected}");
}
