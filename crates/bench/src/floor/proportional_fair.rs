//! PF's argmax over W lanes with lazy averages: every average carries the same factor (1 - w)^n, which no comparison
//! sees, so only the winner's changes.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::{BLOCK, Work};

/// The averages of W users.
pub struct ProportionalFair<const W: usize> {
    average: [f32; W],
    inverse: [f32; W],
    weight: f32,
    growth: f32,
    growth_of_slot: f32,
}

impl<const W: usize> ProportionalFair<W> {
    pub fn new(work: &Work) -> Self {
        let growth_of_slot = 1.0 / (1.0 - work.weight);
        Self { average: [1.0; W], inverse: [1.0; W], weight: work.weight, growth: work.weight, growth_of_slot }
    }

    /// The winner and the bytes of each slot of a block.
    #[inline(always)]
    pub fn pick<const WIDE: bool>(&mut self, bytes: &[[f32; W]; BLOCK], grants: &mut [(u32, f32); BLOCK]) {
        #[cfg(target_arch = "x86_64")]
        if WIDE {
            // SAFETY: only kernels compiled for AVX2 or more ask for WIDE.
            unsafe { self.pick_wide(bytes, grants) };
            return self.rescale();
        }
        for (row, grant) in bytes.iter().zip(grants.iter_mut()) {
            let metric: [f32; W] = std::array::from_fn(|user| row[user] * self.inverse[user]);
            let larger = |best: usize, user: usize| if metric[user] > metric[best] { user } else { best };
            let winner = (0..W).fold(0, larger);
            self.inverse[winner] = self.serve(row, winner);
            *grant = (winner as u32, row[winner]);
        }
        self.rescale();
    }

    /// Counts a slot in the winner's average and returns the inverse.
    #[inline(always)]
    fn serve(&mut self, row: &[f32; W], winner: usize) -> f32 {
        self.average[winner] += self.growth * row[winner];
        // What a slot adds to a lazy average grows by 1/(1 - w) each slot.
        self.growth *= self.growth_of_slot;
        1.0 / self.average[winner]
    }

    /// The same with the inverse averages in registers: a slot waits for nothing but the slot before.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1")]
    #[inline]
    fn pick_wide(&mut self, bytes: &[[f32; W]; BLOCK], grants: &mut [(u32, f32); BLOCK]) {
        const { assert!(W.is_multiple_of(EIGHT) && W <= 32, "whole registers, and a mask of 32 users") };
        let registers = W / EIGHT;
        let mut inverse = [_mm256_setzero_ps(); 4];
        let mut number = [_mm256_setzero_si256(); 4];
        for part in 0..registers {
            inverse[part] = load(&self.inverse[part * EIGHT..]);
            let first = _mm256_set1_epi32((part * EIGHT) as i32);
            number[part] = _mm256_add_epi32(first, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        }
        for (row, grant) in bytes.iter().zip(grants.iter_mut()) {
            let mut metric = [_mm256_setzero_ps(); 4];
            for (part, metric) in metric.iter_mut().take(registers).enumerate() {
                *metric = _mm256_mul_ps(load(&row[part * EIGHT..]), inverse[part]);
            }
            let largest = largest_in_every_lane(&metric);
            let mut winners = 0;
            for (part, metric) in metric.iter().take(registers).enumerate() {
                let equal = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(*metric, largest));
                winners |= (equal as u32) << (part * EIGHT);
            }
            let winner = winners.trailing_zeros() as usize;
            let new = _mm256_set1_ps(self.serve(row, winner));
            let winner_in_every_lane = _mm256_set1_epi32(winner as i32);
            for part in 0..registers {
                let its_lane = _mm256_castsi256_ps(_mm256_cmpeq_epi32(number[part], winner_in_every_lane));
                inverse[part] = _mm256_blendv_ps(inverse[part], new, its_lane);
            }
            *grant = (winner as u32, row[winner]);
        }
    }

    /// Brings the common factor back to 1.
    #[inline(always)]
    fn rescale(&mut self) {
        let factor = self.weight / self.growth;
        self.growth = self.weight;
        for (average, inverse) in self.average.iter_mut().zip(&mut self.inverse) {
            *average *= factor;
            *inverse = 1.0 / *average;
        }
    }
}

#[cfg(target_arch = "x86_64")]
const EIGHT: usize = 8;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn load(values: &[f32]) -> __m256 {
    let eight: &[f32; EIGHT] = values.first_chunk().expect("a whole register");
    // SAFETY: eight numbers are there, and an unaligned load needs no more.
    unsafe { _mm256_loadu_ps(eight.as_ptr()) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn largest_in_every_lane(metric: &[__m256; 4]) -> __m256 {
    let pairs = _mm256_max_ps(_mm256_max_ps(metric[0], metric[1]), _mm256_max_ps(metric[2], metric[3]));
    let halves = _mm256_max_ps(pairs, _mm256_permute2f128_ps::<1>(pairs, pairs));
    let quarters = _mm256_max_ps(halves, _mm256_shuffle_ps::<0b01_00_11_10>(halves, halves));
    _mm256_max_ps(quarters, _mm256_shuffle_ps::<0b10_11_00_01>(quarters, quarters))
}
