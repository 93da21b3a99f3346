//! Named random streams: every draw is a function of (seed, purpose, index) or (seed, purpose, index, slot).
//!
//! A [`RandomStream`] is drawn from in order, for what is drawn once (phases, places, start times). A
//! [`CounterStream`] is a pure function of the slot, for what is drawn every slot (frame errors, estimation
//! noise, ties), so that who is served never shifts anybody's draws.
//!
//! Uniform draws use the top 53 bits. Normal draws are our own, on basic arithmetic, because the bits of
//! library ones change with CPU features. What this leaves out: cryptographic strength.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[cfg(target_arch = "x86_64")]
use super::VectorPath;
use super::{BLOCK_SLOTS, Slot};

/// What a stream is for. The number is part of every result: never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Purpose {
    /// Where a user is.
    Placement = 1,
    /// Angles and phases of a user's fading.
    Fading = 2,
    /// A user's shadowing.
    Shadowing = 3,
    /// Error of the base station's estimate of a user's SNR.
    EstimationNoise = 4,
    /// Whether a user's frame is lost.
    FrameError = 5,
    /// Who wins among equal metrics.
    Tie = 6,
    /// When a flow starts.
    FlowStart = 7,
    /// Where in its trace a user starts.
    TraceOffset = 8,
    /// What tests draw.
    Traffic = 9,
    /// Losses, duplicates and reordering of a path.
    Impairment = 10,
    /// A phase of a flow's own clock.
    Clock = 11,
    /// When the files of a user arrive.
    FileArrival = 12,
    /// How large they are.
    FileSize = 13,
    /// How large the pages of a flow are.
    PageSize = 14,
    /// How long its user reads them.
    ThinkTime = 15,
    /// Whether a coded block of a user is lost.
    BlockError = 16,
    /// Which packets a queue refuses at random.
    Queue = 19,
    /// How the antennas of a base station are weighted.
    Beam = 20,
    /// Amplitudes of a user's fading.
    FadingAmplitude = 21,
    /// What parts from outside this crate draw.
    Own = 22,
    /// When the packets of a flow without TCP leave.
    PacketGap = 30,
    /// When somebody talks.
    Talk = 31,
    /// How large the frames of a flow are.
    FrameSize = 32,
    /// How late they are.
    FrameJitter = 33,
    /// How many objects a page has.
    ObjectCount = 23,
    /// How large the objects of a page are.
    ObjectSize = 24,
}

/// A 64-bit finaliser (SplitMix64): every output bit depends on every input bit.
const fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

fn key_of(seed: u64, purpose: Purpose, index: u64) -> u64 {
    let seeded = mix(seed.wrapping_add(GOLDEN));
    let purposed = mix(seeded ^ (purpose as u64).wrapping_mul(GOLDEN));
    mix(purposed ^ index.wrapping_mul(0xD1B5_4A32_D192_ED03).wrapping_add(GOLDEN))
}

/// The top 53 bits as a number in [0, 1).
fn unit_interval(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// Draws in order from the stream named (seed, purpose, index).
#[derive(Clone, Debug)]
pub struct RandomStream(Xoshiro256PlusPlus);

impl RandomStream {
    /// The stream of that name.
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(key_of(seed, purpose, index)))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        unit_interval(self.bits())
    }

    /// Uniform in [low, high).
    pub fn uniform_in(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log1p(-self.uniform())
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        f64::from(normal_quantile(self.bits()))
    }
}

/// Draws as a pure function of the slot, from the stream named (seed, purpose, index).
///
/// The draw of slot n is the finaliser of key + n * step. Key and step both come from the name, so that two streams
/// never run through the same states one behind the other (as in SplittableRandom, [Steele14]).
#[derive(Clone, Copy, Debug)]
pub struct CounterStream {
    key: u64,
    step: u64,
}

impl CounterStream {
    /// The stream of that name.
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        let key = key_of(seed, purpose, index);
        Self { key, step: step_of(key) }
    }

    /// 64 random bits of `slot`.
    #[inline]
    pub fn bits(self, slot: Slot) -> u64 {
        mix(self.key.wrapping_add(slot.number().wrapping_mul(self.step)))
    }

    /// Uniform in [0, 1), of `slot`.
    #[inline]
    pub fn uniform(self, slot: Slot) -> f64 {
        unit_interval(self.bits(slot))
    }

    /// Standard normals of the slots from `first`, one for each element of `out`.
    ///
    /// The loops are compiled for wider registers too; the operations and their order, hence the bits, are the same.
    pub fn fill_normal(self, first: Slot, out: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        if VectorPath::is_wide() {
            // SAFETY: the registers are there, or it would not be the path.
            unsafe { self.fill_normal_wide(first, out) };
            return;
        }
        self.fill_normal_portable(first, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_normal_wide(self, first: Slot, out: &mut [f32]) {
        self.fill_normal_portable(first, out);
    }

    #[inline(always)]
    fn fill_normal_portable(self, first: Slot, out: &mut [f32]) {
        let mut slot = first;
        for part in out.chunks_mut(BLOCK_SLOTS) {
            let mut bits = [0; BLOCK_SLOTS];
            for word in &mut bits[..part.len()] {
                *word = self.bits(slot);
                slot = slot.next();
            }
            fill_normal_quantiles(&bits, part);
        }
    }
}

/// An odd step with its bits well spread: one with few changes between neighbours would leave patterns.
const fn step_of(key: u64) -> u64 {
    let step = mix(key ^ GOLDEN) | 1;
    if (step ^ (step >> 1)).count_ones() < 24 { step ^ 0xAAAA_AAAA_AAAA_AAAA } else { step }
}

/// The upper-tail probability in (0, 1/2) that a draw stands for: its low 52 bits, in the middle of their step. Bit
/// 52 is the sign, so both tails have equal resolution and reach beyond 8 standard deviations.
fn tail_probability(bits: u64) -> f64 {
    const STEPS: f64 = 4_503_599_627_370_496.0;
    ((bits & ((1 << 52) - 1)) as f64 + 0.5) * (0.5 / STEPS)
}

/// The upper 24 of the bits that [`tail_probability`] reads: the tail to single precision, and the sign above it.
const fn upper_bits(bits: u64) -> u32 {
    (bits >> 29) as u32 & 0x00FF_FFFF
}

/// Below this tail probability the central approximation no longer holds.
const TAIL: f32 = 0.02425;

/// Standard normal quantiles of uniform draws, by Acklam's rational approximation (relative error below 1.2e-9 in
/// double precision, about 1e-6 in this single one). All are computed as central ones, in single precision and
/// without a branch, so that four or more go at once; then the 5 % in the tails are replaced.
#[inline(always)]
fn fill_normal_quantiles(bits: &[u64; BLOCK_SLOTS], out: &mut [f32]) {
    let mut tails = [0.0_f32; BLOCK_SLOTS];
    for (tail, &word) in tails.iter_mut().zip(bits) {
        // A number in [1, 2) put together from its bits, in the middle of their step.
        let share = f32::from_bits(0x3F80_0000 | (upper_bits(word) & 0x007F_FFFF)) - 1.0;
        *tail = share * 0.5 + 0.25 / 8_388_608.0;
    }
    for ((value, &tail), &word) in out.iter_mut().zip(&tails).zip(bits) {
        *value = with_sign(central_quantile(0.5 - tail), word);
    }
    for ((value, &tail), &word) in out.iter_mut().zip(&tails).zip(bits) {
        if tail < TAIL {
            *value = with_sign(tail_quantile(tail_probability(word)) as f32, word);
        }
    }
}

/// The quantile of one uniform draw.
fn normal_quantile(bits: u64) -> f32 {
    let mut value = [0.0];
    let mut block = [0; BLOCK_SLOTS];
    block[0] = bits;
    fill_normal_quantiles(&block, &mut value);
    value[0]
}

#[inline(always)]
const fn with_sign(magnitude: f32, bits: u64) -> f32 {
    // Bit 23 of the upper bits becomes the number's sign.
    f32::from_bits(magnitude.to_bits() ^ (upper_bits(bits) >> 23 << 31))
}

/// The quantile at probability 1/2 + q for 0 <= q < 0.47575.
#[inline(always)]
fn central_quantile(q: f32) -> f32 {
    let r = q * q;
    let numerator =
        ((((-39.696_83 * r + 220.946_1) * r - 275.928_5) * r + 138.357_75) * r - 30.664_798) * r + 2.506_628_3;
    let denominator = ((((-54.476_1 * r + 161.585_83) * r - 155.698_98) * r + 66.801_31) * r - 13.280_681) * r + 1.0;
    numerator * q / denominator
}

/// The quantile whose upper-tail probability is `tail`, for 0 < tail <= 0.02425.
#[cold]
fn tail_quantile(tail: f64) -> f64 {
    let q = libm::sqrt(-2.0 * libm::log(tail));
    let numerator = ((((-7.784_894_002_430_293e-3 * q - 3.223_964_580_411_365e-1) * q - 2.400_758_277_161_838) * q
        - 2.549_732_539_343_734)
        * q
        + 4.374_664_141_464_968)
        * q
        + 2.938_163_982_698_783;
    let denominator = (((7.784_695_709_041_462e-3 * q + 3.224_671_290_700_398e-1) * q + 2.445_134_137_142_996) * q
        + 3.754_408_661_907_416)
        * q
        + 1.0;
    -(numerator / denominator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_different_names_differ_and_equal_names_agree() {
        let draw = |seed, purpose, index| RandomStream::new(seed, purpose, index).bits();
        assert_eq!(draw(1, Purpose::Fading, 3), draw(1, Purpose::Fading, 3));
        assert_ne!(draw(1, Purpose::Fading, 3), draw(2, Purpose::Fading, 3));
        assert_ne!(draw(1, Purpose::Fading, 3), draw(1, Purpose::Placement, 3));
        assert_ne!(draw(1, Purpose::Fading, 3), draw(1, Purpose::Fading, 4));
    }

    #[test]
    fn the_normal_quantile_matches_tabulated_points() {
        // Upper-tail probabilities and quantiles from the normal table.
        for (tail, quantile) in
            [(0.158_655_253_9, 1.0), (0.022_750_131_9, 2.0), (1.349_898_03e-3, 3.0), (0.25, 0.674_489_75)]
        {
            let bits = (tail * 2.0 * 4_503_599_627_370_496.0) as u64;
            assert!((normal_quantile(bits) - quantile as f32).abs() < 2e-6, "{tail} -> {}", normal_quantile(bits));
        }
    }

    #[test]
    fn normal_draws_of_a_counter_stream_have_the_moments_of_a_normal() {
        let count = 200_000;
        let mut draws = vec![0.0_f32; count];
        CounterStream::new(7, Purpose::EstimationNoise, 0).fill_normal(Slot::ZERO, &mut draws);
        let mean = |power: usize| {
            draws.iter().map(|&x| std::iter::repeat_n(f64::from(x), power).product::<f64>()).sum::<f64>() / count as f64
        };
        let four_sd = 4.0 / (count as f64).sqrt();
        assert!(mean(1).abs() < four_sd);
        assert!((mean(2) - 1.0).abs() < four_sd * 2.0_f64.sqrt());
        assert!(mean(3).abs() < four_sd * 15.0_f64.sqrt());
        assert!((mean(4) - 3.0).abs() < four_sd * 96.0_f64.sqrt());
    }

    #[test]
    fn wide_and_portable_normals_have_the_same_bits() {
        let stream = CounterStream::new(3, Purpose::Shadowing, 5);
        let (mut wide, mut portable) = ([0.0_f32; 1000], [0.0_f32; 1000]);
        stream.fill_normal_portable(Slot::new(77), &mut portable);
        #[cfg(target_arch = "x86_64")]
        if VectorPath::best() == VectorPath::Avx2 {
            // SAFETY: the registers are there.
            unsafe { stream.fill_normal_wide(Slot::new(77), &mut wide) };
            assert_eq!(wide.map(f32::to_bits), portable.map(f32::to_bits));
        }
        stream.fill_normal(Slot::new(77), &mut wide);
        assert_eq!(wide.map(f32::to_bits), portable.map(f32::to_bits));
    }

    #[test]
    fn neighbouring_slots_and_indices_are_uncorrelated() {
        let count = 100_000_u64;
        let (a, b) = (CounterStream::new(7, Purpose::Tie, 0), CounterStream::new(7, Purpose::Tie, 1));
        let correlation = |x: &dyn Fn(u64) -> f64, y: &dyn Fn(u64) -> f64| {
            (0..count).map(|n| (x(n) - 0.5) * (y(n) - 0.5)).sum::<f64>() / count as f64 * 12.0
        };
        let bound = 4.0 / (count as f64).sqrt();
        assert!(correlation(&|n| a.uniform(Slot::new(n)), &|n| a.uniform(Slot::new(n + 1))).abs() < bound);
        assert!(correlation(&|n| a.uniform(Slot::new(n)), &|n| b.uniform(Slot::new(n))).abs() < bound);
    }
}
