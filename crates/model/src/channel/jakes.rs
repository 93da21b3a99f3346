//! Flat fading as G weighted cosines: the form of [Jakes74] that [Andrew08] prints, with random phases.
//!
//! h(t) = (2/G)^1/2 sum_{n=1..G} cos(w_n t + phi_n) exp(j pi n / G), w_n = 2 pi f_d cos(pi (n - 1/2) / (2 G)), with
//! independent uniform phases phi_n: without them, as printed, all users would fade as one. Over the phases E|h|^2 = 1,
//! E h*(0) h(t) = 1/G sum_n cos(w_n t) (a midpoint rule for J0) and E|h|^4 = 2 - 3 / (2 G), exactly and for every G.
//!
//! The paper has n + 1/2. Then w_G = -w_{G-1}: two cosines of one frequency, whose phases decide for good whether they
//! help or hinder each other, so that the mean power of a user over time is off by up to 2/G cos(pi / G). With n - 1/2
//! all frequencies differ and every user's is 1.
//!
//! A cosine is two phasors that turn against each other, so this is a sum of 2 G sinusoids of equal amplitude.
//!
//! Left out: terms of unequal amplitude (Jakes' own form has one at f_d). The weights do not make the field circular:
//! its real and imaginary part are uncorrelated at one instant, not at two.

use std::f64::consts::PI;

use super::fading::{FadingConfig, SumOfSinusoids, Wave};
use super::phasor::phase_of_turns;
use crate::types::RandomStream;

impl SumOfSinusoids {
    /// Draws the phases of 2 to 32 cosines from `stream`.
    pub fn jakes(config: FadingConfig, stream: &mut RandomStream) -> Self {
        let FadingConfig { terms, doppler_hz, slot_s } = config;
        let count = terms as f64;
        let waves = (1..=terms).flat_map(|term| {
            let angle = PI * (term as f64 - 0.5) / (2.0 * count);
            let per_slot = phase_of_turns(doppler_hz * slot_s * libm::cos(angle));
            let (phase, weight) = (stream.bits(), phase_of_turns(term as f64 / (2.0 * count)));
            let turning = |phase: u64, per_slot| Wave { at_start: weight.wrapping_add(phase), per_slot };
            [turning(phase, per_slot), turning(phase.wrapping_neg(), per_slot.wrapping_neg())]
        });
        Self::of(&waves.collect::<Vec<Wave>>())
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::super::fading::Field;
    use super::*;
    use crate::types::{Purpose, Slot};

    #[test]
    fn the_autocorrelation_of_the_field_is_the_mean_of_the_cosines() {
        let users = 20_000;
        for (terms, doppler_per_slot) in [(4, 0.02), (9, 0.05), (20, 0.018)] {
            let config = FadingConfig { terms, doppler_hz: doppler_per_slot, slot_s: 1.0 };
            let lags = [0, 1, 7, 20, 41, 63];
            let (mut re, mut im) = ([0.0; 6], [0.0; 6]);
            for user in 0..users {
                let mut field = Field::ZERO;
                SumOfSinusoids::jakes(config, &mut RandomStream::new(3, Purpose::Fading, user))
                    .fill_field(Slot::ZERO, &mut field);
                let (x, y) = (field.re.map(f64::from), field.im.map(f64::from));
                for (at, &lag) in lags.iter().enumerate() {
                    re[at] += (x[0] * x[lag] + y[0] * y[lag]) / users as f64;
                    im[at] += (x[0] * y[lag] - y[0] * x[lag]) / users as f64;
                }
            }
            // As E |h|^4 < 2, each part has a variance below 2.
            let bound = 4.5 * (2.0 / users as f64).sqrt();
            for (at, &lag) in lags.iter().enumerate() {
                let turns = |n: u32| doppler_per_slot * libm::cos(PI * (f64::from(n) - 0.5) / (2.0 * terms as f64));
                let cosines = (1..=terms as u32).map(|n| libm::cos(TAU * turns(n) * lag as f64));
                let expected = cosines.sum::<f64>() / terms as f64;
                assert!((re[at] - expected).abs() < bound, "G = {terms}, lag {lag}: {} for {expected}", re[at]);
                assert!(im[at].abs() < bound, "G = {terms}, lag {lag}: {}", im[at]);
            }
        }
    }
}
