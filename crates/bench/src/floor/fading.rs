//! Fading of W users as a sum of sinusoids, one user a lane, and the bytes that a slot would carry.
//!
//! Each term is a two-term recurrence x\[n+1\] = 2 cos(w) x\[n\] - x\[n-1\] within a block of 64 slots; between blocks a
//! phasor turns on, so errors of the recurrence don't add up.

use std::f64::consts::TAU;

use super::register::Register;
use super::{BLOCK, Work};

/// W users in registers R.
pub struct Fading<R, const W: usize> {
    groups: Vec<Group<R>>,
    ladder: Vec<(f32, f32)>,
}

/// As many users as a register has lanes.
struct Group<R> {
    terms: Vec<Term<R>>,
    mean: R,
}

#[derive(Clone, Copy)]
pub(super) struct Term<R> {
    now: Complex<R>,
    before: Complex<R>,
    turn_of_block: Complex<R>,
    twice_cos: R,
}

#[derive(Clone, Copy)]
pub(super) struct Complex<R> {
    pub(super) re: R,
    pub(super) im: R,
}

impl<R: Register, const W: usize> Fading<R, W> {
    #[inline(always)]
    pub fn new(work: &Work) -> Self {
        let mut mean = [0.0; W];
        mean[..work.mean_snr.len()].copy_from_slice(&work.mean_snr);
        let starts = (0..W).step_by(R::LANES);
        let group = |start| Group {
            terms: (0..work.terms).map(|term| Term::new((work.terms, work.doppler_per_slot), term, start)).collect(),
            mean: R::load(&mean[start..]),
        };
        let mut last = 0.0;
        let steps = work.ladder.iter().map(|&(threshold, bytes)| {
            let step = bytes - last;
            last = bytes;
            (threshold, step)
        });
        Self { groups: starts.map(group).collect(), ladder: steps.collect() }
    }

    /// The bytes of a slot for each user in the next block of slots, B terms at a time.
    #[inline(always)]
    pub fn fill<const B: usize>(&mut self, bytes: &mut [[f32; W]; BLOCK]) {
        for (number, group) in self.groups.iter_mut().enumerate() {
            let mut sum = [Complex { re: R::splat(0.0), im: R::splat(0.0) }; BLOCK];
            let mut bundles = group.terms.chunks_exact_mut(B);
            for bundle in &mut bundles {
                add_terms::<R, B>(bundle, &mut sum);
            }
            for term in bundles.into_remainder() {
                add_terms::<R, 1>(std::slice::from_mut(term), &mut sum);
            }
            for (signal, row) in sum.iter().zip(bytes.iter_mut()) {
                climb(&self.ladder, signal, group.mean).store(&mut row[number * R::LANES..]);
            }
        }
    }
}

/// A block of B terms, added to the sum of all.
#[inline(always)]
pub(super) fn add_terms<R: Register, const B: usize>(terms: &mut [Term<R>], sum: &mut [Complex<R>; BLOCK]) {
    let mut even: [Complex<R>; B] = std::array::from_fn(|term| terms[term].now);
    let mut odd: [Complex<R>; B] = std::array::from_fn(|term| terms[term].before);
    // Two slots at a time, so that now and before need not change places.
    for signals in sum.chunks_exact_mut(2) {
        for term in 0..B {
            let twice_cos = terms[term].twice_cos;
            signals[0].add(even[term]);
            odd[term] = even[term].next(odd[term], twice_cos);
            signals[1].add(odd[term]);
            even[term] = odd[term].next(even[term], twice_cos);
        }
    }
    for term in terms {
        term.now = term.now.turned(term.turn_of_block);
        term.before = term.before.turned(term.turn_of_block);
    }
}

/// The bytes of a slot at the highest rate whose threshold the SNR reaches.
#[inline(always)]
fn climb<R: Register>(ladder: &[(f32, f32)], signal: &Complex<R>, mean: R) -> R {
    let snr = signal.re.times_plus(signal.re, signal.im.times(signal.im)).times(mean);
    let rung = |reached: R, &(threshold, step): &(f32, f32)| {
        reached.plus_where_at_least(snr, R::splat(threshold), R::splat(step))
    };
    ladder.iter().fold(R::splat(0.0), rung)
}

impl<R: Register> Complex<R> {
    #[inline(always)]
    fn add(&mut self, other: Self) {
        self.re = self.re.plus(other.re);
        self.im = self.im.plus(other.im);
    }

    /// What follows this in a recurrence after `before`.
    #[inline(always)]
    fn next(self, before: Self, twice_cos: R) -> Self {
        Self { re: twice_cos.times_minus(self.re, before.re), im: twice_cos.times_minus(self.im, before.im) }
    }

    #[inline(always)]
    fn turned(self, by: Self) -> Self {
        Self {
            re: self.re.times_minus(by.re, self.im.times(by.im)),
            im: self.re.times_plus(by.im, self.im.times(by.re)),
        }
    }

    #[inline(always)]
    fn of(polar: impl Fn(usize) -> (f64, f64)) -> Self {
        let (mut re, mut im) = ([0.0; 16], [0.0; 16]);
        for lane in 0..R::LANES {
            let (radius, angle) = polar(lane);
            let (sin, cos) = libm::sincos(angle);
            (re[lane], im[lane]) = ((radius * cos) as f32, (radius * sin) as f32);
        }
        Self { re: R::load(&re), im: R::load(&im) }
    }
}

impl<R: Register> Term<R> {
    #[inline(always)]
    pub(super) fn new((terms, doppler_per_slot): (usize, f64), term: usize, first_user: usize) -> Self {
        let count = terms as f64;
        let amplitude = libm::sqrt(1.0 / count);
        // Any spread of phases will do for a toy, so long as users differ by more than one phase for all terms.
        let square = ((term + 1) * (term + 1)) as f64;
        let phase = |lane: usize| TAU * ((0.618_034 * square * (first_user + lane + 1) as f64) % 1.0);
        let per_slot = TAU * doppler_per_slot * libm::cos(TAU * (term as f64 + 0.25) / count);
        Self {
            now: Complex::of(|lane| (amplitude, phase(lane))),
            before: Complex::of(|lane| (amplitude, phase(lane) - per_slot)),
            turn_of_block: Complex::of(|_| (1.0, per_slot * BLOCK as f64)),
            twice_cos: R::splat((2.0 * libm::cos(per_slot)) as f32),
        }
    }
}
