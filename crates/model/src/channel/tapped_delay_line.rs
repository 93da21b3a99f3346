//! Frequency-selective fading of one user, subchannel by subchannel: a tapped delay line of Rayleigh paths [Bello63].
//!
//! H(f, t) = sum_k sqrt(p_k) h_k(t) exp(-j 2 pi f tau_k) with the delays tau_k and powers p_k of a [`DelayProfile`]; the h_k are
//! sums of sinusoids ([`fading`](super::fading)), independent of one another. A subchannel's gain is |H|^2 at its centre,
//! f_s = (s - (S - 1) / 2) x width from the centre of the band. Over the draws E |H|^2 = 1 and
//! E H(f, t) H*(f + d, t + u) = J0(2 pi f_d u) sum_k p_k exp(+j 2 pi d tau_k), exactly, for any number of sinusoids.
//!
//! Left out: what a subchannel sees beside its centre (its width is taken to be small against 1 / delay spread), paths
//! that come and go, other Doppler spectra, several antennas.
//!
//! Centres lie in pairs about 0, and the phasors of +f and -f are conjugate: the four sums over k of the products of the
//! parts of sqrt(p_k) h_k and of the phasor serve both. h_k is computed for a block of slots at once. Error of H against the
//! formula: below 2e-6 (sqrt(N) + sqrt(taps)) (tested).

use std::f64::consts::TAU;
use std::sync::Arc;

use super::DelayProfile;
use super::ceiling::UnderCeiling;
use super::fading::{FadingConfig, Field, SumOfSinusoids};
use crate::types::{BLOCK_SLOTS, RandomStream, Slot, VectorPath};

/// Pairs of subchannels that are computed together.
const LANES: usize = 16;

/// Subchannels side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subchannels {
    /// How many, at least 1.
    pub count: usize,
    /// From centre to centre, Hz.
    pub width_hz: f64,
}

/// How the paths of a profile add up in each subchannel; users share it.
#[derive(Clone, Debug)]
pub struct Steering {
    subchannels: usize,
    taps: usize,
    /// For each chunk of pairs, from the centre of the band outwards, one for each tap.
    phasors: Vec<Phasors>,
}

/// sqrt(p) cos and sqrt(p) sin of 2 pi f tau, for the upper frequencies f of a chunk of pairs.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Phasors {
    cos: [f32; LANES],
    sin: [f32; LANES],
}

/// The sums over the taps of (re, im) of sqrt(p) h times (cos, sin) of a chunk of pairs.
struct Sums {
    re_cos: [f32; LANES],
    re_sin: [f32; LANES],
    im_cos: [f32; LANES],
    im_sin: [f32; LANES],
}

impl Steering {
    /// Of `profile` over `subchannels`.
    pub fn new(profile: &DelayProfile, subchannels: Subchannels) -> Arc<Self> {
        assert!(subchannels.count > 0, "there is a subchannel");
        let taps = profile.taps();
        let lowest = if subchannels.count.is_multiple_of(2) { 0.5 } else { 0.0 };
        let chunk = |first: usize| {
            taps.iter().map(move |tap| {
                let mut phasors = Phasors { cos: [0.0; LANES], sin: [0.0; LANES] };
                for lane in 0..LANES {
                    let turns = ((first + lane) as f64 + lowest) * subchannels.width_hz * tap.delay_s;
                    let (sin, cos) = libm::sincos(TAU * (turns - libm::floor(turns)));
                    let amplitude = libm::sqrt(tap.power);
                    (phasors.cos[lane], phasors.sin[lane]) = ((amplitude * cos) as f32, (amplitude * sin) as f32);
                }
                phasors
            })
        };
        let pairs = subchannels.count.div_ceil(2);
        let phasors = (0..pairs).step_by(LANES).flat_map(chunk).collect();
        Arc::new(Self { subchannels: subchannels.count, taps: taps.len(), phasors })
    }

    /// The number of subchannels.
    pub fn subchannels(&self) -> usize {
        self.subchannels
    }

    /// The phasors of each chunk, tap by tap.
    #[inline(always)]
    fn chunks(&self) -> std::slice::ChunksExact<'_, Phasors> {
        self.phasors.chunks_exact(self.taps)
    }
}

/// The fading of one user.
#[derive(Clone, Debug)]
pub struct TappedDelayLine {
    steering: Arc<Steering>,
    taps: Vec<SumOfSinusoids>,
    /// h of each tap in the block `held`.
    fields: Vec<Field>,
    held: Option<u64>,
    wide: bool,
}

impl TappedDelayLine {
    /// Draws the angles and phases of tap after tap from `stream`.
    pub fn new(steering: &Arc<Steering>, config: FadingConfig, stream: &mut RandomStream) -> Self {
        Self {
            taps: (0..steering.taps).map(|_| SumOfSinusoids::new(config, stream)).collect(),
            fields: vec![Field::ZERO; steering.taps],
            steering: Arc::clone(steering),
            held: None,
            wide: VectorPath::is_wide(),
        }
    }

    /// The same with Gaussian amplitudes, drawn for tap after tap from `stream`.
    pub fn with_gaussian_amplitudes(mut self, stream: &mut RandomStream) -> Self {
        self.taps = self.taps.into_iter().map(|tap| tap.with_gaussian_amplitudes(stream)).collect();
        self
    }

    /// The number of subchannels.
    pub fn subchannels(&self) -> usize {
        self.steering.subchannels
    }

    /// Writes |H|^2 of every subchannel in `slot`. Any order of slots gives the same; slots of one block of
    /// [`BLOCK_SLOTS`] are cheapest one after the other.
    pub fn fill(&mut self, slot: Slot, gain: &mut [f32]) {
        self.hold(slot);
        self.dispatch(slot, gain, |gain| gain);
    }

    /// Writes the real and imaginary part of H of every subchannel in `slot`.
    pub fn fill_field(&mut self, slot: Slot, re: &mut [f32], im: &mut [f32]) {
        assert_eq!(re.len(), self.subchannels(), "one value for each subchannel");
        assert_eq!(im.len(), self.subchannels(), "one value for each subchannel");
        self.hold(slot);
        let (half, pairs) = (re.len() / 2, re.len().div_ceil(2));
        for (number, phasors) in self.steering.chunks().enumerate() {
            let (first, sums) = (number * LANES, self.sums_of_chunk(slot, phasors));
            for (lane, pair) in (first..pairs).take(LANES).enumerate() {
                let Sums { re_cos, re_sin, im_cos, im_sin } = &sums;
                (re[pairs - 1 - pair], im[pairs - 1 - pair]) =
                    (re_cos[lane] - im_sin[lane], im_cos[lane] + re_sin[lane]);
                (re[half + pair], im[half + pair]) = (re_cos[lane] + im_sin[lane], im_cos[lane] - re_sin[lane]);
            }
        }
    }

    /// Writes the signal in dB of every subchannel in `slot`, around a level and under its ceiling.
    pub(super) fn fill_db(&mut self, slot: Slot, level: UnderCeiling, signal_db: &mut [f32]) {
        self.hold(slot);
        if level.is_free() {
            self.dispatch(slot, signal_db, |gain| level.without_ceiling(gain));
        } else {
            self.dispatch(slot, signal_db, |gain| level.with_ceiling(gain));
        }
    }

    /// Computes h of every tap over the block of `slot`.
    fn hold(&mut self, slot: Slot) {
        let block = slot.number() / BLOCK_SLOTS as u64;
        if self.held != Some(block) {
            let first = Slot::new(block * BLOCK_SLOTS as u64);
            for (tap, field) in self.taps.iter().zip(&mut self.fields) {
                tap.fill_field(first, field);
            }
            self.held = Some(block);
        }
    }
}

/// The loops: one body, compiled for the baseline and for 256-bit registers. Operations and their order are the
/// same in both and never fused, so the bits are too (tested).
impl TappedDelayLine {
    #[inline(always)]
    fn dispatch(&self, slot: Slot, out: &mut [f32], of_gain: impl Fn(f32) -> f32) {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` is set only where the CPU has AVX2.
            unsafe { self.convert_wide(slot, out, of_gain) };
            return;
        }
        self.convert(slot, out, of_gain);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn convert_wide(&self, slot: Slot, out: &mut [f32], of_gain: impl Fn(f32) -> f32) {
        self.convert(slot, out, of_gain);
    }

    /// In passes over the row, because that is what fits the registers.
    #[inline(always)]
    fn convert(&self, slot: Slot, out: &mut [f32], of_gain: impl Fn(f32) -> f32) {
        self.fill_gains(slot, out);
        for value in out {
            *value = of_gain(*value);
        }
    }

    #[inline(always)]
    fn fill_gains(&self, slot: Slot, gain: &mut [f32]) {
        assert_eq!(gain.len(), self.subchannels(), "one value for each subchannel");
        let pairs = gain.len().div_ceil(2);
        let (below, above) = gain.split_at_mut(gain.len() / 2);
        // Of an odd number of subchannels the one in the middle is a pair with itself: its upper half stands for both.
        let alone = pairs - below.len();
        for (number, phasors) in self.steering.chunks().enumerate() {
            let (lower, upper) = self.sums_of_chunk(slot, phasors).powers();
            // From the pair farthest out to the nearest, as they lie in the row.
            let lower: [f32; LANES] = std::array::from_fn(|lane| lower[LANES - 1 - lane]);
            let first = number * LANES;
            if first >= alone && first + LANES <= pairs {
                below[pairs - first - LANES..pairs - first].copy_from_slice(&lower);
                above[first..first + LANES].copy_from_slice(&upper);
            } else {
                let (skipped, count) = (alone.saturating_sub(first), LANES.min(pairs - first));
                let lower = &lower[LANES - count..LANES - skipped];
                below[pairs - first - count..pairs - first - skipped].copy_from_slice(lower);
                above[first..first + count].copy_from_slice(&upper[..count]);
            }
        }
    }

    /// Taps are added in their order, lane by lane.
    #[inline(always)]
    fn sums_of_chunk(&self, slot: Slot, phasors: &[Phasors]) -> Sums {
        let at = slot.number() as usize % BLOCK_SLOTS; // within the block
        let mut sums = Sums { re_cos: [0.0; LANES], re_sin: [0.0; LANES], im_cos: [0.0; LANES], im_sin: [0.0; LANES] };
        for (phasors, field) in phasors.iter().zip(&self.fields) {
            let (re, im) = (field.re[at], field.im[at]);
            for lane in 0..LANES {
                sums.re_cos[lane] += re * phasors.cos[lane];
                sums.re_sin[lane] += re * phasors.sin[lane];
                sums.im_cos[lane] += im * phasors.cos[lane];
                sums.im_sin[lane] += im * phasors.sin[lane];
            }
        }
        sums
    }
}

impl Sums {
    /// |H|^2 at the lower and at the upper frequency of each pair.
    #[inline(always)]
    fn powers(&self) -> ([f32; LANES], [f32; LANES]) {
        let (mut lower, mut upper) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            let (re, im) = (self.re_cos[lane] - self.im_sin[lane], self.im_cos[lane] + self.re_sin[lane]);
            lower[lane] = re * re + im * im;
            let (re, im) = (self.re_cos[lane] + self.im_sin[lane], self.im_cos[lane] - self.re_sin[lane]);
            upper[lane] = re * re + im * im;
        }
        (lower, upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Decibel, Purpose};

    use super::super::Ceiling;

    fn line(taps: usize, subchannels: usize, seed: u64) -> TappedDelayLine {
        let delays_ns: Vec<f64> = (0..taps).map(|tap| 370.0 * tap as f64).collect();
        let powers_db: Vec<f64> = (0..taps).map(|tap| -1.3 * tap as f64).collect();
        let profile = DelayProfile::new(&delays_ns, &powers_db);
        let steering = Steering::new(&profile, Subchannels { count: subchannels, width_hz: 180e3 });
        let config = FadingConfig { terms: 9, doppler_hz: 20.0, slot_s: 1e-3 };
        TappedDelayLine::new(&steering, config, &mut RandomStream::new(seed, Purpose::Fading, taps as u64))
    }

    #[test]
    fn both_compiled_paths_give_the_same_bits() {
        for (taps, subchannels) in [(1, 1), (2, 2), (6, 3), (6, 400), (23, 31), (64, 33), (6, 32), (3, 65)] {
            let mut wide = line(taps, subchannels, 1);
            wide.wide = VectorPath::best() == VectorPath::Avx2;
            let mut narrow = TappedDelayLine { wide: false, ..wide.clone() };
            for ceiling in [Ceiling::NONE, Ceiling::new(Decibel::new(13.0))] {
                let level = UnderCeiling::new(4.5, ceiling);
                for slot in [0, 1, 64, 777, 1 << 40].map(Slot::new) {
                    let (mut a, mut b) = (vec![0.0; subchannels], vec![1.0; subchannels]);
                    narrow.fill_db(slot, level, &mut a);
                    wide.fill_db(slot, level, &mut b);
                    let bits = |row: &[f32]| row.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(&a), bits(&b), "{taps} taps, {subchannels} subchannels");
                }
            }
        }
    }

    #[test]
    fn the_gain_is_the_squared_field_in_every_subchannel() {
        for subchannels in [1, 2, 15, 16, 17, 31, 32, 33, 34, 64, 65, 400] {
            let mut line = line(5, subchannels, 2);
            for slot in [0, 63, 64].map(Slot::new) {
                let (mut gain, mut re, mut im) =
                    (vec![9.0; subchannels], vec![9.0; subchannels], vec![9.0; subchannels]);
                line.fill(slot, &mut gain);
                line.fill_field(slot, &mut re, &mut im);
                for s in 0..subchannels {
                    assert_eq!(gain[s], re[s] * re[s] + im[s] * im[s], "{s} of {subchannels}");
                }
            }
        }
    }

    #[test]
    fn the_order_in_which_slots_are_asked_for_is_of_no_consequence() {
        let mut line = line(6, 40, 3);
        let mut row = |slot: u64| {
            let mut gain = vec![0.0; 40];
            line.fill(Slot::new(slot), &mut gain);
            gain
        };
        let forwards: Vec<_> = [5, 6, 70, 9_999].map(&mut row).into();
        let mut backwards: Vec<_> = [9_999, 70, 6, 5].map(row).into();
        backwards.reverse();
        assert_eq!(forwards, backwards);
    }
}
