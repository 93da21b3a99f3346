//! Flat Rayleigh fading as a sum of sinusoids: the model of [Clarke68] with N angles of arrival.
//!
//! h(t) = N^-1/2 sum_{n<N} a_n exp(j (w_n t + phi_n)), w_n = 2 pi f_d cos(2 pi (n + theta) / N), with a common theta uniform in
//! [0, 1) and independent uniform phases phi_n. Over the draws E|h|^2 = 1 and E h*(0) h(t) = J0(2 pi f_d t) exactly, for every N.
//!
//! Equal amplitudes: a_n = 1. Then |h|^2 never exceeds N, its variance is 1 - 1/N, and its upper tail is that of an N-step random
//! walk. A user's mean power over time is 1.
//!
//! Gaussian amplitudes: a_n exp(j phi_n) is complex Gaussian of variance 1 ([EvdoTcp], section III), so a_n^2 is exponential of
//! mean 1. Over the draws h is Gaussian for every N, its power exponential. But the amplitudes are drawn once: a user's mean power over
//! time is the mean of the a_n^2, with mean 1 and standard deviation N^-1/2 over the draws. It is not scaled to 1.
//!
//! Left out: a line of sight, several paths.
//!
//! Phases are integers (2^-64 turns), so any block may be computed on its own: nothing is carried from block to
//! block and nothing drifts. Within a block, each group of 16 slots starts from a phasor per term, which the next
//! group turns on, and multiplies it by the term's rotations over 0 to 15 slots; two groups at a time, which share what is
//! read of the rotations. The component error of h is below 1e-6 sqrt(N).

use std::f64::consts::TAU;

use super::decibel::decibels;
use super::phasor::{phase_of_turns, phasor, phasor_of_top, radians, top_of};
use crate::types::declare::Words;
use crate::types::{BLOCK_SLOTS, RandomStream, Slot, VectorPath};

/// Slots that share one phasor per term.
const LANES: usize = 16;
/// How often they go into a block.
const GROUPS: usize = BLOCK_SLOTS / LANES;
/// Terms whose phasors are computed together.
const BUNDLE: usize = 8;
const MOST_TERMS: usize = 64;

/// The amplitudes of a sum's sinusoids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Amplitudes {
    /// All the same.
    Equal,
    /// Those of independent complex Gaussian numbers, drawn once.
    Gaussian,
}

/// The sinusoids of one sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FadingConfig {
    /// The number of sinusoids N, 4 to 64.
    pub terms: usize,
    /// The largest Doppler shift f_d in Hz, at least 0 (0: the fade stays as drawn).
    pub doppler_hz: f64,
    /// The slot's length in seconds.
    pub slot_s: f64,
}

/// One sinusoid, in units of 2^-64 turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wave {
    /// Its phase in slot 0.
    pub(super) at_start: u64,
    /// How far it turns in a slot.
    pub(super) per_slot: u64,
}

/// The fading of one user.
#[derive(Clone, Debug)]
pub struct SumOfSinusoids {
    bundles: Vec<Bundle>,
    rotations: Vec<Rotations>,
    power_of_term: f32,
    amplitude_of_term: f32,
    wide: bool,
}

/// h of the slots of a block.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Field {
    pub(super) re: [f32; BLOCK_SLOTS],
    pub(super) im: [f32; BLOCK_SLOTS],
}

impl Field {
    pub(super) const ZERO: Self = Self { re: [0.0; BLOCK_SLOTS], im: [0.0; BLOCK_SLOTS] };
}

/// Eight terms; those beyond the last term are computed and ignored.
#[derive(Clone, Debug, Default)]
struct Bundle {
    at_start: [u64; BUNDLE],
    per_slot: [u64; BUNDLE],
    /// cos and sin of how far they turn in a group.
    per_group: ([f32; BUNDLE], [f32; BUNDLE]),
}

/// The real and the imaginary part in the slots of a group.
type Parts = ([f32; LANES], [f32; LANES]);

/// cos and sin of the phase of every term.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Phasors {
    cos: [f32; MOST_TERMS],
    sin: [f32; MOST_TERMS],
}

/// One term's rotation over 0, 1, ... 15 slots, times its amplitude.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Rotations {
    cos: [f32; LANES],
    sin: [f32; LANES],
}

impl SumOfSinusoids {
    /// Draws theta and the phases from `stream`.
    pub fn new(config: FadingConfig, stream: &mut RandomStream) -> Self {
        let FadingConfig { terms, doppler_hz, slot_s } = config;
        let count = terms as f64;
        let theta = stream.uniform();
        let wave = |term: usize| {
            let angle = TAU * (term as f64 + theta) / count;
            let per_slot = phase_of_turns(doppler_hz * slot_s * libm::cos(angle));
            Wave { at_start: stream.bits(), per_slot }
        };
        Self::of(&(0..terms).map(wave).collect::<Vec<Wave>>())
    }

    /// N^-1/2 times the sum of these N sinusoids.
    pub(super) fn of(waves: &[Wave]) -> Self {
        assert!((4..=MOST_TERMS).contains(&waves.len()), "4 to 64 sinusoids");
        let count = waves.len() as f64;
        let mut bundles = vec![Bundle::default(); waves.len().div_ceil(BUNDLE)];
        for (term, Wave { at_start, per_slot }) in waves.iter().copied().enumerate() {
            let (bundle, place) = (&mut bundles[term / BUNDLE], term % BUNDLE);
            bundle.at_start[place] = at_start;
            bundle.per_slot[place] = per_slot;
            (bundle.per_group.0[place], bundle.per_group.1[place]) = phasor(per_slot.wrapping_mul(LANES as u64));
        }
        Self {
            bundles,
            rotations: waves.iter().map(|wave| Rotations::new(wave.per_slot)).collect(),
            // Single precision, as the field they scale.
            power_of_term: (1.0 / count) as f32,
            amplitude_of_term: (1.0 / libm::sqrt(count)) as f32,
            wide: VectorPath::is_wide(),
        }
    }

    /// The same with Gaussian amplitudes, drawn from `stream`.
    pub fn with_gaussian_amplitudes(mut self, stream: &mut RandomStream) -> Self {
        for rotations in &mut self.rotations {
            // Single precision, as the field.
            rotations.scale(libm::sqrt(stream.exponential(1.0)) as f32);
        }
        self
    }

    /// Writes |h|^2 of the slots from `first`, a multiple of [`BLOCK_SLOTS`].
    pub fn fill(&self, first: Slot, gain: &mut [f32; BLOCK_SLOTS]) {
        let power = |re, im| self.power(re, im);
        self.dispatch(first, |sums| sums.each(gain, |gain, re, im| *gain = power(re, im)));
    }

    /// Writes h of the slots from `first`, a multiple of [`BLOCK_SLOTS`].
    pub(super) fn fill_field(&self, first: Slot, field: &mut Field) {
        let scale = self.amplitude_of_term;
        self.dispatch(first, |sums| {
            for slot in 0..BLOCK_SLOTS {
                (field.re[slot], field.im[slot]) = (sums.re[slot] * scale, sums.im[slot] * scale);
            }
        });
    }

    /// Adds 10 log10 |h|^2 of the slots from `first`, a multiple of [`BLOCK_SLOTS`].
    pub(super) fn add_db_to(&self, first: Slot, signal_db: &mut [f32; BLOCK_SLOTS]) {
        let power = |re, im| self.power(re, im);
        self.dispatch(first, |sums| sums.each(signal_db, |signal, re, im| *signal += decibels(power(re, im))));
    }
}

/// The loops: one body, compiled for the baseline and for 256-bit registers. Operations and their order are the
/// same in both and never fused, so the bits are too (tested).
impl SumOfSinusoids {
    /// Calls `then` with N^1/2 h of the slots of the block from `first`.
    #[inline(always)]
    fn dispatch(&self, first: Slot, then: impl FnOnce(&Field)) {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` is set only where the CPU has AVX2.
            unsafe { self.walk_wide(first, then) };
            return;
        }
        self.walk(first, then);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn walk_wide(&self, first: Slot, then: impl FnOnce(&Field)) {
        self.walk(first, then);
    }

    #[inline(always)]
    fn walk(&self, first: Slot, then: impl FnOnce(&Field)) {
        assert!(first.number().is_multiple_of(BLOCK_SLOTS as u64), "a block starts at a multiple of its length");
        let mut field = Field::ZERO;
        let (re_groups, _) = field.re.as_chunks_mut::<LANES>();
        let (im_groups, _) = field.im.as_chunks_mut::<LANES>();
        let phasors = self.phasors_from(first);
        for pair in 0..GROUPS / 2 {
            let (even, odd) = (2 * pair, 2 * pair + 1);
            let sums = self.sums_of_groups(&phasors[even], &phasors[odd]);
            [(re_groups[even], im_groups[even]), (re_groups[odd], im_groups[odd])] = sums;
        }
        then(&field);
    }

    #[inline(always)]
    fn power(&self, re: f32, im: f32) -> f32 {
        (re * re + im * im) * self.power_of_term
    }

    /// Those of the first slot of each group of the block from `first`.
    #[inline(always)]
    fn phasors_from(&self, first: Slot) -> [Phasors; GROUPS] {
        let mut phasors = [Phasors { cos: [0.0; MOST_TERMS], sin: [0.0; MOST_TERMS] }; GROUPS];
        for (bundle, place) in self.bundles.iter().zip((0..MOST_TERMS).step_by(BUNDLE)) {
            // Words before numbers, so that eight of these fill a register.
            let tops: [u32; BUNDLE] = std::array::from_fn(|term| {
                let turned = bundle.per_slot[term].wrapping_mul(first.number());
                top_of(bundle.at_start[term].wrapping_add(turned))
            });
            let (by_cos, by_sin) = bundle.per_group;
            let (mut cos, mut sin) = ([0.0; BUNDLE], [0.0; BUNDLE]);
            for term in 0..BUNDLE {
                (cos[term], sin[term]) = phasor_of_top(tops[term]);
            }
            for of_group in &mut phasors {
                of_group.cos[place..place + BUNDLE].copy_from_slice(&cos);
                of_group.sin[place..place + BUNDLE].copy_from_slice(&sin);
                for term in 0..BUNDLE {
                    (cos[term], sin[term]) = (
                        cos[term] * by_cos[term] - sin[term] * by_sin[term],
                        cos[term] * by_sin[term] + sin[term] * by_cos[term],
                    );
                }
            }
        }
        phasors
    }

    /// N^1/2 h, as parts, of the slots of two groups that start with these phasors: terms are added in their order, lane by lane.
    #[inline(always)]
    fn sums_of_groups(&self, first: &Phasors, second: &Phasors) -> [Parts; 2] {
        let (mut re, mut im) = ([0.0_f32; LANES], [0.0_f32; LANES]);
        let (mut second_re, mut second_im) = ([0.0_f32; LANES], [0.0_f32; LANES]);
        for (rotation, term) in self.rotations.iter().zip(0..MOST_TERMS) {
            let (cos, sin) = (first.cos[term], first.sin[term]);
            let (second_cos, second_sin) = (second.cos[term], second.sin[term]);
            for lane in 0..LANES {
                re[lane] += cos * rotation.cos[lane] - sin * rotation.sin[lane];
                im[lane] += cos * rotation.sin[lane] + sin * rotation.cos[lane];
                second_re[lane] += second_cos * rotation.cos[lane] - second_sin * rotation.sin[lane];
                second_im[lane] += second_cos * rotation.sin[lane] + second_sin * rotation.cos[lane];
            }
        }
        [(re, im), (second_re, second_im)]
    }
}

impl Field {
    /// Calls `visit` with each of `values`, one for each slot, and the parts of the slot.
    #[inline(always)]
    fn each(&self, values: &mut [f32; BLOCK_SLOTS], visit: impl Fn(&mut f32, f32, f32)) {
        for ((value, &re), &im) in values.iter_mut().zip(&self.re).zip(&self.im) {
            visit(value, re, im);
        }
    }
}

impl Rotations {
    /// By repeated multiplication in double precision: 15 steps lose at most 1e-14.
    fn new(per_slot: u64) -> Self {
        let (step_sin, step_cos) = libm::sincos(radians(per_slot));
        let (mut c, mut s) = (1.0_f64, 0.0_f64);
        let mut rotations = Self { cos: [0.0; LANES], sin: [0.0; LANES] };
        for lane in 0..LANES {
            (rotations.cos[lane], rotations.sin[lane]) = (c as f32, s as f32);
            (c, s) = (c * step_cos - s * step_sin, c * step_sin + s * step_cos);
        }
        rotations
    }

    fn scale(&mut self, amplitude: f32) {
        for part in self.cos.iter_mut().chain(&mut self.sin) {
            *part *= amplitude;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Purpose;

    type Draw = fn(FadingConfig, &mut RandomStream) -> SumOfSinusoids;

    /// J0 by the trapezoidal rule, which is exact to rounding for a periodic integrand this smooth.
    fn bessel_j0(x: f64) -> f64 {
        let points = 64;
        (0..points).map(|k| libm::cos(x * libm::sin(TAU * f64::from(k) / f64::from(points)))).sum::<f64>()
            / f64::from(points)
    }

    #[test]
    fn the_autocorrelation_of_the_field_is_j0() {
        let users = 40_000;
        for (terms, doppler_per_slot) in [(4, 0.02), (8, 0.05), (16, 0.1)] {
            let config = FadingConfig { terms, doppler_hz: doppler_per_slot, slot_s: 1.0 };
            let (mut re, mut im) = ([0.0; LANES], [0.0; LANES]);
            for user in 0..users {
                let fading = SumOfSinusoids::new(config, &mut RandomStream::new(3, Purpose::Fading, user));
                let phasors = fading.phasors_from(Slot::ZERO);
                let [(x, y), _] = fading.sums_of_groups(&phasors[0], &phasors[1]);
                for lane in 0..LANES {
                    re[lane] += f64::from(x[0] * x[lane] + y[0] * y[lane]) / (users * terms as u64) as f64;
                    im[lane] += f64::from(x[0] * y[lane] - y[0] * x[lane]) / (users * terms as u64) as f64;
                }
            }
            // E |h(0) h(t)|^2 <= E |h|^4 = 2 - 1/N, hence each part has a variance below 2.
            let bound = 4.5 * (2.0 / users as f64).sqrt();
            for lane in 0..LANES {
                let expected = bessel_j0(TAU * doppler_per_slot * lane as f64);
                assert!((re[lane] - expected).abs() < bound, "N = {terms}, lag {lane}: {} for {expected}", re[lane]);
                assert!(im[lane].abs() < bound, "N = {terms}, lag {lane}: {}", im[lane]);
            }
        }
    }

    #[test]
    fn both_compiled_paths_give_the_same_bits() {
        let clarke = [4, 7, 16, 33, 64].map(|terms| (terms, SumOfSinusoids::new as Draw));
        let jakes = [4, 7, 20, 32].map(|terms| (terms, SumOfSinusoids::jakes as Draw));
        for (terms, draw) in clarke.into_iter().chain(jakes) {
            let config = FadingConfig { terms, doppler_hz: 55.56, slot_s: 0.005 };
            let mut wide = draw(config, &mut RandomStream::new(1, Purpose::Fading, terms as u64));
            wide.wide = VectorPath::best() == VectorPath::Avx2;
            let narrow = SumOfSinusoids { wide: false, ..wide.clone() };
            for block in 0..50_u64 {
                let first = Slot::new(block * BLOCK_SLOTS as u64 * 1_000_003);
                let (mut a, mut b) = ([1.0; BLOCK_SLOTS], [1.0; BLOCK_SLOTS]);
                narrow.add_db_to(first, &mut a);
                wide.add_db_to(first, &mut b);
                assert_eq!(a.map(f32::to_bits), b.map(f32::to_bits));
                let (mut a, mut b) = (Field::ZERO, Field::ZERO);
                narrow.fill_field(first, &mut a);
                wide.fill_field(first, &mut b);
                assert_eq!(a.re.map(f32::to_bits), b.re.map(f32::to_bits));
                assert_eq!(a.im.map(f32::to_bits), b.im.map(f32::to_bits));
            }
        }
    }

    #[test]
    fn the_field_is_what_the_power_is_of() {
        let config = FadingConfig { terms: 16, doppler_hz: 0.02, slot_s: 1.0 };
        let fading = SumOfSinusoids::new(config, &mut RandomStream::new(1, Purpose::Fading, 0));
        let (mut field, mut gain) = (Field::ZERO, [0.0; BLOCK_SLOTS]);
        fading.fill_field(Slot::new(640), &mut field);
        fading.fill(Slot::new(640), &mut gain);
        for ((re, im), gain) in field.re.into_iter().zip(field.im).zip(gain) {
            assert!((re * re + im * im - gain).abs() < 1e-6 * gain, "{re} {im} {gain}"); // rounding of single precision
        }
    }
}
