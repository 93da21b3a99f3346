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

use super::Slot;

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
    /// Sizes and gaps of a flow's traffic.
    Traffic = 9,
    /// Losses, duplicates and reordering of a path.
    Impairment = 10,
    /// A phase of a flow's own clock.
    Clock = 11,
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
#[derive(Clone, Copy, Debug)]
pub struct CounterStream {
    key: u64,
}

impl CounterStream {
    /// The stream of that name.
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        Self { key: key_of(seed, purpose, index) }
    }

    /// 64 random bits of `slot`.
    #[inline]
    pub fn bits(self, slot: Slot) -> u64 {
        mix(self.key ^ mix(slot.number().wrapping_mul(GOLDEN).wrapping_add(self.key)))
    }

    /// Uniform in [0, 1), of `slot`.
    #[inline]
    pub fn uniform(self, slot: Slot) -> f64 {
        unit_interval(self.bits(slot))
    }

    /// Standard normals of the slots from `first`, one for each element of `out`.
    pub fn fill_normal(self, first: Slot, out: &mut [f32]) {
        for (offset, value) in out.iter_mut().enumerate() {
            *value = normal_quantile(self.bits(Slot::new(first.number() + offset as u64)));
        }
    }
}

/// The standard normal quantile of a uniform draw, by Acklam's rational approximation (relative error below
/// 1.2e-9 in its own arithmetic, about 1e-6 here in single precision).
///
/// The draw's top bit is the sign and the rest the upper-tail probability in (0, 1/2), so both tails reach
/// beyond 8 standard deviations with equal resolution.
#[inline]
fn normal_quantile(bits: u64) -> f32 {
    let tail = ((bits & (u64::MAX >> 1)) as f64 + 0.5) * (0.5 / 9_223_372_036_854_775_808.0);
    let magnitude = if tail > 0.02425 { central_quantile(0.5 - tail) } else { tail_quantile(tail) };
    if bits >> 63 == 1 { -magnitude as f32 } else { magnitude as f32 }
}

/// The quantile at probability 1/2 + q for 0 <= q < 0.47575.
#[inline]
fn central_quantile(q: f64) -> f64 {
    let r = q * q;
    let numerator = ((((-3.969_683_028_665_376e1 * r + 2.209_460_984_245_205e2) * r - 2.759_285_104_469_687e2) * r
        + 1.383_577_518_672_69e2)
        * r
        - 3.066_479_806_614_716e1)
        * r
        + 2.506_628_277_459_239;
    let denominator = ((((-5.447_609_879_822_406e1 * r + 1.615_858_368_580_409e2) * r - 1.556_989_798_598_866e2) * r
        + 6.680_131_188_771_972e1)
        * r
        - 1.328_068_155_288_572e1)
        * r
        + 1.0;
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
            let bits = (tail * 2.0 * 9_223_372_036_854_775_808.0) as u64;
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
