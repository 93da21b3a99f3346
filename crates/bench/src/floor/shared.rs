//! The floor over many subchannels: taps by recurrences, H and |H|^2 of every user and subchannel, the rate ladder, PF's
//! metric and argmax, each a pass over a row, and the same TCP.
//!
//! It leaves out what its neighbour does, and reports' delay, coded blocks and their repetition.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m512};
use std::f64::consts::TAU;

use super::fading::{Complex, Term, add_terms};
use super::packets::{PacketConfig, Packets};
use super::register::{Plain, Register};
use super::{BLOCK, Done, Registers, StageSeconds, Watch, Work};

/// Registers of subchannels that a tap's path serves at once.
const PAIR: usize = 2;

/// The carrier that is shared, and the air that makes its parts differ.
#[derive(Clone, Debug)]
pub struct Band {
    /// Delay in seconds and power of each tap, powers adding up to 1.
    pub taps: Vec<(f64, f64)>,
    /// How many subchannels there are.
    pub subchannels: usize,
    /// From one to the next, Hz.
    pub spacing_hz: f64,
}

/// Runs the toy.
pub fn run(work: &Work, band: &Band, registers: Registers, stages: Option<&mut StageSeconds>) -> Done {
    match registers {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Registers::available` names only what the CPU has.
        Registers::Avx512 => unsafe { run_avx512(work, band, stages) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Registers::Avx2 => unsafe { run_avx2(work, band, stages) },
        _ => run_in::<Plain, 2>(work, band, stages),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq,avx512bw")]
fn run_avx512(work: &Work, band: &Band, stages: Option<&mut StageSeconds>) -> Done {
    run_in::<__m512, 4>(work, band, stages)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2(work: &Work, band: &Band, stages: Option<&mut StageSeconds>) -> Done {
    run_in::<__m256, 3>(work, band, stages)
}

/// Registers R, B terms at once.
#[inline(always)]
fn run_in<R: Register, const B: usize>(work: &Work, band: &Band, stages: Option<&mut StageSeconds>) -> Done {
    let users = work.mean_snr.len();
    let mut watch = Watch::new(stages);
    let mut air = Air::<R>::new(work, band);
    let mut fair = Fair::new(users, air.width);
    let mut packets = Packets::new(PacketConfig::of(work));
    watch.lap(|stages| &mut stages.set_up);
    for slot in 0..work.slots {
        if slot.is_multiple_of(BLOCK) {
            air.next_block::<B>();
        }
        air.fill(slot % BLOCK);
        watch.lap(|stages| &mut stages.fading);
        fair.decide::<R>(&air.bytes, work.weight);
        watch.lap(|stages| &mut stages.scheduling);
        packets.carry_shared(&fair.served);
        watch.lap(|stages| &mut stages.packets);
    }
    std::hint::black_box(air.bytes[0]);
    Done { packets: packets.delivered() }
}

/// The signals of all users.
struct Air<R> {
    taps: usize,
    /// Subchannels, rounded up to whole registers; those that are none have no signal.
    width: usize,
    /// By user and tap, as many as a register has lanes in a group.
    groups: Vec<Vec<Term<R>>>,
    /// (re, im) of each user's taps in each slot of the block.
    paths: Vec<(f32, f32)>,
    /// cos and sin of each tap with its amplitude, on a pair of registers of subchannels after the other.
    steering: Vec<[[R; PAIR]; 2]>,
    mean_snr: Vec<f32>,
    ladder: Vec<(f32, f32)>,
    /// re, im and -im of each tap of the user at hand.
    turned: Vec<[R; 3]>,
    snr: Vec<f32>,
    /// What a slot's subchannel would carry, by user.
    bytes: Vec<f32>,
}

impl<R: Register> Air<R> {
    #[inline(always)]
    fn new(work: &Work, band: &Band) -> Self {
        let (users, taps) = (work.mean_snr.len(), band.taps.len());
        let width = band.subchannels.next_multiple_of(PAIR * R::LANES);
        let streams = users * taps;
        let each = (work.terms, work.doppler_per_slot);
        let group = |first| (0..work.terms).map(|term| Term::new(each, term, first)).collect();
        let steer = |first: usize, (delay_s, power): (f64, f64)| -> [R; 2] {
            let (mut cos, mut sin) = ([0.0; 16], [0.0; 16]);
            for lane in (0..R::LANES).filter(|lane| first + lane < band.subchannels) {
                let turns = (first + lane) as f64 * band.spacing_hz * delay_s;
                let (of_sin, of_cos) = libm::sincos(-TAU * (turns % 1.0));
                let amplitude = libm::sqrt(power);
                (cos[lane], sin[lane]) = ((amplitude * of_cos) as f32, (amplitude * of_sin) as f32);
            }
            [R::load(&cos), R::load(&sin)]
        };
        let pair = |first: usize, tap: (f64, f64)| -> [[R; PAIR]; 2] {
            let parts: [[R; 2]; PAIR] = std::array::from_fn(|part| steer(first + part * R::LANES, tap));
            [parts.map(|[cos, _]| cos), parts.map(|[_, sin]| sin)]
        };
        let firsts = (0..width).step_by(PAIR * R::LANES);
        let mut last = 0.0;
        let steps = work.ladder.iter().map(|&(threshold, bytes)| {
            let step = bytes - last;
            last = bytes;
            (threshold, step)
        });
        Self {
            taps,
            width,
            groups: (0..streams).step_by(R::LANES).map(group).collect(),
            paths: vec![(0.0, 0.0); BLOCK * streams.next_multiple_of(R::LANES)],
            steering: firsts.flat_map(|first| band.taps.iter().map(move |&tap| pair(first, tap))).collect(),
            mean_snr: work.mean_snr.clone(),
            ladder: steps.collect(),
            turned: vec![[R::splat(0.0); 3]; taps],
            snr: vec![0.0; width],
            bytes: vec![0.0; users * width],
        }
    }

    #[inline(always)]
    fn next_block<const B: usize>(&mut self) {
        let streams = self.paths.len() / BLOCK;
        for (number, terms) in self.groups.iter_mut().enumerate() {
            let mut sum = [Complex { re: R::splat(0.0), im: R::splat(0.0) }; BLOCK];
            let mut bundles = terms.chunks_exact_mut(B);
            for bundle in &mut bundles {
                add_terms::<R, B>(bundle, &mut sum);
            }
            for term in bundles.into_remainder() {
                add_terms::<R, 1>(std::slice::from_mut(term), &mut sum);
            }
            let (mut re, mut im) = ([0.0; 16], [0.0; 16]);
            for (slot, signal) in sum.iter().enumerate() {
                signal.re.store(&mut re);
                signal.im.store(&mut im);
                let first = slot * streams + number * R::LANES;
                for (lane, path) in self.paths[first..first + R::LANES].iter_mut().enumerate() {
                    *path = (re[lane], im[lane]);
                }
            }
        }
    }

    /// One pass for |H|^2, one for the ladder, user by user.
    #[inline(always)]
    fn fill(&mut self, slot: usize) {
        let streams = self.paths.len() / BLOCK;
        for (user, bytes) in self.bytes.chunks_exact_mut(self.width).enumerate() {
            let paths = &self.paths[slot * streams + user * self.taps..][..self.taps];
            let mean = R::splat(self.mean_snr[user]);
            for (turned, &(re, im)) in self.turned.iter_mut().zip(paths) {
                *turned = [R::splat(re), R::splat(im), R::splat(-im)];
            }
            for (first, steering) in (0..self.width).step_by(PAIR * R::LANES).zip(self.steering.chunks_exact(self.taps))
            {
                let (mut re, mut im) = ([R::splat(0.0); PAIR], [R::splat(0.0); PAIR]);
                for ([h_re, h_im, minus_h_im], [cos, sin]) in self.turned.iter().zip(steering) {
                    for part in 0..PAIR {
                        // re + h_re cos - h_im sin, im + h_re sin + h_im cos
                        re[part] = minus_h_im.times_plus(sin[part], h_re.times_plus(cos[part], re[part]));
                        im[part] = h_im.times_plus(cos[part], h_re.times_plus(sin[part], im[part]));
                    }
                }
                for part in 0..PAIR {
                    let gain = re[part].times_plus(re[part], im[part].times(im[part]));
                    gain.times(mean).store(&mut self.snr[first + part * R::LANES..]);
                }
            }
            for first in (0..self.width).step_by(R::LANES) {
                let snr = R::load(&self.snr[first..]);
                let rung = |reached: R, &(threshold, step): &(f32, f32)| {
                    reached.plus_where_at_least(snr, R::splat(threshold), R::splat(step))
                };
                self.ladder.iter().fold(R::splat(0.0), rung).store(&mut bytes[first..]);
            }
        }
    }
}

/// PF over a row: metric and argmax, then what each user got.
struct Fair {
    width: usize,
    average: Vec<f32>,
    served: Vec<f32>,
    owner: Vec<f32>,
}

impl Fair {
    fn new(users: usize, width: usize) -> Self {
        Self { width, average: vec![1.0; users], served: vec![0.0; users], owner: vec![0.0; width] }
    }

    #[inline(always)]
    fn decide<R: Register>(&mut self, bytes: &[f32], weight: f32) {
        let mut inverse = [R::splat(0.0); 32];
        for (inverse, average) in inverse.iter_mut().zip(&self.average) {
            *inverse = R::splat(1.0 / average);
        }
        for first in (0..self.width).step_by(R::LANES) {
            let (mut best, mut owner) = (R::splat(0.0), R::splat(-1.0));
            for (user, row) in bytes.chunks_exact(self.width).enumerate() {
                let metric = R::load(&row[first..]).times(inverse[user]);
                owner = best.choose_where_beaten(metric, owner, R::splat(user as f32));
                best = best.larger(metric);
            }
            owner.store(&mut self.owner[first..]);
        }
        for (user, row) in bytes.chunks_exact(self.width).enumerate() {
            let (mut sum, own) = (R::splat(0.0), R::splat(user as f32));
            for first in (0..self.width).step_by(R::LANES) {
                sum = sum.plus_where_equal(R::load(&self.owner[first..]), own, R::load(&row[first..]));
            }
            let mut lanes = [0.0; 16];
            sum.store(&mut lanes);
            self.served[user] = lanes[..R::LANES].iter().sum();
            self.average[user] += weight * (self.served[user] - self.average[user]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five subchannels are a whole turn of the second tap.
    fn small_band() -> Band {
        Band { taps: vec![(0.0, 0.6), (1e-6, 0.4)], subchannels: 40, spacing_hz: 200e3 }
    }

    fn small_work() -> Work {
        Work {
            mean_snr: vec![1.0, 4.0, 10.0],
            terms: 16,
            doppler_per_slot: 0.05,
            ladder: vec![(0.5, 10.0), (2.0, 20.0)],
            slots: 5000,
            weight: 0.01,
            packet_bytes: 500.0,
            round_trip_slots: 20,
            window: 64,
        }
    }

    #[test]
    fn every_width_of_registers_does_the_same_work() {
        let done = |registers| run(&small_work(), &small_band(), registers, None).packets as f64;
        let plain = done(Registers::Baseline);
        assert!(plain > 3000.0, "{plain} packets");
        for registers in Registers::available() {
            assert!((done(registers) / plain - 1.0).abs() < 0.02, "{registers:?}");
        }
    }

    #[test]
    fn the_gain_over_the_band_has_a_mean_of_one_and_neighbours_are_alike() {
        let band = small_band();
        let mut air = Air::<Plain>::new(&Work { mean_snr: vec![1.0; 10], ..small_work() }, &band);
        let (mut sum, mut near, mut far, mut count) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..300 {
            air.next_block::<2>();
            for slot in (0..BLOCK).step_by(16) {
                air.fill(slot);
                // What is left of the last user. 40 subchannels are eight turns of the second tap.
                let gain: Vec<f64> = air.snr[..band.subchannels].iter().map(|&gain| f64::from(gain)).collect();
                sum += gain.iter().sum::<f64>();
                near += (0..30).map(|at| (gain[at] - gain[at + 5]).abs()).sum::<f64>();
                far += (0..30).map(|at| (gain[at] - gain[at + 2]).abs()).sum::<f64>();
                count += gain.len() as f64;
            }
        }
        let mean = sum / count;
        assert!((mean - 1.0).abs() < 0.1, "{mean}");
        // Five subchannels are a whole turn, two are not.
        assert!(near < 1e-3 * far, "{near} {far}");
    }
}
