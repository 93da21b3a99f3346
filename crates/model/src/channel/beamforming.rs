//! Opportunistic beamforming: several antennas send the same signal with weights that turn at random, so that the sum
//! fades fast where each antenna fades slowly [Viswanath02].
//!
//! h(t) = sum_{m<M} sqrt(alpha_m(t)) exp(j theta_m(t)) h_m(t), with independent fading h_m of each antenna of each user
//! and weights that all users share. Weight m is g_m(t) / (sum_i |g_i(t)|^2)^1/2, with independent sums of sinusoids
//! g_m of the largest frequency `turn_hz`: powers alpha_m that add up to 1, phases theta_m, all directions alike, which
//! is how the channel of a user with independent antennas points. So E|h|^2 = 1 whatever the weights are.
//!
//! Left out: correlated antennas, pilots of each antenna (reports are of the sum, as in [Viswanath02]), several beams at
//! once, lines of sight.

use std::sync::Arc;

use super::decibel::decibels;
use super::fading::{FadingConfig, Field, SumOfSinusoids};
use crate::types::declare::Section;
use crate::types::{BLOCK_SLOTS, Purpose, RandomStream, Slot};

/// Antennas of the base station and their weights.
#[derive(Clone, Copy, Debug, PartialEq, Section)]
pub enum Beamforming {
    /// The base station has one antenna.
    #[section(class = "NoBeamforming", about = "One antenna")]
    None,
    /// Several antennas send the same signal with random time-varying weights, common to all users [Viswanath02].
    ///
    /// Each antenna of each user fades on its own, as `channel.fading` says, which must be "rayleigh" or "jakes".
    /// Weights are independent sums of sinusoids divided by their common amplitude: powers that add up to 1, and
    /// phases. The mean power stays 1.
    #[section(class = "OpportunisticBeamforming", about = "Several antennas with random time-varying weights")]
    Opportunistic {
        /// Antennas of the base station.
        #[field(
            at_least = 1,
            at_most = Beam::MOST_ANTENNAS,
            default = 2,
            source = "airlink default: the fewest that make a difference, [Viswanath02]"
        )]
        antennas: usize,
        /// Largest frequency of a weight, like the Doppler shift of fading. It should be fast against the scheduler's
        /// memory and slow against the age of reports.
        #[field(unit = "Hz", at_least = 0, at_most = 1e6, default = 10.0, source = "airlink default")]
        turn_hz: f64,
        /// Number of sinusoids of a weight.
        #[field(at_least = 4, at_most = 64, default = 16, source = "airlink default")]
        terms: usize,
    },
}

/// The weights of a base station's antennas; its users share them.
#[derive(Clone, Debug)]
pub struct Beam {
    turning: Vec<SumOfSinusoids>,
}

impl Beam {
    /// The most antennas.
    pub const MOST_ANTENNAS: usize = 16;

    /// Weights of `antennas`, each turning like a user that fades at this Doppler shift.
    pub fn new(antennas: usize, turning: FadingConfig, seed: u64) -> Arc<Self> {
        assert!((1..=Self::MOST_ANTENNAS).contains(&antennas), "1 to 16 antennas");
        let weight =
            |antenna: usize| SumOfSinusoids::new(turning, &mut RandomStream::new(seed, Purpose::Beam, antenna as u64));
        Arc::new(Self { turning: (0..antennas).map(weight).collect() })
    }

    /// How many antennas there are.
    pub fn antennas(&self) -> usize {
        self.turning.len()
    }
}

/// The fading of one user under a beam.
#[derive(Clone, Debug)]
pub struct Beamformed {
    beam: Arc<Beam>,
    /// From each antenna to the user.
    paths: Vec<SumOfSinusoids>,
}

impl Beamformed {
    /// A user that `paths` lead to, one from each antenna.
    pub fn new(beam: &Arc<Beam>, paths: Vec<SumOfSinusoids>) -> Self {
        assert_eq!(paths.len(), beam.antennas(), "a path from each antenna");
        Self { beam: Arc::clone(beam), paths }
    }

    /// Writes |h|^2 of the slots from `first`, a multiple of [`BLOCK_SLOTS`].
    pub fn fill(&self, first: Slot, gain: &mut [f32; BLOCK_SLOTS]) {
        let (mut sum, mut weights) = (Field::ZERO, [0.0_f32; BLOCK_SLOTS]);
        let (mut path, mut weight) = (Field::ZERO, Field::ZERO);
        for (antenna, turning) in self.paths.iter().zip(&self.beam.turning) {
            antenna.fill_field(first, &mut path);
            turning.fill_field(first, &mut weight);
            for (slot, weights) in weights.iter_mut().enumerate() {
                let (a, b) = (path.re[slot], path.im[slot]);
                let (c, d) = (weight.re[slot], weight.im[slot]);
                sum.re[slot] += a * c - b * d;
                sum.im[slot] += a * d + b * c;
                *weights += c * c + d * d;
            }
        }
        for (slot, gain) in gain.iter_mut().enumerate() {
            let power = sum.re[slot] * sum.re[slot] + sum.im[slot] * sum.im[slot];
            // No weight at all, which has a probability of nothing, is no signal.
            *gain = power / weights[slot].max(f32::MIN_POSITIVE);
        }
    }

    /// Adds 10 log10 |h|^2 of the slots from `first`, a multiple of [`BLOCK_SLOTS`].
    pub(super) fn add_db_to(&self, first: Slot, signal_db: &mut [f32; BLOCK_SLOTS]) {
        let mut gain = [0.0; BLOCK_SLOTS];
        self.fill(first, &mut gain);
        for (signal, gain) in signal_db.iter_mut().zip(gain) {
            *signal += decibels(gain);
        }
    }
}
