//! One vector register of floats, as the CPU has it, so that the toy's speed does not hang on what a compiler sees.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// A register of `LANES` floats.
///
/// The methods of a wide register may run only where the CPU has it; [`Registers`](super::Registers) sees to that.
pub trait Register: Copy {
    /// Floats in it.
    const LANES: usize;

    /// `value` in every lane.
    fn splat(value: f32) -> Self;
    /// The first lanes of `values`.
    fn load(values: &[f32]) -> Self;
    /// Writes all lanes to the start of `values`.
    fn store(self, values: &mut [f32]);
    /// self + other
    fn plus(self, other: Self) -> Self;
    /// self x other
    fn times(self, other: Self) -> Self;
    /// self x factor + addend
    fn times_plus(self, factor: Self, addend: Self) -> Self;
    /// self x factor - subtrahend
    fn times_minus(self, factor: Self, subtrahend: Self) -> Self;
    /// self + step in the lanes where value >= threshold
    fn plus_where_at_least(self, value: Self, threshold: Self, step: Self) -> Self;
    /// self + step in the lanes where a = b
    fn plus_where_equal(self, a: Self, b: Self, step: Self) -> Self;
    /// other in the lanes where challenger > self, else own
    fn choose_where_beaten(self, challenger: Self, own: Self, other: Self) -> Self;
    /// The larger of the two
    fn larger(self, other: Self) -> Self;
}

/// Lanes for the compiler to deal with.
#[derive(Clone, Copy)]
pub struct Plain([f32; 8]);

impl Plain {
    #[inline(always)]
    fn each(of: impl Fn(usize) -> f32) -> Self {
        Self(std::array::from_fn(of))
    }
}

impl Register for Plain {
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; 8])
    }
    #[inline(always)]
    fn load(values: &[f32]) -> Self {
        Self::each(|lane| values[lane])
    }
    #[inline(always)]
    fn store(self, values: &mut [f32]) {
        values[..8].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self::each(|lane| self.0[lane] + other.0[lane])
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self::each(|lane| self.0[lane] * other.0[lane])
    }
    #[inline(always)]
    fn times_plus(self, factor: Self, addend: Self) -> Self {
        Self::each(|lane| self.0[lane] * factor.0[lane] + addend.0[lane])
    }
    #[inline(always)]
    fn times_minus(self, factor: Self, subtrahend: Self) -> Self {
        Self::each(|lane| self.0[lane] * factor.0[lane] - subtrahend.0[lane])
    }
    #[inline(always)]
    fn plus_where_at_least(self, value: Self, threshold: Self, step: Self) -> Self {
        let gain = |lane: usize| if value.0[lane] >= threshold.0[lane] { step.0[lane] } else { 0.0 };
        Self::each(|lane| self.0[lane] + gain(lane))
    }
    #[inline(always)]
    fn plus_where_equal(self, a: Self, b: Self, step: Self) -> Self {
        let gain = |lane: usize| if a.0[lane] == b.0[lane] { step.0[lane] } else { 0.0 };
        Self::each(|lane| self.0[lane] + gain(lane))
    }
    #[inline(always)]
    fn choose_where_beaten(self, challenger: Self, own: Self, other: Self) -> Self {
        Self::each(|lane| if challenger.0[lane] > self.0[lane] { other.0[lane] } else { own.0[lane] })
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Self::each(|lane| if other.0[lane] > self.0[lane] { other.0[lane] } else { self.0[lane] })
    }
}

/// The methods that are one instruction of the same name in both widths.
#[cfg(target_arch = "x86_64")]
macro_rules! one_instruction_each {
    ($lanes:literal, $splat:ident, $load:ident, $store:ident, $add:ident, $mul:ident, $fmadd:ident, $fmsub:ident) => {
        const LANES: usize = $lanes;

        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: the trait's condition.
            unsafe { $splat(value) }
        }
        #[inline(always)]
        fn load(values: &[f32]) -> Self {
            let lanes: &[f32; $lanes] = values.first_chunk().expect("a whole register");
            // SAFETY: the trait's condition, and the array is as long as the register.
            unsafe { $load(lanes.as_ptr()) }
        }
        #[inline(always)]
        fn store(self, values: &mut [f32]) {
            let lanes: &mut [f32; $lanes] = values.first_chunk_mut().expect("a whole register");
            // SAFETY: the trait's condition, and the array is as long as the register.
            unsafe { $store(lanes.as_mut_ptr(), self) }
        }
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            // SAFETY: the trait's condition.
            unsafe { $add(self, other) }
        }
        #[inline(always)]
        fn times(self, other: Self) -> Self {
            // SAFETY: the trait's condition.
            unsafe { $mul(self, other) }
        }
        #[inline(always)]
        fn times_plus(self, factor: Self, addend: Self) -> Self {
            // SAFETY: the trait's condition.
            unsafe { $fmadd(self, factor, addend) }
        }
        #[inline(always)]
        fn times_minus(self, factor: Self, subtrahend: Self) -> Self {
            // SAFETY: the trait's condition.
            unsafe { $fmsub(self, factor, subtrahend) }
        }
    };
}

#[cfg(target_arch = "x86_64")]
impl Register for __m256 {
    one_instruction_each!(
        8,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_mul_ps,
        _mm256_fmadd_ps,
        _mm256_fmsub_ps
    );

    #[inline(always)]
    fn plus_where_at_least(self, value: Self, threshold: Self, step: Self) -> Self {
        // SAFETY: the trait's condition.
        unsafe { _mm256_add_ps(self, _mm256_and_ps(step, _mm256_cmp_ps::<_CMP_GE_OQ>(value, threshold))) }
    }
    #[inline(always)]
    fn plus_where_equal(self, a: Self, b: Self, step: Self) -> Self {
        // SAFETY: the trait's condition.
        unsafe { _mm256_add_ps(self, _mm256_and_ps(step, _mm256_cmp_ps::<_CMP_EQ_OQ>(a, b))) }
    }
    #[inline(always)]
    fn choose_where_beaten(self, challenger: Self, own: Self, other: Self) -> Self {
        // SAFETY: the trait's condition.
        unsafe { _mm256_blendv_ps(own, other, _mm256_cmp_ps::<_CMP_GT_OQ>(challenger, self)) }
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // SAFETY: the trait's condition.
        unsafe { _mm256_max_ps(self, other) }
    }
}

#[cfg(target_arch = "x86_64")]
impl Register for __m512 {
    one_instruction_each!(
        16,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        _mm512_mul_ps,
        _mm512_fmadd_ps,
        _mm512_fmsub_ps
    );

    #[inline(always)]
    fn plus_where_at_least(self, value: Self, threshold: Self, step: Self) -> Self {
        // SAFETY: the trait's condition.
        unsafe { _mm512_mask_add_ps(self, _mm512_cmp_ps_mask::<_CMP_GE_OQ>(value, threshold), self, step) }
    }
    #[inline(always)]
    fn plus_where_equal(self, a: Self, b: Self, step: Self) -> Self {
        // SAFETY: the trait's condition.
        unsafe { _mm512_mask_add_ps(self, _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b), self, step) }
    }
    #[inline(always)]
    fn choose_where_beaten(self, challenger: Self, own: Self, other: Self) -> Self {
        // SAFETY: the trait's condition.
        unsafe { _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(challenger, self), own, other) }
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // SAFETY: the trait's condition.
        unsafe { _mm512_max_ps(self, other) }
    }
}
